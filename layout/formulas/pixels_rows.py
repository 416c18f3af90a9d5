"""Rows of formulas set so close that a detected line holds parts of two: equations aligned at their equals signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from layout.formulas.pixels_bars import Fraction, find_fractions
from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_ink import SCALE, Components, Mask, Strokes
from wholepage.boxes import Box

WIDTH = (0.45, 0.9)  # em, of an equals sign
BAR = 0.16  # em; its strokes are thinner
APART = (0.1, 0.32)  # em between the middles of its strokes
PITCH = (0.6, 2.6)  # em from one row to the next
SAME_X = 0.12  # em; signs that stand under one another differ less
REACH = 12.0  # em left of the signs within which a row may begin
WORD_GAP = 1.2  # em; what stands further from a row's signs is no part of it
CORE, HIGH = 0.3, 2.4  # em above and below a sign that belong to its row for sure, and that may
STORY, LEAST_BAR, BAR_REACH = 0.75, 0.4, 4.0  # em: half of a fraction's height, its bar, and how far right it may be
LEAST_PART, JOINED = 0.25, 2.3  # em; heights of a letter's part in a row, and of two letters that touch
APART_TAIL = 0.06  # em between a row and what follows behind the brace's middle
COMMA = 0.3  # em below a brace's middle: where a comma of its line stands
RISE = 0.05  # em; rows part a little below the middle between their signs: exponents rise more than indices hang


@dataclass(frozen=True, slots=True)
class Rows:
    """Equals signs under one another, from above: their boxes, and the components that they are made of.

    `borders` are the y between one row and the next.
    """

    signs: tuple[Box, ...]
    parts: tuple[tuple[int, int], ...]
    borders: tuple[float, ...]

    def row_of(self, y: float, em: float) -> int | None:
        """Number of the row that something at height `y` (px) belongs to."""
        middles = [s.cy for s in self.signs]
        if not middles[0] - 1.2 * em < y < middles[-1] + 1.2 * em:
            return None
        return int(np.searchsorted(self.borders, y))


def find_rows(strokes: Strokes, em: float, mask: Mask | None = None) -> list[Rows]:
    """Groups of two and more equals signs under one another; `em` is the font size in page px.

    `mask` is the sharp mask with the bars of fractions, where those are no strokes any more.
    """
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
            boxes = [signs[k][0] for k in group]
            borders = [
                _border(strokes.mask if mask is None else mask, upper, lower, em) for upper, lower in pairwise(boxes)
            ]
            out.append(Rows(tuple(boxes), tuple(signs[k][1] for k in group), tuple(borders)))
    return out


def _border(mask: Mask, upper: Box, lower: Box, em: float) -> float:
    """The y (page px) between two rows: where there is least ink right of their signs, near the middle."""
    x0, x1 = int(upper.x1 * SCALE), int((upper.x1 + REACH * em) * SCALE)
    near = [(STORY if _has_bar(mask, sign, em) else CORE) * em for sign in (upper, lower)]
    y0, y1 = int((upper.cy + near[0]) * SCALE), int((lower.cy - near[1]) * SCALE)
    middle = (upper.cy + lower.cy) / 2 + RISE * em
    if y1 <= y0:
        return middle
    ink = mask[y0:y1, x0:x1].sum(axis=1) + 0.3 * np.abs(np.arange(y0, y1) - middle * SCALE)
    return (y0 + float(ink.argmin()) + 0.5) / SCALE


def _has_bar(mask: Mask, sign: Box, em: float) -> bool:
    """Whether a fraction stands right of a sign: a level stroke at the sign's height with ink close above and below."""
    size = em * SCALE
    y, x = int(sign.cy * SCALE), int((sign.x1 + 0.05 * em) * SCALE)
    window = mask[max(y - int(0.12 * size), 0) : y + int(0.12 * size), x : x + int(BAR_REACH * size)]
    for row in window:
        edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            if b - a < LEAST_BAR * size:
                continue
            near, far = int(0.18 * size), int(STORY * size)
            above = mask[max(y - far, 0) : max(y - near, 0), x + a : x + b]
            below = mask[y + near : y + far, x + a : x + b]
            if min(above.any(axis=0).sum(), below.any(axis=0).sum()) > LEAST_PART * size:
                return True
    return False


def cuts_between(strokes: Strokes, groups: Sequence[Rows], em: float) -> list[Box]:
    """Where letters of one row run into letters of the next: a thin box (page px) across each such component."""
    out = []
    for rows in groups:
        x0, x1 = rows.signs[0].x1, rows.signs[0].x1 + REACH * em
        for y in rows.borders:
            b = strokes.boxes
            joined = (b[:, 1] < y - LEAST_PART * em) & (b[:, 3] > y + LEAST_PART * em) & (b[:, 2] - b[:, 0] <= 1.2 * em)
            joined &= (b[:, 0] >= x0) & (b[:, 2] <= x1) & (b[:, 3] - b[:, 1] <= JOINED * em)
            for i in np.flatnonzero(joined):
                box, reach = strokes.box(int(i)), int(0.15 * em * SCALE)
                middle = int((y - box.y0) * SCALE)
                first = max(middle - reach, 0)
                ink = strokes.picture(int(i))[first : middle + reach].sum(axis=1)
                ink = ink + 0.3 * np.abs(np.arange(first, first + len(ink)) - middle)
                at = box.y0 + (first + float(ink.argmin())) / SCALE
                out.append(Box(box.x0, at, box.x1, at + 1 / SCALE))
    return out


def fractions_in_rows(
    mask: Mask, parts: Components, groups: Sequence[Rows], found: Sequence[Fraction], em: float
) -> list[Fraction]:
    """`found` with those beside the signs of `groups` looked for again in each row without the others."""
    out = list(found)
    for rows in groups:
        x0, x1 = rows.signs[0].x1, rows.signs[0].x1 + REACH * em
        edges = [rows.signs[0].cy - HIGH * em, *rows.borders, rows.signs[-1].cy + HIGH * em]
        out = [f for f in out if not (x0 < f.bar.cx < x1 and edges[0] < f.bar.cy < edges[-1])]
        for top, bottom in pairwise(edges):
            y, x = max(int(top * SCALE), 0), max(int(x0 * SCALE), 0)
            right, foot = int(x1 * SCALE), int(bottom * SCALE)
            if mask[y:foot, x:right].size:
                inner = find_fractions(mask[y:foot, x:right], parts.within(x, y, right, foot), em)
                out += [_moved(f, x / SCALE, y / SCALE) for f in inner]
    return out


def _moved(fraction: Fraction, dx: float, dy: float) -> Fraction:
    boxes = (Box(b.x0 + dx, b.y0 + dy, b.x1 + dx, b.y1 + dy) for b in (fraction.bar, fraction.above, fraction.below))
    return Fraction(*boxes)


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


def part_rows(
    strokes: Strokes, groups: Sequence[Rows], lines: Sequence[Region], loose: Sequence[int], em: float
) -> list[Region]:
    """`lines` with those that hold parts of several rows of `groups` made one region a row.

    `loose` are components that no line holds: a row may take them.
    """
    out = list(lines)
    for rows in groups:
        first, last = rows.signs[0], rows.signs[-1]
        area = Box(first.x0 - REACH * em, first.cy - em, first.x1 + 3 * REACH * em, last.cy + em)
        touched = [r for r in out if r.parts and r.owner is None and r.box.overlap(area) > 0]
        mixed = [r for r in touched if len(_signs_in(r, rows)) > 1 or _split(strokes, r, rows, em)]
        if not mixed:
            continue
        begin = [i for r in touched if r in mixed or _signs_in(r, rows) for i in r.parts]
        pool = [i for r in touched for i in r.parts if i in begin or strokes.boxes[i][0] > first.x1]
        pool += [i for i in loose if area.holds(*_centre(strokes, i))]
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


def part_tails(strokes: Strokes, lines: Sequence[Region], braces: Sequence[Box], em: float) -> list[Region]:
    """`lines` with the text that goes on behind the rows of a brace made a region of its own.

    It stands level with the brace's middle, the row that it was detected with does not.
    """
    out = list(lines)
    for brace in braces:
        for region in lines:
            begins = -0.2 * em <= region.box.x0 - brace.x1 <= REACH * em and brace.y0 < region.box.cy < brace.y1
            tail = _tail(strokes, region, brace, em) if begins and brace.height >= 1.7 * em else []
            if not tail:
                continue
            region.parts = [i for i in region.parts if i not in tail]
            region.plain = False
            hull = Box.hull(strokes.box(i) for i in tail)
            if (goes_on := _continues(lines, hull, em)) is None:
                out.append(Region(hull, tail, plain=False))
            else:  # the detected line began in the middle of an ideograph
                goes_on.parts = [*tail, *goes_on.parts]
                goes_on.box, goes_on.plain = goes_on.box.union(hull), False
    return out


def _continues(lines: Sequence[Region], tail: Box, em: float) -> Region | None:
    """The line at the level of a tail that begins where it ends."""
    for line in lines:
        level = line.box.y_overlap(tail) >= 0.7 * min(line.box.height, tail.height)
        if line.parts and level and -0.3 * em <= line.box.x0 - tail.x1 <= 0.3 * em:
            return line
    return None


def _tail(strokes: Strokes, region: Region, brace: Box, em: float) -> list[int]:
    """The region's components right of the first gap from which on they stand in the brace's middle."""
    ordered = sorted(region.parts, key=lambda i: strokes.boxes[i][0])
    edge = -np.inf
    for n, i in enumerate(ordered):
        if n and strokes.boxes[i][0] - edge > APART_TAIL * em:
            row, rest = (Box.hull(strokes.box(k) for k in part) for part in (ordered[:n], ordered[n:]))
            if abs(row.cy - brace.cy) >= 0.3 * em and abs(rest.cy - brace.cy) < 0.2 * em and rest.height >= 0.7 * em:
                return ordered[n:]
        edge = max(edge, strokes.boxes[i][2])
    return ordered[-1:] if len(ordered) > 1 and _is_comma(strokes, ordered, brace, em) else []


def _is_comma(strokes: Strokes, ordered: Sequence[int], brace: Box, em: float) -> bool:
    """Whether the last component is a comma behind the rows, on the line that the brace stands in."""
    last, rest = strokes.box(ordered[-1]), Box.hull(strokes.box(i) for i in ordered[:-1])
    small = last.width <= 0.26 * em and last.height <= 0.45 * em and last.x0 >= rest.x1
    level = abs(last.cy - brace.cy - COMMA * em) <= 0.13 * em
    return small and level and abs(rest.cy - brace.cy) >= 0.3 * em and abs(rest.y1 - last.y1) >= 0.3 * em
