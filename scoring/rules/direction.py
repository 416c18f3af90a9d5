"""Directions in words, alone or beside a value: 水平向左, 方向竖直向上, to the left."""

from __future__ import annotations

import re

from scoring.rules.normalise import plain
from scoring.rules.terms import opposed

_NOISE = re.compile(r"(?:其|它的|的)?方向(?:为|是|:)?|^(?:沿|为|是|指)|[\s,，。;；:：的着]")
_IMPLIED = (
    (re.compile(r"^水平(?=向?[左右])"), ""), (re.compile(r"^竖直(?=向?[上下])"), ""),
    (re.compile(r"^垂直于?纸面(?=向?[里外内])"), ""),
)  # fmt: skip
_IS_DIRECTION = re.compile(
    r"方向|[向朝][上下左右东西南北里外内前后]|[东西南北]偏[东西南北]|轴[正负]方?向|顺时针|逆时针|"
    r"\b(?:left|right|up|down|upwards?|downwards?|north|south|east|west|clockwise|anticlockwise|counterclockwise)\b",
    re.IGNORECASE,
)
_ENGLISH = ("left", "right", "up", "down", "north", "south", "east", "west", "anticlockwise", "clockwise")


def is_direction(text: str) -> bool:
    """Whether the text speaks of a direction."""
    return bool(_IS_DIRECTION.search(text))


def _canonical(text: str) -> str:
    text = plain(text)
    if text.isascii():
        lower = text.lower().replace("counterclockwise", "anticlockwise")
        found = [w for w in _ENGLISH if re.search(rf"\b{w}(?:wards?)?\b", lower)]
        extra = re.sub(r"\b(?:to|the|direction|is|towards?|in|a|and|horizontally|vertically|" + "|".join(
            f"{w}(?:wards?)?" for w in _ENGLISH) + r")\b|[\s.,:-]", "", lower)  # fmt: skip
        return "+".join(found) + extra
    text = _NOISE.sub("", _NOISE.sub("", text))
    for pattern, replacement in _IMPLIED:
        text = pattern.sub(replacement, text)
    return re.sub(r"[向朝](?=[上下左右东西南北里外内])", "", text).replace("内", "里")


def compare_directions(gold: str, given: str) -> tuple[bool | None, str]:
    """Whether two directions are the same."""
    left, right = _canonical(gold), _canonical(given)
    if left == right:
        return True, "the same direction"
    if opposed(left, right) or (left in _ENGLISH and right in _ENGLISH):
        return False, "another direction"
    short = {"上", "下", "左", "右", "里", "外", "东", "西", "南", "北", "前", "后"}
    if left in short and right in short:
        return False, "another direction"
    return None, "directions that only a judge can compare"
