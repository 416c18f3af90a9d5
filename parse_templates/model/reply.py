"""What a model may answer: line ids and character spans. There is no field that takes text for the paper.

`to` of a correction is the one place where characters come from a model; corrections.py decides what becomes of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MAX_SPANS = 400  # of one field
MAX_ITEMS = 300  # questions or key entries of one window
MAX_DEPTH = 4  # of nested parts


class UnusableReplyError(Exception):
    """A reply that is no JSON or not of the asked form; the message is shown to the model."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Span(_Reply):
    """Characters `start` to `end` (exclusive; null: the end) of the line with this id."""

    line: int = Field(ge=0)
    start: int = Field(0, ge=0)
    end: int | None = Field(None, ge=1)


class OptionReply(_Reply):
    """One option: the printed letter, and its text (empty when a picture is the option)."""

    label: Span
    text: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)


class PartReply(_Reply):
    """A sub-question: its printed label such as (1), its own text, its printed marks, the parts inside it."""

    label: Span
    text: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)
    points: Span | None = None
    parts: list[PartReply] = Field(default_factory=list, max_length=60)


class QuestionReply(_Reply):
    """One question; `answer` and `solution` only where they are printed with the question itself."""

    number: Span
    section: Span | None = None
    points: Span | None = None
    stem: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)
    options: list[OptionReply] = Field(default_factory=list, max_length=12)
    parts: list[PartReply] = Field(default_factory=list, max_length=60)
    answer: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)
    solution: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)
    figures: list[str] = Field(default_factory=list, max_length=60)


class KeyReply(_Reply):
    """One entry of an answer key: the printed number (or range, as 1-5), the answer (of a range one span each)."""

    number: Span
    answer: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)
    solution: list[Span] = Field(default_factory=list, max_length=MAX_SPANS)


class CorrectionReply(_Reply):
    """A slip of character recognition: what the span reads, what the page shows, and why."""

    span: Span
    from_: str = Field(alias="from", max_length=200)
    to: str = Field(max_length=200)
    reason: str = Field("", max_length=2000)


class Reply(_Reply):
    """The reply for one window of lines."""

    questions: list[QuestionReply] = Field(max_length=MAX_ITEMS)
    key: list[KeyReply] = Field(default_factory=list, max_length=MAX_ITEMS)
    corrections: list[CorrectionReply] = Field(default_factory=list, max_length=MAX_ITEMS)


def reply_schema() -> dict[str, Any]:
    """JSON schema in the subset that servers with structured output take: every property required, no others."""
    schema = Reply.model_json_schema(by_alias=True)
    for node in _objects(schema):
        node.pop("default", None)
        for word in ("maxLength", "minimum", "maxItems", "title"):
            node.pop(word, None)
        if node.get("type") == "object":
            node["required"] = list(node["properties"])
            node["additionalProperties"] = False
    return schema


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _objects(inner)


def read_reply(text: str) -> Reply:
    """The reply in a model's text, which may stand in a code fence.

    Raises:
        UnusableReplyError: it is no JSON, or not of this form.
    """
    bare = re.sub(r"^\s*<think>.*?</think>", "", text, flags=re.S)
    begin, end = bare.find("{"), bare.rfind("}")
    if begin < 0 or end < begin:
        raise UnusableReplyError("The reply holds no JSON object.")
    try:
        data = json.loads(bare[begin : end + 1])
    except RecursionError as error:
        raise UnusableReplyError("The reply is nested too deeply.") from error
    except ValueError as error:
        raise UnusableReplyError(f"The reply is no valid JSON: {error}") from error
    try:
        return Reply.model_validate(data)
    except RecursionError as error:
        raise UnusableReplyError("The reply is nested too deeply.") from error
    except ValidationError as error:
        said = [f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors(include_input=False)[:8]]
        raise UnusableReplyError("The reply does not follow the schema: " + "; ".join(said)) from error


def question_spans(question: QuestionReply) -> Iterator[tuple[str, Span]]:
    """All spans of a question with the field that each belongs to."""
    yield "number", question.number
    for name in ("section", "points"):
        span = getattr(question, name)
        if span is not None:
            yield name, span
    for name in ("stem", "answer", "solution"):
        for span in getattr(question, name):
            yield name, span
    for option in question.options:
        yield from (("options", s) for s in (option.label, *option.text))
    for part in question.parts:
        yield from _part_spans(part)


def _part_spans(part: PartReply) -> Iterator[tuple[str, Span]]:
    yield from (("parts", s) for s in (part.label, *([part.points] if part.points else ()), *part.text))
    for inner in part.parts:
        yield from _part_spans(inner)


def part_depth(parts: list[PartReply]) -> int:
    """How deep parts are nested; 0 for none."""
    return 1 + max(part_depth(p.parts) for p in parts) if parts else 0
