"""Whether a reading takes all text of its question, and whole texts: nothing beside them, no holes, no cut ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parse_templates.captions import is_caption
from parse_templates.formulas import FORMULA
from parse_templates.model.lines import Book, Place
from parse_templates.model.readings import Reading, all_parts
from parse_templates.sections import Section
from parse_templates.template import Template

WORDS_OF_MARKS = re.compile(r"本小?题|满分|共|分|marks?|points?|total|for question|\[|\]", re.I)
TEXT = re.compile(r"[^\W_]|\$|_{2,}|[（(]\s*[)）]")
END_SIGNS = re.compile(r"^[。．.；;，,！？!?、：:）)】\]”’]+$")
PAIRS = (("(", ")"), ("（", "）"), ("[", "]"), ("【", "】"), ("“", "”"))


@dataclass(frozen=True)
class Page:
    """What the checks look at besides the reading itself."""

    book: Book
    template: Template
    sections: Sequence[tuple[int, Section]]
    starts: frozenset[int]


def whole_texts(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """A text ends behind its last sign, has no holes, and its brackets are in pairs."""
    starts = {(p.line, p.start) for _, p in reading.claims()}
    for name, places in _texts(reading):
        for first, second in pairwise(places):
            hole = page.book.between(first, second) if first.line == second.line else ""
            if hole.strip() and not _only_marks(first, second, page):
                yield name, "a hole is in it"
        for place in places:
            line = page.book.lines[place.line]
            behind = min((s for n, s in starts if n == place.line and s >= place.end), default=len(line.text))
            rest = line.text[place.end : behind].strip().rstrip("(（[【").rstrip()
            if rest and line.table is None and END_SIGNS.match(rest):
                yield name, "its last sign was left out"
        text = FORMULA.sub(" ", "".join(page.book.text(p) for p in places if page.book.lines[p.line].table is None))
        if name != "parts" and any(text.count(a) != text.count(b) for a, b in PAIRS):
            yield name, "its brackets are not in pairs"


def _only_marks(first: Place, second: Place, page: Page) -> bool:
    text = page.book.lines[first.line].text
    rules = page.template.points
    found = (m.span() for p in (*rules.question, *rules.end) for m in re.finditer(p, text))
    return any(a >= first.end and b <= second.start for a, b in found)


def _texts(reading: Reading) -> Iterator[tuple[str, list[Place]]]:
    """The fields of running text, each option and part by itself."""
    yield from (("stem", reading.stem), ("answer", reading.answer), ("solution", reading.solution))
    yield from (("options", text) for _, text in reading.options)
    yield from (("parts", part.text) for part in all_parts(reading.parts))


def left_over(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """Text in the question's space that no field took."""
    taken = sorted((place, name) for name, place in reading.claims())
    for index in range(reading.number.line, reading.stop[0] + (reading.stop[1] > 0)):
        line = page.book.lines[index]
        text, spans = line.text, [p for p, _ in taken if p.line == index]
        if not spans and (line.table is None and _furniture(text, page.template)):
            continue
        at = reading.number.start if index == reading.number.line else 0
        end = reading.stop[1] if index == reading.stop[0] else len(text)
        for place in [*spans, Place(index, end, end)]:
            if place.start > at and _is_text(text, at, place.start, page.template):
                yield from ((name, "text beside it was left out") for name in _beside((index, at), taken))
            at = max(at, place.end)


def _beside(spot: tuple[int, int], taken: Sequence[tuple[Place, str]]) -> set[str]:
    """Fields before and behind a place; what follows the number or the marks belongs to the stem."""
    before = [name for place, name in taken if (place.line, place.start) < spot]
    behind = [name for place, name in taken if (place.line, place.start) >= spot]
    own = {"number": "stem", "points": "stem"}
    return {own.get(n, n) for n in (*before[-1:], *behind[:1])}


def _is_text(text: str, start: int, end: int, template: Template) -> bool:
    """Whether more than marks, labels' punctuation and furniture stands between two offsets."""
    rest = text[start:end]
    marks = [*template.solutions.answer, *template.solutions.solution, *template.points.question, *template.points.end]
    for pattern in filter(None, (*marks, template.closes, template.label)):
        for match in re.finditer(pattern, text):
            a, b = max(match.start(), start), min(match.end(), end)
            if a < b and not (pattern in marks and match.end() - match.start() > 40):
                rest = rest[: a - start] + " " * (b - a) + rest[b - start :]
    if template.alternatives and re.match(template.alternatives, text):
        return False
    if start == 0:
        rest = re.sub(r"^\s*(?:第|Q(?:uestion)?\.?)\s*", "", rest, flags=re.I)
    rest = re.sub(r"^\s*题", "", rest)
    return bool(TEXT.search(WORDS_OF_MARKS.sub(" ", rest)))


def _furniture(text: str, template: Template) -> bool:
    return (
        any(re.match(p, text) for p in template.furniture)
        or is_caption(text, template)
        or bool(template.closes and re.search(template.closes, text))
    )
