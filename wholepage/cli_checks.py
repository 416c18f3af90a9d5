"""The commands `check`, `answers` and `tag`: arguments in, calls out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wholepage.guarding import JsonOption, WorkspaceOption, guarded

PapersArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[PAPER]...", help="Paper ids, starts of ids or file names. (default: all)")
]


@guarded
def check(
    papers: PapersArgument = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings too make the exit code 3.")] = False,
    policy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What may be verified without a person. (default: nothing)")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check papers and write what is in doubt into them."""
    from wholepage.checking import check_workspace, policy_for, render_checks
    from wholepage.cli import workspace_at
    from wholepage.console import out, print_json
    from wholepage.errors import ExitCode

    store = workspace_at(workspace)
    rules = policy_for(store, policy)
    ids = list(dict.fromkeys(store.find(p) for p in papers)) if papers else store.paper_ids()
    results = check_workspace(store, ids, rules)
    if as_json:
        for result in results:
            print_json(result.as_json())
    else:
        out().print(render_checks(results, rules))
    if results and all(r.error for r in results):
        raise typer.Exit(int(ExitCode.FAILURE))
    bad = any(r.error or r.count("error") or (strict and r.count("warning")) for r in results)
    raise typer.Exit(int(ExitCode.DOUBTS if bad else ExitCode.OK))
