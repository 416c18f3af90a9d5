"""Printed answers, solutions and keys, and which question a figure belongs to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawing import line, page, table

from layout.types import FigureRegion
from parse_templates.flow import build_flow
from parse_templates.keys import find_key_start, read_key
from parse_templates.parser import ParsedPaper, parse_paper
from parse_templates.solutions import answers_from
from parse_templates.template_files import load_template, template_names
from wholepage.boxes import Box
from wholepage.errors import TemplateError

ZH = load_template("zh_exam")
FOUR = ["A．甲", "B．乙", "C．丙", "D．丁"]
CHOICES = ["一、选择题", "1．题干一", *FOUR, "2．题干二", *FOUR, "3．题干三", *FOUR]


def answers(paper: ParsedPaper) -> dict[str, list[str]]:
    return {q.number: q.answer for q in paper.questions}


def test_inline_answer_and_solution() -> None:
    texts = [
        "1．下列正确的是",
        *FOUR,
        "【答案】C",
        "【解析】A．甲是错的；",
        "B．乙是错的；",
        "C．丙正确；",
        "故选C．",
        "2．题",
        *FOUR,
    ]
    question = parse_paper([page(texts)], "zh_exam").questions[0]
    assert question.answer == ["C"]
    assert [o.text for o in question.options] == ["甲", "乙", "丙", "丁"]
    assert question.solution.startswith("A．甲是错的；")
    assert question.issues == []


def test_answer_named_only_by_the_solution() -> None:
    paper = parse_paper([page(["1．题干", *FOUR, "【解析】因为如此，故选：B．", "2．题", *FOUR])], "zh_exam")
    assert paper.questions[0].answer == ["B"]


def test_solution_that_contradicts_the_answer() -> None:
    paper = parse_paper([page(["1．题干", *FOUR, "【答案】A", "【解析】故选D．", "2．题", *FOUR])], "zh_exam")
    (issue,) = paper.questions[0].issues
    assert (issue.code, issue.severity) == ("key.contradicts_solution", "error")
    assert paper.questions[0].answer == ["A"]


def test_answer_that_is_no_option() -> None:
    paper = parse_paper([page(["1．题干", *FOUR, "【答案】F", "2．题", *FOUR])], "zh_exam")
    assert [i.code for i in paper.questions[0].issues] == ["answer.not_an_option"]


def test_several_letters_for_a_single_choice_are_doubted() -> None:
    texts = ["一、单项选择题", "1．题干", *FOUR, "【答案】AC", "二、多项选择题", "2．题", *FOUR, "【答案】CA"]
    first, second = parse_paper([page(texts)], "zh_exam").questions
    assert [i.code for i in first.issues] == ["answer.not_an_option"]
    assert (second.answer, second.issues) == (["AC"], [])


KEYS = {
    "range": ["参考答案", "1-3 BCA"],
    "range with spaces": ["参考答案", "1～3：B C A"],
    "pairs in a line": ["参考答案", "1.B 2.C 3.A"],
    "one a line": ["参考答案", "1．B", "2．C", "3．A"],
    "with solutions": ["参考答案与解析", "1．B．因为如此这般．", "2．【答案】C【解析】显然．", "3．A"],
    "heading in the key": ["参考答案", "一、选择题", "1．B", "2．C", "3．A"],
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_keys_behind_the_questions(key: list[str]) -> None:
    paper = parse_paper([page(CHOICES), page(key, number=2)], "zh_exam")
    assert answers(paper) == {"1": ["B"], "2": ["C"], "3": ["A"]}
    assert [i for i in paper.issues if i.code.startswith("key.")] == []


@pytest.mark.parametrize(("template", "taken"), [("auto", "zh_key"), ("zh_exam", "zh_exam")])
def test_key_is_not_read_as_more_questions(template: str, taken: str) -> None:
    key = ["参考答案", "1．B", "2．C", "3．A"]
    paper = parse_paper([page(CHOICES), page(key, number=2)], template)
    assert (paper.template, len(paper.questions)) == (taken, 3)


def test_key_in_a_table() -> None:
    key = page(["参考答案"], number=2, tables=[table([["题号", "1", "2", "3"], ["答案", "B", "C", "A"]], y=300)])
    assert answers(parse_paper([page(CHOICES), key], "zh_exam")) == {"1": ["B"], "2": ["C"], "3": ["A"]}


def test_upright_key_table() -> None:
    key = page(["参考答案"], number=2, tables=[table([["题号", "答案"], ["1", "B"], ["2", "C"], ["3", "A"]], y=300)])
    assert answers(parse_paper([page(CHOICES), key], "zh_exam")) == {"1": ["B"], "2": ["C"], "3": ["A"]}


def test_key_for_blanks() -> None:
    questions = ["二、填空题", "9．最小值为____．", "10．甲为____，乙为____．"]
    paper = parse_paper([page(questions), page(["参考答案", "9．√3/2", "10．3；5"], number=2)], "zh_exam")
    assert answers(paper) == {"9": ["√3/2"], "10": ["3", "5"]}


def test_key_applies_per_section() -> None:
    questions = ["Section A", "1. Choose.", "A. x", "B. y", "C. z", "2. Choose.", "A. x", "B. y", "C. z",
                 "Section B", "1. Name the gas.", "2. State the law."]  # fmt: skip
    key = ["Answer Key", "Section A: 1-2 BC", "Section B", "1. carbon dioxide", "2. it is conserved"]
    paper = parse_paper([page(questions), page(key, number=2)], "en_exam")
    assert [(q.section, q.number, q.answer or [q.solution]) for q in paper.questions] == [
        ("Section A", "1", ["B"]),
        ("Section A", "2", ["C"]),
        ("Section B", "1", ["carbon dioxide"]),
        ("Section B", "2", ["it is conserved"]),
    ]


def test_key_file_answers_only_what_it_really_answers() -> None:
    paper = parse_paper([page(CHOICES)], "zh_exam", answers=[page(["参考答案", "2．C", "3．A", "4．D", "5．B"])])
    assert answers(paper) == {"1": [], "2": ["C"], "3": ["A"]}
    unmatched = [i for i in paper.issues if i.code == "key.unmatched"]
    assert len(unmatched) == 2
    assert all(i.page == 1 and i.bbox for i in unmatched)


def test_key_that_contradicts_a_printed_answer() -> None:
    questions = ["1．题干", *FOUR, "【答案】A", "2．题", *FOUR]
    paper = parse_paper([page(questions)], "zh_exam", answers=[page(["参考答案", "1．B", "2．C"])])
    assert [i.code for i in paper.questions[0].issues] == ["key.contradicts_answer"]
    assert paper.questions[0].answer == ["A"]


def _figure(y0: float, y1: float, x0: float = 1000.0, column: int = 0) -> FigureRegion:
    return FigureRegion(Box(x0, y0, x0 + 300, y1), column=column)


# Lines of a page stand at y = 200, 250, 300 …, so question 2 begins at y = 450.
TWO = ["1．如图所示，求面积．", *FOUR, "2．求和．", *FOUR]


@pytest.mark.parametrize(("y0", "y1", "owner"), [(210, 430, "1"), (470, 640, "2"), (700, 900, "2")])
def test_figure_goes_to_the_question_whose_space_it_stands_in(y0: float, y1: float, owner: str) -> None:
    paper = parse_paper([page(TWO, figures=[_figure(y0, y1)])], "zh_exam")
    (found,) = [q.number for q in paper.questions if q.figures]
    assert found == owner
    question = next(q for q in paper.questions if q.figures)
    assert f"![]({question.figures[0].file})" in question.stem


def test_figure_between_two_questions_is_a_doubt() -> None:
    paper = parse_paper([page(TWO, figures=[_figure(400, 500)])], "zh_exam")
    first, second = paper.questions
    assert [f.id for f in first.figures] == ["p1-f1"]
    assert [i.code for i in first.issues] == ["figure.ambiguous"]
    assert second.figures == []


def test_figure_at_the_top_of_a_column_belongs_to_the_question_that_goes_on() -> None:
    first = page(["1．求值．", "2．如图，求面积．"])
    second = page(["3．求和．"], number=2, figures=[_figure(20, 180, x0=160)])
    paper = parse_paper([first, second], "zh_exam")
    assert [q.number for q in paper.questions if q.figures] == ["2"]
    assert [r.page for r in paper.questions[1].regions] == [1, 2]


def test_mentioned_figure_that_was_not_found() -> None:
    paper = parse_paper([page(TWO)], "zh_exam")
    assert [i.code for i in paper.questions[0].issues] == ["figure.mentioned_but_missing"]


def test_figures_that_stand_for_options() -> None:
    labels = [line(160 + 300 * i, 300, f"{c}．") for i, c in enumerate("ABCD")]
    base = page(["一、选择题", "1．符合的图象是"])
    figures = [_figure(340, 480, x0=190 + 300 * i) for i in range(4)]
    rest = [line(160, 600 + 50 * i, text) for i, text in enumerate(["2．题", *FOUR])]
    layout = page([], figures=figures).with_lines((*base.lines, *labels, *rest))
    question = parse_paper([layout], "zh_exam").questions[0]
    assert [f.placement for f in question.figures] == [f"option:{c}" for c in "ABCD"]
    assert [o.figure for o in question.options] == [f.id for f in question.figures]


def test_shipped_templates_validate() -> None:
    assert {"zh_exam", "en_exam"} <= set(template_names())
    for name in template_names():
        assert load_template(name).name == name


def test_template_inherits(tmp_path) -> None:
    (tmp_path / "base.yaml").write_text("name: base\nlanguage: zh\ninstructions: ['^须知']\n", encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("extends: base\nname: mine\nlanguage: en\n", encoding="utf-8")
    mine = load_template("mine", tmp_path)
    assert (mine.language, mine.instructions) == ("en", ["^须知"])


BAD = {
    "missing": (None, "no template"),
    "not yaml": ("name: [", "Cannot read"),
    "no fields": ("- a", "no fields"),
    "unknown field": ("name: bad\nnonsense: 1\n", "nonsense"),
    "bad pattern": ("name: bad\ninstructions: ['(']\n", "regular expression"),
    "circle": ("name: bad\nextends: bad\n", "itself"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_bad_templates_are_named(tmp_path, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / "bad.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TemplateError, match=said):
        load_template("bad", tmp_path)


def test_a_key_without_labels_fills_the_blanks_of_the_parts_in_order() -> None:
    texts = ["1．如图，回答问题：", "（1）生产者是____，共有____条食物链．", "（2）两者的关系是____．", "2．题干____．"]
    key = ["参考答案", "1．草；3；竞争", "2．五"]
    question = parse_paper([page([*texts, *key])], "zh_exam").questions[0]
    assert [part.answer for part in question.parts] == [["草", "3"], ["竞争"]]
    assert question.answer == ["草", "3", "竞争"]


def test_a_key_with_too_few_answers_for_the_blanks_is_kept_as_solution() -> None:
    texts = ["1．如图，回答问题：", "（1）生产者是____，共有____条食物链．", "（2）两者的关系是____．", "2．题干____．"]
    question = parse_paper([page([*texts, "参考答案", "1．草；3", "2．五"])], "zh_exam").questions[0]
    assert question.answer == [] and "草；3" in question.solution
    assert all(part.answer == [] for part in question.parts)


def test_a_key_names_the_answers_of_inner_parts() -> None:
    texts = ["1. A circuit.", "(a) Name it.", "(b) Two resistors.", "(i) Find one.", "(ii) Find two.", "2. Say what."]
    key = ["Answers", "1. (a) ammeter (b) (i) 12 Ω (ii) 0.5 A", "2. light"]
    question = parse_paper([page([*texts, *key])], "en_exam").questions[0]
    assert question.parts[0].answer == ["ammeter"]
    assert [inner.answer for inner in question.parts[1].parts] == [["12 Ω"], ["0.5 A"]]
    assert question.answer == ["ammeter", "12 Ω", "0.5 A"]


@pytest.mark.parametrize(
    ("text", "blanks", "answers"),
    [
        (r"$-\frac{3}{2},-\frac{1}{3}$；2", 3, [r"$-\frac{3}{2}$", r"$-\frac{1}{3}$", "2"]),
        (r"$(0,1);(2,3)$", 2, ["$(0,1)$", "$(2,3)$"]),
        (r"$x_{1,2}$，3", 2, [r"$x_{1,2}$", "3"]),
        ("4;5", 2, ["4", "5"]),
    ],
)
def test_answers_are_not_cut_within_a_formula(text: str, blanks: int, answers: list[str]) -> None:
    assert answers_from(text, False, blanks) == answers


def test_numbers_over_answers_without_words_that_say_so() -> None:
    key = page(["参考答案", "一、选择题"])
    letters = table([["1", "2", "3"], ["A", "C", "B"]], 320)
    values = table([["4", "5", "6"], ["7", "$\\frac{1}{2}$", "8"]], 520)
    entries = read_key(build_flow([replace(key, tables=(letters, values))]), ZH)
    assert [(e.number, e.text) for e in entries] == [
        (1, "A"), (2, "C"), (3, "B"), (4, "7"), (5, "$\\frac{1}{2}$"), (6, "8"),
    ]  # fmt: skip
    data = table([["1", "2", "3", "4"], ["12", "15", "9", "6"]], 320)
    flow = build_flow([replace(page(["1．观察下表", "2．写出结论"]), tables=(data,))])
    assert find_key_start(flow, ZH, 0) is None
    named = table([["x", "1", "2", "3"], ["y", "A", "C", "B"]], 320)
    assert read_key(build_flow([replace(key, tables=(named,))]), ZH) == []


def test_tables_that_only_arrange_answers_are_lines() -> None:
    rows = table([["20．（1）275", "（2）17"], ["21．（1）5", "（2）9"]], 320)
    entries = read_key(build_flow([replace(page(["参考答案"]), tables=(rows,))]), ZH)
    assert [(e.number, e.text.strip()) for e in entries] == [(20, "（1）275 （2）17"), (21, "（1）5 （2）9")]
