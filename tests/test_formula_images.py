"""Clean page images: grown radical signs, dots, small fractions, rows of equations, what stands beside formulas."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from layout.formulas.atoms import FormulaGlyph
from layout.formulas.folding import fold_segments
from layout.formulas.lines import write_glyphs
from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_bars import Fraction, find_fractions
from layout.formulas.pixels_colons import with_colons
from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_dots import with_dots
from layout.formulas.pixels_ink import Mask, Strokes, find_strokes, sharp_mask, without_specks
from layout.formulas.pixels_levels import Level, own_level
from layout.formulas.pixels_marks import limits_of
from layout.formulas.pixels_rows import find_rows, part_tails
from layout.formulas.pixels_shapes import find_radicals
from layout.formulas.pixels_sketch import _owners, in_text, text_em
from layout.formulas.pixels_tall import settle_bounds, settle_signs, tall_segments
from layout.formulas.shapes import Shape
from layout.formulas.tree import Frac, Sym
from layout.furniture import edge_segments
from layout.rows import group_rows
from layout.segments import Segment, segment_of
from layout.types import Glyph
from wholepage.boxes import Box

EM, BASE = 30.0, 100.0
LINE = Level(EM, BASE)
Picture = NDArray[np.uint8]


def page(height: int = 240, width: int = 400) -> Picture:
    return np.full((height, width), 255, np.uint8)


def rule(gray: Picture, *boxes: tuple[int, int, int, int]) -> Picture:
    """The picture with filled boxes (x0, y0, x1, y1)."""
    for x0, y0, x1, y1 in boxes:
        gray[y0:y1, x0:x1] = 0
    return gray


def mask_of(gray: Picture) -> Mask:
    return without_specks(sharp_mask(gray), EM)[0]


def strokes_of(gray: Picture) -> Strokes:
    return find_strokes(mask_of(gray), [], EM)


def glyph(text: str, x: float, width: float = 12.0, size: float = EM, base: float = BASE, high: float = 20.0) -> Glyph:
    return Glyph(text, Box(x, base - high, x + width, base), size, "", 0.95, base)


def line(*glyphs: Glyph, em: float = EM) -> Segment:
    return segment_of(glyphs, em, 0.95, "ocr")


def composite(text: str, box: Box, size: float = EM, base: float = BASE) -> Segment:
    node = Frac(Sym("1", ""), Sym("2", ""))
    return Segment((FormulaGlyph(text, box, size, "", 0.9, base, node),), box, size, 0.9, "ocr")


@pytest.mark.parametrize("points", [[(20, 72), (29, 118), (31, 22)], [(20, 70), (33, 118), (37, 22)]])
@pytest.mark.parametrize("hook", [True, False])
def test_radical_sign_that_has_grown_is_narrow_and_upright(points: list[tuple[int, int]], hook: bool) -> None:
    gray = page(140, 260)
    for a, b in zip(points[0 if hook else 1 :], [*points[1 if hook else 2 :], (220, 22)], strict=True):
        cv2.line(gray, a, b, 0, 2)
    assert bool(find_radicals(strokes_of(gray), EM)) == hook


@pytest.mark.parametrize(("read", "dots"), [(".", True), ("·", True), ("7", False)])
def test_three_dots_of_which_one_was_read(read: str, dots: bool) -> None:
    parts = np.array([[x, 90.5, x + 4, 94.5] for x in (30.0, 40.0, 50.0)])
    plus = [Glyph("+", Box(x, 84, x + 18, 102), EM, "", 1.0, BASE) for x in (0.0, 70.0)]
    middle = Glyph(read, Box(40, 90.5, 44, 94.5), EM, "", 0.6, BASE)
    text = "".join(g.text for g in with_dots([plus[0], middle, plus[1]], parts, LINE))
    assert text == ("+⋯+" if dots else "+7+")


def test_dot_that_was_taken_for_a_part_of_its_neighbour() -> None:
    parts = np.array([[0, 84, 18, 102], *([x, 90.5, x + 4, 94.5] for x in (30.0, 40.0, 50.0))])
    out = with_dots([Glyph("+", Box(0, 84, 34, 102), EM, "", 1.0, BASE)], parts, LINE)
    assert [g.text for g in out] == ["+", "⋯"]
    assert out[0].box == Box(0, 84, 18, 102)


def test_root_stays_in_the_line_that_it_was_read_in() -> None:
    row = line(glyph("s", 0), glyph("=", 20), glyph("2", 40), glyph("p", 70))
    (out,) = fold_segments([row], [Shape("radical", Box(56, 74, 90, 106), 68)])
    assert out.text == "s=2√p" and isinstance(out.glyphs[-1], FormulaGlyph)


def latin(height: float, count: int, page_em: float) -> SimpleNamespace:
    stats = np.array([[0, 0, 0.5 * height, height, 50]] * count)
    return SimpleNamespace(em=page_em, ink=SimpleNamespace(stats=stats))


def test_font_size_of_a_page_with_few_letters() -> None:
    few = [Box(0, 0, 60, 15)]
    assert text_em(latin(21, 6, 26.0), few) == pytest.approx(28.1, abs=0.2)  # type: ignore[arg-type]
    assert text_em(latin(21, 3, 26.0), few) < 24  # type: ignore[arg-type]


def test_font_size_of_latin_lines_on_a_page_measured_by_ideographs() -> None:
    lines = [Box(0, y, 300, y + 28) for y in range(0, 400, 80)]
    assert text_em(latin(26, 100, 32.5), lines) == pytest.approx(31.4, abs=0.1)  # type: ignore[arg-type]


def stacked(inside: bool) -> Picture:
    """A fraction 33 px high in all, as the numerator of another one or alone."""
    gray = rule(page(), (40, 60, 50, 74), (36, 77, 54, 79), (40, 83, 50, 92))
    return rule(gray, (20, 99, 80, 101), (30, 108, 40, 128), (55, 108, 65, 128)) if inside else gray


@pytest.mark.parametrize("inside", [True, False])
def test_fraction_of_small_letters_within_another_one(inside: bool) -> None:
    mask, parts = without_specks(sharp_mask(stacked(inside)), EM)
    bars = sorted(f.bar.width for f in find_fractions(mask, parts, EM))
    assert [round(b) for b in bars] == ([19, 61] if inside else [])


def test_frame_around_a_fraction_is_no_part_of_it() -> None:
    gray = rule(page(), (190, 110, 200, 130))
    cv2.rectangle(gray, (20, 20), (380, 220), 0, 2)
    strokes = strokes_of(gray)
    owner = _owners(strokes, [Box(170, 100, 220, 140)], EM)
    assert [(round(strokes.box(n).width), int(o)) for n, o in enumerate(owner)] == [(363, -1), (10, 0)]


@pytest.mark.parametrize(("width", "found"), [(300, True), (30, False)])
def test_fraction_that_was_not_detected_in_its_line(width: int, found: bool) -> None:
    fraction = Fraction(Box(310, 99, 326, 101), Box(314, 70, 322, 92), Box(312, 108, 324, 130))
    assert in_text(fraction, [Box(300 - width, 88, 300, 114)], EM) == found


def test_exponent_stays_with_its_letter_where_options_stand_at_two_levels() -> None:
    first, second = line(glyph("A", 0), glyph("e", 20)), line(glyph("B", 300, base=78), glyph("c", 320, base=78))
    exponent = composite("k/5", Box(34, 55, 50, 96), size=21, base=85)
    rows = [[s.text for s in row.segments] for row in group_rows([first, second, exponent])]
    assert ["Ae", "k/5"] in rows


def test_what_goes_on_in_a_line_is_no_part_of_the_next_one() -> None:
    left, right = line(glyph("C", 200, base=120)), composite("1/2", Box(215, 88, 230, 150), base=120)
    other = line(*(glyph(c, 20.0 * n, base=106) for n, c in enumerate("A. c:d=6")), em=33.0)
    rows = [[s.text for s in row.segments] for row in group_rows([other, left, right])]
    assert any(row[-2:] == ["C", "1/2"] for row in rows)


@pytest.mark.parametrize("formula", [True, False])
def test_fraction_at_the_head_of_a_page_is_no_page_number(formula: bool) -> None:
    box = Box(300, 20, 316, 76)
    number = composite("1/2", box) if formula else Segment((Glyph("1/2", box, EM, "", 1.0),), box, EM, 1.0, "ocr")
    beside = Segment((Glyph("3", Box(320, 40, 332, 60), EM, "", 1.0),), Box(320, 40, 332, 60), EM, 1.0, "ocr")
    assert edge_segments([number, beside], 2000) == ([] if formula else [number, beside])


@pytest.mark.parametrize("fraction", [True, False])
def test_rows_of_equations_part_below_a_fraction(fraction: bool) -> None:
    gray = page(300)
    for y in (96, 150):
        rule(gray, (100, y, 120, y + 2), (100, y + 6, 120, y + 8))
    if fraction:  # its denominator ends where the letters of the next row begin
        rule(gray, (130, 99, 180, 101), (135, 70, 150, 92), (135, 108, 150, 129), (155, 130, 170, 131))
    rule(gray, (185, 126, 200, 164))
    (rows,) = find_rows(strokes_of(gray), EM, mask_of(gray))
    assert (rows.borders[0] >= 120) == fraction or rows.borders[0] < 126


def test_lower_stroke_of_an_equals_sign_belongs_to_the_bound() -> None:
    gray = page()
    rule(gray, (60, 60, 100, 64), (60, 96, 100, 100), (74, 64, 80, 96))
    rule(gray, (58, 105, 68, 119), (72, 107, 86, 109), (72, 117, 86, 119), (90, 105, 100, 119))
    strokes = strokes_of(gray)
    sign = next(n for n in range(len(strokes.boxes)) if strokes.box(n).height > 30)
    (below,) = limits_of(strokes, sign, EM)
    assert len(below) == 4


@pytest.mark.parametrize(("foot", "taken"), [(112, 1), (96, 0)])
def test_comma_behind_the_rows_of_a_brace(foot: int, taken: int) -> None:
    gray = rule(page(), (40, 110, 52, 130), (56, 110, 68, 130), (72, foot - 10, 76, foot))
    strokes = strokes_of(gray)
    row = Region(Box(38, 84, 78, 132), list(range(len(strokes.boxes))))
    out = part_tails(strokes, [row], [Box(20, 68, 34, 128)], EM)
    assert len(out) - 1 == taken


@pytest.mark.parametrize(("height", "size"), [(10.0, 22.0), (20.0, 29.0)])
def test_i_without_its_dot_is_not_smaller(height: float, size: float) -> None:
    placed = Placed("i", 0.9, 3, Box(0, BASE - height, 6, BASE))
    assert own_level(placed).size == pytest.approx(size, rel=0.08)


def test_what_stands_over_a_sum_that_was_read_as_a_letter_is_small() -> None:
    sign, over = line(glyph("∑", 40, 30, high=38)), line(glyph("∞", 46, 18, base=56, high=10))
    beside = line(glyph("n", 76, base=BASE, high=13))
    out = settle_bounds([sign, over, beside], [LINE, Level(27, 56), LINE], (), EM)
    assert [round(s.glyphs[0].size / EM, 1) for s in out] == [1.0, 0.8, 1.0]


def test_full_stop_behind_cases_stands_on_their_line() -> None:
    brace, stop = Box(20, 58, 34, 128), line(glyph(".", 240, 4, high=4))
    lines, _ = settle_signs([(brace, "{")], [stop], [Level(EM, 97.0)], EM, ())
    assert lines[0].glyphs[0].baseline == pytest.approx(93 + 0.25 * EM, abs=0.5)


@pytest.mark.parametrize("x", [30.0, 74.0])
def test_bar_of_an_absolute_value_stays_in_its_line(x: float) -> None:
    row = line(glyph("t", 40), glyph("s", 56))
    out = tall_segments([(Box(x, 75, x + 3, 110), "|")], [row], [LINE], EM)
    assert [s.text for s in out] == ["|ts" if x < 40 else "ts|"]


@pytest.mark.parametrize(("at", "read"), [(36.0, ":"), (20.0, "：")])
def test_colon_in_the_middle_between_two_numbers_is_one_of_a_ratio(at: float, read: str) -> None:
    parts = np.array([[at, BASE - 14, at + 4, BASE - 10], [at, BASE - 4, at + 4, BASE]])
    cell = Glyph("：", Box(20, 76, 56, 106), EM, "", 0.8, BASE)
    out = with_colons([glyph("4", 6), cell, glyph("8", 58)], parts, LINE)
    assert "".join(g.text for g in out) == f"4{read}8"


def test_argument_in_brackets_behind_a_logarithm_is_no_mark() -> None:
    letters = [glyph(c, 14.0 * n, 13) for n, c in enumerate("=log")]
    base = glyph("a", 56, 9, 20, BASE + 5, 10)
    behind = [glyph(c, x, 9) for c, x in zip("(4)", (78, 88, 101), strict=True)]
    out = write_glyphs([[*letters, base, *behind]], [Glyph(" ", Box(66, 80, 77, 100), EM, "", 1.0)], EM)
    assert "".join(g.text for g in out) == r"$=\log_a(4)$"
