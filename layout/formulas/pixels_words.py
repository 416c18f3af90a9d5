"""Words of running text whose letters run into one another on soft pages, so that their ink tells little."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from layout.formulas.lines import SPACE_EM
from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_levels import Level
from layout.types import Glyph
from wholepage.boxes import Box

LEAST = 3  # letters of a word


def boxes_of_words(
    placed: Sequence[Placed], levels: Sequence[Level], main: Level, glyphs: Sequence[Glyph]
) -> dict[int, Box]:
    """Boxes for the letters of words whose ink cannot be theirs: out of order, or apart as words are.

    They are the cells in which the recogniser saw the letters (`glyphs`).
    """
    out: dict[int, Box] = {}
    start = 0
    for stop in range(len(placed) + 1):
        if stop == len(placed) or levels[stop] is not main or not _is_letter(placed[stop].char):
            run = range(start, stop)
            found = [placed[n].box for n in run]
            sides = [glyphs[n].box.cx for n in (start - 1, stop) if 0 <= n < len(glyphs) and glyphs[n].text.isspace()]
            if len(run) >= LEAST and (_torn(found, main.size) or _across(found, sides, glyphs[start].box)):
                out.update({n: glyphs[n].box for n in run})
            start = stop + 1
    return out


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _torn(boxes: Sequence[Box | None], size: float) -> bool:
    found = [b for b in boxes if b is not None]
    return any(b.x0 < a.x0 or b.x0 - a.x1 > SPACE_EM * size for a, b in pairwise(found))


def _across(boxes: Sequence[Box | None], blanks: Sequence[float], first: Box) -> bool:
    """Whether the blank before or behind a word whose first cell is `first` lies in the ink of its letters."""
    found = [b for b in boxes if b is not None]
    before = [x for x in blanks if x < first.x0]
    behind = [x for x in blanks if x > first.x0]
    return any(b.cx < x for b in found for x in before) or any(b.cx > x for b in found for x in behind)
