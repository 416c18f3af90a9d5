"""Run the units that are still to be asked, through inspect-ai: its providers and retries, and its logs if wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from exam_mode.calls import CallLog, read_calls
from exam_mode.errors import ExamError
from exam_mode.guard import Caps, Guard
from exam_mode.prices import load_prices
from exam_mode.prompts import prompts_digest
from exam_mode.runs import Manifest, RunFolder, RunOptions, count_units, units_of
from exam_mode.selection import Papers
from exam_mode.session import Manner, Session
from exam_mode.units import Unit
from wholepage.workspace import Workspace

LOG_BUFFER = 64  # samples between two writes of a log; what counts is in calls.jsonl at once

if TYPE_CHECKING:
    from inspect_ai.model import Model

Progress = Callable[[CallLog, int], None]  # the log and the number of units in all


@dataclass(frozen=True, slots=True)
class Pace:
    """How a session talks to servers; may differ between sessions of one run."""

    connections: int = 16
    tries: int = 5
    timeout: int = 600  # seconds for one attempt of one call
    caps: Caps = field(default_factory=Caps)
    logs: bool = False  # ask within an evaluation of inspect-ai, which writes its logs


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended. `stopped` says why units were left; `interrupted` is Ctrl-C."""

    units: int
    done: int
    failed: int
    stopped: str | None = None
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Whether every unit has its answer."""
        return self.done == self.units


def run_exam(run: RunFolder, workspace: Workspace, pace: Pace, progress: Progress | None = None) -> Ended:
    """Ask all units that have no answer yet. Units that failed in an earlier session are asked again.

    Raises:
        ExamError: another process runs the exam, the prompts were changed, or the model cannot be set up.
    """
    manifest = run.load()
    if manifest.prompts != prompts_digest():
        raise ExamError(
            f"The prompts of this program are not those with which {run.path} began.",
            hint="Go on with the version of wholepage that began it, or start a new exam.",
            code="exam.prompts_changed",
        )
    count = count_units(run, manifest)
    with run.lock(), CallLog(run.calls) as calls:
        session = open_session(run, manifest, workspace, calls)
        if progress is not None:
            calls.watch = lambda: progress(calls, count)
        guard: Guard | None = None
        interrupted = False
        for model in manifest.options.models:
            pending = _pending(run, manifest, model, calls.totals.done)
            first = next(pending, None)
            if first is None:
                continue
            guard = session.guard = _guard(pace.caps, calls, guard)
            interrupted = _ask_all(run, manifest, session, model, chain([first], pending), pace)
            if interrupted or guard.stopped:
                break
        return Ended(
            units=count,
            done=sum(u.key in calls.totals.done for u in units_of(run, manifest)),
            failed=sum(u.key in calls.totals.failed for u in units_of(run, manifest)),
            stopped=guard.stopped if guard else None,
            interrupted=interrupted,
        )


def _pending(run: RunFolder, manifest: Manifest, model: str, done: Set[str]) -> Iterator[Unit]:
    """Units of one model without an answer, made one by one."""
    return (u for u in units_of(run, manifest) if u.model == model and u.key not in done)


def _guard(caps: Caps, calls: CallLog, before: Guard | None) -> Guard:
    guard = Guard(caps, calls.totals)
    if before is not None:
        guard.stopped = before.stopped
    return guard


def open_session(run: RunFolder, manifest: Manifest, workspace: Workspace, calls: CallLog | None) -> Session:
    """The session's shared parts, with the captions that were made already."""
    options = manifest.options
    manner = Manner(
        style=options.style,
        pages=options.pages,
        language=options.language,
        min_text=options.min_text,
        tile=options.tile,
        rules=run.table(options.image_rules),
        captioner=options.captioner,
        seed=options.seed,
        cache=options.cache,
        digests={q["question_id"]: q["digest"] for q in manifest.questions},
    )
    prices = load_prices(run.table(options.prices))
    session = Session(Papers(workspace), run.images, manner, prices, calls)
    if options.captioner:
        session.captions = {c.unit: c.caption for c in read_calls(run.calls) if c.ok and c.caption is not None}
    return session


def _ask_all(
    run: RunFolder, manifest: Manifest, session: Session, model: str, pending: Iterable[Unit], pace: Pace
) -> bool:
    """Ask all units of one model. Returns whether it was interrupted."""
    import exam_mode.registry  # noqa: F401 - the providers, also where the entry point is not installed

    if pace.logs:
        return _evaluate(run, manifest, session, model, pending, pace)
    from exam_mode.workers import work

    options = manifest.options
    session.logged = False
    session.delivery = _delivery(pace)
    return work(session, _taker(model, options, _generation(options)), pending, pace.connections)


def _evaluate(
    run: RunFolder, manifest: Manifest, session: Session, model: str, pending: Iterable[Unit], pace: Pace
) -> bool:
    """One inspect-ai evaluation of one model: a task a mode and budget. Returns whether it was interrupted."""
    from inspect_ai import Task, eval

    from exam_mode.closing import TO_CLOSE
    from exam_mode.solving import exam_solver, samples

    tasks = [
        Task(dataset=samples(group), solver=exam_solver(session, model), name=name)
        for name, group in groupby(pending, key=_task_name)
    ]
    taker = _taker(model, manifest.options, {})
    TO_CLOSE.append(taker)
    logs = eval(
        tasks,
        model=taker,
        log_dir=str(run.logs),
        tags=["wholepage"],
        metadata={"run": run.path.name},
        display="none",
        score=False,
        fail_on_error=False,
        max_tasks=1,
        max_samples=pace.connections,
        log_images=False,
        log_model_api=False,
        log_realtime=False,
        log_header_only=True,
        log_buffer=LOG_BUFFER,
        acp_server=False,
        ctl_server=False,
        log_level="error",
        **_delivery(pace),
        **_generation(manifest.options),
    )
    return any(log.status == "cancelled" for log in logs)


def _delivery(pace: Pace) -> dict[str, Any]:
    """How calls are made, as inspect-ai names it."""
    return {
        "max_connections": pace.connections,
        "max_retries": pace.tries - 1,
        "attempt_timeout": pace.timeout,
    }


def _generation(options: RunOptions) -> dict[str, Any]:
    """How the taker generates, as inspect-ai names it; only what was given."""
    names = ("temperature", "top_p", "reasoning_effort")
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _taker(model: str, options: RunOptions, generation: dict[str, Any]) -> Model:
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import GenerateConfig, get_model

    config = GenerateConfig(**generation)
    try:
        return get_model(model, base_url=options.base_url, memoize=False, config=config, **options.model_args)
    except (PrerequisiteError, ValueError, ImportError) as error:
        raise ExamError(
            f"The model {model} cannot be used: {error}", hint="docs/exam.md tells how takers are named."
        ) from error


def _task_name(unit: Unit) -> str:
    """Names of tasks and so of log files: mode, and the budget where there is one."""
    if unit.kind == "probe":
        return "probe"
    return unit.mode if unit.budget is None else f"{unit.mode}-{unit.budget.tokens}"
