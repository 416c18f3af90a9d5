"""Efficiency: accuracy weighted by length, accuracy under a token budget, tokens and money per correct answer.

Lengths are generated tokens, reasoning included. An unknown length (None) is never guessed: such attempts are left
out of the figure and counted in `unknown`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with the number of attempts behind it and the number left out for want of data."""

    value: float | None
    known: int
    unknown: int


@dataclass(frozen=True, slots=True)
class LengthItem:
    """Score S (0–1) and length in tokens of one attempt; `reference` is L in tokens for this attempt."""

    score: float
    length: int | None
    reference: float | None


def arl(items: Iterable[LengthItem], factor: float) -> Figure:
    """Accuracy reweighted by length: mean S (1 + factor ln(L / length)) (arXiv 2605.26781: factor 0.15, L 4096).

    Attempts whose length is unknown or 0, or that have no reference, are left out and counted.
    """
    terms: list[float] = []
    unknown = 0
    for item in items:
        if item.length is None or item.length <= 0 or item.reference is None or item.reference <= 0:
            unknown += 1
        else:
            terms.append(item.score * (1 + factor * math.log(item.reference / item.length)))
    return Figure(math.fsum(terms) / len(terms) if terms else None, len(terms), unknown)


def mean_lengths(lengths: Iterable[tuple[str, int | None]]) -> dict[str, float]:
    """Mean known length per question over all models that answered it: the reference of `mean_of_models`."""
    groups: dict[str, list[int]] = defaultdict(list)
    for question, length in lengths:
        if length is not None and length > 0:
            groups[question].append(length)
    return {question: sum(values) / len(values) for question, values in groups.items()}


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """Accuracy (0–1) at a budget of `tokens`; `post_hoc` marks an estimate from runs that were not capped."""

    tokens: int
    accuracy: float | None
    known: int
    unknown: int
    post_hoc: bool


def capped_accuracy(items: Iterable[tuple[float | None, int]]) -> list[BudgetPoint]:
    """Acc≤r from (score, enforced cap) pairs of runs that were really capped, one point a cap.

    An undecided answer (score None) is left out and counted in `unknown`.
    """
    groups: dict[int, list[float]] = defaultdict(list)
    unknown: Counter[int] = Counter()
    for score, cap in items:
        if score is None:
            unknown[cap] += 1
        else:
            groups[cap].append(score)
    return [BudgetPoint(cap, math.fsum(g) / len(g), len(g), unknown[cap], False) for cap, g in sorted(groups.items())]


def post_hoc_accuracy(items: Sequence[tuple[float, int | None]], budgets: Iterable[int]) -> list[BudgetPoint]:
    """Acc≤r estimated from uncapped (score, length) pairs: mean of score where length ≤ r, else 0.

    Only an estimate, since a model that knows its cap may write less: always marked post hoc.
    """
    known = [(score, length) for score, length in items if length is not None]
    unknown = len(items) - len(known)
    points = []
    for budget in sorted(set(budgets)):
        value = math.fsum(s for s, length in known if length <= budget) / len(known) if known else None
        points.append(BudgetPoint(budget, value, len(known), unknown, True))
    return points


def per_correct(items: Iterable[tuple[bool, float | None]]) -> Figure:
    """Quantity (tokens or money) per correct answer: sum over all known attempts / correct ones among them.

    The value is None when no known attempt is correct.
    """
    total, right, known, unknown = 0.0, 0, 0, 0
    for correct, quantity in items:
        if quantity is None:
            unknown += 1
            continue
        known += 1
        total += quantity
        right += correct
    return Figure(total / right if right else None, known, unknown)


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens; `cached_input` is the price of input that came from a cache."""

    input: float
    output: float
    cached_input: float | None = None
    currency: str = "USD"


def price_of(price: Price, input_tokens: int | None, generated: int | None, cached: int | None) -> float | None:
    """Money for one call; None when a count that the price needs is unknown.

    With a cache price, an unknown cached count makes the price unknown too.
    """
    if input_tokens is None or generated is None:
        return None
    if price.cached_input is None:
        return (input_tokens * price.input + generated * price.output) / 1e6
    if cached is None or cached > input_tokens:
        return None
    fresh = input_tokens - cached
    return (fresh * price.input + cached * price.cached_input + generated * price.output) / 1e6
