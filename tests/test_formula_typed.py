"""Formulas as people type them: brackets in pieces, names in italics, parts in the font of the sentence."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from ingest.textlayer import read_text_layer
from layout.formulas.digital import digital_shapes
from layout.formulas.lines import write_glyphs
from layout.formulas.shapes import Shape
from layout.ink import find_ink
from layout.types import Glyph
from tests.test_formula_structure import AXIS, BASE, EM, SMALL, bar, put, read, upright
from wholepage.boxes import Box


def test_the_longest_row_of_cases_keeps_what_its_sign_asks_for() -> None:
    rows = [*put("x−y≥0,", 16, 60), *put("x+y−2≤0,", 16, 100), *put("y≥0,", 16, 140)]
    tall = Shape("{", Box(0, 38, 14, 144))
    assert (
        read([*rows, *put("=3", 200, 102)], [tall]) == r"\begin{cases} x-y\ge0, \\ x+y-2\le0, \\ y\ge0, \end{cases}=3"
    )


def test_conditions_behind_commas_that_stand_under_one_another_are_a_column() -> None:
    upper, lower = put("a+b", 16, 80), put("c", 16, 130)
    conditions = [*put(",x>0", 90, 80), *put(",x=0", 94, 130)]
    tall = Shape("{", Box(0, 50, 14, 145))
    assert read([*upper, *lower, *conditions], [tall]) == r"\begin{cases} a+b, & x>0 \\ c, & x=0 \end{cases}"
    plain = [*put("x=1,y=2", 16, 80), *put("x=3,y=4", 16, 130)]
    assert "&" not in read(plain, [tall])


def pieces(text: str, x: float, first: float, step: float) -> list[Glyph]:
    return [g for n, char in enumerate(text) for g in put(char, x, first + n * step, width=0.4)]


@pytest.mark.parametrize(("left", "right"), [("⎡⎣", "⎤⎦"), ("⎡⎢⎣", "⎤⎥⎦")])
def test_pieces_of_a_bracket_are_one(left: str, right: str) -> None:
    glyphs = [*pieces(left, 0, 92, 14), *upright("C", 14), *pieces(right, 30, 92, 14)]
    assert read(glyphs) == r"[\mathrm{C}]"


def test_pieces_of_two_rows_are_two_brackets() -> None:
    rows = [*pieces("⎡⎣", 0, 92, 14), *pieces("⎡⎣", 0, 152, 14)]
    assert read(rows).count("[") == 2
    assert read(pieces("⎡⎢", 0, 92, 14)).count("[") == 2  # no foot: nothing is guessed


def test_matrix_of_two_tight_rows() -> None:
    glyphs = [*put("2", 20, 82), *put("5", 60, 82), *put("7", 20, 118), *put("8", 60, 118)]
    tall = [Shape("[", Box(6, 61, 14, 61 + 1.6 * EM + 12)), Shape("]", Box(80, 61, 88, 61 + 1.6 * EM + 12))]
    assert read(glyphs, tall) == r"\begin{bmatrix} 2 & 5 \\ 7 & 8 \end{bmatrix}"


@pytest.mark.parametrize(
    ("text", "latex"),
    [("cosx", r"\cos x"), ("xsinx", r"x\sin x"), ("arctanx", r"\arctan x"), ("lnx", "lnx"), ("maxx", "maxx")],
)
def test_names_of_functions_set_in_italics(text: str, latex: str) -> None:
    assert read(put(text, 0)) == latex


def test_cosec_is_one_name() -> None:
    assert read([*upright("cosec", 0), *put("x", 80)]) == r"\operatorname{cosec}x"


def test_bracket_under_a_line_drawn_too_long_is_none_of_the_radicand() -> None:
    root = Shape("radical", Box(30, 72, 116, 106), 49)
    assert read([*put("(2", 0), *put("1−x)", 50)], [root]) == r"(2\sqrt{1-x})"
    assert read([*put("2", 0), *put("(x)", 50)], [Shape("radical", Box(30, 72, 100, 106), 49)]) == r"2\sqrt{(x)}"


def test_index_of_a_root_over_a_small_fraction() -> None:
    fraction = [*put("1", 26, 84, SMALL), *put("3", 26, 120, SMALL)]
    index = put("3", 2, 82, 0.58 * EM)
    shapes = [Shape("radical", Box(0, 64, 40, 124), 24), bar(25, 38, AXIS)]
    assert read([*put("√", 2), *fraction, *index], shapes) == r"\sqrt[3]{\frac{1}{3}}"


def typed(text: str) -> str:
    """A line with what stands in `‹…›` set in a font of mathematics, superscripts after `^`, the rest as text."""
    glyphs, blanks, x, font, raised = [], [], 0.0, "ArialMT", False
    for char in text:
        if char in "‹›^":
            font, raised = {"‹": "CambriaMath", "›": "ArialMT"}.get(char, font), char == "^"
            continue
        size, base = (0.66 * EM, BASE - 11) if raised else (EM, BASE)
        glyph = Glyph(char, Box(x, base - 0.9 * size, x + 0.5 * size, base + 0.2 * size), size, font, 1.0, base)
        (blanks if char == " " else glyphs).append(glyph)
        x += 0.5 * size
        raised = False
    return "".join(g.text for g in write_glyphs([glyphs], blanks, EM))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("in (‹a=b›) we see", "in ($a=b$) we see"),
        ("on (‹−∞,2)› it falls", r"on $(-\infty,2)$ it falls"),
        ("on ‹(2,∞›) it rises", r"on $(2,\infty)$ it rises"),
        ("so ‹a› = ‹b› here", "so $a=b$ here"),
        ("so ‹a› = 7.5. Then", "so $a=7.5$. Then"),
        ("so ‹a› is 7", "so $a$ is 7"),
        ("is (as said ‹x=2)› here", "is (as said $x=2)$ here"),
    ],
)
def test_brackets_typed_in_the_font_of_the_sentence(text: str, written: str) -> None:
    assert typed(text).replace(r"\mathrm{x}", "x").replace(r"\mathrm{a}", "a").replace(r"\mathrm{b}", "b") == written


def test_a_function_with_a_script_is_a_formula_with_its_name() -> None:
    assert typed("so tan^1‹x=y› holds").startswith(r"so $\tan^1")


def test_a_font_written_into_the_page_itself() -> None:
    """Scanning programs set their hidden text in a font that has no object number of its own."""
    document = pymupdf.open()
    page = document.new_page(width=200, height=100)
    page.insert_text((20, 50), "abc", fontsize=12)
    (font,) = page.get_fonts()
    kind, value = document.xref_get_key(page.xref, "Resources")
    resources = int(value.split()[0]) if kind == "xref" else page.xref
    direct = f"<</{font[4]}<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>>>"
    document.xref_set_key(resources, "Font" if resources != page.xref else "Resources/Font", direct)
    page = pymupdf.open(stream=document.tobytes())[0]
    assert page.get_fonts()[0][0] == 0
    assert "".join(g.text for g in read_text_layer(page, 200).glyphs) == "abc"


def test_long_sign_drawn_on_the_baseline_with_its_condition_as_large_as_the_line() -> None:
    glyphs = [*upright("C", 0), *put("点燃", 16, 89, width=1.0), *upright("O", 76), *put("点", 200, 100, width=1.0)]
    sign = Shape("equals", Box(16, 101, 76, 108))
    assert read(glyphs, [sign]) == r"\mathrm{C}\xlongequal{\text{点燃}}\mathrm{O}\text{点}"
    below = Shape("equals", Box(16, 130, 76, 137))  # of another row
    assert "xlongequal" not in read(glyphs, [below])


def test_long_sign_that_only_the_picture_shows() -> None:
    page = pymupdf.open().new_page(width=300, height=100)
    page.insert_text((60, 50), "C", fontsize=12, fontname="tiro")
    page.insert_text((92, 50), "O", fontsize=12, fontname="tiro")
    text = read_text_layer(page, 200)
    for y in (46.0, 48.5):
        page.draw_line((69, y), (91, y), width=0.6)
    pixels = page.get_pixmap(dpi=200, alpha=False)
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.h, pixels.w, 3)
    ink = find_ink(image.min(axis=2), 200)
    assert [s.kind for s in digital_shapes(text, ink.mask, 33.0, ink.boxes)] == ["equals"]
