"""What a scoring run writes, as records: one `Score` an attempt, one `ScoredQuestion` a question, one `Manifest`.

A run folder holds run.json (manifest), scores.jsonl, questions.jsonl, issues.jsonl, rejected.jsonl (lines that could
not be used, word for word), summary.json and replies.db (what judges said). None of it needs the workspace.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wholepage.errors import ExitCode, WholepageError
from wholepage.records import Region
from wholepage.workspace import write_text

SCORE_SCHEMA = "wholepage/score@1"
RUN_SCHEMA = "wholepage/score-run@1"
SUMMARY_SCHEMA = "wholepage/score-summary@1"

Verdict = Literal["correct", "partial", "wrong", "undecided"]
R = TypeVar("R", bound=BaseModel)
Condition = tuple[str, str, int | None]  # model, mode, budget in tokens


class RunError(WholepageError):
    """A run folder that is absent, unfinished or damaged."""

    exit_code = ExitCode.UNREADABLE
    default_code = "run.unreadable"


class _Record(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True, serialize_by_alias=True)


class OpinionRecord(_Record):
    """One judge on one part."""

    judge: str
    verdict: Verdict
    fraction: float
    reason: str


class PartScore(_Record):
    """The marking of one blank or part."""

    id: str
    official: str
    verdict: Verdict
    fraction: float | None
    extracted: str | None = None
    where: str = Field("", description="Where in the response it was found: box, last sentence, …")
    by: Literal["rules", "judges", "nobody"] = "rules"
    rule: str = ""
    reason: str = ""
    opinions: list[OpinionRecord] = Field(default_factory=list)
    mean: float | None = Field(None, description="Mean fraction over readable judges.")
    majority: Verdict | None = None
    disagreement: float = Field(0.0, description="Share of judges off the most common verdict.")


class JudgeErrorRecord(_Record):
    """A judge or critic that gave nothing usable."""

    judge: str
    kind: str
    message: str
    role: Literal["judge", "critic"] = "judge"


class ProcessRecord(_Record):
    """The critics' findings. `kinds`/`root_errors` for livek12, `steps` (N_correct / M) and `labels` for k12vista."""

    protocol: str
    critics: int = Field(description="Critics that could be read.")
    asked: int
    kinds: list[str] | None = None
    root_errors: int | None = None
    votes: dict[str, int] = Field(default_factory=dict)
    steps: float | None = None
    labels: dict[str, float] = Field(default_factory=dict)
    found: dict[str, list[dict[str, Any]]] = Field(default_factory=dict)


class Score(_Record):
    """One marked attempt. `fraction` is the share of the question's points, None when undecided or in error."""

    schema_id: Literal["wholepage/score@1"] = Field("wholepage/score@1", alias="schema")
    profile: str
    paper_id: str
    question_id: str
    mode: str
    model: str
    epoch: int
    budget: int | None = None
    budget_enforced: bool = False
    status: Literal["marked", "undecided", "error"]
    verdict: Verdict | None = None
    fraction: float | None = None
    marks: float | None = Field(None, description="fraction × points; None without either.")
    by: Literal["rules", "judges", "rules+judges", "nobody"] = "nobody"
    rule: str = ""
    reason: str = ""
    extracted: str | None = None
    parts: list[PartScore] = Field(default_factory=list)
    refused: bool = False
    truncated: bool = False
    no_answer: bool = False
    finish_reason: str | None = None
    error: str | None = None
    input_tokens: int | None = None
    generated_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    images: int | None = None
    seconds: float | None = None
    cost: float | None = None
    currency: str | None = None
    judges_asked: int = 0
    judge_errors: list[JudgeErrorRecord] = Field(default_factory=list)
    process: ProcessRecord | None = None
    response: str = ""
    source_file: str = ""
    source_line: int = 0
    source_sha256: str = ""

    @property
    def condition(self) -> Condition:
        """Model, mode and budget: what is compared with one another."""
        return (self.model, self.mode, self.budget)

    @property
    def correct(self) -> bool:
        """Whether the answer is fully right."""
        return self.verdict == "correct"


class ScoredQuestion(_Record):
    """A question as far as marking and the report need it."""

    id: str
    paper_id: str
    paper_title: str | None = None
    number: str
    section: str | None = None
    subject: str | None = None
    type: str
    points: float | None = None
    text: str = ""
    labels: list[str] = Field(default_factory=list, description="Option labels.")
    answer: list[str] = Field(default_factory=list)
    solution: str = ""
    regions: list[Region] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    status: str = "unverified"
    chance: float | None = Field(None, description="Expected fraction of a random answer; None when unknown.")


class Manifest(_Record):
    """How a run was made: enough to repeat it."""

    schema_id: Literal["wholepage/score-run@1"] = Field("wholepage/score-run@1", alias="schema")
    profile: str
    profile_content: dict[str, Any]
    attempts: list[dict[str, Any]] = Field(description="file, sha256 of each attempts file")
    workspace: str
    judges: list[str] = Field(default_factory=list)
    critics: list[str] = Field(default_factory=list)
    aliases: dict[str, str] = Field(default_factory=dict)
    prices: dict[str, Any] = Field(default_factory=dict)
    program: str
    lines: int
    scored: int
    rejected: int


def write_records(path: Path, records: Iterable[BaseModel]) -> None:
    """Atomically write one JSON line a record."""
    write_text(path, "".join(record.model_dump_json() + "\n" for record in records))


def read_scores(run: Path) -> list[Score]:
    """All scores of a run. Raises RunError."""
    return _read(run / "scores.jsonl", Score)


def read_questions(run: Path) -> dict[str, ScoredQuestion]:
    """The run's questions by id. Raises RunError."""
    return {question.id: question for question in _read(run / "questions.jsonl", ScoredQuestion)}


def read_manifest(run: Path) -> Manifest:
    """The run's manifest. Raises RunError."""
    path = run / "run.json"
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from error
    except ValidationError as error:
        raise _unreadable(path, _first(error)) from error


def read_summary(run: Path) -> dict[str, Any]:
    """The run's figures. Raises RunError."""
    path = run / "summary.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from error
    except ValueError as error:
        raise _unreadable(path, error) from error
    if not isinstance(data, dict) or data.get("schema") != SUMMARY_SCHEMA or "conditions" not in data:
        raise _unreadable(path, "it is not a summary that this version reads")
    return data


def read_issues(run: Path) -> list[dict[str, Any]]:
    """Doubts about lines of the attempts, as written. Raises RunError."""
    path = run / "issues.jsonl"
    issues = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                issues.append(dict(json.loads(line)))
            except (ValueError, TypeError) as error:
                raise _unreadable(path, f"line {number}: {error}") from error
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    return issues


def check_complete(run: Path, manifest: Manifest, scores: list[Score], questions: dict[str, ScoredQuestion]) -> None:
    """Raise RunError unless the files of the run belong together."""
    if len(scores) != manifest.scored:
        raise _unreadable(run / "scores.jsonl", f"it holds {len(scores)} of the run's {manifest.scored} scores")
    missing = next((s.question_id for s in scores if s.question_id not in questions), None)
    if missing is not None:
        raise _unreadable(run / "questions.jsonl", f"the question {missing} is missing")


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'record'}: {first['msg']}"


def _read(path: Path, kind: type[R]) -> list[R]:
    records = []
    try:
        with path.open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                try:
                    records.append(kind.model_validate_json(line))
                except ValidationError as error:
                    raise _unreadable(path, f"line {number}: {_first(error)}") from error
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from error
    return records


def _unreadable(path: Path, why: object) -> RunError:
    return RunError(
        f"Cannot read {path}: {why}.", hint="Run `wholepage score run … -o RUN` again; replies of judges are kept."
    )
