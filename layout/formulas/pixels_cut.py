"""Crops for the recogniser: the pieces of fractions on their own, and lines from which cut pieces are painted out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import SCALE, Strokes
from layout.ocr import Image
from wholepage.boxes import Box

HALO = 2  # px of the mask around painted-out ink: the blur of its edge


@dataclass
class Region:
    """A part of the page that is read as one line: `box` page px, `parts` the components that it owns.

    `plain` tells that nothing was cut from it; `owner` is the number of the fraction that it is a piece of, `foot` the
    y of the bar that it stands on; `beside` marks what stands by a formula without a detected box.
    """

    box: Box
    parts: list[int] = field(default_factory=list)
    plain: bool = True
    owner: int | None = None
    stray: bool = False
    foot: float | None = None
    beside: bool = False


def crop_of(page: Image, cut: Box) -> Image:
    """The page's pixels in `cut`."""
    return page[int(cut.y0) : math.ceil(cut.y1), int(cut.x0) : math.ceil(cut.x1)]


def clean_crop(page: Image, mask: NDArray[np.uint8], strokes: Strokes, cut: Box, keep: Sequence[int]) -> Image:
    """The page's pixels in `cut` with all ink painted out but the components `keep`.

    `mask` is the sharp mask with everything in it, bars included.
    """
    import cv2

    crop = crop_of(page, cut).copy()
    height, width = crop.shape[:2]
    y0, x0 = int(cut.y0) * SCALE, int(cut.x0) * SCALE
    window = (slice(y0, y0 + height * SCALE), slice(x0, x0 + width * SCALE))
    own = np.isin(strokes.labels[window], strokes.ids[list(keep)]).view(np.uint8)
    foreign = mask[window] & (1 - own)
    if not foreign.any():
        return crop
    kernel = np.ones((2 * HALO + 1, 2 * HALO + 1), np.uint8)
    painted = cv2.dilate(foreign, kernel) & (1 - cv2.dilate(own, np.ones((3, 3), np.uint8)))
    small = cv2.resize(painted * np.uint8(255), (width, height), interpolation=cv2.INTER_AREA) > 100
    paper = np.percentile(crop.reshape(-1, 3), 80, axis=0).astype(np.uint8)
    crop[small] = paper
    return crop
