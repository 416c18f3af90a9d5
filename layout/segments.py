"""A segment: a piece of text without a wide gap, the common currency of text layer and OCR inside this room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from layout.types import Glyph, Origin
from wholepage.boxes import Box

ASCENT, DESCENT = 0.88, 0.22  # extent of a line of text above and below its baseline, in font sizes


@dataclass(frozen=True, slots=True)
class Segment:
    """Glyphs on one baseline. `em` is the font size in pixels (for OCR estimated from the segment's height)."""

    glyphs: tuple[Glyph, ...]
    box: Box
    em: float
    confidence: float
    origin: Origin
    bold: bool = False

    @property
    def text(self) -> str:
        """The glyphs' texts joined."""
        return "".join(g.text for g in self.glyphs)

    @property
    def band(self) -> Box:
        """The band of the writing line: the box without what fractions and brackets add above and below it."""
        main = (g for g in self.glyphs if g.size >= 0.86 * self.em and not g.text.isspace())
        lines = [g.baseline for g in main if g.baseline is not None]
        if not lines:
            return self.box
        base = median(lines)
        return Box(self.box.x0, base - ASCENT * self.em, self.box.x1, base + DESCENT * self.em)


def is_wide(char: str) -> bool:
    """Whether the character is set in a full em (ideographs, kana, full-width forms)."""
    code = ord(char[0])
    return 0x2E80 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF or 0xF900 <= code <= 0xFAFF or 0xFF00 <= code <= 0xFF60


def segment_of(glyphs: Sequence[Glyph], em: float, confidence: float, origin: Origin, bold: bool = False) -> Segment:
    """Segment from glyphs in order; surrounding white space is dropped from its box. Needs one visible glyph."""
    items = list(glyphs)
    while items and items[0].text.isspace():
        items.pop(0)
    while items and items[-1].text.isspace():
        items.pop()
    return Segment(tuple(items), Box.hull(g.box for g in items), em, confidence, origin, bold)
