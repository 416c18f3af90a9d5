"""Glyphs of mathematical fonts that a text layer has no code for: tall brackets and accents, told by their ink.

Word writes the larger variants of Cambria Math's brackets and accents without Unicode (U+FFFD).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.atoms import is_math_font
from layout.formulas.brackets import BAR_EM, bent_kind
from layout.types import Glyph
from wholepage.boxes import Box

UNNAMED = "\ufffd"
ARROW, BAR, HAT = "\u20d7", "\u0304", "\u0302"
TALL_EM, REACH_EM = 0.95, 2.4  # least height of a bracket; how far one may reach above and below its row
ACCENT_EM, RAISED_EM = 0.4, 0.42  # greatest height of an accent; least height of its foot above the baseline


def named(glyphs: Sequence[Glyph], ink: NDArray[np.bool_], comps: NDArray[np.float64]) -> list[Glyph]:
    """The glyphs, unnamed ones as the bracket or accent that is printed; what is neither stays as it is.

    Args:
        glyphs: of a born-digital page, in px of its image.
        ink: H×W, where the page is inked.
        comps: N×4, boxes of the ink's connected components.
    """
    out: list[Glyph] = []
    used: set[int] = set()
    for glyph in glyphs:
        if glyph.text != UNNAMED or not is_math_font(glyph.font):
            out.append(glyph)
            continue
        at = _component(glyph, comps)
        if at is None:
            out.append(glyph)
        elif at not in used:  # pieces of one bracket are one
            used.add(at)
            sign = _sign(glyph, Box.of(comps[at]), ink)
            out.append(replace(glyph, text=sign) if sign else glyph)
    return out


def _component(glyph: Glyph, comps: NDArray[np.float64]) -> int | None:
    """The component that the glyph prints: in its columns, the tallest."""
    size, box, base = glyph.size, glyph.box, _base(glyph)
    middle = (comps[:, 0] + comps[:, 2]) / 2
    near = (middle > box.x0 - 0.2 * size) & (middle < box.x1 + 0.2 * size)
    near &= (comps[:, 1] > base - REACH_EM * size) & (comps[:, 3] < base + REACH_EM * size)
    near &= comps[:, 2] - comps[:, 0] < max(1.2 * box.width, 0.8 * size)
    found = np.flatnonzero(near & (comps[:, 3] > base - 1.6 * size) & (comps[:, 1] < base + 0.2 * size))
    raised = [n for n in found if comps[n, 3] < base - RAISED_EM * size]
    tall = [n for n in found if comps[n, 3] - comps[n, 1] > TALL_EM * size]
    pool = tall or raised
    return int(max(pool, key=lambda n: comps[n, 3] - comps[n, 1])) if pool else None


def _base(glyph: Glyph) -> float:
    return glyph.box.y1 if glyph.baseline is None else glyph.baseline


def _sign(glyph: Glyph, box: Box, ink: NDArray[np.bool_]) -> str:
    size = glyph.size
    if box.height > TALL_EM * size:
        if box.width < BAR_EM * size:
            return "|"
        area = ink[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
        return bent_kind(area) or ""
    if box.height > ACCENT_EM * size:
        return ""
    if box.height < 0.1 * size:
        return BAR
    area = ink[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
    columns = np.flatnonzero(area[: max(1, len(area) // 3)].any(axis=0))
    # The peak of a hat is in its middle; an arrow's upper barb lies at its right.
    peak = float(columns.mean()) / max(1, area.shape[1] - 1) if columns.size else 0.5
    return ARROW if peak > 0.6 else HAT if 0.4 < peak < 0.6 else ""
