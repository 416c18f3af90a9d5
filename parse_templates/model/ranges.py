"""What no schema can say of a reply: that its spans lie on lines that were shown, and that numbers are numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from parse_templates.model.lines import Book
from parse_templates.model.reply import (
    MAX_DEPTH,
    CorrectionReply,
    KeyReply,
    QuestionReply,
    Reply,
    Span,
    part_depth,
    question_spans,
)

NUMBER = re.compile(r"^\D{0,12}(\d{1,3})\s*([a-z]?)\D{0,6}$")
RANGE = re.compile(r"^\D{0,12}(\d{1,3})\s*[-–—~～―至]\s*(\d{1,3})\D{0,6}$")


@dataclass(frozen=True)
class Claimed:
    """A question of a reply whose spans are all in range; `dropped` says of fields why they were left out."""

    reply: QuestionReply
    dropped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Usable:
    """What of a reply can be used, and all that is wrong with it, in words for the model."""

    questions: list[Claimed]
    key: list[KeyReply]
    corrections: list[CorrectionReply]
    errors: list[str]


def check_ranges(reply: Reply, book: Book, lines: range) -> Usable:
    """Check all ids and spans of a reply for the window `lines`."""
    errors: list[str] = []
    questions: list[Claimed] = []
    taken: dict[tuple[int, int], int] = {}
    for index, question in enumerate(reply.questions):
        claimed, wrong = _question(question, book, lines)
        errors += [f"questions[{index}].{w}" for w in wrong]
        if claimed is None:
            continue
        spot = (claimed.reply.number.line, claimed.reply.number.start)
        if spot in taken:
            errors.append(f"questions[{index}].number: the same place as questions[{taken[spot]}].number")
            continue
        taken[spot] = index
        questions.append(claimed)
    key = []
    for index, entry in enumerate(reply.key):
        wrong = list(_key(entry, book, lines))
        errors += [f"key[{index}].{w}" for w in wrong]
        if not wrong:
            key.append(entry)
    corrections = []
    for index, correction in enumerate(reply.corrections):
        problem = _span(correction.span, book, lines)
        if problem is None and _text(book, correction.span) != correction.from_:
            problem = "`from` is not what the span reads"
        if problem:
            errors.append(f"corrections[{index}].span: {problem}")
        else:
            corrections.append(correction)
    return Usable(questions, key, corrections, errors)


def _question(question: QuestionReply, book: Book, lines: range) -> tuple[Claimed | None, list[str]]:
    wrong: dict[str, str] = {}
    for name, span in question_spans(question):
        problem = _span(span, book, lines)
        if problem:
            wrong.setdefault(name, problem)
    if "number" not in wrong and not NUMBER.match(book.text(book.place(question.number))):
        wrong["number"] = "the span reads no question number"
    unknown = set(question.figures) - book.figures
    if unknown:
        wrong["figures"] = "ids that are not among `figures`"
    if part_depth(question.parts) > MAX_DEPTH:
        wrong["parts"] = f"parts are nested deeper than {MAX_DEPTH}"
    said = [f"{name}: {problem}" for name, problem in wrong.items()]
    if "number" in wrong:
        return None, said
    empty: dict[str, Any] = {name: None if name in ("section", "points") else [] for name in wrong}
    if unknown:
        empty["figures"] = [f for f in question.figures if f not in unknown]
    return Claimed(question.model_copy(update=empty), dict(wrong)), said


def _key(entry: KeyReply, book: Book, lines: range) -> Iterator[str]:
    for name, spans in (("number", [entry.number]), ("answer", entry.answer), ("solution", entry.solution)):
        problem = next((p for s in spans if (p := _span(s, book, lines))), None)
        if problem:
            yield f"{name}: {problem}"
            return
    text = book.text(book.place(entry.number))
    many = RANGE.match(text)
    if many is None and not NUMBER.match(text):
        yield "number: the span reads no number"
    elif many is not None and len(entry.answer) != int(many[2]) - int(many[1]) + 1:
        yield f"answer: the range {many[1]}-{many[2]} needs one span for each of its numbers"
    elif not entry.answer and not entry.solution:
        yield "answer: an entry needs an answer or a solution"


def _span(span: Span, book: Book, lines: range) -> str | None:
    if span.line not in lines:
        return f"line {span.line} is not among the lines {lines.start} to {lines.stop - 1}"
    length = len(book.lines[span.line].text)
    end = length if span.end is None else span.end
    if end > length:
        return f"line {span.line} has {length} characters, not {end}"
    if span.start >= end:
        return f"the span {span.start} to {end} of line {span.line} is empty"
    return None


def _text(book: Book, span: Span) -> str:
    return book.lines[span.line].text[span.start : span.end]


__all__ = ["NUMBER", "RANGE", "Claimed", "Usable", "check_ranges"]
