"""`mock_exam`: the whole paper in one conversation; the taker hands in an answer sheet as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from exam_mode.budgets import Budget
from exam_mode.forms.base import Context, Request, TextBlock, page_blocks
from exam_mode.forms.naming import printed_name
from exam_mode.items import Item
from exam_mode.prompts import fill

# Takers write LaTeX into JSON without doubling its backslashes. A doubled one is kept; a backslash before a letter
# that is no escape of JSON, or before one of these commands, whose first letter would be one, is meant as written.
_COMMANDS = (
    "bar|because|begin|beta|bigcap|bigcup|binom|boldsymbol|bot|boxed|fbox|forall|frac|nabla|ne|neg|neq|ni|not|notin|nu|"
    "rangle|rfloor|rho|right|rightarrow|rightleftharpoons|rm|tan|tau|text|textbf|tfrac|therefore|theta|times|to|triangle|"
    "underline|uparrow|underset|unit"
)
_LATEX_IN_JSON = re.compile(rf'\\\\|\\(?=(?:{_COMMANDS})(?![A-Za-z]))|\\(?!["\\/bfnrtu])')


def sheet_key(item: Item) -> str:
    """The question's key on the answer sheet: the last part of its id, such as `2.13`."""
    return item.id.rpartition("/")[2]


def build_paper(items: Sequence[Item], context: Context, budget: Budget | None) -> Request:
    """Pages in order, then the rules of the exam with the keys of all questions that count."""
    source = items[0].source
    language = context.speech(source)
    pages = source.question_pages
    blocks, _ = page_blocks(source, pages, context)
    limit = fill("mock_limit", language, tokens=str(budget.tokens)) if budget else ""
    targets = "\n".join(f"{sheet_key(item)} = {printed_name(item, language)}" for item in items)
    text = fill("mock_exam", language, limit=limit, targets=targets)
    return Request((*blocks, TextBlock(text)), tuple(p.number for p in pages))


def read_sheet(text: str, keys: Sequence[str]) -> dict[str, list[str]] | None:
    """Answers by key from the last answer sheet in `text`; None when there is none.

    A sheet is a JSON object with an `answers` object, or one that maps the keys themselves. Keys that were not asked
    for are ignored; a missing key has no answer.
    """
    for found in reversed(_objects(text)):
        answers = found.get("answers", found)
        if isinstance(answers, Mapping) and any(str(key) in keys for key in answers):
            return {str(k): _entries(v) for k, v in answers.items() if str(k) in keys}
    return None


def boxed(entries: Sequence[str]) -> str:
    """Answers in the form that scoring reads: one `\\boxed{}` each; empty when there is none."""
    return "\n".join(f"\\boxed{{{entry}}}" for entry in entries) if any(e.strip() for e in entries) else ""


def _entries(value: Any) -> list[str]:
    if isinstance(value, list):
        return [entry for inner in value for entry in _entries(inner)]
    if isinstance(value, Mapping):
        return [entry for inner in value.values() for entry in _entries(inner)]
    return ["" if value is None else str(value)]


def _objects(text: str) -> list[dict[str, Any]]:
    """JSON objects in the text in order of appearance, none within another; fences around them do not matter."""
    decoder = json.JSONDecoder(strict=False)
    text = _LATEX_IN_JSON.sub(lambda found: found.group(0) if len(found.group(0)) > 1 else "\\\\", text)
    found: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0:
        end = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
            found.append(value)
        except (ValueError, RecursionError):
            pass
        start = text.find("{", end)
    return found
