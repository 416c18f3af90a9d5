"""Pages with a text layer: order, columns, furniture, figures, tables, blanks. OCR is never asked (see NoOcr)."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from drawing import DPI, PX, NoOcr, Sheet, body

from ingest.textlayer import clean, read_text_layer
from layout.digital import without_unseen
from layout.page import PageInput, analyse_page
from layout.types import Glyph, load_layout, save_layout
from wholepage.boxes import Box
from wholepage.errors import WorkspaceError

LEFT = [f"{i}．左栏第{i}行的文字写得相当长一直写到栏边上" for i in range(1, 9)]
RIGHT = [f"{i}．右栏第{i}行的文字写得相当长一直写到栏边上" for i in range(9, 17)]


def test_two_columns_are_read_one_after_the_other() -> None:
    sheet = Sheet()
    sheet.text(180, 60, "二〇二六年某校数学试卷标题横跨两栏", 16)
    sheet.lines(45, 120, LEFT, 30)
    sheet.lines(320, 120, RIGHT, 30)
    assert body(sheet.layout()) == ["二〇二六年某校数学试卷标题横跨两栏", *LEFT, *RIGHT]


def test_options_side_by_side_are_no_columns() -> None:
    sheet = Sheet()
    for row in range(6):
        y = 100 + 60 * row
        sheet.text(60, y, f"{row + 1}．短题干如下")
        sheet.text(60, y + 18, "A．第一个选项写得比较长一些")
        sheet.text(320, y + 18, "B．第二个选项写得比较长一些")
        sheet.text(60, y + 36, "C．第三个选项写得比较长一些")
        sheet.text(320, y + 36, "D．第四个选项写得比较长一些")
    texts = body(sheet.layout())
    assert texts[1] == "A．第一个选项写得比较长一些\u2003B．第二个选项写得比较长一些"
    assert len(texts) == 18


def test_three_columns() -> None:
    sheet = Sheet(1191, 842)
    columns = [[f"{c}栏第{i}行文字写得相当长一直写到栏边" for i in range(12)] for c in "甲乙丙"]
    for index, texts in enumerate(columns):
        sheet.lines(50 + 380 * index, 100, texts, 40)
    assert body(sheet.layout()) == [t for c in columns for t in c]


def test_page_number_and_seal_strip_stand_apart() -> None:
    sheet = Sheet()
    for index, char in enumerate("学校班级姓名密封线"):
        sheet.text(22, 200 + 40 * index, char)
    sheet.lines(80, 100, ["1．题干文字写得相当长一直写到这一行的边上才停下来"] * 8, 40)
    sheet.text(250, 815, "数学试题 第 1 页（共 4 页）", 9)
    layout = sheet.layout()
    assert [line.text for line in layout.lines if line.role == "page_number"] == ["数学试题 第 1 页（共 4 页）"]
    assert "".join(line.text for line in layout.lines if line.role == "seal") == "学校班级姓名密封线"
    assert len(body(layout)) == 8


def test_turned_text_in_the_strip_never_enters_a_line() -> None:
    sheet = Sheet()
    sheet.text(30, 500, "密封线内不要答题", 10.5, rotate=90)
    sheet.lines(80, 100, ["1．题干文字写得相当长一直写到边上"] * 4, 30)
    assert all("密封" not in text for text in body(sheet.layout()))


def test_figure_beside_text_with_its_lettering_and_caption() -> None:
    sheet = Sheet()
    sheet.lines(60, 100, ["1．如图所示的题干文字写在图的左边直到", "这里为止，然后继续写第二行的文字。"], 18)
    sheet.drawing(420, 90, 520, 190)
    sheet.text(465, 125, "P")
    sheet.text(455, 210, "图1")
    layout = sheet.layout()
    (figure,) = layout.figures
    assert figure.box.iou(Box(420 * PX, 90 * PX, 520 * PX, 190 * PX)) > 0.85
    assert figure.caption == "图1"
    assert [line.text for line in layout.lines if line.role == "label"] == ["P"]
    assert len(body(layout)) == 2


def test_frame_around_text_is_no_figure() -> None:
    sheet = Sheet()
    sheet.page.draw_rect((50, 90, 540, 170), width=1)
    sheet.lines(60, 110, ["阅读下面的材料，方框里的文字仍是正文，不是一幅图，应当照读不误。"] * 3, 20)
    layout = sheet.layout()
    assert layout.figures == ()
    assert len(body(layout)) == 3


def test_an_edge_around_the_whole_page_swallows_no_text() -> None:
    sheet = Sheet()
    sheet.page.draw_polyline([(20, 30), (575, 20), (580, 815), (25, 825), (20, 30)], width=3)
    sheet.lines(80, 120, ["1．题干写在纸上，", "A．甲", "B．乙", "C．丙"], 40)
    sheet.drawing(420, 300, 520, 400)
    layout = sheet.layout()
    assert len(body(layout)) == 4
    (figure,) = layout.figures
    assert figure.box.iou(Box(420 * PX, 300 * PX, 520 * PX, 400 * PX)) > 0.85


def test_ruled_table_with_a_merged_cell() -> None:
    sheet = Sheet()
    xs, ys = [100, 180, 260, 340], [200, 225, 250]
    for y in ys:
        sheet.line(xs[0], y, xs[-1], y)
    sheet.line(100, 200, 100, 250)
    sheet.line(340, 200, 340, 250)
    sheet.line(180, 200, 180, 250)
    sheet.line(260, 225, 260, 250)
    sheet.text(110, 217, "物质")
    sheet.text(190, 217, "溶解度<g>")
    sheet.text(110, 242, "甲")
    sheet.text(190, 242, "12")
    sheet.text(270, 242, "30")
    (table,) = sheet.layout().tables
    assert table.html == (
        '<table><tr><td>物质</td><td colspan="2">溶解度&lt;g&gt;</td></tr>'
        "<tr><td>甲</td><td>12</td><td>30</td></tr></table>"
    )
    assert table.rows == (("物质", "溶解度<g>", ""), ("甲", "12", "30"))


def test_tables_side_by_side_are_two() -> None:
    sheet = Sheet()
    for x0, x1, ys in ((100, 220, (200, 240, 280)), (220, 340, (190, 212, 233))):
        for y in ys:
            sheet.line(x0, y, x1, y)
        for x in (x0, (x0 + x1) / 2, x1):
            sheet.line(x, ys[0], x, ys[-1])
        for row in range(2):
            for column in range(2):
                sheet.text(x0 + 20 + 60 * column, ys[row] + 15, f"{x0 // 100}{row}{column}")
    tables = sorted(sheet.layout().tables, key=lambda t: t.box.x0)
    assert [t.rows for t in tables] == [
        (("100", "101"), ("110", "111")),
        (("200", "201"), ("210", "211")),
    ]


def test_blank_lines_become_blanks_and_underlines_do_not() -> None:
    sheet = Sheet()
    sheet.text(60, 100, "9．函数的最小值为")
    sheet.line(150, 102, 210, 102)
    sheet.text(212, 100, "，此时取")
    sheet.line(255, 102, 300, 102)
    sheet.text(302, 100, "．")
    sheet.text(60, 140, "10．划线的词语不是空格")
    sheet.line(81, 142, 125, 142)
    sheet.text(60, 180, "11．下划线字符______也是空")
    texts = body(sheet.layout())
    assert texts[0] == "9．函数的最小值为____，此时取____．"
    assert "____" not in texts[1]
    assert texts[2] == "11．下划线字符____也是空"


def test_fraction_is_one_unit_in_its_line_and_its_bar_no_blank() -> None:
    sheet = Sheet()
    sheet.text(60, 100, "斜率之积为")
    sheet.text(118, 95, "1", 7)
    sheet.line(116, 96.7, 124, 96.7, 0.5)
    sheet.text(118, 104, "4", 7)
    sheet.text(128, 100, "，则结论成立")
    assert body(sheet.layout()) == [r"斜率之积为$\frac{1}{4}$，则结论成立"]


def test_blank_page() -> None:
    layout = Sheet().page.parent  # a page without a mark
    sheet = Sheet()
    assert layout is not None
    engine = NoOcr()
    engine.detect = lambda image, scale: []  # type: ignore[method-assign]
    engine.recognise = lambda crops: []  # type: ignore[method-assign]
    assert analyse_page(PageInput(1, sheet.image(), DPI), engine).kind == "blank"


def test_unread_ink_is_reported() -> None:
    sheet = Sheet()
    sheet.lines(60, 100, ["1．题干"] * 2)
    layout = sheet.layout()
    assert layout.residual_ink < 0.02
    assert layout.doubts == ()


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_glyph_boxes_lie_on_their_ink_however_the_page_is_turned(rotation: int, turn: int) -> None:
    sheet = Sheet(300, 400)
    sheet.text(40, 60, "MARK", 20)
    sheet.page.set_rotation(rotation)
    document = pymupdf.open(stream=sheet.document.tobytes())
    image = np.rot90(_pixels(document[0]), -turn)
    text = read_text_layer(document[0], DPI, turn)
    glyphs = [*text.glyphs, *text.turned]
    assert "".join(sorted(g.text for g in glyphs)) == "AKMR"
    ink = np.argwhere(image.min(axis=2) < 128)
    (y0, x0), (y1, x1) = ink.min(axis=0), ink.max(axis=0)
    hull = Box.hull(g.box for g in glyphs)
    assert hull.grow(3).covered_by(Box(0, 0, image.shape[1], image.shape[0])) > 0.99
    assert Box(x0, y0, x1, y1).covered_by(hull.grow(4)) > 0.99
    assert bool(text.glyphs) == ((rotation // 90 + turn) % 4 == 0)


def _pixels(page: pymupdf.Page) -> np.ndarray:
    pixmap = page.get_pixmap(dpi=int(DPI), alpha=False)
    return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.h, pixmap.w, 3)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("⽔", "水"),
        ("𝑥", "x"),
        ("ﬁ", "fi"),
        ("⩽", "≤"),
        ("①", "①"),
        ("．", "．"),
        ("²", "²"),
        ("\ud835", "\ufffd"),
        ("\x00", ""),
    ],
)
def test_lookalikes_are_folded_and_printed_forms_kept(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_letters_printed_twice_for_bold_are_one() -> None:
    sheet = Sheet()
    sheet.text(60, 100, "加粗标题文字")
    sheet.text(60.3, 100, "加粗标题文字")
    assert body(sheet.layout()) == ["加粗标题文字"]


def test_layout_round_trip(tmp_path) -> None:
    sheet = Sheet()
    sheet.lines(60, 100, ["1．题干（　　）", "A．甲"])
    layout = sheet.layout()
    save_layout(layout, tmp_path / "001.json")
    assert load_layout(tmp_path / "001.json") == layout
    (tmp_path / "001.json").write_text("{}")
    with pytest.raises(WorkspaceError, match=r"001\.json"):
        load_layout(tmp_path / "001.json")


def test_marks_that_print_nothing_are_no_text() -> None:
    seen = Glyph("\x07", Box(10, 0, 20, 20), 20.0, "Arial", 1.0, 16.0)
    unseen = Glyph("\x07", Box(30, 0, 36, 20), 20.0, "Arial", 1.0, 16.0)
    letter = Glyph("C", Box(40, 0, 52, 20), 20.0, "Arial", 1.0, 16.0)
    mask = np.zeros((30, 60), np.uint8)
    mask[5:15, 12:18] = 1
    assert without_unseen([seen, unseen, letter], mask, 20.0) == [seen, letter]


def test_text_beside_a_huge_letter_is_no_script_of_it() -> None:
    sheet = Sheet()
    sheet.lines(60, 100, ["1．为什么电炉丝发热而导线几乎不发热呢", "2．计算这段导线在一小时里放出的热量"], 20)
    sheet.text(375, 125, "?", 72)
    assert body(sheet.layout()) == ["1．为什么电炉丝发热而导线几乎不发热呢", "2．计算这段导线在一小时里放出的热量"]


@pytest.mark.parametrize(("x0", "found"), [(250.0, False), (420.0, True)])
def test_picture_under_lines_that_cross_its_edges_is_no_figure(x0: float, found: bool) -> None:
    sheet = Sheet()
    sheet.lines(60, 100, [f"{i}．这一行的文字写得相当长一直写到右边的地方为止" for i in range(1, 7)], 20)
    tint = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 60))
    tint.set_rect(tint.irect, (225, 225, 240))
    sheet.page.insert_image((x0, 90, x0 + 120, 210), pixmap=tint, overlay=False)
    assert bool(sheet.layout().figures) == found
