"""Brackets that a text layer holds in pieces: the head, the middle and the foot of one sign, one character each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.atoms import AXIS, Atom
from layout.formulas.symbols import PIECES
from layout.formulas.tree import Sym
from wholepage.boxes import Box

HEADS, FEET = frozenset("⎛⎞⎡⎤⎧⎫"), frozenset("⎝⎠⎣⎦⎩⎭")
COLUMN_EM, NEXT_EM = 0.2, 1.6  # pieces of one sign: how far their middles may lie apart, across and down


def whole_brackets(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms with the pieces from a head down to its foot joined; pieces without one of both stay as they are."""
    pieces = sorted((a for a in atoms if a.glyph.text in PIECES), key=lambda a: a.baseline)
    made: list[Atom] = []
    used: set[int] = set()
    for head in pieces:
        chain = _chain(head, pieces) if head.glyph.text in HEADS and id(head) not in used else []
        if chain:
            used.update(id(a) for a in chain)
            made.append(_joined(chain))
    return [*(a for a in atoms if id(a) not in used), *made]


def _chain(head: Atom, pieces: Sequence[Atom]) -> list[Atom]:
    """The pieces from a head to the nearest foot under it; [] when another sign begins before, or none ends."""
    chain = [head]
    for piece in pieces:
        last = chain[-1]
        down = piece.baseline - last.baseline
        if piece is last or down < 0 or piece.text != head.text:
            continue
        if abs(piece.ink.cx - head.ink.cx) > COLUMN_EM * head.size or piece.glyph.text in HEADS:
            continue
        if down > NEXT_EM * head.size:
            return []
        chain.append(piece)
        if piece.glyph.text in FEET:
            return chain
    return []


def _joined(chain: Sequence[Atom]) -> Atom:
    head = chain[0]
    ink = Box.hull(a.ink for a in chain)
    baseline = ink.cy + AXIS * head.size
    glyph = replace(head.glyph, text=head.text, box=Box.hull(a.glyph.box for a in chain), baseline=baseline)
    return Atom(Sym(head.text, "upright"), ink, baseline, head.size, glyph)
