"""`wholepage score answers`: bare (gold, response) pairs marked by rules alone, one line in, one line out."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from scoring.outcome import Gold, MultiSelectPolicy, Outcome, mark
from wholepage.errors import ExitCode, WholepageError

MAX_LINE = 8 * 1024 * 1024  # bytes of one line


class PairsError(WholepageError):
    """The file of pairs cannot be read."""

    exit_code = ExitCode.UNREADABLE
    default_code = "pairs.unreadable"


class Pair(BaseModel):
    """One line of a pairs file. Fields not listed here are ignored."""

    model_config = ConfigDict(extra="ignore")

    id: str | int | None = None
    kind: str = ""
    type: str = "fill_in_blank"
    subject: str = ""
    gold: list[str] = Field(min_length=1)
    response: str
    options: dict[str, str] | None = None
    question: str = ""
    points: float | None = None
    policy: MultiSelectPolicy = "subset_half"
    expect: str | None = None
    fraction: float | None = Field(None, description="Expected fraction, beside `expect`.")

    @field_validator("gold", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    def official(self) -> Gold:
        """The key in the form that `mark` takes."""
        return Gold(self.type, tuple(self.gold), self.options, self.policy, self.points, self.question, self.subject)


@dataclass(frozen=True, slots=True)
class Marked:
    """A line's result: the pair with its outcome, or why the line is none."""

    line: int
    pair: Pair | None = None
    outcome: Outcome | None = None
    error: str = ""
    id: str | int | None = None  # of a line that is no pair, where it has one

    def record(self) -> dict[str, Any]:
        """The output line."""
        if self.pair is None or self.outcome is None:
            return {"id": self.id, "line": self.line, "error": self.error}
        return {
            "id": self.pair.id if self.pair.id is not None else self.line,
            "verdict": self.outcome.verdict,
            "fraction": self.outcome.fraction,
            "extracted": list(self.outcome.extracted),
            "rule": self.outcome.rule,
            "reason": self.outcome.reason,
        }


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(1-based number, bytes) of each line that is not blank; `-` reads standard input.

    Raises:
        PairsError: the file cannot be opened or read.
    """
    try:
        if str(path) == "-":
            yield from _numbered(sys.stdin.buffer)
            return
        with path.open("rb") as handle:
            yield from _numbered(handle)
    except OSError as error:
        raise PairsError(
            f"Cannot read {path}: {error.strerror or error}.",
            hint='Give a JSONL file whose lines hold "gold" and "response".',
        ) from error


def _numbered(handle: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(handle, 1):
        if line.strip():
            yield number, line


class _NoPairError(ValueError):
    """A line that is no pair; `id` where it has one."""

    def __init__(self, message: str, name: object = None) -> None:
        super().__init__(message)
        self.id = name if isinstance(name, str | int) and not isinstance(name, bool) else None


def mark_lines(lines: Iterable[tuple[int, bytes]], name: str = "") -> Iterator[Marked]:
    """Mark each line as it comes; a line that is no pair becomes an error that names file `name` and number."""
    for number, line in lines:
        try:
            pair = _pair(line)
        except _NoPairError as error:
            where = f"{name}, line {number}" if name else f"line {number}"
            yield Marked(number, error=f"{where}: {error}", id=error.id)
            continue
        yield Marked(number, pair, mark(pair.official(), pair.response))


def _pair(line: bytes) -> Pair:
    if len(line) > MAX_LINE:
        raise _NoPairError(f"longer than {MAX_LINE // 1024 // 1024} MiB")
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _NoPairError("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise _NoPairError("not JSON") from error
    if not isinstance(value, dict):
        raise _NoPairError("not a JSON object")
    try:
        return Pair.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(p) for p in first["loc"]) or "line"
        raise _NoPairError(f"{where}: {first['msg']}", value.get("id")) from error


@dataclass
class Tally:
    """Counts for the summary that is printed without --json."""

    verdicts: Counter[str] = field(default_factory=Counter)
    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def add(self, marked: Marked) -> None:
        """Count one line."""
        if marked.pair is None or marked.outcome is None:
            self.errors.append(marked.error)
            return
        verdict = marked.outcome.verdict
        self.verdicts[verdict] += 1
        self.by_kind.setdefault(marked.pair.kind or marked.pair.type, Counter())[verdict] += 1
        if marked.pair.expect:
            self.confusion[marked.pair.expect, verdict] += 1


VERDICTS = ("correct", "partial", "wrong", "undecided")


def print_summary(tally: Tally) -> None:
    """Verdicts a kind of answer and, where the pairs carry `expect`, expected against given."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table(title="Verdicts by rules alone")
    table.add_column("kind")
    for name in VERDICTS:
        table.add_column(name, justify="right")
    for kind, counts in sorted(tally.by_kind.items()):
        table.add_row(escape(kind), *(str(counts[v]) for v in VERDICTS))
    if len(tally.by_kind) != 1:
        table.add_section()
        table.add_row("all", *(str(tally.verdicts[v]) for v in VERDICTS))
    console.print(table)
    if tally.confusion:
        matrix = Table(title="Expected (rows) against given (columns)")
        matrix.add_column("")
        for name in VERDICTS:
            matrix.add_column(name, justify="right")
        for expected in sorted({e for e, _ in tally.confusion}, key=lambda e: (e not in VERDICTS, e)):
            matrix.add_row(escape(expected), *(str(tally.confusion[expected, v]) for v in VERDICTS))
        console.print(matrix)
