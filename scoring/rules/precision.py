"""Significant figures and stated precision of decimal answers."""

from __future__ import annotations

import re
from fractions import Fraction

from scoring.rules.equal import close, constant
from scoring.rules.evaluate import context, to_float
from scoring.rules.read import read
from scoring.rules.tree import Undefined, Unreadable
from scoring.rules.values import Formula, Quantity, Value

_DECIMAL = re.compile(r"^[-+]?\s*\d+(?:\.(\d+))?$")
_SCIENTIFIC = re.compile(r"^[-+]?\s*(\d+(?:\.(\d+))?)\s*[×*·]\s*10\s*\^\s*\{?\s*\(?([+-]?\d{1,3})\)?\s*\}?$")
_READING = re.compile(
    r"读数|示数|游标|螺旋测微|千分尺|刻度|量筒|滴定管|标尺|主尺|vernier|micrometer|scale reading|caliper", re.IGNORECASE
)
_MEASURED_UNITS = ("mm", "cm", "毫米", "厘米", "mL", "ml", "毫升")


def decimals(text: str) -> int | None:
    """Digits after the point of a plain decimal; None for any other spelling."""
    found = _DECIMAL.match(text.strip())
    return None if found is None else len(found.group(1) or "")


def unit_in_last_place(text: str) -> Fraction | None:
    """Value of the last digit of a decimal or of a number in scientific notation."""
    digits = decimals(text)
    if digits is not None:
        return Fraction(1, 10**digits)
    found = _SCIENTIFIC.match(text.strip())
    if found is None:
        return None
    power = int(found.group(3)) - len(found.group(2) or "")
    return Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)


def lost_zero(gold: Value, given: Value, surroundings: str) -> str:  # noqa: PLR0911
    """Why equal decimals are still in doubt: a reading's trailing zero carries its precision. '' when there is none.

    A calculated value with a unit (2.0 A, 2 A) is one and the same; a bare decimal, a length or volume that was
    read, and anything near words of reading an instrument, is not.
    """
    if not isinstance(gold, Formula | Quantity) or not isinstance(given, Formula | Quantity):
        return ""
    left, right = decimals(gold.text), decimals(given.text)
    if left is None or right is None or left == right:
        return ""
    longer = gold.text if left > right else given.text
    if not longer.strip().endswith("0") or "." not in longer:
        return ""
    if _READING.search(surroundings):
        return "a reading with another number of digits"
    if left < right:
        return ""
    if isinstance(gold, Formula):
        return "the key's trailing zero may state the precision of a reading"
    if any(u in gold.unit.text for u in _MEASURED_UNITS) and left >= 1 and "/" not in gold.unit.text:
        return "the key's trailing zero may state the precision of a reading"
    if left >= 2 and not any(u in gold.unit.text for u in ("mol", "L", "g", "J", "升", "克")):
        return "the key's trailing zeros may state the precision of a reading"
    return ""


def within_precision(gold: Value, given: Value) -> tuple[bool | None, str] | None:  # noqa: PLR0911
    """For unequal numbers: whether the difference lies within the key's stated precision.

    True only where the key itself says 约 or ≈, or where the response gives its exact value and rounds it to the
    key. None where a rounded key meets another value that rounds to it. No result: the rule does not apply.
    """
    if not isinstance(gold, Formula | Quantity) or not isinstance(given, Formula | Quantity):
        return None
    try:
        ours, theirs = _in_units_of(gold, gold), _in_units_of(given, gold)
    except (Undefined, Unreadable):
        return None
    if ours is None or theirs is None:
        return None
    stated = _rounded(given, gold)
    if stated is not None and close(stated, ours) and _near(theirs, stated, Fraction(1, 20)):
        return True, "the response rounds its value to the key"
    key_rounded = _rounded(gold, gold)
    if key_rounded is not None and close(key_rounded, theirs):
        return True, "the rounded value that the key gives"
    last = unit_in_last_place(gold.text)
    if last is None:
        return None
    difference = abs(to_float(theirs) - to_float(ours))
    if difference < to_float(last) / 2:
        if gold.approx:
            return True, "rounds to the key, which is approximate"
        if _significant(gold.text) >= 2:
            return None, "rounds to the key"
    if gold.approx:
        coarse = unit_in_last_place(given.text)
        if coarse is not None and coarse > last and difference < to_float(coarse) / 2:
            return None, "coarser than the key"
    return None


def _significant(text: str) -> int:
    digits = re.sub(r"[×*·].*$", "", text)
    return len(re.sub(r"\D", "", digits).lstrip("0"))


def _in_units_of(value: Formula | Quantity, target: Formula | Quantity) -> object | None:
    number = constant(value.parsed)
    ctx = context()
    if isinstance(number, ctx.mpc):
        return None
    if isinstance(value, Quantity) and isinstance(target, Quantity):
        if not value.unit.converts_to(target.unit):
            return None
        scale = value.unit.factor / target.unit.factor
        return number * scale if isinstance(number, Fraction) else number * to_float(scale)
    return number if isinstance(value, Quantity) == isinstance(target, Quantity) else None


def _rounded(value: Formula | Quantity, target: Formula | Quantity) -> object | None:
    """The number that stood behind a ≈ sign."""
    if not value.rounded:
        return None
    try:
        shown = read(value.rounded)
        if isinstance(shown, Formula) and isinstance(value, Quantity):
            shown = Quantity(shown.parsed, value.unit, shown.text)
        return _in_units_of(shown, target) if isinstance(shown, Formula | Quantity) else None
    except (Undefined, Unreadable):
        return None


def _near(a: object, b: object, share: Fraction) -> bool:
    x, y = to_float(a), to_float(b)
    return bool(abs(x - y) <= abs(y) * to_float(share))
