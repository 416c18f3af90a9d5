"""What all command lines share: options, and errors shown as message and hint with the documented exit code."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, ParamSpec

import typer

P = ParamSpec("P")

WorkspaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", "-w", metavar="DIR", help="Workspace folder. (default: wholepage-data)"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines for programs on stdout.")]


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Show a WholepageError as message and hint, and give Ctrl-C its exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            raise typer.Exit(_code_of(error, bool(kwargs.get("as_json")))) from error

    return run


def _code_of(error: BaseException, as_json: bool) -> int:
    """Say what went wrong and return the exit code; what is no business of the user's is raised again."""
    from wholepage.errors import ExitCode, WholepageError, is_interrupt

    if is_interrupt(error):
        typer.echo("Stopped. Run the same command again: finished pages are not read twice.", err=True)
        return int(ExitCode.INTERRUPTED)
    if isinstance(error, BrokenPipeError):  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.FAILURE)
    if not isinstance(error, WholepageError):  # typer's own Exit and usage errors, and defects
        raise error
    from wholepage.console import print_error

    print_error(error, as_json)
    return int(error.exit_code)
