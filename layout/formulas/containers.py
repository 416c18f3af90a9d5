"""Parts of formulas that drawn lines and tall brackets make: fractions, radicals, overlines, cases, matrices."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from layout.formulas.accents import ACCENTS
from layout.formulas.atoms import AXIS, Atom, FormulaGlyph, atom_of
from layout.formulas.bracket_pieces import whole_brackets
from layout.formulas.field import Field
from layout.formulas.grids import fold_grids
from layout.formulas.grown import measured
from layout.formulas.limits import SMALL, operators
from layout.formulas.longsigns import sign_atoms
from layout.formulas.negation import negated
from layout.formulas.radicals import ROOT_SIGN, index_of, upper_row, without_partner
from layout.formulas.shapes import Shape, distinct, extent
from layout.formulas.structure import limited, node_of
from layout.formulas.symbols import BIG_OPERATORS, BRACKETS
from layout.formulas.tree import Frac, Node, Over, Root, plain
from layout.segments import is_wide
from layout.types import Glyph
from wholepage.boxes import Box

NEAREST_EM = 0.75  # a fraction's parts start this close to its bar
MARKS = frozenset(",.;，。；")  # behind a bar's end they belong to the line
SLACK_EM = 0.75  # a bar is at most this much wider than the wider of its two parts
CLOSING = frozenset(")]}")
GROWING = BRACKETS | BIG_OPERATORS
# Commands for one letter and for several.
OVER = {
    "bar": ("bar", "overline"),
    "arrow": ("vec", "overrightarrow"),
    "hat": ("hat", "widehat"),
    "dot": ("dot", "dot"),
    "tilde": ("tilde", "widetilde"),
}


def assemble(
    glyphs: Sequence[Glyph], shapes: Sequence[Shape], comps: NDArray[np.float64] | None = None
) -> tuple[list[Glyph], list[Shape]]:
    """Glyphs with every fraction, radical, overline, operator with limits, matrix and case list made one glyph.

    Args:
        glyphs: of a page or a part of one, in the frame in which text is level.
        shapes: drawn parts in the same frame.
        comps: N×4, boxes of the ink's connected components: they tell how tall the brackets of a text layer are.

    Returns:
        The glyphs that remain, `FormulaGlyph`s among them, and the shapes that belong to no formula.
    """
    atoms = [atom_of(g) for g in negated(glyphs) if not g.text.isspace() and g.text not in ACCENTS]
    atoms = whole_brackets(atoms)
    signs, shapes = sign_atoms(atoms, shapes)
    field = Field([*(atoms if comps is None else measured(atoms, comps)), *signs])
    blanks = [g for g in glyphs if g.text.isspace()]
    unused: list[Shape] = []
    for group in operators(field.all()):
        _fold_limits(field, group)
    for shape in sorted(distinct(shapes), key=extent):
        made = _radical(field, shape) if shape.kind == "radical" else _over(field, shape)
        if made is None and shape.kind == "bar":
            made = _fraction(field, shape.box)
        if made is None:
            unused.append(shape)
    fold_grids(field)
    return [*blanks, *(_glyph(field, a) for a in field.all())], unused


def _glyph(field: Field, atom: Atom) -> Glyph:
    """The atom as a glyph of a line: plain ones as they came, composites with the size and baseline of their line."""
    moved = atom.baseline != (atom.glyph.box.y1 if atom.glyph.baseline is None else atom.glyph.baseline)
    grown = bool(atom.text) and atom.text in GROWING and (moved or atom.ink.height > 1.2 * atom.size)
    if not field.is_composite(atom) and not grown:
        return atom.glyph
    size, baseline = field.line_of(atom)
    return FormulaGlyph(plain(atom.node), atom.ink, size, atom.glyph.font, atom.glyph.confidence, baseline, atom.node)


def _fold_limits(field: Field, group: list[Atom]) -> None:
    hull = Box.hull(a.ink for a in group)
    around = field.near(hull.grow(3 * group[0].size, 1.6 * group[0].size))
    if not all(any(a is g for a in around) for g in group):
        return  # a part of another operator's limits by now
    merged = limited(group, around)
    new = [a for a in merged if not any(a is b for b in around)]
    if new:
        field.replace([a for a in around if not any(a is m for m in merged)], new[0])


def _fraction(field: Field, bar: Box) -> Atom | None:
    """The fraction at a bar, or None when the bar has not its two parts."""
    reach = bar.grow(2, 0)
    within = [
        a
        for a in field.near(bar.grow(4, 150))
        if reach.x0 - 0.3 * a.size <= a.ink.x0
        and a.ink.x1 <= reach.x1 + 0.3 * a.size
        and reach.x0 <= a.ink.cx <= reach.x1
        and not (a.text in MARKS and a.ink.x0 >= bar.x1 - 1)
    ]
    above = _part(field, [a for a in within if a.ink.cy < bar.cy], bar, above=True)
    below = _part(field, [a for a in within if a.ink.cy > bar.cy], bar, above=False)
    if not above or not below:
        return None
    size = max(a.size for a in (*above, *below))
    width = max(Box.hull(a.ink for a in part).width for part in (above, below))
    if bar.width - width > SLACK_EM * size + 0.15 * width:
        return None
    node = Frac(node_of(above), node_of(below))
    box = Box.hull([bar, *(a.ink for a in (*above, *below))])
    confidence = min(a.glyph.confidence for a in (*above, *below))
    return field.replace([*above, *below], _composite(node, box, bar.cy, size, above[0].glyph, confidence))


def _composite(node: Node, box: Box, axis: float, size: float, like: Glyph, confidence: float) -> Atom:
    baseline = axis + AXIS * size
    glyph = Glyph("", box, size, like.font, confidence, baseline)
    return Atom(node, box, baseline, size, glyph)


def _part(field: Field, atoms: list[Atom], bar: Box, above: bool) -> list[Atom]:
    """The row nearest to a bar on one side and all that stands level with it or is attached to it."""

    def away(atom: Atom) -> float:
        return bar.y0 - atom.ink.y1 if above else atom.ink.y0 - bar.y1

    near = [a for a in atoms if away(a) < NEAREST_EM * a.size]
    if not near:
        return []
    largest = max(a.size for a in near)
    first = min((a for a in near if a.size >= SMALL * largest), key=away)
    # Scripts may reach into the next row: large atoms are measured at the large ones alone.
    taken, hull, core, size = [first], first.ink, first.ink, first.size
    changed = True
    while changed:
        changed = False
        for atom in atoms:
            if any(atom is t for t in taken):
                continue
            if atom.text in BRACKETS and not hull.y0 <= atom.ink.cy <= hull.y1:
                continue  # of another row, grown into this one
            small = atom.size < SMALL * size
            if not small and abs(atom.axis - first.axis) > 0.45 * size:
                continue  # on another row
            extent = hull if small else core
            apart = max(extent.y0 - atom.ink.y1, atom.ink.y0 - extent.y1)
            if apart < (0.12 * size if small else -0.02 * size) and not (
                small and _belongs_elsewhere(atom, taken, field.near(atom.ink.grow(size, 0)))
            ):
                taken.append(atom)
                hull = hull.union(atom.ink)
                core = core if small else core.union(atom.ink)
                changed = True
    if _goes_on(field, taken, bar):
        return []
    return taken


def _belongs_elsewhere(script: Atom, taken: list[Atom], atoms: list[Atom]) -> bool:
    """Whether a letter outside of the part stands nearer to a script than all of the part's."""

    left = _script_start(script, taken, atoms)

    def fit(base: Atom) -> float:
        gap = left - base.ink.x1
        level = base.ink.y_overlap(script.ink) / max(script.ink.height, 1.0)
        return level - max(gap, 0.0) / (2 * base.size) if -0.3 * base.size <= gap < 1.0 * base.size else 0.0

    def apart(base: Atom) -> bool:
        # A letter of the part stands between: the script is that one's.
        return any(base.ink.x1 <= t.ink.cx < script.ink.x0 and t.ink.y_overlap(script.ink) > 0 for t in taken)

    rest = [
        a
        for a in atoms
        if a.size > script.size
        and a.text.isalnum()
        and not is_wide(a.text)
        and not any(a is t for t in taken)
        and not apart(a)
    ]
    return max(map(fit, rest), default=0.0) > max(0.05, *map(fit, taken))


def _script_start(script: Atom, taken: list[Atom], atoms: list[Atom]) -> float:
    """Left end of the signs that stand level with a script and touch it, −2 in p⁻²: they hang on one letter."""
    left = script.ink.x0
    for atom in sorted(atoms, key=lambda a: -a.ink.x1):
        level = abs(atom.baseline - script.baseline) < 0.1 * script.size and atom.size < 1.1 * script.size
        if level and -0.1 * script.size < left - atom.ink.x1 < 0.25 * script.size and not any(atom is t for t in taken):
            left = atom.ink.x0
    return left


def _goes_on(field: Field, taken: list[Atom], bar: Box) -> bool:
    """Whether the row goes on beyond the bar's ends without a gap: then it is a line of text, no fraction's part."""
    size = max(a.size for a in taken)
    level = [a.baseline for a in taken if a.size >= SMALL * size]
    hull = Box.hull(a.ink for a in taken)
    for atom in field.near(hull.grow(0.5 * size, 0)):
        if any(atom is t for t in taken) or atom.size < SMALL * size or field.is_composite(atom):
            continue
        if atom.text == ROOT_SIGN or atom.text in BRACKETS:
            continue
        beside = atom.ink.x0 >= hull.x1 - 1 or atom.ink.x1 <= hull.x0 + 1
        gap = max(atom.ink.x0 - hull.x1, hull.x0 - atom.ink.x1)
        outside = atom.ink.cx < bar.x0 or atom.ink.cx > bar.x1
        if beside and outside and gap < 0.25 * size and abs(atom.baseline - median(level)) < 0.1 * size:
            return True
    return False


def _radical(field: Field, shape: Shape) -> Atom | None:
    """The root at a radical sign with its overline."""
    box = shape.box
    start = shape.content_x or box.x0
    inside = [
        a
        for a in field.near(box)
        if a.text != ROOT_SIGN
        and start - 0.15 * a.size <= a.ink.cx <= box.x1 + (0.0 if a.text in CLOSING else 0.1) * a.size
        and box.y0 - 0.1 * a.size <= a.ink.cy <= box.y1 + 0.35 * a.size and a.ink.x1 <= box.x1 + 0.35 * a.size
    ]  # fmt: skip
    inside = without_partner(upper_row(inside, box.y1))
    if not inside:
        return None
    size = max(a.size for a in inside)
    signs = [a for a in field.near(box) if a.text == ROOT_SIGN and a.ink.cx < start + 0.3 * size]
    # What stands under the sign may be small itself: a fraction in a line of text.
    index = index_of(field, box, start, max([size, *(a.size for a in signs)]), inside)
    node = Root(node_of(inside), node_of(index) if index else None)
    # A letter of the next row may touch the sign.
    sign = Box(box.x0, box.y0, box.x1, min(box.y1, max(a.ink.y1 for a in inside) + 0.25 * size))
    hull = Box.hull([sign, *(a.ink for a in (*inside, *index))])
    largest = max(inside, key=lambda a: a.size)
    row = [a.baseline for a in inside if a.size >= SMALL * size]
    glyph = Glyph("", hull, size, largest.glyph.font, min(a.glyph.confidence for a in inside), median(row))
    return field.replace([*inside, *signs, *index], Atom(node, hull, median(row), size, glyph))


def _over(field: Field, shape: Shape) -> Atom | None:
    """Letters under an overline, an arrow or a hat."""
    if shape.kind not in OVER:
        return None
    bar = shape.box
    below = [
        a
        for a in field.near(bar.grow(2, 60))
        if a.ink.x_overlap(bar) > 0.5 * min(a.ink.width, bar.width)
        and -0.25 * a.size <= a.ink.y0 - bar.y1 < 0.4 * a.size
        and a.ink.cy > bar.cy
        and (a.text.isalnum() or field.is_composite(a))
    ]
    if not below:
        return None
    size = max(a.size for a in below)
    below = [a for a in below if a.size >= 0.6 * size]
    hull = Box.hull(a.ink for a in below)
    if abs(hull.width - bar.width) > 0.75 * size:
        return None
    if shape.kind == "bar" and _has_numerator(field, bar, size):
        return None
    text = "".join(a.text for a in below)
    single = len(below) == 1
    single = single and not text.isdigit()
    command = OVER[shape.kind][0 if single else 1]
    row = median(a.baseline for a in below)
    glyph = Glyph("", hull.union(bar), size, below[0].glyph.font, min(a.glyph.confidence for a in below), row)
    return field.replace(below, Atom(Over(node_of(below), command), hull.union(bar), row, size, glyph))


def _has_numerator(field: Field, bar: Box, size: float) -> bool:
    """Whether something stands right above the bar, so that the bar may be a fraction's."""
    above = [
        a
        for a in field.near(bar.grow(0, 1.2 * size))
        if a.ink.cy < bar.cy and bar.x0 - 0.2 * size <= a.ink.x0 and a.ink.x1 <= bar.x1 + 0.2 * size
        and bar.y0 - a.ink.y1 < 0.6 * size
    ]  # fmt: skip
    return bool(above) and not _goes_on(field, above, bar)
