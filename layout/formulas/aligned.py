"""Displayed equations under one another, aligned at their relation signs, as one formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.atoms import FormulaGlyph
from layout.formulas.latex import to_latex
from layout.formulas.symbols import RELATIONS
from layout.formulas.tree import Grid, Node, Row, Sym, row_of
from layout.types import Glyph, Line
from wholepage.boxes import Box

ALIGNED_EM = 0.25  # relation signs that differ less in x stand under one another
NEXT_EM = 2.6  # the next line begins at most this far below


def fold_aligned(lines: Sequence[Line]) -> list[Line]:
    """Lines of one block with chains "f(x) = …", "= …", "= …" made one line; all formula glyphs become plain ones."""
    out: list[Line] = []
    for line in lines:
        if out and (joined := _joined(out[-1], line)) is not None:
            out[-1] = joined
        else:
            out.append(line)
    return [replace(line, glyphs=tuple(_plain(g) for g in line.glyphs)) for line in out]


def _joined(upper: Line, lower: Line) -> Line | None:
    """Both lines as one when the lower goes on with a relation right under the upper's."""
    first, second = _formula(upper), _formula(lower)
    if first is None or second is None or not _starts_with_relation(second.node):
        return None
    if abs(first.anchor - second.anchor) > ALIGNED_EM * second.size or not first.anchor:
        return None
    if lower.box.y0 - upper.box.y1 > NEXT_EM * second.size or lower.box.cy < upper.box.cy:
        return None
    rows = first.node.rows if isinstance(first.node, Grid) and first.node.kind == "aligned" else (_cells(first.node),)
    node = Grid((*rows, _cells(second.node)), "aligned")
    box = first.box.union(second.box)
    text = f"${to_latex(node)}$"
    glyph = FormulaGlyph(text, box, first.size, first.font, min(first.confidence, second.confidence), first.baseline,
                         node, first.anchor)  # fmt: skip
    glyphs = (*(g for g in upper.glyphs if g is not first), glyph, *(g for g in lower.glyphs if g is not second))
    hull = Box.hull([upper.box, lower.box])
    return replace(upper, text="".join(g.text for g in glyphs), glyphs=glyphs, box=hull)


def _formula(line: Line) -> FormulaGlyph | None:
    """The formula of a line that holds nothing else but a mark behind it."""
    head = line.glyphs[0] if line.glyphs else None
    rest = "".join(g.text for g in line.glyphs[1:])
    return (
        head
        if isinstance(head, FormulaGlyph) and head.node is not None and rest in ("", ",", ".", "，", "。")
        else None
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.items if isinstance(node, Row) else (node,)


def _starts_with_relation(node: Node | None) -> bool:
    items = _items(node)
    return len(items) > 1 and isinstance(items[0], Sym) and items[0].text in RELATIONS


def _cells(node: Node | None) -> tuple[Node, ...]:
    """What stands left of the first relation, and the rest."""
    items = _items(node)
    at = next((n for n, i in enumerate(items) if isinstance(i, Sym) and i.text in RELATIONS), 0)
    return (row_of(list(items[:at])) if at else Row(()), row_of(list(items[at:])))


def _plain(glyph: Glyph) -> Glyph:
    if not isinstance(glyph, FormulaGlyph):
        return glyph
    return Glyph(glyph.text, glyph.box, glyph.size, glyph.font, glyph.confidence, glyph.baseline)
