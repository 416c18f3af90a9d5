"""By how much a page's lines of text slope: a first guess from the detected lines, made exact by the ink itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STRIP = 16  # px; columns of ink this wide are summed before they are sheared
COARSE, FINE = 0.1, 0.02  # degrees: steps of the search
REACH = 1.0  # degrees around the guess
AGREED = 0.07  # degrees; both measures are no more exact than this, and the guess stands where they agree
Mask = NDArray[np.uint8]


def skew_of(quads: Sequence[NDArray[np.float64]], ink: Mask) -> float:
    """Slope in degrees, clockwise positive in image coordinates; 0 where no long line was detected.

    Args:
        quads: detected lines, each 4×2, clockwise from the top left.
        ink: H×W mask, 255 where there is ink.
    """
    angles = _slopes(quads)
    if not angles:
        return 0.0
    guess = _weighted_median(angles)
    sharpest = _sharpest(ink, guess)
    return guess if abs(sharpest - guess) <= AGREED else sharpest


def _slopes(quads: Sequence[NDArray[np.float64]]) -> list[tuple[float, float]]:
    """Slope and length of the long lines."""
    out = []
    for quad in quads:
        (x0, y0), (x1, y1) = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
        length = math.hypot(x1 - x0, y1 - y0)
        thick = math.hypot(*(quad[3] - quad[0]))
        if length > 6 * max(thick, 1.0):
            out.append((math.degrees(math.atan2(y1 - y0, x1 - x0)), length))
    return out


def _weighted_median(values: Sequence[tuple[float, float]]) -> float:
    ordered = sorted(values)
    total = np.cumsum([weight for _, weight in ordered])
    return float(ordered[int(np.searchsorted(total, total[-1] / 2))][0])


def _sharpest(ink: Mask, guess: float) -> float:
    """The slope near `guess` at which the page's rows of ink stand out most from the gaps between them.

    Detected boxes of short lines are often level on a page that is not. W. Postl's measure (1986): the sum of squared
    differences between the inks of neighbouring rows, with the page sheared by the slope.
    """
    import cv2

    height, width = ink.shape
    size = (max(width // STRIP, 1), height)
    strips = cv2.resize(ink, size, interpolation=cv2.INTER_AREA).astype(np.float32)

    def sharpness(angle: float) -> float:
        rise = math.tan(math.radians(angle)) * width / size[0]
        shear = np.array([[1.0, 0.0, 0.0], [-rise, 1.0, rise * size[0] / 2]], dtype=np.float32)
        rows = cv2.warpAffine(strips, shear, size).sum(axis=1)
        return float((np.diff(rows) ** 2).sum())

    best = max((guess + d for d in np.arange(-REACH, REACH + COARSE / 2, COARSE)), key=sharpness)
    return float(max((best + d for d in np.arange(-COARSE, COARSE + FINE / 2, FINE)), key=sharpness))
