"""Templates as users write them: a new source, what its rules catch, and the commands around them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from drawing import page
from typer.testing import CliRunner

from layout.types import save_layout
from parse_templates.caught import rules_of, try_template
from parse_templates.parser import parse_paper
from parse_templates.template_files import load_template, template_names
from wholepage.cli import app
from wholepage.errors import TemplateError
from wholepage.records import Page, Paper, Source
from wholepage.workspace import Workspace

STAR = r"""
name: star
extends: zh_exam
applies: ['★\d+★']
numbers:
  - {pattern: '^\s*★\s*(?P<n>\d{1,2})\s*★', weight: 3}
solutions:
  answer: ['^\s*答\s*>']
  solution: ['^\s*讲\s*>']
fields:
  knowledge_points: ['〔(?P<v>[^〕]+)〕']
  difficulty: ['难度(?P<v>[^\s〔]+)']
  source: ['〈(?P<v>[^〉]+)〉']
"""
TEXTS = [
    "星级练习", "★1★ 下列正确的是 〔函数；导数〕", "A．甲", "B．乙", "C．丙", "D．丁", "答> B",
    "讲> 乙成立，其余不成立．",
    "★2★ 〈2021·模拟〉求 x 的值____． 难度0.7", "答> 3", "讲> 由题得．", "★3★ 求 y 的值____． 难度较难", "答> 4",
]  # fmt: skip


@pytest.fixture
def star(tmp_path: Path) -> str:
    file = tmp_path / "star.yaml"
    file.write_text(STAR, encoding="utf-8")
    return str(file)


def test_a_new_source_takes_a_few_lines_of_yaml(star: str) -> None:
    assert len(STAR.strip().splitlines()) < 40
    paper = parse_paper([page(TEXTS)], star)
    assert [(q.number, q.answer) for q in paper.questions] == [("1", ["B"]), ("2", ["3"]), ("3", ["4"])]
    assert [o.text for o in paper.questions[0].options] == ["甲", "乙", "丙", "丁"]
    assert paper.questions[0].knowledge_points == ["函数", "导数"]
    assert [q.difficulty for q in paper.questions] == [None, 0.7, None]
    assert paper.questions[2].tags == ["较难"]
    assert (paper.questions[1].model_extra or {}) == {"source": "2021·模拟"}
    assert "source" not in (paper.questions[0].model_extra or {})
    assert paper.questions[1].solution.startswith("由题得")


def test_without_the_template_the_source_is_not_read() -> None:
    assert parse_paper([page(TEXTS)], "zh_exam").questions == []


def test_what_each_rule_caught(star: str) -> None:
    template, caught, paper = try_template([page(TEXTS)], star)
    lines = {(c.field, c.pattern): c.lines for c in caught}
    assert lines["numbers", r"^\s*★\s*(?P<n>\d{1,2})\s*★"] == 3
    assert lines["solutions.answer", r"^\s*答\s*>"] == 3
    assert lines["fields.knowledge_points", "〔(?P<v>[^〕]+)〕"] == 1
    assert len(caught) == len(list(rules_of(template))) and len(paper.questions) == 3


def test_marks_of_the_source_decide_between_templates() -> None:
    options = ["A．甲", "B．乙", "C．丙", "D．丁"]
    texts = ["1．下列正确的是", *options, "【答案】C", "【考点】集合；不等式", "2．题干____．", "【答案】4"]
    marked = parse_paper([page(texts)], "auto")
    assert marked.template == "zh_solutions"
    assert marked.questions[0].knowledge_points == ["集合", "不等式"]
    assert parse_paper([page([f"{n}．这是第几道题的题干____．" for n in (1, 2, 3)])], "auto").template == "zh_exam"


@pytest.mark.parametrize("name", template_names())
def test_a_template_shown_whole_is_a_template_again(name: str, tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["templates", "show", name])
    file = tmp_path / "again.yaml"
    file.write_text(shown.output, encoding="utf-8")
    assert load_template(str(file)).model_dump(exclude={"extends"}) == load_template(name).model_dump(
        exclude={"extends"}
    )


def test_a_field_needs_its_group(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text("name: bad\nextends: zh_exam\nfields: {tags: ['#.+']}\n", encoding="utf-8")
    with pytest.raises(TemplateError, match=r"\(\?P<v>"):
        load_template(str(file))


def stored(root: Path) -> Workspace:
    workspace = Workspace(root / "data").create()
    layout = page(TEXTS)
    folder = workspace.paper_dir("abc123")
    (folder / "work" / "layout").mkdir(parents=True)
    save_layout(layout, folder / "work" / "layout" / "001.json")
    image = Page(number=1, image="pages/001.png", width=layout.width, height=layout.height, dpi=200, kind="digital")
    source = Source(file="star.pdf", sha256="0" * 64, bytes=1, pages=1, kind="digital")
    workspace.save(Paper(id="abc123", source=source, pages=[image]))
    return workspace


def test_a_key_file_is_tried_too(tmp_path: Path, star: str) -> None:
    workspace = stored(tmp_path)
    folder = workspace.paper_dir("abc123") / "work" / "answers" / "layout"
    folder.mkdir(parents=True)
    save_layout(page(["参考答案", "★2★ 答> 3"]), folder / "001.json")
    arguments = ["templates", "check", star, "abc", "--workspace", str(workspace.root), "--json"]
    told = json.loads(CliRunner().invoke(app, arguments).output)
    (heading,) = [r for r in told["rules"] if r["field"] == "key.headings" and r["lines"]]
    assert heading["examples"] == ["key p. 1: 参考答案"]


def test_the_commands(tmp_path: Path, star: str) -> None:
    run = CliRunner()
    listed = run.invoke(app, ["templates", "list", "--json"])
    assert [json.loads(line)["name"] for line in listed.output.splitlines()] == template_names()
    made = tmp_path / "mine.yaml"
    assert run.invoke(app, ["templates", "new", str(made), "--extends", "en_exam"]).exit_code == 0
    assert yaml.safe_load(made.read_text(encoding="utf-8"))["extends"] == "en_exam"
    assert load_template(str(made)).numbers == load_template("en_exam").numbers
    again = run.invoke(app, ["templates", "new", str(made)])
    assert again.exit_code != 0 and "there already" in " ".join(again.output.split())
    workspace = stored(tmp_path)
    arguments = ["templates", "check", star, "abc", "--workspace", str(workspace.root)]
    shown = run.invoke(app, arguments)
    assert shown.exit_code == 0 and "3 questions" in shown.output and "numbers" in shown.output
    told = json.loads(run.invoke(app, [*arguments, "--json"]).output)
    assert [q["number"] for q in told["questions"]] == ["1", "2", "3"]
    one = json.loads(run.invoke(app, [*arguments, "--json", "--pages", "1"]).output)
    assert one["questions"] == told["questions"]
    assert run.invoke(app, [*arguments, "--pages", "2-3"]).exit_code == 4
    assert run.invoke(app, [*arguments, "--pages", "all"]).exit_code == 2
    nothing = run.invoke(app, ["templates", "check", "en_exam", "abc", "--workspace", str(workspace.root)])
    assert nothing.exit_code == 3
    assert run.invoke(app, ["templates", "show", "nosuch"]).exit_code != 0
