"""Parts whose key is a direction, alone or beside a value."""

from __future__ import annotations

import re

from scoring.extract import Found
from scoring.rules.direction import compare_directions, is_direction
from scoring.rules.judged import Judged, Surroundings
from scoring.rules.mathematics import compare_values, read_key, read_response
from scoring.rules.normalise import tidy
from scoring.rules.statement import readings

_DIRECTION_CUT = re.compile(r"\s*[,，;；]\s*")


def by_direction(gold: str, found: Found, around: Surroundings) -> Judged | None:  # noqa: PLR0911
    """A value with its direction, or a direction alone."""
    if not is_direction(gold):
        return None
    key_value, key_direction = _value_and_direction(gold)
    value, direction = _value_and_direction(found.text)
    if key_direction is None:
        return None
    if key_value is None:
        candidates = [r for r in readings(found.text) if is_direction(r)]
        for text in candidates:
            if compare_directions(key_direction, text)[0]:
                return Judged(True, "direction", "the same direction", text)
        if not candidates:
            return None
        equal, reason = compare_directions(key_direction, candidates[-1])
        return Judged(equal, "direction", reason, candidates[-1])
    ours = read_key(key_value)
    theirs = read_response(value, pick=False) if value else None
    if ours is None or theirs is None:
        return Judged(None, "direction", "the value beside the direction cannot be read", found.text)
    equal, reason = compare_values(ours, theirs.value, around)
    if equal is False:
        return Judged(False, "direction", f"value: {reason}", found.text)
    if direction is None:
        return Judged(None, "direction", "the direction is missing", found.text)
    same, why = compare_directions(key_direction, direction)
    if same is False:
        return Judged(False, "direction", why, found.text)
    return Judged(True if equal and same else None, "direction", f"{reason}; {why}", found.text)


def _value_and_direction(text: str) -> tuple[str | None, str | None]:
    pieces = [p for p in _DIRECTION_CUT.split(tidy(text)) if p]
    directions = [p for p in pieces if is_direction(p) and not re.search(r"\d", p)]
    values = [p for p in pieces if re.search(r"\d|\\", p)]
    if len(pieces) == 1 and len(values) == 1 and is_direction(text):
        cut = re.search(r"\s*(?:,?\s*方向|(?:水平|竖直)?[向朝][上下左右东西南北里外]|\bto the\b"
                        r"|\b(?:upwards?|downwards?|left"
                        r"|right|north|south|east|west)\b)", pieces[0])  # fmt: skip
        if cut and cut.start():
            return pieces[0][: cut.start()], pieces[0][cut.start() :]
        return None, None
    return (values[0] if len(values) == 1 else None), (directions[-1] if directions else None)
