"""Ingesting ends with all checks: paper.json has what `wholepage check` would say, and nothing piles up."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from check_material import question
from drawing import Sheet, page
from typer.testing import CliRunner

from layout.types import PageLayout
from parse_templates.checks_context import Context, PageText
from parse_templates.checks_text import text_not_on_page
from parse_templates.flow import build_flow
from parse_templates.numbering import find_candidates
from parse_templates.template_files import load_template
from wholepage.cli import app
from wholepage.records import Region

TEXTS = [
    "1．下列物质中属于单质的是哪一种物质", "A．水　　B．铁　　C．盐　　D．铁",
    "2．已知函数f(x = 2x，它的定义域是哪一个", "A．一　　B．二　　C．三　　D．四",
    "3．下列各项中属于植物的是哪一项内容", "A．松　　B．猫　　C．狗　　D．马",
    "4．下列各项中属于植物的是哪一项内容", "A．松　　B．猫　　C．狗　　D．马",
]  # fmt: skip
WANTED = {
    ("1", "options.repeated"), ("2", "brackets.unbalanced"), ("4", "duplicate.of"),
}  # fmt: skip


def told(folder: Path) -> tuple[set[tuple[str, str]], list[str]]:
    """(number, code) of the questions' issues, and all messages."""
    (file,) = folder.glob("papers/*/paper.json")
    paper: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    found = {(q["number"], i["code"]) for q in paper["questions"] for i in q["issues"]}
    messages = [i["message"] for i in paper["issues"]]
    return found, [*messages, *(i["message"] for q in paper["questions"] for i in q["issues"])]


def test_ingesting_ends_with_all_checks_and_they_do_not_pile_up(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.lines(60, 80, TEXTS, step=24)
    sheet.document.save(tmp_path / "paper.pdf")
    root, run = tmp_path / "workspace", CliRunner()
    ingest = ["ingest", str(tmp_path / "paper.pdf"), "--workspace", str(root), "--json"]
    first = run.invoke(app, ingest)
    assert first.exit_code == 3  # options.repeated is an error, and a check's alone
    found, messages = told(root)
    assert found >= WANTED
    assert max(Counter(messages).values()) == 1
    run.invoke(app, [*ingest, "--force"])
    assert told(root) == (found, messages)
    checked = run.invoke(app, ["check", "--workspace", str(root), "--json"])
    line = json.loads(checked.stdout.splitlines()[0])
    assert (line["added"], line["gone"]) == (0, 0)
    assert told(root) == (found, messages)


def context(layout: PageLayout) -> Context:
    return Context(load_template("zh_exam"), "zh", {layout.number: PageText.of(layout)})


@pytest.mark.parametrize(("lines", "codes"), [([], []), (["1．别的文字在这里，没有那些"], ["text.not_on_page"])])
def test_without_lines_nothing_can_be_said_of_a_source(lines: list[str], codes: list[str]) -> None:
    asked = question("1", stem="这一页上没有印着的一句话", regions=[Region(page=1, bbox=(0, 0, 9, 9))])
    assert [i.code for i in text_not_on_page(asked, context(page(lines)))] == codes


def test_digits_of_a_number_that_stand_apart_are_one_number() -> None:
    flow = build_flow([page(["Q1 2 Name a gas.", "Q1 3 Name a metal."])])
    assert [c.label for c in find_candidates(flow, load_template("en_exam"), set())] == ["12", "13"]
