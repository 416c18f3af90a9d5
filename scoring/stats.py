"""Means, standard errors and confidence intervals for questions that come in papers.

Questions of one paper share layout, subject and difficulty, so they are not independent: errors and intervals are
clustered by paper. Values are one number a question (epochs averaged first), within any range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wholepage.errors import MissingExtraError

RESAMPLES = 2000
SEED = 20260
MANY_PAPERS = 8  # with fewer, resampling papers alone makes intervals that are far too narrow
LEVEL = 0.95


def import_scipy_stats() -> Any:
    """scipy.stats, or MissingExtraError with the install line."""
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "scipy") from error
    return stats


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and how it was made.

    `unit` is what was resampled: papers or questions, see `bootstrap_interval`. `method` is `bootstrap`, or
    `wilson` when all values are the same, where resampling can show no spread.
    """

    low: float
    high: float
    method: Literal["bootstrap", "wilson"]
    unit: Literal["paper", "question"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its errors. `se` treats questions as independent, `cluster_se` papers; None where undefined."""

    mean: float | None
    se: float | None
    cluster_se: float | None
    interval: Interval | None
    questions: int
    papers: int


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None without values."""
    return math.fsum(values) / len(values) if values else None


def standard_error(values: Sequence[float]) -> float | None:
    """s / √n with the sample standard deviation s (n - 1 in the denominator); None below two values."""
    n = len(values)
    if n < 2:
        return None
    centre = math.fsum(values) / n
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / (n - 1) / n)


def clustered_standard_error(values: Sequence[float], clusters: Sequence[str]) -> float | None:
    """Cluster-robust standard error of a mean, with the small-sample factor G / (G - 1).

    √(G/(G-1) Σ_g (Σ_{i∈g} (x_i - mean))²) / n over G clusters (Liang and Zeger 1986; Miller 2024, arXiv 2411.00640).
    None below two clusters.
    """
    groups = _groups(values, clusters)
    if len(groups) < 2:
        return None
    n = len(values)
    centre = math.fsum(values) / n
    spread = math.fsum(math.fsum(v - centre for v in group) ** 2 for group in groups.values())
    return math.sqrt(len(groups) / (len(groups) - 1) * spread) / n


def _groups(values: Sequence[float], clusters: Sequence[str]) -> dict[str, list[float]]:
    if len(values) != len(clusters):
        raise ValueError("each value needs its cluster")
    groups: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        groups.setdefault(cluster, []).append(value)
    return groups


def bootstrap_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Percentile bootstrap interval of the mean, clustered by paper: whole papers are drawn with replacement.

    Below `MANY_PAPERS` papers the questions are drawn as well and the wider of both intervals is given (with two
    alike papers the first alone would have no width). Where all values are the same, resampling shows no spread and
    Wilson's interval is given. The seed is fixed: the same data give the same interval. None
    below two questions.
    """
    if len(values) < 2:
        return None
    papers = len(set(clusters))
    if len(set(values)) == 1 and 0 <= values[0] <= 1:
        low, high = wilson_interval(math.fsum(values), len(values), level)
        return Interval(low, high, "wilson", "question")
    units: list[Literal["paper", "question"]] = ["paper"] if papers > 1 else []
    if papers < MANY_PAPERS:
        units.append("question")
    tail = (1 - level) / 2
    found = []
    for unit in units:
        means = _resample(*_units(values, clusters, unit), resamples, seed)
        low, high = (float(q) for q in np.quantile(means, [tail, 1 - tail]))
        found.append(Interval(low, high, "bootstrap", unit))
    return max(found, key=lambda interval: interval.high - interval.low)


def _units(
    values: Sequence[float], clusters: Sequence[str], unit: Literal["paper", "question"]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if unit == "question":
        return np.asarray(values, dtype=np.float64), np.ones(len(values))
    groups = _groups(values, clusters)
    ordered = [groups[name] for name in sorted(groups)]
    return np.array([math.fsum(g) for g in ordered]), np.array([float(len(g)) for g in ordered])


def _resample(sums: NDArray[np.float64], sizes: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    count = len(sums)
    block = max(1, 4_000_000 // count)  # bounds the memory of the index table
    parts = []
    for start in range(0, resamples, block):
        draw = generator.integers(0, count, size=(min(block, resamples - start), count))
        parts.append(sums[draw].sum(axis=1) / sizes[draw].sum(axis=1))
    return np.concatenate(parts)


def wilson_interval(successes: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927)."""
    if n <= 0:
        raise ValueError("a proportion of nothing is undefined")
    try:
        from statsmodels.stats.proportion import proportion_confint
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "statsmodels") from error
    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    return max(0.0, float(low)), min(1.0, float(high))


def estimate(values: Sequence[float], clusters: Sequence[str], level: float = LEVEL) -> Estimate:
    """Mean, standard errors and interval of one value a question."""
    return Estimate(
        mean(values),
        standard_error(values),
        clustered_standard_error(values, clusters) if values else None,
        bootstrap_interval(values, clusters, level),
        len(values),
        len(set(clusters)),
    )


def macro_mean(groups: Mapping[str, Sequence[float]]) -> float | None:
    """Mean of the groups' means: every group (paper, subject, type) weighs the same. Empty groups are left out."""
    means = [math.fsum(values) / len(values) for values in groups.values() if values]
    return mean(means)


def micro_mean(groups: Mapping[str, Sequence[float]]) -> float | None:
    """Mean over all values: every question weighs the same."""
    return mean([value for values in groups.values() for value in values])
