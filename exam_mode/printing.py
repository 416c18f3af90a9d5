"""Tables and lines that the exam commands print on stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from exam_mode.calls import Totals
from exam_mode.dry import DryRow
from exam_mode.engine import Ended
from exam_mode.fitness import REASONS
from exam_mode.progress import tokens_line
from exam_mode.runs import Manifest, RunFolder
from wholepage.console import clean, out


def print_coverage(coverage: Mapping[str, Any]) -> None:
    """How many questions are asked in each mode, and what became of the others."""
    table = Table(box=None, pad_edge=False)
    table.add_column("mode")
    for title in ("fit", "asked"):
        table.add_column(title, justify="right")
    table.add_column("not fit")
    for mode, asked in coverage["asked"].items():
        why = ", ".join(f"{n} {REASONS.get(r, r)}" for r, n in coverage["unfit"].get(mode, {}).items())
        table.add_row(mode, str(coverage["fit"].get(mode, 0)), str(asked), why or "–")
    console = out()
    console.print(table)
    left = ", ".join(f"{n} {reason}" for reason, n in coverage["left_out"].items())
    console.print(f"{coverage['seen']} questions seen" + (f"; left out: {left}." if left else "."), soft_wrap=True)
    for problem in coverage["problems"]:
        console.print(Text(f"Cannot be read: {clean(problem)}", "red"), soft_wrap=True)


def print_dry(rows: Sequence[DryRow]) -> None:
    """The estimate of a dry run."""
    table = Table(box=None, pad_edge=False)
    table.add_column("model")
    table.add_column("mode")
    titles = ("budget", "calls", "images", "image tokens", "text tokens", "output at most", "price at most", "problems")
    for title in titles:
        table.add_column(title, justify="right")
    for r in rows:
        price = "unknown" if r.price is None else f"{r.price:.4g} {r.currency or ''}".strip()
        output = "no cap" if r.output_tokens is None else f"{r.output_tokens:,}"
        counts = (f"{n:,}" for n in (r.calls, r.images, r.image_tokens, r.text_tokens))
        table.add_row(clean(r.model), r.mode, str(r.budget or "–"), *counts, output, price, str(r.problems))
    console = out()
    console.print(table)
    if any(r.price is None for r in rows):
        console.print("Prices come from the table given with --prices; docs/exam.md shows its form.")
    if any(r.output_tokens is None for r in rows):
        console.print("Without --budget the output is not capped and not in the price.")
    console.print("Tokens are estimates: images by the provider's formula, text by a rule of thumb.")
    for r in rows:
        if r.problem:
            console.print(Text(f"{r.mode}: {clean(r.problem)}", "red"), soft_wrap=True)


def print_ended(run: RunFolder, ended: Ended, totals: Totals) -> None:
    """The end of a session and what to do next."""
    console = out()
    console.print(f"{ended.done} of {ended.units} answered, {ended.failed} failed. {_spent(totals)}", soft_wrap=True)
    for error, count in _errors(totals).items():
        console.print(Text(f"  {count} × {clean(error)}", "red"), soft_wrap=True)
    if ended.stopped:
        console.print(Text(f"Stopped: {clean(ended.stopped)}.", "yellow"), soft_wrap=True)
    if not ended.complete:
        console.print(f"Go on with: wholepage exam continue {run.path}", soft_wrap=True)
    console.print(f"Report with: wholepage exam report {run.path}", soft_wrap=True)


def print_status(run: RunFolder, manifest: Manifest, totals: Totals, units: int) -> None:
    """One run."""
    console = out()
    options = manifest.options
    console.print(Text(f"{run.path}  ({manifest.created})"), soft_wrap=True)
    console.print(Text(f"  models: {clean(', '.join(options.models))}"), soft_wrap=True)
    console.print(f"  modes: {', '.join(options.modes)} · epochs: {options.epochs}", soft_wrap=True)
    console.print(f"  {len(totals.done)} of {units} answered, {len(totals.failed)} failed", soft_wrap=True)
    console.print(f"  {_spent(totals)}", soft_wrap=True)
    for error, count in _errors(totals).items():
        console.print(Text(f"  {count} × {clean(error)}", "red"), soft_wrap=True)


def _spent(totals: Totals) -> str:
    money = f", {totals.cost:.4g} {totals.currency}" if totals.currency else ""
    unknown = f", {totals.unknown_usage} calls without usage" if totals.unknown_usage else ""
    return f"{tokens_line(totals)}{money}{unknown}"


def _errors(totals: Totals, most: int = 5) -> dict[str, int]:
    """The most frequent errors, their text cut short so that like ones count together."""
    counts: dict[str, int] = {}
    for error in totals.failed.values():
        counts[error[:160]] = counts.get(error[:160], 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1])[:most])
