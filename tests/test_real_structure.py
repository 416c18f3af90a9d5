"""Papers as people have them: second runs, alternatives, marks in the margin, frames, captions, two languages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawing import line, page, table

from layout.types import FigureRegion, Glyph, Line, PageLayout
from parse_templates.parser import ParsedPaper, parse_paper
from wholepage.boxes import Box
from wholepage.records import Question

FOUR = ["A．甲", "B．乙", "C．丙", "D．丁"]
QUESTIONS = [
    "1．下列器材中用来测量温度的是（）", *FOUR,
    "2．一物块的质量是三千克，它受到的重力为____牛", "3．求证：两直线平行，同位角相等",
]  # fmt: skip


def zh(*texts: str) -> ParsedPaper:
    return parse_paper([page(list(texts))], "zh_exam")


def en(*texts: str) -> ParsedPaper:
    return parse_paper([page(list(texts))], "en_exam")


def by_number(paper: ParsedPaper) -> dict[str, Question]:
    assert len({q.number for q in paper.questions}) == len(paper.questions)
    return {q.number: q for q in paper.questions}


def test_answers_that_repeat_all_numbers_without_a_heading() -> None:
    paper = parse_paper([page(QUESTIONS), page(["1．B", "2．30", "3．略"], number=2)], "zh_exam")
    found = by_number(paper)
    assert list(found) == ["1", "2", "3"]
    assert found["1"].answer == ["B"]
    assert found["2"].answer == ["30"]
    assert found["3"].answer == []


def test_paper_printed_again_with_its_solutions_is_one_set() -> None:
    again = [
        "1．下列器材中用来测量温度的是（ C ）", *FOUR,
        "2．一物块的质量是三千克，它受到的重力为____牛", "答案：30", "3．求证：两直线平行，同位角相等",
        "解：由公理可知成立",
    ]  # fmt: skip
    found = by_number(parse_paper([page(QUESTIONS), page(again, number=2)], "zh_exam"))
    assert list(found) == ["1", "2", "3"]
    assert found["1"].answer == ["C"]
    assert found["2"].answer == ["30"]
    assert "公理" in found["3"].solution


def test_sections_that_begin_anew_are_no_second_run() -> None:
    paper = en(
        "Section A", "1. Name the gas that plants give off by day. [1]", "2. Name two metals that rust. [2]",
        "3. What is a solvent? [1]",
        "Section B", "1. Draw a circuit with one lamp. [3]", "2. Why does ice float on water? [2]", "3. State it. [1]",
    )  # fmt: skip
    assert len(paper.questions) == 6


def test_remarks_end_an_answer_and_groups_split_it() -> None:
    texts = ["1．顺次写出两个数____，____和____", "2．写出一个偶数____", "参考答案", "1．2,3;5", "2．8；注：不唯一"]
    found = by_number(zh(*texts))
    assert found["1"].answer == ["2", "3", "5"]
    assert found["2"].answer == ["8"]


def test_answers_of_parts_by_their_labels() -> None:
    found = by_number(
        zh(
            "1．观察下表回答：",
            "（1）求速度；",
            "（2）求路程．",
            "2．求和．",
            "参考答案",
            "1．（1）6；",
            "（2）18",
            "2．5",
        )
    )
    assert [part.answer for part in found["1"].parts] == [["6；"], ["18"]] or [
        part.answer for part in found["1"].parts
    ] == [["6"], ["18"]]


def test_alternatives_are_one_question_and_count_once() -> None:
    paper = en(
        "1. State the law of inertia. [2]",
        "2. (a) Draw a ray diagram. [3]", "OR", "(b) Derive the lens formula. [3]",
        "3. Name the unit of charge. [1]",
    )  # fmt: skip
    question = by_number(paper)["2"]
    assert [part.label for part in question.parts] == ["(a)", "(b)"]
    assert question.points == 3
    assert "OR" in question.stem


def test_an_inner_alternative_stays_inside_its_part() -> None:
    paper = en(
        "1. A boat crosses a river.", "(i) Find its speed.", "(ii) Find the time.", "(iii) (a) Find the path.", "OR",
        "(iii) (b) Find the drift.", "2. Name the unit of force.",
    )  # fmt: skip
    question = by_number(paper)["1"]
    assert [part.label for part in question.parts] == ["(i)", "(ii)", "(iii)"]
    assert [part.label for part in question.parts[2].parts] == ["(a)", "(b)"]


def test_marks_in_the_margin() -> None:
    lines = []
    for i in range(1, 5):
        lines.append(line(160, 200 + 120 * i, f"{i}. Explain in a few words how a lamp of this kind works and"))
        lines.append(line(220, 250 + 120 * i, "why it is used so often in streets and in large halls."))
        lines.append(line(1400, 250 + 120 * i, str(i)))
    layout = PageLayout(1, 1654, 2339, 200.0, "digital", lines=tuple(lines))
    paper = parse_paper([layout], "en_exam")
    assert [q.points for q in paper.questions] == [1, 2, 3, 4]
    assert all(q.stem.endswith("halls.") for q in paper.questions)


def test_mark_beside_one_part_is_not_the_questions() -> None:
    texts = ["Section D", "This section has 3 questions of 5 marks each."]
    lines = [line(160, 100 + 50 * n, text) for n, text in enumerate(texts)]
    for i in range(1, 4):
        lines.append(line(160, 100 + 200 * i, f"{i}. (a) Solve the pair of equations by drawing their graphs."))
        lines.append(line(220, 150 + 200 * i, "(b) Find how much was put into the bank at the lower rate."))
        lines.append(line(1400, 150 + 200 * i if i > 1 else 100 + 200 * i, "5" if i > 1 else "1"))
    paper = parse_paper([PageLayout(1, 1654, 2339, 200.0, "digital", lines=tuple(lines))], "en_exam")
    assert [q.points for q in paper.questions] == [5, 5, 5]


@pytest.mark.parametrize(
    ("last", "kind"),
    [("Prove that PR = 2 PQ.", "proof"), ("If AB = 3 m, find BQ. Prove that PR = 2 PQ.", "open_ended")],
)
def test_question_of_proofs_asks_for_nothing_else(last: str, kind: str) -> None:
    paper = en("1. A window has three sides.", "(i) Show that AB = AC.", f"(ii) {last}", "2. Name the unit of force.")
    assert by_number(paper)["1"].type == kind


def test_marks_of_single_numbers_in_a_heading() -> None:
    paper = zh("三、解答题：本大题共3小题，第1题7分，第2～3题每小题9分", "1．求和．", "2．求积．", "3．求商．")
    assert [q.points for q in paper.questions] == [7, 9, 9]


def test_marks_of_parts_in_the_head() -> None:
    question = by_number(
        zh("1．（本题共10分，第（1）小题6分，第（2）小题4分）", "如下式．", "（1）求值；", "（2）求和．", "2．求商．")
    )["1"]
    assert question.points == 10
    assert [part.points for part in question.parts] == [6, 4]
    assert question.stem == "如下式．"


def test_several_is_not_the_type_when_the_heading_warns_of_it() -> None:
    paper = zh("一、选择题（每小题3分，不选、多选、错选均不得分）", "1．下列正确的是", *FOUR, "2．下列错误的是", *FOUR)
    assert {q.type for q in paper.questions} == {"multiple_choice"}


def test_rules_of_sections_from_the_instructions() -> None:
    paper = en(
        "General Instructions:", "(i) Section A has 2 MCQs of 1 mark each.",
        "(ii) Section B has questions of 4 marks each.",
        "Section A", "1. Which is a metal?", "a) iron b) sulphur", "c) neon d) iodine", "2. Which is a gas?",
        "a) iron b) lead", "c) neon d) iodine", "Section B", "3. Describe how salt is won from the sea.",
    )  # fmt: skip
    found = by_number(paper)
    assert [found[n].type for n in "12"] == ["multiple_choice"] * 2
    assert [o.label for o in found["1"].options] == ["A", "B", "C", "D"]
    assert [found[n].points for n in "123"] == [1, 1, 4]


def test_options_printed_once_for_two_questions() -> None:
    paper = en(
        "1. Name the gas.", "Directions: Questions 2 and 3 hold two statements. Choose:", "(A) Both are true.",
        "(B) Both are false.", "(C) Only the first is true.", "(D) Only the second is true.",
        "2. Iron rusts. Gold does not.", "3. Ice floats. Lead floats.",
    )  # fmt: skip
    found = by_number(paper)
    assert [o.label for o in found["3"].options] == ["A", "B", "C", "D"]
    assert found["1"].options == []
    assert found["2"].type == "multiple_choice"


def test_notes_above_the_first_section_are_no_questions() -> None:
    paper = zh("1．本卷共二题．", "2．写明过程．", "一、填空题", "1．一加一等于____", "2．二加二等于____")
    assert [q.section for q in paper.questions] == ["填空题", "填空题"]


def test_a_number_that_was_not_read_is_inferred_and_doubted() -> None:
    paper = zh("1．甲说法正确的是", *FOUR, "乙说法正确的是", *FOUR, "3．丙说法正确的是", *FOUR)
    assert [q.number for q in paper.questions] == ["1", "2", "3"]
    assert "number.inferred" in {i.code for i in paper.questions[1].issues}
    assert paper.questions[1].stem == "乙说法正确的是"


def test_numbers_begin_anew_behind_a_total() -> None:
    paper = en(
        "1 (a) Name the gas. [2]", "(b) Name the salt. [3]", "[Total: 5]", "Printed by a press",
        "5 (a) Draw it. [4]", "(b) Label it. [2]", "[Total: 6]", "1 Explain the result. [3]", "[Total: 3]",
    )  # fmt: skip
    assert [(q.number, q.points) for q in paper.questions] == [("1", 5), ("5", 6), ("1", 3)]
    assert "press" not in " ".join(part.text for q in paper.questions for part in q.parts)


def test_options_in_a_grid_are_read_as_lines() -> None:
    grid = table([["a) 12", "b) 13"], ["c) 14", "d) 15"]], y=260)
    cells = [
        replace(line(180 + 300 * c, 270 + 40 * r, grid.rows[r][c]), role="table", table=0)
        for r in range(2)
        for c in range(2)
    ]
    base = page(["1. How much is six and six?"])
    layout = replace(base, lines=(*base.lines, *cells), tables=(grid,))
    question = by_number(parse_paper([layout], "en_exam"))["1"]
    assert {o.label: o.text for o in question.options} == {"A": "12", "B": "13", "C": "14", "D": "15"}


def test_figures_in_a_row_go_where_they_are_named() -> None:
    figures = [FigureRegion(Box(200 + 400 * i, 520, 400 + 400 * i, 700)) for i in range(3)]
    lines = [
        line(160, 200, "1．如图1，求角的大小．"), line(160, 250, "2．如图2，求边长．"),
        line(160, 300, "3．如图3，求面积．"),
        line(260, 720, "图1"), line(660, 720, "图2"), line(1060, 720, "图3"), line(160, 800, "4．求和．"),
    ]  # fmt: skip
    layout = PageLayout(1, 1654, 2339, 200.0, "digital", lines=tuple(lines), figures=tuple(figures))
    found = by_number(parse_paper([layout], "zh_exam"))
    assert [[f.bbox[0] for f in found[n].figures] for n in "1234"] == [[200], [600], [1000], []]
    assert found["1"].figures[0].caption == "图1"


def test_options_that_are_drawings_with_letters_under_them() -> None:
    figures = [FigureRegion(Box(200 + 300 * i, 260, 400 + 300 * i, 400)) for i in range(4)]
    lines = [line(160, 200, "1．下列图形中对称的是（）")]
    lines += [line(285 + 300 * i, 420, letter) for i, letter in enumerate("ABCD")]
    lines += [line(160, 500, "2．求和．")]
    layout = PageLayout(1, 1654, 2339, 200.0, "digital", lines=tuple(lines), figures=tuple(figures))
    question = by_number(parse_paper([layout], "zh_exam"))["1"]
    assert [o.label for o in question.options] == ["A", "B", "C", "D"]
    assert sorted(f.placement for f in question.figures) == ["option:A", "option:B", "option:C", "option:D"]


def test_a_page_in_another_script_is_left_out_and_listed() -> None:
    english = page(
        ["1. Name the gas that is set free when zinc meets a dilute acid.", "2. State its colour and smell."]
    )
    other = page(["1. जस्ता और तनु अम्ल की अभिक्रिया से निकलने वाली गैस का नाम लिखिए और रंग बताइए।"] * 2, number=2)
    paper = parse_paper([english, other], "auto")
    assert [q.number for q in paper.questions] == ["1", "2"]
    assert "page.other_language" in {i.code for i in paper.issues}


def test_proof_by_what_the_question_asks() -> None:
    paper = en("1. Prove that the sum is even.", "2. Find the sum.")
    assert [q.type for q in paper.questions] == ["proof", "open_ended"]


def test_label_of_an_elective_question_is_kept_apart() -> None:
    question = by_number(zh("1．[选修4：坐标系]（10分）", "求交点的坐标．", "2．求和．"))["1"]
    assert (question.points, question.stem) == (10, "求交点的坐标．")
    assert question.model_dump()["heading"] == "选修4：坐标系"


def test_a_chapter_gives_resources_and_no_questions() -> None:
    first = page(
        ["7.1 HEAT AND WORK", "Heat is a form of motion.", "Example 7.1", "How much heat melts one gram of ice?",
         "Solution: look it up.", "Activity 7.1", "Take a cup of water.", "Figure 7.1 A cup of water"],
    )  # fmt: skip
    second = page(["7.2 COLD", "As Example 7.1 shows, ice is cold.", "EXERCISES", "1. Why is ice cold?"], number=2)
    paper = parse_paper([first, second])
    assert (paper.template, paper.questions) == ("textbook_en", [])
    found = [(r.type, r.page, (r.caption or "")[:12]) for r in paper.resources if r.caption]
    assert found == [
        ("passage", 1, "7.1 HEAT AND"), ("example", 1, "Example 7.1"), ("activity", 1, "Activity 7.1"),
        ("figure", 1, "Figure 7.1 A"), ("passage", 2, "7.2 COLD"), ("exercise", 2, "EXERCISES"),
    ]  # fmt: skip
    example = next(r for r in paper.resources if r.type == "example")
    assert (example.chapter, example.section) == ("7", "7.1 HEAT AND WORK")
    assert "Solution" in example.text


SUSPECT = {
    "letters four times over": ("1．在△AAAA中求边长．", "text.garbled"),
    "a sign of no language": ("1．设�为整数，求和．", "text.garbled"),
    "a sentence inside a formula": (r"1．求$x_{\text{下列说法正确的是}}$．", "text.garbled"),
    "a part that was not read": ("1．回答：（1）甲；（2）乙；丙；（4）丁．", "parts.gap"),
}


@pytest.mark.parametrize(("text", "code"), SUSPECT.values(), ids=SUSPECT)
def test_what_may_be_misread_is_doubted(text: str, code: str) -> None:
    body = text.replace("：（1）", "：\n（1）").replace("；（", "；\n（").split("\n")
    paper = zh(*body, "2．求平均数．")
    assert code in {i.code for i in paper.questions[0].issues}
    assert paper.questions[0].confidence < 0.8
    assert not paper.questions[1].issues


def test_a_figure_that_the_text_does_not_speak_of_is_doubted() -> None:
    layout = page(["1．求和．", "2．如图，求边长．"], figures=[FigureRegion(Box(900, 190, 1100, 240))])
    paper = parse_paper([layout], "zh_exam")
    owner = next(q for q in paper.questions if q.figures)
    assert ("figure.not_mentioned" in {i.code for i in owner.issues}) == (owner.number == "1")


def test_statements_before_one_blank_are_no_parts() -> None:
    texts = ["一、填空题", "1．有下列结论：", "①甲成立；", "②乙成立；", "③丙成立；其中正确的是____．", "2．题干____．"]
    question = parse_paper([page(texts)], "zh_exam").questions[0]
    assert question.parts == [] and question.stem.count("成立") == 3
    texts = ["一、填空题", "1．回答问题：", "①甲是____；", "②乙是____；", "③丙是____．", "2．题干____．"]
    question = parse_paper([page(texts)], "zh_exam").questions[0]
    assert [part.label for part in question.parts] == ["①", "②", "③"]


def test_ornaments_of_a_cover_are_one_issue_a_page() -> None:
    def drawn(x: float, y: float, side: float = 50.0) -> FigureRegion:
        return FigureRegion(Box(x, y, x + side, y + side), None, 0, "drawing")

    cover = replace(page(["Name:", "Class:"], number=1), figures=(drawn(100, 100, 300), drawn(900, 100, 120)))
    ticks = replace(
        page(["Topics"], number=2), figures=tuple(drawn(900 + 100 * n, 300 + y) for n in range(3) for y in (0, 90, 181))
    )
    paper = parse_paper([cover, ticks, page(["1. Define force.", "2. Define work."], number=3)], "en_exam")
    issues = [i for i in paper.issues if i.code == "figure.unassigned"]
    assert [i.page for i in issues] == [1]
    assert issues[0].message == "2 figures on page 1 stand in no question's space."
    assert issues[0].bbox == (100, 100, 400, 400)


def test_label_of_a_part_that_was_read_as_scripts() -> None:
    def scanned(y: float, label: str, text: str) -> Line:
        glyph = Glyph(label, Box(160, y, 210, y + 30), 30.0, "#formula", 0.9, y + 24)
        rest = line(225, y, text)
        glyphs = (glyph, *rest.glyphs)
        return Line(label + text, Box(160, y, rest.box.x1, y + 30), glyphs, 0.9, "ocr")

    lines = (
        line(160, 200, "1. A window has three sides."),
        scanned(250, "$(i)$", " Show that AB = AC."),
        scanned(300, "$(i_i)$", " Find the area."),
        scanned(350, "$({}_ii_i)$", " Find the height."),
        line(160, 400, "2. Name the unit of force."),
    )
    paper = parse_paper([PageLayout(1, 1654, 2339, 200.0, "scanned", lines=lines)], "en_exam")
    assert [p.label for p in by_number(paper)["1"].parts] == ["(i)", "(ii)", "(iii)"]
