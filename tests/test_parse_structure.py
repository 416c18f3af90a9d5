"""Structure: which lines are questions, sections, instructions; options and parts; one table row a case."""

from __future__ import annotations

import pytest
from drawing import line, page

from layout.types import PageLayout
from parse_templates.parser import ParsedPaper, parse_paper
from scoring.bank import question_text
from wholepage.records import Question

FOUR = ["A．甲", "B．乙", "C．丙", "D．丁"]


def zh(*texts: str, **more: object) -> ParsedPaper:
    return parse_paper([page(list(texts), **more)], "zh_exam")  # type: ignore[arg-type]


def en(*texts: str) -> ParsedPaper:
    return parse_paper([page(list(texts))], "en_exam")


def only(paper: ParsedPaper) -> Question:
    assert [q.number for q in paper.questions] == [paper.questions[0].number]
    return paper.questions[0]


def options(question: Question) -> dict[str, str]:
    return {o.label: o.text for o in question.options}


NUMBER_STYLES = ["1．", "1.", "1、", "1 . ", "第1题 ", "1．（5分）"]


@pytest.mark.parametrize("style", NUMBER_STYLES)
def test_number_styles(style: str) -> None:
    paper = zh(f"{style}下列说法正确的是", *FOUR, f"{style.replace('1', '2')}下列说法错误的是", *FOUR)
    assert [q.number for q in paper.questions] == ["1", "2"]
    assert [q.stem for q in paper.questions] == ["下列说法正确的是", "下列说法错误的是"]


@pytest.mark.parametrize("style", ["Q{}. ", "{}. ", "Question {} ", "{}) ", "{}  "])
def test_english_number_styles(style: str) -> None:
    paper = en(*(f"{style.format(i)}Name the process shown here." for i in (1, 2, 3)))
    assert [q.number for q in paper.questions] == ["1", "2", "3"]
    assert paper.questions[2].stem == "Name the process shown here."


NOT_A_QUESTION = {
    "a year": ["1．某厂计划在", "2022年完成产量翻番，", "求年增长率。", "2．解方程。"],
    "a decimal": ["1．小球的质量为", "1.5 kg，求它的重力。", "2．解方程。"],
    "a list in the stem": ["1．阅读下列步骤：", (240, "1．加水"), (240, "2．加热"), (240, "3．过滤"), "2．解方程。"],
    "a table row": ["1．数据如下：", "15\u200330\u200345", "2．解方程。"],
}


@pytest.mark.parametrize("texts", NOT_A_QUESTION.values(), ids=NOT_A_QUESTION)
def test_numbers_that_begin_no_question(texts: list[str | tuple[float, str]]) -> None:
    paper = parse_paper([page(texts)], "zh_exam")
    assert [q.number for q in paper.questions] == ["1", "2"]


def test_number_before_a_year() -> None:
    paper = zh("9．求最小值．", "10. 2022年冬奥会期间，某店售出若干件商品，求利润．", "11．解方程．")
    assert [q.number for q in paper.questions] == ["9", "10", "11"]
    assert paper.questions[1].stem.startswith("2022年冬奥会")


def test_instructions_are_no_questions() -> None:
    paper = zh(
        "注意事项：", "1．答卷前填写姓名．", "2．用黑色笔作答．", "3．保持卷面清洁．",
        "一、选择题：本题共2小题，每小题5分，共10分．",
        "1．下列正确的是", *FOUR, "2．下列错误的是", *FOUR,
    )  # fmt: skip
    assert [(q.section, q.number) for q in paper.questions] == [("选择题", "1"), ("选择题", "2")]


def test_english_instructions_without_a_section_heading() -> None:
    paper = en(
        "Instructions", "1. Answer all questions.", "2. Use black ink.",
        "1. Name the gas.", "2. Draw the circuit.", "3. State the law.",
    )  # fmt: skip
    assert [q.stem for q in paper.questions] == ["Name the gas.", "Draw the circuit.", "State the law."]


def test_numbering_restarts_in_each_section() -> None:
    paper = en(
        "Section A", "1. Name the gas. [1]", "2. State the law. [2]",
        "Section B", "1. Draw the circuit. [3]", "2. Explain the result. [4]",
    )  # fmt: skip
    assert [(q.section, q.number, q.points) for q in paper.questions] == [
        ("Section A", "1", 1), ("Section A", "2", 2), ("Section B", "1", 3), ("Section B", "2", 4),
    ]  # fmt: skip
    assert len({q.id for q in paper.questions}) == 4


def test_missing_number_is_listed_as_a_gap() -> None:
    paper = zh("一、解答题：共4小题．", "1．求值．", "2．求和．", "4．求积．")
    (issue,) = [i for i in paper.issues if i.code == "number.gap"]
    assert issue.severity == "error"
    assert "3" in issue.message
    assert paper.coverage.sections[0].gaps == ["3"]


def test_heading_count_reveals_questions_missing_at_the_end() -> None:
    paper = zh("一、选择题：本题共4小题，每小题5分，共20分．", "1．甲", *FOUR, "2．乙", *FOUR)
    assert paper.coverage.sections[0].gaps == ["3", "4"]


def test_sequence_may_start_late() -> None:
    paper = zh("7．下列正确的是", *FOUR, "8．下列错误的是", *FOUR, "26．（14分）回答问题．")
    assert [q.number for q in paper.questions] == ["7", "8", "26"]


def test_question_runs_over_columns_and_pages() -> None:
    first = page(["1．题干的前半部分写在第一页的末尾，"])
    second = page(["后半部分写在第二页．", "2．另一题．"], number=2)
    paper = parse_paper([first, second], "zh_exam")
    assert paper.questions[0].stem == "题干的前半部分写在第一页的末尾，后半部分写在第二页．"
    assert [r.page for r in paper.questions[0].regions] == [1, 2]


TYPES = {
    "一、选择题：只有一项符合要求．": "multiple_choice",
    "二、多项选择题：有多项符合要求．": "multi_select",
    "二、选择题：有多项符合题目要求．": "multi_select",
    "三、判断题": "true_false",
    "四、填空题：每小题5分．": "fill_in_blank",
    "五、解答题：写出步骤．": "open_ended",
    "六、非选择题：共60分．": "open_ended",
}


@pytest.mark.parametrize(("heading", "expected"), TYPES.items())
def test_heading_names_the_type(heading: str, expected: str) -> None:
    texts = [heading, "1．下列说法正确的是", *(FOUR if "multi" in expected else [])]
    assert zh(*texts, "2．另一题", *(FOUR if "multi" in expected else [])).questions[0].type == expected


def test_heading_with_ranges_of_numbers() -> None:
    heading = "一、选择题：本题共4小题，每小题6分．第1~2题只有一项符合要求，第3~4题有多项符合要求．"
    paper = zh(heading, *(t for n in range(1, 5) for t in (f"{n}．题干", *FOUR)))
    assert [q.type for q in paper.questions] == ["multiple_choice"] * 2 + ["multi_select"] * 2
    assert [q.points for q in paper.questions] == [6, 6, 6, 6]


OPTION_ROWS = {
    "one a line": FOUR,
    "two columns": ["A．甲\u2003B．乙", "C．丙\u2003D．丁"],
    "four columns": ["A．甲\u2003B．乙\u2003C．丙\u2003D．丁"],
    "column by column": ["A．甲\u2003C．丙", "B．乙\u2003D．丁"],
    "brackets": ["(A) 甲\u2003(B) 乙\u2003(C) 丙\u2003(D) 丁"],
    "full-width brackets": ["（A）甲\u2003（B）乙", "（C）丙\u2003（D）丁"],
    "ideographic comma": ["A、甲", "B、乙", "C、丙", "D、丁"],
    "lost spaces": ["A.甲B.乙C.丙D.丁"],
}


@pytest.mark.parametrize("rows", OPTION_ROWS.values(), ids=OPTION_ROWS)
def test_option_styles(rows: list[str]) -> None:
    paper = zh("一、选择题", "1．题干（　　）", *rows, "2．题干（　　）", *rows)
    assert options(paper.questions[0]) == {"A": "甲", "B": "乙", "C": "丙", "D": "丁"}
    assert paper.questions[0].issues == []


def test_option_goes_on_in_the_next_line() -> None:
    paper = zh("一、选择题", "1．题干", "A．甲的第一行", "和第二行", "B．乙", "C．丙", "D．丁", "2．题", *FOUR)
    assert options(paper.questions[0])["A"] == "甲的第一行和第二行"


def test_species_name_is_no_option() -> None:
    paper = zh("一、选择题", "1．题干", "A．甲", "B．乙", "C．丙", "D．用 E. coli 连接酶", "2．题", *FOUR)
    assert options(paper.questions[0])["D"] == "用 E. coli 连接酶"


def test_missing_option_is_an_error() -> None:
    question = zh("一、选择题", "1．题干", "A．甲", "B．乙", "D．丁", "2．题", *FOUR).questions[0]
    assert [(i.code, i.severity) for i in question.issues] == [("options.incomplete", "error")]
    assert "C" in question.issues[0].message
    assert question.confidence < 0.5


def test_parts_with_marks_and_nested_parts() -> None:
    question = zh(
        "三、解答题", "15．（13分）已知数列．", "（1）求通项；（6分）", "（2）回答：", "①求和；", "②求极限．",
        "16．另一题．",
    ).questions[0]  # fmt: skip
    assert question.points == 13
    assert question.stem == "已知数列．"
    assert [(p.label, p.text, p.points) for p in question.parts] == [("(1)", "求通项；", 6), ("(2)", "回答：", None)]
    assert [p.label for p in question.parts[1].parts] == ["①", "②"]


def test_english_parts_add_up() -> None:
    question = en(
        "1. A metal is heated.", "(a) Name the gas. [1]", "(b) (i) State the law. [2]", "(ii) Explain it. [3]",
        "2. Next.",
    ).questions[0]  # fmt: skip
    assert [p.label for p in question.parts] == ["(a)", "(b)"]
    assert [p.label for p in question.parts[1].parts] == ["(i)", "(ii)"]
    assert question.points == 6


def test_question_that_begins_with_its_first_part() -> None:
    paper = en(
        "1 (a) Give the name of the process that:",
        "(i) turns a gas into a liquid [1]",
        "(ii) separates a mixture of amino acids [1]",
        "(b) State two uses of the second one [2]",
        "2 Define the term solvent [1]",
    )
    first, second = paper.questions
    assert first.stem == first.parts[0].text == "Give the name of the process that:"
    assert first.own_stem == "" and second.own_stem == second.stem == "Define the term solvent"
    assert first.evidence["stem"].raw.strip().startswith("Give the name")
    assert question_text(first).count("Give the name") == 1


def test_letters_inside_a_part_are_no_options_of_the_question() -> None:
    question = zh("1．回答下列问题：", "（1）选出正确的：", *FOUR, "（2）说明理由．", "2．另一题．").questions[0]
    assert question.options == []
    assert [p.label for p in question.parts] == ["(1)", "(2)"]


POINTS = {
    "1．（12分）求值．": 12,
    "1．(12 分) 求值．": 12,
    "1．（本小题满分14分）求值．": 14,
    "1．（本题6.5分）求值．": 6.5,
    "1．求值．": None,
}


@pytest.mark.parametrize(("text", "points"), POINTS.items())
def test_points(text: str, points: float | None) -> None:
    question = zh(text, "2．另一题．").questions[0]
    assert (question.points, question.stem) == (points, "求值．")


def test_points_that_do_not_add_up_are_said() -> None:
    paper = zh("一、选择题：每小题5分，共20分．", "1．甲", *FOUR, "2．乙", *FOUR)
    assert "points.sum_mismatch" in {i.code for i in paper.issues}


def test_blank_and_cover_pages_give_no_questions() -> None:
    cover = page(["某市二〇二六年初中学业水平考试", "数学", "考试时间120分钟"])
    blank = PageLayout(2, 1654, 2339, 200.0, "blank")
    paper = parse_paper([cover, blank], "auto")
    assert paper.questions == []
    assert [i.code for i in paper.issues] == ["questions.none"]


def test_running_header_on_most_pages_is_no_text_of_a_question() -> None:
    pages = []
    for number in (1, 2, 3):
        layout = page([f"{2 * number - 1}．求值．", f"{2 * number}．求和．"], number=number)
        header = line(500, 60, "某市高三质量检测")
        pages.append(layout.with_lines((header, *layout.lines)))
    paper = parse_paper(pages, "zh_exam")
    assert [q.stem for q in paper.questions] == ["求值．", "求和．"] * 3


@pytest.mark.parametrize(
    ("texts", "language", "template"),
    [
        (["一、选择题", "1．下列正确的是", *FOUR, "2．下列错误的是", *FOUR], "zh", "zh_exam"),
        (["Section A", "1. Name the gas given off. [1]", "2. State the law of motion. [2]"], "en", "en_exam"),
    ],
)
def test_template_is_chosen_by_evidence(texts: list[str], language: str, template: str) -> None:
    paper = parse_paper([page(texts)], "auto")
    assert (paper.language, paper.template) == (language, template)


def test_title_and_subject() -> None:
    layout = page(["1．求值．", "2．求和．"])
    title = line(500, 100, "二〇二六年春季物理测试", em=50)
    paper = parse_paper([layout.with_lines((title, *layout.lines))], "zh_exam")
    assert (paper.title, paper.subject) == ("二〇二六年春季物理测试", "physics")


def test_low_ocr_confidence_lowers_the_question() -> None:
    layout = page(["1．求值．", "2．求和．"])
    doubtful = line(160, 200, "1．求值．", confidence=0.55)
    paper = parse_paper([layout.with_lines((doubtful, *layout.lines[1:]))], "zh_exam")
    assert paper.questions[0].confidence <= 0.55 < paper.questions[1].confidence
