"""Brackets, large operators and arrows that have grown: a text layer tells their place, the page image their extent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.atoms import AXIS, Atom, is_math_font
from layout.formulas.limits import ARROWS
from layout.formulas.symbols import BIG_OPERATORS, BRACKETS
from wholepage.boxes import Box

HANGING_FONT = re.compile(r"CMEX|LMMathExtension", re.I)


GROWING = BRACKETS | BIG_OPERATORS


def measured(atoms: Sequence[Atom], comps: NDArray[np.float64]) -> list[Atom]:
    """Atoms with the true extent of brackets, large operators and arrows that have grown, in fonts for mathematics."""
    out = []
    centres = np.array([(a.ink.cx, a.ink.cy) for a in atoms if a.text and a.text not in GROWING])
    for atom in atoms:
        box, size = atom.glyph.box, atom.size
        grows = atom.text in BRACKETS or atom.text in BIG_OPERATORS
        if not is_math_font(atom.glyph.font) or not (grows or atom.text in ARROWS):
            out.append(atom)
            continue
        if grows:
            if atom.text in BRACKETS:
                hit = (comps[:, 0] >= box.x0 - 0.2 * size) & (comps[:, 2] <= box.x1 + 0.2 * size)
            else:
                hit = (comps[:, 0] <= box.cx) & (comps[:, 2] >= box.cx) & (comps[:, 2] - comps[:, 0] < 2 * size)
            # The font of large signs in TeX hangs them below their baseline.
            hang = size if HANGING_FONT.search(atom.glyph.font) else 0.0
            # There the smallest ones hang too, little taller than a letter.
            least = (0.9 if hang and atom.text in BRACKETS else 1.2) * size
            hit &= (comps[:, 1] < box.y1 + hang) & (comps[:, 3] > box.y0) & (comps[:, 3] - comps[:, 1] > least)
        else:
            hit = (comps[:, 0] <= box.cx) & (comps[:, 2] >= box.cx) & (comps[:, 2] - comps[:, 0] > 1.1 * size)
            middle = (comps[:, 1] + comps[:, 3]) / 2
            hit &= (np.abs(middle - atom.axis) < 0.3 * size) & (comps[:, 3] - comps[:, 1] < 0.6 * size)
        own = _alone(comps[hit], centres) if atom.text in BRACKETS else comps[hit]
        if len(own):
            ink = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
            baseline = ink.cy + AXIS * size if grows else atom.baseline
            out.append(replace(atom, ink=ink, baseline=baseline))
        else:
            out.append(atom)
    return out


def _alone(comps: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Components that hold no other character: where a bracket touches a letter of the next row, both are one."""
    if not len(centres):
        return comps
    keep = [
        not ((centres[:, 0] > c[0]) & (centres[:, 0] < c[2]) & (centres[:, 1] > c[1]) & (centres[:, 1] < c[3])).any()
        for c in comps
    ]
    return comps[keep]
