"""Marks of questions, options and parts at the start of a line or behind a gap: they are no formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from layout.formulas.atoms import is_math_font
from layout.formulas.structure import Item
from layout.segments import is_wide

LABEL = re.compile(r"^[(（]?(?:[A-Ha-h]|\d{1,2}|[ivx]{1,4})[)）.．、:：]")
INNER_LABEL = re.compile(r"^[(（]?(?:[A-Ha-h]|\d{1,2}|[ivx]{1,4})[)）.．、]")
RATIO = re.compile(r"\d+(?:\.\d+)?(?:[:∶]\d+(?:\.\d+)?){2,}")
DECIMAL = 0.22  # font sizes: a point with less around it stands in a number, not behind that of a question


def mark_items(items: Sequence[Item], gaps: Sequence[str]) -> set[int]:
    """Items of question, option and part marks: at the start of the line or behind a wide gap, in a font of text."""
    found: set[int] = set()
    for start in range(len(items)):
        if start and len(gaps[start].strip(" ")) == 0 and not _ends_clause(items[start - 1], gaps[start]):
            continue
        text = "".join(i.text or "\x00" for i in items[start : start + 5])
        match = None if RATIO.match(text) else (LABEL if start == 0 else INNER_LABEL).match(text)
        if match and _is_operand(items, start, match):
            continue
        marks = items[start : start + match.end()] if match else ()
        if match and not any(is_math_font(a.glyph.font) for i in marks for a in i.atoms):
            found.update(range(start, start + match.end()))
    return found


def _is_operand(items: Sequence[Item], start: int, mark: re.Match[str]) -> bool:
    """Whether what looks like a mark begins a formula: 4.48, or C: with its colon in the middle, as in C: y² = x."""
    last = start + mark.end() - 1
    if last <= start or last + 1 >= len(items):
        return False
    sign, after = items[last], items[last + 1]
    gaps = (sign.box.x0 - items[last - 1].box.x1, after.box.x0 - sign.box.x1)
    size = sign.atoms[0].size
    if sign.text == "." and mark.group()[:-1].isdigit():
        return after.text.isdigit() and max(gaps) < DECIMAL * size
    return sign.text in ":∶" and last == start + 1 and min(gaps) >= 0.12 * size and max(gaps) <= 1.6 * min(gaps)


def _ends_clause(item: Item, gap: str) -> bool:
    return bool(gap and item.text) and (item.text in "。；;）)" or is_wide(item.text))
