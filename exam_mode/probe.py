"""Where marks were lost in `image_only`: the question was not found, misread, its figure was lost, or reasoning failed.

The taker is asked in a separate call to copy the question. `attribute` compares the copy with the verified text and
puts the lost marks of the answer under one heading, in this order:

1. `none`: no marks were lost, or nobody decided the answer.
2. `not_found`: the copy says NOT FOUND, is empty, or is another text: similarity below FOUND, and less than COVERED
   of the printed tokens in their order (a copy of the whole page holds the question and is no loss of this kind).
3. `misread`: text similarity below READ_WELL, an option that does not match, or a printed number that is missing.
4. `figure`: the text was read, and the question shows a figure. With the outcome of the same question in
   `text_image` this is checked: full marks there mean that the page's figure was lost, lost marks there that it was
   not the page (`reasoning`). Without it the heading says only that figure and reasoning cannot be told apart.
5. `reasoning`: all was read, and the answer is wrong all the same.

A copy is a second call: a taker may read well there and badly in the answer, so the split is an estimate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from exam_mode.interchange.texts import split_options
from exam_mode.probe_text import numbers, printed_text, tokens, without_heading
from wholepage.records import Option, Question

Kind = Literal["not_found", "misread", "figure", "reasoning", "none"]
LOST_KINDS: tuple[Kind, ...] = ("not_found", "misread", "figure", "reasoning")

# Measured on the samples: another question of the same paper is at most 0.40 similar (628 pairs), the same question in
# another notation at least 0.96 (171 copies). tests/test_exam_probe.py holds both.
FOUND = 0.45
COVERED = 0.80  # short questions have up to 0.65 of their tokens in another, longer one
READ_WELL = 0.90
OPTION_MATCH = 0.90  # the same for a single option, whose numbers must also all be there
_NOT_FOUND = ("not found", "未找到", "找不到", "没有找到")


class Marked(Protocol):
    """What is needed of an outcome: `scoring.outcome.Outcome` and `scoring.scores.Score` both have it."""

    @property
    def fraction(self) -> float | None:
        """Share of the question's marks, 0–1; None when undecided or failed."""
        ...


@dataclass(frozen=True)
class Reading:
    """How well a copy matches the verified text; all values 0–1, 1 where there is nothing to find.

    Attributes:
        similarity: rapidfuzz's normalised Indel similarity (`ratio`) of the token sequences.
        coverage: share of the printed tokens that the copy has in their order.
        options: share of the printed options that match.
        numbers: share of the printed numbers, signs included, that the copy holds.
        missing: printed numbers that it does not hold, and labels of options that do not match.
    """

    similarity: float
    coverage: float
    options: float
    numbers: float
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attribution:
    """Why marks were lost.

    Attributes:
        kind: heading of the loss.
        lost: share of the question's marks that was lost, 0–1; None when undecided.
        reading: how well the question was read.
        evidence: one sentence for people.
    """

    kind: Kind
    lost: float | None
    reading: Reading
    evidence: str


def compare(transcription: str, question: Question) -> Reading:
    """How well `transcription` matches the verified text of `question`. Never raises on any text."""
    from rapidfuzz.distance import Indel, LCSseq

    printed, transcription = without_heading(printed_text(question)), without_heading(transcription)
    wanted, got = tokens(printed), tokens(transcription)
    coverage = LCSseq.similarity(wanted, got) / len(wanted) if wanted else 1.0
    lost_numbers = Counter(numbers(printed)) - Counter(numbers(transcription))
    total = len(numbers(printed))
    unlike = _unlike_options(question.options, transcription)
    shown = [option for option in question.options if tokens(option.text)]
    return Reading(
        similarity=Indel.normalized_similarity(wanted, got) if wanted or got else 1.0,
        coverage=coverage,
        options=1 - len(unlike) / len(shown) if shown else 1.0,
        numbers=1 - lost_numbers.total() / total if total else 1.0,
        missing=(*sorted(lost_numbers), *(f"option {label}" for label in unlike)),
    )


def _unlike_options(options: Sequence[Option], transcription: str) -> list[str]:
    """Labels of printed options that the copy lacks or has differently; options that are figures are left out."""
    from rapidfuzz.distance import Indel

    read = dict(split_options(transcription)[1])
    whole = tokens(transcription)
    unlike = []
    for option in options:
        wanted = tokens(option.text)
        if not wanted:
            continue
        if option.label in read:
            got = tokens(read[option.label])
            same = Indel.normalized_similarity(wanted, got) >= OPTION_MATCH
            found = same and numbers(option.text) == numbers(read[option.label])
        else:  # the labels were not copied, or stand in a way of their own
            found = any(whole[i : i + len(wanted)] == wanted for i in range(len(whole) - len(wanted) + 1))
        if not found:
            unlike.append(option.label)
    return unlike


def attribute(
    transcription: str, question: Question, outcome: Marked, with_figure: Marked | None = None
) -> Attribution:
    """Put the marks lost by one answer under one heading; the module's text gives the rules.

    Args:
        transcription: the taker's copy of the question.
        question: the verified question.
        outcome: the answer given in `image_only`.
        with_figure: the same taker's answer to the same question in `text_image`, if there is one.
    """
    reading = compare(transcription, question)
    if outcome.fraction is None:
        return Attribution("none", None, reading, "Nobody decided the answer.")
    lost = min(1.0, max(0.0, 1.0 - outcome.fraction))
    if lost == 0:
        return Attribution("none", 0.0, reading, "No marks were lost.")
    if not transcription.strip() or _says_not_found(transcription):
        return Attribution("not_found", lost, reading, "The taker says that the question is not on the pages.")
    if reading.similarity < FOUND and reading.coverage < COVERED:
        text = f"The copy is another text: similarity {reading.similarity:.0%}."
        return Attribution("not_found", lost, reading, text)
    if reading.similarity < READ_WELL or reading.options < 1 or reading.numbers < 1:
        return Attribution("misread", lost, reading, _misread(reading))
    return _not_reading(question, lost, reading, with_figure)


def _says_not_found(transcription: str) -> bool:
    text = transcription.strip().strip("*`.。 ").lower()
    return len(text) <= 60 and any(text.startswith(words) or text.endswith(words) for words in _NOT_FOUND)


def _misread(reading: Reading) -> str:
    missing = f"; not found in the copy: {', '.join(reading.missing[:8])}" if reading.missing else ""
    return f"Text similarity {reading.similarity:.0%}{missing}."


def _not_reading(question: Question, lost: float, reading: Reading, with_figure: Marked | None) -> Attribution:
    shows = any(figure.placement != "solution" for figure in question.figures)
    read = f"The text was read ({reading.similarity:.0%})"
    if not shows:
        return Attribution("reasoning", lost, reading, f"{read} and there is no figure.")
    if with_figure is None or with_figure.fraction is None:
        text = f"{read}; the question shows a figure. Without an answer in text_image, reasoning cannot be ruled out."
        return Attribution("figure", lost, reading, text)
    if 1 - with_figure.fraction < lost:
        return Attribution("figure", lost, reading, f"{read}; with the figure cut out the answer was better.")
    return Attribution("reasoning", lost, reading, f"{read}; with the figure cut out the answer was no better.")


@dataclass(frozen=True)
class AttributionRow:
    """One attributed answer for the report; `points` None counts as one point."""

    model: str
    question_id: str
    label: str
    points: float | None
    attribution: Attribution
    printed: str = ""
    transcription: str = ""

    @property
    def marks_lost(self) -> float:
        """Marks that this answer lost; 0 when undecided."""
        return (self.attribution.lost or 0.0) * (1.0 if self.points is None else self.points)


def split_lost(rows: Iterable[AttributionRow]) -> dict[str, dict[Kind, float]]:
    """Lost marks of each model by kind, models in order of appearance; their sum is all that the rows lost."""
    result: dict[str, dict[Kind, float]] = {}
    for row in rows:
        split = result.setdefault(row.model, dict.fromkeys(LOST_KINDS, 0.0))
        if row.attribution.kind != "none":
            split[row.attribution.kind] += row.marks_lost
    return result
