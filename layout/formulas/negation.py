"""Relations that are struck through: the stroke is a character of its own, printed over the relation."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from layout.types import Glyph

STROKE = "\u0338"


def negated(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs with each stroke joined to the relation that it stands on: ≠ for = with a stroke."""
    strokes = [g for g in glyphs if g.text == STROKE]
    if not strokes:
        return list(glyphs)
    out = [g for g in glyphs if g.text != STROKE]
    for stroke in strokes:
        at = min(
            (n for n, g in enumerate(out) if _strikes(stroke, g)),
            key=lambda n: abs(out[n].box.cx - stroke.box.cx),
            default=None,
        )
        if at is not None:
            whole = unicodedata.normalize("NFC", out[at].text + STROKE)
            out[at] = replace(out[at], text=whole)
    return out


def _strikes(stroke: Glyph, glyph: Glyph) -> bool:
    """Whether the stroke lies on a relation that has a struck form."""
    if glyph.text.isspace() or len(unicodedata.normalize("NFC", glyph.text + STROKE)) != 1:
        return False
    level = abs((glyph.baseline or glyph.box.y1) - (stroke.baseline or stroke.box.y1)) < 0.2 * glyph.size
    reach = max(glyph.box.x0 - stroke.box.x1, stroke.box.x0 - glyph.box.x1)
    return level and reach < 0.15 * glyph.size
