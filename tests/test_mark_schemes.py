"""Mark schemes: answers under the labels of parts find their parts, and only the questions that have those parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from check_material import paper
from drawing import page, table

from layout.types import PageLayout, TableRegion
from parse_templates.flow import build_flow
from parse_templates.later_keys import apply_later_key, key_from_pages
from parse_templates.mark_schemes import read_scheme
from parse_templates.parser import ParsedPaper, parse_paper
from parse_templates.template_files import load_template
from wholepage.records import Issue, Part, Question

PAPER = [
    "Section A",
    "1 (a) Name the gas that plants take in by day. [1]",
    "(b) A candle burns in a closed jar.",
    "(i) Name the gas that it uses up. [1]",
    "(ii) Say how to show that it is gone. [2]",
    "2 (a) Name a metal that rusts. [1]",
    "(b) Name two that do not rust. [2]",
    "Section B",
    "1 (a) State what a solvent is. [1]",
    "(b) Give one example of a solvent. [1]",
    "(c) Name what is dissolved in sea water. [1]",
]
FIRST = [["1(a)", "carbon dioxide", "1"], ["1(b)(i)", "oxygen", "1"], ["(ii)", "• lit splint • goes out", "2"]]
SECOND = [["2(a)", "iron", "1"], ["2(b)", "gold / silver", "2"]]
THIRD = [["1(a)", "what dissolves others", "1"], ["1(b)", "water", "1"], ["1(c)", "salt", "1"]]


def scheme(*tables: Sequence[Sequence[str]]) -> list[PageLayout]:
    """A key of one table a page."""
    regions = [table([["Question", "Answer", "Marks"], *rows], 300) for rows in tables]
    return [
        replace(page(["Mark scheme" if not n else "Continued"], number=n + 1), tables=(region,))
        for n, region in enumerate(regions)
    ]


def read(*tables: Sequence[Sequence[str]], texts: Sequence[str] = PAPER) -> ParsedPaper:
    return parse_paper([page(list(texts), step=40)], "en_exam", answers=scheme(*tables))


def leaves(question: Question) -> dict[str, list[str]]:
    def walk(parts: Sequence[Part], before: str) -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for part in parts:
            label = before + part.label
            out |= walk(part.parts, label) if part.parts else {label: part.answer}
        return out

    return walk(question.parts, "")


def unmatched(issues: Sequence[Issue]) -> list[str]:
    return [i.message for i in issues if i.code == "key.unmatched"]


def test_answers_find_their_parts_though_the_number_is_printed_twice() -> None:
    parsed = read(FIRST, SECOND, THIRD)
    assert [leaves(q) for q in parsed.questions] == [
        {"(a)": ["carbon dioxide"], "(b)(i)": ["oxygen"], "(b)(ii)": ["lit splint; goes out"]},
        {"(a)": ["iron"], "(b)": ["gold / silver"]},
        {"(a)": ["what dissolves others"], "(b)": ["water"], "(c)": ["salt"]},
    ]
    assert parsed.questions[0].answer == ["carbon dioxide", "oxygen", "lit splint; goes out"]
    assert not unmatched(parsed.issues)


def test_an_entry_of_another_paper_answers_nothing() -> None:
    other = [["2(a)(i)", "north"], ["2(a)(ii)", "south"], ["2(b)", "a coil"], ["2(c)", "it turns"], ["2(d)", "more"]]
    parsed = read(FIRST, other)
    assert parsed.questions[1].answer == []
    (message,) = unmatched(parsed.issues)
    assert "entry 2" in message and "north" in message
    both = read(FIRST, other, SECOND)
    assert both.questions[1].answer == ["iron", "gold / silver"]
    assert len(unmatched(both.issues)) == 1


def test_what_fits_two_questions_alike_is_left() -> None:
    twice = [
        "Section A",
        "1 (a) Name a metal. [1]",
        "(b) Name a gas. [1]",
        "2 Name a salt. [1]",
        "Section B",
        "1 (a) Name an acid. [1]",
        "(b) Name a base. [1]",
    ]
    parsed = read([["1(a)", "iron"], ["1(b)", "neon"]], texts=twice)
    assert [q.answer for q in parsed.questions] == [[], [], []]
    assert unmatched(parsed.issues)


def test_a_part_that_the_question_lacks_is_listed() -> None:
    question = read([["2(a)", "iron"], ["2(b)", "gold"], ["2(c)", "zinc"]]).questions[1]
    assert question.answer == ["iron", "gold"]
    assert any("zinc" in m for m in unmatched(question.issues))


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (
            [["1(a) 1(b)", "iron"], ["", "gold"]],
            [(1, ("(a)",), "iron"), (1, ("(b)",), "gold")],
        ),  # one cell for two rows
        (
            [["1(a)", "iron"], ["", "or steel"], ["1(b)", "gold"]],
            [(1, ("(a)",), "iron; or steel"), (1, ("(b)",), "gold")],
        ),
        ([["7a", "iron", "[1]"], ["7b", "gold", "[2]"]], [(7, ("(a)",), "iron"), (7, ("(b)",), "gold")]),
        ([["1", "A"], ["2", "C"], ["3", "D"]], []),  # a table of choices is none
        ([["(a)", "iron"], ["(b)", "gold"]], []),  # of which question?
        ([["metal", "iron"], ["1(a)", "gold"], ["gas", "neon"], ["1(b)", "x"], ["acid", "y"]], []),  # a table of data
    ],
)
def test_rows_of_a_scheme(rows: Sequence[Sequence[str]], found: list[tuple[int, tuple[str, ...], str]]) -> None:
    region: TableRegion = table(rows, 300)
    sheet = replace(page(["Key"]), tables=(region,))
    blocks, used = read_scheme(build_flow([sheet]))
    assert [(b.number, path, text) for b in blocks for path, text in b.answers] == found
    assert bool(used) == bool(found)


def test_lines_without_a_table() -> None:
    blocks, _ = read_scheme(build_flow([page(["3(a) iron\u20031", "3(b)(i) gold\u20032", "3(b)(ii) neon", "Notes"])]))
    assert [(b.number, b.answers) for b in blocks] == [
        (3, ((("(a)",), "iron"), (("(b)", "(i)"), "gold"), (("(b)", "(ii)"), "neon")))
    ]


def test_a_scheme_that_comes_later() -> None:
    parsed = parse_paper([page(PAPER, step=40)], "en_exam")
    stored = paper(*parsed.questions)
    key = key_from_pages("ms.pdf", "a" * 64, scheme(FIRST, THIRD, [["2(a)(i)", "x"], ["2(a)(ii)", "y"], ["2(c)", "z"]]),
                         load_template("en_exam"))  # fmt: skip
    report = apply_later_key(stored, key, load_template("en_exam"))
    assert [o for _, o, _ in report.lines] == ["filled", "filled", "unmatched"]
    assert leaves(stored.questions[2])["(c)"] == ["salt"]
    assert stored.questions[1].answer == []
