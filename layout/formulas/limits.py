"""Limits: which small atoms stand above, below and beside a large operator or a long arrow."""

from __future__ import annotations

from collections.abc import Sequence

from layout.formulas.atoms import Atom
from layout.formulas.symbols import BIG_OPERATORS, UNDER_OPERATORS
from layout.segments import is_wide
from wholepage.boxes import Box

SMALL = 0.86  # a font smaller than this share of its row's is a script's
INTEGRALS = frozenset("∫∬∭∮")
ARROWS = {
    "→": "xrightarrow",
    "⟶": "xrightarrow",
    "⇌": "xrightleftharpoons",
    "⇋": "xrightleftharpoons",
    "=": "xlongequal",
}


def operators(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Large operators: single signs, and the words lim, max, min as runs of letters."""
    found = [[a] for a in atoms if a.text in BIG_OPERATORS or (a.text in ARROWS and a.ink.width > 1.1 * a.size)]
    letters = sorted((a for a in atoms if a.text in ("l", "m")), key=lambda a: a.ink.x0)
    if not letters:
        return found
    for first in letters:
        run = [first]
        while len(run) < 3:
            nexts = [
                a
                for a in atoms
                if a.text
                and abs(a.baseline - first.baseline) < 0.1 * first.size
                and abs(a.size - first.size) < 0.1 * first.size
                and -0.1 * first.size <= a.ink.x0 - run[-1].ink.x1 < 0.2 * first.size
                and a is not run[-1]
            ]
            if not nexts:
                break
            run.append(min(nexts, key=lambda a: a.ink.x0))
        if "".join(a.text for a in run) in UNDER_OPERATORS and not _in_word(run, atoms):
            found.append(run)
    return found


def _in_word(run: Sequence[Atom], atoms: Sequence[Atom]) -> bool:
    """Whether letters are the beginning, middle or end of a longer word, as those of "maximum"."""
    first, last = run[0], run[-1]
    level = [
        a
        for a in atoms
        if len(a.text) == 1
        and "a" <= a.text <= "z"
        and abs(a.baseline - first.baseline) < 0.1 * first.size
        and abs(a.size - first.size) < 0.1 * first.size
        and not any(a is r for r in run)
    ]
    before = any(-0.1 * first.size <= first.ink.x0 - a.ink.x1 < 0.12 * first.size for a in level)
    behind = [a for a in level if -0.1 * first.size <= a.ink.x0 - last.ink.x1 < 0.12 * first.size]
    # One letter behind it may be what it is taken of.
    longer = any(0 <= b.ink.x0 - a.ink.x1 < 0.12 * first.size for a in behind for b in level if b is not a)
    return before or longer


def limits_of(group: Sequence[Atom], atoms: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
    """The atoms below and above an operator that are its limits."""
    hull = Box.hull(a.ink for a in group)
    size = group[0].size
    others = [a for a in atoms if not any(a is g for g in group)]
    fits = [a for a in others if a.size < SMALL * size or (group[0].text in ARROWS and _stands_on(a, hull))]
    small = [a for a in fits if a.ink.y1 < hull.cy or a.ink.y0 > hull.cy]
    low, high = [a for a in small if a.ink.cy > hull.cy], [a for a in small if a.ink.cy < hull.cy]
    beside = group[0].text in INTEGRALS and hull.height > 1.4 * size
    below = (_bound(hull, low, size) if beside else []) or _stack(hull, low, size, below=True)
    above = (_bound(hull, high, size) if beside else []) or _stack(hull, high, size, below=False)
    return below, above


def _stands_on(atom: Atom, sign: Box) -> bool:
    """Whether an ideograph stands on a long sign, within its ends: a condition, set as large as the line."""
    within = sign.x0 - 0.15 * atom.size <= atom.ink.x0 and atom.ink.x1 <= sign.x1 + 0.15 * atom.size
    return within and is_wide(atom.text or "x") and atom.ink.y1 < sign.y0 + 0.15 * atom.size


def _bound(hull: Box, atoms: list[Atom], size: float) -> list[Atom]:
    """The row of small atoms that begins beside an end of an integral sign."""
    reach = hull.grow(0, 0.35 * size)
    level = [a for a in atoms if reach.y0 < a.ink.cy < reach.y1 and abs(a.ink.cy - hull.cy) > 0.2 * hull.height]
    firsts = [a for a in level if hull.x0 + 0.3 * hull.width < a.ink.x0 < hull.x1 + 0.45 * size]
    row = sorted(firsts, key=lambda a: a.ink.x0)[:1]
    for atom in sorted(level, key=lambda a: a.ink.x0):
        if row and atom.ink.x0 > row[0].ink.x0 and atom.ink.x0 - row[-1].ink.x1 < 0.15 * size:
            row.append(atom)
    return row


def _stack(hull: Box, atoms: list[Atom], size: float, below: bool) -> list[Atom]:
    """The row of small atoms centred right above or below an operator."""
    near = [
        a
        for a in atoms
        if a.ink.x1 > hull.x0 - 0.1 * size
        and a.ink.x0 < hull.x1 + 0.1 * size
        and (a.ink.y0 - hull.y1 if below else hull.y0 - a.ink.y1) < 0.7 * size
    ]
    near = [a for a in near if a.ink.cx >= hull.x0 - 0.3 * size and a.ink.cx <= hull.x1 + 0.3 * size]
    if not near:
        return []
    first = min(near, key=lambda a: abs(a.ink.cy - hull.cy))
    row, changed = [first], True
    while changed:
        changed = False
        span = Box.hull(a.ink for a in row)
        for atom in atoms:
            if any(atom is r for r in row):
                continue
            gap = max(atom.ink.x0 - span.x1, span.x0 - atom.ink.x1)
            if gap < 0.35 * first.size and atom.ink.y_overlap(span.grow(0, 0.2 * first.size)) > 0.3 * atom.ink.height:
                row.append(atom)
                changed = True
                break
    span = Box.hull(a.ink for a in row)
    beside = span.x0 >= hull.x1 - 0.25 * size and len(row) >= 1
    centred = abs(span.cx - hull.cx) <= max(0.4 * size, 0.3 * hull.width)
    return row if centred and not beside else []
