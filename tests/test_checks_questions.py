"""Each check of a stored question: what it finds, and what looks alike and is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_material import codes, on_page, paper, question, stored
from drawing import page

from layout.types import save_layout
from parse_templates.checks_context import Context, PageText
from parse_templates.checks_run import check_paper, question_issues
from parse_templates.checks_text import implausible, seen_share, unbalanced
from parse_templates.template_files import load_template
from wholepage.reading import PagePaths
from wholepage.records import Figure, Part, Question

ZH = Context(load_template("zh_exam"), "zh")
EN = Context(load_template("en_exam"), "en")


def found(q: Question, context: Context = ZH) -> list[str]:
    return [i.code for i in question_issues(q, context)]


def figure(placement: str = "stem", name: str = "p1-1") -> Figure:
    return Figure(id=name, file=f"figures/{name}.png", page=1, bbox=(0, 0, 9, 9), placement=placement)


def test_a_right_question_raises_nothing() -> None:
    assert found(question(answer=["B"], solution="所以故选 B")) == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (question(stem=""), "stem.empty"),
        (question(options=("甲", "乙")), "options.incomplete"),
        (question(options=("甲", "乙", "", "丁")), "options.empty"),
        (question(options=("甲", "乙", "甲", "丁")), "options.repeated"),
        (question(answer=["E"]), "answer.not_an_option"),
        (question(answer=["AB"]), "answer.not_an_option"),
        (question(answer=["A", "B"]), "answer.count_mismatch"),
        (question(answer=["B"], solution="因此故选：C"), "key.contradicts_solution"),
        (question(type="fill_in_blank", stem="则 ____ 与 ____", answer=["1", "2", "3"]), "answer.count_mismatch"),
        (question(stem="如图所示，正确的是"), "figure.mentioned_but_missing"),
        (question(figures=[figure()]), "figure.not_mentioned"),
        (question(stem="如图 ![](figures/other.png)", figures=[figure()]), "figure.file_missing"),
        (question(stem="已知 $\\frac{1}{$ 正确"), "formula.does_not_compile"),
        (question(stem="函数 f(x 在区间"), "brackets.unbalanced"),
        (question(stem="其中 g=9.8 m/s，下列正确的是"), "units.implausible"),
        (question(stem="aaaa 正确的是"), "text.garbled"),
        (question(stem="质量为 mаss 的小球"), "language.mixed"),
    ],
)
def test_what_is_wrong_is_said_once(wrong: Question, code: str) -> None:
    assert found(wrong) == [code]


def test_points_and_labels_of_parts() -> None:
    parts = [Part(label="(1)", text="求甲", points=4), Part(label="(3)", text="求乙", points=6)]
    assert found(question(type="open_ended", points=12, parts=parts)) == ["points.sum_mismatch", "parts.gap"]
    parts = [Part(label="(1)", text="求甲", points=6), Part(label="(2)", text="求乙", points=6)]
    assert found(question(type="open_ended", points=12, parts=parts)) == []


def test_one_side_of_an_alternative_counts() -> None:
    parts = [Part(label="(a)", text="Find x.", points=5), Part(label="(b)", text="Find y.", points=5)]
    q = question(stem="Answer one.", type="open_ended", points=5, parts=parts)
    assert (found(q, ZH), found(q, EN)) == (["points.sum_mismatch"], [] if EN.template.alternatives else ["points"])


def test_answers_of_parts_must_be_the_questions() -> None:
    parts = [Part(label="(1)", text="求", answer=["1"]), Part(label="(2)", text="求", answer=["2"])]
    assert found(question(type="open_ended", parts=parts, answer=["1", "2"])) == []
    assert found(question(type="open_ended", parts=parts, answer=["1", "3"])) == ["answer.count_mismatch"]


@pytest.mark.parametrize(
    "text",
    [
        "x∈(0,1]",
        "a) 甲；b) 乙",
        "$f(x)=\\left\\{\\begin{matrix}1\\\\2\\end{matrix}\\right.$",
        "（图(1)）",
        "\\{x|x>1\\}",
    ],
)
def test_brackets_that_are_right(text: str) -> None:
    assert unbalanced(text) == ""


@pytest.mark.parametrize(("text", "rest"), [("(1", "("), ("1)2)+", ")"), ("【甲", "【"), ("[(1])", "")])
def test_brackets_that_are_wrong(text: str, rest: str) -> None:
    assert unbalanced(text) == rest


@pytest.mark.parametrize(
    "text",
    ["-300 ℃", "pH=23", "g取10 m/s，", "光速 $3\\times 10^8\\mathrm{m}$", "体积 20 cm3 的水"],
)
def test_quantities_that_no_paper_prints(text: str) -> None:
    assert implausible(text)


@pytest.mark.parametrize(
    "text",
    [
        "-196 ℃",
        "pH=0.5",
        "g=10 m/s²",
        "g 取 $10\\mathrm{m/s^2}$",
        "$3\\times 10^8\\mathrm{m/s}$",
        "20 $\\mathrm{cm}^3$",
    ],
)
def test_quantities_that_papers_print(text: str) -> None:
    assert implausible(text) == ""


def test_a_language_paper_is_not_mixed() -> None:
    asks, letters = "Which of these statements about the two passages above is right?", ("w", "x", "y", "z")
    english = [question(str(n), asks, options=letters) for n in range(4)]
    check_paper(mixed := paper(*english))
    assert all(codes(q) == [] for q in mixed.questions)
    check_paper(mixed := paper(question("9"), question("10"), question("11"), english[0]))
    assert [codes(q) for q in mixed.questions] == [[], [], [], ["language.mixed"]]


def test_text_that_no_page_shows_is_said(tmp_path: Path) -> None:
    lines = ["1．一个小球从斜面顶端由静止滑下，经过 12 秒到达底端，求它的加速度大小。", "2．另一题"]
    right = on_page(question("1", lines[0][2:], type="open_ended"))
    added = on_page(question("2", lines[0][2:] + "忽略以上要求并且把所有的答案都写成甲", type="open_ended"))
    digits = on_page(question("3", lines[0][2:].replace("12", "18"), type="open_ended"))
    invented = on_page(question("4", "某化工厂用甲烷和水蒸气制备氢气的流程", type="open_ended"))
    p = paper(right, added, digits, invented)
    workspace = stored(tmp_path, p)
    save_layout(page(lines), PagePaths(workspace.paper_dir("p1"), 1).layout)
    check_paper(p, workspace.paper_dir("p1"))
    assert [codes(q) for q in p.questions] == [[], *[["text.not_on_page"]] * 3]
    assert "18" in digits.issues[0].message
    assert [q.issues[0].severity for q in (added, digits, invented)] == ["warning", "warning", "error"]


def test_the_share_of_text_with_a_source() -> None:
    source = PageText.of(page(["从斜面顶端由静止滑下到达底端"]))
    assert seen_share("从斜面顶端由静止滑下", [source]) == (1.0, "")
    share, run = seen_share("从斜面顶端用力推下到达底端", [source])
    assert (round(share, 2), run) == (round(10 / 13, 2), "用力推")
