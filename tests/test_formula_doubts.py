"""Doubts about formulas: what does not compile keeps its crop, the uncertain lowers confidence, dollars are money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from drawing import Sheet, body, page, table

from layout.formulas.lines import FORMULA_FONT
from layout.formulas.soundness import compiles, strange
from layout.types import Glyph, Line, PageLayout
from parse_templates.describe import detect_language
from parse_templates.flow import build_flow
from parse_templates.parser import ParsedPaper, parse_paper
from review.markup import inline
from samples.formulas import generate_many, to_latex
from scoring.report_text import rich_text
from wholepage.boxes import Box
from wholepage.records import Issue, Question

BROKEN = r"\frac{1}{x"
FOUR = ["A．甲", "B．乙", "C．丙", "D．丁"]


def printed(texts: Sequence[str], confidence: float = 1.0, number: int = 1) -> PageLayout:
    """A page whose `$…$` are one glyph each, as the layout room gives them; `confidence` is that of the formulas."""
    bare = page([t.replace("$", "") for t in texts], number)
    lines = [_with_formulas(line, text, confidence) for line, text in zip(bare.lines, texts, strict=True)]
    return bare.with_lines(tuple(lines))


def _with_formulas(line: Line, text: str, confidence: float) -> Line:
    glyphs: list[Glyph] = []
    rest = list(line.glyphs)
    for index, piece in enumerate(text.split("$")):
        taken, rest = rest[: len(piece)], rest[len(piece) :]
        if index % 2:
            box = Box.hull(g.box for g in taken)
            glyphs.append(Glyph(f"${piece}$", box, 30.0, FORMULA_FONT, confidence, line.glyphs[0].baseline))
        else:
            glyphs += taken
    return replace(line, text=text, glyphs=tuple(glyphs))


def doubts(paper: ParsedPaper, code: str) -> list[Issue]:
    return [i for q in paper.questions for i in q.issues if i.code == code]


def first(paper: ParsedPaper) -> Question:
    return paper.questions[0]


PLACES = {
    "stem": ([f"1．已知${BROKEN}$，则下列正确的是", *FOUR], "stem", "stem"),
    "option": (["1．下列正确的是", "A．甲", f"B．${BROKEN}$", "C．丙", "D．丁"], "options", "option:B"),
    "part": (["1．解答下列各题．", f"(1)求${BROKEN}$的值；", "(2)证明结论成立．"], "parts", "part:(1)"),
    "solution": (["1．求值．", f"【解析】由题意${BROKEN}$即得．"], "solution", "solution"),
}


@pytest.mark.parametrize(("texts", "field", "placement"), PLACES.values(), ids=PLACES)
def test_a_formula_that_does_not_compile_keeps_its_crop(texts: list[str], field: str, placement: str) -> None:
    layout = printed([*texts, "2．求下面方程的解，并说明理由．"])
    question = first(parse_paper([layout], "zh_exam"))
    (issue,) = [i for i in question.issues if i.code == "formula.does_not_compile"]
    assert (issue.severity, issue.field, issue.page) == ("error", field, 1)
    assert BROKEN in issue.message and question.number in issue.message
    (figure,) = question.figures
    assert (figure.placement, figure.page, figure.file) == (placement, 1, "figures/p001-e1.png")
    formula = next(g for line in layout.lines for g in line.glyphs if g.font == FORMULA_FONT)
    assert formula.box.covered_by(Box.of(figure.bbox)) == 1
    assert question.evidence[field].confidence <= 0.4
    assert "figure.not_mentioned" not in {i.code for i in question.issues}
    if placement == "stem":
        assert f"![]({figure.file})" in question.stem
    if placement == "option:B":
        assert question.options[1].figure == figure.id


def test_an_option_keeps_its_own_figure_beside_the_crop() -> None:
    paper = parse_paper([printed(["1．下列正确的是", "A．甲", f"B．${BROKEN}$", f"C．${BROKEN}$", "D．丁"])], "zh_exam")
    assert [f.placement for f in first(paper).figures] == ["option:B", "option:C"]
    assert len({f.id for f in first(paper).figures}) == 2


def test_an_uncertain_formula_lowers_confidence_and_adds_no_figure() -> None:
    texts = ["1．已知$x^2=4$与$y=1$，求$x+y$的值．", "2．求方程的解，并说明理由．"]
    certain = first(parse_paper([printed(texts)], "zh_exam"))
    unsure = first(parse_paper([printed(texts, 0.6)], "zh_exam"))
    assert not [i for i in certain.issues if i.code.startswith("formula.")]
    (issue,) = [i for i in unsure.issues if i.code == "formula.uncertain"]
    assert (issue.severity, issue.field, issue.page) == ("warning", "stem", 1)
    assert "3 formulas" in issue.message
    assert not unsure.figures
    assert unsure.stem == certain.stem
    assert unsure.confidence < certain.confidence
    assert unsure.evidence["stem"].confidence <= 0.7


def test_characters_no_formula_holds_make_it_uncertain() -> None:
    paper = parse_paper([printed(["1．已知$\ue012=ā$，求它的值，并说明理由．", "2．求方程的解．"])], "zh_exam")
    assert [i.field for i in doubts(paper, "formula.uncertain")] == ["stem"]


def test_formulas_outside_questions_are_a_doubt_of_the_page() -> None:
    layout = printed([f"附：公式${BROKEN}$供参考", "1．求方程的解，并说明理由．", "2．求函数的最大值．"])
    paper = parse_paper([layout], "zh_exam")
    (issue,) = [i for i in paper.issues if i.code == "formula.does_not_compile"]
    assert (issue.page, issue.severity) == (1, "error")
    assert not doubts(paper, "formula.does_not_compile")
    assert not paper.unused_figures


def test_a_table_cell_keeps_its_table() -> None:
    cells = table([["甲", f"${BROKEN}$"], ["乙", "$x^2$"]], y=240)
    paper = parse_paper([page([(160.0, "1．阅读下表，并回答问题．")], tables=[cells])], "zh_exam")
    (issue,) = doubts(paper, "formula.does_not_compile")
    assert issue.bbox == tuple(cells.box.as_list())
    assert [f.placement for f in first(paper).figures] == ["stem"]


def test_a_key_of_its_own_gives_doubts_without_a_place() -> None:
    exam = printed(["1．求$x$的值，并说明理由．", "2．求方程的解．"])
    key = printed(["参考答案", f"1．${BROKEN}$", "2．$x=3$"])
    paper = parse_paper([exam], "zh_exam", [key])
    (issue,) = doubts(paper, "formula.does_not_compile")
    assert (issue.page, issue.bbox) == (None, None)
    assert not first(paper).figures


SOUND = [
    r"\frac{1}{2}",
    r"x_1^2",
    r"\begin{cases} x & y \\ z & w \end{cases}",
    r"\xlongequal{\text{高温}}",
    r"\$5",
    "▱ABCD",
]
UNSOUND = [
    BROKEN,
    r"\frac{1}",
    r"\nosuchcommand x",
    "x^2^3",
    r"\left(x",
    "a&b",
    r"\begin{cases} a",
    "x^",
    "",
    "x" * 4000,
]


@pytest.mark.parametrize("latex", SOUND)
def test_sound(latex: str) -> None:
    assert compiles(latex) and not strange(latex)


@pytest.mark.parametrize("latex", UNSOUND)
def test_unsound(latex: str) -> None:
    assert not compiles(latex)


def test_all_that_school_formulas_hold_is_sound() -> None:
    formulas = [to_latex(node) for _, node in generate_many(300, 11)]
    assert [f for f in formulas if not compiles(f) or strange(f)] == []


def test_latex_does_not_decide_the_language() -> None:
    line = r"已知$\overrightarrow{AB}\cdot\overrightarrow{AC}=\frac{\sqrt{3}}{2}\sin\alpha\cos\beta$，求值的范围"
    assert detect_language(build_flow([page([line] * 3)])) == "zh"


def test_dollars_are_money() -> None:
    sheet = Sheet()
    for y, text in ((80, "1. A ticket costs $5 and $6. Find x when x = 2."), (100, "2. If y = $5 + 3x, it is $20.")):
        sheet.page.insert_text((60, y), text, fontname="tiro", fontsize=11)
    lines = body(sheet.layout())
    assert r"costs \$5 and \$6." in lines[0]
    paper = parse_paper([sheet.layout()], "en_exam")
    assert r"costs \$5 and \$6." in first(paper).stem
    assert not doubts(paper, "text.garbled")
    assert "costs $5 and $6." in inline(first(paper).stem)
    assert ">x</mi>" in inline(first(paper).stem)
    assert "costs $5 and $6." in rich_text(first(paper).stem)
    second = inline(paper.questions[1].stem)
    assert "<mi>$</mi><mn>5</mn>" in second and second.endswith("it is $20.")


def test_dollars_in_and_beside_formulas() -> None:
    shown = inline(r"$x$ and \$6 and $y=\$5$ or \$7")
    assert shown.count("<math") == 2
    assert "and $6 and" in shown and shown.endswith("or $7")
