"""Decimal points and blanks of a line as the recogniser saw them, put right by the ink beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.pixels_levels import BRACKETS, Level
from layout.segments import is_wide
from layout.types import Glyph
from wholepage.boxes import Box

MARKS = "，。、；：．,.;:·"
TOUCHING = 0.14  # font sizes; no blank is as narrow


def with_points(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Decimal points whose ink was not found put between the digits beside them."""
    out = list(glyphs)
    for n in range(1, len(out) - 1):
        left, point, right = out[n - 1 : n + 2]
        lost = point.text == "." and (point.box.width < 1 or point.box.height > 0.6 * point.size)
        if lost and left.text.isdigit() and right.text.isdigit() and right.box.x0 - left.box.x1 <= 0.5 * point.size:
            base = left.box.y1
            out[n] = replace(point, box=Box(left.box.x1, base - 0.1 * point.size, right.box.x0, base))
    return out


def without_false_blanks(glyphs: Sequence[Glyph], main: Level) -> list[Glyph]:
    """The glyphs without blanks between characters whose ink nearly touches."""

    def false(n: int) -> bool:
        if not glyphs[n].text.isspace() or not 0 < n < len(glyphs) - 1:
            return False
        left, right = glyphs[n - 1], glyphs[n + 1]
        inked = not (is_wide(left.text) or is_wide(right.text) or left.text in MARKS or right.text in MARKS)
        # Tails of slanted letters reach under and over a blank.
        bracket = left.text in BRACKETS or right.text in BRACKETS
        return inked and bracket and right.box.x0 - left.box.x1 < TOUCHING * main.size

    return [g for n, g in enumerate(glyphs) if not false(n)]
