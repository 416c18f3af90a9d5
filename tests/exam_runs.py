"""Runs of the invented workspace against the stand-in, for the exam tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from exam_mode.calls import Call, read_calls
from exam_mode.engine import Ended, Pace, run_exam
from exam_mode.runs import RunFolder, RunOptions
from exam_mode.selection import Choice, Papers, select
from wholepage.workspace import Workspace

MODEL = "openai-api/standin/taker"
QUICK = Pace(connections=8, tries=3, timeout=5)


def new_run(workspace: Workspace, folder: Path, url: str, modes: str, **options: Any) -> RunFolder:
    """A run that was created but not begun."""
    each = options.pop("each_mode", False)
    models = options.pop("models", [MODEL])
    names = tuple(modes.split(","))
    choice = Choice(modes=names, each_mode=each, limit=options.pop("limit", None))
    run = RunFolder(folder)
    settings = RunOptions(models=models, modes=list(names), base_url=url, **options)
    run.create(workspace, settings, choice, select(Papers(workspace), choice))
    return run


def sit(workspace: Workspace, folder: Path, url: str, modes: str, pace: Pace = QUICK, **options: Any) -> RunFolder:
    """A run from beginning to end."""
    run = new_run(workspace, folder, url, modes, **options)
    run_exam(run, workspace, pace)
    return run


def go_on(workspace: Workspace, run: RunFolder, pace: Pace = QUICK) -> Ended:
    """One session of a run."""
    return run_exam(run, workspace, pace)


def calls_of(run: RunFolder) -> list[Call]:
    """All calls."""
    return list(read_calls(run.calls))


def attempts_of(run: RunFolder) -> list[dict[str, Any]]:
    """All attempts of all calls."""
    return [attempt for call in calls_of(run) for attempt in call.attempts]


def logs_text(run: RunFolder) -> str:
    """Everything that inspect-ai's logs of the run hold."""
    from inspect_ai.log import read_eval_log

    return json.dumps([read_eval_log(str(p)).model_dump(mode="json") for p in sorted(run.logs.glob("*.eval"))])
