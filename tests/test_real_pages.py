"""Pages whose text layer hides, lacks or invents something; columns of options; page numbers that are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawing import DPI, PX, Sheet, line, page

from ingest.collapsed import restore_names
from ingest.textlayer import _shared_widths, _shifted_fonts, read_text_layer
from ingest.unread import complete_text_layer
from layout.columns import split_columns
from layout.furniture import edge_role, mark_repeated
from layout.lettering import STARTS_TEXT
from layout.ocr import Image, Recognised
from layout.segments import Segment
from layout.types import Glyph, PageLayout
from wholepage.boxes import Box


class Reads:
    """An engine that reads every crop as the next of the given texts."""

    name = "reads"

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked = 0

    def detect(self, image: Image, scale: float) -> list[np.ndarray]:  # type: ignore[type-arg]
        raise AssertionError("nothing is to be detected")

    def recognise(self, crops: list[Image]) -> list[Recognised]:  # type: ignore[override]
        self.asked += len(crops)
        return [Recognised(self.texts.pop(0), 0.99) for _ in crops]


def test_text_painted_over_is_not_read() -> None:
    sheet = Sheet()
    sheet.text(60, 100, "hidden words")
    sheet.page.draw_rect((40, 80, 400, 120), color=None, fill=(1, 1, 1))
    sheet.text(60, 110, "banner")
    sheet.text(60, 200, "question")
    text = "".join(g.text for g in read_text_layer(sheet.page, DPI).glyphs)
    assert "hidden" not in text
    assert "banner" in text
    assert "question" in text


def test_a_number_in_a_box_that_the_text_layer_lacks() -> None:
    sheet = Sheet()
    shape = sheet.page.new_shape()
    shape.draw_line((64, 92), (64, 99.5))  # the digit 1, drawn as a stroke, in a frame
    shape.finish(width=1.6)
    shape.draw_rect((56, 88, 84, 103))
    shape.finish(width=0.5)
    shape.commit()
    sheet.lines(56, 120, ["下列说法正确的是", "甲说法", "乙说法"])
    layer = read_text_layer(sheet.page, DPI)
    engine = Reads("1")
    done = complete_text_layer(layer, sheet.image(), engine)
    added = [g for g in done.glyphs if g.font == "ocr"]
    assert engine.asked == 1
    assert [g.text for g in added] == ["1"]
    assert abs(added[0].box.cx - 64 * PX) < 5


def test_what_reads_otherwise_than_a_number_is_not_added() -> None:
    sheet = Sheet()
    sheet.line(64, 92, 64, 99.5, width=1.6)
    sheet.lines(56, 120, ["下列说法正确的是", "甲说法", "乙说法"])
    done = complete_text_layer(read_text_layer(sheet.page, DPI), sheet.image(), Reads("l"))
    assert not [g for g in done.glyphs if g.font == "ocr"]


def test_characters_without_ink_are_dropped() -> None:
    sheet = Sheet()
    sheet.lines(56, 120, ["下列说法正确的是", "甲说法", "乙说法"])
    layer = read_text_layer(sheet.page, DPI)
    ghost = Glyph("的", Box(900, 900, 930, 930), 30.0, "F", 1.0, 925.0)
    huge = Glyph("的", Box(150, 280, 620, 800), 420.0, "F", 1.0, 700.0)
    done = complete_text_layer(replace(layer, glyphs=(*layer.glyphs, ghost, huge)), sheet.image(), Reads())
    assert len(done.glyphs) == len(layer.glyphs)


def test_a_combining_mark_has_its_ink_over_the_letter_beside_it() -> None:
    sheet = Sheet()
    sheet.lines(56, 120, ["下列说法正确的是", "甲说法", "乙说法"])
    layer = read_text_layer(sheet.page, DPI)
    last = layer.glyphs[7]
    behind = Box(last.box.x1 + 2, last.box.y0, last.box.x1 + 2, last.box.y1)
    mark = Glyph("\u20d7", behind, last.size, "F", 1.0, last.baseline)
    stray = replace(mark, box=Box(900, 900, 900, 930), baseline=925.0)
    done = complete_text_layer(replace(layer, glyphs=(*layer.glyphs, mark, stray)), sheet.image(), Reads())
    assert [g for g in done.glyphs if g.text == "\u20d7"] == [mark]


def test_signs_of_tex_s_large_font_hang_below_their_baseline() -> None:
    sheet = Sheet()
    sheet.lines(56, 120, ["下列说法正确的是", "甲说法", "乙说法"])
    layer = read_text_layer(sheet.page, DPI)
    first = layer.glyphs[0]
    b, lift = first.box, 1.6 * first.size
    above = Box(b.x0, b.y0 - lift, b.x1, b.y1 - lift)
    hung = replace(first, text="∫", font="CMEX10", box=above, baseline=b.y1 - lift)
    done = complete_text_layer(replace(layer, glyphs=(*layer.glyphs, hung)), sheet.image(), Reads())
    assert hung in done.glyphs
    other = replace(hung, font="CMR10")
    done = complete_text_layer(replace(layer, glyphs=(*layer.glyphs, other)), sheet.image(), Reads())
    assert other not in done.glyphs


def test_letters_that_a_font_holds_as_one_share_its_width() -> None:
    chars = [
        {"c": "f", "bbox": (10.0, 0.0, 20.0, 12.0)}, {"c": "t", "bbox": (20.0, 0.0, 20.0, 12.0)},
        {"c": "a", "bbox": (20.0, 0.0, 26.0, 12.0)}, {"c": "\u20d7", "bbox": (26.0, 0.0, 26.0, 12.0)},
    ]  # fmt: skip
    shared = [(c["c"], c["bbox"][0], c["bbox"][2]) for c in _shared_widths(chars)]
    assert shared == [("f", 10.0, 15.0), ("t", 15.0, 20.0), ("a", 20.0, 26.0), ("\u20d7", 26.0, 26.0)]


@pytest.mark.parametrize("text", ["A．", "B.", "1．", "12. ", "(1)", "A. 甲", "1. 5 个"])
def test_what_starts_a_text_is_no_lettering_of_a_figure(text: str) -> None:
    assert STARTS_TEXT.match(text)


@pytest.mark.parametrize("text", ["1.6", "0.25", "A", "(a)", "U/V"])
def test_lettering_of_a_figure(text: str) -> None:
    assert not STARTS_TEXT.match(text)


def test_a_name_whose_letters_share_one_code_is_read() -> None:
    sheet = Sheet()
    sheet.text(60, 120, "ABC", size=14)
    sheet.text(60, 160, "AAA", size=14)
    layer = read_text_layer(sheet.page, DPI)
    glyphs = tuple(replace(g, text="A", font="CambriaMath") for g in layer.glyphs)
    engine = Reads("ABC")
    done = restore_names(replace(layer, glyphs=glyphs), sheet.image(), engine)
    assert engine.asked == 1  # three letters of one ink are what they say
    assert "".join(g.text for g in done.glyphs) == "ABCAAA"
    doubted = restore_names(replace(layer, glyphs=glyphs), sheet.image(), Reads("AB"))
    assert [g.confidence for g in doubted.glyphs] == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]


def test_a_letter_named_twice_by_its_two_halves_is_one() -> None:
    chars = [{"c": "𝑥", "bbox": (10.0, 0.0, 16.0, 12.0)}, {"c": "𝑥", "bbox": (16.0, 0.0, 16.0, 12.0)}]
    assert [c["c"] for c in _shared_widths(chars)] == ["𝑥"]


def test_a_column_with_rows_of_options_is_a_column() -> None:
    em = 30.0

    def segment(x0: float, x1: float, y: float, text: str) -> Segment:
        glyph = Glyph(text, Box(x0, y, x1, y + em), em, "", 1.0)
        return Segment((glyph,), glyph.box, em, 1.0, "text_layer")

    left = [segment(100, 1300, 100 + 50 * i, f"line {i}") for i in range(20)]
    right = []
    for i in range(20):
        if i % 2:
            right += [segment(1600 + 300 * k, 1700 + 300 * k, 100 + 50 * i, f"{'ABCD'[k]}. x") for k in range(4)]
        else:
            right.append(segment(1560, 2800, 100 + 50 * i, f"{i}. question"))
    blocks = split_columns([*left, *right], em)
    assert [len(b.segments) for b in blocks] == [len(left), len(right)]


def test_a_number_with_a_dot_counts_no_pages() -> None:
    assert edge_role("5.", Box(160, 100, 190, 130), 2339) == "body"
    assert edge_role("5", Box(800, 2250, 815, 2280), 2339) == "page_number"


@pytest.mark.parametrize("text", ["430/6/2 ~ 13 | P a g e", "5|Page", "Page 3 of 8"])
def test_page_numbers_of_word(text: str) -> None:
    assert edge_role(text, Box(100, 2240, 900, 2270), 2339) == "page_number"
    assert edge_role("In this page 3 shapes are shown", Box(100, 2240, 900, 2270), 2339) == "body"


def test_rows_of_codes_with_the_pages_number_are_no_text() -> None:
    def sheet(n: int, foot: str) -> PageLayout:
        base = page(["1. What is a force?", "Give its unit."], number=n)
        return replace(base, lines=(*base.lines, line(196, 1980, foot)))

    feet = ["55/1\u20033\u2003P.T.O.", "55/1\u2003256 A\u20034", "55/1\u20035\u2003P.T.O.", "x=3\u2003y=7"]
    marked = mark_repeated([sheet(n, foot) for n, foot in enumerate(feet, 3)])
    assert [p.lines[-1].role for p in marked] == ["page_number", "page_number", "page_number", "body"]


def test_a_number_at_the_head_is_a_question_when_the_foot_counts_the_pages() -> None:
    pages: list[PageLayout] = []
    for n in range(1, 5):
        base = page(["下列说法正确的是", "A．甲", "B．乙"], number=n)
        foot = replace(line(800, 2250, f"{n}/4"), role="page_number", column=1)
        head = replace(line(160, 130, str(n + 10)), role="page_number", column=1)
        pages.append(replace(base, lines=(*base.lines, foot, head)))
    heads = [next(x for x in p.lines if x.text == str(p.number + 10)) for p in mark_repeated(pages)]
    assert [(x.role, x.column) for x in heads] == [("body", 0)] * 4


def test_private_use_codes_that_spell_words() -> None:
    def raw(font: str, text: str) -> dict[str, object]:
        chars = [{"c": chr(0xF000 + ord(c))} for c in text]
        return {"blocks": [{"lines": [{"spans": [{"font": font, "chars": chars}]}]}]}

    assert _shifted_fonts(raw("TT7B6T00", "12.1 HEAT")) == {"TT7B6T00"}
    assert _shifted_fonts(raw("Symbol", "abcdef")) == set()
    assert _shifted_fonts(raw("TT4B3T00", "nnnn")) == set()
