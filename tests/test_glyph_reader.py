"""The reader of single glyphs: what it knows, and what its second look changes in a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from layout.formulas.glyph_pictures import SIDE, picture_of
from layout.formulas.glyph_reader import glyph_reader
from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_glyphs import Ink, read_few, second_look
from layout.formulas.pixels_ink import find_strokes, sharp_mask
from layout.ocr import Recognised
from samples.glyphs.classes import LABELS
from samples.glyphs.dataset import draw_glyphs, joined
from samples.glyphs.fonts import fonts
from wholepage.boxes import Box

EM = 30.0
BASE = 60.0


def test_model_knows_the_table_of_characters() -> None:
    assert glyph_reader().labels == LABELS


def test_picture_keeps_proportions_and_needs_ink() -> None:
    bar = np.zeros((20, 60), np.uint8)
    bar[8:12, 5:55] = 1
    picture = picture_of(bar)
    assert picture.shape == (SIDE, SIDE) and picture.max() == 1.0
    rows = np.flatnonzero(picture.any(axis=1))
    assert 2 <= len(rows) <= 3
    with pytest.raises(ValueError, match="no ink"):
        picture_of(np.zeros((4, 4), np.uint8))


def test_glyphs_of_fonts_are_told() -> None:
    letters = tuple("abdfghknqrtyABDEFGHKNQRY23456789αβγδθλμπρσφωΓΔΩ+=≤≥∈∪ℝ")
    drawn = draw_glyphs(4, 5, letters)
    scores = glyph_reader().read([p.astype(np.float32) / 255 for p in drawn.pictures])
    right = scores.argmax(axis=1) == drawn.labels
    assert len(drawn.labels) >= 4 * len(letters)
    assert right.mean() >= 0.93


def test_drawings_are_repeatable_and_stored(tmp_path: Path) -> None:
    first, again = draw_glyphs(1, 3, ("", "a")), draw_glyphs(1, 3, ("", "a"))
    assert np.array_equal(first.pictures, again.pictures) and set(first.labels.tolist()) == {0, LABELS.index("a")}
    first.save(tmp_path / "glyphs.npz")
    stored = type(first).load(tmp_path / "glyphs.npz")
    both = joined([first, stored])
    assert both is not None and len(both.labels) == 2 * len(first.labels) and joined([]) is None


def _line(*texts: tuple[str, float, float, float]) -> tuple[NDArray[np.uint8], list[Box]]:
    """A page with `texts` (character, x, baseline, size in px) in a serif font, and the box of each one's ink."""
    path = next(f.path for f in fonts() if f.path.name in {"STIXGeneral.ttf", "DejaVuSerif.ttf"})
    page = np.full((100, 240), 255, np.uint8)
    boxes = []
    for text, x, base, size in texts:
        canvas = Image.new("L", (240, 100), 255)
        font = ImageFont.truetype(str(path), round(size))
        ImageDraw.Draw(canvas).text((x, base), text, font=font, fill=0, anchor="ls")
        one = np.asarray(canvas, np.uint8)
        rows, columns = np.flatnonzero((one < 128).any(axis=1)), np.flatnonzero((one < 128).any(axis=0))
        boxes.append(Box.of((columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)))
        page = np.minimum(page, one)
    return page, boxes


def _looked(gray: NDArray[np.uint8], placed: list[Placed]) -> tuple[str, list[int | None]]:
    strokes = find_strokes(sharp_mask(gray), [], EM)
    done, sources = second_look(placed, Ink(strokes, range(len(strokes.boxes))), glyph_reader(), EM)
    return "".join(p.char for p in done), sources


def _placed(read: str, boxes: list[Box], confidence: float = 0.9) -> list[Placed]:
    return [Placed(c, confidence, b.cx, b) for c, b in zip(read, boxes, strict=True)]


def test_sure_character_replaces_the_one_read() -> None:
    gray, boxes = _line(("ρ", 20, BASE, EM), ("=", 50, BASE, EM), ("∈", 80, BASE, EM))
    assert _looked(gray, _placed("q=C", boxes))[0] == "ρ=∈"


@pytest.mark.parametrize("read", ["x=2", "X=2"])
def test_case_and_likeness_stay_as_read(read: str) -> None:
    gray, boxes = _line(("x", 20, BASE, EM), ("=", 50, BASE, EM), ("2", 80, BASE, EM))
    assert _looked(gray, _placed(read, boxes))[0] == read


def test_lost_index_is_added() -> None:
    gray, boxes = _line(("W", 20, BASE, EM), ("3", 50, BASE + 6, 20), ("+", 80, BASE, EM))
    text, sources = _looked(gray, [_placed("W", boxes[:1])[0], _placed("+", boxes[2:])[0]])
    assert text == "W3+" and sources == [0, None, 1]


def test_strokes_of_ideographs_become_no_characters() -> None:
    gray, boxes = _line(("x", 20, BASE, EM), ("8", 60, BASE, EM))
    wide = Placed("图", 0.99, boxes[1].cx, None)
    assert _looked(gray, [_placed("x", boxes[:1])[0], wide])[0] == "x图"


def test_letters_of_words_are_left_to_the_recogniser() -> None:
    gray, boxes = _line(*((c, 20 + 25 * n, BASE, EM) for n, c in enumerate("force")))
    assert _looked(gray, _placed("farce", boxes))[0] == "farce"


@pytest.mark.parametrize(("foot", "expected"), [(None, "U"), (52.0, "∩")])
def test_what_a_bar_may_have_cut_is_not_judged(foot: float | None, expected: str) -> None:
    gray, boxes = _line(("U", 20, 50, EM))
    strokes = find_strokes(sharp_mask(gray), [], EM)
    ink = Ink(strokes, range(len(strokes.boxes)))
    done, _ = second_look(_placed("∩", boxes), ink, glyph_reader(), EM, foot)
    assert done[0].char == expected


def _few(texts: list[tuple[str, float, float, float]], read: Recognised) -> str:
    gray, _ = _line(*texts)
    strokes = find_strokes(sharp_mask(gray), [], EM)
    return read_few(read, Ink(strokes, range(len(strokes.boxes))), Box(0, 0, 240, 100), glyph_reader(), EM).text


@pytest.mark.parametrize("read", ["", "44", "小"])
def test_lone_character_is_told_by_its_ink(read: str) -> None:
    seen = Recognised(read, 0.6, ((0.1, 0.2),) * len(read), (0.6,) * len(read))
    assert _few([("4", 20, BASE, 20)], seen) == ("小" if read == "小" else "4")


def test_points_between_digits_stay() -> None:
    seen = Recognised("3.6", 0.97, ((0.1, 0.15), (0.2, 0.22), (0.25, 0.3)), (0.97,) * 3)
    assert _few([("3", 20, BASE, EM), ("6", 46, BASE, EM)], seen) == "3.6"


def test_agreement_raises_confidence() -> None:
    gray, boxes = _line(("h", 20, BASE, EM))
    strokes = find_strokes(sharp_mask(gray), [], EM)
    done, _ = second_look(_placed("h", boxes, 0.6), Ink(strokes, range(len(strokes.boxes))), glyph_reader(), EM)
    assert done[0].confidence >= 0.85
