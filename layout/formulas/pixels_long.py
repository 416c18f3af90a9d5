"""Long signs of reactions in a sharp mask: arrows and equals signs with conditions, and two half arrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from layout.formulas.pixels_ink import SCALE, Components, Mask, Strokes
from wholepage.boxes import Box

LONGEST = 9.0  # em
LONG = 1.15  # em; arrows and equals signs that are shorter are read as letters are
HARPOON = 0.6  # em, the shortest pair of half arrows
FLAT, STROKE = 0.8, 0.16  # em; heights of a sign and of a level stroke
APART = (0.08, 0.36)  # em between the middles of two strokes of one sign
BESIDE = 1.3  # em; what the sign stands between is no further away
TEXT_GAP, TEXT_HEIGHT = 0.5, 0.85  # em between a condition and the sign, and its height
OVERHANG = 0.35  # em by which a condition may be wider than the sign


@dataclass(frozen=True, slots=True)
class LongSign:
    """A sign's box, page px, and the character for it."""

    box: Box
    char: str


def find_long_signs(parts: Components, em: float) -> list[LongSign]:
    """`→`, `=` and `⇌` drawn between letters; `parts` are the mask's components, `em` the font size in page px."""
    size = em * SCALE
    b = parts.boxes.astype(np.float64)
    wide, high = b[:, 2] - b[:, 0], b[:, 3] - b[:, 1]
    flat = (wide >= HARPOON * size) & (wide <= LONGEST * size) & (high <= FLAT * size) & (wide >= 1.2 * high)
    flat[:1] = False
    out: list[LongSign] = []
    used: set[int] = set()
    for i in np.flatnonzero(flat):
        if int(i) in used:
            continue
        pair = flat & (np.abs(b[:, [0, 2]] - b[i][[0, 2]]).max(axis=1) <= 0.15 * size)
        pair &= (b[:, 1] > b[i, 1]) & (b[:, 1] - b[i, 3] <= 0.25 * size)
        for ids in ([int(i), *(int(k) for k in np.flatnonzero(pair)[:1])], [int(i)]):
            own = b[ids]
            hull = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
            char = _kind(_picture(parts, ids, hull), size) if hull.height <= FLAT * size else ""
            if char and _between(b, hull, size):
                used.update(ids)
                out.append(LongSign(hull.scale(1 / SCALE), char))
                break
    return out


def _picture(parts: Components, ids: list[int], hull: Box) -> Mask:
    area = parts.labels[int(hull.y0) : int(hull.y1), int(hull.x0) : int(hull.x1)]
    found: Mask = np.isin(area, ids).view(np.uint8)
    return found


def _kind(picture: Mask, size: float) -> str:
    """Which sign a picture shows, an empty string for none."""
    width = picture.shape[1]
    shafts = _shafts(picture)
    if not shafts or any(low - high > STROKE * size for high, low in shafts):
        return ""
    above, below = picture[: shafts[0][0]], picture[shafts[-1][1] :]
    left, right = slice(0, int(0.4 * width)), slice(int(0.6 * width), width)
    corners = [_height(part[:, side]) / size for part in (above, below) for side in (left, right)]
    if len(shafts) == 2:
        apart = (sum(shafts[1]) - sum(shafts[0])) / 2 / size
        if not APART[0] <= apart <= APART[1] or _is_filled(picture[shafts[0][1] : shafts[1][0]]):
            return ""
        if corners[0] <= 0.05 and corners[3] <= 0.05 and min(corners[1], corners[2]) >= 0.06:
            return "⇌"
        return "=" if max(corners) <= 0.05 and width >= LONG * size else ""
    headed = max(corners[0], corners[2]) <= 0.05 and min(corners[1], corners[3]) >= 0.08
    return "→" if len(shafts) == 1 and headed and width >= LONG * size else ""


def _is_filled(between: Mask) -> bool:
    """Whether there is ink between two strokes: the stems of letters whose serifs they are."""
    middle = between[len(between) // 4 : len(between) - len(between) // 4]
    return bool(middle.size and middle.mean() > 0.15)


def _shafts(picture: Mask) -> list[tuple[int, int]]:
    """First and last row of each stroke that runs from end to end."""
    full = (picture.mean(axis=1) >= 0.62).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], full, [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _height(part: Mask) -> int:
    """Rows that hold more ink than a ragged edge."""
    return int((part.sum(axis=1) > 2).sum()) if part.size else 0


def _between(b: np.ndarray, sign: Box, size: float) -> bool:
    """Whether letters stand on both sides at the sign's height."""
    high = b[:, 3] - b[:, 1]
    level = (high >= 0.35 * size) & (high <= 1.4 * size) & (b[:, 1] < sign.cy) & (b[:, 3] > sign.cy)
    left = level & (b[:, 2] <= sign.x0 + 2) & (b[:, 2] >= sign.x0 - BESIDE * size)
    right = level & (b[:, 0] >= sign.x1 - 2) & (b[:, 0] <= sign.x1 + BESIDE * size)
    return bool(left.any() and right.any())


def conditions_of(strokes: Strokes, sign: Box, em: float) -> list[list[int]]:
    """Components of the small print right above and right below a sign, each in a list of its own."""
    b = strokes.boxes
    reach = sign.grow(2.5 * em, 0)
    inside = (b[:, 0] >= reach.x0) & (b[:, 2] <= reach.x1) & (b[:, 3] - b[:, 1] <= TEXT_HEIGHT * em)
    depth = TEXT_GAP + TEXT_HEIGHT
    above = inside & (b[:, 3] <= sign.y0 + 2) & (b[:, 1] >= sign.y0 - depth * em)
    below = inside & (b[:, 1] >= sign.y1 - 2) & (b[:, 3] <= sign.y1 + depth * em)
    out = []
    for part, edge in ((above, 3), (below, 1)):
        own = [
            int(i)
            for i in np.flatnonzero(part)
            if sign.x0 - OVERHANG * em <= (b[i, 0] + b[i, 2]) / 2 <= sign.x1 + OVERHANG * em
        ]
        if not own:
            continue
        hull = Box.hull(strokes.box(i) for i in own)
        near = min(abs(b[i, edge] - (sign.y0 if edge == 3 else sign.y1)) for i in own)
        others = [int(i) for i in np.flatnonzero(part) if int(i) not in own]
        goes_on = any(
            strokes.box(i).grow(0.3 * em, 0).x_overlap(hull) > 0 and strokes.box(i).y_overlap(hull) > 0 for i in others
        )
        fits = hull.x0 >= sign.x0 - OVERHANG * em and hull.x1 <= sign.x1 + OVERHANG * em
        if fits and not goes_on and near <= TEXT_GAP * em and hull.height >= 0.35 * em:
            out.append(own)
    return out
