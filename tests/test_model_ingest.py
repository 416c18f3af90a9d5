"""The model parser through the command line: set-up, both parsers, resuming, and what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drawing import Sheet
from model_standin import INVENTED, Answer, Standin, well
from test_model_parser import BAD, HOSTILE, USABLE, obey
from typer.testing import CliRunner

from parse_templates.model.options import ModelSetupError, load_options
from wholepage.cli import app

TEXTS = [
    "1．下列物质中属于单质的是", "A．水　　B．铁　　C．盐　　D．糖",
    "2．下列各数中最大的是哪一个数", "A．一　　B．二　　C．三　　D．四",
    "3．下列各项中属于植物的是哪一项", "A．松　　B．猫　　C．狗　　D．马",
    "参考答案", "1．B　2．D　3．A",
]  # fmt: skip


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    sheet = Sheet()
    sheet.lines(60, 80, TEXTS, step=24)
    path = tmp_path / "paper.pdf"
    sheet.document.save(path)
    return path


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODEL", "BASE_URL", "API_KEY", "SECOND", "MAX_COST"):
        monkeypatch.delenv(f"WHOLEPAGE_PARSER_{name}", raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "WHOLEPAGE_PARSER", "WHOLEPAGE_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


def point_to(monkeypatch: pytest.MonkeyPatch, server: Standin) -> None:
    monkeypatch.setenv("WHOLEPAGE_PARSER_MODEL", "standin")
    monkeypatch.setenv("WHOLEPAGE_PARSER_BASE_URL", server.url)
    monkeypatch.setenv("WHOLEPAGE_PARSER_API_KEY", "secret-key")
    monkeypatch.setenv("WHOLEPAGE_PARSER_PAUSE", "0")
    monkeypatch.setenv("WHOLEPAGE_PARSER_TIMEOUT", "5")


def ingest(paper: Path, *more: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit code, the line that was printed, and paper.json."""
    root = paper.parent / "workspace"
    done = CliRunner().invoke(app, ["ingest", str(paper), "--workspace", str(root), "--json", *more])
    line = json.loads(done.stdout.splitlines()[-1])
    written = root / "papers" / str(line.get("paper_id")) / "paper.json"
    return done.exit_code, line, json.loads(written.read_text()) if written.exists() else {}


def without_origin(record: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k != "produced_by"}


def test_both_parsers_and_parsing_again_from_stored_layouts(
    paper: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, line, plain = ingest(paper)
    assert (code, line["status"], plain["produced_by"]["parser"]) == (0, "ok", "rules")
    with Standin(well) as server:
        point_to(monkeypatch, server)
        code, line, both = ingest(paper, "--parser", "both")
        assert (code, line["status"], both["produced_by"]["parser"]) == (0, "ok", "both")
        assert line["seconds"] < 5
        assert len(server.calls) == 1
        assert server.calls[0].headers["authorization"] == "Bearer secret-key"
        assert [q["answer"] for q in both["questions"]] == [["B"], ["D"], ["A"]]
        assert both["questions"][0]["confidence"] > plain["questions"][0]["confidence"]
        assert ingest(paper, "--parser", "both")[1]["status"] == "cached"
        ingest(paper, "--parser", "model")
        assert len(server.calls) == 1  # the reply was kept
    code, _, again = ingest(paper, "--parser", "rules")
    assert code == 0
    assert without_origin(again) == without_origin(plain)
    text = "".join(p.read_text() for p in (tmp_path / "workspace").rglob("*.json"))
    assert "secret-key" not in text


def test_failures_are_issues_and_the_next_run_asks_again(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ingest(paper)[2]
    broken = {"yes": True}
    script = lambda call, n: Answer(status=500, raw=INVENTED.encode()) if broken["yes"] else well(call)  # noqa: E731
    with Standin(script) as server:
        point_to(monkeypatch, server)
        code, line, record = ingest(paper, "--parser", "both")
        assert (code, line["status"]) == (3, "doubts")
        assert "model.failed" in [i["code"] for i in record["issues"]]
        assert [q["stem"] for q in record["questions"]] == [q["stem"] for q in plain["questions"]]
        assert INVENTED not in json.dumps(record, ensure_ascii=False)
        broken["yes"] = False
        code, line, record = ingest(paper, "--parser", "both")
        assert (code, line["status"]) == (0, "ok")


def told(record: dict[str, Any]) -> list[Any]:
    names = ("number", "stem", "options", "parts", "answer", "solution", "points", "type")
    return [[q[name] for name in names] for q in record["questions"]]


THROUGH = [
    "invalid JSON", "line ids out of range", "an invented option", "invented fields", "cut off", "a refusal",
    "rate limits", "server errors", "slow", "endless repetition", "the same questions over and over",
]  # fmt: skip


def test_no_bad_reply_reaches_paper_json(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ingest(paper)[2]
    monkeypatch.setenv("WHOLEPAGE_PARSER_REPAIRS", "0")
    monkeypatch.setenv("WHOLEPAGE_PARSER_TRIES", "1")
    for kind in THROUGH:
        with Standin(BAD[kind]) as server:
            point_to(monkeypatch, server)
            monkeypatch.setenv("WHOLEPAGE_PARSER_TIMEOUT", "1")
            code, line, record = ingest(paper, "--parser", "both")
        usable = kind in USABLE or kind == "the same questions over and over"
        assert INVENTED not in json.dumps(record, ensure_ascii=False), kind
        assert told(record) == told(plain), kind
        assert (code, line["status"]) == ((0, "ok") if usable else (3, "doubts")), kind
        assert (record["produced_by"]["model"]["failed"] > 0) is not usable, kind


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_page_through_the_command_line(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Sheet()
    sheet.lines(60, 80, [*TEXTS[:4], HOSTILE[kind], *TEXTS[4:]], step=24)
    sheet.document.save(tmp_path / "hostile.pdf")
    plain = ingest(tmp_path / "hostile.pdf")[2]
    with Standin(obey) as server:
        point_to(monkeypatch, server)
        record = ingest(tmp_path / "hostile.pdf", "--parser", "both")[2]
    answers = [q["answer"] for q in record["questions"]]
    assert answers == [q["answer"] for q in plain["questions"]]
    assert [a for a in answers if a] != [["A"]] * len(answers)
    assert INVENTED not in json.dumps([q["stem"] for q in plain["questions"]]) or kind == "system"


def test_page_images_are_sent_on_request(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Standin(well) as server:
        point_to(monkeypatch, server)
        monkeypatch.setenv("WHOLEPAGE_PARSER_VISION", "true")
        code, _, _ = ingest(paper, "--parser", "both")
        assert code == 0
        assert server.calls[0].images == 1


def test_what_is_not_set_is_said_before_anything_is_read(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, line, _ = ingest(paper, "--parser", "both")
    assert (code, line["error"]["code"]) == (2, "model.setup")
    monkeypatch.setenv("WHOLEPAGE_PARSER_MODEL", "m")
    code, line, _ = ingest(paper, "--parser", "both")
    assert (code, line["error"]["code"]) == (2, "model.setup")
    assert "WHOLEPAGE_PARSER_BASE_URL" in line["error"]["hint"]
    assert not (paper.parent / "workspace" / "papers").exists()


def test_an_unknown_parser(paper: Path) -> None:
    done = CliRunner().invoke(app, ["ingest", str(paper), "--parser", "magic"])
    assert done.exit_code == 2


def test_a_key_goes_only_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHOLEPAGE_PARSER_MODEL", "m")
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://example.org/v1")
    assert load_options().api_key.get_secret_value() == "other"
    monkeypatch.setenv("WHOLEPAGE_PARSER_BASE_URL", "http://127.0.0.1:9/v1")
    assert load_options().api_key.get_secret_value() == ""
    assert "other" not in repr(load_options())


@pytest.mark.parametrize(
    ("name", "value"), [("BASE_URL", "ftp://x/v1"), ("CONCURRENCY", "0"), ("MAX_COST", "3"), ("TIMEOUT", "soon")]
)
def test_values_that_are_not_usable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv("WHOLEPAGE_PARSER_MODEL", "m")
    monkeypatch.setenv("WHOLEPAGE_PARSER_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv(f"WHOLEPAGE_PARSER_{name}", value)
    with pytest.raises(ModelSetupError):
        load_options()


def test_the_rules_need_no_client() -> None:
    code = "import sys, wholepage.cli, parse_templates.parser; print('openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
