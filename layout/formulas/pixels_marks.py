"""Overlines, hats and large operators among the components of a sharp mask, and ink that no box of text holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import Mask, Strokes
from wholepage.boxes import Box

NEAR_EM = 0.8  # orphans stand this close to a part of a formula
PEAK = 0.33  # of a hat's height: how far its ends hang below its middle
BOUND_HEIGHT = 0.6  # em; bounds of integrals are no higher
BOUND_FIRST, BOUND_GAP = 0.45, 0.16  # em behind the sign at which a bound begins, and between its letters
LIMIT_EM = 0.4  # limits stand this close above and below their operator


def find_overlines(strokes: Strokes, em: float) -> list[int]:
    """Flat components close above letters that are about as wide, with nothing close above them."""
    wide, high = (strokes.boxes[:, 2:] - strokes.boxes[:, :2]).T
    flat = np.flatnonzero((high <= 0.13 * em) & (wide >= 0.28 * em) & (wide >= 3 * high) & (wide <= 8 * em))
    return [int(i) for i in flat if _covers(strokes, int(i), em) and not _over_index(strokes, int(i), em)]


def find_hats(strokes: Strokes, em: float) -> list[int]:
    """Small peaked components close above a letter."""
    wide, high = (strokes.boxes[:, 2:] - strokes.boxes[:, :2]).T
    small = (high >= 0.1 * em) & (high <= 0.28 * em) & (wide >= 0.22 * em) & (wide <= 0.6 * em) & (wide >= 1.2 * high)
    return [int(i) for i in np.flatnonzero(small) if _peaked(strokes.picture(int(i))) and _covers(strokes, int(i), em)]


def _peaked(picture: Mask) -> bool:
    tops = picture.argmax(axis=0)
    third = max(len(tops) // 4, 1)
    ends = min(tops[:third].mean(), tops[-third:].mean())
    return bool(ends - tops[third:-third].min() >= PEAK * len(picture))


def _covers(strokes: Strokes, index: int, em: float) -> bool:
    """Whether upright ink that is no wider starts right below the component, and none ends right above."""
    box = strokes.box(index)
    b = strokes.boxes
    common = np.minimum(b[:, 2], box.x1) - np.maximum(b[:, 0], box.x0)
    over = (common > 0.1 * em) & (b[:, 3] <= box.y0 + 1) & (b[:, 3] > box.y0 - 0.4 * em)
    if over.any():
        return False
    below = (b[:, 1] >= box.y1 - 1) & (b[:, 1] <= box.y1 + 0.26 * em) & (b[:, 3] - b[:, 1] >= 0.28 * em)
    under = below & (common > 0.5 * (b[:, 2] - b[:, 0]))
    if not under.any():
        # A letter may touch the bracket behind it.
        pair = below & (common >= 0.9 * box.width) & (b[:, 2] - b[:, 0] <= box.width + 0.6 * em)
        return bool((pair & (b[:, 0] >= box.x0 - 0.25 * em) & (b[:, 3] - box.y0 <= 1.3 * em)).any())
    hull = b[under]
    left, right = hull[:, 0].min(), hull[:, 2].max()
    fits = left >= box.x0 - 0.25 * em and right <= box.x1 + 0.25 * em
    return bool(fits and right - left >= 0.6 * box.width and hull[:, 3].max() - box.y0 <= 1.2 * em)


def _over_index(strokes: Strokes, index: int, em: float) -> bool:
    """Whether the flat component is a minus over an index: right before both stands a letter that ends higher."""
    box, b = strokes.box(index), strokes.boxes
    common = np.minimum(b[:, 2], box.x1) - np.maximum(b[:, 0], box.x0)
    under = (common > 0.5 * (b[:, 2] - b[:, 0])) & (b[:, 1] >= box.y1 - 1) & (b[:, 1] <= box.y1 + 0.26 * em)
    under &= b[:, 3] - b[:, 1] >= 0.28 * em
    if not under.any():
        return False
    foot, left = b[under, 3].max(), b[under, 0].min()
    letter = (b[:, 2] <= left + 0.1 * em) & (b[:, 2] >= left - 0.25 * em) & (b[:, 3] - b[:, 1] >= 0.4 * em)
    letter &= (b[:, 1] <= box.y0 + 0.05 * em) & (b[:, 3] <= foot - 0.1 * em) & (b[:, 3] > box.y1 + 0.2 * em)
    return bool(letter.any())


def find_operators(strokes: Strokes, em: float) -> list[tuple[int, str]]:
    """Large ∑, ∏ and ∫ as (component, character)."""
    wide, high = (strokes.boxes[:, 2:] - strokes.boxes[:, :2]).T
    out = []
    for index in np.flatnonzero((high >= 1.15 * em) & (high <= 3.2 * em) & (wide >= 0.3 * em) & (wide <= 2.2 * em)):
        kind = _operator(strokes.picture(int(index)))
        if kind is not None:
            out.append((int(index), kind))
    return out


def _operator(picture: Mask) -> str | None:
    height, width = picture.shape
    if height >= 1.5 * width:
        return "∫" if _is_integral(picture) else None
    band = max(height // 9, 2)
    top, foot = (part.any(axis=0).mean() for part in (picture[:band], picture[-band:]))
    runs = [_runs(picture[int(f * height)]) for f in (0.3, 0.4, 0.5, 0.6, 0.7)]
    if top > 0.8 and all(len(r) == 2 for r in runs):
        starts = np.array([[r[0][0], r[1][0]] for r in runs])
        return "∏" if np.ptp(starts, axis=0).max() <= 0.06 * width and foot < 0.95 else None
    if top > 0.75 and foot > 0.75 and all(len(r) == 1 for r in runs):
        middles = [(r[0][0] + r[0][1]) / 2 / width for r in runs]
        return "∑" if middles[2] > max(middles[0], middles[4]) and max(middles) < 0.75 else None
    return None


def _runs(row: Mask) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _is_integral(picture: Mask) -> bool:
    """A long stem with a hook to the right at its head and to the left at its foot."""
    height, width = picture.shape
    columns = np.arange(width)

    def middle(low: float, high: float) -> float:
        band = picture[int(low * height) : max(int(high * height), int(low * height) + 1)]
        return float(np.average(columns, weights=band.sum(axis=0) + 1e-9)) / float(width)

    runs = [_runs(picture[int(f * height)]) for f in (0.3, 0.4, 0.5, 0.6, 0.7)]
    if not all(len(r) == 1 and r[0][1] - r[0][0] < 0.45 * width for r in runs):
        return False
    return middle(0.0, 0.06) - middle(0.46, 0.54) > 0.15 and middle(0.46, 0.54) - middle(0.94, 1.0) > 0.15


def limits_of(strokes: Strokes, index: int, em: float) -> list[list[int]]:
    """Components above and below a large operator, each in a list of its own; empty ones are left out."""
    op = strokes.box(index)
    b = strokes.boxes
    near = (b[:, 0] >= op.x0 - 0.8 * em) & (b[:, 2] <= op.x1 + 0.8 * em) & (b[:, 3] - b[:, 1] <= 0.75 * em)
    near &= (b[:, 2] + b[:, 0] > 2 * op.x0 - em) & (b[:, 2] + b[:, 0] < 2 * op.x1 + em)
    above = near & (b[:, 3] <= op.y0 + 1) & (b[:, 3] >= op.y0 - LIMIT_EM * em - 0.35 * em)
    below = near & (b[:, 1] >= op.y1 - 1) & (b[:, 1] <= op.y1 + LIMIT_EM * em + 0.15 * em)
    return [_whole(strokes, np.flatnonzero(part), np.flatnonzero(near)) for part in (above, below) if part.any()]


def _whole(strokes: Strokes, found: NDArray[np.intp], near: NDArray[np.intp]) -> list[int]:
    """The components `found`, and those of `near` among them: the lower stroke of an equals sign."""
    hull = Box.hull(strokes.box(int(i)) for i in found)
    inner = [int(i) for i in near if hull.holds(strokes.box(int(i)).cx, strokes.box(int(i)).cy)]
    return sorted({int(i) for i in found} | set(inner))


def bounds_of(strokes: Strokes, index: int, pieces: Sequence[Box], em: float) -> list[list[int]]:
    """Components of the bounds at the head and the foot of an integral sign, each in a list of its own.

    `pieces` are the parts of fractions, which hold no bounds.
    """
    op = strokes.box(index)
    b = strokes.boxes
    small = (b[:, 3] - b[:, 1] <= BOUND_HEIGHT * em) & (b[:, 2] - b[:, 0] <= em)
    small &= (b[:, 0] >= op.x0 + 0.3 * op.width) & (b[:, 0] <= op.x1 + 2.5 * em)
    middle = (b[:, 1] + b[:, 3]) / 2
    out = []
    for level in (op.y0 + 0.12 * op.height, op.y1 - 0.05 * op.height):
        row = [int(i) for i in np.flatnonzero(small & (abs(middle - level) <= 0.36 * em))]
        row = [i for i in row if i != index and not any(p.holds(strokes.box(i).cx, strokes.box(i).cy) for p in pieces)]
        found: list[int] = []
        edge = op.x1 + (BOUND_FIRST - BOUND_GAP) * em
        for i in sorted(row, key=lambda k: b[k][0]):
            if b[i][0] > edge + BOUND_GAP * em:
                break
            found.append(i)
            edge = max(edge, b[i][2])
        if found:
            out.append(found)
    return out


def find_orphans(strokes: Strokes, loose: Iterable[int], parts: Sequence[Box], em: float) -> list[list[int]]:
    """Components without a line that stand beside `parts` of formulas, neighbours together."""
    near = []
    for index in loose:
        box = strokes.box(index)
        if max(box.width, box.height) < 0.2 * em or box.height > 1.3 * em or box.width > 2 * em:
            continue
        if any(p.grow(NEAR_EM * em, 0.45 * em).holds(box.cx, box.cy) for p in parts):
            near.append(index)
    groups: list[list[int]] = []
    for index in sorted(near, key=lambda i: strokes.boxes[i][0]):
        box = strokes.box(index)
        for group in groups:
            hull = Box.hull(strokes.box(i) for i in group)
            level = hull.grow(0, 0.1 * em).y_overlap(box) > 0.5 * min(box.height, hull.height)
            if box.x0 - hull.x1 <= 0.5 * em and (level or _of_equals(hull, box, em)):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def _of_equals(first: Box, second: Box, em: float) -> bool:
    """Whether two level strokes are those of an equals sign."""
    flat = max(first.height, second.height) <= 0.2 * em and abs(first.cy - second.cy) <= 0.36 * em
    return flat and max(abs(first.x0 - second.x0), abs(first.x1 - second.x1)) <= 0.14 * em
