"""What the forms have in common: one question as a record, the images with it, and what a mapping could not keep."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from wholepage.errors import ExitCode, WholepageError
from wholepage.records import QuestionType

FormName = Literal["livek12bench", "k12vista"]
MAX_IMAGE_BYTES = 64_000_000


class InterchangeError(WholepageError):
    """A file of records that cannot be read or written; the message names file and line, or question."""

    exit_code = ExitCode.UNREADABLE
    default_code = "interchange.unreadable"


class RecordError(ValueError):
    """Why one record cannot be used; the reader adds file and line."""


@dataclass(frozen=True)
class Picture:
    """An image as it came: encoded bytes, the suffix of its format, size in pixels, and a caption if there is one."""

    data: bytes
    suffix: str
    width: int
    height: int
    caption: str | None = None


@dataclass(frozen=True)
class Item:
    """One question in terms of this project, with the record it came from.

    Attributes:
        key: id in the source form.
        group: questions of one group become one paper, e.g. `zh_2603_math`.
        question: text with `<image>` where a picture stands, as far as the form says.
        raw: the record as received, without image bytes.
    """

    key: str
    group: str
    set_name: str
    subject: str | None
    level: str | None
    language: str | None
    type: QuestionType
    points: float | None
    question: str
    answer: tuple[str, ...]
    solution: str
    knowledge_points: tuple[str, ...]
    tags: tuple[str, ...]
    images: tuple[Picture, ...]
    raw: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Loss:
    """Something that the other form cannot hold: which field, why, and for which questions."""

    field: str
    reason: str
    questions: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(self.questions[:3]) + (" …" if len(self.questions) > 3 else "")
        return f"{self.field}: {self.reason} ({len(self.questions)} questions: {shown})"


def gather_losses(found: Iterable[tuple[str, str, str]]) -> list[Loss]:
    """Losses from (field, reason, question id), one entry a field and reason, in order of appearance."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for name, reason, question in found:
        grouped.setdefault((name, reason), []).append(question)
    return [Loss(name, reason, tuple(ids)) for (name, reason), ids in grouped.items()]


def plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record as JSON can hold it: dates and bytes, which Arrow files may have, become text."""
    safe: dict[str, Any] = json.loads(json.dumps(record, ensure_ascii=False, default=str))
    return safe


def text_of(value: Any, name: str) -> str:
    """A text field; absent is empty. Raises RecordError for lists and objects."""
    if value is None:
        return ""
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    raise RecordError(f"{name} is not text but {type(value).__name__}")


def texts_of(value: Any, name: str) -> tuple[str, ...]:
    """A list of texts; a single text counts as a list of one."""
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return tuple(text_of(entry, name) for entry in value)
    return (text_of(value, name),)


def points_of(value: Any, name: str) -> float | None:
    """Points; absent and 0 mean that the source does not say. Raises RecordError for what is no number."""
    if value is None or value == "":
        return None
    try:
        points = float(value)
    except (TypeError, ValueError):
        raise RecordError(f"{name} is no number: {value!r:.40}") from None
    if not 0 <= points < 10_000:  # also refuses NaN
        raise RecordError(f"{name} is out of range: {value!r:.40}")
    return points or None


def looks_chinese(text: str) -> bool:
    """Whether a text holds Chinese characters."""
    return any("\u4e00" <= char <= "\u9fff" for char in text)
