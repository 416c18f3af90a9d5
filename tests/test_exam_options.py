"""Budgets, prices, caps, the command line and dry runs."""

import json
from pathlib import Path

import pytest
from exam_material import make_workspace
from typer.testing import CliRunner

from exam_mode.budgets import Budget, amount, parse_budgets
from exam_mode.calls import Call, Totals
from exam_mode.errors import ExamOptionError
from exam_mode.prices import Price, load_prices
from exam_mode.progress import describe, duration, short
from wholepage.cli import app


def test_budgets() -> None:
    assert parse_budgets(["2k,4k", "500"], None) == (Budget(2048, "2k"), Budget(4096, "4k"), Budget(500, "500"))
    assert parse_budgets(["10%"], 128000) == (Budget(12800, "10%"),)
    assert parse_budgets([], None) == (None,)


@pytest.mark.parametrize(
    ("text", "window", "said"),
    [("0", None, "budget"), ("x", None, "budget"), ("10%", None, "window"), ("0%", 10, "per cent"),
     ("101%", 10, "per cent"), ("2k,2048", None, "twice"), ("-5", None, "budget")],
)  # fmt: skip
def test_bad_budgets_are_named(text: str, window: int | None, said: str) -> None:
    with pytest.raises(ExamOptionError, match=said):
        parse_budgets([text], window)


def test_amounts_of_caps_are_decimal() -> None:
    assert (amount("5m"), amount("1.5k"), amount("7")) == (5_000_000, 1500, 7)


def test_prices(tmp_path: Path) -> None:
    assert Price(input=2, output=10, cached_input=0.5).of(1_000_000, 100_000, 400_000) == pytest.approx(1.2 + 0.2 + 1.0)
    assert Price(input=2, output=10).of(1_000_000, 0, 400_000) == pytest.approx(2.0)
    own = tmp_path / "prices.yaml"
    own.write_text("openai/gpt-*: {input: 1, output: 2, currency: EUR}\n", encoding="utf-8")
    table = load_prices(own)
    assert table.price("OpenAI/gpt-5") == Price(input=1, output=2, currency="EUR")
    assert table.price("baseline/key") == Price(input=0, output=0, cached_input=0)
    assert table.price("anthropic/x") is None
    own.write_text("x: {input: -1, output: 2}\n", encoding="utf-8")
    with pytest.raises(ExamOptionError, match=r"prices\.yaml"):
        load_prices(own)


def test_totals_count_failed_calls_and_unknown_usage() -> None:
    totals = Totals()
    base = {"kind": "answer", "mode": "m", "model": "x"}
    totals.add(Call(unit="a", ok=False, error="no", input_tokens=5, **base))
    totals.add(Call(unit="b", ok=True, **base))
    assert totals.failed == {"a": "no"} and totals.done == {"b"}
    assert (totals.input_tokens, totals.unknown_usage, totals.unpriced) == (5, 1, 1)
    totals.add(Call(unit="a", ok=True, output_tokens=2, cost=0.5, currency="USD", **base))
    assert not totals.failed and totals.done == {"a", "b"} and totals.cost == 0.5


def test_progress_line() -> None:
    totals = Totals(
        done={"a", "b"}, calls=2, input_tokens=12345, cached_tokens=1000, output_tokens=50, cost=0.25, currency="USD"
    )
    line = describe(totals, 10, 2, 4.0)
    assert line == "30/min · 12.3k tokens in (1k cached), 50 tokens out · 0.25 USD · 16 s left".replace(
        "tokens out", "out"
    )
    assert (short(999), short(2_500_000)) == ("999", "2.5M")
    assert (duration(45), duration(125), duration(3723)) == ("45 s", "2:05", "1:02:03")


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["exam", *arguments])
    return result.exit_code, result.output


def test_dry_run_counts_without_writing(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "ws")
    common = ("run", "-m", "openai-api/x/qwen2.5-vl-7b", "-w", str(workspace.root), "--budget", "1k", "--dry-run")
    code, output = _run(*common, "--modes", "image_only,mock_exam", "--epochs", "2", "--json")
    rows = [json.loads(line) for line in output.splitlines()]
    assert code == 0 and not (workspace.root / "exams").exists()
    pages = 2 * (280 // 28) * (392 // 28)
    assert [(r["mode"], r["calls"], r["images"], r["image_tokens"], r["output_tokens"]) for r in rows] == [
        ("image_only", 10, 20, 10 * pages, 10240), ("mock_exam", 2, 4, 2 * pages, 2048),
    ]  # fmt: skip
    assert rows[0]["price"] is None
    code, output = _run(*common, "--modes", "text_only")
    assert code == 0 and "Prices come from" in output and "fit" in output


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--modes", "image"), 2, "no mode"), (("-m", "gpt"), 2, "names no provider"),
        (("--budget", "10%"), 2, "--window"),
        (("--style", "x"), 2, "--style"), (("--probe", "x"), 2, "probe"), (("--modes", "captions"), 2, "--captioner"),
        (("--papers", "none"), 1, "No paper fits"), (("--subject", "music"), 1, "another subject"),
        (("-M", "x"), 2, "KEY=VALUE"),
        (("--image-rules", "none.yaml"), 2, "none.yaml"), (("--prices", "none.yaml"), 2, "none.yaml"),
    ],
)  # fmt: skip
def test_bad_options_say_what_to_do(tmp_path: Path, options: tuple[str, ...], code: int, said: str) -> None:
    workspace = make_workspace(tmp_path / "ws")
    given = ("-m", "openai-api/x/y", *options, "-w", str(workspace.root), "-o", str(tmp_path / "run"))
    result = _run("run", *given)
    assert result[0] == code, result[1]
    assert "".join(said.split()) in "".join(result[1].split())  # a long path may be folded anywhere
    assert not (tmp_path / "run" / "exam.json").exists()


def test_a_run_from_the_command_line(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "ws")
    where = ("-w", str(workspace.root))
    code, output = _run("run", "-m", "baseline/key", "--modes", "text_image,image_only", *where)
    assert code == 0 and "10 of 10 answered" in output
    assert _run("run", "-m", "baseline/key", "-o", str(next((workspace.root / "exams").glob("2*"))), *where)[0] == 1
    assert "10 of 10 answered" in _run("status", *where)[1]
    assert json.loads(_run("continue", *where, "--json")[1])["answered"] == 10
    assert json.loads(_run("attempts", *where, "--json")[1])["answered"] == 10
    files = json.loads(_run("report", *where, "--json")[1])
    assert "baseline/key" in Path(files["html"]).read_text(encoding="utf-8")
    assert "no exam" in _run("status", "nothing", *where)[1]


def test_the_report_shows_where_marks_were_lost(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "ws")
    where = ("-w", str(workspace.root))
    options = ("--modes", "text_image,image_only", "--probe", "read")
    assert _run("run", "-m", "baseline/first-option", *options, *where)[0] == 0
    files = json.loads(_run("report", *where, "--json")[1])
    page = Path(files["html"]).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in Path(files["attribution"]).read_text(encoding="utf-8").splitlines()]
    assert page.count('id="attribution"') == 1 and 'href="#attribution"' in page
    assert {row["question_id"] for row in rows} == {"zh/1.1", "zh/1.2", "zh/2.1", "zh/3.3", "zh/3.4"}
    assert {row["attribution"]["kind"] for row in rows} == {"not_found", "none"}
