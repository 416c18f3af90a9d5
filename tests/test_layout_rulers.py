"""Dashed lines between columns, which OCR reads as characters."""

from __future__ import annotations

from layout.rulers import without_rulers
from layout.segments import Segment, segment_of
from layout.types import Glyph
from wholepage.boxes import Box

EM = 20.0


def segment(text: str, x: float, y: float) -> Segment:
    glyphs = [Glyph(c, Box(x + 8 * i, y, x + 8 * i + 7, y + EM), EM, "", 0.9) for i, c in enumerate(text)]
    return segment_of(glyphs, EM, 0.9, "ocr")


def test_strokes_of_a_line_go_and_the_text_beside_them_stays() -> None:
    page = [segment(t, 300, 60 * n) for n, t in enumerate(["1", "|", "+|", "| C) is", "1", "‡ D) were"])]
    text = [segment("a line of text", 40, 100), segment("1", 40, 200)]
    assert [s.text for s in without_rulers([*page, *text], EM)] == ["C) is", "D) were", "a line of text", "1"]


def test_a_column_of_numbers_is_no_line() -> None:
    page = [segment("1", 300, 60 * n) for n in range(8)]
    assert without_rulers(page, EM) == page
    absolute = [segment("|x| + 1", 300, 60 * n) for n in range(3)]
    assert without_rulers(absolute, EM) == absolute
