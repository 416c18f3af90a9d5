"""`wholepage answers`: joined by section, number and content; nothing overwritten or lost, persons' fields stay."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
from check_material import FOUR, codes, paper, question, stored
from drawing import page
from typer.testing import CliRunner, Result

from parse_templates.key_files import KeyRow, read_key_file
from parse_templates.later_keys import KeyReport, apply_later_key, key_from_pages, key_from_rows, same_answer
from parse_templates.template_files import load_template
from wholepage.answering import reapply_keys
from wholepage.cli import app
from wholepage.errors import SourceError
from wholepage.records import Paper, Part, Question
from wholepage.verification import Verification, set_verification
from wholepage.workspace import Workspace

ZH = load_template("zh_exam")
STEMS = [
    "下列物质中属于电解质的是哪一种（ ）",
    "小球从斜面顶端滑下，经过的路程与时间的关系是（ ）",
    "细胞膜的主要成分不包括以下哪一项（ ）",
]


def choices() -> Paper:
    return paper(*(question(str(n), stem) for n, stem in enumerate(STEMS, 1)))


def rows(
    p: Paper, entries: dict[str, str | list[str]], file: str = "key.json", section: str | None = None
) -> KeyReport:
    made = [KeyRow(n, (a,) if isinstance(a, str) else tuple(a), section) for n, a in entries.items()]
    return apply_later_key(p, key_from_rows(file, file * 8, made), ZH)


def pages(p: Paper, *lines: str) -> KeyReport:
    return apply_later_key(p, key_from_pages("key.pdf", "f" * 64, [page(list(lines))], ZH), ZH)


def answers(p: Paper) -> list[list[str]]:
    return [q.answer for q in p.questions]


def outcomes(report: KeyReport) -> dict[str, str]:
    return {number: outcome for number, outcome, _ in report.lines}


def test_a_key_on_a_page_fills_answers_with_evidence() -> None:
    p = choices()
    report = pages(p, "参考答案", "1．A", "2．C", "3．D")
    assert answers(p) == [["A"], ["C"], ["D"]] and outcomes(report) == dict.fromkeys("123", "filled")
    evidence = p.questions[0].evidence["answer"]
    assert (evidence.origin, evidence.page) == ("key", None)
    assert evidence.model_extra == {"file": "key.pdf", "key_page": 1}


def test_the_same_key_again_changes_nothing() -> None:
    p = choices()
    p.questions[1].answer = ["B"]
    rows(p, {"1": "A", "2": "C", "9": "D"})
    once = p.model_dump_json()
    assert outcomes(rows(p, {"1": "A", "2": "C", "9": "D"})) == {"1": "confirmed", "2": "conflict", "9": "unmatched"}
    assert p.model_dump_json() == once


def test_a_conflict_is_an_issue_with_both_and_nothing_is_overwritten() -> None:
    p = choices()
    p.questions[0].answer = ["B"]
    rows(p, {"1": "A"})
    assert p.questions[0].answer == ["B"]
    (issue,) = p.questions[0].issues
    assert issue.code == "key.contradicts_answer" and "B" in issue.message and "A" in issue.message


@pytest.mark.parametrize(
    ("number", "answer", "why"),
    [("9", "A", "no question has this number"), ("1", "F", "names F"), ("2", "AC", "one answer")],
)
def test_what_fits_no_question_is_listed(number: str, answer: str, why: str) -> None:
    p = choices()
    report = rows(p, {number: answer})
    assert outcomes(report) == {number: "unmatched"} and why in report.lines[0][2]
    assert codes(p) == ["key.unmatched"] and answers(p) == [[], [], []]


def test_an_option_is_no_answer_of_a_question_without_options() -> None:
    p = paper(question("1", "计算 3+4", type="fill_in_blank"))
    assert outcomes(rows(p, {"1": "B"})) == {"1": "unmatched"}
    assert outcomes(rows(p, {"1": "7"})) == {"1": "filled"}


def test_numbers_that_restart_need_their_section() -> None:
    p = paper(question("1", STEMS[0], section="一、选择题"), question("1", STEMS[1], section="二、多选题", index=2))
    assert outcomes(rows(p, {"1": "B"})) == {"1": "unmatched"}
    assert outcomes(rows(p, {"1": "B"}, section="二")) == {"1": "filled"}
    assert answers(p) == [[], ["B"]]


def test_content_goes_before_the_number() -> None:
    p = choices()
    report = pages(p, "参考答案", "1．" + STEMS[2], "【答案】C", "2．" + STEMS[0], "【答案】A")
    assert answers(p) == [["A"], [], ["C"]] and list(outcomes(report).values()) == ["filled", "filled"]


def test_a_key_for_other_questions_answers_only_what_it_prints() -> None:
    p = choices()
    other = "某工厂用甲烷和水蒸气在高温下制备氢气的流程图如下"
    report = pages(p, "参考答案", "1．" + other, "【答案】B", "2．" + STEMS[1], "【答案】D")
    assert answers(p) == [[], ["D"], []]
    assert outcomes(report) == {"1": "unmatched", "2": "filled"}


def test_a_key_that_contradicts_most_answers_is_another_papers() -> None:
    p = paper(*(question(str(n), answer=["A"]) for n in range(1, 5)), question("5"))
    report = rows(p, {"1": "B", "2": "C", "3": "D", "4": "A", "5": "C"})
    assert set(outcomes(report).values()) == {"unmatched"}
    assert "key.other_paper" in codes(p) and p.questions[4].answer == []


def test_questions_printed_again_without_answers_say_nothing() -> None:
    p = choices()
    options = [f"{label}．{text}" for label, text in zip("ABCD", FOUR, strict=True)]
    lines = [t for n, stem in enumerate(STEMS, 1) for t in (f"{n}．{stem}", *options)]
    report = pages(p, *lines, "参考答案", "1．A", "2．B", "3．C")
    assert answers(p) == [["A"], ["B"], ["C"]] and set(outcomes(report).values()) == {"filled"}


def test_blanks_parts_and_solutions() -> None:
    blank = question("1", "则 ____ 与 ____", type="fill_in_blank")
    parts = question("2", "求", type="open_ended", parts=[Part(label="(1)", text="甲"), Part(label="(2)", text="乙")])
    p = paper(blank, parts, question("3", STEMS[0]))
    made = [KeyRow("1", ("3", "x=2")), KeyRow("2", ("(1) 5 (2) 7",)), KeyRow("3", ("B",), None, "由定义得")]
    apply_later_key(p, key_from_rows("k.json", "a" * 64, made), ZH)
    assert answers(p) == [["3", "x=2"], ["5", "7"], ["B"]]
    assert [part.answer for part in p.questions[1].parts] == [["5"], ["7"]]
    assert p.questions[2].solution == "由定义得"


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_person_verified_stays(whole: bool) -> None:
    p = choices()
    if whole:
        p.questions[0].status = "verified"
    else:
        set_verification(p.questions[0], Verification(by="person:li", fields=["answer"]))
    assert outcomes(rows(p, {"1": "A"})) == {"1": "kept"} and p.questions[0].answer == []
    p.questions[0].answer = ["C"]
    assert outcomes(rows(p, {"1": "A"})) == {"1": "conflict"} and p.questions[0].answer == ["C"]


def test_answers_that_read_the_same() -> None:
    assert same_answer(["$\\frac{1}{2}$"], ["\\dfrac{1}{2}。"]) and same_answer(["３ ， 4"], ["3,4"])
    assert not same_answer(["-3"], ["3"]) and not same_answer(["AB"], ["BC"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k.json", '{"1": "A", "2": ["x", "y"]}'),
        ("k.json", '[{"number": 1, "answer": "A"}, {"number": "2.", "answer": ["x", "y"]}]'),
        ("k.json", '{"answers": {"1": {"answer": "A"}, "2": ["x", "y"]}}'),
    ],
)
def test_keys_as_json(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [(r.number, r.answers) for r in read_key_file(tmp_path / name)] == [("1", ("A",)), ("2", ("x", "y"))]


@pytest.mark.parametrize("text", ["题号,答案,部分\n1,A,一\n第2题,B,一\n", "1,A,一\n2,B,一\n", "1\tA\t一\n2\tB\t一\n"])
def test_keys_as_tables(tmp_path: Path, text: str) -> None:
    (tmp_path / "k.csv").write_text("\ufeff" + text, encoding="utf-8")
    got = [(r.number, r.answers, r.section) for r in read_key_file(tmp_path / "k.csv")]
    assert got == [("1", ("A",), "一"), ("2", ("B",), "一")]


@pytest.mark.parametrize("text", ["", "{", "3", '{"x": "A"}', '{"1": {"y": 1}, "2": [[1]]}', "[1]", "[" * 5000, "{}"])
def test_keys_that_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "k.json").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"k\.json"):
        read_key_file(tmp_path / "k.json")


def run(workspace: Workspace, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["answers", *arguments, "-w", str(workspace.root)])


def test_the_command_with_data_and_with_a_page(tmp_path: Path) -> None:
    workspace = stored(tmp_path / "w", choices())
    (tmp_path / "k.csv").write_text("number,answer\n1,A\n7,B\n", encoding="utf-8")
    with pymupdf.open() as pdf:
        sheet = pdf.new_page()
        sheet.insert_text((72, 100), "参考答案", fontname="china-s", fontsize=14)
        sheet.insert_text((72, 140), "1．B    2．C    3．D", fontname="china-s", fontsize=12)
        pdf.save(tmp_path / "k.pdf")
    done = run(workspace, "p1", str(tmp_path / "k.csv"), str(tmp_path / "k.pdf"), "--json")
    first, second = (json.loads(x) for x in done.stdout.splitlines())
    assert done.exit_code == 3
    assert (first["filled"], first["unmatched"], second["filled"], second["conflict"]) == (1, 1, 2, 1)
    p = workspace.load("p1")
    assert answers(p) == [["A"], ["C"], ["D"]]
    assert sorted(x.name for x in (workspace.paper_dir("p1") / "keys").iterdir()) == sorted(
        k["stored"]
        for k in p.model_extra["answer_keys"]  # type: ignore[index]
    )
    assert (workspace.paper_dir("p1") / "preview.html").is_file()


def test_keys_are_joined_again_when_the_paper_is_parsed_anew(tmp_path: Path) -> None:
    workspace = stored(tmp_path / "w", choices())
    (tmp_path / "k.json").write_text('{"1": "A"}', encoding="utf-8")
    assert run(workspace, "p1", str(tmp_path / "k.json")).exit_code == 0
    fresh = choices()
    reapply_keys(workspace, fresh)
    assert answers(fresh) == [["A"], [], []] and len(fresh.model_extra["answer_keys"]) == 1  # type: ignore[index]
    for file in (workspace.paper_dir("p1") / "keys").iterdir():
        file.unlink()
    reapply_keys(workspace, lost := choices())
    assert codes(lost) == ["answers.unreadable"]


def test_keys_that_cannot_be_read(tmp_path: Path) -> None:
    workspace = stored(tmp_path / "w", choices())
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    (tmp_path / "bad.pdf").write_bytes(b"nothing")
    assert run(workspace, "p1", str(tmp_path / "bad.json"), str(tmp_path / "bad.pdf")).exit_code == 4
    (tmp_path / "k.json").write_text('{"1": "A"}', encoding="utf-8")
    assert run(workspace, "p1", str(tmp_path / "bad.json"), str(tmp_path / "k.json")).exit_code == 3
    assert answers(workspace.load("p1")) == [["A"], [], []]
    assert run(workspace, "p1", str(tmp_path / "none.json")).exit_code == 2
    assert run(workspace, "nobody", str(tmp_path / "k.json")).exit_code == 1


def test_a_question_is_no_draft_with_answers() -> None:
    q: Question = question("1", answer=["A"])
    rows(p := paper(q), {"1": "A"})
    assert outcomes(rows(p, {"1": "A"})) == {"1": "confirmed"}
