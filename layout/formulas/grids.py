"""Cases and matrices: rows of cells beside tall brackets."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import Literal

from layout.formulas.atoms import AXIS, Atom
from layout.formulas.field import Field
from layout.formulas.limits import SMALL
from layout.formulas.structure import node_of
from layout.formulas.symbols import RELATIONS
from layout.formulas.tree import Grid, Node, Row
from layout.types import Glyph
from wholepage.boxes import Box

TALL_EM = 1.55  # a bracket taller than this may hold several rows
TOUCH_EM = 0.12
CASES_GAP_EM, MATRIX_GAP_EM = 0.45, 0.32  # blank strips between columns
END_GAP_EM = 2.6
COMMAS = (",", "，", ";", "；")
OPEN_SIGNS = frozenset("=<>≤≥≠⩽⩾≦≧+-−×÷")  # a row does not end with one
MATRIX: dict[str, tuple[str, Literal["pmatrix", "bmatrix", "vmatrix"]]] = {
    "(": (")", "pmatrix"),
    "[": ("]", "bmatrix"),
    "|": ("|", "vmatrix"),
}


def fold_grids(field: Field) -> None:
    """Replace each tall bracket with the rows that it holds by one composite."""
    for brace in sorted((a for a in field.all() if a.text in "{([|" and a.text), key=lambda a: a.ink.x0, reverse=True):
        pieces = _column(field, brace)
        hull = Box.hull(p.ink for p in pieces)
        if hull.height >= TALL_EM * brace.size and any(a is brace for a in field.near(brace.ink)):
            _fold(field, brace, pieces, hull)


def _column(field: Field, brace: Atom) -> list[Atom]:
    """The pieces of one stretched bracket: the same sign stacked at the same x, each touching the next."""
    pieces, hull = [brace], brace.ink
    others = sorted(field.near(brace.ink.grow(2, 6 * brace.size)), key=lambda a: abs(a.ink.cy - brace.ink.cy))
    for other in others:
        if other is brace or other.text != brace.text or abs(other.ink.cx - brace.ink.cx) > 0.2 * brace.size:
            continue
        if max(hull.y0 - other.ink.y1, other.ink.y0 - hull.y1) < TOUCH_EM * brace.size:
            pieces.append(other)
            hull = hull.union(other.ink)
    return pieces


def _fold(field: Field, brace: Atom, pieces: list[Atom], hull: Box) -> None:
    size = brace.size
    area = Box(hull.x1 - 0.1 * size, hull.y0 - 0.1 * size, hull.x1 + 60 * size, hull.y1 + 0.1 * size)
    right = sorted(
        (a for a in field.near(area) if not any(a is p for p in pieces) and area.y0 <= a.ink.cy <= area.y1),
        key=lambda a: a.ink.x0,
    )
    closing: list[Atom] = []
    if brace.text in MATRIX:
        sign = MATRIX[brace.text][0]
        for atom in right:
            column = _column(field, atom) if atom.text == sign else []
            if column and Box.hull(c.ink for c in column).height > 0.8 * hull.height:
                closing = column
                break
        if not closing:
            return
        edge = min(c.ink.x0 for c in closing)
        right = [a for a in right if a.ink.cx < edge and not any(a is c for c in closing)]
    content = _contiguous(right, hull, size)
    rows = _rows(content, 1.1 * size)
    if len(rows) < 2:
        return
    rows, content = (rows, content) if closing else _without_tail(rows, content, hull)
    kind: Literal["cases", "pmatrix", "bmatrix", "vmatrix"] = MATRIX[brace.text][1] if closing else "cases"
    node = Grid(tuple(_cells(rows, size, kind)), kind)
    box = Box.hull([hull, *(a.ink for a in content), *(c.ink for c in closing)])
    baseline = hull.cy + AXIS * size
    glyph = Glyph("", box, size, brace.glyph.font, min(a.glyph.confidence for a in content), baseline)
    field.replace([*pieces, *content, *closing], Atom(node, box, baseline, size, glyph))


def _contiguous(atoms: list[Atom], hull: Box, size: float) -> list[Atom]:
    """Atoms from the bracket to the right until a gap that no cell has."""
    taken: list[Atom] = []
    edge = hull.x1
    for atom in atoms:
        if atom.ink.x0 - edge > END_GAP_EM * size:
            break
        taken.append(atom)
        edge = max(edge, atom.ink.x1)
    return taken


def _rows(atoms: list[Atom], largest: float) -> list[list[Atom]]:
    """Atoms in rows by the baselines of the large ones; small ones join the row that they overlap most.

    No font size is above `largest`: in images a letter may seem larger than it is.
    """
    if not atoms:
        return []
    size = min(max(a.size for a in atoms), largest)
    rows: list[list[Atom]] = []
    for atom in sorted((a for a in atoms if a.size >= SMALL * size), key=lambda a: a.axis):
        if rows and abs(median(a.axis for a in rows[-1]) - atom.axis) < 0.45 * size:
            rows[-1].append(atom)
        else:
            rows.append([atom])
    for atom in atoms:
        if atom.size < SMALL * size:
            min(rows, key=lambda row: _strangeness(atom, row, size)).append(atom)
    return rows


def _strangeness(script: Atom, row: list[Atom], size: float) -> float:
    """How far a small atom lies from a row: off its axis, and beyond a script's distance from its nearest letter."""
    gap = min(max(script.ink.x0 - a.ink.x1, a.ink.x0 - script.ink.x1, 0.0) for a in row if a.size >= SMALL * size)
    return abs(median(a.axis for a in row) - script.ink.cy) + max(gap - 0.4 * size, 0.0)


def _without_tail(rows: list[list[Atom]], content: list[Atom], hull: Box) -> tuple[list[list[Atom]], list[Atom]]:
    """A line that goes on behind cases stands level with the bracket's middle and lies right of the rows."""
    size = max(a.size for a in content)
    level = [r for r in rows if abs(median(a.axis for a in r) - hull.cy) < 0.25 * size]
    others = [r for r in rows if not any(r is m for m in level)]
    edges = [a.ink.x1 for r in others for a in r if a.size >= SMALL * size]
    if not level or not edges:  # rows of small print alone, read badly, have no tail
        return rows, content
    edge = max(edges)
    commas = all(max(r, key=lambda a: a.ink.x1).text in COMMAS for r in others)
    kept = [_up_to(r, edge, size, commas) for r in rows]
    kept = [r for r in kept if any(a.size >= SMALL * size for a in r)]
    return kept, [a for r in kept for a in r]


def _up_to(row: list[Atom], edge: float, size: float, commas: bool) -> list[Atom]:
    """The atoms of a row up to an edge, and what runs over it: see `_goes_on`."""
    kept: list[Atom] = []
    for atom in sorted(row, key=lambda a: a.ink.x0):
        inside = atom.ink.x0 < edge + (0.35 * size if atom.size < SMALL * size else -0.02 * size)
        if not inside and not (kept and _goes_on(kept[-1], atom, size, commas)):
            break
        kept.append(atom)
    return kept


def _goes_on(last: Atom, atom: Atom, size: float, commas: bool) -> bool:
    """Whether a row that has reached the others' edge goes on: a number, what a sign asks for, the comma of its end."""
    gap = atom.ink.x0 - last.ink.x1
    if last.text in OPEN_SIGNS:
        return gap < 0.6 * size
    if commas and atom.text in COMMAS:
        return last.text not in COMMAS and gap < 0.15 * size
    number = last.text.isdigit() and (atom.text.isdigit() or atom.text == ".")
    number = number or (last.text == "." and atom.text.isdigit())
    return number and atom.glyph.font == last.glyph.font and gap < 0.1 * size


def _cells(rows: list[list[Atom]], size: float, kind: str) -> list[tuple[Node, ...]]:
    """The rows' cells: columns are parted by strips that are blank in every row.

    In cases the second column begins at one x; equations of a system may have gaps anywhere.
    """
    least = CASES_GAP_EM if kind == "cases" else MATRIX_GAP_EM
    ordered = sorted((a for r in rows for a in r), key=lambda a: a.ink.x0)
    cuts: list[float] = []
    edge = ordered[0].ink.x1
    for atom in ordered[1:]:
        apart = atom.ink.x0 - edge
        if kind == "cases":
            blank = _aligned(rows, atom.ink.x0, size) and apart > (0.12 if _after_commas(rows, edge) else least) * size
        else:
            blank = apart > least * size
        if blank:
            cuts.append((atom.ink.x0 + edge) / 2)
        edge = max(edge, atom.ink.x1)
    if kind == "cases":
        cuts = _at_commas(rows, size) or cuts
    return [tuple(_part(row, low, high) for low, high in pairwise([-1e9, *cuts, 1e9])) for row in rows]


def _at_commas(rows: list[list[Atom]], size: float) -> list[float]:
    """Where values end and their conditions begin, when the commas between stand under one another; else []."""
    first = [min((a for a in row if a.text in COMMAS), key=lambda a: a.ink.x0, default=None) for row in rows]
    commas = [c for c in first if c is not None]
    if len(commas) < len(rows) or max(c.ink.x0 for c in commas) - min(c.ink.x0 for c in commas) > 0.3 * size:
        return []
    cut = max(c.ink.x1 for c in commas)
    stated = all(any(a.ink.cx > cut and a.text in RELATIONS for a in row) for row in rows)
    valued = not any(a.ink.cx < cut and a.text in RELATIONS for row in rows for a in row)
    return [cut] if stated and valued else []


def _part(row: list[Atom], low: float, high: float) -> Node:
    inside = [a for a in row if low < a.ink.cx <= high]
    return node_of(inside) if inside else Row(())


def _after_commas(rows: list[list[Atom]], x: float) -> bool:
    """Whether what stands left of `x` ends with a comma in every row."""
    lasts = [max((a for a in row if a.ink.cx <= x), key=lambda a: a.ink.x1, default=None) for row in rows]
    return all(last is not None and last.text in COMMAS for last in lasts)


def _aligned(rows: list[list[Atom]], x: float, size: float) -> bool:
    """Whether every row has something that begins right at `x`."""
    return all(any(abs(a.ink.x0 - x) < 0.3 * size for a in row) for row in rows)
