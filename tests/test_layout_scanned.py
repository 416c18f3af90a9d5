"""Pages without a text layer, read by the real OCR engine, and the verdict on text layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawing import DPI, PX, Sheet, body
from numpy.typing import NDArray

from ingest.textlayer import read_text_layer
from ingest.trust import comparable, judge_text_layer
from layout.ocr import Image, Recognised, _ctc_decode, get_engine
from layout.page import PageInput, analyse_page
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box
from wholepage.errors import WholepageError

TEXTS = [
    "1．下列关于光合作用的说法正确的是（　　）",
    "A．只在夜间进行　　　　B．需要二氧化碳",
    "2．如图所示，小球从斜面顶端由静止滑下，",
    "经过时间t到达底端。求小球的加速度。",
]


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    drawn = Sheet(420, 300)
    drawn.lines(40, 60, TEXTS, 24)
    drawn.drawing(300, 170, 380, 250)
    return drawn


@pytest.mark.parametrize("skew", [0.0, 0.8, -1.5])
def test_scan_is_read_and_boxes_go_back_to_the_stored_page(sheet: Sheet, skew: float) -> None:
    image = sheet.image()
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0)
    turned = cv2.warpAffine(image, turn, (width, height), borderValue=(255, 255, 255))
    layout = analyse_page(PageInput(1, turned, DPI), get_engine())
    assert layout.kind == "scanned"
    read = [comparable(text).replace("$", "") for text in body(layout)]
    assert read == [comparable(text) for text in TEXTS]
    matrix = np.vstack([turn, [0, 0, 1]])
    first = Box(40 * PX, 50 * PX, 255 * PX, 63 * PX).through(matrix)
    assert layout.lines[0].box.iou(first) > 0.6
    (figure,) = layout.figures
    assert figure.box.iou(Box(300 * PX, 170 * PX, 380 * PX, 250 * PX).through(matrix)) > 0.8


def test_characters_of_a_scan_have_their_own_boxes(sheet: Sheet) -> None:
    layout = analyse_page(PageInput(1, sheet.image(), DPI), get_engine())
    glyph = next(g for g in layout.lines[1].glyphs if g.text == "B")
    printed = next(g for g in read_text_layer(sheet.page, DPI).glyphs if g.text == "B")
    assert abs(glyph.box.cx - printed.box.cx) < 0.5 * printed.size


def test_ctc_decoding_merges_repeats_and_keeps_positions() -> None:
    # Steps: a a blank b b over four classes (blank, a, b, c); the crop fills all five steps.
    best = [1, 1, 0, 2, 2]
    probabilities = np.full((5, 4), 0.02, np.float32)
    for step, label in enumerate(best):
        probabilities[step, label] = 0.9
    result = _ctc_decode(probabilities, ["", "a", "b", "c"], 5)
    assert result.text == "ab"
    assert result.spans == ((0.0, 0.4), (0.6, 1.0))
    assert result.confidence == pytest.approx(0.9)


def test_unknown_engine_is_named() -> None:
    with pytest.raises(WholepageError, match="rapidocr"):
        get_engine("nonesuch")


class Says:
    """An engine that reads fixed texts."""

    name = "says"

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)

    def detect(self, image: Image, scale: float) -> list[NDArray[np.float64]]:
        return []

    def recognise(self, crops: Sequence[Image]) -> list[Recognised]:
        return [Recognised(self.texts[i % len(self.texts)], 0.99) for i in range(len(crops))]


def test_right_text_layer_is_trusted(sheet: Sheet) -> None:
    text = read_text_layer(sheet.page, DPI)
    assert judge_text_layer(text, sheet.image(), get_engine()).trust == "trusted"


def _changed(text: TextLayer, change: dict[str, str]) -> TextLayer:
    def swap(glyph: Glyph) -> Glyph:
        return replace(glyph, text=change.get(glyph.text, glyph.text))

    return replace(text, glyphs=tuple(swap(g) for g in text.glyphs))


def test_text_layer_that_says_something_else_is_lying(sheet: Sheet) -> None:
    text = read_text_layer(sheet.page, DPI)
    letters = sorted({g.text for g in text.glyphs if g.text.isalpha()})
    scrambled = _changed(text, dict(zip(letters, letters[7:] + letters[:7], strict=True)))
    verdict = judge_text_layer(scrambled, sheet.image(), get_engine())
    assert verdict.trust == "lying"
    assert "spots" in verdict.reason


@pytest.mark.parametrize("code", ["\ufffd", "\ue001"])
def test_codes_without_meaning_are_lying(sheet: Sheet, code: str) -> None:
    text = _changed(read_text_layer(sheet.page, DPI), {"的": code, "下": code, "时": code, "小": code})
    assert judge_text_layer(text, sheet.image(), Says([""])).trust == "lying"


def test_doubled_letters_are_lying(sheet: Sheet) -> None:
    text = read_text_layer(sheet.page, DPI)
    doubled = [g for glyph in text.glyphs for g in (glyph, replace(glyph, box=glyph.box.shift(0.1, 0)))]
    verdict = judge_text_layer(replace(text, glyphs=tuple(doubled * 2)), sheet.image(), Says([""]))
    assert verdict.trust == "lying"
    assert "doubled" in verdict.reason


def test_text_layer_with_holes_is_partial_and_completed_by_ocr() -> None:
    sheet = Sheet(420, 300)
    sheet.lines(40, 60, TEXTS, 24)
    whole = read_text_layer(sheet.page, DPI)
    upper = replace(whole, glyphs=tuple(g for g in whole.glyphs if g.box.cy < 95 * PX))
    verdict = judge_text_layer(upper, sheet.image(), get_engine())
    assert verdict.trust == "partial"
    layout = analyse_page(PageInput(1, sheet.image(), DPI, text=verdict), get_engine())
    assert [comparable(t).replace("$", "") for t in body(layout)] == [comparable(t) for t in TEXTS]
    assert {line.origin for line in layout.lines} == {"text_layer", "ocr"}
    assert "text_layer.partial" in {d.code for d in layout.doubts}
