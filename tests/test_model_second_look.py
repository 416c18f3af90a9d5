"""The OCR engine as a second source: it reads the span again from the page's picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawing import DPI, Sheet, page
from model_standin import Answer, Call, Standin, honest
from test_model_parser import codes, options

from ingest.render import write_page
from layout.ocr import Image, Recognised, get_engine
from layout.page import PageInput, analyse_page
from layout.types import Glyph, PageLayout
from parse_templates.model.cache import ReplyFiles
from parse_templates.model.client import ModelClient
from parse_templates.model.lines import Book, Place
from parse_templates.model.reader import ModelReader, Pages
from parse_templates.model.second_look import MOST_LOOKS, SecondLook
from parse_templates.parser import ParsedPaper, prepare

LINES = ["1．下列说法正确的是", "A．甲 B．质量为5kg的物体 C．丙 D．丁", "2．$x=5$时求值，共5元"]


class Standing:
    """An engine that reads what it is told, and counts."""

    name = "standing"

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = texts, 0
        self.shapes: list[tuple[int, ...]] = []

    def detect(self, image: Image, scale: float) -> list[Any]:
        raise AssertionError("asked to detect")

    def recognise(self, crops: Sequence[Image]) -> list[Recognised]:
        self.asked += 1
        self.shapes = [c.shape for c in crops]
        return [Recognised(self.texts[i % len(self.texts)], 0.9) for i in range(len(crops))]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    file = tmp_path / "001.png"
    write_page(np.full((2339, 1654, 3), 255, np.uint8), file)
    return file


def place(line: int, old: str) -> Place:
    at = LINES[line].index(old)
    return Place(line, at, at + len(old))


def book() -> Book:
    return Book(prepare([page(LINES)], "zh_exam"))


READINGS = {
    "both views read the correction": (("量为6kg的物",), True),
    "one view reads what was there": (("量为6kg的物", "量为5kg的物"), False),
    "something else": (("量为8kg的物",), False),
    "both digits": (("量为6kg量为5kg",), False),
    "nothing": (("",), False),
    "other widths and spaces": (("量 为６ k g",), True),
}


@pytest.mark.parametrize("kind", READINGS)
def test_all_views_must_read_the_correction(kind: str, picture: Path) -> None:
    texts, agrees = READINGS[kind]
    engine = Standing(*texts)
    look = SecondLook(ReplyFiles(None), {1: picture}, lambda: engine)
    assert look(book(), place(1, "5"), "6") is agrees
    tight, loose = engine.shapes
    assert tight[0] < loose[0] and tight[0] > 60  # two scales, both larger than the line


def test_the_engine_is_loaded_for_a_span_only_and_its_readings_are_kept(tmp_path: Path, picture: Path) -> None:
    made: list[Standing] = []

    def engine() -> Standing:
        made.append(Standing("量为6kg的物"))
        return made[-1]

    files = ReplyFiles(tmp_path / "model")
    look = SecondLook(files, {1: picture}, engine)
    assert not made
    assert look(book(), place(1, "5"), "6") and look(book(), place(1, "5"), "6")
    assert SecondLook(files, {1: picture}, engine)(book(), place(1, "5"), "6")
    assert len(made) == 1


NOT_LOOKED_AT = {
    "a formula": (place(2, "$x=5$"), {1: "here"}),
    "no picture": (place(1, "5"), {}),
    "another page's picture": (place(1, "5"), {2: "here"}),
    "a picture that is gone": (place(1, "5"), {1: "gone"}),
}


@pytest.mark.parametrize("kind", NOT_LOOKED_AT)
def test_what_cannot_be_cut_out_is_no_agreement(kind: str, picture: Path) -> None:
    where, named = NOT_LOOKED_AT[kind]
    images = {n: picture if at == "here" else picture.with_name("gone.png") for n, at in named.items()}
    engine = Standing("为6kg")
    asked = formulas() if kind == "a formula" else book()
    assert not SecondLook(ReplyFiles(None), images, lambda: engine)(asked, where, "6")
    assert engine.asked == 0


def formulas() -> Book:
    """The book with its formula as one glyph, as the layout stage makes it."""
    layout = page(LINES)
    line = layout.lines[2]
    glyphs = (*line.glyphs[:2], Glyph("$x=5$", line.glyphs[2].box), *line.glyphs[7:])
    lines = (*layout.lines[:2], replace(line, glyphs=glyphs))
    return Book(prepare([layout.with_lines(lines)], "zh_exam"))


def test_looks_are_bounded(picture: Path) -> None:
    engine = Standing("为6kg")
    look = SecondLook(ReplyFiles(None), {1: picture}, lambda: engine)
    asked = book()
    for _ in range(MOST_LOOKS + 5):
        look(asked, place(1, "5"), "6")
    assert engine.asked == MOST_LOOKS


def drawn(tmp_path: Path, text: str) -> tuple[PageLayout, Path]:
    """A page with the line as it is read from its picture alone, and the picture."""
    sheet = Sheet()
    sheet.lines(60, 80, ["1．下列说法正确的是哪一项", text, "2．求出甲与乙的和____"], step=30)
    image = sheet.image()
    file = tmp_path / "001.png"
    write_page(image, file)
    return analyse_page(PageInput(1, image, DPI), get_engine()), file


def proposing(old: str, new: str, reads: str) -> Any:
    """A model that proposes to put `new` in the place of `old` in the line that holds `reads`."""

    def script(call: Call, _n: int) -> Answer:
        reply = honest(call)
        for shown in call.lines:
            at = shown["text"].find(reads)
            if at >= 0:
                at += reads.index(old)
                span = {"line": shown["id"], "start": at, "end": at + len(old)}
                reply["corrections"] = [{"span": span, "from": old, "to": new, "reason": ""}]
        return Answer(json.dumps(reply, ensure_ascii=False))

    return script


def parse(layout: PageLayout, picture: Path, script: Any) -> ParsedPaper:
    with Standin(script) as server:
        client = ModelClient(options(server))
        pages = Pages([layout], template="zh_exam", images={1: picture})
        try:
            return ModelReader(client, "both").parse(pages)
        finally:
            client.close()


def misread(layout: PageLayout, true: str, false: str) -> PageLayout:
    """The layout as if the engine had read `false` where the picture shows `true`."""
    lines = []
    for line in layout.lines:
        at = line.text.find(true)
        if at >= 0:
            at += next(i for i, (a, b) in enumerate(zip(true, false, strict=True)) if a != b)
            wrong = next(b for a, b in zip(true, false, strict=True) if a != b)
            glyphs = tuple(replace(g, text=wrong) if i == at else g for i, g in enumerate(line.glyphs))
            lines.append(replace(line, glyphs=glyphs, text="".join(g.text for g in glyphs)))
        else:
            lines.append(line)
    return layout.with_lines(tuple(lines))


def test_the_real_engine_confirms_what_the_page_shows(tmp_path: Path) -> None:
    layout, picture = drawn(tmp_path, "已知物体的质量为6千克，速度为3米每秒")
    assert any("质量为6" in line.text for line in layout.lines)
    wrong = misread(layout, "质量为6", "质量为8")
    parsed = parse(wrong, picture, proposing("8", "6", "质量为8"))
    assert "质量为6" in parsed.questions[0].stem
    (issue,) = [i for i in parsed.questions[0].issues if i.code == "text.corrected"]
    assert "a second reading of the page agrees" in issue.message


def test_the_real_engine_does_not_confirm_what_the_page_does_not_show(tmp_path: Path) -> None:
    layout, picture = drawn(tmp_path, "已知物体的质量为6千克，速度为3米每秒")
    parsed = parse(layout, picture, proposing("6", "8", "质量为6"))
    assert "质量为6" in parsed.questions[0].stem
    assert "correction.doubtful" in codes(parsed)
