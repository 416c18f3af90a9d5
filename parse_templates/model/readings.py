"""What a model read, as places: the replies of all windows joined, a reading a question and an entry of the key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from parse_templates.model.asking import Answered
from parse_templates.model.lines import Book, Place
from parse_templates.model.ranges import NUMBER, RANGE, Claimed
from parse_templates.model.reply import PartReply, QuestionReply, Span

BRACKETS = {"(": ")", "（": "）", "[": "]", "【": "】"}
FIELDS = ("number", "section", "stem", "options", "parts", "answer", "solution", "points", "figures")


@dataclass
class PartPlaces:
    """A part: its label, text, marks and inner parts."""

    label: Place
    text: list[Place]
    points: Place | None
    parts: list[PartPlaces]


@dataclass
class KeyPlaces:
    """An entry of the key. `stated` is the printed number, `value` the number it is for (one of a range)."""

    stated: Place
    value: int
    answer: list[Place]
    solution: list[Place]
    ranged: bool = False

    @property
    def first(self) -> Place:
        """Where its text begins."""
        return min([*self.answer, *self.solution])


@dataclass
class Reading:
    """A question as a model read it; `refused` says of fields why they are not believed."""

    number: Place
    label: str
    value: int
    section: Place | None = None
    points: Place | None = None
    stem: list[Place] = field(default_factory=list)
    options: list[tuple[Place, list[Place]]] = field(default_factory=list)
    parts: list[PartPlaces] = field(default_factory=list)
    answer: list[Place] = field(default_factory=list)
    solution: list[Place] = field(default_factory=list)
    figures: set[str] = field(default_factory=set)
    key: KeyPlaces | None = None
    refused: dict[str, list[str]] = field(default_factory=dict)
    stop: tuple[int, int] = (0, 0)

    @property
    def begin(self) -> tuple[int, int]:
        """Line and character at which it begins."""
        return (self.number.line, self.number.start)

    def refuse(self, name: str, reason: str) -> None:
        """Note a reason against a field, once."""
        reasons = self.refused.setdefault(name, [])
        if reason not in reasons:
            reasons.append(reason)

    def claims(self) -> Iterator[tuple[str, Place]]:
        """All places of the question itself with their fields, in no order; the section's heading is shared."""
        yield "number", self.number
        if self.points is not None:
            yield "points", self.points
        for name in ("stem", "answer", "solution"):
            yield from ((name, p) for p in getattr(self, name))
        for label, text in self.options:
            yield from (("options", p) for p in (label, *text))
        for part in self.parts:
            yield from (("parts", p) for p in part_claims(part))


def part_claims(part: PartPlaces) -> Iterator[Place]:
    """Places of a part and of those inside it."""
    yield part.label
    if part.points is not None:
        yield part.points
    yield from part.text
    for inner in part.parts:
        yield from part_claims(inner)


def all_parts(parts: Sequence[PartPlaces]) -> list[PartPlaces]:
    """Parts and the parts inside them."""
    return [p for part in parts for p in (part, *all_parts(part.parts))]


def join_questions(answers: Sequence[Answered], book: Book) -> list[Reading]:
    """One reading a printed number, in reading order.

    Windows overlap: of several readings that which no window's end may have cut, else the longest, counts; where two
    uncut ones differ in a field, the field is refused.
    """
    found: dict[tuple[int, int], list[tuple[bool, int, Reading]]] = {}
    for answer in answers:
        last = max((c.reply.number.line for c in answer.questions), default=-1)
        for claimed in answer.questions:
            reading = _reading(claimed, book)
            uncut = answer.window.lines.stop >= len(book.lines) or claimed.reply.number.line < last
            size = sum(p.end - p.start for _, p in reading.claims())
            found.setdefault(reading.begin, []).append((uncut, size, reading))
    out = []
    for begin in sorted(found):
        group = sorted(found[begin], key=lambda item: (item[0], item[1]), reverse=True)
        best = group[0][2]
        for uncut, _, other in group[1:]:
            if uncut and group[0][0]:
                _compare(best, other)
        out.append(best)
    return out


def _compare(best: Reading, other: Reading) -> None:
    for name in FIELDS:
        if name not in ("number", "section", "answer", "solution") and _of(best, name) != _of(other, name):
            best.refuse(name, "overlapping windows were read differently")


def _of(reading: Reading, name: str) -> object:
    return getattr(reading, name)


def _reading(claimed: Claimed, book: Book) -> Reading:
    reply: QuestionReply = claimed.reply
    number = book.place(reply.number)
    match = NUMBER.match(book.text(number))
    assert match is not None  # ranges.py let no other span through
    digits = Place(number.line, number.start + match.start(1), number.start + match.end(2 if match[2] else 1))
    reading = Reading(digits, match[1] + match[2], int(match[1]))
    reading.section = _one(reply.section, book)
    reading.points = _one(reply.points, book)
    reading.stem, reading.answer = book.places(reply.stem), book.places(reply.answer)
    reading.solution = book.places(reply.solution)
    reading.options = [(book.place(o.label), book.places(o.text)) for o in reply.options]
    reading.parts = [_part(p, book) for p in reply.parts]
    reading.figures = set(reply.figures)
    for name, reason in claimed.dropped.items():
        reading.refuse(name, reason)
    return reading


def _one(span: Span | None, book: Book) -> Place | None:
    place = book.place(span) if span is not None else None
    return place if place is not None and place.end > place.start else None


def _part(reply: PartReply, book: Book) -> PartPlaces:
    label = _with_brackets(book.place(reply.label), book)
    return PartPlaces(label, book.places(reply.text), _one(reply.points, book), [_part(p, book) for p in reply.parts])


def _with_brackets(place: Place, book: Book) -> Place:
    """A label with the brackets that stand around it."""
    text = book.lines[place.line].text
    before, after = text[: place.start].rstrip(), text[place.end :].lstrip()
    if before and after and BRACKETS.get(before[-1]) == after[0]:
        return Place(place.line, len(before) - 1, len(text) - len(after) + 1)
    return place


def join_key(answers: Sequence[Answered], book: Book) -> list[KeyPlaces]:
    """Entries of the key in reading order, a range as one entry a number; of several readings the longest counts."""
    found: dict[tuple[int, int, int], KeyPlaces] = {}
    for answer in answers:
        for entry in answer.key:
            stated = book.place(entry.number)
            many = RANGE.match(book.text(stated))
            solution = book.places(entry.solution)
            if many is not None:
                first = int(many[1])
                made = [
                    KeyPlaces(stated, first + i, [p for p in [book.place(s)] if p.end > p.start], [], True)
                    for i, s in enumerate(entry.answer)
                ]
            else:
                number = NUMBER.match(book.text(stated))
                made = [KeyPlaces(stated, int(number[1]), book.places(entry.answer), solution)] if number else []
            for item in made:
                if not item.answer and not item.solution:
                    continue
                spot = (stated.line, stated.start, item.value)
                if spot not in found or _size(item) > _size(found[spot]):
                    found[spot] = item
    return [found[spot] for spot in sorted(found)]


def _size(entry: KeyPlaces) -> int:
    return sum(p.end - p.start for p in (*entry.answer, *entry.solution))


def set_stops(readings: Sequence[Reading], others: Sequence[int], end: int) -> None:
    """Say where each question's space ends: at the next number, or at a line of `others` (headings, other starts)."""
    bounds = sorted({*(r.begin for r in readings), *((line, 0) for line in others), (end, 0)})
    for reading in readings:
        reading.stop = next((b for b in bounds if b > reading.begin), (max(end, reading.number.line + 1), 0))


def plain(text: str) -> str:
    """Text without white space: what two readings are compared by."""
    return re.sub(r"\s+", "", text)
