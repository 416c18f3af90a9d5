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


def small_digits(text: str, letters: str = "") -> str:
    """`text` written out with its digits, and the given letters, as small print on the line."""
    glyphs, x = [], 0.0
    for char in text:
        small = char.isdigit() or char in letters
        size = 0.52 * EM if small else EM
        width = EM if ord(char) > 0x2E7F else 0.5 * size
        glyphs.append(Glyph(char, Box(x, 8.0, x + width, 30.0), size, "SimSun", 1.0, 31.0 if small else 30.0))
        x += width
    return "".join(g.text for g in write_glyphs([glyphs], [], EM))


def test_small_digits_on_the_line_are_indices() -> None:
    assert small_digits("含Na2SO4的水") == r"含$\mathrm{Na_2SO_4}$的水"
    assert small_digits("在Fe2（SO4）3溶液") == r"在$\mathrm{Fe_2(SO_4)_3}$溶液"
    assert small_digits("通式CnH2mOm的糖", "nm") == (
        r"通式$\mathrm{C}_{\mathrm{n}}\mathrm{H}_{2\mathrm{m}}\mathrm{O}_{\mathrm{m}}$的糖"
    )
    assert small_digits("硫（SO4）3") != r"硫$\mathrm{(SO_4)_3}$"


def test_argument_in_brackets_is_no_mark_of_a_part() -> None:
    glyphs, x = [], 0.0
    for char in "y=loga(4)是":
        size, foot = (0.7 * EM, 36.0) if char == "a" else (EM, 30.0)
        if char == "(":
            x += 0.25 * EM
        width = EM if ord(char) > 0x2E7F else 0.5 * size
        glyphs.append(Glyph(char, Box(x, foot - 0.7 * size, x + width - 1, foot), size, "", 1.0, foot))
        x += width
    blank = Glyph(" ", Box(glyphs[5].box.x1, 8.0, glyphs[6].box.x0, 30.0), EM, "", 1.0, 30.0)
    assert "".join(g.text for g in write_glyphs([glyphs], [blank], EM)) == r"$y=\log_a(4)$是"
