"""Answers from printed keys: an entry that a model names is believed when the key prints that number with that text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from parse_templates.draft import CHOICE, Draft
from parse_templates.flow import FlowLine, text_of
from parse_templates.keys import KeyEntry
from parse_templates.matching import fitting_drafts
from parse_templates.model.lines import Book, Place
from parse_templates.model.readings import KeyPlaces, Reading, plain, set_stops
from parse_templates.model.verify import KEY_CHECKS, Page, verify
from parse_templates.part_answers import answers_by_parts
from parse_templates.sections import find_headings
from parse_templates.solutions import answers_from, letters
from wholepage.records import Issue

BEFORE_ENTRY = re.compile(r"(?:^|[\s,，;；。.])[第(（【\[]?$")
NO_TEXT = re.compile(r"[\s\W_]*")


def key_readings(entries: Sequence[KeyPlaces], page: Page, known: Sequence[KeyEntry]) -> list[Reading]:
    """Entries as readings with `key` set, refused where the page does not bear them out.

    `known` are the entries that the rules found: a second source.
    """
    readings = [_as_reading(e) for e in entries]
    plain_ones = [r for r in readings if r.key is not None and not r.key.ranged and not _in_table(r.key, page.book)]
    book = page.book
    ids = {id(line): i for i, line in enumerate(book.lines)}
    starts = [ids[id(e.pieces[0].at)] for e in known if e.pieces and id(e.pieces[0].at) in ids]
    numbered = {r.number.line for r in readings}
    others = [h for h, _ in _headings(book)] + [s for s in starts if s not in numbered]
    set_stops(plain_ones, [*others, book.count] if book.count < len(book.lines) else others, len(book.lines))
    verify(plain_ones, page, KEY_CHECKS)
    _doubly_used(readings)
    for reading in readings:
        for name, reason in _entry(reading, page):
            reading.refuse(name, reason)
    return readings


def _as_reading(entry: KeyPlaces) -> Reading:
    reading = Reading(entry.stated, str(entry.value), entry.value, key=entry)
    reading.answer, reading.solution = entry.answer, entry.solution
    return reading


def _in_table(entry: KeyPlaces, book: Book) -> bool:
    return book.lines[entry.stated.line].table is not None


def _doubly_used(readings: Sequence[Reading]) -> None:
    """One printed answer is the answer of one question."""
    spots = sorted((p.line, p.start, p.end, n) for n, r in enumerate(readings) for p in r.answer)
    for (line, _, end, a), (other, start, _, b) in pairwise(spots):
        if line == other and start < end and a != b:
            readings[a].refuse("answer", "two entries took the same text")
            readings[b].refuse("answer", "two entries took the same text")


def _entry(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    entry, book = reading.key, page.book
    assert entry is not None
    names = [n for n in ("answer", "solution") if getattr(entry, n)]
    if not all(book.in_key(p.line) for p in (entry.stated, *entry.answer, *entry.solution)):
        yield from ((n, "it stands in no answer key") for n in names)
    elif _in_table(entry, book):
        if not _same_cells(entry, book):
            yield from ((n, "the table does not print it with that number") for n in names)
    elif entry.ranged:
        if not _ranged(entry, book):
            yield "answer", "the range does not print it for that number"
    elif not _follows(entry, page):
        yield from ((n, "it does not follow that number") for n in names)


def _follows(entry: KeyPlaces, page: Page) -> bool:
    """The number begins an entry, and nothing but marks stands between it and the text."""
    book, first = page.book, entry.first
    if first < entry.stated or not BEFORE_ENTRY.search(book.before(entry.stated)):
        return False
    between = book.between(entry.stated, first)
    for pattern in (*page.template.solutions.answer, *page.template.solutions.solution, *page.template.points.question):
        between = re.sub(pattern, " ", between)
    # A label of a part may be left out before an answer; nothing else may.
    between = re.sub(r"[（(]\s*(?:\d|[a-z]|[ivx]{1,4})\s*[)）]", " ", between)
    return bool(NO_TEXT.fullmatch(re.sub(r"^\s*题", "", between)))


def _ranged(entry: KeyPlaces, book: Book) -> bool:
    """The letters behind a range stand in the order of its numbers."""
    match = re.search(r"(\d+)\D+(\d+)", book.text(entry.stated))
    if match is None or len(entry.answer) != 1:
        return False
    place = entry.answer[0]
    if place.line != entry.stated.line or place.start < entry.stated.end:
        return False
    behind = book.lines[place.line].text[entry.stated.end :]
    run = re.match(r"[\sA-H,，、:：.．]*", behind)
    count = int(match[2]) - int(match[1]) + 1
    groups = list(re.finditer(r"[A-H]+", run.group() if run else ""))
    if len(groups) != count:
        groups = list(re.finditer(r"[A-H]", run.group() if run else ""))
    index = entry.value - int(match[1])
    if len(groups) != count:
        return False
    spot = groups[index].span()
    return (entry.stated.end + spot[0], entry.stated.end + spot[1]) == (place.start, place.end)


def _cell(book: Book, place: Place) -> tuple[int, int]:
    """Row and column of the cell that a place of a table's HTML lies in."""
    before = book.before(place)
    return before.count("<tr"), before.rpartition("<tr")[2].count("<td")


def _same_cells(entry: KeyPlaces, book: Book) -> bool:
    """The answer's cell stands below the number's or right of it, and is taken whole."""
    places = [*entry.answer, *entry.solution]
    if len(places) != 1 or places[0].line != entry.stated.line:
        return False
    text, place = book.lines[entry.stated.line].text, places[0]
    whole = all(text[: p.start].endswith(">") and text[p.end :].startswith("<") for p in (entry.stated, place))
    (row, column), (other_row, other_column) = _cell(book, entry.stated), _cell(book, place)
    table = book.lines[entry.stated.line].table
    assert table is not None
    upright = any(re.fullmatch(r"\d{1,2}", r[column - 1].strip()) for r in table.rows[row:] if column <= len(r))
    below = other_column == column and other_row == row + 1 and not upright
    right = other_row == row and other_column == column + 1
    aside = right and not re.fullmatch(r"\d{1,2}", book.text(place))
    return whole and (below or (aside and not _has_answers_below(table.rows, row)))


def _has_answers_below(rows: Sequence[Sequence[str]], row: int) -> bool:
    """Whether the row is one of numbers: then answers stand below them, not beside."""
    return sum(bool(re.fullmatch(r"\s*\d{1,2}\s*", c)) for c in rows[row - 1]) > 1


def _headings(book: Book) -> list[tuple[int, str]]:
    """Ids and ordinals of the section headings inside the key."""
    template, flow = book.prepared.template, book.prepared
    inside = [(h.line, h.order) for h in find_headings(flow.key_flow, template)]
    return [*inside, *((h.line + book.count, h.order) for h in find_headings(flow.answers, template))]


def section_of(line: int, book: Book) -> str | None:
    """Ordinal of the section heading that a line of the key stands under."""
    before = [order for at, order in _headings(book) if at <= line and (at >= book.count) == (line >= book.count)]
    return before[-1] if before else None


def apply_entries(
    drafts: Sequence[tuple[Reading, Draft]], entries: Sequence[Reading], page: Page, known: Sequence[KeyEntry]
) -> list[Issue]:
    """Give each entry to the question it is for; what fits none is an issue."""
    issues = []
    by_id = {id(d): r for r, d in drafts}
    for entry in entries:
        pieces = page.book.pieces(sorted([*entry.answer, *entry.solution]))
        section = section_of(entry.number.line, page.book)
        keyed = KeyEntry(section, entry.value, text_of(pieces), tuple(pieces), pieces[0].at.page)
        fitting = fitting_drafts([d for _, d in drafts], keyed)
        if len(fitting) == 1:
            reading = by_id[id(fitting[0])]
            _apply(reading, fitting[0], entry, page, known, section)
        elif not entry.refused:
            issues.append(_unmatched(entry, len(fitting), pieces[0].at, page))
    return issues


def _apply(
    reading: Reading, draft: Draft, entry: Reading, page: Page, known: Sequence[KeyEntry], section: str | None
) -> None:
    assert entry.key is not None
    for name, reasons in entry.refused.items():
        for reason in reasons:
            reading.refuse("answer" if name == "number" else name, reason)
    if reading.key is not None:
        reading.refuse("answer", "the key holds its number twice")
        return
    reading.key = entry.key
    given, worked = page.book.pieces(entry.answer), page.book.pieces(entry.solution)
    if given and not draft.answer:
        text = text_of(given)
        if draft.type in CHOICE or draft.options:
            named = letters(text)
            if named:
                draft.answer = [named]
            else:
                reading.refuse("answer", "the key's entry names no option")
        elif answers_by_parts(draft, given, page.template):
            worked = worked or given
        else:
            draft.answer = answers_from(text, False, draft.blanks())
        draft.origin["answer"], draft.answer_pieces = "key", given
        other = next((e for e in known if (e.section, e.number) == (section, entry.value)), None)
        if other is not None and plain(letters(other.text)) and plain(letters(other.text)) != letters(text):
            reading.refuse("answer", "the key reads otherwise for that number")
    draft.solution = [*draft.solution, *worked]


def _unmatched(entry: Reading, fitting: int, line: FlowLine, page: Page) -> Issue:
    why = "fits no question" if not fitting else f"fits {fitting} questions"
    message = f"The key's entry {entry.value} ({page.book.lines[entry.number.line].text[:30]}) {why}."
    own = entry.number.line < page.book.count
    return Issue(code="key.unmatched", field="answer", message=message, page=line.page if own else None)
