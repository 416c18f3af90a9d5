"""Running heads that name the part of a paper: they begin a section where they change, and are furniture elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from drawing import line

from layout.furniture import mark_repeated
from layout.types import Line, PageLayout, Role
from parse_templates.parser import parse_paper

ASKED = (
    "Which word fits the gap in this text best?", "How many boxes are left when the van drives off?",
    "What follows from the letter of the mayor?", "Which choice names the largest of the four lakes?",
    "Why did the painter leave the town so early?", "What is the sum of the two roots of the equation?",
    "By how much does the price of a loaf rise?", "Which claim about sea birds does the survey support?",
    "What area does the new garden cover in square feet?", "Who wrote the poem that the lines are taken from?",
    "How long does the ferry need to reach the island?", "Which graph shows the speed of the falling ball?",
)  # fmt: skip


def sheet(number: int, head: Sequence[Line], first: int, seed: int) -> PageLayout:
    """A page with three questions from `first` on under a running head."""
    lines = list(head)
    for n in range(3):
        y = 300 + 500 * n
        lines += [line(160, y, str(first + n)), line(220, y + 50, ASKED[n + seed])]
        lines += [line(220, y + 100 + 50 * k, f"{letter}) {k + seed}") for k, letter in enumerate("ABCD")]
    return PageLayout(number, 1654, 2339, 200.0, "digital", lines=tuple(lines))


def paper(heads: Sequence[Sequence[Line]]) -> list[PageLayout]:
    """Two pages of questions 1 to 6 for each of the two modules."""
    starts = (1, 4, 1, 4)
    return [sheet(n + 1, head, starts[n], 3 * n) for n, head in enumerate(heads)]


def head(text: str, role: Role = "body") -> list[Line]:
    made = line(700, 60, text)
    return [Line(made.text, made.box, made.glyphs, made.confidence, made.origin, role)]


@pytest.mark.parametrize("words", ["Module {}", "Math: Module {}"])
def test_head_that_changes_begins_a_section(words: str) -> None:
    pages = paper([head(words.format(m)) for m in (1, 1, 2, 2)])
    marked = mark_repeated(pages)
    roles = [next(x.role for x in page.lines if "Module" in x.text) for page in marked]
    assert roles == ["body", "header", "body", "header"]
    read = parse_paper(pages)
    assert [q.number for q in read.questions] == ["1", "2", "3", "4", "5", "6"] * 2
    sections = [q.section or "" for q in read.questions]
    assert all("Module 1" in s for s in sections[:6]) and all("Module 2" in s for s in sections[6:])


def test_number_in_large_type_under_the_word_belongs_to_it() -> None:
    def set_apart(number: int) -> list[Line]:
        below = line(730, 96, str(number))
        return [*head("Module"), Line(below.text, below.box, below.glyphs, 1.0, below.origin, "page_number")]

    read = parse_paper(paper([set_apart(m) for m in (1, 1, 2, 2)]))
    assert [q.section for q in read.questions] == ["Module 1"] * 6 + ["Module 2"] * 6


def test_head_that_never_changes_is_furniture() -> None:
    marked = mark_repeated(paper([head("Paper 42  Section A")] * 4))
    assert {x.role for page in marked for x in page.lines if "Section" in x.text} == {"header"}


def test_directions_of_a_module_say_what_its_questions_are() -> None:
    pages = paper([head(f"Module {m}") for m in (1, 1, 2, 2)])
    said = ["Each question includes one or more passages, which may include a table.",
            "All questions in this section are multiple-choice with four answer choices."]  # fmt: skip
    first = pages[0]
    lines = (*first.lines[:1], *(line(220, 180 + 50 * n, text) for n, text in enumerate(said)), *first.lines[1:])
    read = parse_paper([first.with_lines(lines), *pages[1:]])
    assert {q.type for q in read.questions} == {"multiple_choice"}


def test_cell_of_a_table_at_the_top_is_no_head() -> None:
    pages = paper([head(f"Part {m}", "table") for m in "ABCD"])
    marked = mark_repeated(pages)
    assert {x.role for page in marked for x in page.lines if x.text.startswith("Part")} == {"table"}
