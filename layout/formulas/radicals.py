"""What belongs under a radical sign, and the figure in its crook."""

from __future__ import annotations

from collections.abc import Sequence

from layout.formulas.atoms import Atom
from layout.formulas.field import Field
from layout.formulas.limits import SMALL
from layout.formulas.symbols import CLOSE
from wholepage.boxes import Box

ROOT_SIGN = "√"


def upper_row(inside: list[Atom], bottom: float) -> list[Atom]:
    """What stands under a radical's line, without the next row of print, which may begin right below the sign."""
    size = max((a.size for a in inside), default=0.0)
    firm = [a for a in inside if a.glyph.font not in ("", "italic") and a.size >= SMALL * size and a.ink.cy <= bottom]
    if not firm:
        return inside
    lowest = min((a.baseline for a in firm if a.text.isalnum()), default=bottom)
    return [a for a in inside if a.ink.cy <= lowest + (0.3 if a.size < SMALL * size else 0.15) * size]


def index_of(field: Field, box: Box, start: float, size: float, inside: list[Atom]) -> list[Atom]:
    """The small figure in the crook of a radical sign."""
    crook = Box(box.x0 - 0.45 * size, box.y0 - 0.35 * size, start + 0.05 * size, box.cy + 0.15 * size)
    return [
        a
        for a in field.near(crook)
        if a.size < 0.75 * size
        and a.text != ROOT_SIGN
        and crook.holds(a.ink.cx, a.ink.cy)
        and not any(a is i for i in inside)
    ]


def without_partner(inside: Sequence[Atom]) -> list[Atom]:
    """The radicand without a closing bracket at its end that was opened before the sign: its line is drawn too long."""
    ordered = sorted(inside, key=lambda a: a.ink.x0)
    if len(ordered) > 1 and ordered[-1].text in CLOSE:
        opened = sum(a.text == CLOSE[ordered[-1].text] for a in ordered)
        if opened < sum(a.text == ordered[-1].text for a in ordered):
            return [a for a in inside if a is not ordered[-1]]
    return list(inside)
