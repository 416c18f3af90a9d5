"""`wholepage score …`: parse arguments, call, print. The other commands come from `scoring.commands`."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from wholepage.errors import ExitCode, WholepageError

app = typer.Typer(no_args_is_help=True, help="Mark stored answers and report on them.")


@app.callback()
def _group() -> None:
    """Keep `answers` a named command even where it is the only one."""


@app.command("answers")
def answers_command(
    pairs: Annotated[Path, typer.Argument(help="JSONL: id, type, gold, response, options …; - for stdin.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a pair instead of a table.")] = False,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the JSON lines to this file.")] = None,
) -> None:
    """Mark (gold, response) pairs by rules alone; what rules cannot decide is `undecided`.

    Exit code 3 when lines could not be read; each such line becomes an error line with its number.
    """
    try:
        failed = _answers(pairs, as_json, out)
    except WholepageError as error:
        if as_json:
            typer.echo(json.dumps({"error": error.code, "message": error.message, "hint": error.hint}))
        else:
            typer.echo(f"Error: {error.message}\n{error.hint}".rstrip(), err=True)
        raise typer.Exit(error.exit_code) from error
    if failed:
        raise typer.Exit(ExitCode.DOUBTS)


def _answers(pairs: Path, as_json: bool, out: Path | None) -> int:
    """Number of lines that could not be read."""
    from scoring.answers_command import Tally, mark_lines, print_summary, read_lines
    from wholepage.workspace import write_atomic

    tally, name = Tally(), "" if str(pairs) == "-" else str(pairs)

    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", errors="replace") as handle:
            for marked in mark_lines(read_lines(pairs), name):
                tally.add(marked)
                handle.write(json.dumps(marked.record(), ensure_ascii=False) + "\n")

    if out is not None:
        write_atomic(out, write)
    else:
        for marked in mark_lines(read_lines(pairs), name):
            tally.add(marked)
            if as_json:
                typer.echo(json.dumps(marked.record(), ensure_ascii=True))
    if not as_json:
        print_summary(tally)
    if not tally.errors and not tally.verdicts:
        typer.echo(f"{name or 'The input'} holds no line.", err=True)
    for message in tally.errors[:20]:
        typer.echo(f"Error: {message}", err=True)
    if len(tally.errors) > 20:
        typer.echo(f"… and {len(tally.errors) - 20} more lines", err=True)
    return len(tally.errors)


def _mount_commands() -> None:
    if find_spec("scoring.commands") is not None:
        from scoring.commands import register

        register(app)


_mount_commands()
