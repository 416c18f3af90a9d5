"""Ruled tables: groups of crossing rules, their grid, merged cells, and the text in each cell."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layout.ink import Mask, Rules
from layout.rows import join_rows
from layout.segments import Segment, segment_of
from layout.types import TableRegion
from wholepage.boxes import Box

TOUCH_EM = 0.35  # rules closer than this touch
MIN_CELL_EM = 0.6
LINE_SHARE = 0.7  # of a cell's side that must be inked for a border to stand there
MIN_TEXT_CELLS = 0.3  # share of cells with text; a figure drawn on a grid has fewer


@dataclass(frozen=True)
class Grid:
    """Grid lines of one table: `xs` and `ys` ascending pixel positions."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    @property
    def box(self) -> Box:
        """Outer border."""
        return Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])


def find_grids(rules: Rules, em: float) -> list[Grid]:
    """Grids with at least two rows or columns whose outer border is drawn on three sides or more."""
    lines = [(b, False) for b in rules.horizontal] + [(b, True) for b in rules.vertical]
    grids = []
    for group in _touching(lines, TOUCH_EM * em):
        ys = _cluster([b.cy for b, vertical in group if not vertical], MIN_CELL_EM * em)
        xs = _cluster([b.cx for b, vertical in group if vertical], MIN_CELL_EM * em)
        if len(xs) < 2 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) < 3:
            continue
        hull = Box.hull(b for b, _ in group)
        if hull.width < 4 * em or hull.height < 1.5 * em:
            continue
        level = [b for b, vertical in group if not vertical]
        if _drawn_width(level, ys[0], em) < 0.8 * hull.width or _drawn_width(level, ys[-1], em) < 0.8 * hull.width:
            continue
        xs = [hull.x0, *xs] if xs[0] - hull.x0 > MIN_CELL_EM * em else xs
        xs = [*xs, hull.x1] if hull.x1 - xs[-1] > MIN_CELL_EM * em else xs
        grids.append(Grid(tuple(xs), tuple(ys)))
    return [g for g in grids if not any(g is not o and g.box.covered_by(o.box) > 0.9 for o in grids)]


def _drawn_width(lines: Sequence[Box], y: float, em: float) -> float:
    return sum(b.width for b in lines if abs(b.cy - y) < 0.5 * em)


def _touching(lines: list[tuple[Box, bool]], reach: float) -> list[list[tuple[Box, bool]]]:
    """Connected groups of horizontal and vertical lines that touch each other."""
    parent = list(range(len(lines)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, (a, a_vertical) in enumerate(lines):
        grown = a.grow(reach)
        for j in range(i + 1, len(lines)):
            b, b_vertical = lines[j]
            if a_vertical != b_vertical and grown.intersection(b.grow(0.5)):
                parent[root(i)] = root(j)
    groups: dict[int, list[tuple[Box, bool]]] = {}
    for i, line in enumerate(lines):
        groups.setdefault(root(i), []).append(line)
    return [g for g in groups.values() if len(g) >= 4]


def _cluster(values: Sequence[float], reach: float) -> list[float]:
    out: list[list[float]] = []
    for value in sorted(values):
        if out and value - out[-1][-1] < reach:
            out[-1].append(value)
        else:
            out.append([value])
    return [float(np.mean(group)) for group in out]


def read_table(grid: Grid, mask: Mask, segments: Sequence[Segment], em: float) -> TableRegion | None:
    """HTML of the table with spans, or None when the grid holds too little text to be a table.

    `segments` are those inside the grid; one that runs through several cells is cut at the grid lines.
    """
    pieces = [piece for segment in segments for piece in _cut(segment, grid)]
    cells = _merge_cells(grid, mask)
    texts: dict[tuple[int, int, int, int], str] = {}
    for cell in cells:
        r0, c0, r1, c1 = cell
        area = Box(grid.xs[c0], grid.ys[r0], grid.xs[c1 + 1], grid.ys[r1 + 1])
        inside = [p for p in pieces if area.holds(p.box.cx, p.box.cy)]
        texts[cell] = join_rows(inside, em)
    if sum(bool(t) for t in texts.values()) < max(2, MIN_TEXT_CELLS * len(cells)):
        return None
    rows: list[list[str]] = [[""] * (len(grid.xs) - 1) for _ in range(len(grid.ys) - 1)]
    for (r0, c0, _, _), text in texts.items():
        rows[r0][c0] = text
    return TableRegion(grid.box, _html(texts, len(rows)), tuple(tuple(row) for row in rows))


def _cut(segment: Segment, grid: Grid) -> list[Segment]:
    """Pieces of a segment between the vertical grid lines."""
    pieces: dict[int, list[int]] = {}
    for index, glyph in enumerate(segment.glyphs):
        column = int(np.searchsorted(np.array(grid.xs), glyph.box.cx))
        pieces.setdefault(column, []).append(index)
    out = []
    for indices in pieces.values():
        glyphs = [segment.glyphs[i] for i in indices]
        if any(not g.text.isspace() for g in glyphs):
            out.append(segment_of(glyphs, segment.em, segment.confidence, segment.origin, segment.bold))
    return out


def _merge_cells(grid: Grid, mask: Mask) -> list[tuple[int, int, int, int]]:
    """Cells as (first row, first column, last row, last column); a missing border joins neighbours."""
    rows, cols = len(grid.ys) - 1, len(grid.xs) - 1
    taken = np.zeros((rows, cols), dtype=bool)
    cells = []
    for r in range(rows):
        for c in range(cols):
            if taken[r, c]:
                continue
            c1 = c
            while c1 + 1 < cols and not taken[r, c1 + 1] and not _border(mask, grid, r, c1, vertical=True):
                c1 += 1
            r1 = r
            while r1 + 1 < rows and not any(
                _border(mask, grid, r1, k, vertical=False) or taken[r1 + 1, k] for k in range(c, c1 + 1)
            ):
                r1 += 1
            taken[r : r1 + 1, c : c1 + 1] = True
            cells.append((r, c, r1, c1))
    return cells


def _border(mask: Mask, grid: Grid, row: int, col: int, vertical: bool) -> bool:
    """Whether a rule stands right of (vertical) or below the cell (row, col)."""
    reach = 4
    if vertical:
        x, y0, y1 = int(grid.xs[col + 1]), int(grid.ys[row]) + reach, int(grid.ys[row + 1]) - reach
        strip: NDArray[np.uint8] = mask[y0 : max(y1, y0 + 1), max(0, x - reach) : x + reach + 1]
        return bool(strip.size) and float((strip > 0).any(axis=1).mean()) >= LINE_SHARE
    y, x0, x1 = int(grid.ys[row + 1]), int(grid.xs[col]) + reach, int(grid.xs[col + 1]) - reach
    strip = mask[max(0, y - reach) : y + reach + 1, x0 : max(x1, x0 + 1)]
    return bool(strip.size) and float((strip > 0).any(axis=0).mean()) >= LINE_SHARE


def _html(texts: dict[tuple[int, int, int, int], str], rows: int) -> str:
    lines = []
    for r in range(rows):
        cells = []
        for (r0, c0, r1, c1), text in sorted(texts.items()):
            if r0 != r:
                continue
            span = f' rowspan="{r1 - r0 + 1}"' if r1 > r0 else ""
            span += f' colspan="{c1 - c0 + 1}"' if c1 > c0 else ""
            cells.append(f"<td{span}>{html.escape(text)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"
