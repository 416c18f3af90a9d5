"""Tables that are no data but a way to lay out a page: frames around questions, grids of options. Their text is read
as lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from layout.rows import group_rows, row_line
from layout.segments import Segment
from layout.types import Line, PageLayout, TableRegion

OPTION = re.compile(r"^\s*[(（\[]?\s*([A-Ha-h])\s*[)）.．、\]]")
NUMBER = re.compile(r"^\s*(\d{1,2})\s*[.．、)](?!\d)")
PARTS = re.compile(r"[(（]\s*1\s*[)）].*[(（]\s*2\s*[)）]", re.S)
MIN_OPTIONS = 3
MIN_NUMBERS = 2
LONG = 400  # characters of one cell: no table of data holds so much
MIN_FILL = 0.6  # of a frame's cells are texts, not numbers


def unfold_tables(page: PageLayout) -> PageLayout:
    """The page with the text of frames and option grids as body lines, and without those tables."""
    unfolded = {i for i, t in enumerate(page.tables) if is_frame(t) or _is_option_grid(t) or _holds_others(t, page)}
    if not unfolded:
        return page
    lines = [line for line in page.lines if not (line.role == "table" and line.table in unfolded)]
    for column in sorted({page.tables[i].column for i in unfolded}):
        inside = {i for i in unfolded if page.tables[i].column == column}
        segments = [_segment(x) for x in page.lines if x.role == "table" and x.table in inside and x.text.strip()]
        lines.extend(row_line(row, column) for row in group_rows(segments))
    renumber = {old: new for new, old in enumerate(i for i in range(len(page.tables)) if i not in unfolded)}
    return replace(
        page,
        lines=tuple(x if x.table is None else replace(x, table=renumber.get(x.table)) for x in lines),
        tables=tuple(t for i, t in enumerate(page.tables) if i not in unfolded),
    )


def is_frame(table: TableRegion) -> bool:
    """Whether a table is a frame around running text: questions by number, parts of one, or a very long passage."""
    cells = [cell for row in table.rows for cell in row if cell.strip()]
    numbers = [int(m[1]) for cell in cells if len(cell) > 3 and (m := NUMBER.match(cell))]
    numbered = len(numbers) >= MIN_NUMBERS and all(a < b for a, b in pairwise(numbers))
    worded = sum(len(cell) > 20 for cell in cells) >= MIN_FILL * len(numbers)
    if numbered and worded:
        return True
    return any(len(cell) > LONG for cell in cells) or any(PARTS.search(cell) for cell in cells)


def _is_option_grid(table: TableRegion) -> bool:
    """Whether the cells are options: a) b) c) d) in order of rows or of columns, and nothing else."""
    cells = [cell for row in table.rows for cell in row if cell.strip()]
    marks = [m[1].upper() for cell in cells if (m := OPTION.match(cell))]
    expected = [chr(ord("A") + i) for i in range(len(marks))]
    return len(marks) >= MIN_OPTIONS and sorted(marks) == expected and len(marks) >= len(cells) - 1


def _holds_others(table: TableRegion, page: PageLayout) -> bool:
    inner = [t for t in page.tables if t is not table and t.box.covered_by(table.box) > 0.9]
    return bool(inner) and table.box.height > 0.4 * page.height


def _segment(line: Line) -> Segment:
    sizes = [g.size for g in line.glyphs if g.size > 0]
    em = median(sizes) if sizes else line.box.height
    return Segment(line.glyphs, line.box, em, line.confidence, line.origin, line.bold)


def unfold_all(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """`unfold_tables` for all pages."""
    return [unfold_tables(page) for page in pages]
