"""`wholepage demo`: the samples that come with the program, through the whole pipeline and a small exam."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import typer

from ingest.pairing import Pair
from wholepage.errors import WorkspaceError
from wholepage.extras import install_command
from wholepage.workspace import Workspace

TAKERS = ("baseline/key", "baseline/chance", "baseline/first-option")
MODES = ("text_only", "text_image", "image_only")
NEEDED = ("inspect_ai", "scipy", "pyarrow")


def sample_papers() -> list[Pair]:
    """Each sample as PDF with text layer, as scan and as photos; a photo is a paper of one page.

    Raises:
        WorkspaceError: the samples are not installed.
    """
    from samples import list_samples, sample_dir

    papers: list[Path] = []
    for sample in list_samples():
        papers.extend(p for p in (sample.pdf, sample.scan, *sample.photos) if p.exists())
    if not papers:
        raise WorkspaceError(
            f"There are no samples in {sample_dir()}.",
            hint=f"Install wholepage again, or make them: {install_command('samples')} and python -m samples.make.",
            code="samples.missing",
        )
    return [Pair(p) for p in papers]


def small_exam(workspace: Workspace, as_json: bool) -> Path | None:
    """Let the takers without a model sit the papers of the workspace; returns the report's page.

    Questions are asked as they were read, verified or not: no model is measured here. Without the extras `exam` and
    `score` it says how to install them and returns None.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing or find_spec("exam_mode.engine") is None:
        typer.echo(f"For the exam and its report: {install_command('exam,score')}, then run the demo again.", err=True)
        return None
    from exam_mode.engine import Pace, run_exam
    from exam_mode.report import write_run_report
    from exam_mode.runs import RunFolder, RunOptions, new_run_path
    from exam_mode.selection import Choice, Papers, select
    from scoring.profiles import load_profile
    from scoring.run import RunOptions as ScoreOptions
    from wholepage.console import print_json

    choice = Choice(modes=MODES, unverified=True)
    run = RunFolder(new_run_path(workspace))
    selection = select(Papers(workspace), choice)
    run.create(workspace, RunOptions(models=list(TAKERS), modes=list(MODES)), choice, selection)
    ended = run_exam(run, workspace, Pace())
    files, _ = write_run_report(run, workspace, ScoreOptions(profile=load_profile()))
    if as_json:
        print_json(
            {"exam": str(run.path), "answered": ended.done, "failed": ended.failed, "report": str(files["html"])}
        )
    else:
        typer.echo(f"\nExam of the samples by {', '.join(TAKERS)}: {ended.done} answers.\nReport: {files['html']}")
    return files["html"]


def open_page(page: Path) -> None:
    """Open a page in the user's browser where there is a terminal and a screen; elsewhere its path was printed."""
    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.stdout.isatty() and screen:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
