"""What the exam commands do: set up, run, print, and the exit code."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import typer

from exam_mode.calls import Totals, read_calls
from exam_mode.engine import Ended, Pace, open_session, run_exam
from exam_mode.runs import (
    RunFolder,
    RunOptions,
    count_units,
    coverage_record,
    find_run,
    list_runs,
    new_run_path,
    units_of,
)
from exam_mode.selection import Choice, Papers, Selection, select
from wholepage.console import print_json
from wholepage.errors import ExitCode, MissingExtraError
from wholepage.workspace import Workspace


def begin(
    workspace: Workspace,
    choice: Choice,
    options: RunOptions,
    pace: Pace,
    out: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """`exam run`."""
    selection = select(Papers(workspace), choice)
    if not as_json:
        from exam_mode.printing import print_coverage

        print_coverage(coverage_record(selection))
    if dry_run:
        _dry(workspace, choice, options, selection, as_json)
        return
    need_inspect()
    run = RunFolder(out or new_run_path(workspace))
    units_of(run, run.preview(workspace, options, choice, selection))  # budgets are checked before anything is written
    run.create(workspace, options, choice, selection)
    _run(run, workspace, pace, as_json)


def go_on(workspace: Workspace, reference: str | None, pace: Pace, as_json: bool) -> None:
    """`exam continue`: with the workspace that the run began with, unless another is given by its run."""
    need_inspect()
    run = find_run(workspace, reference)
    _run(run, _home(run, workspace), pace, as_json)


def _home(run: RunFolder, workspace: Workspace) -> Workspace:
    """The workspace of the run where it still is, else the one that the user named."""
    root = Path(run.load().workspace)
    return Workspace(root) if root.is_dir() else workspace


def _run(run: RunFolder, workspace: Workspace, pace: Pace, as_json: bool) -> None:
    from exam_mode.progress import RunProgress

    with RunProgress(quiet=as_json) as progress:
        ended = run_exam(run, workspace, pace, progress.update)
    totals = totals_of(run)
    if as_json:
        print_json(_record(run, ended.units, totals) | {"stopped": ended.stopped, "interrupted": ended.interrupted})
    else:
        from exam_mode.printing import print_ended

        print_ended(run, ended, totals)
    raise typer.Exit(int(exit_code(ended)))


def exit_code(ended: Ended) -> ExitCode:
    """0 when every unit has its answer, 130 after Ctrl-C, else 3."""
    if ended.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.OK if ended.complete else ExitCode.DOUBTS


def _dry(workspace: Workspace, choice: Choice, options: RunOptions, selection: Selection, as_json: bool) -> None:
    from exam_mode.dry import estimate
    from exam_mode.printing import print_dry

    run = RunFolder(Path())
    manifest = run.preview(workspace, options, choice, selection)
    session = open_session(run, manifest, workspace, None)
    rows = estimate(session, units_of(run, manifest))
    if as_json:
        for row in rows:
            print_json(asdict(row))
    else:
        print_dry(rows)
    if any(row.problems for row in rows):
        raise typer.Exit(int(ExitCode.DOUBTS))


def totals_of(run: RunFolder) -> Totals:
    """The run's account, read from its calls."""
    totals = Totals()
    for call in read_calls(run.calls):
        totals.add(call)
    return totals


def show_status(workspace: Workspace, reference: str | None, every: bool, as_json: bool) -> None:
    """`exam status`."""
    from exam_mode.printing import print_status

    for run in list_runs(workspace) if every else [find_run(workspace, reference)]:
        manifest, totals = run.load(), totals_of(run)
        units = count_units(run, manifest)
        if as_json:
            print_json(_record(run, units, totals))
        else:
            print_status(run, manifest, totals, units)


def _record(run: RunFolder, units: int, totals: Totals) -> dict[str, object]:
    counts = (
        "calls",
        "input_tokens",
        "cached_tokens",
        "output_tokens",
        "unknown_usage",
        "cost",
        "currency",
        "unpriced",
    )
    kept = {name: getattr(totals, name) for name in counts}
    # captions are calls of the run, but no units of their own
    answered = sum(not key.startswith("caption|") for key in totals.done)
    return {"run": str(run.path), "units": units, "answered": answered, "failed": len(totals.failed), **kept}


def export_attempts(workspace: Workspace, reference: str | None, out: Path | None, as_json: bool) -> None:
    """`exam attempts`."""
    from exam_mode.attempts import write_attempts

    run = find_run(workspace, reference)
    written = write_attempts(run.calls, out or run.attempts)
    if as_json:
        print_json({"file": str(written.path), "answered": written.answered, "failed": written.failed})
    else:
        typer.echo(f"{written.path}: {written.answered} answers, {written.failed} that failed")


def make_report(
    workspace: Workspace, reference: str | None, profile: str | None, gallery: int, as_json: bool
) -> dict[str, Path]:
    """`exam report`: by rules alone; answers that they cannot decide stay undecided."""
    from exam_mode.report import write_run_report

    if find_spec("scipy") is None:
        raise MissingExtraError.for_extra("score", "scipy")
    from scoring.profiles import DEFAULT_PROFILE, load_profile
    from scoring.run import RunOptions as ScoreOptions

    run = find_run(workspace, reference)
    options = ScoreOptions(profile=load_profile(profile or DEFAULT_PROFILE))
    files, _ = write_run_report(run, _home(run, workspace), options, gallery=gallery)
    if as_json:
        print_json({name: str(path) for name, path in files.items()})
    else:
        for path in files.values():
            typer.echo(str(path))
    return files


def need_inspect() -> None:
    """Raises MissingExtraError when the extra `exam` is not installed."""
    if find_spec("inspect_ai") is None:
        raise MissingExtraError.for_extra("exam", "inspect-ai")
