"""Units that the question prints behind a blank, `速度为____m/s`: the key has none, and a response may repeat it."""

from __future__ import annotations

import re
from functools import lru_cache

from scoring.rules.equal import same
from scoring.rules.expr import DEGREE, Parsed
from scoring.rules.normalise import tidy
from scoring.rules.tree import Node, num, symbols
from scoring.rules.units import Unit, parse_unit
from scoring.rules.values import Formula, Quantity

_BLANK = re.compile(r"_{2,}\s*(?P<after>[^_\n]{1,40})")
_END = re.compile(r"[，。,；;、?？!！]|\.(?:\s|$)|\(|（|_")
_PERCENT = re.compile(r"^\s*%")
_DEGREES = re.compile(r"^\s*(?:°|度)")


@lru_cache(maxsize=512)
def printed_units(question: str) -> tuple[Unit, ...]:
    """The units that stand directly behind a blank, without repeats."""
    found: list[Unit] = []
    for tail in _tails(question):
        unit = _leading_unit(tail)
        if unit is not None and unit not in found:
            found.append(unit)
    return tuple(found)


@lru_cache(maxsize=512)
def prints_percent(question: str) -> bool:
    """Whether a per cent sign stands behind a blank."""
    return any(_PERCENT.match(tail) for tail in _tails(question))


@lru_cache(maxsize=512)
def prints_degrees(question: str) -> bool:
    """Whether a degree sign stands behind a blank."""
    return any(_DEGREES.match(tail) for tail in _tails(question))


def _tails(question: str) -> list[str]:
    text = re.sub(r"\\_", "_", question)
    return [tidy(match["after"].replace("$", " ").strip()) for match in _BLANK.finditer(text)]


def _leading_unit(tail: str) -> Unit | None:
    """The longest unit with which `tail` begins; letters of a longer word are none."""
    stop = _END.search(tail)
    text = tail[: stop.start()] if stop else tail
    for end in range(min(len(text), 24), 0, -1):
        rest = text[end : end + 1]
        if rest and rest.isascii() and rest.isalnum() and text[end - 1].isascii():
            continue
        unit = parse_unit(text[:end])
        if unit is not None:
            return unit
    return None


def by_printed_unit(gold: Formula, given: Quantity, units: tuple[Unit, ...]) -> tuple[bool | None, str]:
    """A bare key beside a quantity, where the question prints `units`."""
    if any(u.converts_to(given.unit) and u.factor == given.unit.factor for u in units):
        return same(gold.parsed, given.parsed), "compared in the unit that the question prints"
    for unit in units:
        if unit.converts_to(given.unit):
            left = Parsed(Node("mul", (gold.parsed.node, num(unit.factor))))
            right = Parsed(Node("mul", (given.parsed.node, num(given.unit.factor))))
            return same(left, right), f"converted to {unit.text}, which the question prints"
    return None, f"{given.unit.text} where the question prints another unit"


def by_printed_degrees(gold: Formula, given: Formula) -> bool:
    """Whether both are the same number of degrees, of which the question prints the sign and one side repeats it."""
    if gold.parsed.degrees == given.parsed.degrees:
        return False
    plain, angle = (given, gold) if gold.parsed.degrees else (gold, given)
    return bool(same(Parsed(Node("mul", (plain.parsed.node, DEGREE))), Parsed(angle.parsed.node)))


def by_printed_percent(gold: Formula, given: Formula) -> bool:
    """Whether both are the same percentage, of which the question prints the sign and one side repeats it."""
    if symbols(gold.parsed.node) or symbols(given.parsed.node):
        return False
    left, right = gold.text.rstrip().endswith("%"), given.text.rstrip().endswith("%")
    if left == right:
        return False
    scaled = Parsed(Node("mul", ((given if right else gold).parsed.node, num(100))))
    return bool(same(scaled, (gold if right else given).parsed))
