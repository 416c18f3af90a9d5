"""Ruled tables: the cells that drawn rules enclose, their rows and columns, and the text in each."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from layout.ink import Ink, Rules
from layout.rows import join_rows
from layout.segments import Segment, segment_of
from layout.types import TableRegion
from wholepage.boxes import Box

TOUCH_EM = 0.35  # rules closer than this touch
CORNER_EM = 0.3  # corners closer than this are one
MIN_CELL_EM = 0.6
MIN_CELLS = 3
MIN_TEXT_CELLS = 0.3  # share of cells with text; a figure drawn on a grid has fewer
MAX_DRAWING = 0.15  # share of the ink inside the cells that is no text: more means a figure in a frame


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell from row `r0` to `r1` and column `c0` to `c1`, both included."""

    box: Box
    r0: int
    c0: int
    r1: int
    c1: int


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of one table; `columns` are the x positions of its vertical lines."""

    cells: tuple[Cell, ...]
    columns: tuple[float, ...]
    rows: int

    @property
    def box(self) -> Box:
        """Outer border."""
        return Box.hull(c.box for c in self.cells)


def find_grids(rules: Rules, em: float) -> list[Grid]:
    """Tables of at least three cells enclosed by rules. Tables that stand side by side are told apart."""
    lines = [(b, False) for b in rules.horizontal] + [(b, True) for b in rules.vertical]
    grids = []
    for group in _touching(lines, TOUCH_EM * em):
        for boxes in _neighbours(_enclosed(group, em), CORNER_EM * em):
            if len(boxes) >= MIN_CELLS:
                grids.append(_grid(boxes, em))
    return [g for g in grids if g.box.width >= 4 * em and g.box.height >= 1.2 * em]


def _touching(lines: list[tuple[Box, bool]], reach: float) -> list[list[tuple[Box, bool]]]:
    """Connected groups of horizontal and vertical lines that touch each other."""
    parent = list(range(len(lines)))
    for i, (a, a_vertical) in enumerate(lines):
        grown = a.grow(reach)
        for j in range(i + 1, len(lines)):
            b, b_vertical = lines[j]
            if a_vertical != b_vertical and grown.intersection(b.grow(0.5)):
                parent[_root(parent, i)] = _root(parent, j)
    groups: dict[int, list[tuple[Box, bool]]] = {}
    for i, line in enumerate(lines):
        groups.setdefault(_root(parent, i), []).append(line)
    return [g for g in groups.values() if len(g) >= 4]


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def _enclosed(group: list[tuple[Box, bool]], em: float) -> list[Box]:
    """Boxes of the areas that the rules enclose. Rules are drawn a little longer, which closes small gaps."""
    import cv2

    hull = Box.hull(b for b, _ in group).grow(em)
    canvas = np.full((int(hull.height) + 1, int(hull.width) + 1), 255, np.uint8)
    extra = TOUCH_EM * em
    for box, vertical in group:
        long = box.grow(0, extra) if vertical else box.grow(extra, 0)
        moved = long.shift(-hull.x0, -hull.y0)
        cv2.rectangle(canvas, (int(moved.x0), int(moved.y0)), (int(moved.x1), int(moved.y1)), 0, -1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(canvas, connectivity=4)
    cells = []
    for x, y, w, h, area in stats[1:count]:
        outside = x == 0 or y == 0
        if not outside and min(w, h) >= MIN_CELL_EM * em and area >= 0.6 * w * h:
            cells.append(Box.of((x, y, x + w, y + h)).shift(hull.x0, hull.y0))
    return cells


def _neighbours(cells: list[Box], reach: float) -> list[list[Box]]:
    """Cells grouped into tables: neighbours share an edge and a corner of it.

    Two tables set side by side share an edge too, but their rows end at different heights.
    """
    parent = list(range(len(cells)))
    for i, a in enumerate(cells):
        for j in range(i + 1, len(cells)):
            b = cells[j]
            beside = a.y_overlap(b) > 0 and min(abs(a.x1 - b.x0), abs(b.x1 - a.x0)) < reach
            stacked = a.x_overlap(b) > 0 and min(abs(a.y1 - b.y0), abs(b.y1 - a.y0)) < reach
            level = abs(a.y0 - b.y0) < reach or abs(a.y1 - b.y1) < reach
            flush = abs(a.x0 - b.x0) < reach or abs(a.x1 - b.x1) < reach
            if (beside and level) or (stacked and flush):
                parent[_root(parent, i)] = _root(parent, j)
    groups: dict[int, list[Box]] = {}
    for i, cell in enumerate(cells):
        groups.setdefault(_root(parent, i), []).append(cell)
    return list(groups.values())


def _grid(boxes: list[Box], em: float) -> Grid:
    xs = _cluster([b.x0 for b in boxes], MIN_CELL_EM * em / 2)
    ys = _cluster([b.y0 for b in boxes], MIN_CELL_EM * em / 2)

    def span(low: float, high: float, edges: list[float]) -> tuple[int, int]:
        first = int(np.argmin([abs(low - e) for e in edges]))
        last = max(i for i, e in enumerate(edges) if e < high - MIN_CELL_EM * em / 2)
        return first, max(first, last)

    cells = []
    for box in sorted(boxes, key=lambda b: (b.y0, b.x0)):
        (c0, c1), (r0, r1) = span(box.x0, box.x1, xs), span(box.y0, box.y1, ys)
        cells.append(Cell(box, r0, c0, r1, c1))
    return Grid(tuple(cells), tuple(xs), len(ys))


def _cluster(values: Sequence[float], reach: float) -> list[float]:
    out: list[list[float]] = []
    for value in sorted(values):
        if out and value - out[-1][-1] < reach:
            out[-1].append(value)
        else:
            out.append([value])
    return [float(np.mean(group)) for group in out]


def read_table(grid: Grid, ink: Ink, segments: Sequence[Segment], em: float) -> TableRegion | None:
    """HTML of the table with spans, or None when the grid holds drawings rather than text.

    `segments` are those inside the grid; one that runs through several cells is cut at the cells' edges.
    """
    if _drawing_share(grid, ink, segments, em) > MAX_DRAWING:
        return None
    pieces = [piece for segment in segments for piece in _cut(segment, grid)]
    texts = {}
    for cell in grid.cells:
        area = cell.box.grow(3)
        texts[cell] = join_rows([p for p in pieces if area.holds(p.box.cx, p.box.cy)], em)
    if sum(bool(t) for t in texts.values()) < max(2, MIN_TEXT_CELLS * len(texts)):
        return None
    rows: list[list[str]] = [[""] * len(grid.columns) for _ in range(grid.rows)]
    for cell, text in texts.items():
        rows[cell.r0][cell.c0] = text
    return TableRegion(grid.box.grow(2), _html(texts, grid.rows), tuple(tuple(row) for row in rows))


def _drawing_share(grid: Grid, ink: Ink, segments: Sequence[Segment], em: float) -> float:
    """Share of the ink inside the cells, clear of their borders, that no text explains."""
    comps, areas = ink.boxes, ink.stats[:, 4]
    inside = np.zeros(len(comps), dtype=bool)
    for cell in grid.cells:
        b = cell.box.grow(-min(4.0, 0.15 * em))
        inside |= (comps[:, 0] >= b.x0) & (comps[:, 1] >= b.y0) & (comps[:, 2] <= b.x1) & (comps[:, 3] <= b.y1)
    explained = np.zeros(len(comps), dtype=bool)
    cx, cy = (comps[:, 0] + comps[:, 2]) / 2, (comps[:, 1] + comps[:, 3]) / 2
    for segment in segments:
        b = segment.box.grow(0.15 * em)
        explained |= (cx >= b.x0) & (cx <= b.x1) & (cy >= b.y0) & (cy <= b.y1)
    # Letters that the reader missed are small; a drawing has at least one stroke longer than a letter.
    large = (comps[:, 2] - comps[:, 0] > 1.3 * em) | (comps[:, 3] - comps[:, 1] > 1.3 * em)
    total = float(areas[inside].sum())
    return float(areas[inside & ~explained & large].sum()) / total if total else 0.0


def _cut(segment: Segment, grid: Grid) -> list[Segment]:
    """Pieces of a segment, one for each cell that its glyphs stand in."""
    pieces: dict[int, list[int]] = {}
    row = [c for c in grid.cells if c.box.y0 <= segment.box.cy <= c.box.y1]
    for index, glyph in enumerate(segment.glyphs):
        owner = min(
            range(len(row)),
            key=lambda i: max(row[i].box.x0 - glyph.box.cx, glyph.box.cx - row[i].box.x1, 0.0),
            default=0,
        )
        pieces.setdefault(owner, []).append(index)
    out = []
    for indices in pieces.values():
        glyphs = [segment.glyphs[i] for i in indices]
        if any(not g.text.isspace() for g in glyphs):
            out.append(segment_of(glyphs, segment.em, segment.confidence, segment.origin, segment.bold))
    return out


def _html(texts: dict[Cell, str], rows: int) -> str:
    lines = []
    for r in range(rows):
        cells = []
        for cell, text in sorted(texts.items(), key=lambda item: item[0].c0):
            if cell.r0 != r:
                continue
            span = f' rowspan="{cell.r1 - cell.r0 + 1}"' if cell.r1 > cell.r0 else ""
            span += f' colspan="{cell.c1 - cell.c0 + 1}"' if cell.c1 > cell.c0 else ""
            cells.append(f"<td{span}>{html.escape(text)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"
