"""Three dots at the height of the axis, which the recogniser takes for white space or for fewer dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_levels import Level
from layout.formulas.pixels_metrics import AXIS
from layout.types import Glyph
from wholepage.boxes import Box

DOT = (0.07, 0.22)  # font sizes: width and height of a dot
PITCH = (0.18, 0.6)  # font sizes from one dot to the next
LEVEL = 0.1  # font sizes: how far a dot's middle may lie off the axis
CONFIDENCE = 0.9
READ = frozenset(".·•⋅…⋯,，")  # what one or two of them are taken for


def with_dots(glyphs: Sequence[Glyph], parts: NDArray[np.float64], main: Level) -> list[Glyph]:
    """The glyphs of a line with a sign ⋯ wherever three dots stand that nothing but dots was read from.

    Args:
        glyphs: of one line, with their ink.
        parts: N×4, boxes of the line's components, page px.
        main: level of the line's main text.
    """
    out = list(glyphs)
    if not len(parts):
        return out
    size, axis = main.size, main.baseline - AXIS * main.size
    extent = parts[:, 2:] - parts[:, :2]
    fits = (extent >= DOT[0] * size).all(axis=1) & (extent <= DOT[1] * size).all(axis=1)
    fits &= np.abs((parts[:, 1] + parts[:, 3]) / 2 - axis) <= LEVEL * size
    dots = sorted((Box.of(row) for row in parts[fits]), key=lambda b: b.x0)
    n = 0
    while n + 2 < len(dots):
        row = dots[n : n + 3]
        first, second = row[1].cx - row[0].cx, row[2].cx - row[1].cx
        even = PITCH[0] * size <= min(first, second) and max(first, second) <= min(
            PITCH[1] * size, 1.3 * min(first, second)
        )
        hull = Box.hull(row)
        freed = [_without(g, row, parts) for g in out] if even else []
        if even and all(g.text.isspace() or g.text in READ for g in freed if g.box.overlap(hull) > 0):
            out = [g for g in freed if g.box.overlap(hull) <= 0]
            at = next((k for k, g in enumerate(out) if not g.text.isspace() and g.box.cx > hull.cx), len(out))
            out.insert(at, Glyph("⋯", hull, size, "", CONFIDENCE, main.baseline))
            n += 2
        n += 1
    return out


def _without(glyph: Glyph, dots: Sequence[Box], parts: NDArray[np.float64]) -> Glyph:
    """The glyph with the ink that is left when a dot at its side, which was taken for a part of it, is not."""
    taken = [d for d in (dots[0], dots[-1]) if glyph.box.holds(d.cx, d.cy)]
    if len(taken) != 1 or glyph.text.isspace() or glyph.text in READ:
        return glyph
    own = [b for b in map(Box.of, parts) if glyph.box.holds(b.cx, b.cy) and b != taken[0]]
    return replace(glyph, box=Box.hull(own)) if own else glyph
