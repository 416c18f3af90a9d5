"""Poor page images: arrows of few pixels, slanted bars, bars of absolute values, marks and degrees that stand alone."""

from __future__ import annotations

import cv2
import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from layout.formulas.containers import assemble
from layout.formulas.pixels_bars import find_fractions
from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_ink import find_strokes, sharp_mask, without_specks
from layout.formulas.pixels_lone import small_sign
from layout.formulas.pixels_long import find_long_signs
from layout.formulas.pixels_markup import without_markup
from layout.formulas.pixels_shapes import find_arrows, find_fences
from layout.formulas.pixels_sketch import draw_sketch
from layout.formulas.shapes import Shape
from layout.ocr import Recognised
from layout.types import Glyph
from wholepage.boxes import Box

Gray = NDArray[np.uint8]
PX = 200 / 72
EM = 10.5 * PX


class Page:
    """A small page on which things are drawn in points; `gray` renders it."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=300, height=120)

    def text(self, x: float, y: float, text: str, size: float = 10.5, font: str = "tiit") -> Page:
        self.page.insert_text((x, y), text, fontname=font, fontsize=size)
        return self

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> Page:
        self.page.draw_line((x0, y0), (x1, y1), width=width)
        return self

    def gray(self, dpi: float = 200) -> Gray:
        pixmap = self.page.get_pixmap(dpi=int(dpi), colorspace=pymupdf.csGRAY, alpha=False)
        return np.ascontiguousarray(np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width))


def coarse(gray: Gray, factor: float) -> Gray:
    """The page as a picture of fewer pixels that was enlarged again."""
    height, width = gray.shape
    small = cv2.resize(gray, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def vector(head: bool, letters: str = "b", low: float = 0.0) -> Gray:
    """A letter with an arrow, or with a bar, over it, in a line with capital letters; `low` moves it down (points)."""
    page = Page().text(20, 60, "AB").text(40, 60, letters).text(54, 60, "CD")
    y = 50.6 + low
    page.line(39.5, y, 45.5, y, 0.6)
    if head:
        page.line(44.2, y - 0.6, 45.5, y, 0.6).line(44.2, y + 0.6, 45.5, y, 0.6)
    return coarse(page.gray(), 1.9)


@pytest.mark.parametrize("head", [True, False])
def test_blurred_arrow_has_more_ink_at_its_end(head: bool) -> None:
    gray = vector(head)
    strokes = find_strokes(sharp_mask(gray), [], EM)
    assert not find_arrows(strokes, EM), "the mask shows the head"
    assert len(find_arrows(strokes, EM, gray)) == head


def test_stroke_as_low_as_the_letters_beside_is_no_arrow() -> None:
    gray = vector(True, "a", 3.2)
    strokes = find_strokes(sharp_mask(gray), [], EM)
    assert not find_arrows(strokes, EM, gray)


@pytest.mark.parametrize(("rise", "found"), [(0.0, True), (1.6, True), (6.0, False)])
def test_bar_that_is_not_quite_level(rise: float, found: bool) -> None:
    page = Page().text(40, 56, "AB", font="tiro").text(40, 72.5, "AC", font="tiro").line(39, 60 + rise, 56, 60, 0.7)
    mask, parts = without_specks(sharp_mask(page.gray()), EM)
    assert len(find_fractions(mask, parts, EM)) == found


@pytest.mark.parametrize(("foot", "dashed", "found"), [(63.0, False, True), (60.0, False, False), (63.0, True, False)])
def test_bar_of_an_absolute_value_hangs_below_the_line(foot: float, dashed: bool, found: bool) -> None:
    page = Page().text(40, 60, "2 cos x", font="tiro")
    for x in (38.5, 75.0):
        page.line(x, foot - 12.5, x, foot, 0.7)
        if dashed:  # a line of dashes
            page.line(x, foot + 5, x, foot + 17.5, 0.7)
    strokes = find_strokes(sharp_mask(page.gray()), [], EM)
    bars = [i for i, char in find_fences(strokes, EM) if char == "|"]
    assert len(bars) == (2 if found else 0)


def test_signs_of_latex_are_not_on_the_page() -> None:
    def read(text: str) -> str:
        spans = tuple((n / 10, (n + 1) / 10) for n in range(len(text)))
        return without_markup(Recognised(text, 0.9, spans, (0.9,) * len(text))).text

    assert read("AC^{2") == "AC2"
    assert read("x^{10}+1") == "x10+1"
    assert read("a^2") == "a2"
    assert read("p^q") == "p^q"
    assert read("{1,2}") == "{1,2}"


def alone(gray: Gray, box: Box) -> str:
    """The sign that the one component in `box` is, on a page with the fractions that are found there."""
    mask, parts = without_specks(sharp_mask(gray), EM)
    sketch = draw_sketch(mask, find_fractions(mask, parts, EM), EM)
    inside = sketch.strokes.inside(box)
    assert len(inside) == 1
    return small_sign(sketch, Region(box, [int(inside[0])], plain=False))


def test_comma_behind_a_fraction_and_degree_at_a_bracket() -> None:
    page = Page().text(40, 56, "1", font="tiro").text(40, 69, "2", font="tiro").line(39, 59, 46, 59, 0.6)
    page.text(46.5, 62.5, ",", font="tiro")
    assert alone(page.gray(), Box(46.3 * PX, 59 * PX, 51 * PX, 66 * PX)) == ","
    page = Page().text(60, 64, ")", 24, "tiro")
    page.page.draw_circle((69.6, 47.5), 1.5, width=0.5)
    assert alone(page.gray(), Box(67.6 * PX, 44 * PX, 73 * PX, 51 * PX)) == "°"


def test_letters_joined_by_their_serifs_are_no_half_arrows() -> None:
    def found(stems: bool) -> list[str]:
        page = Page().text(30, 60, "H", font="tiro").text(50, 60, "H", font="tiro")
        page.line(40, 55, 48.5, 55, 0.9).line(40, 58.2, 48.5, 58.2, 0.9)
        page.line(45.5, 53.6, 48.5, 55, 0.9).line(43, 59.6, 40, 58.2, 0.9)
        for x in (41.5, 43.5, 45.5, 47.2) if stems else ():
            page.line(x, 55, x, 58.2, 1.1)
        _, parts = without_specks(sharp_mask(page.gray()), EM)
        return [s.char for s in find_long_signs(parts, EM)]

    assert found(stems=False) == ["⇌"]
    assert found(stems=True) == []


def test_mark_behind_a_bar_is_no_part_of_the_fraction() -> None:
    def glyph(char: str, x: float, base: float, size: float = 26.0) -> Glyph:
        return Glyph(char, Box(x, base - 18, x + 12, base), size, "", 0.9, base)

    line = [glyph("1", 102, 60), glyph("2", 102, 92), Glyph(",", Box(115.5, 79, 119, 87), 30, "", 0.9, 82)]
    out, unused = assemble(line, [Shape("bar", Box(100, 66, 116, 68))])
    assert not unused
    assert {g.text for g in out} == {",", "1/2"}
