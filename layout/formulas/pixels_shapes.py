"""Radical signs, arrows over letters and tall brackets among the components of a sharp mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import SCALE, Mask, Strokes
from wholepage.boxes import Box

TALL = 1.3  # em; taller brackets than this have grown
LOW_BAR, HIGH_BAR, BAR_WIDTH = 1.12, 1.5, 0.2  # em, heights and width of bars around a single line of letters
POINTED = 0.34  # share of the way from the ends' middle to the tip: 0.1–0.2 for ( and 0.47–0.52 for {
FENCES = "()[]{}|"
HEAD_INK, EVEN = 1.25, 1.2  # of the ink in a column of an arrow's shaft: what its head has, and the shaft at most
MAX_GAP = 0.38  # em between an arrow and a small letter below it
BESIDE = 2.5  # em to each side of an arrow within which letters tell how high the line is
LUMP = 0.1  # em; an even line is thinner than a blurred head
FEWEST = 8  # px of an arrow's length that tell anything
GROWN, FALL = 1.6, 0.03  # em, height of a radical sign that has grown; how far its first stroke moves to the right
TALL_CROOK = 0.28  # em; however high a radical sign grows, what stands left of its roof is as wide as this


@dataclass(frozen=True, slots=True)
class Radical:
    """A radical sign with its overline: `index` of the component, `content_x` where the radicand begins, page px."""

    index: int
    box: Box
    content_x: float
    roof: float  # y of the overline's lower edge


def find_radicals(strokes: Strokes, em: float) -> list[Radical]:
    """Components drawn as a hook, a deep point, a rising stroke and a level roof."""
    sizes = strokes.boxes[:, 2:] - strokes.boxes[:, :2]
    wide, high = sizes[:, 0], sizes[:, 1]
    maybe = (high >= 0.5 * em) & (high <= 8 * em) & (wide >= 0.5 * em) & (wide <= 25 * em) & (wide >= 0.45 * high)
    # A radical is mostly empty: its ink is a thin line.
    maybe &= strokes.areas <= 0.5 * wide * high
    out = []
    for index in np.flatnonzero(maybe):
        hit = _radical_parts(strokes.picture(int(index)), em * SCALE)
        if hit is not None:
            box = strokes.box(int(index))
            out.append(Radical(int(index), box, box.x0 + hit[0] / SCALE, box.y0 + hit[1] / SCALE))
    return out


def _radical_parts(picture: Mask, size: float) -> tuple[int, int] | None:  # noqa: PLR0911 - one test a feature
    """Start of the roof (x) and its lower edge (y) within the picture, None when it is no radical sign."""
    height = len(picture)
    roof = _roof(picture, size)
    if roof is None:
        return None
    start, thick = roof
    left = picture[:, : start + 2]
    inked = left.any(axis=0)
    narrow = 0.32 * height if height < 1.3 * size else min(0.21 * height, TALL_CROOK * size)
    if start < narrow or thick > 0.2 * size or not inked.all():
        return None
    low = height - 1 - left[::-1].argmax(axis=0)  # lowest ink of each column
    point = int(low.argmax())
    if low[point] < height - 3 or not 0.08 * start < point < 0.95 * start:
        return None
    if low[0] > 0.9 * height or low[0] < 0.25 * height:  # the hook begins at half the height
        return None
    depths = [int(f * height) for f in (0.2, 0.4, 0.6, 0.8)]
    rows = [np.flatnonzero(left[depth]) for depth in depths]
    if not all(row.size for row in rows):
        return None
    right = [int(row[-1]) for row in rows]
    rising = all(a >= b for a, b in pairwise(right))
    # In a sign that has grown the rising stroke is upright; what falls to the point is a stroke of its own.
    falling = height > GROWN * size and rows[3][0] - rows[2][0] >= FALL * size and np.diff(rows[2]).max() > 1
    if not rising or (right[0] - right[-1] < 0.07 * size and not falling):
        return None
    gap = left[depths[0], : max(right[0] - int(0.3 * start), 0)]
    return None if gap.any() else (start, thick)


def _roof(picture: Mask, size: float) -> tuple[int, int] | None:
    """x at which the level stroke along the top begins, and its thickness; it must reach the right end."""
    height, width = picture.shape
    rows = picture[: max(int(0.22 * height), 3)]
    if not rows[:, -4:].any() or rows.sum(axis=1).max() < 0.26 * size:
        return None
    best: tuple[int, int] | None = None
    for y, row in enumerate(rows):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            if b - a >= 0.26 * size and b >= width - 4 and (best is None or b - a > best[1] - best[0]):
                best, level = (int(a), int(b)), y
    if best is None:
        return None
    column = picture[level:, (best[0] + best[1]) // 2]
    below = np.flatnonzero(column == 0)
    thick = int(below[0]) if below.size else 1
    return _roof_start(picture, best[0]), level + min(thick, max(int(0.12 * size), 3))


def _roof_start(picture: Mask, x: int) -> int:
    """Left end of a roof that goes on left of `x`: on a page that is not quite level it comes down in steps."""
    tops = picture.argmax(axis=0).astype(int)
    lowest = tops[x] + max(0.02 * (picture.shape[1] - x), 1) + 1
    while x > 0 and abs(tops[x - 1] - tops[x]) <= 1 and tops[x - 1] <= lowest:
        x -= 1
    return x


def release_radicands(strokes: Strokes, radicals: list[Radical]) -> Strokes:
    """The components with what touches a radical's roof from below made components of their own."""
    import cv2

    labels = strokes.labels  # made for this sketch alone
    boxes, ids, areas = [strokes.boxes], [strokes.ids], [strokes.areas]
    highest = int(labels.max())
    for radical in radicals:
        x0, y0, x1, y1 = (int(v * SCALE) for v in radical.box.as_list(2))
        left, top = int(radical.content_x * SCALE) - x0 + 3, int(radical.roof * SCALE) - y0 + 2
        inner = strokes.picture(radical.index)[top:, left:]
        if not inner.size or inner.sum() < 0.02 * inner.size:
            continue
        count, local, stats, _ = cv2.connectedComponentsWithStats(inner, connectivity=4, ltype=cv2.CV_32S)
        for part in range(1, count):
            x, y, w, h, area = (int(v) for v in stats[part])
            if area < 5 * SCALE**2:
                continue
            highest += 1
            labels[y0 + top : y1, x0 + left : x1][local == part] = highest
            box = np.array([[x0 + left + x, y0 + top + y, x0 + left + x + w, y0 + top + y + h]]) / SCALE
            boxes.append(box)
            ids.append(np.array([highest], dtype=np.int32))
            areas.append(np.array([area / SCALE**2]))
    return Strokes(strokes.mask, labels, np.concatenate(boxes), np.concatenate(ids), np.concatenate(areas))


def index_of(strokes: Strokes, radical: Radical, em: float) -> list[int]:
    """Components of the small figure in the crook of a radical sign."""
    box = radical.box
    crook = Box(box.x0 - 0.3 * em, box.y0 - 0.4 * em, radical.content_x, box.cy + 0.1 * em)
    out = []
    for index in strokes.inside(crook):
        part = strokes.box(int(index))
        small = 0.15 * em <= part.height <= 0.52 * em and part.width <= 0.6 * em
        if small and part.x0 >= crook.x0 and part.x1 <= crook.x1 + 0.05 * em and index != radical.index:
            out.append(int(index))
    return out


def find_arrows(
    strokes: Strokes, em: float, gray: NDArray[np.uint8] | None = None, hats: Sequence[int] = ()
) -> list[int]:
    """Indices of arrows that stand over letters: flat components whose right end is a head.

    With the page's H×W `gray`, also those of which the mask shows but a lump, apart from `hats`.
    """
    sizes = strokes.boxes[:, 2:] - strokes.boxes[:, :2]
    wide, high = sizes[:, 0], sizes[:, 1]
    maybe = (wide >= 0.3 * em) & (wide <= 4 * em) & (high >= 0.08 * em) & (high <= 0.36 * em) & (wide >= 1.5 * high)
    over = [int(i) for i in np.flatnonzero(maybe) if _over_ink(strokes, int(i), em)]
    found = [i for i in over if _has_head(strokes.picture(i))]
    for i in over:
        lump = i not in found and i not in hats and high[i] >= LUMP * em
        if gray is not None and lump and _is_highest(strokes, i, em):
            found += [i] if _darker_at_end(gray, strokes.box(i), em) else []
    return found


def _has_head(picture: Mask) -> bool:
    """A shaft of one thin stroke on the left, something taller on the right: the head."""
    height, width = picture.shape
    columns = picture.sum(axis=0)
    shaft = picture[:, : max(int(0.45 * width), 1)]
    rows = np.flatnonzero(shaft.any(axis=1))
    tail = picture[:, int(0.55 * width) :]
    extent = np.flatnonzero(tail.any(axis=1))
    if not rows.size or not extent.size:
        return False
    thin = rows[-1] - rows[0] + 1
    tall = extent[-1] - extent[0] + 1
    return bool(tall >= 1.6 * thin and tall >= height - 1 and columns[: max(int(0.4 * width), 1)].min() > 0)


def _darker_at_end(gray: NDArray[np.uint8], box: Box, em: float) -> bool:
    """Whether there is more ink in the columns of the right end than in any of the even ones before it.

    A picture of few pixels blurs a head until it is as thin as its shaft, but the blur leaves the amount of ink.
    """
    around = gray[max(int(box.y0 - em / 2), 0) : int(box.y1 + em / 2), max(int(box.x0 - em), 0) : int(box.x1 + em)]
    own = gray[max(int(box.y0) - 1, 0) : round(box.y1), int(box.x0) : round(box.x1)]
    ink = (float(np.percentile(around, 80)) - own).clip(0).sum(axis=0)
    if len(ink) < FEWEST:
        return False
    shaft, head = ink[len(ink) // 10 : int(0.45 * len(ink))], ink[int(0.6 * len(ink)) :]
    even, most = float(np.median(shaft)), float(head.max())
    return most >= HEAD_INK * even and most >= HEAD_INK * float(shaft.max()) / EVEN and shaft.max() <= EVEN * even


def _is_highest(strokes: Strokes, index: int, em: float) -> bool:
    """Whether letters beside begin lower: what is as low as they are may be the topmost stroke of an ideograph."""
    box, b = strokes.box(index), strokes.boxes
    high, middle = b[:, 3] - b[:, 1], (b[:, 1] + b[:, 3]) / 2
    beside = (b[:, 2] >= box.x0 - BESIDE * em) & (b[:, 0] <= box.x1 + BESIDE * em)
    beside &= (high >= 0.6 * em) & (high <= 1.15 * em) & (abs(middle - box.y1 - 0.45 * em) <= 0.3 * em)
    return not bool((b[beside, 1] < box.cy).any())


def _over_ink(strokes: Strokes, index: int, em: float) -> bool:
    """Whether letters start right below and nothing of the line stands right above."""
    box = strokes.box(int(index))
    below = strokes.inside(Box(box.x0 - 0.1 * em, box.y1, box.x1 + 0.1 * em, box.y1 + 0.75 * em))
    near = [strokes.boxes[i] for i in below if strokes.boxes[i][3] - strokes.boxes[i][1] > 0.3 * em]
    return any(-0.12 * em <= b[1] - box.y1 <= MAX_GAP * em for b in near)


def find_fences(strokes: Strokes, em: float) -> list[tuple[int, str]]:
    """Tall brackets as (component, character): `(`, `)`, `[`, `]`, `{`, `}`, `|`."""
    sizes = strokes.boxes[:, 2:] - strokes.boxes[:, :2]
    wide, high = sizes[:, 0], sizes[:, 1]
    maybe = (high >= TALL * em) & (high <= 9 * em) & (wide <= 0.75 * em) & (high >= 2.6 * wide)
    out = []
    for index in np.flatnonzero(maybe):
        kind = _fence(strokes.picture(int(index)))
        if kind is not None:
            out.append((int(index), kind))
    low = (high >= LOW_BAR * em) & (high < HIGH_BAR * em) & (wide <= BAR_WIDTH * em)
    found = {index for index, _ in out}
    bars = [int(i) for i in np.flatnonzero(low) if i not in found and _is_low_bar(strokes, int(i), em)]
    return [*out, *((i, "|") for i in bars if _has_partner(strokes, i, bars, em))]


def _has_partner(strokes: Strokes, index: int, bars: list[int], em: float) -> bool:
    """Whether another bar stands level with this one; dashes of a drawn line stand above one another."""
    box, b = strokes.box(index), strokes.boxes
    stacked = (np.abs(b[:, 0] - box.x0) <= 0.1 * em) & (np.abs(b[:, 2] - box.x1) <= 0.1 * em)
    stacked &= (np.maximum(b[:, 1] - box.y1, box.y0 - b[:, 3]) >= 0) & (b[:, 3] - b[:, 1] >= 0.3 * em)
    stacked &= np.maximum(b[:, 1] - box.y1, box.y0 - b[:, 3]) <= 1.2 * em
    level = (i for i in bars if i != index and np.abs(b[i][[1, 3]] - b[index][[1, 3]]).max() <= 0.25 * em)
    return not stacked.any() and any(0.4 * em <= abs(b[i][0] - box.x0) <= 12 * em for i in level)


def _is_low_bar(strokes: Strokes, index: int, em: float) -> bool:
    """Whether an upright stroke is the bar of an absolute value: letters beside begin below its head and end above."""
    picture, box, b = strokes.picture(index), strokes.box(index), strokes.boxes
    rows = picture.sum(axis=1)
    middles = (picture * np.arange(picture.shape[1])).sum(axis=1) / np.maximum(rows, 1)
    even = rows.min() > 0 and rows.max() <= 1.5 * np.median(rows)  # a square bracket has ticks
    if not even or np.ptp(middles) > 0.08 * em * SCALE:
        return False
    high, gap = b[:, 3] - b[:, 1], np.maximum(box.x0 - b[:, 2], b[:, 0] - box.x1)
    beside = (gap >= 0) & (gap <= em) & (high >= 0.45 * em) & (b[:, 3] > box.cy) & (b[:, 1] < box.cy)
    letters = b[beside & (high < 1.1 * em)]
    inside = (letters[:, 1] >= box.y0) & (letters[:, 3] <= box.y1 - 0.12 * em)
    return bool(inside.any()) and bool((letters[:, 3] <= box.y1).all())


def _fence(picture: Mask) -> str | None:
    """Which bracket a tall narrow component is, told from the middle of its ink at five heights."""
    height, width = picture.shape
    columns = np.arange(width)
    bands = [picture[int(a * height) : max(int(b * height), int(a * height) + 1)] for a, b in _BANDS]
    if any(not band.any() for band in bands):
        return None
    top, upper, middle, lower, bottom = (float((band * columns).sum() / band.sum()) / width for band in bands)
    if width <= 0.09 * height and abs(top - bottom) < 0.3:
        spread = max(float(band.sum(axis=1).max()) for band in bands)
        return "|" if spread >= 0.6 * width else None
    ends, quarters = (top + bottom) / 2, (upper + lower) / 2
    if abs(top - bottom) > 0.3 or abs(upper - lower) > 0.25:
        return None
    if abs(middle - quarters) < 0.06 and _has_ticks(picture):
        return "[" if ends > middle else "]"
    if abs(ends - middle) <= 0.2:
        return None
    # A brace's point juts out of its stem, a round bracket is an arc.
    brace = (quarters - middle) / (ends - middle) > POINTED
    return ("{" if brace else "(") if middle < ends else ("}" if brace else ")")


_BANDS = ((0.0, 0.05), (0.22, 0.32), (0.47, 0.53), (0.68, 0.78), (0.95, 1.0))


def _has_ticks(picture: Mask) -> bool:
    """Whether level ticks close both ends: the rows there are much wider than those in between."""
    rows = picture.sum(axis=1)
    ends = min(rows[: max(len(rows) // 20, 3)].max(), rows[-max(len(rows) // 20, 3) :].max())
    return bool(ends >= 1.8 * np.median(rows))
