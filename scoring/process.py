"""Formulas of the two process protocols: from critics' findings to points.

LiveK12Bench (arXiv 2605.26781): three kinds of error, x_k = 1 when more than half of the readable critics found
a root error of the kind. K12Vista (arXiv 2506.01676): steps with one of nine labels, score = correct / all.
Critics that cannot be read take no part; without any, there is no process score (`None`), never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scoring.profiles import ProcessRules

ErrorKind = Literal["CIE", "LAE", "DRE"]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
ERROR_KIND_NAMES: Mapping[str, str] = {
    "CIE": "condition interpretation",
    "LAE": "logical assumption",
    "DRE": "deductive reasoning",
}
StepLabel = Literal[
    "correct",
    "image_cognition",
    "question_misunderstanding",
    "lack_of_knowledge",
    "knowledge_application",
    "logical_reasoning",
    "hallucination",
    "calculation",
    "incomplete_answer",
]
STEP_LABELS: tuple[StepLabel, ...] = get_args(StepLabel)


@dataclass(frozen=True, slots=True)
class RootError:
    """One error that no earlier error caused."""

    kind: ErrorKind
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a response. A step that only carries an earlier error on counts as correct."""

    description: str
    label: StepLabel
    reason: str


@dataclass(frozen=True, slots=True)
class KindVote:
    """Result of the critics' vote: kinds present, and the number of root errors that a majority confirms."""

    present: tuple[ErrorKind, ...]
    errors: int
    critics: int
    votes: Mapping[str, int]


def vote_kinds(findings: Sequence[Sequence[RootError]]) -> KindVote | None:
    """Majority vote over the readable critics, one sequence of root errors each.

    A kind is present when strictly more than half of the critics found it (a tie is not a majority). `errors` is
    the largest n such that strictly more than half of the critics found at least n root errors. None without critics.
    """
    critics = len(findings)
    if critics == 0:
        return None
    votes = Counter(kind for errors in findings for kind in {error.kind for error in errors})
    present = tuple(kind for kind in ERROR_KINDS if votes[kind] * 2 > critics)
    counts = sorted((len(errors) for errors in findings), reverse=True)
    return KindVote(present, counts[critics // 2], critics, {kind: votes[kind] for kind in ERROR_KINDS})


def process_points(value: float, vote: KindVote, rules: ProcessRules) -> float:
    """P of a question worth `value` points.

    per_kind: max(0, V - tau * number of kinds present) (arXiv 2605.26781). any_error: V, or 0 with any error
    (public code).
    """
    if rules.penalty == "any_error":
        return 0.0 if vote.errors else value
    return max(0.0, value - rules.tau * len(vote.present))


def question_exam_score(value: float, outcome: float, process: float, errors: int, rules: ProcessRules) -> float:
    """ES = w_p * P * (O / V) + (1 - w_p) * O, with O set to 0 by `any_error` when there is more than one error."""
    counted = 0.0 if rules.penalty == "any_error" and errors > 1 else outcome
    return rules.w_p * process * (outcome / value) + (1 - rules.w_p) * counted


@dataclass(frozen=True, slots=True)
class ExamItem:
    """One marked question: points V, share of right sub-questions (0–1), critics' vote (None: not criticised)."""

    value: float
    fraction: float
    vote: KindVote | None = None


@dataclass(frozen=True, slots=True)
class ExamScores:
    """OCS, PES and OES on the 0–100 scale, each with the number of questions behind it.

    OCS covers all marked questions; PES and OES only those that critics read, so `ocs_criticised` gives OCS on
    the same questions for comparison. None where nothing was counted.
    """

    ocs: float | None
    pes: float | None
    oes: float | None
    ocs_criticised: float | None
    questions: int
    criticised: int


def exam_scores(items: Iterable[ExamItem], rules: ProcessRules) -> ExamScores:
    """OCS = 100 ΣO/ΣV, PES = 100 Σ(P·O/V)/ΣV, OES = 100 ΣES/ΣV (arXiv 2605.26781).

    Raises:
        ValueError: a question is worth no points or its fraction is outside 0–1.
    """
    total = outcome = seen_total = seen_outcome = process = overall = 0.0
    questions = criticised = 0
    for item in items:
        if item.value <= 0 or not 0 <= item.fraction <= 1:
            raise ValueError(f"points must be above 0 and the fraction within 0–1, got {item.value}, {item.fraction}")
        points = item.value * item.fraction
        questions += 1
        total += item.value
        outcome += points
        if item.vote is None or rules.protocol != "livek12":
            continue
        p = process_points(item.value, item.vote, rules)
        criticised += 1
        seen_total += item.value
        seen_outcome += points
        process += p * points / item.value
        overall += question_exam_score(item.value, points, p, item.vote.errors, rules)
    return ExamScores(
        _percent(outcome, total),
        _percent(process, seen_total),
        _percent(overall, seen_total),
        _percent(seen_outcome, seen_total),
        questions,
        criticised,
    )


def _percent(part: float, whole: float) -> float | None:
    return 100.0 * part / whole if whole > 0 else None


def step_score(findings: Sequence[Sequence[Step]]) -> float | None:
    """K12Vista's process score N_correct / M; with several critics the mean of their scores. None without critics.

    Raises:
        ValueError: a critic lists no step at all.
    """
    if not findings:
        return None
    if any(not steps for steps in findings):
        raise ValueError("a critic without steps has no score")
    return sum(sum(s.label == "correct" for s in steps) / len(steps) for steps in findings) / len(findings)


def label_shares(findings: Sequence[Sequence[Step]]) -> dict[str, float]:
    """Share of steps with each label, the mean over critics; empty without critics."""
    if not findings:
        return {}
    return {
        label: sum(sum(s.label == label for s in steps) / len(steps) for steps in findings) / len(findings)
        for label in STEP_LABELS
    }


def direct_score(fractions: Sequence[float]) -> float | None:
    """K12Vista's direct score of one question: the mean over its sub-answers (0–1). None without sub-answers."""
    return sum(fractions) / len(fractions) if fractions else None
