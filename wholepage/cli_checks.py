"""The commands `check`, `answers` and `tag`: arguments in, calls out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wholepage.guarding import JsonOption, WorkspaceOption, guarded

PapersArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PAPER]...", help="Paper ids, starts of ids or file names. (default: all)"),
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


@guarded
def answers(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Paper id, the start of one, or a file name.")],
    keys: Annotated[list[Path], typer.Argument(metavar="KEYFILE...", help="PDF, image, zip, folder, JSON or CSV.")],
    password: Annotated[str | None, typer.Option(metavar="P", help="Password of encrypted files.")] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add answers and solutions that came in other files to a paper."""
    from wholepage.answering import add_keys, render_keys
    from wholepage.cli import settings_at
    from wholepage.console import out, print_json
    from wholepage.errors import ExitCode
    from wholepage.workspace import Workspace

    missing = next((k for k in keys if not k.exists()), None)
    if missing is not None:
        raise typer.BadParameter(f"there is no {str(missing)!r}", param_hint="KEYFILE...")
    settings = settings_at(workspace)
    store = Workspace(settings.workspace)
    results = add_keys(store, store.find(paper), keys, settings, password)
    if as_json:
        for result in results:
            print_json(result.as_json())
    else:
        out().print(render_keys(results))
    if all(r.error for r in results):
        raise typer.Exit(int(ExitCode.UNREADABLE))
    doubts = any(r.error or (r.report and r.report.counts()["conflict"]) for r in results)
    raise typer.Exit(int(ExitCode.DOUBTS if doubts else ExitCode.OK))


@guarded
def tag(
    papers: PapersArgument = None,
    tree: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Knowledge tree, YAML or CSV of paths: tags by a model.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Model. (default: WHOLEPAGE_PARSER_MODEL)")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put what the rules find over the values that are there.")
    ] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say subject, level and language with reasons, and tag questions from a knowledge tree."""
    from wholepage.cli import workspace_at
    from wholepage.console import out, print_json
    from wholepage.errors import ExitCode
    from wholepage.tagging_command import make_tagger, render_tags, tag_workspace

    store = workspace_at(workspace)
    ids = list(dict.fromkeys(store.find(p) for p in papers)) if papers else store.paper_ids()
    results = tag_workspace(store, ids, make_tagger(tree, model), replace)
    if as_json:
        for result in results:
            print_json(result.as_json())
    else:
        out().print(render_tags(results))
    failed = any(r.counts is not None and r.counts.failed for r in results)
    raise typer.Exit(int(ExitCode.DOUBTS if failed else ExitCode.OK))
