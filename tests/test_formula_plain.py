"""Lines of words in page images, whose strokes are no signs of mathematics; the dots of a colon are no scripts."""

from __future__ import annotations

import numpy as np
import pytest

from layout.formulas.pixels_levels import Level
from layout.formulas.pixels_plain import are_words
from layout.formulas.pixels_scripts import find_scripts
from layout.ocr import Recognised
from layout.segments import segment_of
from layout.types import Glyph
from wholepage.boxes import Box


def read(text: str, *, sure: float = 0.99, brackets: float = 0.5) -> Recognised:
    each = tuple(brackets if c in "()（）" else sure for c in text)
    spans = tuple((n / len(text), (n + 1) / len(text)) for n in range(len(text)))
    return Recognised(text, sum(each) / len(each), spans, each)


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (read("高一化学单元检测(解析版）"), True),
        (read("高一化学单元检测", sure=0.7), False),
        (read("当x=2时成立"), False),
        (read("共8小题，每题"), False),
        (read("解析"), False),
    ],
)
def test_a_line_of_words(reading: Recognised, words: bool) -> None:
    assert are_words(reading) == words


def test_the_dots_of_a_colon_are_no_scripts() -> None:
    size = 30.0
    glyphs = [Glyph(c, Box(30.0 * n, 100, 30.0 * n + 28, 130), size, "", 0.99, 126.0) for n, c in enumerate("题：本")]
    glyphs[1] = Glyph("：", Box(40, 106, 47, 126), 15.0, "", 0.6, 126.0)
    segment = segment_of(glyphs, size, 0.9, "ocr")
    main = Level(size, 126.0)
    dots = np.array([[40.0, 106.0, 46.0, 112.0], [40.0, 119.0, 46.0, 125.0]])
    assert find_scripts(0, segment, [0, 1], dots, main) == []
    figures = np.array([[40.0, 98.0, 50.0, 112.0], [40.0, 119.0, 50.0, 133.0]])
    assert find_scripts(0, segment, [0, 1], figures, main)
