"""Level strokes in a sharp mask, and which of them are no bars: roofs of radicals, parts of large operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import Mask
from wholepage.boxes import Box

MIN_WIDTH, MAX_WIDTH = 0.32, 16.0  # em
MAX_THICK, MAX_SOFT = 0.15, 0.27  # em, of a bar, and of one on a page that was enlarged
SLANT = 0.2  # em that a bar may rise in a scan whose lines are not level everywhere
SLANT_WIDTH = 6.0  # em, of such bars; axes of graphs are longer
STEEPEST, STRAIGHT = 0.1, 0.95  # its slope, and the share of its length that holds ink
MAX_CONTACT = 0.7  # share of the bar's length along which its content may touch it on one side
Labels = NDArray[np.int32]


def level_strokes(mask: Mask, size: float, thick: float) -> list[Box]:
    """Horizontal strokes with free ends, up to `thick` em high, in mask px."""
    import cv2

    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((1, max(int(MIN_WIDTH * size), 5)), np.uint8))
    contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    out = []
    end = max(int(0.05 * size), 2)
    for contour in contours:
        x, y, w, h = cv2.boundingRect(contour)
        area = int(opened[y : y + h, x : x + w].sum())
        if not 2 <= h <= (thick + SLANT) * size or w > MAX_WIDTH * size or w < 2.5 * h:
            continue
        slanted = h > thick * size or area < 0.6 * w * h
        if slanted and (w > SLANT_WIDTH * size or not _is_straight(opened[y : y + h, x : x + w], thick * size)):
            continue
        # The stroke's own edge is ragged: look one row further.
        if (
            max(mask[max(y - 2, 0), x : x + w].mean(), mask[min(y + h + 1, len(mask) - 1), x : x + w].mean())
            > MAX_CONTACT
        ):
            continue
        left, right = mask[y : y + h, max(x - end, 0) : x], mask[y : y + h, x + w : x + w + end]
        if (left.size and left.mean() > 0.5) or (right.size and right.mean() > 0.5):
            continue
        out.append(Box(float(x), float(y), float(x + w), float(y + h)))
    return out


def _is_straight(picture: Mask, thick: float) -> bool:
    """Whether a picture shows one stroke of even height, up to `thick` px, that rises or falls a little."""
    columns = picture.sum(axis=0).astype(float)
    x = np.flatnonzero(columns)
    if len(x) < STRAIGHT * picture.shape[1] or len(x) < 2:
        return False
    middles = (picture * np.arange(len(picture))[:, None]).sum(axis=0)[x] / columns[x]
    slope, start = np.polyfit(x, middles, 1)
    even = float(np.median(columns[x]))
    off = np.abs(middles - slope * x - start).max()
    return bool(abs(slope) <= STEEPEST and even <= thick and off <= 0.5 * even + 1 and columns.max() <= 1.6 * even + 1)


def is_overline(mask: Mask, stroke: Box, size: float) -> bool:
    """Whether a line falls away to the lower left from the left end: then the stroke is the roof of a radical."""
    edge = stroke.x0 + 2.0
    for step in range(1, 5):
        depth = int(0.1 * step * size)
        row = mask[min(int(stroke.y1) + depth, mask.shape[0] - 1)]
        low = int(max(stroke.x0 - 0.75 * depth - 2, 0))
        hit = np.flatnonzero(row[low : int(edge + 1)])
        if not hit.size or low + hit[-1] > edge - 0.02 * size:
            return False
        edge = low + float(hit[-1])
    return True


def is_big_operator(labels: Labels, stroke: Box, strokes: Sequence[Box], size: float) -> bool:
    """Whether the stroke is the top or foot of a ∑, or the top of a ∏ with its two legs."""
    own = label(labels, stroke)
    for other in strokes:
        apart = abs(other.cy - stroke.cy)
        alike = abs(other.width - stroke.width) < 0.3 * stroke.width and other.x_overlap(stroke) > 0.75 * stroke.width
        if other is not stroke and alike and 0.6 * size < apart < 2.5 * size and label(labels, other) == own:
            return True
    if _reaches(labels, stroke, own, 1.05 * size):
        return True
    legs = []
    for depth in (0.3, 0.45, 0.6):
        row = labels[min(int(stroke.y1 + depth * size), len(labels) - 1), int(stroke.x0) : int(stroke.x1)] == own
        starts = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])) == 1)
        legs.append(tuple(starts))
    return all(len(s) == 2 and abs(s[0] - legs[0][0]) <= 2 and abs(s[1] - legs[0][1]) <= 2 for s in legs)


def _reaches(labels: Labels, stroke: Box, own: int, depth: float) -> bool:
    """Whether the stroke's component goes on for `depth` to one side and is as wide as the stroke at the far end."""
    x0, x1, rows = int(stroke.x0), int(stroke.x1), int(2 * depth)
    below = labels[int(stroke.y1) : int(stroke.y1) + rows, x0:x1]
    above = labels[max(int(stroke.y0) - rows, 0) : int(stroke.y0), x0:x1][::-1]
    for part in (below, above):
        inked = np.flatnonzero((part == own).any(axis=1))
        if inked.size and inked[-1] >= depth and len(inked) > inked[-1]:
            foot = (part[inked[-1] - max(int(0.1 * depth), 2) : inked[-1] + 1] == own).any(axis=0)
            if foot.mean() > 0.7:
                return True
    return False


def label(labels: Labels, stroke: Box) -> int:
    """The component that a stroke is a part of."""
    return int(labels[int(stroke.cy), int(stroke.cx)])
