"""Answer keys: tables (题号/答案), lists ("1-5 ABCDA", "9. 6/35"), and worked solutions behind the questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from layout.types import TableRegion
from parse_templates.flow import FlowLine, Piece, cut, whole
from parse_templates.mark_schemes import Path, read_scheme
from parse_templates.numbering import best_chain, find_candidates
from parse_templates.sections import Heading, find_headings
from parse_templates.template import Template

RANGE = re.compile(
    r"(?<!\d)(\d{1,2})\s*[-–—~～―至]\s*(\d{1,2})\s*(?:题)?\s*[:：.．、]?\s*((?:[A-H][\s,，、]*){2,})(?![a-z])"
)
PAIR = re.compile(r"(?<![\d.])(\d{1,2})\s*[.．、:：)）]?\s*([A-H]{1,7})(?![A-Za-z])(?=\s|$|[,，;；、.。\d])")
NAMED = re.compile(
    r"(?i)\bans(?:wer)?s?\s*(?:for|to)?\s*Q(?:uestion)?\s*\.?\s*(\d{1,2})\s*[:.)]?\s*[(\[]?\s*([A-H])\s*[)\]]?"
)


ROW_START = re.compile(r"^\d{1,2}\s*[.．、](?!\d)")
LEAST_BARE = 3  # numbers in a row without a heading


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One entry of a key: `section` is the printed ordinal of the section that it stands under, or None.

    `marked` holds the answers by the labels of parts, where it is an entry of a mark scheme.
    """

    section: str | None
    number: int
    text: str
    pieces: tuple[Piece, ...]
    page: int
    marked: tuple[tuple[Path, str], ...] = ()


def find_key_start(flow: Sequence[FlowLine], template: Template, first_question: int) -> int | None:
    """Flow index of the heading (or else the table) that opens the answer key behind the questions, or None."""
    patterns = [re.compile(p) for p in template.key.headings]
    for line in flow:
        if line.index <= first_question or line.table is not None or len(line.text) > 48:
            continue
        if any(p.match(line.text) for p in patterns):
            return line.index
    tables = [x.index for x in flow if x.index > first_question and x.table and _is_key(x.table, x, template)]
    return tables[0] if tables else None


def _is_key(table: TableRegion, line: FlowLine, template: Template) -> bool:
    """Whether a table can be nothing but a key: data may stand under numbers in a row too."""
    found = _from_table(table, line, template)
    rows = [[re.sub(r"\s+", "", cell) for cell in row] for row in table.rows]
    return bool(found) and (not _bare_rows(rows) or all(re.fullmatch(r"[A-H]{1,5}", text) for _, text, _ in found))


def read_key(flow: Sequence[FlowLine], template: Template) -> list[KeyEntry]:
    """All entries of a key, in printed order. `flow` holds the key's lines only."""
    flow = _rows_as_lines(flow)
    headings = find_headings(flow, template)
    flow = _without_notes(flow, headings, template)
    schemes, used = read_scheme(flow)
    entries = [
        KeyEntry(_section_at(m.pieces[0].at.index, headings), m.number, m.text, m.pieces, m.page, m.answers)
        for m in schemes
    ]
    for line in flow:
        if line.index in used:
            continue
        found = _from_table(line.table, line, template) if line.table else compact_entries(line)
        if found:
            used.add(line.index)
            section = _section_at(line.index, headings)
            entries.extend(KeyEntry(section, n, text, (piece,), line.page) for n, text, piece in found)
    rest = [line for line in flow if line.index not in used]
    entries.extend(_listed(rest, headings, template))
    return sorted(entries, key=lambda e: (e.pieces[0].at.index if e.pieces else 0, e.number))


def _rows_as_lines(flow: Sequence[FlowLine]) -> list[FlowLine]:
    """The flow with tables that only arrange answers side by side, "20.(1) 275 | (2) 17", as lines of text."""
    out: list[FlowLine] = []
    for line in flow:
        rows = [[c.strip() for c in row if c.strip()] for row in line.table.rows] if line.table else []
        if rows and rows[0] and ROW_START.match(rows[0][0]):
            texts = [" ".join(row) for row in rows if row]
            out += [replace(line, text=text, table=None) for text in texts]
        else:
            out.append(line)
    return [replace(line, index=n) for n, line in enumerate(out)] if len(out) != len(flow) else out


def _without_notes(flow: Sequence[FlowLine], headings: Sequence[Heading], template: Template) -> list[FlowLine]:
    """Without furniture, and without notes on marking: from a heading of instructions to the section heading behind it,
    where no entries stand between them."""
    furniture, notes = ([re.compile(p) for p in rules] for rules in (template.furniture, template.instructions))
    out, position = [], 0
    while position < len(flow):
        line = flow[position]
        position += 1
        if line.table is None and any(p.match(line.text) for p in notes):
            stop = next((h.line for h in headings if h.line > line.index), None)
            told = [x for x in flow[position:] if stop is not None and x.index < stop]
            if stop is not None and not any(x.table is not None or compact_entries(x) for x in told):
                position += len(told)
                continue
        if line.table is not None or not any(p.match(line.text) for p in furniture):
            out.append(line)
    return out


def _section_at(index: int, headings: Sequence[Heading]) -> str | None:
    before = [h for h in headings if h.line <= index]
    return before[-1].order if before else None


def _from_table(table: TableRegion, line: FlowLine, template: Template) -> list[tuple[int, str, Piece]]:
    """Numbers and the answers below (or right of) them."""
    is_number = [re.compile(p) for p in template.key.table_numbers]
    is_answer = [re.compile(p) for p in template.key.table_answers]
    rows = [[re.sub(r"\s+", "", cell) for cell in row] for row in table.rows]
    flat = [cell for row in rows for cell in row]
    if bare := _bare_rows(rows):
        return [(n, text, Piece(text, line, line.box)) for n, text in bare]
    if not any(p.match(cell) for p in is_answer for cell in flat):
        return []
    if not any(p.match(cell) for p in is_number for cell in flat):
        return []
    found: list[tuple[int, str, Piece]] = []
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if not re.fullmatch(r"\d{1,2}", cell):
                continue
            below = next((rows[k][c] for k in range(r + 1, len(rows)) if rows[k][c]), "")
            right = row[c + 1] if c + 1 < len(row) else ""
            upright = any(p.match(cell_) for p in is_answer for cell_ in rows[0]) and r > 0
            text = right if upright else below
            if text and not re.fullmatch(r"\d{1,2}", text):
                found.append((int(cell), text, Piece(text, line, line.box)))
    return found


def _bare_rows(rows: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """Numbers that follow one another in a row with the answers below, without words that say so.

    Of answers that are no letters such a table may as well hold data: then all numbers must be above one another's.
    """
    found: list[tuple[int, str]] = []
    for upper, lower in pairwise(rows):
        cells = [c for c in upper if c]
        if len(cells) < LEAST_BARE or not all(re.fullmatch(r"\d{1,2}", c) for c in cells):
            continue
        numbers = [int(c) for c in cells]
        below = [b for c, b in zip(upper, lower, strict=True) if c]
        if all(b - a == 1 for a, b in pairwise(numbers)) and all(below):
            found += zip(numbers, below, strict=True)
    letters = all(re.fullmatch(r"[A-H]{1,5}", text) for _, text in found)
    return found if letters or 2 * len(found) == sum(bool(c) for row in rows for c in row) else []


def compact_entries(line: FlowLine) -> list[tuple[int, str, Piece]]:
    """Entries of a line such as "1-5 ABCDA 6-10 …" or "1.A 2.B 3.C"."""
    found: list[tuple[int, str, Piece]] = []
    for match in RANGE.finditer(line.text):
        first, last = int(match[1]), int(match[2])
        names = re.findall(r"[A-H]", match[3])
        groups = re.findall(r"[A-H]+", match[3])
        if len(groups) == last - first + 1:
            names = groups
        if first < last and len(names) == last - first + 1:
            piece = cut(whole(line), match.start(), match.end())
            found.extend((first + i, name, replace(piece, text=name)) for i, name in enumerate(names))
    found += [
        (int(m[1]), m[2], replace(cut(whole(line), m.start(), m.end()), text=m[2])) for m in NAMED.finditer(line.text)
    ]
    if found:
        return found
    pairs = list(PAIR.finditer(line.text))
    numbers = [int(m[1]) for m in pairs]
    if len(pairs) >= 2 and all(b - a == 1 for a, b in pairwise(numbers)):
        return [(int(m[1]), m[2], replace(cut(whole(line), m.start(), m.end()), text=m[2])) for m in pairs]
    return []


def _listed(rest: Sequence[FlowLine], headings: Sequence[Heading], template: Template) -> list[KeyEntry]:
    """Entries that begin with their number at the start of a line and run to the next."""
    chain = best_chain(find_candidates(rest, template, set()), [h.line for h in headings])
    stops = sorted({c.line for c in chain} | {h.line for h in headings})
    entries = []
    for candidate in chain:
        end = next((s for s in stops if s > candidate.line), None)
        lines = [x for x in rest if x.index >= candidate.line and (end is None or x.index < end)]
        pieces = [cut(whole(lines[0]), candidate.end), *(whole(x) for x in lines[1:])]
        pieces = [p for p in pieces if p.text.strip()]
        text = " ".join(p.text for p in pieces)
        section = _section_at(candidate.line, headings)
        entries.append(KeyEntry(section, candidate.number, text, tuple(pieces), lines[0].page))
    return entries
