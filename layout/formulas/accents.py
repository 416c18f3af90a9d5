"""Accents that a font holds as characters: where their ink really is, a text layer does not say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.formulas.atoms import ink_estimate
from layout.formulas.shapes import Shape, ShapeKind
from layout.types import Glyph
from wholepage.boxes import Box

ACCENTS: dict[str, ShapeKind] = {
    "\u20d7": "arrow",
    "\u0302": "hat",
    "^": "hat",
    "\u02c6": "hat",
    "\u0304": "bar",
    "\u0305": "bar",
    "\u02c9": "bar",
    "\u00af": "bar",
    "\u203e": "bar",
    "\u0307": "dot",
    "\u02d9": "dot",
    "\u0303": "tilde",
    "\u02dc": "tilde",
}
HIGHEST_EM = 1.45  # an accent's ink lies at most this high above the baseline
Comps = NDArray[np.float64]
Ink = NDArray[np.bool_]


def accent_shapes(glyphs: Sequence[Glyph], comps: Comps, ink: Ink) -> list[Shape]:
    """The accents among a page's glyphs, each with the box of its ink.

    Most writers print a combining mark behind the letter that it stands on, some before it.
    """
    out: list[Shape] = []
    used: set[int] = set()
    for n, glyph in enumerate(glyphs):
        if glyph.text not in ACCENTS:
            continue
        letters = [glyph]
        if glyph.box.width < 0.05 * glyph.size:
            letters = [glyphs[k] for k in (n - 1, n + 1) if 0 <= k < len(glyphs) and _on_line(glyphs[k], glyph)]
        for letter in letters:
            at = _component(glyph, letter, comps, used)
            if at is not None:
                used.add(at)
                out.append(Shape(ACCENTS[glyph.text], Box.of(comps[at])))
                break
        else:
            box = _joined(letters[0], ink) if letters and letters[0] is not glyph else None
            if box is not None:
                out.append(Shape(ACCENTS[glyph.text], box))
    return out


def _base(glyph: Glyph) -> float:
    return glyph.box.y1 if glyph.baseline is None else glyph.baseline


def _on_line(letter: Glyph, mark: Glyph) -> bool:
    return letter.text.isalnum() and abs(_base(letter) - _base(mark)) < 0.2 * mark.size


def _component(mark: Glyph, letter: Glyph, comps: Comps, used: set[int]) -> int | None:
    """Index of the component over the letter that is the accent."""
    size, base, box = mark.size, _base(letter), letter.box
    near = (comps[:, 3] < base - 0.3 * size) & (comps[:, 1] > base - HIGHEST_EM * size)
    near &= (comps[:, 3] - comps[:, 1] < 0.35 * size) & (comps[:, 2] > box.x0 + 0.2 * box.width)
    near &= comps[:, 0] < box.x1 + 0.1 * size
    found = [int(n) for n in np.flatnonzero(near) if int(n) not in used]
    return min(found, key=lambda n: _off(comps[n], box), default=None)


def _off(comp: Comps, letter: Box) -> float:
    return float(abs((comp[0] + comp[2]) / 2 - letter.cx) - (comp[2] - comp[0]) / 2)


def _joined(letter: Glyph, ink: Ink) -> Box | None:
    """The accent's extent where its ink runs into a letter's or a bracket's: the longest run right above the letter."""
    size, base = letter.size, _base(letter)
    top = ink_estimate(letter, base).y0 - 0.04 * size
    first, last = max(0, int(base - HIGHEST_EM * size)), max(0, int(top))
    best = (0, 0, 0)
    for y in range(first, last):
        run = _run_at(ink[y], int(letter.box.cx), int(0.25 * size))
        best = max(best, (run[1] - run[0], *run))
    length, x0, x1 = best
    if length < 0.08 * size:
        return None
    narrow = length < 1.3 * letter.box.width
    box = letter.box
    return Box(box.x0 if narrow else float(x0), top - 0.15 * size, box.x1 if narrow else float(x1), top)


def _run_at(row: Ink, x: int, reach: int) -> tuple[int, int]:
    """The run of ink in a row of pixels that lies nearest to `x`, at most `reach` away; empty when there is none."""
    filled = np.flatnonzero(row[max(0, x - reach) : x + reach + 1])
    if not filled.size:
        return 0, 0
    start = stop = max(0, x - reach) + int(filled[np.argmin(np.abs(filled + max(0, x - reach) - x))])
    while start > 0 and row[start - 1]:
        start -= 1
    while stop < len(row) and row[stop]:
        stop += 1
    return start, stop
