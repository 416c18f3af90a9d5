"""The commands as users and programs call them: exit codes, JSON lines, messages, and text that stays text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from test_records import make_paper
from typer.testing import CliRunner, Result

from wholepage.cli import app
from wholepage.extras import install_command
from wholepage.records import Issue, Page, Paper
from wholepage.workspace import Workspace, write_bytes

LINES = [
    "一、选择题：本题共 1 小题，共 5 分。在每小题给出的选项中，只有一项符合题目要求。",
    "1．下列各数中，最大的质数是",
    "A．21    B．23    C．25    D．27",
]
HOSTILE = "[red]x[/red] [/] \x1b[31mESC \x9b31m \u202e bidi <script>alert(1)</script>"


def draw(path: Path, lines: list[str] = LINES, **save: Any) -> Path:
    with pymupdf.open() as document:
        page = document.new_page()
        for row, text in enumerate(lines):
            page.insert_text((50, 80 + 24 * row), text, fontname="china-s", fontsize=10.5)
        document.save(path, **save)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def lines_of(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, Any]]:
    """A workspace with one small paper, and the line that `ingest --json` printed for it."""
    folder = tmp_path_factory.mktemp("cli")
    result = run("ingest", draw(folder / "paper.pdf"), "--workspace", folder / "ws", "--json")
    assert result.exit_code == 0, result.output
    (line,) = lines_of(result)
    return Workspace(folder / "ws"), line


class TestIngest:
    def test_one_line_a_paper(self, ingested: tuple[Workspace, dict[str, Any]]) -> None:
        workspace, line = ingested
        assert list(line) == ["paper_id", "path", "status", "pages", "questions", "issues", "seconds"]
        assert (line["status"], line["pages"], line["questions"]) == ("ok", 1, 1)
        folder = workspace.paper_dir(line["paper_id"])
        assert {"paper.json", "preview.html", "pages", "source"} <= {p.name for p in folder.iterdir()}
        question = workspace.load(line["paper_id"]).questions[0]
        assert [o.text for o in question.options] == ["21", "23", "25", "27"]

    def test_the_same_bytes_under_another_name(
        self, ingested: tuple[Workspace, dict[str, Any]], tmp_path: Path
    ) -> None:
        workspace, line = ingested
        copy = tmp_path / "-other\nname.pdf"
        copy.write_bytes(next((workspace.paper_dir(line["paper_id"]) / "source").iterdir()).read_bytes())
        result = run("ingest", "--workspace", workspace.root, "--json", "--", copy)
        (again,) = lines_of(result)
        assert (again["paper_id"], again["status"]) == (line["paper_id"], "cached")
        assert Path(again["path"]).name == "-other\nname.pdf"

    def test_a_table_and_what_to_open_next(self, ingested: tuple[Workspace, dict[str, Any]]) -> None:
        workspace, line = ingested
        source = next((workspace.paper_dir(line["paper_id"]) / "source").iterdir())
        result = run("ingest", source, "--workspace", workspace.root)
        assert result.exit_code == 0
        assert str(workspace.paper_dir(line["paper_id"]) / "preview.html") in result.stdout

    def test_missing_path_is_named(self, tmp_path: Path) -> None:
        result = run("ingest", tmp_path / "nowhere.pdf", "--workspace", tmp_path / "ws")
        assert result.exit_code == 2
        # The message is folded to the terminal's width inside a frame.
        assert "nowhere.pdf" in re.sub(r"[\s│]+", "", result.stderr)
        assert not (tmp_path / "ws").exists()

    def test_wrong_template(self, tmp_path: Path) -> None:
        result = run("ingest", draw(tmp_path / "a.pdf"), "-w", tmp_path / "ws", "--template", "fr_exam", "--json")
        assert result.exit_code == 2
        (line,) = lines_of(result)
        assert "fr_exam" in line["error"]["message"]
        assert set(line["error"]) == {"code", "message", "hint"}

    def test_a_key_for_two_papers(self, tmp_path: Path) -> None:
        papers = [draw(tmp_path / n) for n in ("a.pdf", "b.pdf", "k.pdf")]
        result = run("ingest", *papers[:2], "--answers", papers[2], "-w", tmp_path / "ws")
        assert result.exit_code == 2
        assert "one paper" in result.stderr

    def test_errors_listed_give_code_3(self, tmp_path: Path) -> None:
        gap = [*LINES, "3．下列物质中属于纯净物的是", "A．空气    B．海水    C．蒸馏水    D．食盐水"]
        result = run("ingest", draw(tmp_path / "gap.pdf", gap), "-w", tmp_path / "ws", "--json")
        (line,) = lines_of(result)
        errors = [i for i in Workspace(tmp_path / "ws").load(line["paper_id"]).all_issues() if i.severity == "error"]
        assert bool(errors) == (result.exit_code == 3) == (line["status"] == "doubts")
        assert any(i.code == "number.gap" for i in errors)

    def test_a_scanned_page(self, tmp_path: Path) -> None:
        with pymupdf.open() as document:
            page = document.new_page()
            for row, text in enumerate(["1. Which of these numbers is prime?", "A. 21    B. 23    C. 25    D. 27"]):
                page.insert_text((60, 90 + 24 * row), text, fontsize=12)
            page.get_pixmap(dpi=200).save(tmp_path / "scan.png")
        result = run("ingest", tmp_path / "scan.png", "--workspace", tmp_path / "ws", "--json")
        (line,) = lines_of(result)
        paper = Workspace(tmp_path / "ws").load(line["paper_id"])
        assert paper.source.kind == "scanned"
        assert "prime" in paper.questions[0].stem
        assert [o.text for o in paper.questions[0].options] == ["21", "23", "25", "27"]

    def test_workspace_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        result = run("ingest", draw(tmp_path / "a.pdf"), "--workspace", tmp_path / "file", "--json")
        assert result.exit_code == 1
        (line,) = lines_of(result)
        assert str(tmp_path / "file") in line["error"]["message"]
        assert "Traceback" not in result.output


class TestUnreadableFiles:
    @pytest.fixture
    def files(self, tmp_path: Path) -> dict[str, str]:
        """Files that are no papers → the code each fails with."""
        (tmp_path / "empty.pdf").write_bytes(b"")
        for name in ("text.pdf", "notes.txt"):
            (tmp_path / name).write_text("These are my notes.")
        (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(300))
        draw(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="x")
        with zipfile.ZipFile(tmp_path / "essay.docx", "w") as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
        with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
            archive.writestr("readme.txt", "nothing to see")
        return {
            "empty.pdf": "file.empty",
            "text.pdf": "file.damaged",
            "notes.txt": "file.unknown_type",
            "cut.pdf": "file.damaged",
            "locked.pdf": "file.encrypted",
            "essay.docx": "file.unknown_type",
            "none.zip": "file.no_pages",
        }

    def test_each_says_why_and_is_kept(self, tmp_path: Path, files: dict[str, str]) -> None:
        result = run("ingest", *(tmp_path / f for f in files), "--workspace", tmp_path / "ws", "--json")
        assert result.exit_code == 4
        said = {Path(line["path"]).name: line for line in lines_of(result)}
        assert {name: line["error"]["code"] for name, line in said.items()} == files
        assert all(line["status"] == "failed" and line["paper_id"] is None for line in said.values())
        quarantine = tmp_path / "ws" / "quarantine"
        for name, code in files.items():
            assert (quarantine / name).read_bytes() == (tmp_path / name).read_bytes()
            report = json.loads((quarantine / f"{name}.error.json").read_text(encoding="utf-8"))
            assert {"file", "sha256", "code", "message", "hint", "when"} <= set(report)
            assert (report["file"], report["code"]) == (name, code)
            assert report["hint"]
        assert Workspace(tmp_path / "ws").paper_ids() == []
        assert "Traceback" not in result.output

    def test_some_fail_some_do_not(self, tmp_path: Path, files: dict[str, str]) -> None:
        result = run("ingest", tmp_path / "text.pdf", draw(tmp_path / "good.pdf"), "-w", tmp_path / "ws", "--json")
        assert result.exit_code == 3
        assert [line["status"] for line in lines_of(result)] == ["failed", "ok"]

    def test_the_password_opens_and_the_quarantine_entry_goes(self, tmp_path: Path, files: dict[str, str]) -> None:
        arguments = ("ingest", tmp_path / "locked.pdf", "-w", tmp_path / "ws", "--json")
        assert run(*arguments).exit_code == 4
        assert run(*arguments, "--password", "wrong").exit_code == 4
        assert len(list((tmp_path / "ws" / "quarantine").iterdir())) == 2
        assert run(*arguments, "--password", "secret").exit_code == 0
        assert list((tmp_path / "ws" / "quarantine").iterdir()) == []

    def test_equal_names_do_not_overwrite_one_another(self, tmp_path: Path) -> None:
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "x.pdf").write_text(f"notes of {folder}")
        for _ in range(2):  # the same bytes again renew their entry
            run("ingest", tmp_path / "a/x.pdf", tmp_path / "b/x.pdf", "--workspace", tmp_path / "ws")
        kept = sorted((tmp_path / "ws" / "quarantine").iterdir())
        reports = [p for p in kept if p.name.endswith(".error.json")]
        copies = [p for p in kept if p not in reports]
        assert sorted(p.read_text() for p in copies) == ["notes of a", "notes of b"]
        assert sorted(p.name.removesuffix(".error.json") for p in reports) == [p.name for p in copies]


class TestShowAndList:
    @pytest.fixture
    def hostile(self, tmp_path: Path) -> Workspace:
        """A paper whose every text tries to control the terminal."""
        data = make_paper().model_dump(mode="json", by_alias=True)
        question = data["questions"][0]
        question |= {"stem": HOSTILE, "section": HOSTILE, "answer": [HOSTILE], "solution": HOSTILE}
        question["options"][0]["text"] = HOSTILE
        question["issues"][0]["message"] = HOSTILE
        data |= {"title": HOSTILE, "issues": [Issue(code="x", message=HOSTILE).model_dump()]}
        data["source"]["file"] = HOSTILE + "\n.pdf"
        workspace = Workspace(tmp_path / "ws").create()
        workspace.save(Paper.model_validate(data))
        return workspace

    @pytest.mark.parametrize("arguments", [("list",), ("show", "p"), ("show", "p", "7"), ("show", "p", "1.7")])
    def test_page_text_stays_text(self, hostile: Workspace, arguments: tuple[str, ...]) -> None:
        result = run(*arguments, "--workspace", hostile.root)
        assert result.exit_code == 0, result.output
        assert "[red]x[/red]" in result.stdout
        assert not set(result.stdout) & {"\x1b", "\x9b", "\u202e"}

    def test_show_a_question(self, ingested: tuple[Workspace, dict[str, Any]]) -> None:
        workspace, line = ingested
        for reference in (line["paper_id"], line["paper_id"][:6], "paper.pdf", "paper"):
            result = run("show", reference, "1", "--workspace", workspace.root)
            assert result.exit_code == 0, result.output
            assert "B. 23" in result.stdout

    def test_unknown_question_and_paper(self, ingested: tuple[Workspace, dict[str, Any]]) -> None:
        workspace, line = ingested
        result = run("show", line["paper_id"], "99", "--workspace", workspace.root)
        assert result.exit_code == 1
        assert "no question '99'" in result.stderr
        result = run("show", "zzz", "--workspace", workspace.root)
        assert result.exit_code == 1
        assert "No paper fits 'zzz'" in result.stderr

    def test_list_goes_on_past_a_damaged_paper(
        self, ingested: tuple[Workspace, dict[str, Any]], tmp_path: Path
    ) -> None:
        workspace = Workspace(tmp_path / "ws").create()
        workspace.save(make_paper())
        write_bytes(workspace.papers / "q" / "paper.json", b"{")
        rows = lines_of(run("list", "--workspace", workspace.root, "--json"))
        assert [row["paper_id"] for row in rows] == ["p", "q"]
        assert rows[0]["errors"] == 1
        assert "Cannot read" in rows[1]["error"]

    def test_preview_is_written_anew(self, ingested: tuple[Workspace, dict[str, Any]]) -> None:
        workspace, line = ingested
        path = workspace.paper_dir(line["paper_id"]) / "preview.html"
        before = path.read_bytes()
        path.unlink()
        result = run("preview", "paper.pdf", "--workspace", workspace.root)
        assert result.stdout.strip() == str(path)
        assert path.read_bytes() == before

    def test_preview_of_a_paper_with_an_unreadable_page(self, tmp_path: Path) -> None:
        workspace = Workspace(tmp_path / "ws").create()
        gone = Page(number=1, image=None, width=0, height=0, dpi=200, kind="scanned")
        workspace.save(make_paper(pages=[gone], questions=[]))
        result = run("preview", "p", "--workspace", workspace.root)
        assert result.exit_code == 0, result.output


class TestOtherCommands:
    def test_version_and_schema(self) -> None:
        assert run("--version").stdout.startswith("wholepage ")
        schema = json.loads(run("schema").stdout)
        assert schema == Paper.model_json_schema(by_alias=True)

    def test_doctor(self, tmp_path: Path) -> None:
        result = run("doctor", "--workspace", tmp_path / "ws", "--json")
        report = json.loads(result.stdout)
        assert result.exit_code == (0 if report["ok"] else 1)
        checks = {c["name"]: c for c in report["checks"]}
        assert checks["ocr"]["state"] == "ok", checks["ocr"]
        assert checks["workspace"]["state"] == "ok"
        assert not (tmp_path / "ws").exists()
        for name, check in checks.items():
            if check["state"] == "absent":
                assert check["hint"] == install_command(name.removeprefix("extra "))

    def test_doctor_finds_a_damaged_ledger(self, tmp_path: Path) -> None:
        workspace = Workspace(tmp_path / "ws").create()
        workspace.database.write_bytes(b"not a database" * 100)
        result = run("doctor", "--workspace", workspace.root, "--json")
        assert result.exit_code == 1
        broken = [c for c in json.loads(result.stdout)["checks"] if c["state"] == "broken"]
        assert [c["name"] for c in broken] == ["workspace"]

    def test_wrong_setting_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("WHOLEPAGE_DPI", "many")
        result = run("list", "--workspace", tmp_path)
        assert result.exit_code == 1
        assert "WHOLEPAGE_DPI" in result.stderr
        assert "Traceback" not in result.output

    def test_help_loads_nothing_heavy(self) -> None:
        heavy = ("cv2", "onnxruntime", "pymupdf", "sqlalchemy", "numpy", "rapidocr", "torch")
        code = (
            "import sys\n"
            "from wholepage.cli import app\n"
            "try:\n    app(['--help'])\n"
            "except SystemExit:\n    pass\n"
            f"print('LOADED', *[m for m in {heavy!r} if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert "ingest" in done.stdout
        assert done.stdout.splitlines()[-1].split() == ["LOADED"]
