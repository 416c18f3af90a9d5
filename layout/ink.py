"""Ink of a page image: a shade-proof mask, its connected components, and ruled lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wholepage.boxes import Box

Mask = NDArray[np.uint8]  # H×W, 255 where there is ink
Gray = NDArray[np.uint8]

MIN_SOLID = 0.88  # of a rule's length is ink; serifs in a row are not that close
FAINT = 0.4  # of the darkness of letters, both below the paper around
MIN_INK_AREA = 4  # px; smaller specks at 200 dpi are noise


@dataclass(frozen=True)
class Ink:
    """`mask` H×W (255 = ink); `stats` N×5 int (x, y, width, height, area) of its components, specks left out."""

    mask: Mask
    stats: NDArray[np.int32]

    @property
    def boxes(self) -> NDArray[np.float64]:
        """N×4 float, x0 y0 x1 y1 of the components."""
        xywh = self.stats[:, :4].astype(np.float64)
        return np.concatenate([xywh[:, :2], xywh[:, :2] + xywh[:, 2:]], axis=1)


def find_ink(gray: Gray, dpi: float = 200.0, strong: bool = False) -> Ink:
    """Separate ink from paper by the local mean, so that shade and grey paper are no ink.

    `gray` is H×W uint8. The window is about 6 mm wide: wider than any stroke, narrower than shading. Of `strong` ink
    only what is at its darkest place at least `FAINT` times as dark as letters are: the grain of paper in a photo and
    what shines through it are not.
    """
    import cv2

    window = max(15, int(dpi * 0.24)) | 1
    local = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window, 18)
    # The inside of large black areas is darker than the paper, though not than its neighbourhood.
    paper = float(np.percentile(gray[:: max(1, gray.shape[0] // 400), :: max(1, gray.shape[1] // 400)], 85))
    solid = ((gray < 0.35 * paper) * np.uint8(255)).astype(np.uint8)
    mask = cv2.bitwise_or(local, solid)
    if strong:
        mask = _without_faint(mask, gray, window, dpi)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_16U)
    keep = stats[1:]
    return Ink(mask, keep[keep[:, 4] >= MIN_INK_AREA * (dpi / 200.0) ** 2].astype(np.int32))


def _without_faint(mask: Mask, gray: Gray, window: int, dpi: float) -> Mask:
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    darker = cv2.subtract(cv2.blur(gray, (window, window)), gray)
    darkest = np.zeros(count, np.uint8)
    inked = mask > 0
    np.maximum.at(darkest, labels[inked], darker[inked])
    high = stats[:, 3]
    letters = (high >= 0.06 * dpi) & (high <= 0.45 * dpi) & (stats[:, 2] <= 0.6 * dpi)
    letters[:1] = False
    if letters.sum() < 20:
        return mask
    kept = darkest >= FAINT * float(np.median(darkest[letters]))
    kept[:1] = False
    strong: Mask = kept[labels].astype(np.uint8) * np.uint8(255)
    return strong


def estimate_em(ink: Ink, dpi: float) -> float:
    """Font size in px from the heights of the components, when no text has been read yet.

    Most components on a page of text are whole letters or parts of ideographs; the 80th percentile of their heights,
    taken over plausible sizes, is close to 0.8 em.
    """
    heights, widths = ink.stats[:, 3], ink.stats[:, 2]
    plausible = (heights >= 0.03 * dpi) & (heights <= 0.45 * dpi) & (widths <= 0.6 * dpi)
    if plausible.sum() < 20:
        return 0.145 * dpi
    return float(np.percentile(heights[plausible], 80)) / 0.8


@dataclass(frozen=True, slots=True)
class Rules:
    """Ruled lines as boxes: `horizontal` and `vertical`."""

    horizontal: tuple[Box, ...]
    vertical: tuple[Box, ...]


MAX_SLOPE = 0.008  # of a rule that is left on a page which has been made level


def find_rules(mask: Mask, em: float) -> Rules:
    """Straight horizontal and vertical lines at least 1.2 em (2 em for vertical ones) long and thin.

    Letters have straight strokes too: 1.2 em is longer than any of them but the ideograph 一, which the caller
    tells apart because text explains it.
    """
    return Rules(tuple(_lines(mask, em, vertical=False)), tuple(_lines(mask, em, vertical=True)))


def _lines(mask: Mask, em: float, vertical: bool) -> list[Box]:
    import cv2

    length = int((1.6 if vertical else 1.15) * em)
    kernel = np.ones((length, 1) if vertical else (1, length), np.uint8)
    joined = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 1) if vertical else (1, 5), np.uint8))
    opened = cv2.morphologyEx(joined, cv2.MORPH_OPEN, kernel)
    count, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=8, ltype=cv2.CV_32S)
    boxes = []
    for x, y, w, h, _area in stats[1:count]:
        thin, long = (w, h) if vertical else (h, w)
        area = mask[y : y + h, x : x + w] > 0
        solid = float(area.any(axis=1 if vertical else 0).mean())
        # A long line on a page that is not quite level takes up more rows than it is thick.
        if thin <= max(4.0, 0.3 * em) + MAX_SLOPE * long and long >= 4 * thin and solid >= MIN_SOLID:
            boxes.append(Box(float(x), float(y), float(x + w), float(y + h)))
    return boxes
