"""Long signs that are drawn, not typed: arrows, the long equals sign and two half arrows, from the PDF's drawings.

A writer clips such a drawing to its place, and the PDF tells only the whole: one end of the box is right, the other may
lie far outside of it, on another page even. The page image tells where the shaft really ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from layout.formulas.atoms import AXIS, Atom, atom_of
from layout.formulas.shapes import Shape, ShapeKind
from layout.types import Glyph
from wholepage.boxes import Box

Ink = NDArray[np.bool_]
LONGEST_EM = 12.0
TALLEST_EM, LOWEST_EM = 0.8, 0.1  # heights of such drawings
APART_EM = (0.1, 0.32)  # between the bars of a long equals sign
SIGNS: dict[str, str] = {"equals": "=", "arrow": "→", "harpoons": "⇌", **{sign: sign for sign in "()[]{}|"}}


def long_sign(path: Box, ink: Ink, em: float) -> Shape | None:
    """The arrow, equals sign or pair of half arrows that a low drawing prints, with its true extent."""
    if not LOWEST_EM * em < path.height < TALLEST_EM * em:
        return None
    top = max(0, int(path.y0) - 1)
    rows = ink[top : int(path.y1) + 2]
    runs = [_run(row, path, em) for row in rows]
    longest = max((stop - start for start, stop in runs), default=0)
    if longest < 0.35 * em or longest > LONGEST_EM * em:
        return None
    shaft = [n for n, (start, stop) in enumerate(runs) if stop - start > 0.85 * longest]
    groups = _groups(shaft)
    x0, x1 = min(runs[n][0] for n in shaft), max(runs[n][1] for n in shaft)
    box = Box(float(x0), path.y0, float(x1), path.y1)
    tips = [_spread(rows, at, em) for at in ((x0, x0 + int(0.3 * em)), (x1 - int(0.3 * em), x1))]
    thick = shaft[-1] - shaft[0] + 1
    headed = max(tips) > thick + 3 if len(groups) > 1 else tips[1] > 2 * thick
    kind: ShapeKind | None = None
    if len(groups) == 2:
        kind = "harpoons" if headed else "equals"
    elif len(groups) == 1 and headed:
        kind = "arrow"
    return Shape(kind, box) if kind else None


def _run(row: Ink, path: Box, em: float) -> tuple[int, int]:
    """The longest run of ink of one row of pixels that begins or ends at a true end of the drawing."""
    low, high = max(0, int(path.x0) - 2), min(len(row), int(path.x1) + 3)
    if path.width > LONGEST_EM * em:  # clipped: one end is right
        limit = int(LONGEST_EM * em)
        ends = [(low, min(high, low + limit)), (max(low, high - limit), high)]
        return max((_longest(row, *end, at_start=n == 0) for n, end in enumerate(ends)), key=lambda r: r[1] - r[0])
    return _longest(row, low, high)


def _longest(row: Ink, low: int, high: int, at_start: bool | None = None) -> tuple[int, int]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row[low:high].astype(np.int8), [0]])))
    pairs = list(zip((edges[::2] + low).tolist(), (edges[1::2] + low).tolist(), strict=True))
    if at_start is not None:
        pairs = [p for p in pairs if (p[0] - low <= 6 if at_start else high - p[1] <= 6)]
    return max(pairs, key=lambda p: p[1] - p[0], default=(low, low))


def _groups(rows: Sequence[int]) -> list[list[int]]:
    out: list[list[int]] = []
    for row in rows:
        if out and row == out[-1][-1] + 1:
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _spread(rows: Ink, columns: tuple[int, int], em: float) -> int:
    """Height of the ink between two columns, within the drawing's rows."""
    filled = np.flatnonzero(rows[:, max(0, columns[0]) : columns[1]].any(axis=1))
    return int(filled[-1] - filled[0] + 1) if filled.size else 0


def double_bars(bars: Sequence[Box], em: float) -> list[tuple[Shape, Box, Box]]:
    """Long equals signs: two drawn bars of one extent right under one another, with the bars."""
    out: list[tuple[Shape, Box, Box]] = []
    ordered = sorted(bars, key=lambda b: (round(b.x0), b.cy))
    for upper, lower in pairwise(ordered):
        same = abs(upper.x0 - lower.x0) < 2 and abs(upper.x1 - lower.x1) < 2
        if same and APART_EM[0] * em < lower.cy - upper.cy < APART_EM[1] * em and upper.width > 0.6 * em:
            out.append((Shape("equals", upper.union(lower)), upper, lower))
    return out


def sign_atoms(atoms: Sequence[Atom], shapes: Sequence[Shape]) -> tuple[list[Atom], list[Shape]]:
    """The drawn long signs that stand on a line of print as atoms of it; the other shapes are handed back."""
    found: list[Atom] = []
    rest: list[Shape] = []
    for shape in shapes:
        side = _beside(atoms, shape.box) if shape.kind in SIGNS else None
        if side is None or _covers(atoms, shape.box, side.size):
            rest.append(shape)
            continue
        # Where its line is known a sign belongs on it, however low it is drawn.
        baseline = side.baseline if _sunk(side, shape.box) else shape.box.cy + AXIS * side.size
        glyph = Glyph(SIGNS[shape.kind], shape.box, side.size, side.glyph.font, 1.0, baseline)
        atom = atom_of(glyph)
        found.append(Atom(atom.node, shape.box, baseline, side.size, glyph))
    return found, rest


def _beside(atoms: Sequence[Atom], box: Box) -> Atom | None:
    """The nearest atom left or right of a sign whose axis runs through it.

    A sign that touches letters on both sides may lie lower: some programs draw it under its condition.
    """
    best: tuple[float, Atom] | None = None
    sides: list[tuple[float, Atom]] = []
    for atom in atoms:
        gap = max(box.x0 - atom.ink.x1, atom.ink.x0 - box.x1)
        level = abs(atom.axis - box.cy) < max(0.25 * atom.size, 0.5 * box.height - 0.1 * atom.size)
        if level and -0.1 * atom.size < gap < 1.8 * atom.size and (best is None or gap < best[0]):
            best = (gap, atom)
        if _sunk(atom, box) and abs(gap) < 0.25 * atom.size and atom.text.isalnum():
            sides.append((gap, atom))
    if best is None and {a.ink.cx < box.cx for _, a in sides} == {True, False}:
        best = min(sides, key=lambda pair: pair[0])
    return best[1] if best else None


def _sunk(atom: Atom, box: Box) -> bool:
    """Whether a sign lies below the axis of a letter's line, on its baseline or right under it."""
    return 0.25 * atom.size <= box.cy - atom.axis < 0.55 * atom.size


def _covers(atoms: Sequence[Atom], box: Box, size: float) -> bool:
    """Whether letters of the line's own size hang right under the drawing: then it is an accent over them."""
    return any(
        a.ink.x_overlap(box) > 0.5 * min(a.ink.width, box.width)
        and -0.3 * size < a.ink.y0 - box.y1 < 0.4 * size
        and a.ink.cy > box.cy
        and a.size > 0.8 * size  # the size of a lone t or r in an image is uncertain
        for a in atoms
    )
