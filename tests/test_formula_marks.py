"""Page images: hats over letters, rows at equals signs, braces, low letters, names of functions, ratios."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from layout.formulas.atoms import atom_of
from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_ink import Strokes, find_strokes, sharp_mask
from layout.formulas.pixels_levels import Level, main_level
from layout.formulas.pixels_lines import NAME
from layout.formulas.pixels_marks import find_hats
from layout.formulas.pixels_rows import find_rows, part_rows, part_tails
from layout.formulas.pixels_shapes import find_fences
from layout.formulas.pixels_size import place
from layout.formulas.spans import find_spans
from layout.formulas.structure import items_of
from layout.types import Glyph
from wholepage.boxes import Box

EM = 30.0
LINE = Level(EM, 100.0)
Picture = NDArray[np.uint8]


def paper(height: int = 200, width: int = 400) -> Picture:
    return np.full((height, width), 255, np.uint8)


def strokes_of(gray: Picture) -> Strokes:
    return find_strokes(sharp_mask(gray), [], EM)


def equals(gray: Picture, x: int, y: int) -> None:
    for dy in (-4, 4):
        cv2.line(gray, (x, y + dy), (x + 20, y + dy), 0, 2)


def letter(gray: Picture, x: int, y: int) -> None:
    """A ring of x-height around `y`."""
    cv2.ellipse(gray, (x, y), (7, 8), 0, 0, 360, 0, 2)


def put(char: str, x: float, y0: float, y1: float, width: float = 13.0) -> Placed:
    return Placed(char, 0.95, x + width / 2, Box(x, y0, x + width, y1))


@pytest.mark.parametrize("peak", [True, False])
def test_hat_is_a_peaked_mark_over_a_letter(peak: bool) -> None:
    gray = paper()
    letter(gray, 100, 100)
    points = [(94, 86), (100, 82), (106, 86)] if peak else [(93, 83), (100, 83), (107, 83)]
    cv2.polylines(gray, [np.array(points)], False, 0, 2)
    assert len(find_hats(strokes_of(gray), EM)) == peak


def test_noise_of_a_nearly_empty_page_is_no_ink() -> None:
    gray = paper(1000, 1000)
    gray[:] = 240
    cv2.line(gray, (100, 500), (130, 500), 30, 4)
    gray[200:206, 200:206] = 222  # a stain: far lighter than the ink, which is too little for a hundredth of the page
    boxes = strokes_of(gray).boxes
    assert len(boxes) == 1
    assert boxes[0][1] > 490


def test_rows_at_equals_signs_are_regions_of_their_own() -> None:
    gray = paper()
    for y in (60, 90):
        equals(gray, 100, y)
        letter(gray, 140, y)
    strokes = strokes_of(gray)
    (rows,) = find_rows(strokes, EM)
    assert [round(s.cy) for s in rows.signs] == [60, 90]
    mixed = Region(Box(95, 50, 150, 100), list(range(len(strokes.boxes))))
    parted = [r for r in part_rows(strokes, [rows], [mixed], [], EM) if r.parts]
    assert [len(r.parts) for r in parted] == [3, 3]
    assert parted[0].box.y1 < parted[1].box.y0


def test_signs_that_do_not_stand_under_one_another_make_no_rows() -> None:
    gray = paper()
    equals(gray, 100, 60)
    equals(gray, 110, 90)
    assert find_rows(strokes_of(gray), EM) == []


def test_text_behind_cases_is_no_part_of_their_row() -> None:
    gray = paper()
    for x in (60, 80, 100):
        letter(gray, x, 80)
    cv2.rectangle(gray, (140, 88), (165, 112), 0, 2)  # as high as an ideograph, level with the brace's middle
    strokes = strokes_of(gray)
    row = Region(Box(50, 70, 170, 115), list(range(len(strokes.boxes))))
    regions = part_tails(strokes, [row], [Box(35, 65, 45, 135)], EM)
    assert [len(r.parts) for r in regions] == [3, 1]


def test_brace_is_told_from_a_round_bracket_by_its_point() -> None:
    gray = paper(200, 300)
    brace = [(40, 40), (32, 46), (32, 92), (24, 100), (32, 108), (32, 154), (40, 160)]
    cv2.polylines(gray, [np.array(brace)], False, 0, 3)
    cv2.ellipse(gray, (150, 100), (22, 60), 0, 110, 250, 0, 3)
    assert [char for _, char in find_fences(strokes_of(gray), EM)] == ["{", "("]


def test_low_letter_whose_top_and_foot_both_hang_is_an_index() -> None:
    """Its few pixels of height would let it pass for a letter of the line."""
    word = [put("M", 0, 79.6, 100, 26), put("m", 27, 92, 105, 19)]
    _, levels = place(word, LINE)
    assert levels[0] == LINE
    assert levels[1].baseline > 103
    assert levels[1].size < 0.86 * EM


@pytest.mark.parametrize(("before", "expected"), [("d", "0"), ("C", "O")])
def test_letter_o_as_an_index_is_a_zero_unless_letters_stand_there(before: str, expected: str) -> None:
    scripts = before == "C"
    first = put(before, 0, 92.0, 106.0) if scripts else put(before, 0, 79, 100)
    placed, _ = place([first, put("o", 15, 91.8, 106.0)], LINE)
    assert placed[1].char == expected


def test_two_sizes_on_two_lines_are_not_averaged() -> None:
    level = main_level([put("t", 0, 81.7, 100), put("4", 12, 90, 106)], EM, 106)
    assert level.baseline == pytest.approx(100, abs=0.5)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1g(x)", True),
        ("1gφ", True),
        ("1og2", True),
        ("1n(x)", True),
        ("21g(x)", False),
        ("1gNaCl", False),
        ("1ng", False),
    ],
)
def test_names_of_functions_that_begin_with_a_digit(text: str, found: bool) -> None:
    assert bool(NAME.search(text)) == found


@pytest.mark.parametrize(("left", "right", "one"), [(10.0, 10.0, True), (1.0, 10.0, False)])
def test_colon_in_the_middle_between_operands_is_a_ratio(left: float, right: float, one: bool) -> None:
    x, glyphs = 0.0, []
    for char, gap in (("x", 0.0), ("=", 8.0), ("3", 8.0), (":", left), ("7", right)):
        glyphs.append(Glyph(char, Box(x + gap, 80, x + gap + 12, 100), EM, "italic" if char == "x" else "", 1.0, 100.0))
        x += gap + 12
    items = items_of([atom_of(g) for g in glyphs])
    spans = find_spans(items, ["", " ", " ", "" if left < 8 else " ", " "])
    assert spans == [(0, 5 if one else 3)]
