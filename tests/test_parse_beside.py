"""What stands side by side: questions beside figures, options in columns, captions in a row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawing import line, page

from layout.types import FigureRegion, PageLayout
from parse_templates.captions import find_captions, is_caption
from parse_templates.flow import build_flow
from parse_templates.parser import parse_paper
from parse_templates.template_files import load_template
from wholepage.boxes import Box

LONG = "（这一句话很长，用来说明题目中的各个条件和要求）"


def test_a_question_right_of_its_figure_begins_at_the_edge_there() -> None:
    rows: list[str | tuple[float, str]] = [
        "11．求两数之和，" + LONG, "12．求两数之差，" + LONG,
        (700.0, "13．如图，求角的大小，"), (700.0, "并说明你的理由____"),
        "14．求两数之积，" + LONG, "15．求两数之商，" + LONG,
    ]  # fmt: skip
    sheet = page(rows, figures=[FigureRegion(Box(170, 290, 640, 410))])
    flow = build_flow([sheet])
    assert [round(x.indent, 1) for x in flow if x.box.x0 == 700.0] == [0.0, 0.0]
    assert [q.number for q in parse_paper([sheet], "zh_exam").questions] == ["11", "12", "13", "14", "15"]
    bare = build_flow([replace(sheet, figures=())])
    assert min(x.indent for x in bare if x.box.x0 == 700.0) > 10


def options(*rows: tuple[tuple[float, float, str], ...]) -> PageLayout:
    """A question with a row of options each; places and texts of what stands in a row."""
    head = [line(160, 200, "1. Which of these is the largest number of all?"), line(160, 250, "It is said to be:")]
    marks = [line(x, y, text) for row in rows for x, y, text in row]
    tail = [line(160, 600, "2. Which of these is the smallest number?"), line(160, 650, "Give your reason for it.")]
    return PageLayout(1, 1654, 2339, 200.0, "digital", lines=(*head, *marks, *tail))


def test_small_letters_in_two_columns_are_options_beside_a_tall_formula() -> None:
    first = (line(300, 300, "a) 20\u2003\u2003\u2003\u2003b) 30"),)
    uneven = options(((300, 350, "c) 40"),), ((600, 362, "d) 50"),))
    sheet = replace(uneven, lines=(*uneven.lines[:2], *first, *uneven.lines[2:]))
    question = parse_paper([sheet], "en_exam").questions[0]
    assert [o.label for o in question.options] == ["A", "B", "C", "D"]
    below = options(*(((300, 300 + 50 * n, f"{c}) find the number {n}"),) for n, c in enumerate("abcd")))
    assert parse_paper([below], "en_exam").questions[0].options == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("（第14题）\u2003（第16题）", [14, 16]),
        ("（第14题）\u2003（第1b目题）", [14]),  # one of them misread
        ("如下所示\u2003（第16题）", []),
        ("第16题", [16]),
    ],
)
def test_captions_in_a_row(text: str, numbers: list[int]) -> None:
    template = load_template("zh_exam")
    sheet = page([text])
    assert [c.question for c in find_captions([sheet], build_flow([sheet]), template)] == numbers
    assert is_caption(text, template) == bool(numbers)


def test_the_heading_of_a_part_ends_the_last_option() -> None:
    texts = [
        "一、选择题",
        "1．下列正确的是",
        "A．甲",
        "B．乙",
        "C．丙",
        "D．丁",
        "非选择题部分",
        "二、填空题",
        "2．写出____",
    ]
    first, second = parse_paper([page(texts)], "zh_exam").questions
    assert first.options[-1].text == "丁"
    assert second.type == "fill_in_blank"
