"""What the attempts say about the questions: difficulty, discrimination, trivial and broken items, chance level."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.stats import import_scipy_stats

TRIVIAL = 0.95
BROKEN = 0.05
MAX_OPTIONS = 10  # 2^10 - 1 answers to a multi-select are still enumerated

ItemFlag = Literal["trivial", "broken", "negative"]


@dataclass(frozen=True, slots=True)
class ItemStats:
    """One question over all takers. A taker is one model, mode, budget and epoch.

    `difficulty` is the share of right answers (p-value of item analysis: high means easy). `discrimination` is the
    point-biserial correlation between this item and the share right on the taker's other items; None with fewer than
    three takers or without spread. `flag`: trivial (difficulty ≥ 0.95), broken (≤ 0.05), negative (discrimination < 0).
    """

    question: str
    takers: int
    difficulty: float
    discrimination: float | None
    flag: ItemFlag | None


def point_biserial(binary: Sequence[bool], values: Sequence[float]) -> float | None:
    """Point-biserial correlation of a yes/no item with a value; None below three pairs or without spread."""
    if len(binary) != len(values):
        raise ValueError("both series need the same length")
    spread = max(values, default=0.0) - min(values, default=0.0)
    if len(binary) < 3 or len(set(binary)) < 2 or spread < 1e-12:
        return None
    return float(import_scipy_stats().pointbiserialr(list(binary), list(values)).statistic)


def item_statistics(answers: Mapping[str, Mapping[str, bool]]) -> list[ItemStats]:
    """Statistics per question from taker → question → fully right; sorted by question id.

    The rest score of a taker is the share right on the other questions that this taker answered.
    """
    totals = {taker: (sum(given.values()), len(given)) for taker, given in answers.items()}
    by_question: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for taker, given in answers.items():
        for question, right in given.items():
            by_question[question].append((taker, right))
    result = []
    for question in sorted(by_question):
        binary, rest = [], []
        for taker, right in by_question[question]:
            sum_right, count = totals[taker]
            if count > 1:
                binary.append(right)
                rest.append((sum_right - right) / (count - 1))
        marks = [right for _, right in by_question[question]]
        difficulty = sum(marks) / len(marks)
        discrimination = point_biserial(binary, rest)
        result.append(ItemStats(question, len(marks), difficulty, discrimination, _flag(difficulty, discrimination)))
    return result


def _flag(difficulty: float, discrimination: float | None) -> ItemFlag | None:
    if difficulty >= TRIVIAL:
        return "trivial"
    if difficulty <= BROKEN:
        return "broken"
    return "negative" if discrimination is not None and discrimination < 0 else None


def chance_fraction(
    kind: str, labels: Sequence[str], key: str, fraction_of: Callable[[str], float | None] | None = None
) -> float | None:
    """Expected fraction (0–1) of a taker who picks at random.

    multiple_choice: 1 / options. true_false: 1/2. multi_select: the mean of `fraction_of` over all non-empty
    sets of letters, each as likely. Other types: 0. None when it cannot be known (no options printed, too many).

    Args:
        kind: question type of the contract.
        labels: option labels, e.g. A B C D.
        key: the official letters of a multi-select, sorted.
        fraction_of: marks the letters of one random answer; None applies all-or-nothing.
    """
    if kind == "true_false":
        return 0.5
    if kind == "multiple_choice":
        return 1 / len(labels) if len(labels) > 1 else None
    if kind != "multi_select":
        return 0.0
    if not 1 < len(labels) <= MAX_OPTIONS:
        return None
    marks = []
    for size in range(1, len(labels) + 1):
        for chosen in itertools.combinations(sorted(labels), size):
            letters = "".join(chosen)
            mark = float(letters == key) if fraction_of is None else fraction_of(letters)
            if mark is None:
                return None
            marks.append(mark)
    return math.fsum(marks) / len(marks)


@dataclass(frozen=True, slots=True)
class ChanceLevel:
    """Chance over a paper or set: share of the points, and of the questions; `unknown` questions are left out."""

    points: float | None
    questions: float | None
    known: int
    unknown: int


def chance_level(items: Sequence[tuple[float | None, float | None]]) -> ChanceLevel:
    """Chance level from (expected fraction, points) pairs.

    Questions without an expected fraction are left out of both; those without points only out of the share of points.
    """
    known = [(fraction, points) for fraction, points in items if fraction is not None]
    weighed = [(fraction, points) for fraction, points in known if points is not None and points > 0]
    total = math.fsum(points for _, points in weighed)
    return ChanceLevel(
        math.fsum(f * p for f, p in weighed) / total if total else None,
        math.fsum(f for f, _ in known) / len(known) if known else None,
        len(known),
        len(items) - len(known),
    )
