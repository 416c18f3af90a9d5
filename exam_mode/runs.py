"""A run's folder: what was decided at its start, so that it can go on after anything.

```
RUN/
  exam.json       options, questions chosen, coverage; written first
  calls.jsonl     one line a finished unit
  pages/          images as sent, named by the hash of their bytes
  logs/           inspect-ai's logs, one a mode, budget and session with --logs
  attempts.jsonl  made by `exam attempts`
  scores/, report/  made by `exam report`
```
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exam_mode.budgets import parse_budgets
from exam_mode.errors import ExamError, ExamOptionError
from exam_mode.images.store import MIN_TEXT
from exam_mode.images.table import image_rule
from exam_mode.prompts import prompts_digest
from exam_mode.selection import Choice, Picked, Selection
from exam_mode.units import Unit, make_units
from wholepage import __version__
from wholepage.workspace import Workspace, copy_file, write_json

SCHEMA_ID: Literal["wholepage/exam@1"] = "wholepage/exam@1"


class RunOptions(BaseModel):
    """Everything that decides what is asked and how. Paths name files that were copied into the run."""

    model_config = ConfigDict(extra="forbid")

    models: list[str] = Field(min_length=1)
    modes: list[str] = Field(min_length=1)
    epochs: int = Field(1, ge=1)
    budgets: list[str] = Field(default_factory=list)
    window: int | None = Field(None, ge=1)
    style: Literal["cot", "direct"] = "cot"
    pages: Literal["all", "own"] = "all"
    language: Literal["zh", "en"] | None = None
    min_text: float = Field(MIN_TEXT, ge=0)
    tile: bool = False
    image_rules: str | None = None
    prices: str | None = None
    captioner: str | None = None
    probe: bool = False
    seed: int | None = None
    temperature: float | None = Field(None, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
    reasoning_effort: str | None = None
    base_url: str | None = None
    model_args: dict[str, Any] = Field(default_factory=dict)
    cache: bool = False


class Manifest(BaseModel):
    """`exam.json`."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, serialize_by_alias=True)

    schema_id: Literal["wholepage/exam@1"] = Field(SCHEMA_ID, alias="schema")
    created: str
    program: str
    workspace: str
    prompts: str
    options: RunOptions
    choice: dict[str, Any]
    questions: list[dict[str, Any]]
    coverage: dict[str, Any]


class RunFolder:
    """A run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.calls = path / "calls.jsonl"
        self.images = path / "pages"
        self.logs = path / "logs"
        self.attempts = path / "attempts.jsonl"

    def create(self, workspace: Workspace, options: RunOptions, choice: Choice, selection: Selection) -> Manifest:
        """Write `exam.json` (and copies of the user's tables beside it).

        Raises:
            ExamError: the folder holds a run already.
        """
        if (self.path / "exam.json").exists():
            raise ExamError(
                f"{self.path} holds an exam already.",
                hint=f"Go on with it: wholepage exam continue {self.path}. Or name another folder with --out.",
                code="exam.exists",
            )
        tables = {name: self._copied(getattr(options, name), name) for name in ("image_rules", "prices")}
        manifest = self.preview(workspace, options.model_copy(update=tables), choice, selection)
        write_json(self.path / "exam.json", manifest.model_dump(mode="json", by_alias=True))
        return manifest

    def preview(self, workspace: Workspace, options: RunOptions, choice: Choice, selection: Selection) -> Manifest:
        """The manifest that `create` writes; here nothing is written or copied."""
        return Manifest(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            program=__version__,
            workspace=str(workspace.root.resolve()),
            prompts=prompts_digest(),
            options=options,
            choice={name: _plain(getattr(choice, name)) for name in choice.__slots__},
            questions=[{name: _plain(getattr(p, name)) for name in p.__slots__} for p in selection.picked],
            coverage=coverage_record(selection),
        )

    def _copied(self, source: str | None, name: str) -> str | None:
        if source is None:
            return None
        if not Path(source).is_file():
            raise ExamOptionError(f"There is no file {source}.", hint=f"--{name.replace('_', '-')} takes a YAML file.")
        copy_file(Path(source), self.path / f"{name}.yaml")
        return f"{name}.yaml"

    def load(self) -> Manifest:
        """Read `exam.json`. Raises ExamError when it is absent, damaged or of another program's form."""
        path = self.path / "exam.json"
        try:
            return Manifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError as error:
            raise ExamError(f"{self.path} holds no exam.", hint="`wholepage exam status` lists exams.") from error
        except (OSError, ValueError) as error:
            said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise ExamError(f"Cannot read {path}: {said}.", hint="Start a new exam.", code="exam.damaged") from error

    def table(self, name: str | None) -> Path | None:
        """Path of a table that was copied into the run."""
        return self.path / name if name else None  # an absolute name stays as it is

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the run for this process; the system drops the lock with the process.

        Raises:
            ExamError: another process holds it.
        """
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        with (self.path / ".lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise ExamError(
                    f"Another process is running the exam {self.path}.", hint="`wholepage exam status` shows it.",
                    code="exam.busy",
                ) from error  # fmt: skip
            yield


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def coverage_record(selection: Selection) -> dict[str, Any]:
    """Counts for the manifest and the table that is printed."""
    return {
        "seen": selection.seen,
        "asked": {mode: len(selection.asked(mode)) for mode in selection.unfit},
        "fit": dict(selection.fit),
        "unfit": {mode: dict(why) for mode, why in selection.unfit.items()},
        "left_out": dict(selection.left_out),
        "problems": selection.problems,
    }


def selection_of(manifest: Manifest) -> Selection:
    """The questions as chosen at the start."""
    picked = [Picked(**(q | {"modes": tuple(q["modes"])})) for q in manifest.questions]
    return Selection(picked=picked, seen=int(manifest.coverage.get("seen", 0)))


def units_of(run: RunFolder, manifest: Manifest) -> Iterator[Unit]:
    """All units of the run, in order, made one by one.

    Raises:
        ExamOptionError: a budget in per cent of a window that is not known.
    """
    options = manifest.options
    rules = run.table(options.image_rules)
    budgets = {m: parse_budgets(options.budgets, options.window or image_rule(m, rules).window) for m in options.models}
    selection = selection_of(manifest)
    return make_units(selection, options.models, options.modes, budgets, options.epochs, options.probe)


def count_units(run: RunFolder, manifest: Manifest) -> int:
    """How many units the run has."""
    return sum(1 for _ in units_of(run, manifest))


def new_run_path(workspace: Workspace) -> Path:
    """A folder below the workspace's `exams/`, named by the time; not created yet."""
    base = workspace.root / "exams" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    path, number = base, 2
    while path.exists():
        path, number = base.with_name(f"{base.name}-{number}"), number + 1
    return path


def find_run(workspace: Workspace, reference: str | None) -> RunFolder:
    """The run with that path or name below `exams/`; without a reference the newest.

    Raises:
        ExamError: there is none.
    """
    folder = workspace.root / "exams"
    if reference is None:
        known = list_runs(workspace)
        if not known:
            raise ExamError(f"There are no exams in {folder}.", hint="Begin with: wholepage exam run --model MODEL.")
        return known[-1]
    for path in (Path(reference), folder / reference):
        if (path / "exam.json").is_file():
            return RunFolder(path)
    raise ExamError(f"There is no exam {reference!r}.", hint="`wholepage exam status --all` lists exams.")


def list_runs(workspace: Workspace) -> list[RunFolder]:
    """Runs below the workspace's `exams/`, oldest first."""
    names = re.compile(r"^(\d{8}-\d{6})(?:-(\d+))?$")

    def order(path: Path) -> tuple[str, int, str]:
        match = names.match(path.name)
        return (match.group(1), int(match.group(2) or 1), "") if match else ("", 0, path.name)

    found = (p.parent for p in (workspace.root / "exams").glob("*/exam.json"))
    return [RunFolder(p) for p in sorted(found, key=order)]
