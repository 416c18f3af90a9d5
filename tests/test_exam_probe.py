"""Attribution of lost marks: how a copy is compared with the verified text, and what follows from it."""

from __future__ import annotations

import itertools
import json
import random
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import samples
from exam_mode.probe import (
    FOUND,
    LOST_KINDS,
    READ_WELL,
    Attribution,
    AttributionRow,
    Kind,
    Reading,
    attribute,
    compare,
    split_lost,
)
from exam_mode.probe_report import render_attribution
from exam_mode.probe_text import numbers, printed_text, tokens, without_heading
from exam_mode.prompts import fill
from scoring.outcome import Gold, mark
from wholepage.records import Figure, Option, Part, Question

FIGURE = Figure(id="f1", file="figures/f1.png", page=1, bbox=(0, 0, 1, 1))


@dataclass(frozen=True)
class Outcome:
    fraction: float | None


WRONG, RIGHT, HALF = Outcome(0.0), Outcome(1.0), Outcome(0.5)


def question(**changes: Any) -> Question:
    fields: dict[str, Any] = {
        "id": "p/1.7",
        "number": "7",
        "type": "multiple_choice",
        "stem": "已知函数 $f(x)=\\frac{1}{2}x^{2}-3x+5$ 在区间 $[0,4]$ 上的最小值为（　　）",
        "options": [
            Option(label="A", text="$-\\frac{1}{2}$"),
            Option(label="B", text="$\\frac{1}{2}$"),
            Option(label="C", text="$1$"),
            Option(label="D", text="$5$"),
        ],
    }
    return Question(**{**fields, **changes})


GOOD = "7. （5分）已知函数f(x)=1/2 x²−3x+5在区间[0,4]上的最小值为（ ）\nA. −1/2\nB. 1/2\nC. 1\nD. 5"

# --- the common form ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x²+10⁵", "$x^{2}+10^{5}$"),
        ("\\frac{3}{5}", "3/5"),
        ("\\frac12", "$\\dfrac{1}{2}$"),
        ("（ａ，ｂ）", "(a, b)"),
        ("3×10⁻² m/s", "$3\\times10^{-2}\\,\\mathrm{m/s}$"),
        ("sinα≤½", "$\\sin\\alpha\\leqslant\\frac{1}{2}$"),
        ("H₂O → H⁺", "$\\mathrm{H_2O}\\rightarrow\\mathrm{H^+}$"),
        ("**A∩B**", "$A\\cap B$"),
        ("如图 ![一个圆](figures/a.png) 所示", "如图所示"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"),
        ("a − b", "a-b"),
        ("≥−1", "$\\ge -1$"),
    ],
)
def test_spellings_of_the_same_print_agree(first: str, second: str) -> None:
    assert tokens(first) == tokens(second)
    assert numbers(first) == numbers(second)


@pytest.mark.parametrize(
    ("first", "second"), [("x+1", "x-1"), ("x=-2", "x=2"), ("AB", "ab"), ("3.5", "35"), ("α", "β"), ("a≤b", "a<b")]
)
def test_what_changes_the_meaning_differs(first: str, second: str) -> None:
    assert (tokens(first), numbers(first)) != (tokens(second), numbers(second))


def test_signs_belong_to_numbers_only_where_they_are_signs() -> None:
    assert numbers("$x-1=-2$，$(-3,4)$，$5-6$，$2.50$，$007$") == ["1", "-2", "-3", "4", "5", "6", "2.5", "7"]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("7. （5分）已知", "已知"),
        ("13．(本小题满分12分) 设", "设"),
        ("7 (5 marks) Find", "Find"),
        ("第 7 题 设", "设"),
        ("3.5 g of salt", "3.5 g of salt"),
        ("2、3、5 是质数", "2、3、5 是质数"),
        ("(1) 求", "(1) 求"),
        ("已知", "已知"),
    ],
)
def test_number_and_points_at_the_beginning_do_not_count(text: str, rest: str) -> None:
    assert without_heading(text) == rest


# --- comparing ----------------------------------------------------------------------------------------------------


def test_a_good_copy_in_another_notation_is_read_well() -> None:
    reading = compare(GOOD, question())
    assert reading.similarity >= READ_WELL and reading.coverage == reading.options == reading.numbers == 1
    assert reading.missing == ()


def test_a_wrong_digit_and_a_lost_sign_are_seen() -> None:
    reading = compare(GOOD.replace("−3x", "−8x"), question())
    assert reading.missing == ("3",) and reading.numbers < 1
    reading = compare(GOOD.replace("A. −1/2", "A. 1/2"), question())
    assert reading.options == 0.75 and reading.missing == ("-1", "option A")


def test_options_without_labels_are_found_in_the_text() -> None:
    words = question(stem="选哪个", options=[Option(label="A", text="光合作用"), Option(label="B", text="呼吸作用")])
    assert compare("选哪个 ① 光合作用 ② 呼吸作用", words).options == 1
    assert compare("选哪个 ① 光合作用 ② 呼吸", words).options == 0.5


def test_options_that_are_figures_are_left_out() -> None:
    drawn = question(options=[Option(label=letter, text="", figure="f1") for letter in "ABCD"])
    assert compare(GOOD.split("\n", maxsplit=1)[0], drawn).options == 1


def test_parts_are_compared_too() -> None:
    parts = question(options=[], type="open_ended", parts=[Part(label="(1)", text="求 $a_{10}$。")])
    assert "10" in compare(GOOD.split("\n", maxsplit=1)[0], parts).missing


def test_no_text_breaks_the_comparison() -> None:
    generator = random.Random(5)
    letters = "\\{}$^_ ![](){}A.B<td>0.-1\n√²\u202e\ud800①題"
    for _ in range(300):
        text = "".join(generator.choice(letters) for _ in range(generator.randrange(60)))
        for asked in (question(), question(stem=text, options=[])):
            reading = compare(text, asked)
            for value in (reading.similarity, reading.coverage, reading.options, reading.numbers):
                assert 0 <= value <= 1


def sample_questions() -> dict[str, list[Question]]:
    folder = Path(samples.__file__).parent / "papers"
    papers = {}
    for path in sorted(folder.glob("*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        papers[path.name] = [
            Question(
                id=f"p/1.{i}",
                number=entry["number"],
                type=entry["type"],
                stem=entry["stem"],
                options=[Option(label=k, text=v) for k, v in (entry.get("options") or {}).items()],
                parts=[Part(label=p["label"], text=p["text"]) for p in entry.get("parts", [])],
            )
            for i, entry in enumerate(truth["questions"])
        ]
    return papers


def respelled(text: str) -> str:
    """The same print in Unicode: no dollars, raised digits, slashes, half width."""
    raised = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
    text = re.sub(r"\^\{([0-9+-]+)\}|\^([0-9])", lambda m: (m[1] or m[2]).translate(raised), text)
    text = re.sub(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", text)
    for command, sign in [("rightarrow", "→"), ("times", "×"), ("le ", "≤"), ("pi", "π"), ("alpha", "α"), ("cap", "∩")]:
        text = text.replace(f"\\{command}", sign)
    return text.replace("$", "").replace("，", ",").replace("（", "(").replace("）", ")")


def test_thresholds_hold_on_the_samples() -> None:
    papers = sample_questions()
    assert sum(map(len, papers.values())) > 50
    for asked in itertools.chain.from_iterable(papers.values()):
        for copy in (respelled(printed_text(asked)), f"{asked.number}．（5分）{printed_text(asked)}"):
            assert attribute(copy, asked, WRONG).kind == "reasoning", copy
    for asked, other in itertools.chain.from_iterable(itertools.permutations(p, 2) for p in papers.values()):
        found = attribute(f"{other.number}. {printed_text(other)}", asked, WRONG)
        assert found.kind == "not_found", (asked.id, other.id, found)
        assert found.reading.similarity < FOUND


# --- headings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("copy", "figures", "outcome", "with_figure", "kind"),
    [
        (GOOD, [], RIGHT, None, "none"),
        ("", [], RIGHT, None, "none"),
        (GOOD, [], Outcome(None), None, "none"),
        ("NOT FOUND", [], WRONG, None, "not_found"),
        ("**Not found.**", [], WRONG, None, "not_found"),
        ("页面上找不到", [], WRONG, None, "not_found"),
        ("  \n", [], WRONG, None, "not_found"),
        ("8. 某小球以初速度沿斜面向上运动，求其加速度大小。", [], WRONG, None, "not_found"),
        (GOOD.replace("+5在", "+6在"), [], WRONG, None, "misread"),
        (GOOD.replace("C. 1", "C. 7"), [], HALF, None, "misread"),
        (GOOD.split("\n", maxsplit=1)[0], [FIGURE], WRONG, None, "misread"),
        (GOOD + "\n8. 另一道题：" + "求证三角形的面积不小于周长。" * 5, [], WRONG, None, "misread"),
        (GOOD, [], WRONG, None, "reasoning"),
        (GOOD, [], WRONG, RIGHT, "reasoning"),
        (GOOD, [FIGURE], WRONG, None, "figure"),
        (GOOD, [FIGURE], WRONG, Outcome(None), "figure"),
        (GOOD, [FIGURE], WRONG, RIGHT, "figure"),
        (GOOD, [FIGURE], WRONG, HALF, "figure"),
        (GOOD, [FIGURE], WRONG, WRONG, "reasoning"),
        (GOOD, [FIGURE], HALF, HALF, "reasoning"),
        (GOOD, [FIGURE.model_copy(update={"placement": "solution"})], WRONG, None, "reasoning"),
    ],
)
def test_headings(copy: str, figures: list[Figure], outcome: Outcome, with_figure: Outcome | None, kind: Kind) -> None:
    found = attribute(copy, question(figures=figures), outcome, with_figure)
    assert found.kind == kind and found.evidence
    assert found.lost == (None if outcome.fraction is None else 1 - outcome.fraction)


def test_outcomes_of_the_scoring_room_fit() -> None:
    gold = Gold("multiple_choice", ("B",), {"A": "1", "B": "2"})
    assert attribute(GOOD, question(), mark(gold, "\\boxed{A}")).kind == "reasoning"
    assert attribute(GOOD, question(), mark(gold, "\\boxed{B}")).kind == "none"


def test_evidence_names_what_is_missing() -> None:
    found = attribute(GOOD.replace("−3x", "−8x"), question(), WRONG)
    assert "not found in the copy: 3" in found.evidence


# --- the split and the report -------------------------------------------------------------------------------------


def row(
    kind: Kind, lost: float | None = 1.0, points: float | None = 5, model: str = "m", **more: str
) -> AttributionRow:
    reading = Reading(0.8, 0.9, 0.75, 0.5, ("3",))
    texts = {"printed": "已知 $x=3$", "transcription": "已知 $x=8$", **more}
    return AttributionRow(model, "p/1.7", "Paper · 7", points, Attribution(kind, lost, reading, "Why."), **texts)


def test_lost_marks_are_split_without_remainder() -> None:
    rows = [row("misread"), row("figure", 0.5), row("none", 0.0), row("none", None), row("reasoning", points=None)]
    rows += [row("not_found", model="other", points=12.5)]
    split = split_lost(rows)
    assert split == {
        "m": {"not_found": 0, "misread": 5, "figure": 2.5, "reasoning": 1},
        "other": {"not_found": 12.5, "misread": 0, "figure": 0, "reasoning": 0},
    }
    assert sum(sum(s.values()) for s in split.values()) == sum(r.marks_lost for r in rows)


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in {"br", "rect"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag


def test_the_report_is_well_formed_and_says_the_figures() -> None:
    rows = [row(kind) for kind in LOST_KINDS] + [row("misread", 0.2)] * 5 + [row("none", None, model="other")]
    html = render_attribution(rows)
    parsed = Tags(html)
    assert parsed.open == []
    assert html.startswith('<section id="attribution">')
    assert html.count('class="card"') == 5  # one of each kind, and a second misread
    assert "1 undecided" in html and "misread: 10 marks (40%)" in html
    assert "<del>3</del>" in html and "<ins>8</ins>" in html
    assert all("style" not in attributes for _, attributes in parsed.seen)
    assert render_attribution([]) == ""


def test_untrusted_text_is_escaped() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    rows = [row(kind, model=evil, transcription=evil, printed=evil) for kind in LOST_KINDS]
    rows += [
        AttributionRow("m", "q", evil, 1, Attribution("misread", 1.0, rows[0].attribution.reading, evil), "a", evil)
    ]
    parsed = Tags(render_attribution(rows))
    assert not {"script", "img"} & {tag for tag, _ in parsed.seen}
    assert not any(name.startswith("on") for _, attributes in parsed.seen for name in attributes)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_prompts_name_the_question_and_the_way_out(language: str) -> None:
    text = fill("probe", language, target="第二大题第 13 题")
    assert "第二大题第 13 题" in text and "NOT FOUND" in text and "$…$" in text and "$$" not in text
