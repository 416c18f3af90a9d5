"""`calls.jsonl` of a run: one line a finished unit, appended in one write, so that a killed run loses nothing it had.

A line that a kill cut short is the last of the file; it is cut off when the file is opened again, and its unit is
asked anew.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exam_mode.errors import ExamError


class Call(BaseModel):
    """What became of one unit. `attempts` hold one record a question in the form of docs/scoring.md."""

    model_config = ConfigDict(extra="allow")

    unit: str
    kind: str
    mode: str
    model: str
    ok: bool
    attempts: list[dict[str, Any]] = Field(default_factory=list)
    transcription: str | None = None
    caption: str | None = None
    error: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    currency: str | None = None
    seconds: float = 0.0
    request: str = Field("", description="SHA-256 of what was sent: texts and image hashes.")
    images: list[str] = Field(default_factory=list, description="SHA-256 of each image sent, in order.")


@dataclass(slots=True)
class Totals:
    """Sums over all calls of a run, failed ones included."""

    done: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    unknown_usage: int = 0
    cost: float = 0.0
    unpriced: int = 0
    currency: str | None = None

    def add(self, call: Call) -> None:
        """Count one call; a unit that succeeded is done for good."""
        self.calls += 1
        if call.kind == "caption":  # no unit of its own
            pass
        elif call.ok:
            self.done.add(call.unit)
            self.failed.pop(call.unit, None)
        elif call.unit not in self.done:
            self.failed[call.unit] = call.error or ""
        self.input_tokens += call.input_tokens or 0
        self.cached_tokens += call.cached_tokens or 0
        self.output_tokens += call.output_tokens or 0
        self.unknown_usage += call.ok and call.output_tokens is None
        if call.cost is None:
            self.unpriced += call.ok
        else:
            self.cost += call.cost
            self.currency = call.currency


class CallLog:
    """The file, opened for appending. Use as a context."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.totals = Totals()
        self.watch: Callable[[], None] | None = None  # called after each line
        self._lock = threading.Lock()
        self._disk = threading.Lock()
        self._written = 0
        self._synced = 0
        self._handle: int | None = None

    def __enter__(self) -> CallLog:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        _cut_torn_end(self.path)
        for call in read_calls(self.path):
            self.totals.add(call)
        self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def append(self, call: Call) -> None:
        """Write one line and have it on disk before returning.

        Raises:
            ExamError: the disk is full or the folder is gone.
        """
        text = json.dumps(call.model_dump(mode="json", exclude_none=True), ensure_ascii=False)
        data = text.encode("utf-8", "backslashreplace") + b"\n"
        try:
            self._sync(self._write(data))
        except OSError as error:
            raise ExamError(
                f"Cannot write {self.path}: {error.strerror or error}.",
                hint="Free some space, then `wholepage exam continue`; finished calls are kept.",
                code="exam.write_failed",
            ) from error
        with self._lock:
            self.totals.add(call)
            if self.watch is not None:
                self.watch()

    def _write(self, data: bytes) -> int:
        """Write one line; returns how many lines were written up to it."""
        with self._lock:
            if self._handle is None:
                raise ExamError(f"{self.path} is not open.")
            view = memoryview(data)
            while view:
                view = view[os.write(self._handle, view) :]
            self._written += 1
            return self._written

    def _sync(self, line: int) -> None:
        """Return when that line is on disk: one call of the system is for all lines that were written before it."""
        with self._disk:
            if self._synced >= line or self._handle is None:
                return
            written = self._written
            os.fsync(self._handle)
            self._synced = written


def _cut_torn_end(path: Path) -> None:
    """Remove what stands after the last line end; blocks are read from the back, so long files cost nothing."""
    try:
        with path.open("r+b") as handle:
            end = handle.seek(0, os.SEEK_END)
            position = end
            while position > 0:
                start = max(0, position - 65536)
                handle.seek(start)
                found = handle.read(position - start).rfind(b"\n")
                if found >= 0:
                    position = start + found + 1
                    break
                position = start
            if position < end:
                handle.truncate(position)
    except FileNotFoundError:
        return


def read_calls(path: Path) -> Iterator[Call]:
    """Calls in the order in which they ended, one in memory at a time; a line without an end is skipped.

    Raises:
        ExamError: a line within the file is damaged.
    """
    try:
        with path.open("rb") as handle:
            for number, raw in enumerate(handle, start=1):
                if not raw.endswith(b"\n"):
                    return
                yield _parse(path, number, raw)
    except FileNotFoundError:
        return


def _parse(path: Path, number: int, raw: bytes) -> Call:
    try:
        return Call.model_validate_json(raw)
    except ValidationError as error:
        raise ExamError(
            f"{path}, line {number} is damaged: {error.errors()[0]['msg']}.",
            hint="Remove that line; its question is asked again by `wholepage exam continue`.",
            code="exam.damaged",
        ) from error
