"""Marks of a coloured pen over print: answers, ticks, corrections and highlights, told from print by colour and shape.

They are kept out of what is read: the stored page keeps them, the picture that is read is given paper in their place.
Black print under a red or blue stroke is dark in every channel, the stroke is bright in one (the channel of its own
colour), so that the print stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layout.types import Doubt
from wholepage.boxes import Box

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

# Hues of pens in OpenCV's half degrees: purple to orange-red, blue to violet, green.
PENS = (((0, 9), (145, 180)), ((98, 144),), ((42, 90),))
LEAST_SATURATION, LEAST_CHROMA = 95, 55  # of 255
LIGHT = 0.74  # of the paper's grey: a highlighter's tint is lighter, a pen's stroke darker
DARK = 110  # grey below which a colourless pixel is print
THICK_EM = 0.5  # a pen's stroke is thinner
LEAST_EM = 0.35  # extent of a mark; smaller ones are noise
LEAST_MARKS = 2
MOST_SHARE = 0.45  # of the ink: a page with more colour is printed in colour
ROW_MARKS, PRINTED_ROWS, STEADY = 6, 3, 0.075  # printed rows: how many, of how many signs, how level (in their heights)
FAINT_CHROMA, EDGE_EM = 14, 0.14  # of a stroke's soft edge, and how far it reaches
TINT_VALUE = 190  # a highlighter's stroke is bright
LEAST_TINT = 0.5  # em², of a tint apart from any stroke
JOIN_EM = 1.2  # marks so near are reported as one


@dataclass(frozen=True)
class Penned:
    """The picture without the marks of pens, and where they were; the picture given when there are none."""

    image: Image
    marks: tuple[Box, ...]


def without_pen(image: Image, dpi: float) -> Penned:
    """`image` (H×W×3 RGB) with paper in the place of coloured pens' marks.

    Pages printed in colour are left as they are: more of their ink is coloured, it is thick, or it stands in level
    rows. `dpi` tells the size of print (10.5 points).
    """
    import cv2

    if int((image.max(axis=2) - image.min(axis=2)).max()) < LEAST_CHROMA:
        return Penned(image, ())  # a grey scan
    em = 10.5 * dpi / 72
    image, given = _balanced(image), image
    hsv = cv2.cvtColor(image, cv2.COLOR_RGB2HSV)
    hue, saturation, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    chroma = value.astype(np.int16) - image.min(axis=2)
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    paper = float(np.percentile(value, 90))
    vivid = (saturation >= LEAST_SATURATION) & (chroma >= LEAST_CHROMA) & (gray < LIGHT * paper)
    print_ink = (value < DARK) & ~vivid
    removed = np.zeros(hue.shape, bool)
    marks: list[Box] = []
    for ranges in PENS:
        pen = vivid & np.logical_or.reduce([(hue >= low) & (hue <= high) for low, high in ranges])
        strokes, boxes = _strokes(pen, em)
        few = strokes.sum() < MOST_SHARE * (print_ink.sum() + strokes.sum())
        if len(boxes) >= LEAST_MARKS and few and not _is_printed(boxes):
            removed |= strokes
            marks += boxes
    if not marks:
        return Penned(given, ())
    return Penned(_painted(image, removed, chroma, value, paper, em), tuple(_joined(marks, JOIN_EM * em)))


def _balanced(image: Image) -> Image:
    """The image with white paper: a lamp's tint makes black print coloured."""
    paper = np.percentile(image[::4, ::4].reshape(-1, 3), 90, axis=0)
    scale = 255.0 / np.maximum(paper, 64.0)
    steps = np.arange(256)[:, None] * scale
    table = np.clip(np.round(steps), 0, 255).astype(np.uint8)
    return np.stack([table[image[..., c], c] for c in range(3)], axis=-1)


def pen_doubts(page: int, marks: Sequence[Box]) -> list[Doubt]:
    """One doubt for a page with marks, at the largest of them."""
    if not marks:
        return []
    message = f"Page {page}: {len(marks)} marks of a coloured pen over the print are left out of what was read."
    return [Doubt("page.handwriting", message, box=max(marks, key=lambda b: b.area))]


def _strokes(pen: Mask, em: float) -> tuple[Mask, list[Box]]:
    """The thin components of a pen's mask, and the boxes of those of a mark's size."""
    import cv2

    grown = cv2.morphologyEx(pen.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    deep = cv2.distanceTransform(grown, cv2.DIST_L2, 3)
    keep = np.zeros(count, bool)
    # Across a stroke of width w the distance to its edge is w/4 in the mean; crossings hardly change that.
    total = np.bincount(labels.ravel(), weights=deep.ravel(), minlength=count)
    thickness = 4 * total / np.maximum(stats[:, 4], 1)
    boxes: list[Box] = []
    for n in range(1, count):
        x, y, w, h, area = (float(v) for v in stats[n])
        if thickness[n] > THICK_EM * em or area < 6:
            continue
        keep[n] = True
        if max(w, h) >= LEAST_EM * em:
            boxes.append(Box(x, y, x + w, y + h))
    strokes: Mask = keep[labels]
    return strokes, boxes


def _is_printed(boxes: Sequence[Box]) -> bool:
    """Whether coloured signs stand in rows as level as print has them."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda b: b.x0):
        home = next((r for r in rows if _follows(r[-1], box)), None)
        if home is None:
            rows.append([box])
        else:
            home.append(box)
    level = 0
    for row in rows:
        if len(row) < ROW_MARKS:
            continue
        height = float(np.median([b.height for b in row]))
        middles = np.array([b.cy for b in row])
        off = float(np.median(np.abs(middles - np.median(middles))))
        spread = float(np.median(np.abs([b.height - height for b in row])))
        level += off < STEADY * height and spread < 2 * STEADY * height
    return level >= PRINTED_ROWS


def _follows(last: Box, box: Box) -> bool:
    tall = max(last.height, box.height)
    return box.x0 - last.x1 < 1.2 * tall and last.y_overlap(box) > 0.5 * min(last.height, box.height)


def _painted(image: Image, removed: Mask, chroma: NDArray[np.int16], value: Image, paper: float, em: float) -> Image:
    """The image with paper where strokes and their soft edges were, and where a highlighter's tint lies round them."""
    import cv2

    def grown(mask: Mask, reach: float) -> Mask:
        out: Mask = cv2.dilate(mask.astype(np.uint8), np.ones((2 * round(reach) + 1,) * 2, np.uint8)) > 0
        return out

    edges = grown(removed, EDGE_EM * em) & (chroma >= FAINT_CHROMA)
    tint = grown(removed, 1.0 * em) & (chroma >= FAINT_CHROMA) & (value >= TINT_VALUE)
    tint = _tied(tint, grown(removed | edges, 1), LEAST_TINT * em**2)
    area = grown(removed, 1) | grown(edges, 1) | grown(tint, 1)
    out = image.copy()
    # Print under a stroke is dark in every channel, and so stays.
    out[area] = np.where(value > 0.45 * paper, paper, value).astype(np.uint8)[area][:, None]
    return out


def _tied(tint: Mask, strokes: Mask, area: float) -> Mask:
    """Parts of a tint that touch the `strokes` or are large: small ones are print that a JPEG gave some colour."""
    import cv2

    _, labels, stats, _ = cv2.connectedComponentsWithStats(tint.astype(np.uint8), connectivity=4)
    kept = stats[:, 4] >= area
    kept[np.unique(labels[strokes & tint])] = True
    kept[0] = False
    found: Mask = kept[labels]
    return found


def _joined(boxes: Sequence[Box], reach: float) -> list[Box]:
    """Boxes of marks, near ones as one."""
    out: list[Box] = []
    for box in sorted(boxes, key=lambda b: (b.y0, b.x0)):
        grown = box.grow(reach)
        near = [b for b in out if grown.intersection(b)]
        out = [b for b in out if not any(b is n for n in near)]
        out.append(Box.hull([box, *near]))
    return out
