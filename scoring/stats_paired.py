"""Differences between two conditions (modes or models) on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.stats import Interval, bootstrap_interval, clustered_standard_error, import_scipy_stats, mean
from wholepage.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Answer:
    """One condition on one question: mean fraction over epochs (0–1), and whether the first epoch is right."""

    fraction: float
    first_correct: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """Second condition minus first, on the questions that both answered.

    `lost` are right in the first and not in the second condition, `gained` the reverse, both in the first common
    epoch; `mcnemar` is the exact two-sided p-value on these, `wilcoxon` that of the signed ranks of the fractions
    (None when no question differs). `adjusted` is McNemar's p-value after Holm's correction over the family of
    comparisons that were made together.
    """

    first: str
    second: str
    questions: int
    difference: float | None
    cluster_se: float | None
    interval: Interval | None
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    both_right: int
    both_wrong: int
    mcnemar: float | None
    wilcoxon: float | None
    adjusted: float | None = None


def mcnemar_exact(lost: int, gained: int) -> float:
    """Exact two-sided McNemar test: binomial test of `lost` in lost + gained at 1/2; 1 when nothing differs."""
    try:
        from statsmodels.stats.contingency_tables import mcnemar
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "statsmodels") from error
    if lost + gained == 0:
        return 1.0
    return float(mcnemar([[0, lost], [gained, 0]], exact=True).pvalue)


def wilcoxon_signed_rank(differences: Sequence[float]) -> float | None:
    """Two-sided p-value of Wilcoxon's signed-rank test; zero differences are dropped (Wilcoxon 1945).

    Exact up to 50 differences without ties, else the normal approximation. None when all differences are zero.
    """
    nonzero = [d for d in differences if d != 0]
    if not nonzero:
        return None
    tied = len({abs(d) for d in nonzero}) < len(nonzero)
    method = "asymptotic" if tied or len(nonzero) > 50 else "exact"
    return float(import_scipy_stats().wilcoxon(nonzero, zero_method="wilcox", method=method).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given (Holm 1979)."""
    if not p_values:
        return []
    try:
        from statsmodels.stats.multitest import multipletests
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "statsmodels") from error
    return [float(p) for p in multipletests(list(p_values), method="holm")[1]]


def compare(
    first: str,
    second: str,
    left: Mapping[str, Answer],
    right: Mapping[str, Answer],
    papers: Mapping[str, str],
) -> Paired:
    """Compare two conditions.

    Args:
        first: name of the first condition.
        second: name of the second condition.
        left: answers of the first condition by question id; only questions in both take part.
        right: answers of the second condition.
        papers: question id → paper id, for clustering.
    """
    common = sorted(set(left) & set(right))
    differences = [right[q].fraction - left[q].fraction for q in common]
    clusters = [papers[q] for q in common]
    lost = tuple(q for q in common if left[q].first_correct and not right[q].first_correct)
    gained = tuple(q for q in common if right[q].first_correct and not left[q].first_correct)
    both = sum(left[q].first_correct and right[q].first_correct for q in common)
    return Paired(
        first,
        second,
        len(common),
        mean(differences),
        clustered_standard_error(differences, clusters) if common else None,
        None if set(differences) <= {0.0} else bootstrap_interval(differences, clusters),
        lost,
        gained,
        both,
        len(common) - both - len(lost) - len(gained),
        mcnemar_exact(len(lost), len(gained)) if common else None,
        wilcoxon_signed_rank(differences),
    )


def with_holm(family: Sequence[Paired]) -> list[Paired]:
    """The same comparisons with `adjusted` filled over those that have a McNemar p-value."""
    from dataclasses import replace

    tested = [i for i, item in enumerate(family) if item.mcnemar is not None]
    adjusted = dict(zip(tested, holm([family[i].mcnemar or 0.0 for i in tested]), strict=True))
    return [replace(item, adjusted=adjusted.get(i)) for i, item in enumerate(family)]
