"""The commands `wholepage score run`, `judges` and `report`: parse arguments, call, print.

Heavy imports happen inside the commands.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml

from scoring.profiles import DEFAULT_PROFILE, load_profile, profile_names
from wholepage.errors import ExitCode, WholepageError

if TYPE_CHECKING:
    from scoring.judges_client import ClientOptions, Endpoint

JudgeOption = Annotated[
    list[str] | None,
    typer.Option("--judge", metavar="MODEL", help="Model that marks what rules leave undecided; repeat for a panel."),
]
PanelOption = Annotated[
    Path | None,
    typer.Option("--panel", help="YAML list of judges {model, base_url, api_key_env}, for several providers."),
]
WorkspaceOption = Annotated[Path | None, typer.Option("--workspace", help="Folder with the papers.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Result as JSON on stdout.")]
TimeoutOption = Annotated[float, typer.Option(help="Seconds a call to a judge may take.", min=0.1)]
TriesOption = Annotated[int, typer.Option(help="Tries a call to a judge gets.", min=1, max=20)]
ParallelOption = Annotated[int, typer.Option(help="Judge calls at the same time.", min=1, max=256)]
AliasOption = Annotated[
    list[str] | None, typer.Option("--alias", metavar="NAME=NAME", help="Two names of the same model; repeatable.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the `score` application."""
    app.command("run")(run_command)
    app.command("judges")(judges_command)
    app.command("report")(report_command)


@contextmanager
def _errors_shown(as_json: bool) -> Iterator[None]:
    """Turn errors that users can act on into a message and the documented exit code."""
    try:
        yield
    except WholepageError as error:
        if as_json:
            typer.echo(json.dumps({"error": error.code, "message": error.message, "hint": error.hint}))
        else:
            typer.echo(f"Error: {error.message}", err=True)
            if error.hint:
                typer.echo(error.hint, err=True)
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt:
        typer.echo("Stopped. Run the same command again to go on; replies of judges are kept.", err=True)
        _leave(ExitCode.INTERRUPTED)


def _leave(code: int) -> None:
    """Exit at once: worker threads may still wait for a judge, and their replies would only be thrown away."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _aliases(pairs: list[str] | None) -> dict[str, str]:
    result = {}
    for pair in pairs or []:
        left, equals, right = pair.partition("=")
        if not equals or not left.strip() or not right.strip():
            raise typer.BadParameter(f"--alias needs NAME=NAME, got {pair!r}")
        result[left.strip()] = right.strip()
    return result


def _panel(models: list[str] | None, panel: Path | None) -> tuple[Endpoint, ...]:
    from scoring.judges_client import endpoint_for, read_panel

    named = [endpoint_for(model) for model in models or []]
    return (*named, *(read_panel(panel) if panel is not None else []))


def _prices(path: Path | None) -> dict[str, Any]:
    from scoring.build import price_table

    if path is None:
        return {}
    try:
        return price_table(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise typer.BadParameter(f"cannot read the prices {path}: {error}") from error


def _client_options(timeout: float, tries: int) -> ClientOptions:
    from scoring.judges_client import ClientOptions

    return ClientOptions(timeout=timeout, tries=tries)


def run_command(
    attempts: Annotated[list[Path], typer.Argument(help="JSONL files of attempts.")],
    *,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="RUN", help="Folder for the results.")],
    workspace: WorkspaceOption = None,
    judge: JudgeOption = None,
    panel: PanelOption = None,
    critic: Annotated[
        list[str] | None,
        typer.Option("--critic", metavar="MODEL", help="Model that looks for errors in the reasoning; repeatable."),
    ] = None,
    profile: Annotated[
        str, typer.Option(help=f"{', '.join(profile_names())}, or a YAML file.", metavar="NAME")
    ] = DEFAULT_PROFILE,
    alias: AliasOption = None,
    prices: Annotated[
        Path | None, typer.Option(help="YAML: model → {input, output, cached_input, currency} per million tokens.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes for the rules; 0 = cores.", min=0)] = 0,
    parallel: ParallelOption = 8,
    timeout: TimeoutOption = 120.0,
    tries: TriesOption = 4,
    retry_unreadable: Annotated[
        bool, typer.Option("--retry-unreadable", help="Ask judges again whose stored reply cannot be read.")
    ] = False,
    replies: Annotated[Path | None, typer.Option(help="Store of judges' replies; default RUN/replies.db.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Mark recorded attempts: rules first, judges for what rules leave undecided. Resumable."""
    with _errors_shown(as_json):
        from scoring.run import RunOptions, score_run
        from wholepage.settings import load_settings
        from wholepage.workspace import Workspace

        options = RunOptions(
            profile=load_profile(profile),
            judges=_panel(judge, panel),
            critics=_panel(critic, None),
            aliases=_aliases(alias),
            prices=_prices(prices),
            jobs=jobs or os.cpu_count() or 1,
            concurrency=parallel,
            retry_unreadable=retry_unreadable,
            client=_client_options(timeout, tries),
            replies=replies,
        )
        root = workspace or load_settings().workspace
        with _progress(as_json) as progress:
            result = score_run(attempts, Workspace(root), out, options, progress)
        errors = [issue for issue in result.attempts.issues if issue.severity == "error"]
        from scoring.console import print_run

        print_run(out, result.summary, [issue.as_dict() for issue in result.attempts.issues], as_json)
        if errors:
            raise typer.Exit(ExitCode.DOUBTS)


@contextmanager
def _progress(quiet: bool) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bars:
        tasks: dict[str, Any] = {}

        def step(stage: str, done: int, total: int) -> None:
            if stage == "done":
                return
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done)

        yield step


def judges_command(
    labels: Annotated[Path, typer.Argument(help="JSONL with human labels; docs/scoring.md shows the form.")],
    *,
    judge: JudgeOption = None,
    panel: PanelOption = None,
    alias: AliasOption = None,
    replies: Annotated[Path | None, typer.Option(help="Store of judges' replies; default beside LABELS.")] = None,
    parallel: ParallelOption = 8,
    timeout: TimeoutOption = 120.0,
    tries: TriesOption = 4,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the result as JSON.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare judges with human labels: accuracy, kappa, alpha, accuracy per label."""
    with _errors_shown(as_json):
        from scoring.labels import agreement, ask_panel, read_labels, write_agreement
        from wholepage.workspace import write_text

        items, issues = read_labels(labels)
        endpoints = _panel(judge, panel)
        verdicts: list[dict[str, str | None]] = [dict(item.verdicts) for item in items]
        if endpoints:
            from scoring.judges import Panel
            from scoring.judges_cache import ReplyCache
            from scoring.judges_client import ChatClient
            from scoring.judges_names import ModelNames

            store = replies or labels.with_suffix(".replies.db")
            with ReplyCache(store) as cache, ChatClient(_client_options(timeout, tries)) as client:
                asked = ask_panel(items, Panel(endpoints, client, cache, ModelNames(_aliases(alias))), parallel)
            for row, more in zip(verdicts, asked, strict=True):
                row.update(more)
        if not any(verdicts):
            raise typer.BadParameter("the file holds no `verdicts`; name judges to ask with --judge MODEL")
        result = agreement(items, verdicts) | {"issues": issues}
        if out is not None:
            write_text(out, write_agreement(result))
        from scoring.console import print_agreement

        print_agreement(result, as_json)
        if issues:
            raise typer.Exit(ExitCode.DOUBTS)


def report_command(
    run: Annotated[Path, typer.Argument(help="Folder written by `wholepage score run`.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the report; default RUN.")] = None,
    workspace: WorkspaceOption = None,
    gallery: Annotated[int, typer.Option(help="Wrong answers to show in full.", min=0)] = 60,
    as_json: JsonOption = False,
) -> None:
    """Write report.html (opens offline), scores.csv, scores.parquet and report.json."""
    with _errors_shown(as_json):
        from scoring.report import write_report

        files = write_report(run, out or run, workspace, gallery)
        if as_json:
            typer.echo(json.dumps({name: str(path) for name, path in files.items()}, ensure_ascii=False))
        else:
            for path in files.values():
                typer.echo(str(path))
