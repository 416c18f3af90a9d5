"""The outcome of one answer by rules alone: correct, partial, wrong, or undecided (a judge's matter)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["correct", "partial", "wrong", "undecided"]
MultiSelectPolicy = Literal["all_or_nothing", "subset_half", "per_option", "paper"]


@dataclass(frozen=True)
class Gold:
    """The official answer.

    Attributes:
        type: question type as in paper.json (`multiple_choice`, `multi_select`, `true_false`, `fill_in_blank`, ...).
        answer: one entry a blank or part, as the key prints it.
        options: option label to option text, for choice questions.
        policy: how a multi-select that is not fully right earns marks; `paper` reads the rule from `question`.
        points: points of the question, used by the `paper` policy.
        question: text of the question (and its section's rule); may be empty.
        subject: subject of the paper as its metadata name it (`English`, `物理`, ...); may be empty.
    """

    type: str
    answer: tuple[str, ...]
    options: dict[str, str] | None = None
    policy: MultiSelectPolicy = "subset_half"
    points: float | None = None
    question: str = ""
    subject: str = ""


@dataclass(frozen=True)
class PartVerdict:
    """The verdict on one blank or part; `fraction` is 0–1 (0 when undecided)."""

    verdict: Verdict
    fraction: float
    extracted: str
    where: str
    rule: str
    reason: str


@dataclass(frozen=True)
class Outcome:
    """The verdict on a whole response; `fraction` is 0–1, or None when undecided."""

    verdict: Verdict
    fraction: float | None
    parts: tuple[PartVerdict, ...]
    extracted: tuple[str, ...]
    rule: str
    reason: str


def mark(gold: Gold, response: str) -> Outcome:
    """Mark `response` against `gold` by rules alone.

    Thread-safe and deterministic. Size and nesting of what is read are limited, so that no text takes long; what
    exceeds the limits is undecided or wrong. Never raises on any text.
    """
    from scoring.outcome_mark import mark_response

    return mark_response(gold, response)
