"""`wholepage score answers`: one line in, one line out, errors named by line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scoring.cli import app
from scoring.rules import evaluate, units
from wholepage.errors import MissingExtraError

LINES = [
    '{"id": "a", "type": "fill_in_blank", "gold": ["$\\\\frac12$"], "response": "\\\\boxed{0.5}", "expect": "correct"}',
    "not json",
    '{"id": "b", "gold": "5", "response": "6", "expect": "wrong"}',
    "",
    '{"id": "c", "gold": ["5"]}',
    '{"id": "d", "type": "multi_select", "gold": ["AC"], "response": "A", "policy": "per_option", "expect": "partial"}',
    '{"gold": ["因为温度升高"], "response": "温度变高的缘故"}',
    "[" * 100_000,
]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def test_json_lines_in_input_order(pairs: Path) -> None:
    result = CliRunner().invoke(app, ["answers", str(pairs), "--json"])
    assert result.exit_code == 3
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["id"], r.get("verdict"), r.get("fraction")) for r in records] == [
        ("a", "correct", 1.0),
        (None, None, None),
        ("b", "wrong", 0.0),
        ("c", None, None),
        ("d", "partial", 0.5),
        (7, "undecided", None),
        (None, None, None),
    ]
    assert records[0]["extracted"] == ["0.5"] and records[0]["rule"] == "mathematics"
    assert "line 2" in records[1]["error"] and "line 5" in records[3]["error"] and "response" in records[3]["error"]
    assert "line 8" in records[6]["error"]
    assert all("pairs.jsonl, line" in r["error"] for r in records if "error" in r)


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    result = CliRunner().invoke(app, ["answers", str(tmp_path / "empty.jsonl"), "--json"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "holds no line" in result.stderr


def test_file_written_and_table_shown(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(app, ["answers", str(pairs), "-o", str(out)])
    assert result.exit_code == 3
    assert len(out.read_text(encoding="utf-8").splitlines()) == 7
    assert "Verdicts by rules alone" in result.stdout and "Expected" in result.stdout
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_all_good_ends_with_zero(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_text('{"id": 1, "gold": ["5"], "response": "\\\\boxed{5}"}\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["answers", str(path), "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["id"] == 1


def test_absent_file_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["answers", str(tmp_path / "absent.jsonl"), "--json"])
    assert result.exit_code == 4
    assert "absent.jsonl" in json.loads(result.stdout)["message"]


def test_absent_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pint", None)
    monkeypatch.setattr(units, "_registry", None)
    with pytest.raises(MissingExtraError, match=r"\[score\]"):
        units._pint()
    monkeypatch.setitem(sys.modules, "mpmath", None)
    monkeypatch.setattr(evaluate, "_local", __import__("threading").local())
    with pytest.raises(MissingExtraError, match=r"\[score\]"):
        evaluate.context()
