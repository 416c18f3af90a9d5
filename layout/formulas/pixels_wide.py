"""Ideographs as the index of a letter: small, close together, and hanging below the writing line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_ink import SCALE, Mask
from layout.formulas.pixels_levels import Level
from layout.formulas.pixels_metrics import metrics
from layout.segments import is_wide
from wholepage.boxes import Box

HIGHEST, LOWEST = 0.62, 0.1  # font sizes: tops of an index are no higher above the line, feet no higher below it
WINDOW = (1.0, 0.62)  # font sizes above and below the line that are looked at
PITCH = (0.45, 0.8)  # font sizes from one ideograph of an index to the next
ALONE = 0.3  # font sizes to both sides of a lone ideograph's centre where its ink is
FLAT = "一二三"  # their ink is low wherever they stand


def with_indices(placed: Sequence[Placed], main: Level, mask: Mask) -> list[Placed]:
    """The characters with the ink of ideographs that are the index of the letter before them, and of that letter.

    `mask` is the page's sharp mask; `main` the level of the line's main text.
    """
    out = list(placed)
    for start, stop in _runs(placed):
        centres = [p.centre for p in placed[start:stop]]
        pitch = (centres[-1] - centres[0]) / (len(centres) - 1) if len(centres) > 1 else 2 * ALONE * main.size
        if not PITCH[0] * main.size <= pitch <= PITCH[1] * main.size:
            continue
        x0, x1 = centres[0] - 0.35 * pitch, centres[-1] + 0.35 * pitch
        # The letter may lean over the first of several.
        rows = _inked(mask, centres[1] - 0.4 * pitch if len(centres) > 1 else x0, x1, main)
        if rows is None:
            continue
        top, foot = rows
        if top < main.baseline - HIGHEST * main.size or foot < main.baseline + LOWEST * main.size:
            continue
        for n in range(start, stop):
            box = Box(placed[n].centre - 0.48 * pitch, top, placed[n].centre + 0.48 * pitch, foot)
            out[n] = replace(placed[n], box=box)
        letter = placed[start - 1]
        edge = centres[0] - 0.4 * pitch
        if letter.box is not None and letter.box.x1 > edge + 0.15 * pitch:  # it touches the first ideograph
            depth = main.baseline - min(metrics(letter.char).bottom, 0.0) * main.size
            out[start - 1] = replace(letter, box=Box(letter.box.x0, letter.box.y0, edge, depth))
    return out


def _runs(placed: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    """Runs of ideographs right behind a letter."""
    n = 1
    while n < len(placed):
        before = placed[n - 1].char
        if not (_is_word(placed[n].char) and before.isalpha() and not is_wide(before)):
            n += 1
            continue
        stop = n
        while stop < len(placed) and _is_word(placed[stop].char):
            stop += 1
        if any(p.char not in FLAT for p in placed[n:stop]):
            yield n, stop
        n = stop


def _is_word(char: str) -> bool:
    return is_wide(char) and char.isalpha()


def _inked(mask: Mask, x0: float, x1: float, main: Level) -> tuple[float, float] | None:
    """First and last row (page px) with ink between two x near the writing line."""
    top = max(int((main.baseline - WINDOW[0] * main.size) * SCALE), 0)
    foot = int((main.baseline + WINDOW[1] * main.size) * SCALE)
    window = mask[top:foot, max(int(x0 * SCALE), 0) : int(x1 * SCALE)]
    rows = np.flatnonzero(window.sum(axis=1) >= 2) if window.size else np.zeros(0, np.intp)
    return ((top + rows[0]) / SCALE, (top + rows[-1] + 1) / SCALE) if rows.size else None
