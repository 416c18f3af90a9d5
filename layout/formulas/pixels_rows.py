"""Rows of formulas set so close that a detected line holds parts of two: equations aligned at their equals signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_ink import Strokes
from wholepage.boxes import Box

WIDTH = (0.45, 0.9)  # em, of an equals sign
BAR = 0.16  # em; its strokes are thinner
APART = (0.1, 0.32)  # em between the middles of its strokes
PITCH = (0.6, 2.6)  # em from one row to the next
SAME_X = 0.12  # em; signs that stand under one another differ less
REACH = 12.0  # em left of the signs within which a row may begin
WORD_GAP = 1.2  # em; what stands further from a row's signs is no part of it
RISE = 0.05  # em; rows part a little below the middle between their signs: exponents rise more than indices hang


@dataclass(frozen=True, slots=True)
class Rows:
    """Equals signs under one another, from above: their boxes, and the components that they are made of."""

    signs: tuple[Box, ...]
    parts: tuple[tuple[int, int], ...]

    def row_of(self, y: float, em: float) -> int | None:
        """Number of the row that something at height `y` (px) belongs to."""
        middles = [s.cy for s in self.signs]
        if not middles[0] - 1.2 * em < y < middles[-1] + 1.2 * em:
            return None
        borders = [(a + b) / 2 + RISE * em for a, b in pairwise(middles)]
        return int(np.searchsorted(borders, y))


def find_rows(strokes: Strokes, em: float) -> list[Rows]:
    """Groups of two and more equals signs under one another; `em` is the font size in page px."""
    signs = sorted(_equals(strokes, em), key=lambda s: s[0].cy)
    out: list[Rows] = []
    used: set[int] = set()
    for n, (first, _) in enumerate(signs):
        if n in used:
            continue
        group = [n]
        for k in range(n + 1, len(signs)):
            last, box = signs[group[-1]][0], signs[k][0]
            same = max(abs(box.x0 - first.x0), abs(box.x1 - first.x1)) <= SAME_X * em
            if k not in used and same and PITCH[0] * em <= box.cy - last.cy <= PITCH[1] * em:
                group.append(k)
        if len(group) > 1:
            used.update(group)
            out.append(Rows(tuple(signs[k][0] for k in group), tuple(signs[k][1] for k in group)))
    return out


def _equals(strokes: Strokes, em: float) -> Iterable[tuple[Box, tuple[int, int]]]:
    """Pairs of level strokes of one extent right under one another, with nothing else of the kind near."""
    wide, high = (strokes.boxes[:, 2:] - strokes.boxes[:, :2]).T
    flat = np.flatnonzero((high <= BAR * em) & (wide >= WIDTH[0] * em) & (wide <= WIDTH[1] * em))
    middle = (strokes.boxes[:, 1] + strokes.boxes[:, 3]) / 2
    for i in flat:
        below = [
            int(k)
            for k in flat
            if APART[0] * em <= middle[k] - middle[i] <= APART[1] * em
            and np.abs(strokes.boxes[k][[0, 2]] - strokes.boxes[i][[0, 2]]).max() <= 0.08 * em
        ]
        if len(below) == 1:
            yield strokes.box(int(i)).union(strokes.box(below[0])), (int(i), below[0])


def part_rows(strokes: Strokes, lines: Sequence[Region], loose: Sequence[int], em: float) -> list[Region]:
    """`lines` with those that hold parts of several rows of `find_rows` made one region a row.

    `loose` are components that no line holds: a row may take them.
    """
    out = list(lines)
    for rows in find_rows(strokes, em):
        first, last = rows.signs[0], rows.signs[-1]
        area = Box(first.x0 - REACH * em, first.cy - em, first.x1 + 3 * REACH * em, last.cy + em)
        touched = [r for r in out if r.parts and r.owner is None and r.box.overlap(area) > 0]
        mixed = [r for r in touched if len(_signs_in(r, rows)) > 1 or _split(strokes, r, rows, em)]
        if not mixed:
            continue
        pool = [i for r in touched for i in r.parts] + [i for i in loose if area.holds(*_centre(strokes, i))]
        taken: set[int] = set()
        for number, sign in enumerate(rows.signs):
            level = [i for i in pool if rows.row_of(_centre(strokes, i)[1], em) == number and i not in taken]
            own = _beside(strokes, sign, level, em)
            taken.update(own)
            if own:
                out.append(Region(Box.hull(strokes.box(i) for i in own), own, plain=False))
        for region in touched:
            if taken.intersection(region.parts):
                region.parts = [i for i in region.parts if i not in taken]
                region.plain = False
    return out


def _signs_in(region: Region, rows: Rows) -> list[int]:
    return [n for n, pair in enumerate(rows.parts) if region.parts and set(pair) & set(region.parts)]


def _split(strokes: Strokes, region: Region, rows: Rows, em: float) -> bool:
    """Whether the region holds a sign of one row and tall letters of another right of it."""
    signs = _signs_in(region, rows)
    if not signs:
        return False
    for i in region.parts:
        box = strokes.box(i)
        row = rows.row_of(box.cy, em)
        beside = rows.signs[0].x1 < box.x0 < rows.signs[0].x1 + 4 * em
        if beside and box.height > 0.35 * em and row is not None and row not in signs:
            return True
    return len(region.parts) == 2


def _centre(strokes: Strokes, index: int) -> tuple[float, float]:
    box = strokes.box(index)
    return box.cx, box.cy


def _beside(strokes: Strokes, sign: Box, level: Sequence[int], em: float) -> list[int]:
    """The components of one row that follow each other from the sign to both sides without a wide gap."""
    ordered = sorted(level, key=lambda i: strokes.boxes[i][0])
    x0, x1 = sign.x0, sign.x1
    own: list[int] = []
    for i in ordered:
        box = strokes.box(i)
        if box.x1 > sign.x0 and box.x0 <= x1 + WORD_GAP * em:
            own.append(i)
            x1 = max(x1, box.x1)
    for i in reversed(ordered):
        box = strokes.box(i)
        if i not in own and box.x1 <= sign.x1 and box.x1 >= x0 - WORD_GAP * em:
            own.append(i)
            x0 = min(x0, box.x0)
    return own
