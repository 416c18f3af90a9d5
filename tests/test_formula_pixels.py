"""Formulas in page images: bars, radicals, marks, the ink of each character, sizes, slant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from layout.formulas.pixels import PixelReading, read_pixels
from layout.formulas.pixels_align import Placed, align
from layout.formulas.pixels_bars import Fraction, find_fractions
from layout.formulas.pixels_ink import Strokes, find_strokes, sharp_mask, without_specks
from layout.formulas.pixels_levels import Level, main_level
from layout.formulas.pixels_marks import find_overlines
from layout.formulas.pixels_shapes import find_arrows, find_fences, find_radicals
from layout.formulas.pixels_size import place
from layout.formulas.pixels_slant import lean
from layout.formulas.pixels_tall import settle_signs, tall_segments
from layout.ocr import get_engine
from layout.scanned import MIN_STRAY_CONFIDENCE, line_boxes, read_segments, straighten
from layout.segments import Segment
from layout.types import Glyph
from wholepage.boxes import Box

DPI = 200
PX = DPI / 72
SIZE = 10.5  # pt
EM = SIZE * PX


class Paper:
    """A page in points to draw formulas on with the PDF library's own fonts."""

    def __init__(self, width: float = 420, height: float = 200) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=width, height=height)

    def text(self, x: float, y: float, text: str, font: str = "tiro", size: float = SIZE) -> float:
        """Write at a baseline; returns the x at which the text ends."""
        self.page.insert_text((x, y), text, fontname=font, fontsize=size)
        return x + pymupdf.get_text_length(text, fontname=font, fontsize=size)

    def bar(self, x0: float, x1: float, y: float) -> None:
        """A level line of 0.5 pt."""
        self.page.draw_line((x0, y), (x1, y), width=0.5)

    def path(self, *points: tuple[float, float]) -> None:
        """A polyline of 0.6 pt."""
        self.page.draw_polyline(points, width=0.6)

    def fraction(self, x: float, y: float, above: str, below: str, size: float = SIZE) -> float:
        """A fraction whose line of writing is at `y`; returns the x of its end."""
        widths = [pymupdf.get_text_length(t, fontname="tiro", fontsize=size) for t in (above, below)]
        width = max(widths) + 2
        axis = y - 0.25 * SIZE
        self.text(x + (width - widths[0]) / 2, axis - 0.3 * size, above, size=size)
        self.text(x + (width - widths[1]) / 2, axis + 0.95 * size, below, size=size)
        self.bar(x, x + width, axis)
        return x + width

    def image(self) -> NDArray[np.uint8]:
        """The page at 200 dpi, H×W×3 RGB."""
        pixmap = self.page.get_pixmap(dpi=DPI, alpha=False)
        return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()

    def gray(self) -> NDArray[np.uint8]:
        """The page at 200 dpi, H×W."""
        return np.ascontiguousarray(self.image()[:, :, 0])


def fractions_of(paper: Paper) -> list[Fraction]:
    mask, labels = without_specks(sharp_mask(paper.gray()), EM)
    return find_fractions(mask, labels, EM)


def strokes_of(paper: Paper) -> Strokes:
    mask, _ = without_specks(sharp_mask(paper.gray()), EM)
    return find_strokes(mask, [], EM)


def read(paper: Paper) -> PixelReading:
    page = straighten(paper.image(), DPI, get_engine())
    return read_pixels(page, *line_boxes(page), get_engine())


@pytest.mark.parametrize("size", [SIZE, 0.7 * SIZE])
def test_fraction_is_found_with_its_pieces(size: float) -> None:
    paper = Paper()
    paper.text(20, 60, "y =")
    paper.fraction(50, 60, "x+1", "2a", size)
    (found,) = fractions_of(paper)
    assert found.bar.cy == pytest.approx((60 - 0.25 * SIZE) * PX, abs=2)
    assert found.above.y1 <= found.bar.y0 <= found.bar.y1 <= found.below.y0
    assert found.above.height > 0.4 * size * PX
    assert found.below.width < found.above.width


def test_fraction_between_a_bracket_and_a_sum_keeps_its_bar() -> None:
    paper = Paper()
    end = paper.fraction(50, 60, "1", "n")
    paper.path((48, 44), (46, 57), (48, 71))  # a bracket that reaches over the bar's end
    paper.path((end + 1, 46), (end + 1, 68), (end + 12, 68))
    (found,) = fractions_of(paper)
    assert found.above.width < 0.5 * EM
    assert found.below.width < 0.6 * EM


def test_fraction_over_another_is_found_with_it() -> None:
    paper = Paper()
    paper.text(51, 47.5, "k", size=0.7 * SIZE)
    paper.bar(50, 56, 49.5)
    paper.text(51, 56, "q", size=0.7 * SIZE)
    paper.bar(49, 57, 60)
    paper.text(50, 69.5, "p")
    inner, outer = sorted(fractions_of(paper), key=lambda f: f.bar.y0)
    assert inner.hull.covered_by(outer.above.grow(2)) > 0.9
    assert outer.below.y0 > outer.bar.y1


def test_row_below_another_is_no_part_of_its_fraction() -> None:
    paper = Paper()
    paper.text(50, 60, "44")
    paper.text(50, 69.5, "37")
    paper.bar(48, 64, 72)
    paper.text(52, 82, "25")
    (found,) = fractions_of(paper)
    assert found.above.height < 0.8 * EM


def test_fractions_on_neighbouring_lines_stay_apart() -> None:
    paper = Paper()
    for y in (60, 60 + 1.75 * SIZE):
        paper.text(20, y, "y =")
        paper.fraction(50, y, "x+1", "2x", 0.7 * SIZE)
    first, second = sorted(fractions_of(paper), key=lambda f: f.bar.y0)
    assert first.below.y1 <= second.above.y0 + 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda p: p.text(20, 60, "a = b + c - d"),
        lambda p: p.text(20, 60, "三言是且大分音高意", "china-s"),
        lambda p: p.bar(20, 60, 60),
        lambda p: (p.text(20, 60, "underlined"), p.bar(20, 66, 62)),
        lambda p: (p.text(20, 60, "60"), p.text(20, 69, "77")),
    ],
    ids=["signs", "ideographs", "blank", "underline", "tops of letters"],
)
def test_other_level_strokes_are_no_fractions(draw: Callable[[Paper], object]) -> None:
    paper = Paper()
    draw(paper)
    assert fractions_of(paper) == []


def test_radical_sign_tells_where_the_radicand_begins() -> None:
    paper = Paper()
    paper.path((20, 55), (22, 53.5), (25, 61), (29, 49.5), (52, 49.5))
    paper.text(31, 60, "x+1")
    (found,) = find_radicals(strokes_of(paper), EM)
    assert found.content_x == pytest.approx(29 * PX, abs=3)
    assert found.box.x1 == pytest.approx(52 * PX, abs=3)


@pytest.mark.parametrize("text", ["VNMr7FT", "厂万方石反"])
def test_letters_are_no_radicals(text: str) -> None:
    paper = Paper()
    paper.text(20, 60, text, "tiro" if text.isascii() else "china-s")
    assert find_radicals(strokes_of(paper), EM) == []


def test_overline_and_arrow_stand_over_letters() -> None:
    paper = Paper()
    paper.text(20, 60, "AB")
    paper.bar(20, 34, 51)
    paper.text(60, 60, "a", "tiit")
    paper.path((60, 53.5), (66, 53.5))
    paper.path((64, 52.2), (66, 53.5), (64, 54.8))
    strokes = strokes_of(paper)
    assert [round(strokes.box(i).x0 / PX) for i in find_overlines(strokes, EM)] == [20]
    assert [round(strokes.box(i).x0 / PX) for i in find_arrows(strokes, EM)] == [60]


@pytest.mark.parametrize(("char", "tall"), [("(", True), (")", True), ("[", True), ("]", True), ("(", False)])
def test_only_tall_brackets_are_fences(char: str, tall: bool) -> None:
    paper = Paper()
    paper.text(20, 80, char, size=2.4 * SIZE if tall else SIZE)
    kinds = [kind for _, kind in find_fences(strokes_of(paper), EM)]
    assert kinds == ([char] if tall else [])


def test_equals_sign_and_dotted_letter_get_all_their_ink() -> None:
    parts = np.array([[0, 8, 12, 20], [20, 10, 36, 11.5], [20, 14, 36, 15.5], [44, 0, 47, 3], [43, 6, 48, 20]], float)
    boxes = align(["a", "=", "i"], [6, 28, 45], parts, 28.0)
    assert boxes == [Box(0, 8, 12, 20), Box(20, 10, 36, 15.5), Box(43, 0, 48, 20)]


def test_white_space_has_no_ink_and_specks_are_nobodys() -> None:
    parts = np.array([[0, 0, 13, 19], [16, 18, 17, 19], [30, 0, 43, 19]], float)
    boxes = align(["2", " ", "3"], [6, 20, 36], parts, 28.0)
    assert boxes == [Box(0, 0, 13, 19), None, Box(30, 0, 43, 19)]


def placed(char: str, x: float, height: float, bottom: float, width: float = 12.0) -> Placed:
    return Placed(char, 1.0, x, Box(x - width / 2, bottom - height, x + width / 2, bottom))


def test_exponent_and_index_get_small_sizes_and_baselines_of_their_own() -> None:
    chars = [placed("A", 10, 20.4, 100), placed("x", 30, 13.2, 100), placed("2", 44, 13.2, 89), placed("n", 60, 9, 105)]
    main = main_level(chars, 30, 100)
    assert (main.size, main.baseline) == (pytest.approx(30, rel=0.03), 100)
    _, levels = place(chars, main)
    assert [v.size < 0.86 * main.size for v in levels] == [False, False, True, True]
    assert levels[2].baseline < 90 and levels[3].baseline > 104


def test_sign_in_an_exponent_goes_with_its_neighbour() -> None:
    chars = [
        placed("1", 10, 19.8, 100),
        placed("0", 22, 19.8, 100),
        placed("−", 36, 2, 83.5),
        placed("4", 48, 13.5, 90),
    ]
    _, levels = place(chars, main_level(chars, 30, 100))
    assert levels[2] == levels[3] != levels[0]


@pytest.mark.parametrize(("read_as", "height", "expected"), [("v", 20.4, "V"), ("V", 13.2, "v"), ("C", 20.4, "C")])
def test_case_of_letters_alike_in_both_comes_from_their_height(read_as: str, height: float, expected: str) -> None:
    chars = [placed("B", 10, 20.4, 100), placed(read_as, 30, height, 100)]
    settled, _ = place(chars, main_level(chars, 30, 100))
    assert settled[1].char == expected


@pytest.mark.parametrize("letter", "abdhkmnpABFMPR")
def test_slant_tells_italic_from_upright(letter: str) -> None:
    for font, sign in (("tiro", -1), ("tiit", 1)):
        paper = Paper()
        paper.text(20, 60, letter, font)
        strokes = strokes_of(paper)
        assert sign * lean(paper.gray(), Box.of(strokes.boxes[0]), letter) > 0


def test_line_with_fraction_and_exponent_is_read_in_pieces() -> None:
    paper = Paper()
    x = paper.text(20, 60, "已知函数", "china-s")
    x = paper.text(x + 3, 60, "y = ")
    x = paper.fraction(x, 60, "3a+1", "25b")
    paper.text(x + 3, 60, "的值大于", "china-s")
    x = paper.text(20, 120, "若 ", "china-s")
    x = paper.text(x, 120, "x", "tiit")
    x = paper.text(x + 0.5, 120 - 0.36 * SIZE, "2", size=0.7 * SIZE)
    paper.text(x, 120, " + 4 = 13")
    reading = read(paper)
    (bar,) = [s.box for s in reading.shapes if s.kind == "bar"]
    texts = {s.text.replace(" ", ""): s for s in reading.segments}
    assert texts["3a+1"].box.y1 <= bar.y0 + 1
    assert texts["25b"].box.y0 >= bar.y1 - 1
    glyphs = [g for s in reading.segments for g in s.glyphs if s.box.y0 > 90 * PX and not g.text.isspace()]
    exponent = next(g for g in glyphs if g.text == "2")
    base = next(g for g in glyphs if g.text == "x")
    assert exponent.size < 0.86 * base.size
    assert base.baseline is not None and exponent.baseline is not None
    assert exponent.baseline < base.baseline - 2
    assert base.font == "italic"


def test_lines_without_formulas_are_read_as_before() -> None:
    paper = Paper()
    for n, text in enumerate(["一、选择题：本题共三小题", "下列关于光合作用的说法正确的是", "言语是一种音高的变化"]):
        paper.text(20, 50 + 24 * n, text, "china-s")
    page = straighten(paper.image(), DPI, get_engine())
    boxes, strays = line_boxes(page)
    before = [
        *read_segments(page, boxes, get_engine()),
        *read_segments(page, strays, get_engine(), MIN_STRAY_CONFIDENCE),
    ]
    reading = read_pixels(page, boxes, strays, get_engine())
    assert [(s.text, s.box) for s in reading.segments] == [(s.text, s.box) for s in before]
    assert reading.shapes == []


def small_line(text: str, at: Box, size: float, baseline: float) -> tuple[Segment, Level]:
    return Segment((Glyph(text, at, size, "", 1.0, baseline),), at, size, 1.0, "ocr"), Level(size, baseline)


@pytest.mark.parametrize(
    ("sign", "script", "joins"),
    [
        (")", Box(122, 48, 132, 64), True),  # an exponent of the bracket
        ("∫", Box(112, 130, 122, 146), True),  # a lower bound
        ("(", Box(122, 48, 132, 64), False),  # an opening bracket has none
        (")", Box(180, 48, 190, 64), False),  # too far away
    ],
)
def test_scripts_of_tall_signs_go_into_the_signs_line(sign: str, script: Box, joins: bool) -> None:
    main, level = small_line("x", Box(70, 90, 86, 110), 32.0, 110.0)
    small, low = small_line("2", script, 22.0, script.y1)
    found = tall_segments([(Box(104, 52, 118, 148), sign)], [main, small], [level, low], 26.0)
    assert [s.text for s in found] == (["x2", sign] if joins else ["x", "2", sign])
    assert found[-1].glyphs[0].size == 32.0  # that of the line, not the page's


def test_exponent_of_a_bracket_stays_with_it_where_the_line_is_far() -> None:
    main, level = small_line("x", Box(20, 90, 36, 110), 32.0, 110.0)
    small, low = small_line("n", Box(122, 48, 134, 60), 28.0, 60.0)  # a small letter tells no size
    found = tall_segments([(Box(104, 52, 118, 148), ")")], [main, small], [level, low], 26.0)
    assert [s.text for s in found] == ["x", ")n"]
    assert found[-1].glyphs[1].size < 0.86 * found[-1].glyphs[0].size


def test_numerator_beside_a_bracket_is_no_exponent() -> None:
    main, level = small_line("x", Box(70, 90, 86, 110), 32.0, 110.0)
    small, low = small_line("n", Box(122, 48, 134, 60), 22.0, 60.0)
    found = tall_segments([(Box(104, 52, 118, 148), ")")], [main, small], [level, low], 26.0, pieces={1})
    assert [s.text for s in found] == ["x", "n", ")"]


@pytest.mark.parametrize(("sign", "box"), [("−", Box(60, 100, 80, 103)), ("，", Box(60, 107, 65, 116))])
def test_lone_signs_take_size_and_baseline_of_their_line(sign: str, box: Box) -> None:
    main, level = small_line("x", Box(20, 95, 36, 110), 32.0, 110.0)
    alone, own = small_line(sign, box, 26.0, box.y1)
    lines, levels = settle_signs([], [main, alone], [level, own], 26.0, pieces=())
    assert levels[1] == level
    assert (lines[1].em, lines[1].glyphs[0].size, lines[1].glyphs[0].baseline) == (32.0, 32.0, 110.0)
    assert lines[1].text == {"，": ","}.get(sign, sign)  # there are no ideographs around


def test_index_of_a_lone_pair_of_letters_is_no_part_of_a_word() -> None:
    line = [placed("a", 10, 14, 100), placed("h", 26, 15, 106)]
    _, levels = place(line, Level(32.0, 100.0))
    assert levels[0].size == 32.0 and levels[1].size < 0.8 * 32.0
