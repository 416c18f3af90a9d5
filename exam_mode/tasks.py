"""Exams as tasks of inspect-ai: `inspect eval exam_mode/tasks.py@image_only --model MODEL -T workspace=DIR`.

inspect-ai keeps epochs, logs and retries; its log is the record. `wholepage exam run` asks the same requests and adds
runs that go on after anything, caps and attempts for scoring.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, task

from exam_mode import registry  # noqa: F401 - registers baseline/ and qwen-vl/ also where no entry point is installed
from exam_mode.budgets import parse_budgets
from exam_mode.errors import ExamOptionError
from exam_mode.prices import load_prices
from exam_mode.selection import Choice, Papers, select
from exam_mode.session import Manner, Session
from exam_mode.solving import exam_solver, rules_scorer, samples
from exam_mode.units import make_units
from wholepage.settings import load_settings
from wholepage.workspace import Workspace


def exam_task(
    mode: str,
    *,
    workspace: str | None = None,
    papers: str = "",
    subject: str = "",
    tags: str = "",
    limit: int | None = None,
    seed: int | None = None,
    unverified: bool = False,
    budget: str | int | None = None,
    window: int | None = None,
    style: str = "cot",
    pages: str = "all",
    language: str | None = None,
    tile: bool = False,
    image_rules: str | None = None,
    captioner: str | None = None,
) -> Task:
    """A task that asks the questions of a workspace in one mode. Lists are given with commas.

    Raises:
        ExamOptionError: a value is not usable.
        ExamError: there is nothing to ask.
    """
    if style not in ("cot", "direct") or pages not in ("all", "own") or language not in (None, "zh", "en"):
        raise ExamOptionError("A task takes style=cot|direct, pages=all|own, language=zh|en.", hint="Correct -T.")
    root = Path(workspace) if workspace else load_settings().workspace
    names = [tuple(x for x in text.split(",") if x) for text in (str(papers), subject, tags)]
    choice = Choice(
        modes=(mode,), papers=names[0], subjects=names[1], tags=names[2], limit=limit, seed=seed, unverified=unverified
    )
    store = Papers(Workspace(root))
    selection = select(store, choice)
    manner = Manner(
        style="direct" if style == "direct" else "cot",
        pages="own" if pages == "own" else "all",
        language="zh" if language == "zh" else "en" if language == "en" else None,
        tile=tile,
        rules=Path(image_rules) if image_rules else None,
        captioner=captioner,
        digests={p.question_id: p.digest for p in selection.picked},
    )
    budgets = parse_budgets([str(budget)] if budget is not None else [], window)
    session = Session(store, root / "exams" / "pages", manner, load_prices())
    units = make_units(selection, ["any"], [mode], {"any": budgets}, 0)
    return Task(dataset=samples(units), solver=exam_solver(session), scorer=rules_scorer(session), name=mode)


@task
def text_only(**options: Any) -> Task:
    """Text; only questions without figures. Options: see `exam_task`."""
    return exam_task("text_only", **options)


@task
def captions(**options: Any) -> Task:
    """Text with captions of figures; needs -T captioner=MODEL. Options: see `exam_task`."""
    return exam_task("captions", **options)


@task
def text_image(**options: Any) -> Task:
    """Text with cropped figures in place. Options: see `exam_task`."""
    return exam_task("text_image", **options)


@task
def crop(**options: Any) -> Task:
    """The question's regions as images. Options: see `exam_task`."""
    return exam_task("crop", **options)


@task
def page_box(**options: Any) -> Task:
    """Whole pages and the question's box. Options: see `exam_task`."""
    return exam_task("page_box", **options)


@task
def image_only(**options: Any) -> Task:
    """Whole pages, section and printed number. Options: see `exam_task`."""
    return exam_task("image_only", **options)


@task
def mock_exam(**options: Any) -> Task:
    """The whole paper in one conversation. Options: see `exam_task`."""
    return exam_task("mock_exam", **options)
