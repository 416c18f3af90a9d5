"""Small ink that OCR read on its own beside the lines of a page image."""

from __future__ import annotations

from layout.segments import Segment, segment_of
from layout.specks import without_stray_marks
from layout.types import Glyph
from wholepage.boxes import Box

EM = 30.0


def line(text: str, x: float = 100, y: float = 100) -> Segment:
    glyphs = [Glyph(c, Box(x + EM * i, y, x + EM * (i + 1), y + EM), EM, "", 0.99) for i, c in enumerate(text)]
    return segment_of(glyphs, EM, 0.99, "ocr")


def speck(text: str, x: float, y: float, size: float = 6) -> Segment:
    return segment_of([Glyph(text, Box(x, y, x + size, y + size), 12.0, "", 0.6)], 12.0, 0.6, "ocr")


def texts(*segments: Segment) -> list[str]:
    return [s.text for s in without_stray_marks(segments, EM)]


def test_two_dots_over_one_another_are_a_colon() -> None:
    assert texts(line("计算题"), speck("•", 194, 110), speck("•", 195, 121), line("本题", 220)) == [
        "计算题",
        "本题",
        "：",
    ]


def test_a_lone_dot_and_the_stroke_of_an_ideograph_go() -> None:
    assert texts(line("检则"), speck("、", 132, 104), speck("•", 300, 122)) == ["检则"]


def test_marks_that_stand_free_or_are_large_stay() -> None:
    assert texts(line("检则"), speck("、", 200, 120), speck("•", 300, 100, size=20)) == ["检则", "、", "•"]
    assert texts(line("A•B")) == ["A•B"]
