"""The structure analyser on text layers: one small drawing for each class of faults, read as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pymupdf
import pytest

from ingest.mathfonts import decode_math
from ingest.textlayer import read_text_layer
from layout.formulas.accents import accent_shapes
from layout.formulas.atoms import atom_of
from layout.formulas.brackets import drawn_brackets
from layout.formulas.containers import assemble
from layout.formulas.latex import to_latex
from layout.formulas.longsigns import double_bars, long_sign
from layout.formulas.negation import negated
from layout.formulas.overarrows import over_arrows
from layout.formulas.shapes import Shape, ShapeKind
from layout.formulas.structure import main_level, node_of
from layout.formulas.unnamed import named
from layout.ink import find_ink
from layout.types import Glyph
from wholepage.boxes import Box

EM, BASE = 30.0, 100.0
ITALIC, ROMAN = "KaTeX_Math-Italic", "KaTeX_Main-Regular"
AXIS = BASE - 0.25 * EM


def put(text: str, x: float, base: float = BASE, size: float = EM, width: float = 0.5) -> list[Glyph]:
    """Characters from `x` on, each `width` em wide; Latin letters italic."""
    out = []
    for char in text:
        font = ITALIC if char.isascii() and char.isalpha() else ROMAN
        box = Box(x, base - 0.88 * size, x + width * size, base + 0.22 * size)
        out.append(Glyph(char, box, size, font, 1.0, base))
        x += width * size
    return out


def upright(text: str, x: float, base: float = BASE, size: float = EM) -> list[Glyph]:
    return [Glyph(g.text, g.box, g.size, ROMAN, 1.0, g.baseline) for g in put(text, x, base, size)]


def bar(x0: float, x1: float, y: float, kind: ShapeKind = "bar") -> Shape:
    return Shape(kind, Box(x0, y - 1, x1, y + 1))


def read(glyphs: Sequence[Glyph], shapes: Sequence[Shape] = ()) -> str:
    done, _ = assemble(glyphs, shapes)
    return to_latex(node_of([atom_of(g) for g in done if not g.text.isspace()]))


SMALL = 0.7 * EM
RAISED, LOWERED = BASE - 0.4 * EM, BASE + 0.2 * EM

ROWS: list[tuple[str, list[Glyph], list[Shape], str]] = [
    ("exponent", [*put("x", 0), *put("2", 15, RAISED, SMALL)], [], "x^2"),
    ("sub and sup", [*put("x", 0), *put("1", 15, LOWERED, SMALL), *put("2", 15, RAISED, SMALL)], [], "x_1^2"),
    ("exponent of its numerator's own size",
     [*put("m", 3, 70, 19), *put("2", 13, 63, 19), *put("6", 6, 93, 19)], [bar(2, 26, 75)], r"\frac{m^2}{6}"),
    ("fraction", [*put("a", 4, 78), *put("b", 4, 122)], [bar(2, 22, AXIS)], r"\frac{a}{b}"),
    ("fraction in a numerator",
     [*put("1", 10, 58, 21), *put("v", 10, 82, 21), *put("2", 10, 122)], [bar(8, 24, 62), bar(4, 30, AXIS)],
     r"\frac{\frac{1}{v}}{2}"),
    ("radical", put("2", 20), [Shape("radical", Box(0, 72, 36, 106), 19)], r"\sqrt{2}"),
    ("decimal point in a radical", put("1.9", 20), [Shape("radical", Box(0, 72, 66, 106), 19)], r"\sqrt{1.9}"),
    ("radical with index", [*put("3", 4, 84, 15), *put("2", 20)], [Shape("radical", Box(0, 72, 36, 106), 19)],
     r"\sqrt[3]{2}"),
    ("radical in a numerator as wide as the bar",
     [*put("3", 20, 82), *put("3", 10, 122)], [Shape("radical", Box(0, 56, 36, 88), 19), bar(0, 36, AXIS)],
     r"\frac{\sqrt{3}}{3}"),
    ("nested radicals",
     put("8", 40), [Shape("radical", Box(20, 72, 56, 106), 39), Shape("radical", Box(0, 66, 58, 108), 18)],
     r"\sqrt{\sqrt{8}}"),
    ("arrow over letters", put("AB", 0), [bar(0, 30, 72, "arrow")], r"\overrightarrow{AB}"),
    ("arrow over a letter", put("d", 0), [bar(1, 15, 72, "arrow")], r"\vec{d}"),
    ("overline", put("AB", 0), [bar(0, 30, 72)], r"\overline{AB}"),
    ("hat", put("p", 0), [bar(2, 13, 76, "hat")], r"\hat{p}"),
    ("drawn long equals sign with a condition",
     [*put("x", 0), *put("点", 35, 80, SMALL, 1.0), *put("y", 80)], [Shape("equals", Box(20, 90, 76, 96))],
     r"x\xlongequal{\text{点}}y"),
    ("drawn long equals sign without one",
     [*put("x", 0), *put("y", 80)], [Shape("equals", Box(20, 90, 76, 96))], "x=y"),
    ("drawn arrow with conditions",
     [*put("x", 0), *put("a", 40, 80, SMALL), *put("b", 40, 124, SMALL), *put("y", 80)],
     [Shape("arrow", Box(20, 86, 76, 99))], r"x\xrightarrow[b]{a}y"),
    ("drawn half arrows",
     [*put("x", 0), *put("a", 40, 80, SMALL), *put("y", 80)], [Shape("harpoons", Box(20, 86, 76, 99))],
     r"x\xrightleftharpoons{a}y"),
    ("sum", [*put("∑", 0, width=1.0), *put("n", 10, 67, 20), *put("k", 10, 133, 20), *put("k", 34)], [],
     r"\sum_k^nk"),
    ("index_before", [*put("(", 0), *put("a", 9, LOWERED, SMALL), *put("μ", 18), *put("g", 33, LOWERED, SMALL)], [],
     r"({}_a\mu_g"),
    ("isotope", [*put("92", 0, LOWERED, SMALL), *put("235", 0, RAISED, SMALL), *upright("U", 33)], [],
     r"{}_{92}^{235}\mathrm{U}"),
    ("number of isotopes",
     [*put("5", 0), *put("92", 15, LOWERED, SMALL), *put("235", 15, RAISED, SMALL), *upright("U", 48)], [],
     r"5{}_{92}^{235}\mathrm{U}"),
    ("degree Celsius behind an exponent",
     [*put("10", 0), *put("−2", 30, RAISED, SMALL), *put("∘", 56, RAISED, SMALL), *upright("C", 70)], [],
     r"10^{-2}{}^\circ\mathrm{C}"),
    ("drawn brackets of a determinant",
     [*put("a", 20, 82), *put("b", 60, 82), *put("c", 20, 120), *put("d", 60, 120), *put("=", 100)],
     [Shape("|", Box(10, 60, 12, 130)), Shape("|", Box(85, 60, 87, 130))],
     r"\begin{vmatrix} a & b \\ c & d \end{vmatrix}="),
]  # fmt: skip


@pytest.mark.parametrize(("glyphs", "shapes", "latex"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_structure(glyphs: list[Glyph], shapes: list[Shape], latex: str) -> None:
    assert read(glyphs, shapes) == latex


def test_scripts_of_the_next_row_are_none_of_a_denominator() -> None:
    upper = [*put("a", 4, 78), *put("b", 4, 122)]
    lower = [*put("x", 0, 155), *put("2", 15, 143, SMALL)]
    done, _ = assemble([*upper, *lower], [bar(2, 22, AXIS)])
    (fraction,) = [g for g in done if g.text == "a/b"]
    assert fraction.box.y1 < 132
    assert {g.text for g in done} == {"a/b", "x", "2"}


def test_a_letter_of_the_next_row_is_no_part_of_a_radical() -> None:
    done, _ = assemble([*put("2", 20), *put("A", 20, 132)], [Shape("radical", Box(0, 72, 36, 134), 19)])
    assert {g.text for g in done} == {"√2", "A"}


@pytest.mark.parametrize(
    ("relation", "struck"), [("=", "≠"), ("∈", "∉"), ("⊂", "⊄")], ids=["not equal", "no element", "no subset"]
)
def test_struck_relation(relation: str, struck: str) -> None:
    glyphs = [*put("x", 0), *put(relation, 20), *put("\u0338", 20), *put("y", 40)]
    assert [g.text for g in negated(glyphs)] == ["x", struck, "y"]


def test_a_stroke_on_nothing_is_dropped_from_no_letter() -> None:
    glyphs = [*put("x", 0), *put("\u0338", 200), *put("y", 15)]
    assert [g.text for g in negated(glyphs)] == ["x", "y"]


def canvas(*boxes: tuple[int, int, int, int]) -> np.ndarray:
    ink = np.zeros((200, 400), bool)
    for x0, y0, x1, y1 in boxes:
        ink[y0:y1, x0:x1] = True
    return ink


SHAFT = (50, 99, 120, 101)
HEAD = (112, 93, 120, 107)


@pytest.mark.parametrize(
    ("strokes", "path", "kind"),
    [
        ([SHAFT, HEAD], Box(50, 92, 120, 108), "arrow"),
        ([(50, 95, 120, 97), (50, 103, 120, 105)], Box(50, 95, 120, 105), "equals"),
        ([(50, 97, 120, 99), (50, 104, 120, 106), (110, 92, 120, 98), (50, 105, 60, 112)], Box(50, 91, 120, 113),
         "harpoons"),
        ([SHAFT], Box(50, 92, 120, 108), None),
    ],
    ids=["arrow", "equals", "harpoons", "a plain stroke is none"],
)  # fmt: skip
def test_long_sign(strokes: list[tuple[int, int, int, int]], path: Box, kind: str | None) -> None:
    found = long_sign(path, canvas(*strokes), EM)
    assert (found.kind if found else None) == kind


def test_the_end_of_a_clipped_drawing_is_where_its_ink_ends() -> None:
    found = long_sign(Box(50, 95, 399, 105), canvas((50, 95, 120, 97), (50, 103, 120, 105), (300, 90, 310, 120)), 20.0)
    assert found is not None
    assert (found.kind, round(found.box.x0), round(found.box.x1)) == ("equals", 50, 120)


def test_two_bars_are_an_equals_sign_when_close() -> None:
    close = double_bars([Box(0, 10, 60, 11), Box(0, 16, 60, 17)], EM)
    apart = double_bars([Box(0, 10, 60, 11), Box(0, 40, 60, 41)], EM)
    assert [shape.kind for shape, _, _ in close] == ["equals"]
    assert apart == []


@pytest.mark.parametrize("vertical", [True, False], ids=["pair", "alone"])
def test_drawn_bars_come_in_pairs(vertical: bool) -> None:
    paths = [Box(50, 40, 52, 130), *([Box(150, 40, 152, 130)] if vertical else [])]
    found = drawn_brackets(paths, canvas((50, 40, 52, 131), (150, 40, 152, 131)), EM)
    assert [s.kind for s in found] == ["|"] * (2 if vertical else 0)


def test_drawn_square_brackets() -> None:
    left = [(50, 40, 53, 131), (50, 40, 64, 43), (50, 128, 64, 131)]
    right = [(150, 40, 153, 131), (139, 40, 153, 43), (139, 128, 153, 131)]
    found = drawn_brackets([Box(50, 40, 63, 130), Box(139, 40, 152, 130)], canvas(*left, *right), EM)
    assert [s.kind for s in found] == ["[", "]"]


def mark(text: str, x: float) -> Glyph:
    return Glyph(text, Box(x, 74, x, 106), EM, ROMAN, 1.0, BASE)


@pytest.mark.parametrize("before", [True, False], ids=["mark before its letter", "mark behind its letter"])
def test_accent_finds_its_letter(before: bool) -> None:
    letter, accent = put("y", 40)[0], mark("\u0302", 40 if before else 55)
    comps = np.array([[42.0, 70.0, 53.0, 75.0], [40.0, 84.0, 55.0, 106.0]])
    (shape,) = accent_shapes([accent, letter] if before else [letter, accent], comps, canvas())
    assert (shape.kind, shape.box) == ("hat", Box(42, 70, 53, 75))


def test_accent_whose_ink_runs_into_a_bracket() -> None:
    letter = put("t", 40)[0]
    ink = canvas((40, 68, 58, 72), (57, 60, 60, 120), (42, 78, 50, 100))
    comps = np.array([[40.0, 60.0, 60.0, 120.0], [42.0, 78.0, 50.0, 100.0]])
    (shape,) = accent_shapes([letter, mark("\u20d7", 55)], comps, ink)
    assert shape.kind == "arrow"
    assert read([letter, *put("=", 70)], [shape]) == r"\vec{t}="


@pytest.mark.parametrize(
    ("char", "font", "meant"),
    [
        ("\uf061", "Symbol", "α"),
        ("a", "ABCDEF+SymbolMT", "α"),
        ("\uf0b3", "Symbol", "≥"),
        ("³", "Symbol", "≥"),
        ("×", "Symbol", "×"),
        ("α", "Symbol", "α"),
        ("\uf0e5", "EuclidSymbol", "∑"),
        ("\uf04c", "MTExtra", "⋯"),
        ("l", "MT-Extra", "ℓ"),
        ("\ue020", "KaTeX_Main-Regular", "\u0338"),
        ("a", "TimesNewRoman", "a"),
        ("a", "SegoeUISymbol", "a"),
    ],
)
def test_codes_of_fonts_for_mathematics(char: str, font: str, meant: str) -> None:
    assert decode_math(char, font) == meant


def test_symbol_font_on_a_page() -> None:
    document = pymupdf.open()
    page = document.new_page(width=200, height=100)
    page.insert_text((20, 50), "abp", fontname="symb", fontsize=12)
    layer = read_text_layer(page, 200)
    assert "".join(g.text for g in layer.glyphs) == "αβπ"


@pytest.mark.parametrize(
    ("char", "font", "sign"),
    [
        ("“", "ABCDEF+TeX-matha10", "="), ("`", "ABCDEF+TeX-matha7", "+"), ("´", "TeX-matha10", "−"),
        ("ą", "TeX-matha10", ">"), ("ď", "TeX-matha10", "≤"), ("č", "TeX-mathx10", "⋂"), ("“", "NimbusRomNo9L", "“"),
        ("ŷ", "TeX-matha10", "ŷ"), ("x", "Dingbats", "①"), ("{", "ABCDEF+ZapfDingbats", "④"), ("✓", "Dingbats", "✓"),
        ("\uf8f1", "CMEX10", "⎧"), ("(", "CMEX10", "{"),
    ],
)  # fmt: skip
def test_codes_of_fonts_without_unicode(char: str, font: str, sign: str) -> None:
    assert decode_math(char, font) == sign


@pytest.mark.parametrize("sign", ["{", "}", "(", ")", "[", "]", "|"])
def test_a_tall_bracket_without_a_code_is_told_by_its_ink(sign: str) -> None:
    page = pymupdf.open().new_page(width=200, height=200)
    page.insert_text((60, 100), sign, fontsize=30, fontname="tiro")
    pixels = page.get_pixmap(dpi=200, alpha=False)
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    ink = find_ink(image.min(axis=2), 200)
    (printed,) = read_text_layer(page, 200).glyphs
    unnamed = replace(printed, text="\ufffd", size=14 * 200 / 72, font="CambriaMath")
    (told,) = named([unnamed], ink.mask > 0, ink.boxes)
    assert told.text == sign
    text_font = replace(unnamed, font="NimbusRoman")
    assert named([text_font], ink.mask > 0, ink.boxes) == [text_font]


def test_a_font_with_its_own_map_to_unicode_is_believed() -> None:
    assert decode_math("(", "CMEX10", mapped=True) == "("
    assert decode_math("(", "CMEX10") == "{"


def _row(text: str, x: float, baseline: float, step: float = 15.0) -> list[Glyph]:
    return [
        Glyph(c, Box(x + step * n, baseline - 22, x + step * (n + 1), baseline + 6), 30.0, "CMSY10", 1.0, baseline)
        for n, c in enumerate(text)
    ]


def test_an_arrow_over_letters_set_from_characters() -> None:
    letters, arrow = _row("AB", 100, 200, 20), _row("−→", 100, 184, 20)
    rest, shapes = over_arrows([*letters, *arrow, *_row("=", 145, 200)])
    assert [g.text for g in rest] == ["A", "B", "="]
    (shape,) = shapes
    assert shape.kind == "arrow" and shape.box.x0 == 100 and shape.box.x1 == 140 and shape.box.y1 < 184
    nothing_below = _row("−→", 300, 184, 20)
    beside = [*_row("CD", 500, 200), *_row("x", 485, 184), *_row("→", 500, 184), *_row("0", 515, 184)]
    rest, shapes = over_arrows([*nothing_below, *beside])
    assert shapes == [] and len(rest) == len(nothing_below) + len(beside)


def test_codes_of_mathabx_are_read_whatever_map_they_bring() -> None:
    assert decode_math("“", "TeX-matha10", mapped=True) == "="


def test_a_line_of_two_sizes_of_ideographs_has_a_level() -> None:
    sizes = [20.0, 20.0, 30.0, 30.0]
    glyphs = [Glyph(c, Box(30.0 * n, 0, 30.0 * n + 28, 30), sizes[n], "", 1.0, 28.0) for n, c in enumerate("甲乙丙丁")]
    assert main_level([atom_of(g) for g in glyphs]) == (30.0, 28.0)
