"""docs/templates.md, "Write a template in ten minutes": its commands and its YAML, on a paper of that source."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from drawing import Sheet
from model_standin import Answer, Standin
from typer.testing import CliRunner

from parse_templates.checks_context import template_of
from parse_templates.template_files import load_template
from wholepage.cli import app
from wholepage.records import Paper

DOC = (Path(__file__).parents[1] / "docs" / "templates.md").read_text(encoding="utf-8")
CHAPTER = DOC.split("## Write a template in ten minutes")[1].split("\n## ")[0]
COMMANDS = re.findall(r"^\d\. `wholepage ([^`]+)`", CHAPTER, re.MULTILINE)
LINES = [
    "星级练习 函数与方程", "第一关 选一选", "★1★ 下列函数中是偶函数的是哪一个 〔函数；奇偶性〕",
    "A．甲　　B．乙　　C．丙　　D．丁",
    "★2★ 下列方程中没有实数根的是哪一个", "A．甲　　B．乙　　C．丙　　D．丁", "第二关 填一填", "★3★ 求出方程的解____",
    "★4★ 写出一个偶数____ 〔数〕", "谜底", "★1★ B", "★2★ D", "★3★ 7", "★4★ 8",
]  # fmt: skip


def own_yaml() -> str:
    (found,) = re.findall(r"```yaml\n(.*?)```", CHAPTER, re.DOTALL)
    return textwrap.dedent(found)


def run(command: str, *more: str) -> Result:
    return CliRunner().invoke(app, [*command.split(), *more])


def stored() -> dict[str, Any]:
    (file,) = Path().glob("wholepage-data/papers/*/paper.json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHOLEPAGE_WORKSPACE", raising=False)
    sheet = Sheet()
    sheet.lines(60, 80, LINES, step=26)
    sheet.document.save("paper.pdf")
    return tmp_path


def test_the_chapter_can_be_followed_as_it_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(own_yaml().splitlines()) < 40
    first, new, check, again = COMMANDS
    assert run(first).exit_code == 3  # no question is found without the template
    assert stored()["questions"] == []
    assert run(new).exit_code == 0
    Path("mine.yaml").write_text(own_yaml(), encoding="utf-8")
    told = run(check)
    assert told.exit_code == 0 and "4 questions" in told.output and "第一关: 1–2" in told.output
    done = run(again)
    assert done.exit_code == 0, done.output
    paper = stored()
    assert [(q["number"], q["section"], q["type"], q["answer"]) for q in paper["questions"]] == [
        ("1", "第一关", "multiple_choice", ["B"]), ("2", "第一关", "multiple_choice", ["D"]),
        ("3", "第二关", "fill_in_blank", ["7"]), ("4", "第二关", "fill_in_blank", ["8"]),
    ]  # fmt: skip
    assert paper["questions"][0]["knowledge_points"] == ["函数", "奇偶性"]
    assert not [i for q in paper["questions"] for i in q["issues"]]
    told_to_model(monkeypatch, again)
    kept_with_the_paper(paper)


def told_to_model(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """With a model the same template states the prompt; a model that finds nothing costs nothing."""
    with Standin(lambda _call, _n: Answer('{"questions": [], "key": [], "corrections": []}')) as server:
        monkeypatch.setenv("WHOLEPAGE_PARSER_MODEL", "standin")
        monkeypatch.setenv("WHOLEPAGE_PARSER_BASE_URL", server.url)
        assert run(command, "--parser", "both").exit_code == 0
    assert "A number stands between two stars." in server.calls[0].system
    assert [q["answer"] for q in stored()["questions"]] == [["B"], ["D"], ["7"], ["8"]]


def kept_with_the_paper(paper: dict[str, Any]) -> None:
    """Later checks use the paper's own template, also when the file has gone; another template takes its place."""
    own = load_template("mine.yaml").model_dump(exclude={"extends"})
    Path("mine.yaml").unlink()
    (kept,) = Path().glob("wholepage-data/papers/*/work/template.yaml")
    assert load_template(str(kept)).model_dump(exclude={"extends"}) == own
    record = Paper.model_validate(paper)
    assert template_of(record, kept.parents[1]).numbers[0].pattern.startswith(r"^\s*★")
    assert template_of(record).name == "zh_exam"
    assert run("check").exit_code == 0
    run("ingest paper.pdf --template zh_exam")
    assert not kept.exists()


def test_what_the_doc_names_is_there() -> None:
    table = DOC.split("## What ships")[0]
    fields = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert fields == set(type(load_template("zh_exam")).model_fields) - {"name", "about", "extends", "language"}
