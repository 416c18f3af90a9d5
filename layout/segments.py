"""A segment: a piece of text without a wide gap, the common currency of text layer and OCR inside this room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from layout.types import Glyph, Origin
from wholepage.boxes import Box


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
