"""Boxed answers: nested braces, boxes side by side, a unit that stands after the box."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.rules.normalise import matching_brace, tidy
from scoring.rules.units import parse_unit, split_quantity

_BOX = re.compile(r"\\(?:f|x)?boxed\s?(?=\{)|\\fbox\s?(?=\{)")
_BETWEEN = re.compile(
    r"^(?:[\s,，、;；.。$&]|\\quad|\\qquad|\\\\|\\[,;:! ]|或者?|和|与|及|or\b|and\b|\\text\{\s*(?:或|和|or|and)\s*\})*$"
)
MAX_BOXES = 100  # the last ones
MAX_CONTENT = 3000
_STOP = re.compile(r"[，。,；;\n（(]|\.(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Box:
    """Content of a box with its place in the text."""

    start: int
    end: int
    content: str


def boxes(text: str) -> list[Box]:
    """All boxes that are closed, in order; of nested boxes the outermost, without the inner command."""
    found: list[Box] = []
    at = 0
    for match in list(_BOX.finditer(text))[-MAX_BOXES:]:
        if match.start() < at:
            continue
        end = matching_brace(text[: match.end() + MAX_CONTENT], match.end())
        if end < 0:
            continue
        found.append(Box(match.start(), end + 1, _BOX.sub("", text[match.end() + 1 : end])))
        at = end + 1
    return found


def last_run(text: str, found: list[Box]) -> list[Box]:
    """The boxes at the end that stand side by side, with nothing but separators between them."""
    run = found[-1:]
    for box in reversed(found[:-1]):
        if not _BETWEEN.match(text[box.end : run[0].start]):
            break
        run.insert(0, box)
    return run


def with_unit(text: str, box: Box) -> str:
    """The content, with a unit that follows the box when the content has none: `F=\\boxed{9}` N."""
    tail = tidy(text[box.end : box.end + 60].split("\n", 1)[0])
    stop = _STOP.search(tail)
    tail = tail[: stop.start()].strip() if stop else tail
    if tail and parse_unit(tail) is not None and not split_quantity(tidy(box.content)):
        return f"{box.content} {tail}"
    return box.content
