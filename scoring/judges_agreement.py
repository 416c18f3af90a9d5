"""How well judges agree with people and with one another.

Cohen's and Fleiss' kappa come from statsmodels; Krippendorff's alpha is computed here because it also holds with
missing verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wholepage.errors import MissingExtraError

LABELS: tuple[str, ...] = ("correct", "partial", "wrong")


def _inter_rater() -> Any:
    try:
        from statsmodels.stats import inter_rater
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "statsmodels") from error
    return inter_rater


def cohen_kappa(left: Sequence[str], right: Sequence[str]) -> float | None:
    """Cohen's kappa of two raters on the same items: (p_o - p_e) / (1 - p_e) (Cohen 1960).

    None without items, or when both use one and the same label throughout (p_e = 1: nothing can be said).
    """
    if len(left) != len(right):
        raise ValueError("both raters need a verdict on every item")
    labels = sorted({*left, *right})
    if not left or len(labels) == 1:
        return None
    counts = Counter(zip(left, right, strict=True))
    table = [[counts[a, b] for b in labels] for a in labels]
    return float(_inter_rater().cohens_kappa(table, return_results=False))


def fleiss_kappa(items: Sequence[Sequence[str]]) -> float | None:
    """Fleiss' kappa of several raters; each item has the same number (≥ 2) of verdicts (Fleiss 1971).

    None without items, or when only one label occurs.

    Raises:
        ValueError: items differ in their number of verdicts, or have fewer than two.
    """
    if not items:
        return None
    sizes = {len(item) for item in items}
    if len(sizes) != 1 or min(sizes) < 2:
        raise ValueError("Fleiss' kappa needs the same number of verdicts, at least two, on every item")
    labels = sorted({verdict for item in items for verdict in item})
    if len(labels) == 1:
        return None
    table = [[Counter(item)[label] for label in labels] for item in items]
    return float(_inter_rater().fleiss_kappa(table, method="fleiss"))


def krippendorff_alpha(
    items: Sequence[Sequence[Hashable]], distance: Callable[[Any, Any], float] | None = None
) -> float | None:
    """Krippendorff's alpha = 1 - D_o / D_e over items with any number of verdicts (Krippendorff 2011).

    Args:
        items: verdicts of each item, missing ones simply absent; items with fewer than two are left out.
        distance: squared difference of two values; None is the nominal metric (0 if equal, else 1).

    None when fewer than two values can be paired or all are equal.
    """
    metric = distance or (lambda a, b: float(a != b))
    usable = [list(item) for item in items if len(item) >= 2]
    totals = Counter(value for item in usable for value in item)
    n = sum(totals.values())
    if n < 2 or len(totals) < 2:
        return None
    observed = 0.0
    for item in usable:
        counts = Counter(item)
        pairs = sum(counts[a] * counts[b] * metric(a, b) for a in counts for b in counts)
        observed += pairs / (len(item) - 1)
    observed /= n
    expected = sum(totals[a] * totals[b] * metric(a, b) for a in totals for b in totals) / (n * (n - 1))
    return 1 - observed / expected if expected > 0 else None


def interval_distance(left: float, right: float) -> float:
    """Squared difference, the interval metric of Krippendorff's alpha."""
    return (left - right) ** 2


@dataclass(frozen=True, slots=True)
class RaterReport:
    """One judge (or the panel) against the human label.

    `recall` holds, per human label, the share of its items that got the same verdict (per-label accuracy).
    `missing` counts items without a usable verdict; they are in no figure.
    """

    judge: str
    items: int
    missing: int
    accuracy: float | None
    kappa: float | None
    recall: Mapping[str, float | None]
    confusion: Mapping[str, Mapping[str, int]]


def rate(judge: str, pairs: Sequence[tuple[str, str | None]]) -> RaterReport:
    """Compare (human label, verdict or None) pairs."""
    known = [(human, verdict) for human, verdict in pairs if verdict is not None]
    right = sum(human == verdict for human, verdict in known)
    confusion = {human: dict.fromkeys((*LABELS, "undecided"), 0) for human in LABELS}
    for human, verdict in known:
        confusion[human][verdict] += 1
    recall: dict[str, float | None] = {}
    for label in LABELS:
        total = sum(confusion[label].values())
        recall[label] = confusion[label][label] / total if total else None
    return RaterReport(
        judge,
        len(known),
        len(pairs) - len(known),
        right / len(known) if known else None,
        cohen_kappa([h for h, _ in known], [v for _, v in known]),
        recall,
        confusion,
    )


def majority_label(verdicts: Sequence[str]) -> str | None:
    """The verdict of strictly more than half, `undecided` without one, None without verdicts."""
    if not verdicts:
        return None
    label, count = Counter(verdicts).most_common(1)[0]
    return label if count * 2 > len(verdicts) else "undecided"
