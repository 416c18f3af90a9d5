"""Lines of plain characters without font names, as they come from page images, and the formulas found in them."""

from __future__ import annotations

import pytest

from layout.formulas.lines import write_glyphs
from layout.types import Glyph
from wholepage.boxes import Box

EM = 30.0


def line(text: str, font: str = "") -> str:
    """`text` set in one line, written out; a blank is a space of the source."""
    glyphs, blanks, x = [], [], 0.0
    for char in text:
        wide = ord(char) > 0x2E7F
        width = EM if wide else 0.5 * EM
        glyph = Glyph(char, Box(x, 8.0, x + width - 2, 30.0), EM, font, 1.0, 30.0)
        (blanks if char == " " else glyphs).append(glyph)
        x += width
    return "".join(g.text for g in write_glyphs([glyphs], blanks, EM))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("求∫4xdx的值", r"\int"),  # the differential is no word
        ("求∫sinxdx的值", r"\sin"),
    ],
)
def test_differential_stays_in_its_integral(text: str, formula: str) -> None:
    written = line(text)
    assert written.startswith("求$") and written.endswith("$的值")
    assert written.count("$") == 2 and formula in written


@pytest.mark.parametrize("text", ["the words and odd ones", "文件dx已打开"])
def test_words_are_no_formulas(text: str) -> None:
    assert line(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("取1 mol NaOH于", r"取$1\mathrm{mol}$ $\mathrm{NaOH}$于"),
        ("速率为2 mol/L时", r"速率为$2\mathrm{mol/L}$时"),
        ("由2 Na+S得", r"由$2\mathrm{Na}+\mathrm{S}$得"),
    ],
)
def test_a_quantity_and_its_substance_are_two_formulas(text: str, written: str) -> None:
    assert line(text, "NewCMMath-Book") == written
