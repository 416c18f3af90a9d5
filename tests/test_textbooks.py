"""Chapters of textbooks: what they hold, which template reads them, and what is no chapter."""

from __future__ import annotations

import pytest
from drawing import page
from pydantic import ValidationError

from layout.types import FigureRegion
from parse_templates.parser import ParsedPaper, parse_paper
from parse_templates.template import ChapterRules, ItemRule
from wholepage.boxes import Box

ENGLISH = [
    "3 Heat and Temperature",
    "3.1 WARM AND COLD BODIES",
    "Bodies that touch come to one temperature after some time. Heat flows from the",
    "warm body to the cold one until both are equally warm.",
    "Example 3.1",
    "A kettle warms one litre of water by ten degrees. How much heat does it give?",
    "Solution: multiply mass, heat capacity and change of temperature.",
    "Activity 3.1",
    "Put a warm stone into a bowl of cold water and measure every minute.",
    "Figure 3.1 A stone in a bowl",
    "Figure 3.1 shows that the water becomes warmer while the stone cools.",
    "3.2 MEASURING TEMPERATURE",
    "A thermometer holds a liquid that takes more room when it is warm.",
    "3.2.1 The two scales",
    "One scale begins where ice melts, the other one much lower.",
    "Example 3.2",
    "Turn thirty degrees of one scale into the other.",
    "E X E R C I S E S",
    "1. Why does a spoon in hot soup become hot?",
    "2. Name two scales of temperature.",
]  # fmt: skip
CHINESE = [
    "第二章 声音", "2.1 声音的产生", "一切发声的物体都在振动，振动停止，发声也停止．",
    "例1 敲鼓时鼓面上的纸屑为什么会跳动？", "解：鼓面在振动．", "实验 把音叉放入水中，观察水花．",
    "图2.1-1 音叉激起水花", "练习", "1．举出两个物体振动发声的例子．",
    "2.2 声音的传播", "声音的传播需要介质，真空不能传声．", "例1 宇航员在月球上怎样交谈？", "解：用无线电．",
    "图2.2-1 真空罩中的闹钟", "习题2.2", "1．声音在哪种介质中传播得最快？",
]  # fmt: skip


def read(texts: list[str], template: str = "auto", **more: object) -> ParsedPaper:
    return parse_paper([page(texts, **more)], template)  # type: ignore[arg-type]


def told(paper: ParsedPaper) -> list[tuple[str, str | None, str | None, str | None]]:
    return [(r.type, r.caption, r.section, r.subsection) for r in paper.resources]


def test_an_english_chapter() -> None:
    drawing = FigureRegion(Box(300, 580, 700, 640), "drawing", 0)
    paper = read(ENGLISH, figures=[drawing])
    assert paper.template == "textbook_en" and paper.questions == []
    one, two = "3.1 WARM AND COLD BODIES", "3.2 MEASURING TEMPERATURE"
    assert told(paper) == [
        ("passage", None, None, None), ("passage", one, one, None), ("example", "Example 3.1", one, None),
        ("activity", "Activity 3.1", one, None), ("figure", "Figure 3.1 A stone in a bowl", one, None),
        ("passage", two, two, None), ("passage", "3.2.1 The two scales", two, "3.2.1 The two scales"),
        ("example", "Example 3.2", two, "3.2.1 The two scales"),
        ("exercise", "E X E R C I S E S", two, "3.2.1 The two scales"),
    ]  # fmt: skip
    assert {r.chapter for r in paper.resources} == {"3"}
    assert "kettle warms one litre" in next(r.text for r in paper.resources if r.caption == "Example 3.1")
    assert next(r.file for r in paper.resources if r.type == "figure") == "figures/p001-f1.png"


def test_a_chinese_chapter_counts_its_examples_in_each_section() -> None:
    paper = read(CHINESE)
    assert paper.template == "textbook_zh" and paper.questions == []
    one, two = "2.1 声音的产生", "2.2 声音的传播"
    assert told(paper)[1:] == [
        ("passage", one, one, None), ("example", "例 1", one, None), ("activity", "实验", one, None),
        ("figure", "图2.1-1 音叉激起水花", one, None), ("exercise", "练习", one, None),
        ("passage", two, two, None), ("example", "例 1", two, None), ("figure", "图2.2-1 真空罩中的闹钟", two, None),
        ("exercise", "习题2.2", two, None),
    ]  # fmt: skip
    assert "月球上" in paper.resources[7].text


def test_sections_without_the_chapter_s_number_need_more_kinds_of_items() -> None:
    worksheet = [
        "第1节 集合", "例1．求两个集合的交集____．", "例2．求两个集合的并集____．",
        "第2节 函数", "例3．求函数的定义域____．", "例4．求函数的值域____．",
    ]  # fmt: skip
    paper = read(worksheet)
    assert paper.template == "zh_exam" and [q.number for q in paper.questions] == ["1", "2", "3", "4"]
    chapter = [*worksheet, "实验 画出图象．", "练习", "1．求和．"]
    assert read(chapter).template == "textbook_zh"


def test_a_paper_is_no_chapter_and_a_named_template_is_followed() -> None:
    texts = ["1．如图2.1，求面积____．", "2．见例2，求周长____．", "3．求体积____．"]
    assert read(texts).template == "zh_exam"
    assert len(read(texts, "textbook_zh").questions) == 3
    assert read(ENGLISH, "en_exam").resources == []


def test_a_caption_is_preferred_to_a_sentence_that_begins_with_the_label() -> None:
    texts = [*ENGLISH[:9], "Figure 3.1. Then take the stone out of the bowl,", "and wait.", *ENGLISH[9:]]
    captions = [r.caption for r in read(texts).resources if r.type == "figure"]
    assert captions == ["Figure 3.1 A stone in a bowl"]


def test_rules_of_chapters_need_their_groups() -> None:
    with pytest.raises(ValidationError, match="no group t"):
        ChapterRules(section=r"(?P<n>\d\.\d)")
    with pytest.raises(ValidationError, match="no group k"):
        ItemRule(type="example", pattern=r"Example (?P<n>\d)")
