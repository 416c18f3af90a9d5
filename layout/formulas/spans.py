"""Which items of a line are mathematics: spans of items that become one `$…$` each."""

from __future__ import annotations

from collections.abc import Sequence

from layout.formulas.kinds import OPERATORS_AT_EDGE, Entry, classify, is_unit
from layout.formulas.span_edges import balanced, with_names, with_relations
from layout.formulas.structure import Item
from layout.formulas.symbols import FUNCTIONS
from layout.formulas.tree import Script
from layout.formulas.upright import is_upright

OPENING, CLOSING = "([{（⟨", ")]}）⟩"
TRAILING = ",.;:，。；：、?!"


def find_spans(items: Sequence[Item], gaps: Sequence[str]) -> list[tuple[int, int]]:
    """Half-open ranges of `items` that are formulas; `gaps` are the white space before each item."""
    entries = with_names(classify(items, gaps))
    spans: list[tuple[int, int]] = []
    start = 0
    for stop in range(1, len(entries) + 1):
        if stop == len(entries) or entries[stop].kind == "text" or entries[stop].gap.strip(" "):
            spans.extend(piece for span in _inside(entries, start, stop) for piece in _by_quantity(entries, *span))
            start = stop
        elif entries[start].kind == "text":
            start = stop
    return _balanced(entries, spans)


def _balanced(entries: Sequence[Entry], spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans with the partners of their brackets; two that meet then are one."""
    out: list[tuple[int, int]] = []
    for span in spans:
        low, high = balanced(entries, *span, 0, len(entries))
        if out and low < out[-1][1]:
            out[-1] = (min(out[-1][0], low), max(out[-1][1], high))
        else:
            out.append((low, high))
    return with_relations(entries, out)


def _inside(entries: Sequence[Entry], start: int, stop: int) -> list[tuple[int, int]]:
    """The formula within entries that no text interrupts, if any."""
    hard = [n for n in range(start, stop) if entries[n].kind == "math"]
    if not hard:
        return []
    low = _reach(entries, hard[0], start - 1, -1)
    high = _reach(entries, hard[-1], stop, 1) + 1
    low, high = _trim(entries, low, high)
    return [(low, high)] if any(entries[n].kind == "math" for n in range(low, high)) else []


def _by_quantity(entries: Sequence[Entry], low: int, high: int) -> list[tuple[int, int]]:
    """A quantity and the substance named behind it are two formulas: 2 mol | NaOH, but 2 Na + 2 H₂O is one."""
    for n in range(low + 2, high):
        unit = n - 1
        while unit > low and is_upright(entries[unit].item.node):
            unit -= 1
        named = is_upright(entries[n].item.node) and entries[n].sign.isupper()
        if named and entries[n].gap and unit < n - 1 and entries[unit].text.isdigit():
            return [(low, n), *_by_quantity(entries, n, high)]
    return [(low, high)]


def _reach(entries: Sequence[Entry], first: int, end: int, step: int) -> int:
    """How far soft items belong to a formula: what touches it, and operands of an operator at its edge."""
    at = first
    n = first + step
    while n != end:
        entry = entries[n]
        gap = entry.gap if step > 0 else entries[n + 1].gap
        here = entries[at]
        ratio = _is_ratio(entries, n) or _is_ratio(entries, at)
        joined = (
            not gap
            or ratio
            or _binds(entry)
            or _binds(here)
            or _is_celsius(entries, n)
            or (step > 0 and entry.text in ("↑", "↓") and isinstance(here.item.node, Script))
            or (step > 0 and (entry.text.isalnum() or entry.sign in OPENING) and _ends_function(entries, at))
            or (entry.text.isdigit() and step < 0)
            or is_unit(entries, n)
        )
        if not joined:
            break
        at = n
        n += step
    return at


def _binds(entry: Entry) -> bool:
    return bool(entry.text) and (entry.text in OPERATORS_AT_EDGE)


def _is_celsius(entries: Sequence[Entry], n: int) -> bool:
    """Whether ° and C stand at index `n`, behind a number."""
    degree = entries[n].text in ("°", "℃") or (isinstance(entries[n].item.node, Script) and entries[n].sign == "°")
    return degree and (entries[n].text == "℃" or (entries[n + 1 : n + 2] != [] and entries[n + 1].text == "C"))


def _ends_function(entries: Sequence[Entry], n: int) -> bool:
    """Whether a function's name ends at index `n` with a script: a log with its base, an inverse."""
    if not isinstance(entries[n].item.node, Script):
        return False
    start = n
    while start and not entries[start].gap and entries[start - 1].text.isalpha() and entries[start - 1].kind != "text":
        start -= 1
    return "".join(e.text for e in entries[start:n]) + entries[n].sign in FUNCTIONS


def _is_ratio(entries: Sequence[Entry], n: int) -> bool:
    """Whether a colon stands in the middle between two operands; that of a sentence follows its word at once."""
    if not 0 < n < len(entries) - 1 or entries[n].text not in (":", "∶"):
        return False
    left, colon, right = (entries[k].item for k in (n - 1, n, n + 1))
    sides = (entries[n - 1], entries[n + 1])
    if not all(not e.text or (e.text.isalnum() and e.text.isascii()) for e in sides):
        return False
    before, after = colon.box.x0 - left.box.x1, right.box.x0 - colon.box.x1
    return before >= 0.15 * colon.atoms[0].size and max(before, after) <= 1.5 * min(before, after)


def _trim(entries: Sequence[Entry], low: int, high: int) -> tuple[int, int]:
    """Without punctuation at the ends and without brackets there that have no partner inside."""
    changed = True
    while changed and low < high:
        changed = False
        if entries[high - 1].text and entries[high - 1].text in TRAILING:
            high -= 1
            changed = True
            continue
        if entries[low].text and (
            entries[low].text in TRAILING or (entries[low].text in ")]}" and entries[low].kind != "math")
        ):
            low += 1
            changed = True
            continue
        depth, unmatched = 0, None
        opened: list[int] = []
        for n in range(low, high):
            text = entries[n].sign
            if text and text in OPENING:
                opened.append(n)
                depth += 1
            elif text and text in CLOSING:
                if opened:
                    opened.pop()
                elif unmatched is None:
                    unmatched = n
        if unmatched == high - 1 and entries[high - 1].kind != "math":
            high -= 1
            changed = True
        elif opened and opened[0] == low and entries[low].kind != "math":
            low += 1
            changed = True
    return low, high
