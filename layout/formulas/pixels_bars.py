"""Fraction bars in a sharp mask: short free strokes with ink close above and below, taller in all than a letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import SCALE, Components, Mask
from layout.formulas.pixels_strokes import MAX_SOFT, MAX_THICK, is_big_operator, is_overline, label, level_strokes
from wholepage.boxes import Box

MAX_GAP = 0.55  # em between the bar and its content: a display fraction's x-height letter is this far away
INNER_GAP = 0.22  # em between parts of the content that stand above each other
BAR_GAP = 0.4  # em between them and the bar of a fraction among them
MIN_CONTENT = 0.26  # em; dots of ÷ and strokes of = are lower
MIN_TOTAL = 1.12  # em; strokes of ideographs lie in a cell of one em
INNER_TOTAL = 1.04  # em, of a fraction in a part of another one
BASE_GAP = 0.9  # em between an exponent and its letter; a minus may stand there
RAISED_TOTAL = 0.8  # em, of a fraction in an exponent
MIN_BLOCKER = 0.62  # em; shorter strokes may be parts of letters
REACH = 2.8  # em, how high a numerator may be
LEVEL_REACH = 0.9  # em beside a bar within which what stands at its level is of the same line
BESIDE = 0.35  # share of its width and of the bar's that what stands beside a fraction may have in the bar's columns
ENCLOSING = 1.3  # em; radicals and brackets around a fraction are higher
ROW = 0.42  # em; ink as high as this is a row of letters, not an accent, a script or a bar
OPERATOR = 1.15  # em; large operators, which have rows of their own above and below them, are as high
NESTED = 1.25  # em; bars closer than this have but one row of letters between them
LETTER = 0.74  # em; letters of the line are no higher
SERIFS = 5  # stems that end in one stroke: that of lim is their serifs run together


@dataclass(frozen=True, slots=True)
class Fraction:
    """A bar with the boxes of its numerator and denominator, page px."""

    bar: Box
    above: Box
    below: Box

    @property
    def hull(self) -> Box:
        """All of it."""
        return Box.hull([self.bar, self.above, self.below])


def find_fractions(mask: Mask, parts: Components, em: float, soft: bool = False) -> list[Fraction]:
    """Fractions in `mask` (at `SCALE`, with its components), `em` in page px; inner ones of nested ones too.

    `soft` pages were enlarged: their strokes are wide.
    """
    size = em * SCALE
    thick = MAX_SOFT if soft else MAX_THICK
    views = [v for s in level_strokes(mask, size, thick) if _may_be_bar(v := _view(mask, parts, s, size), size)]
    views = [v for v in views if not is_overline(mask, v.stroke, size)]
    strokes = [v.stroke for v in views]
    views = [v for v in views if not is_big_operator(parts.labels, v.stroke, strokes, size)]
    found: list[Fraction] = []
    for view in sorted(views, key=lambda v: -v.stroke.width):
        stroke = view.stroke
        near = [
            s.stroke
            for s in views
            if s is not view and abs(s.stroke.y0 - stroke.y0) < REACH * size and s.stroke.x_overlap(stroke)
        ]
        above = _content(view, near, size, up=True)
        below = _content(view, near, size, up=False)
        within = any(_holds(f, stroke.scale(1 / SCALE)) for f in found)
        if (
            above
            and below
            and _is_fraction(view, above, below, parts.boxes, size, INNER_TOTAL if within else MIN_TOTAL)
        ):
            found.append(Fraction(*(b.scale(1 / SCALE) for b in (stroke, above, below))))
    return found


def _holds(fraction: Fraction, bar: Box) -> bool:
    """Whether a bar stands in a part of a fraction."""
    return any(part.holds(bar.cx, bar.cy) for part in (fraction.above, fraction.below))


@dataclass(frozen=True)
class _View:
    """The ink around a stroke: the page's in `mask`, in `own` without what stands beside or around a fraction there.

    `own` is a window of the mask that begins at `left`, `top` (mask px), `drawn` the component of the stroke itself in
    it.
    """

    mask: Mask
    own: Mask
    drawn: Mask
    stroke: Box
    left: int
    top: int

    def rows(self, ink: Mask, content: Box) -> Mask:
        """The rows of `own` or `drawn` that `content` (mask px) takes."""
        return ink[int(content.y0) - self.top : int(content.y1) - self.top]

    def column(self, x: int, content: Box) -> Mask:
        """The own ink at one x within the rows of `content`."""
        at, rows = x - self.left, self.rows(self.own, content)
        return rows[:, at] if 0 <= at < rows.shape[1] else rows[:0, 0]


def _view(mask: Mask, parts: Components, stroke: Box, size: float) -> _View:
    pad = int(0.06 * size) + 2
    left, top = max(int(stroke.x0) - pad, 0), max(int(stroke.y0 - REACH * size), 0)
    window = (slice(top, int(stroke.y1 + REACH * size)), slice(left, int(stroke.x1) + pad))
    labels = parts.labels[window]
    ids = np.unique(labels)
    b = parts.boxes[ids].astype(np.float64)
    common = np.minimum(b[:, 2], stroke.x1) - np.maximum(b[:, 0], stroke.x0)
    beside = common <= BESIDE * np.minimum(b[:, 2] - b[:, 0], stroke.width)
    around = (b[:, 0] < stroke.x0) & (b[:, 1] < stroke.y0) & (b[:, 2] > stroke.x1) & (b[:, 3] > stroke.y1)
    around &= b[:, 3] - b[:, 1] >= ENCLOSING * size
    drawn = label(parts.labels, stroke)
    foreign = ids[(beside | around) & (ids != drawn) & (ids != 0)]
    own = mask[window].copy()
    if foreign.size:
        own[np.isin(labels, foreign)] = 0
    return _View(mask, own, (labels == drawn).view(np.uint8), stroke, left, top)


def _may_be_bar(view: _View, size: float) -> bool:
    """Whether there is enough ink above and below, whatever it belongs to."""
    above, below = _content(view, (), size, up=True), _content(view, (), size, up=False)
    if above is None or below is None:
        return False
    return min(above.height, below.height) >= MIN_CONTENT * size and below.y1 - above.y0 >= RAISED_TOTAL * size


def _content(view: _View, strokes: Sequence[Box], size: float, up: bool) -> Box | None:
    """Hull of the ink above or below the view's stroke, in mask px; None when there is none.

    It ends at a gap, or between two lines of fractions: at a stroke that belongs to another line.
    """
    stroke = view.stroke
    pad = int(0.06 * size)
    x0, x1 = max(int(stroke.x0) - pad, 0), int(stroke.x1) + pad
    own = view.own[:, x0 - view.left : x1 - view.left]
    area = own[: int(stroke.y0) - view.top][::-1] if up else own[int(stroke.y1) - view.top :]
    area = area[: _limit(view, strokes, size, area, up)]
    inked: NDArray[np.bool_] = np.asarray(area.any(axis=1))
    ragged = np.flatnonzero(~inked[:4])
    inked[: ragged[-1] if ragged.size else 0] = False  # the bar's own uneven edge
    rows = np.flatnonzero(inked)
    if not rows.size or rows[0] > MAX_GAP * size:
        return None
    first, last = int(rows[0]), _last_row(rows, size)
    columns = np.flatnonzero(area[first : last + 1].any(axis=0))
    y0, y1 = (stroke.y0 - last - 1, stroke.y0 - first) if up else (stroke.y1 + first, stroke.y1 + last + 1)
    return Box(float(x0 + columns[0]), float(y0), float(x0 + columns[-1] + 1), float(y1))


def _last_row(rows: NDArray[np.intp], size: float) -> int:
    """The last of the inked `rows` (counted away from the stroke) that belongs to the part that begins at the first.

    The part ends at a wide gap, and at any gap between two rows of letters, unless one of them holds a large operator.
    """
    blocks = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    last = blocks[0]
    for block in blocks[1:]:
        heights = [b[-1] - b[0] + 1 for b in (last, block)]
        letters = min(heights) >= ROW * size and max(heights) < OPERATOR * size
        reach = BAR_GAP if min(heights) <= MAX_THICK * size else INNER_GAP
        if letters or block[0] - last[-1] > reach * size:
            break
        last = block
    return int(last[-1])


def _limit(view: _View, strokes: Sequence[Box], size: float, area: Mask, up: bool) -> int:
    """Number of rows of `area` that can belong to the view's stroke, counted away from it."""
    stroke, limit = view.stroke, len(area)
    for other in strokes:
        away = int(stroke.y0 - other.y1) if up else int(other.y0 - stroke.y1)
        if not 0 <= away < limit or other.x_overlap(stroke) < 0.5 * min(other.width, stroke.width):
            continue
        if other.width < min(MIN_BLOCKER * size, 0.8 * stroke.width):
            continue
        inside = other.x0 >= stroke.x0 - 0.1 * size and other.x1 <= stroke.x1 + 0.1 * size
        if inside and other.width < 0.9 * stroke.width and not _on_own_line(view.mask, other, stroke, size):
            continue
        if away < NESTED * size and other.width < stroke.width:
            continue  # of a fraction within this one's part
        free = np.flatnonzero(~area[:away].any(axis=1))
        runs = np.split(free, np.flatnonzero(np.diff(free) > 1) + 1) if free.size else []
        inner = [r for r in runs if r[0] > MIN_CONTENT * size and r[-1] < away - MIN_CONTENT * size]
        limit = int(np.mean(max(inner, key=len))) if inner else away
    return limit


def _on_own_line(mask: Mask, inner: Box, outer: Box, size: float) -> bool:
    """Whether something stands at the inner stroke's level outside of the outer one, as the = before a fraction."""
    reach, high = int(LEVEL_REACH * size), int(0.14 * size)
    rows = slice(max(int(inner.cy) - high, 0), int(inner.cy) + high)
    left = mask[rows, max(int(outer.x0) - reach, 0) : max(int(outer.x0) - 2, 0)]
    right = mask[rows, int(outer.x1) + 2 : int(outer.x1) + reach]
    return bool(left.any() or right.any())


def _is_fraction(
    view: _View, above: Box, below: Box, boxes: NDArray[np.int32], size: float, least: float = MIN_TOTAL
) -> bool:
    stroke = view.stroke
    total = below.y1 - above.y0
    if min(above.height, below.height) < MIN_CONTENT * size or total < RAISED_TOTAL * size:
        return False
    if total < least * size and not _is_raised(boxes, Box.hull([above, stroke, below]), size):
        return False
    if max(stroke.y0 - above.y0, below.y1 - stroke.y1) >= REACH * size - 2:
        return False
    narrow = max(above.width, below.width) < 0.45 * stroke.width and stroke.width > 1.2 * size
    if narrow or min(above.width, below.width) < 0.12 * size:
        return False
    if _is_of_letters(view, above, below, size):
        return False
    return not (_sticks_out(view, above, size) or _sticks_out(view, below, size))


def _is_raised(boxes: NDArray[np.int32], hull: Box, size: float) -> bool:
    """Whether a small fraction is an exponent: the letter before it is lower at its head and foot, below it is nothing.

    `boxes` are those of the mask's components, `hull` the whole fraction, all in mask px.
    """
    b = boxes[1:].astype(np.float64)
    wide, high = b[:, 2] - b[:, 0], b[:, 3] - b[:, 1]
    before = (b[:, 2] <= hull.x0 + 0.08 * size) & (b[:, 2] >= hull.x0 - BASE_GAP * size)
    before &= (high >= 0.4 * size) & (high <= 1.1 * size) & (wide <= 0.75 * size)
    before &= (b[:, 3] >= hull.y1 + 0.08 * size) & (b[:, 1] >= hull.y0 + 0.15 * size) & (b[:, 1] < hull.y1)
    column = (np.minimum(b[:, 2], hull.x1) - np.maximum(b[:, 0], hull.x0)) > 0.1 * size
    under = column & (b[:, 1] >= hull.y1 - 2) & (b[:, 1] <= hull.y1 + 0.35 * size)
    return bool(before.any()) and not bool(under.any())


def _is_of_letters(view: _View, above: Box, below: Box, size: float) -> bool:
    """Whether the stroke is a part of letters: serifs in a row, or the top of a 7 or the foot of a 2."""
    stroke = view.stroke
    sides = [view.drawn[y - view.top] for y in (int(stroke.y0) - 3, int(stroke.y1) + 2) if y - view.top < len(view.own)]
    runs = [np.flatnonzero(np.diff(np.concatenate([[0], side.astype(np.int8), [0]])) == 1).size for side in sides]
    if max(runs) >= SERIFS:
        return True
    rows = np.flatnonzero(view.drawn.any(axis=1))
    if rows[-1] - rows[0] > LETTER * size or stroke.width > LETTER * size:
        return False
    return any(
        bool((part := view.rows(view.own, content)).any()) and bool((part <= view.rows(view.drawn, content)).all())
        for content in (above, below)
    )


def _sticks_out(view: _View, content: Box, size: float) -> bool:
    """Whether ink of the content crosses the lines straight above and below the bar's ends."""
    pad = int(0.06 * size)
    columns = [view.column(x, content) for x in (int(view.stroke.x0) - pad - 1, int(view.stroke.x1) + pad)]
    return any(column.size and column.mean() > 0.12 for column in columns)
