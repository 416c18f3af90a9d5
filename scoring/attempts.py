"""Attempts: what a model answered, one JSON line a question, mode, model, epoch and budget.

The file is written by exams (or by any other program) and read here. Nothing in it is lost in silence: a line that
cannot be used becomes an `AttemptIssue` naming file and line, and its text goes to `rejected` with the reason.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from wholepage.errors import ExitCode, WholepageError

SCHEMA_ID: Literal["wholepage/attempt@1"] = "wholepage/attempt@1"
MAX_LINE_BYTES = 32_000_000  # one attempt; longer lines are refused so that one bad file cannot fill the memory

TRUNCATED_REASONS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
REFUSAL_REASONS = frozenset({"refusal", "content_filter", "safety", "blocked"})
_REFUSAL = re.compile(
    r"^\W*(?:i(?:'|’)?m sorry|i am sorry|sorry)\b.{0,80}?\b(?:can(?:no|'|’)t|cannot|unable|won(?:'|’)t)\b"
    r"|^\W*i (?:cannot|can(?:'|’)t|am unable to|won(?:'|’)t) (?:assist|help|answer|comply|provide)\b"
    r"|^\W*(?:抱歉|对不起|很抱歉)[，,].{0,20}?(?:无法|不能)(?:回答|提供|协助|帮助|完成)"
    r"|^\W*我(?:无法|不能)(?:回答|提供|协助|帮助|完成)(?:这|该|此|您)",
    re.IGNORECASE | re.DOTALL,
)


class AttemptFileError(WholepageError):
    """An attempts file that cannot be opened at all; single bad lines are issues, not errors."""

    exit_code = ExitCode.UNREADABLE
    default_code = "attempts.unreadable"


@runtime_checkable
class KnowsPapers(Protocol):
    """A set of questions that can tell whether a paper is there at all, for clearer messages."""

    def knows_paper(self, paper_id: str) -> bool:
        """Whether any question of the paper is known."""
        ...


class _Record(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True, serialize_by_alias=True)


class Usage(_Record):
    """Tokens of one call. `None` means that the provider did not say; it is never read as 0.

    `output_tokens` is everything that was generated. Providers that count reasoning apart from the output set
    `reasoning_in_output` to false; then both are added.
    """

    input_tokens: int | None = Field(None, ge=0)
    output_tokens: int | None = Field(None, ge=0)
    reasoning_tokens: int | None = Field(None, ge=0)
    cached_tokens: int | None = Field(None, ge=0, description="Share of the input that came from a prefix cache.")
    images: int | None = Field(None, ge=0)
    reasoning_in_output: bool = True

    @property
    def generated(self) -> int | None:
        """Tokens generated, reasoning always included; None when that is not known for certain."""
        if self.output_tokens is None:
            return None
        if self.reasoning_in_output:
            return None if self.inconsistent else self.output_tokens
        return None if self.reasoning_tokens is None else self.output_tokens + self.reasoning_tokens

    @property
    def inconsistent(self) -> bool:
        """Whether more reasoning than output is claimed although the output is said to include it."""
        known = self.output_tokens is not None and self.reasoning_tokens is not None
        return known and self.reasoning_in_output and (self.reasoning_tokens or 0) > (self.output_tokens or 0)


class Budget(_Record):
    """A cap on generated tokens, reasoning included. `enforced` is true only if generation really stopped there."""

    tokens: int = Field(gt=0)
    requested: str | None = Field(None, description="As the user wrote it, e.g. 10%.")
    enforced: bool = True


class Cost(_Record):
    """Money that the call cost, as the provider or a price table said at the time."""

    amount: float = Field(ge=0, allow_inf_nan=False)
    currency: str = "USD"


class Attempt(_Record):
    """One answer of one model. Unknown fields are kept."""

    schema_id: Literal["wholepage/attempt@1"] = Field(SCHEMA_ID, alias="schema")
    paper_id: str = Field(min_length=1)
    question_id: str = Field(min_length=1, description="Contract id `<paper_id>/<section>.<number>`, or its last part.")
    mode: str = Field(min_length=1, description="text_only, text_image, image_only, …")
    model: str = Field(min_length=1)
    epoch: int = Field(1, ge=1)
    budget: Budget | None = Field(None, description="null: the run was not capped.")
    response: str = ""
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage = Field(default_factory=Usage)
    cost: Cost | None = None
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False)
    error: str | None = Field(None, description="Why there is no answer; such attempts are counted, never marked.")

    @field_validator("budget", mode="before")
    @classmethod
    def _plain_number(cls, value: Any) -> Any:
        return {"tokens": value} if isinstance(value, int) and not isinstance(value, bool) else value

    def full_question_id(self) -> str:
        """Question id in the contract's form, also when the file gives only `<section>.<number>`."""
        prefix = f"{self.paper_id}/"
        return self.question_id if self.question_id.startswith(prefix) else prefix + self.question_id

    @property
    def key(self) -> tuple[str, str, str, int, int | None]:
        """What makes an attempt unique: question, mode, model, epoch and budget in tokens."""
        return (self.full_question_id(), self.mode, self.model, self.epoch, self.budget.tokens if self.budget else None)

    @property
    def truncated(self) -> bool:
        """Whether generation stopped at a length limit."""
        return (self.finish_reason or "").lower() in TRUNCATED_REASONS

    @property
    def refused(self) -> bool:
        """Whether the model refused: said so by the provider, or a short response that opens with a refusal."""
        if (self.finish_reason or "").lower() in REFUSAL_REASONS:
            return True
        text = self.response.strip()
        return len(text) <= 600 and "\\boxed" not in text and _REFUSAL.search(text) is not None


@dataclass(frozen=True, slots=True)
class AttemptIssue:
    """A doubt about one line.

    Codes: attempt.damaged, attempt.not_utf8, attempt.too_long, attempt.invalid, attempt.duplicate,
    attempt.conflict, attempt.unknown_question, attempt.rejected_question, attempt.usage_inconsistent.
    """

    code: str
    severity: Literal["error", "warning"]
    file: str
    line: int
    message: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON lines."""
        return {
            "code": self.code,
            "severity": self.severity,
            "file": self.file,
            "line": self.line,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Source:
    """Where an attempt was read: file, 1-based line and SHA-256 (16 hex digits) of the line."""

    file: str
    line: int
    sha256: str


@dataclass(slots=True)
class AttemptSet:
    """What a set of files holds: usable attempts with their source, issues, and rejected lines word for word."""

    attempts: list[Attempt] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    issues: list[AttemptIssue] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    lines: int = 0

    def reject(self, source: Source, text: str, code: str, message: str, severity: str = "error") -> None:
        """Keep a line that cannot be used."""
        level: Literal["error", "warning"] = "warning" if severity == "warning" else "error"
        self.issues.append(AttemptIssue(code, level, source.file, source.line, message))
        self.rejected.append({"file": source.file, "line": source.line, "code": code, "text": text})


def read_attempts(
    paths: Iterable[Path],
    questions: Container[str] | None = None,
    rejected_questions: Container[str] = frozenset(),
) -> AttemptSet:
    """Read attempt files.

    Args:
        paths: JSONL files; blank lines are skipped.
        questions: ids of the known questions (contract form); None skips that check.
        rejected_questions: ids that a reviewer rejected; their attempts are set aside with a warning.

    Raises:
        AttemptFileError: a file cannot be opened or read.
    """
    result = AttemptSet()
    seen: dict[tuple[Any, ...], tuple[str, Source]] = {}
    for path in paths:
        for source, raw in _lines(path):
            result.lines += 1
            attempt = _parse(result, source, raw)
            if attempt is not None and _admit(result, attempt, source, raw, seen, questions, rejected_questions):
                result.attempts.append(attempt)
                result.sources.append(source)
    return result


def _lines(path: Path) -> Iterator[tuple[Source, bytes]]:
    try:
        with path.open("rb") as handle:
            number = 0
            while raw := handle.readline(MAX_LINE_BYTES + 1):
                number += 1
                rest = raw
                while len(raw) > MAX_LINE_BYTES and not rest.endswith(b"\n"):  # skip what is left of a huge line
                    rest = handle.readline(MAX_LINE_BYTES)
                    if not rest:
                        break
                if raw.strip():
                    yield Source(str(path), number, hashlib.sha256(raw.strip()).hexdigest()[:16]), raw
    except OSError as error:
        raise AttemptFileError(
            f"Cannot read the attempts file {path}: {error.strerror or error}.",
            hint="Give the JSONL file that the exam wrote.",
        ) from error


def _parse(result: AttemptSet, source: Source, raw: bytes) -> Attempt | None:
    where = f"{source.file}, line {source.line}"
    if len(raw) > MAX_LINE_BYTES:
        result.reject(source, "", "attempt.too_long", f"{where}: the line has more than {MAX_LINE_BYTES} bytes.")
        return None
    text = raw.decode("utf-8", errors="replace").strip()
    try:
        data = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        result.reject(source, text, "attempt.not_utf8", f"{where}: the line is not UTF-8.")
        return None
    except (ValueError, RecursionError) as error:
        cut = "" if raw.endswith(b"\n") else " It has no line end: the writer was probably stopped in the middle."
        result.reject(source, text, "attempt.damaged", f"{where}: not JSON ({error}).{cut}")
        return None
    if not isinstance(data, dict):
        result.reject(source, text, "attempt.invalid", f"{where}: the line is not a JSON object.")
        return None
    try:
        return Attempt.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "record"
        result.reject(source, text, "attempt.invalid", f"{where}: {name}: {first['msg']}.")
        return None


def _unknown(attempt: Attempt, questions: Container[str]) -> str:
    """What is unknown: the paper, or only the question."""
    known = isinstance(questions, KnowsPapers) and questions.knows_paper(attempt.paper_id)
    if not known:
        return f"no paper {attempt.paper_id} in the workspace"
    short = attempt.full_question_id().removeprefix(f"{attempt.paper_id}/")
    return f"the paper {attempt.paper_id} has no question {short}"


def _admit(
    result: AttemptSet,
    attempt: Attempt,
    source: Source,
    raw: bytes,
    seen: dict[tuple[Any, ...], tuple[str, Source]],
    questions: Container[str] | None,
    rejected_questions: Container[str],
) -> bool:
    where = f"{source.file}, line {source.line}"
    text = raw.decode("utf-8").strip()
    name = attempt.full_question_id()
    if questions is not None and name not in questions:
        result.reject(source, text, "attempt.unknown_question", f"{where}: {_unknown(attempt, questions)}.")
        return False
    if name in rejected_questions:
        message = f"{where}: question {name} was rejected in review; the attempt is set aside."
        result.reject(source, text, "attempt.rejected_question", message, "warning")
        return False
    content = hashlib.sha256(attempt.model_dump_json().encode()).hexdigest()
    earlier = seen.get(attempt.key)
    if earlier is not None:
        first = f"{earlier[1].file}, line {earlier[1].line}"
        if earlier[0] == content:
            result.reject(source, text, "attempt.duplicate", f"{where}: the same attempt as {first}.", "warning")
        else:
            message = (
                f"{where}: another answer for the question, mode, model, epoch and budget of {first}; the first counts."
            )
            result.reject(source, text, "attempt.conflict", message)
        return False
    seen[attempt.key] = (content, source)
    if attempt.usage.inconsistent:
        message = f"{where}: more reasoning tokens than output tokens; the length is treated as unknown."
        result.issues.append(AttemptIssue("attempt.usage_inconsistent", "warning", source.file, source.line, message))
    return True
