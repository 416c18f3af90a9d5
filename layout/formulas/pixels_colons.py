"""Colons of ratios, which a recogniser that reads Chinese takes for the full-width mark of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_levels import Level
from layout.types import Glyph
from wholepage.boxes import Box

DOT = 0.22  # font sizes, of a dot
HIGHEST = 0.62  # font sizes above the writing line
LEAST_GAP = 0.2  # font sizes before the colon; the mark of a sentence follows its word more closely
EVEN = 1.7  # the wider of the gaps on both sides by the other one


def with_colons(glyphs: Sequence[Glyph], parts: NDArray[np.float64], main: Level) -> list[Glyph]:
    """The glyphs of a line with a plain colon for a full-width one that stands in the middle between two operands.

    `parts` are the N×4 boxes of the line's components in page px, `main` is the level of its main text.
    """
    out = list(glyphs)
    for n, glyph in enumerate(glyphs):
        if glyph.text != "：":
            continue
        dots = _dots(glyph, parts, main)
        left = next((g for g in reversed(out[:n]) if not g.text.isspace()), None)
        right = next((g for g in out[n + 1 :] if not g.text.isspace()), None)
        if dots is None or left is None or not _operand(left) or not (right is None or _operand(right)):
            continue
        before = dots.x0 - left.box.x1
        behind = before if right is None else right.box.x0 - dots.x1
        if before >= LEAST_GAP * main.size and max(before, behind) <= EVEN * min(before, behind):
            out[n] = replace(glyph, text=":", box=dots)
    return out


def _operand(glyph: Glyph) -> bool:
    return glyph.text.isascii() and glyph.text.isalnum()


def _dots(glyph: Glyph, parts: NDArray[np.float64], main: Level) -> Box | None:
    """Hull of the two dots in a colon's cell."""
    cell = glyph.box.grow(0.1 * main.size, 0)
    small = [
        b
        for b in map(Box.of, parts)
        if cell.x0 <= b.cx <= cell.x1
        and max(b.width, b.height) <= DOT * main.size
        and main.baseline - HIGHEST * main.size <= b.cy <= main.baseline
    ]
    if len(small) != 2 or abs(small[0].cx - small[1].cx) > 0.08 * main.size:
        return None
    return Box.hull(small)
