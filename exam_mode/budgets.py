"""Token budgets: `4096`, `4k`, `10%` of a window, and lists of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from exam_mode.errors import ExamOptionError

_NUMBER = re.compile(r"^(\d+(?:\.\d+)?)\s*([kKmM]?)$")
_UNITS = {"": 1, "k": 1024, "m": 1024 * 1024}
_ROUND = {"": 1, "k": 1000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class Budget:
    """A cap on generated tokens, reasoning included; `requested` as the user wrote it."""

    tokens: int
    requested: str


def parse_budgets(texts: Sequence[str], window: int | None) -> tuple[Budget | None, ...]:
    """Budgets from options such as `4096` and `2k,4k,8k`; k is 1,024 tokens. Nothing given means one run without a cap.

    Args:
        texts: options, each one budget or several with commas.
        window: the model's context window in tokens, for per cents.

    Raises:
        ExamOptionError: not a number, not positive, twice the same, or a per cent of an unknown window.
    """
    items = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    budgets = tuple(_budget(item, window) for item in items)
    sizes = [b.tokens for b in budgets]
    if len(set(sizes)) < len(sizes):
        raise ExamOptionError(f"A budget is given twice: {', '.join(items)}.", hint="Give each budget once.")
    return budgets or (None,)


def _budget(text: str, window: int | None) -> Budget:
    if text.endswith("%"):
        return Budget(_share(text, window), text)
    return Budget(amount(text, _UNITS, "budget"), text)


def _share(text: str, window: int | None) -> int:
    match = _NUMBER.match(text[:-1].strip())
    share = float(match.group(1)) if match and not match.group(2) else 0.0
    if not 0 < share <= 100:
        raise ExamOptionError(f"The budget {text!r} is not a per cent between 0 and 100.", hint="For example 10%.")
    if window is None:
        raise ExamOptionError(
            f"The budget {text} needs the size of the model's context window, which is not known.",
            hint="Give it with --window TOKENS.",
        )
    return max(1, math.floor(window * share / 100))


def amount(text: str, units: dict[str, int] = _ROUND, what: str = "number") -> int:
    """A positive whole number with an optional k or m; by default k is 1,000.

    Raises:
        ExamOptionError: it is not.
    """
    match = _NUMBER.match(text.strip())
    value = round(float(match.group(1)) * units[match.group(2).lower()]) if match else 0
    if value <= 0:
        raise ExamOptionError(f"The {what} {text!r} is not usable.", hint="For example 4096, 4k or 1.5m.")
    return value
