"""`wholepage check`: idempotent, keeps doubts of the reading, applies policies, and exits with what it found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from check_material import codes, paper, question, stored
from typer.testing import CliRunner, Result

from parse_templates.checks_run import check_paper
from parse_templates.policy import NOTHING, PolicyError, apply_policy, load_policy
from wholepage.cli import app
from wholepage.records import Evidence, Issue, Paper, Question
from wholepage.verification import Verification, set_verification, verification_of
from wholepage.workspace import Workspace

SURE = "name: sure\nevery: {confidence: 0.9, both_parsers: false}\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments])


def read(confidence: float = 0.97, **more: object) -> Question:
    """A question with evidence of all that it has."""
    q = question(answer=["B"], **more)  # type: ignore[arg-type]
    fields = ("number", "type", "stem", "options", "answer")
    q.evidence = {name: Evidence(confidence=confidence, page=1) for name in fields}
    return q


def test_issues_of_checks_are_replaced_and_those_of_the_reading_stay() -> None:
    reading = Issue(code="figure.ambiguous", field="figures", message="A figure stands between two questions.")
    p = paper(question(options=("甲", "乙")))
    p.questions[0].issues = [reading, Issue(code="stem.empty", severity="error", field="stem", message="old")]
    check_paper(p)
    assert codes(p.questions[0]) == ["figure.ambiguous", "options.incomplete"]
    once = p.model_dump_json()
    check_paper(p)
    assert p.model_dump_json() == once
    p.questions[0].options = question().options
    check_paper(p)
    assert codes(p.questions[0]) == ["figure.ambiguous"]


def test_an_issue_keeps_its_place_on_the_page() -> None:
    p = paper(question(stem="已知 $\\frac{1}{$ 正确"))
    check_paper(p)
    p.questions[0].issues[0].page, p.questions[0].issues[0].bbox = 1, (1, 2, 3, 4)
    check_paper(p)
    assert [(i.code, i.page, i.bbox) for i in p.questions[0].issues] == [("formula.does_not_compile", 1, (1, 2, 3, 4))]


def test_numbers_and_points_of_sections() -> None:
    p = paper(question("1", points=5), question("2", points=5), question("4", points=5), question("4", points=5))
    p.coverage.sections[0].expected = ["1", "2", "3", "4"]
    p.coverage.sections[0].points_stated = 25
    check_paper(p)
    assert codes(p) == ["number.gap", "number.repeated", "points.sum_mismatch"]
    assert (p.coverage.sections[0].gaps, p.coverage.sections[0].points_summed) == (["3"], 20)
    p.questions[3] = question("3", points=10)
    check_paper(p)
    assert codes(p) == [] and p.coverage.sections[0].gaps == []


def test_a_paper_without_questions() -> None:
    p = paper()
    check_paper(p)
    assert codes(p) == ["questions.none"]


def test_the_command_writes_what_it_found(tmp_path: Path) -> None:
    workspace = stored(tmp_path, paper(question(options=("甲", "乙"))), paper(question("7", paper="p2"), paper_id="p2"))
    first = run("check", "-w", str(tmp_path), "--json")
    lines = [json.loads(x) for x in first.stdout.splitlines()]
    assert first.exit_code == 3
    assert [(x["paper_id"], x["errors"], x["added"]) for x in lines] == [("p1", 1, 1), ("p2", 0, 0)]
    assert codes(workspace.load("p1").questions[0]) == ["options.incomplete"]
    stamp = (tmp_path / "papers" / "p1" / "paper.json").stat().st_mtime_ns
    again = [json.loads(x) for x in run("check", "-w", str(tmp_path), "--json").stdout.splitlines()]
    assert [(x["added"], x["gone"]) for x in again] == [(0, 0), (0, 0)]
    assert (tmp_path / "papers" / "p1" / "paper.json").stat().st_mtime_ns == stamp
    assert run("check", "p2", "-w", str(tmp_path)).exit_code == 0
    assert "options.incomplete" in run("check", "-w", str(tmp_path)).stdout


def test_strict_counts_warnings(tmp_path: Path) -> None:
    stored(tmp_path, paper(question(stem="如图所示，正确的是")))
    assert run("check", "-w", str(tmp_path)).exit_code == 0
    assert run("check", "-w", str(tmp_path), "--strict").exit_code == 3


def test_a_damaged_paper_costs_the_others_nothing(tmp_path: Path) -> None:
    stored(tmp_path, paper(question()), paper(question(paper="p2"), paper_id="p2"))
    (tmp_path / "papers" / "p1" / "paper.json").write_text("{", encoding="utf-8")
    done = run("check", "-w", str(tmp_path), "--json")
    assert done.exit_code == 3
    assert ["error" in json.loads(x) for x in done.stdout.splitlines()] == [True, False]


def test_duplicates_are_found_across_papers_and_variants_said(tmp_path: Path) -> None:
    stem = "一个质量为 2 千克的木块静止在粗糙的水平桌面上，现用水平拉力使它匀速前进，则下列说法中成立的是"
    one = paper(question("3", stem))
    same = question(
        "8", stem.replace("，", ", ").replace("木块", "木 块"), paper="p2", options=("丁", "丙", "乙", "甲")
    )
    other = question("9", stem.replace("2 千克", "5 千克"), paper="p2")
    workspace = stored(tmp_path, one, paper(same, other, paper_id="p2"))
    run("check", "-w", str(tmp_path))
    first, second = workspace.load("p2").questions
    assert codes(workspace.load("p1").questions[0]) == []
    assert (codes(first), codes(second)) == (["duplicate.of"], ["duplicate.variant"])
    assert first.issues[0].model_extra == {"of": "p1/1.3"}


def policy(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def verified(p: Paper) -> list[str]:
    return [q.status for q in p.questions]


def test_nothing_is_verified_by_default(tmp_path: Path) -> None:
    workspace = stored(tmp_path, paper(read(1.0)))
    run("check", "-w", str(tmp_path))
    assert verified(workspace.load("p1")) == ["unverified"]
    apply_policy(p := paper(read(1.0)), NOTHING)
    assert verified(p) == ["unverified"] and verification_of(p.questions[0]) is None


def test_a_policy_verifies_and_is_named(tmp_path: Path) -> None:
    doubtful = read(number="2", options=("甲", "乙"))
    workspace = stored(tmp_path, paper(read(), doubtful, read(0.8, number="3")))
    done = run("check", "-w", str(tmp_path), "--policy", str(policy(tmp_path, SURE)))
    assert "Policy: sure" in done.stdout
    p = workspace.load("p1")
    assert verified(p) == ["verified", "unverified", "unverified"]
    by = verification_of(p.questions[0])
    assert by is not None and by.by == "policy:sure" and by.fields == ["number", "type", "stem", "options", "answer"]
    part = verification_of(p.questions[1])
    assert part is not None and "options" not in part.fields and "stem" in part.fields
    before = p.model_dump_json()
    run("check", "-w", str(tmp_path), "--policy", str(policy(tmp_path, SURE)))
    assert workspace.load("p1").model_dump_json() == before


def test_both_parsers_must_agree_where_the_policy_says_so(tmp_path: Path) -> None:
    rules = load_policy(policy(tmp_path, "name: two\nevery: {confidence: 0.9}\n"))
    alone, both = read(), read(number="2")
    for evidence in both.evidence.values():
        evidence.agreed_by = ["rules", "model"]  # type: ignore[attr-defined]
    apply_policy(p := paper(alone, both), rules)
    assert verified(p) == ["unverified", "verified"]


def test_a_policy_takes_back_what_it_no_longer_allows_and_leaves_persons_alone(tmp_path: Path) -> None:
    rules = load_policy(policy(tmp_path, SURE))
    p = paper(read(), read(0.5, number="2"), read(0.5, number="3"))
    p.questions[1].status = "verified"  # by a person, before there were names
    p.questions[2].status = "rejected"
    set_verification(p.questions[2], Verification(by="person:li"))
    apply_policy(p, rules)
    assert verified(p) == ["verified", "verified", "rejected"]
    p.questions[0].evidence["stem"].confidence = 0.5
    apply_policy(p, rules)
    assert verified(p) == ["unverified", "verified", "rejected"]


def test_without_a_policy_an_error_takes_back_what_one_verified(tmp_path: Path) -> None:
    p = paper(read())
    apply_policy(p, load_policy(policy(tmp_path, SURE)))
    apply_policy(p, None)
    assert verified(p) == ["verified"]
    p.questions[0].options = p.questions[0].options[:2]
    check_paper(p)
    apply_policy(p, None)
    assert verified(p) == ["unverified"] and verification_of(p.questions[0]) is None


@pytest.mark.parametrize(
    "text", ["- 1", "name: x\nfoo: 1", "name: ''", "name: x\nneed: [stems]", "name: [", "every: {}"]
)
def test_a_policy_that_does_not_validate(tmp_path: Path, text: str) -> None:
    with pytest.raises(PolicyError):
        load_policy(policy(tmp_path, text))
    stored(tmp_path / "w", paper(question()))
    done = run("check", "-w", str(tmp_path / "w"), "--policy", str(policy(tmp_path, text)))
    assert done.exit_code == 2


def test_the_workspaces_own_policy_is_used(tmp_path: Path) -> None:
    workspace = stored(tmp_path, paper(read()))
    (tmp_path / "policy.yaml").write_text(SURE, encoding="utf-8")
    run("check", "-w", str(tmp_path))
    assert verified(Workspace(workspace.root).load("p1")) == ["verified"]
