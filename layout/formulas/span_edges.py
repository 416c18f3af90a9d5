"""Where formulas set in several fonts begin and end: a font of text in a line with one of mathematics is still theirs.

Writers type a bracket or the name of a function in the font of the sentence and the rest with an equation editor.
"""

from __future__ import annotations

from collections.abc import Sequence

from layout.formulas.kinds import WIDE_GAP, Entry
from layout.formulas.symbols import CLOSE, FUNCTIONS, OPEN
from layout.formulas.tree import Script
from layout.segments import is_wide

BETWEEN = frozenset("=<>≤≥≠∥⊥≈")
FURTHEST = 14  # items between a bracket inside a formula and its partner outside


def with_names(entries: Sequence[Entry]) -> list[Entry]:
    """The letters of a function's name are mathematics when its last one carries a script: tan⁻¹ in a font of text."""
    out = list(entries)
    for n, entry in enumerate(entries):
        last = entry.sign if isinstance(entry.item.node, Script) else ""
        if not _is_latin(last):
            continue
        start = n
        while start and not entries[start].gap and _is_latin(entries[start - 1].text):
            start -= 1
        if start < n and "".join(e.text for e in entries[start:n]) + last in FUNCTIONS:
            out[start:n] = [Entry(e.item, "math", e.gap) for e in entries[start:n]]
    return out


def balanced(entries: Sequence[Entry], low: int, high: int, floor: int, ceiling: int) -> tuple[int, int]:
    """The range `low` to `high` with the partners of its brackets, when they stand near it within `floor` to `ceiling`.

    What lies between is neither an ideograph nor a word of the sentence; otherwise the range stays as it is.
    """
    opened: list[str] = []
    for entry in entries[low:high]:
        sign = entry.sign
        if sign in OPEN:
            opened.append(sign)
        elif sign in CLOSE:
            if opened and opened[-1] == CLOSE[sign]:
                opened.pop()
            elif not opened:
                start = _partner(entries, low - 1, -1, CLOSE[sign], sign, floor)
                low = low if start is None else start
    for sign in reversed(opened):
        stop = _partner(entries, high, 1, OPEN[sign], sign, ceiling)
        if stop is None:
            break
        high = stop + 1
    return low, high


def with_relations(entries: Sequence[Entry], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, two with nothing but a relation between them as one; a number behind a relation belongs to it too."""
    out: list[tuple[int, int]] = []
    for low, high in spans:
        if out and out[-1][1] == low - 1 and _relates(entries, low - 1):
            out[-1] = (out[-1][0], high)
        elif not out or low >= out[-1][1]:
            out.append((low, high))
        else:
            continue
        out[-1] = (out[-1][0], _number_behind(entries, out[-1][1]))
    return out


def _relates(entries: Sequence[Entry], n: int) -> bool:
    """Whether a relation stands at index `n`, with no more than a blank on both sides."""
    near = all(e.gap != WIDE_GAP for e in entries[n : n + 2])
    return near and entries[n].text in BETWEEN


def _number_behind(entries: Sequence[Entry], n: int) -> int:
    """The end of the number behind the relation at index `n`; `n` when there is none."""
    if n + 1 >= len(entries) or not _relates(entries, n):
        return n
    stop = n + 1
    while stop < len(entries) and entries[stop].text.isascii() and entries[stop].text.isdigit():
        if stop > n + 1 and entries[stop].gap:
            break
        stop += 1
        pointed = entries[stop : stop + 1] and entries[stop].text == "." and not entries[stop].gap
        if pointed and stop + 1 < len(entries) and entries[stop + 1].text.isdigit() and not entries[stop + 1].gap:
            stop += 1
    return stop if stop > n + 1 else n


def _partner(entries: Sequence[Entry], start: int, step: int, wanted: str, other: str, end: int) -> int | None:
    """Index of the bracket `wanted` from `start` on in the direction of `step`; None where the sentence goes on."""
    depth, letters, at = 0, 0, start
    while end <= at if step < 0 else at < end:
        if abs(at - start) > FURTHEST:
            return None
        entry = entries[at]
        gap = entries[at + 1].gap if step < 0 else entry.gap
        sign = entry.sign
        if gap == WIDE_GAP or (sign and (is_wide(sign) or sign in ".;。；")):
            return None
        letters = letters + 1 if _is_latin(entry.text) and entry.kind == "text" and (letters == 0 or not gap) else 0
        if letters > 3:
            return None
        if sign == wanted:
            if depth == 0:
                return at
            depth -= 1
        elif sign == other:
            depth += 1
        at += step
    return None


def _is_latin(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text.isalpha()
