"""Small signs that stand alone beside a fraction or a tall bracket: their place tells more than their few pixels."""

from __future__ import annotations

import numpy as np

from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_ink import Mask
from layout.formulas.pixels_sketch import Sketch
from wholepage.boxes import Box

RING = (0.2, 0.38)  # em, diameter of a degree sign
ROUND = 1.25  # its longer side by its shorter one
MARK_WIDTH, MARK_HEIGHT = 0.22, (0.1, 0.34)  # em, of a full stop or comma
LONG = 1.3  # height by width above which a mark is a comma
NEAR = 0.5  # em to what it stands beside


def small_sign(sketch: Sketch, region: Region) -> str:
    """The degree sign at a bracket's head, or the mark behind a fraction, that a region is; else an empty string."""
    if len(region.parts) != 1 or region.owner is not None:
        return ""
    em, box = sketch.em, sketch.strokes.box(region.parts[0])
    if RING[0] * em <= min(box.width, box.height) <= max(box.width, box.height) <= RING[1] * em:
        heads = [sketch.strokes.box(i) for i, char in sketch.fences if char in ")]|"]
        if any(_at_head(box, head, em) for head in heads) and _is_ring(sketch.strokes.picture(region.parts[0])):
            return "°"
    if box.width <= MARK_WIDTH * em and MARK_HEIGHT[0] * em <= box.height <= MARK_HEIGHT[1] * em:
        behind = (f for f in sketch.fractions if -0.1 * em <= box.x0 - f.hull.x1 <= NEAR * em)
        if any(f.bar.y1 + 0.05 * em <= box.y0 < f.bar.y1 + 0.4 * em for f in behind):
            return "," if box.height >= LONG * box.width else "."
    return ""


def _at_head(box: Box, bracket: Box, em: float) -> bool:
    return -0.2 * em <= box.x0 - bracket.x1 <= NEAR * em and abs(box.cy - bracket.y0) <= 0.4 * em


def _is_ring(picture: Mask) -> bool:
    """Whether a picture is as wide as high, with nothing in its middle and ink on all four sides of it."""
    height, width = picture.shape
    if max(height, width) > ROUND * min(height, width):
        return False
    y, x = height // 2, width // 2
    if picture[y - height // 10 : y + height // 10 + 1, x - width // 10 : x + width // 10 + 1].any():
        return False
    return all(bool(np.any(side)) for side in (picture[y, :x], picture[y, x:], picture[:y, x], picture[y:, x]))
