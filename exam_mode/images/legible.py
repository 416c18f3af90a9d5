"""How tall the text on a page is, measured on the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from wholepage.errors import WorkspaceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_LINES = 5  # fewer lines of layout say too little
SMALLEST, LARGEST = 5, 160  # pixels: letters outside are specks or drawings
BANDS = ((0.2, 0.3), (0.45, 0.55), (0.7, 0.8))  # shares of the page's height, clear of heads and feet


def text_height(folder: Path, number: int, image: Callable[[], NDArray[np.uint8]]) -> float | None:
    """Height in pixels of a usual line of body text on the stored page image; None when there is no text.

    The boxes of the page's lines tell it (`work/layout/NNN.json`); where they are absent, the ink does: the median
    height of connected pieces that have the size of letters.

    Args:
        folder: the paper's folder.
        number: 1-based page.
        image: gives H×W grey values of the stored image.
    """
    return _from_lines(folder / "work" / "layout" / f"{number:03d}.json") or _from_ink(image())


def _from_lines(path: Path) -> float | None:
    from layout.types import load_layout

    try:
        lines = load_layout(path).lines
    except WorkspaceError:
        return None
    heights = [line.box.height for line in lines if line.role == "body" and len(line.text.strip()) > 3]
    return float(median(heights)) if len(heights) >= MIN_LINES else None


def _from_ink(image: NDArray[np.uint8]) -> float | None:
    import cv2

    _, ink = cv2.threshold(image, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    # three bands where they hold enough letters; all of the page takes three times as long
    heights = [h for top, bottom in BANDS for h in _letters(ink, top, bottom)]
    if len(heights) < 40 * MIN_LINES:
        heights = _letters(ink, 0.0, 1.0)
    return float(median(heights)) if len(heights) >= 4 * MIN_LINES else None


def _letters(ink: NDArray[np.uint8], top: float, bottom: float) -> list[int]:
    """Heights of connected pieces that have the size of letters; pieces that a band cuts are left out.

    Args:
        ink: H×W, 255 where the page is dark.
        top: upper edge of the band as a share of H.
        bottom: lower edge.
    """
    import cv2

    first = round(top * len(ink))
    rows = ink[first : max(round(bottom * len(ink)), first + 1)]
    count, _, stats, _ = cv2.connectedComponentsWithStats(rows, connectivity=8)
    y, w, h = (stats[1:count, column] for column in (cv2.CC_STAT_TOP, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    fit = (h >= SMALLEST) & (h <= LARGEST) & (w <= 3 * h)
    if top > 0.0:
        fit &= y > 0
    if bottom < 1.0:
        fit &= y + h < len(rows)
    return [int(value) for value in h[fit]]
