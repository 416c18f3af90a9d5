"""Small pictures of pages are enlarged before they are read; pages that were squeezed into a square are stretched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layout.ink import Ink, estimate_em, find_ink

MIN_EM = 17.0  # px; a page with a smaller font size is enlarged
GOOD_EM = 30.0  # px, the font size of most papers at 200 dpi
MAX_FACTOR = 4.0
SQUARE = 0.005  # of a side, by which the sides of a square page may differ
SQUEEZE = 2**0.5  # A4 that was made a square
WIDE_LETTER = 0.93  # width by height of the letters of a squeezed page; of others it is 0.7 to 0.9
Image = NDArray[np.uint8]


def growth(gray: Image, dpi: float) -> tuple[float, float]:
    """Factors of width and height by which a page should be made larger; (1, 1) for most.

    Args:
        gray: H×W uint8.
        dpi: its resolution.
    """
    import cv2

    ink = find_ink(gray, dpi)
    em = estimate_em(ink, dpi)
    factor = 1.0 if em >= MIN_EM else min(GOOD_EM / em, MAX_FACTOR)
    height, width = gray.shape
    if abs(width - height) > SQUARE * width:
        return factor, factor
    if factor > 1:  # shapes of letters of a few pixels say nothing
        larger = np.asarray(cv2.resize(gray, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8)
        ink = find_ink(larger, dpi * factor)
        em = estimate_em(ink, dpi * factor)
    if _letter_shape(ink, em) <= WIDE_LETTER:
        return factor, factor
    # The larger font size is that of the stretched page.
    across = max(factor / SQUEEZE**0.5, 1.0)
    return across, across * SQUEEZE


def _letter_shape(ink: Ink, em: float) -> float:
    """Median width by height of what may be small letters; 0 on a page with hardly any text."""
    widths, heights = ink.stats[:, 2].astype(float), ink.stats[:, 3].astype(float)
    letters = (heights >= 0.35 * em) & (heights <= 0.75 * em) & (widths >= 0.2 * em) & (widths <= 1.2 * em)
    return float(np.median(widths[letters] / heights[letters])) if letters.sum() >= 50 else 0.0
