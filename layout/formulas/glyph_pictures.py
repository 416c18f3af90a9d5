"""The picture of a character that the glyph reader sees: its ink alone, of one size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import Mask

SIDE = 32  # px of the picture
MARGIN = 2
Picture = NDArray[np.float32]


def picture_of(ink: Mask) -> Picture:
    """`SIDE`×`SIDE` picture (0 paper, 1 ink) of H×W `ink`, cropped to what is inked, its proportions kept.

    Raises:
        ValueError: there is no ink.
    """
    import cv2

    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size:
        raise ValueError("no ink")
    tight = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.float32)
    scale = (SIDE - 2 * MARGIN) / max(tight.shape)
    height, width = (max(round(n * scale), 1) for n in tight.shape)
    small = cv2.resize(tight, (width, height), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    out = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - height) // 2, (SIDE - width) // 2
    out[top : top + height, left : left + width] = small
    return out
