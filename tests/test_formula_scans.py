"""Page images: letters told by their index or their tail, ideographs as indices, dots, bars and small fractions."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from layout.formulas.atoms import FormulaGlyph
from layout.formulas.folding import fold_segments
from layout.formulas.glyph_reader import glyph_reader
from layout.formulas.lines import write_glyphs
from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_bars import find_fractions
from layout.formulas.pixels_case import hanging, triangles, with_small
from layout.formulas.pixels_dots import with_dots
from layout.formulas.pixels_ghosts import without_ghosts
from layout.formulas.pixels_ink import find_strokes, sharp_mask, without_specks
from layout.formulas.pixels_levels import Level, main_level
from layout.formulas.pixels_lines import Look, refine
from layout.formulas.pixels_marks import find_overlines
from layout.formulas.pixels_rows import cuts_between, find_rows
from layout.formulas.pixels_size import SCRIPT, place
from layout.formulas.pixels_wide import with_indices
from layout.formulas.shapes import Shape
from layout.ocr import Recognised
from layout.scanned import segment_from_ocr
from layout.segments import Segment, segment_of
from layout.types import Glyph
from wholepage.boxes import Box

EM, BASE = 30.0, 100.0
LINE = Level(EM, BASE)
PX = 200 / 72


def put(char: str, x: float, top: float, foot: float, width: float = 13.0) -> Placed:
    """A character with its ink, `top` and `foot` in px above the writing line."""
    return Placed(char, 0.95, x + width / 2, Box(x, BASE - top, x + width, BASE - foot))


@pytest.mark.parametrize(("top", "foot", "letter"), [(8.0, -6.0, "v"), (4.0, -5.0, "V")])
def test_letter_no_higher_than_its_index_is_small(top: float, foot: float, letter: str) -> None:
    high = 13.0 if letter == "v" else 20.0
    found, indices = with_small([put("V", 0, high, 0), put("2", 14, top, foot)])
    assert found[0].char == letter
    assert indices == ({1} if letter == "v" else set())


@pytest.mark.parametrize(
    ("read", "beside", "letter"),
    [
        ("9", put("a", 14, 13, 0), "g"),  # as high as a low letter, and reaching below it
        ("8", put("V", 14, 20, 0), "g"),
        ("P", put("6", 14, 8, -6.5, 9), "p"),  # an index hangs as low as the tail
        ("9", put("V", 14, 14, -7), "9"),  # both stand on one line
    ],
)
def test_hanging_letters(read: str, beside: Placed, letter: str) -> None:
    assert hanging([put(read, 0, 14, -6.5), beside])[0].char == letter


def test_lowered_i_behind_a_letter_is_an_index() -> None:
    _, levels = place([put("x", 0, 13, 0), put("i", 15, 7, -8, 7)], LINE)
    assert levels[0] == LINE
    assert levels[1].size < SCRIPT * EM and levels[1].baseline > BASE + 5


def test_exponent_over_index_read_as_one_character_sets_no_size() -> None:
    line = [put("H", 20, 20, 0), put("4", 0, 28, -8), put("e", 36, 13, 0), put("1", 60, 28, -8, 8)]
    assert main_level(line, EM, BASE + 8).size == pytest.approx(EM, rel=0.1)


@pytest.mark.parametrize(("sure", "text"), [(0.5, "HO"), (0.9, "H2O")])
def test_unsure_character_in_another_ones_ink_is_none(sure: float, text: str) -> None:
    line = [put("H", 0, 20, 0, 20), replace(put("2", 22, 20, 0, 9), confidence=sure), put("O", 31, 20, 0, 11)]
    found, kept = without_ghosts(line, EM)
    assert "".join(p.char for p in found) == text and len(kept) == len(text)
    assert found[-1].box == (Box(22, 80, 42, 100) if sure < 0.6 else line[-1].box)


def words(lowered: bool) -> NDArray[np.uint8]:
    """A page with three cells of ink behind a letter: small and low, or as high as the line."""
    gray = np.full((200, 300), 255, np.uint8)
    pitch, top, foot = (20, 90, 108) if lowered else (30, 76, 103)
    for n in range(3):
        x = 42 + n * pitch
        for y in range(top, foot, 6):
            cv2.line(gray, (x, y), (x + pitch - 5, y), 0, 2)
    return gray


@pytest.mark.parametrize("lowered", [True, False])
def test_small_low_ideographs_are_the_index_of_a_letter(lowered: bool) -> None:
    pitch = 20 if lowered else 30
    centres = [42 + (pitch - 5) / 2 + n * pitch for n in range(3)]
    line = [put("V", 22, 20, 0, 18), *(Placed(c, 0.9, x, None) for c, x in zip("长方体", centres, strict=True))]
    placed, levels = place(with_indices(line, LINE, sharp_mask(words(lowered))), LINE)
    assert all((level.size < SCRIPT * EM) == lowered for level in levels[1:])
    assert placed[0].char == "V" and levels[0] == LINE


@pytest.mark.parametrize(("height", "found"), [(7.5, True), (0.0, False)])
def test_three_dots_at_the_axis_are_one_sign(height: float, found: bool) -> None:
    plus = [Glyph("+", Box(x, 84, x + 18, 102), EM, "", 1.0, BASE) for x in (0.0, 70.0)]
    gap = Glyph(" ", Box(20, 80, 68, 104), EM, "", 1.0, BASE)
    y = BASE - height
    dots = np.array([[x, y - 2, x + 4, y + 2] for x in (30.0, 40.0, 50.0)])
    text = "".join(g.text for g in with_dots([plus[0], gap, plus[1]], dots, LINE))
    assert text == ("+⋯+" if found else "+ +")


def test_bar_before_a_number_is_no_one() -> None:
    gray = np.full((140, 120), 255, np.uint8)
    read = "17|>8"
    spans = [(10, 13), (16, 29), (32, 35), (45, 63), (74, 87)]
    parts = [(a, 79 if c in "78" else 77, b, 100 if c in "78" else 105) for c, (a, b) in zip(read, spans, strict=True)]
    parts[3] = (45, 84, 63, 101)
    for x0, y0, x1, y1 in parts:
        cv2.rectangle(gray, (x0, y0), (x1 - 1, y1 - 1), 0, -1)
    result = Recognised(read, 0.9, tuple((a / 120, b / 120) for a, b in spans), (0.9,) * 5)
    cut = Box(0, 60, 120, 120)
    segment = segment_from_ocr(result, cut, Box(10, 77, 87, 105))
    assert segment is not None
    strokes = find_strokes(sharp_mask(gray), [], EM)
    done, _ = refine(segment, result, cut, range(5), Look(gray, strokes, glyph_reader()), EM)
    assert done.text == "|7|>8"


def drawn(*texts: tuple[float, float, str, float], bar: tuple[float, float, float] = (0, 0, 0)) -> NDArray[np.uint8]:
    """A page with `texts` (x, baseline, text, size in points) and a level line from x0 to x1 at y, at 200 dpi."""
    document = pymupdf.open()
    page = document.new_page(width=300, height=120)
    for x, y, text, size in texts:
        page.insert_text((x, y), text, fontname="tiro", fontsize=size)
    if bar[1]:
        page.draw_line((bar[0], bar[2]), (bar[1], bar[2]), width=0.5)
    pixmap = page.get_pixmap(dpi=200, alpha=False)
    rgb = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
    return np.ascontiguousarray(rgb[:, :, 0])


@pytest.mark.parametrize("base", ["4", ""])
def test_small_fraction_is_one_in_an_exponent_alone(base: str) -> None:
    gray = drawn((20, 60, base, 10.5), (27, 53, "7", 5.0), (27, 58.4, "2", 5.0), bar=(25.8, 31.0, 54.2))
    em = 10.5 * PX
    mask, labels = without_specks(sharp_mask(gray), em)
    assert len(find_fractions(mask, labels, em)) == bool(base)


def test_overline_covers_a_letter_that_touches_the_bracket_behind_it() -> None:
    gray = drawn((20, 60, "T", 10.5), (25.6, 60, ")", 10.5), bar=(21, 26, 50.5))
    em = 10.5 * PX
    strokes = find_strokes(sharp_mask(gray), [], em)
    wide = [b for b in strokes.boxes if b[2] - b[0] > 0.7 * em]
    assert wide, "the letter and the bracket do not touch"
    assert len(find_overlines(strokes, em)) == 1


def test_letter_with_a_hat_stays_in_its_line() -> None:
    chars = [Glyph(c, Box(x, 87, x + 13, 100), EM, "italic", 0.9, BASE) for c, x in (("x", 0.0), ("y", 30.0))]
    line = segment_of(chars, EM, 0.9, "ocr")
    (out,) = fold_segments([line], [Shape("hat", Box(31, 79, 42, 84))])
    assert isinstance(out, Segment)
    marked = out.glyphs[1]
    assert isinstance(marked, FormulaGlyph) and marked.marked and out.glyphs[0] is chars[0]


def written(*parts: tuple[str, float]) -> str:
    """Characters, each with the gap before it, as a line that is written out."""
    x, glyphs = 0.0, []
    for text, gap in parts:
        for n, char in enumerate(text):
            x += gap if n == 0 else 2.0
            face = "italic" if char.isalpha() and char.islower() else ""
            glyphs.append(Glyph(char, Box(x, 80, x + 12, 100), EM, face, 1.0, BASE))
            x += 12
    return "".join(g.text for g in write_glyphs([glyphs], [], EM))


def test_decimal_point_is_no_mark_of_a_question() -> None:
    assert written(("4.48", 0), ("+", 8), ("x", 8)) == "$4.48+x$"
    assert written(("4.", 0), ("48", 15), ("+", 8), ("x", 8)) == "4. $48+x$"


def test_colon_with_even_gaps_belongs_to_the_formula() -> None:
    assert written(("C", 0), (":", 8), ("y", 8), ("=", 8), ("x", 8)) == "$C:y=x$"
    assert written(("C:", 0), ("y", 12), ("=", 8), ("x", 8)) == "C: $y=x$"


def test_degrees_celsius_are_a_formula() -> None:
    assert written(("25", 0), ("°C", 3)).startswith("$25^\\circ")


def test_word_before_a_sum_is_no_part_of_it() -> None:
    assert written(("that", 0), ("∑", 5), ("x", 5)) == "that$\\sum x$"


def test_letters_of_two_rows_that_touch_are_cut_apart() -> None:
    gray = np.full((220, 300), 255, np.uint8)
    for y in (100, 140):
        for dy in (-4, 4):
            cv2.line(gray, (60, y + dy), (80, y + dy), 0, 2)
    cv2.line(gray, (100, 86), (100, 120), 0, 2)  # a bracket that ends where a letter of the next row begins
    cv2.ellipse(gray, (100, 135), (7, 16), 0, 0, 360, 0, 2)
    strokes = find_strokes(sharp_mask(gray), [], EM)
    rows = find_rows(strokes, EM)
    (cut,) = cuts_between(strokes, rows, EM)
    assert 115 <= cut.cy <= 125
    assert len(find_strokes(sharp_mask(gray), [cut], EM).boxes) == len(strokes.boxes) + 1


def test_tail_cut_off_by_a_bar_does_not_make_its_exponent_the_line() -> None:
    letter = replace(put("g", 0, 10, -1, 9), clipped=True)
    level = main_level([letter, put("2", 10, 18, 8, 8)], EM, BASE)
    assert level.size == pytest.approx(10 / 0.66 / 0.72, rel=0.02)
    assert abs(level.baseline - BASE) < 2


@pytest.mark.parametrize(("read", "expected"), [("ΔABC", "△ABC"), ("△t", "Δt"), ("△H=", "ΔH="), ("△的", "△的")])
def test_triangle_stands_before_three_points(read: str, expected: str) -> None:
    line = [put(c, 22 * n, 20, 0, 18) for n, c in enumerate(read)]
    assert "".join(p.char for p in triangles(line)) == expected
