"""What the scoring commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scoring.summary_compare import mode_rank


def print_run(out: Path, summary: dict[str, Any], issues: list[dict[str, Any]], as_json: bool) -> None:
    """Headline table and the first issues, or everything as one JSON object."""
    if as_json:
        typer.echo(json.dumps({"run": str(out), "summary": summary, "issues": issues}, ensure_ascii=False))
        return
    Console().print(_headline(summary))
    for issue in issues[:20]:
        typer.echo(f"{issue['severity']}: {issue['message']}", err=True)
    if len(issues) > 20:
        typer.echo(f"… and {len(issues) - 20} more, all in {out / 'issues.jsonl'}", err=True)
    if any(issue["severity"] == "error" for issue in issues):
        typer.echo(_advice(out, issues), err=True)
    typer.echo(f"Results in {out}. Next: wholepage score report {out}")


def _headline(summary: dict[str, Any]) -> Table:
    table = Table(title=f"Profile {summary['profile']}", title_justify="left", box=SIMPLE)
    table.add_column("Model", overflow="fold")
    table.add_column("Mode", overflow="fold")
    for name in ("Accuracy, %", "95 % interval", "Marked", "Undecided", "Errors"):
        table.add_column(name, justify="right")
    model = None
    for row in sorted(summary["conditions"], key=lambda c: (c["model"], mode_rank(c["mode"]), c["budget"] or 0)):
        accuracy, interval = row["accuracy"]["mean"], row["accuracy"]["interval"]
        counts = row["verdicts"]
        cap = f" ≤{row['budget']}" if row["budget"] is not None else ""
        table.add_row(
            escape(row["model"]) if row["model"] != model else "",
            escape(f"{row['mode']}{cap}"),
            "–" if accuracy is None else f"{100 * accuracy:.1f}",
            "–" if interval is None else f"{100 * interval['low']:.1f}–{100 * interval['high']:.1f}",
            str(row["marked"]),
            str(counts.get("undecided", 0)),
            str(counts.get("error", 0)),
        )
        model = row["model"]
    return table


_NEXT = {
    "attempt.unknown_question": "ingest the missing papers, or name their workspace with --workspace DIR",
    "attempt.conflict": "keep one answer a question, mode, model, epoch and budget",
    "paper.unreadable": "ingest the damaged papers again with --force",
}


def _advice(out: Path, issues: list[dict[str, Any]]) -> str:
    codes = dict.fromkeys(issue["code"] for issue in issues if issue["severity"] == "error")
    steps = [_NEXT[code] for code in codes if code in _NEXT]
    if any(code not in _NEXT for code in codes):
        steps.append("mend the lines or leave them out")
    where = f"The rest was scored; the lines themselves are in {out / 'rejected.jsonl'}."
    return f"{where}\nWhat to do next: {'; '.join(steps)}; then run the same command again."


def print_agreement(result: dict[str, Any], as_json: bool) -> None:
    """Table of judges and the figures among them, or everything as one JSON object."""
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.3f}"

    table = Table(title=f"{result['items']} items with human labels", title_justify="left")
    for name in ("Judge", "Items", "Failed", "Accuracy", "Cohen κ", "correct", "partial", "wrong"):
        table.add_column(name, justify="left" if name == "Judge" else "right")
    for row in result["judges"]:
        recall = [number(row["recall"][label]) for label in ("correct", "partial", "wrong")]
        table.add_row(
            escape(row["judge"]), str(row["items"]), str(row["missing"]), number(row["accuracy"]), number(row["kappa"]),
            *recall,
        )  # fmt: skip
    Console().print(table)
    typer.echo(f"Among judges: Fleiss κ {number(result['fleiss_kappa'])} ({result['fleiss_items']} complete items)")
    typer.echo(f"Krippendorff α {number(result['krippendorff_alpha'])} nominal, "
               f"{number(result['krippendorff_alpha_interval'])} interval; "
               f"with the human label {number(result['alpha_with_human'])}")  # fmt: skip
    for issue in result["issues"]:
        typer.echo(f"error: {issue['message']}", err=True)
