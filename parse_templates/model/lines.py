"""The lines of a paper as a model sees them: ids, texts, places where one may want to cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parse_templates.flow import FlowLine, Piece, cut, whole
from parse_templates.model.reply import Span
from parse_templates.parser import Prepared
from parse_templates.template import Template

PUNCTUATION = re.compile(r"[\s.．、:：,，;；)）]*")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Characters `start` to `end` of line `line`: a span that was checked, trimmed and set on whole formulas."""

    line: int
    start: int
    end: int


class Book:
    """All lines of a paper and of its separate key file under running ids, which follow the reading order.

    An id below `count` is the line's index in the flow; key-file lines follow.
    """

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.lines: list[FlowLine] = [*prepared.flow, *prepared.answers]
        self.count = len(prepared.flow)
        start = prepared.structure.key_start
        self.key_start = start if start is not None else self.count

    def in_key(self, line: int) -> bool:
        """Whether the rules found a line to stand in the answer key."""
        return line >= self.key_start

    def place(self, span: Span) -> Place:
        """The span in whole formulas and without white space at its ends."""
        text = self.lines[span.line].text
        start, end = span.start, len(text) if span.end is None else span.end
        for first, last in self._wholes(self.lines[span.line]):
            if first < start < last:
                start = first
            if first < end < last:
                end = last
        inner = text[start:end]
        start += len(inner) - len(inner.lstrip())
        return Place(span.line, start, max(start, end - (len(inner) - len(inner.rstrip()))))

    def places(self, spans: Sequence[Span]) -> list[Place]:
        """Places of several spans in reading order; those that follow on one another in one line are joined."""
        out: list[Place] = []
        for place in sorted(self.place(s) for s in spans):
            if place.end <= place.start:
                continue
            last = out[-1] if out else None
            if last and last.line == place.line and not self.lines[place.line].text[last.end : place.start].strip():
                out[-1] = Place(last.line, last.start, max(last.end, place.end))
            else:
                out.append(place)
        return out

    def _wholes(self, line: FlowLine) -> list[tuple[int, int]]:
        """Stretches of a line that are one thing: a formula; in a table the tags, outside a cell's text."""
        if line.table is not None:
            return [(m.start(), m.end()) for m in re.finditer(r"<[^>]*>", line.text)]
        out, at = [], 0
        for glyph in line.line.glyphs if line.line is not None else ():
            if len(glyph.text) > 1:
                out.append((at, at + len(glyph.text)))
            at += len(glyph.text)
        return out

    def text(self, place: Place) -> str:
        """The characters at a place, as printed."""
        return self.lines[place.line].text[place.start : place.end]

    def piece(self, place: Place) -> Piece:
        """The place as a piece. A table is taken whole, unless the place lies within one of its cells."""
        line = self.lines[place.line]
        if line.table is not None:
            text = self.text(place)
            return Piece(text, line, line.box) if "<" not in text else whole(line)
        return cut(whole(line), place.start, place.end)

    def pieces(self, places: Sequence[Place]) -> list[Piece]:
        """Pieces of several places."""
        return [self.piece(p) for p in places]

    def before(self, place: Place) -> str:
        """What stands on the line before a place."""
        return self.lines[place.line].text[: place.start]

    def between(self, first: Place, second: Place) -> str:
        """All text from the end of one place to the beginning of a later one."""
        if first.line == second.line:
            return self.lines[first.line].text[first.end : second.start]
        middle = [self.lines[i].text for i in range(first.line + 1, second.line)]
        return "\n".join([self.lines[first.line].text[first.end :], *middle, self.before(second)])

    def shown(self, line: int) -> dict[str, Any]:
        """What a model is told of a line."""
        item = self.lines[line]
        told: dict[str, Any] = {"id": line, "page": self._page(line), "column": item.column, "y": round(item.box.y0)}
        if item.table is not None:
            told["table"] = True
        if item.bold:
            told["bold"] = True
        return {**told, "text": item.text, "length": len(item.text), "cuts": self.cuts(line)}

    def _page(self, line: int) -> str:
        number = self.lines[line].page
        return f"key {number}" if line >= self.count else str(number)

    def cuts(self, line: int) -> list[int]:
        """Offsets at which a field may begin or end: around marks of options and parts, points, wide gaps, cells."""
        item = self.lines[line]
        text = item.text
        if item.table is not None:
            return sorted({at for m in re.finditer(r">([^<]+)<", text) for at in (m.start(1), m.end(1))})
        found = {0, len(text)}
        for pattern in self._marks:
            for match in pattern.finditer(text):
                # Behind a mark its own punctuation goes with it.
                tail = PUNCTUATION.match(text, match.end())
                found |= {match.start(), match.end(), tail.end() if tail else match.end()}
        wholes = self._wholes(item)
        return sorted(at for at in found if not any(a < at < b for a, b in wholes))

    @cached_property
    def _marks(self) -> list[re.Pattern[str]]:
        return mark_patterns(self.prepared.template)

    @cached_property
    def figures(self) -> frozenset[str]:
        """Ids of the figures on the paper's pages, as records have them."""
        return frozenset(f"p{p.number}-f{n + 1}" for p in self.prepared.pages for n in range(len(p.figures)))


def mark_patterns(template: Template) -> list[re.Pattern[str]]:
    """Everything a template knows as a mark inside a line."""
    points = template.points
    marks = [
        *(style.pattern for style in template.numbers),
        *template.options,
        *template.parts,
        *points.question,
        *points.end,
        *template.solutions.answer,
        *template.solutions.solution,
        "\u2003+",
    ]
    return [re.compile(p) for p in marks]
