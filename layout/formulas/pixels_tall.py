"""Tall brackets and large operators as glyphs: in the font size of the line that they stand in, with their scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.pixels_metrics import AXIS
from layout.formulas.pixels_size import SCRIPT, Level
from layout.segments import Segment, is_wide
from layout.types import Glyph
from wholepage.boxes import Box

NEAR_EM = 3.0  # a line this close to a sign tells its size
OFF_AXIS = 0.22  # of a line's size: the middle of a sign is no further from the line's axis
CLOSING = ")]}|"
CONFIDENCE = 0.9


def tall_segments(
    signs: Sequence[tuple[Box, str]], lines: Sequence[Segment], levels: Sequence[Level], em: float
) -> list[Segment]:
    """All segments of the page: `lines`, whose main text stands at `levels`, and a segment for each of the `signs`.

    What was detected as a line of its own beside a sign, but is an exponent or a limit of it, goes into the sign's
    line, or with the sign where it stands alone. `em` is the page's font size in px, for signs that stand alone.
    """
    out: list[Segment] = []
    taken: set[int] = set()
    added: dict[int, list[Glyph]] = {}
    for box, char in signs:
        home = _line_of(box, lines, levels, em)
        size = em if home is None else levels[home].size
        own = Glyph(char, box, size, "", CONFIDENCE, box.cy + AXIS * size)
        scripts = [n for n, s in enumerate(lines) if n not in taken and _is_script(s, levels[n], box, char, size)]
        taken.update(scripts)
        glyphs = [_small(g, size) for n in scripts for g in lines[n].glyphs]
        if home is not None and home not in taken:
            added.setdefault(home, []).extend(glyphs)
            glyphs = []
        out.append(Segment((own, *glyphs), box, size, CONFIDENCE, "ocr"))
    kept = [replace(s, glyphs=(*s.glyphs, *added.get(n, ()))) for n, s in enumerate(lines) if n not in taken]
    return [*kept, *out]


def _line_of(box: Box, lines: Sequence[Segment], levels: Sequence[Level], em: float) -> int | None:
    """Number of the nearest line on whose axis the sign stands."""
    best: tuple[float, int | None] = (NEAR_EM * em, None)
    for n, (line, level) in enumerate(zip(lines, levels, strict=True)):
        away = max(line.box.x0 - box.x1, box.x0 - line.box.x1, 0.0)
        level_off = abs(box.cy + AXIS * level.size - level.baseline)
        if away < best[0] and level_off <= OFF_AXIS * level.size and level.size >= 0.6 * em:
            best = (away, n)
    return best[1]


def _is_script(line: Segment, level: Level, box: Box, char: str, size: float) -> bool:
    """Whether a short line of small print is an exponent or index of a bracket, or a bound of an integral."""
    at = line.box
    if level.size > SCRIPT * size or at.width > 2.5 * size or at.height > 0.9 * size or not line.text.strip():
        return False
    if any(is_wide(g.text) for g in line.glyphs):
        return False
    if char not in CLOSING and char != "∫":
        return False
    left = -0.45 if char == "∫" else -0.2
    if not left * size <= at.x0 - box.x1 <= 0.4 * size:
        return False
    upper = box.y0 - 0.6 * size <= at.cy <= box.y0 + 0.3 * box.height
    lower = box.y1 - 0.3 * box.height <= at.cy <= box.y1 + 0.6 * size
    return upper or lower


def _small(glyph: Glyph, size: float) -> Glyph:
    return replace(glyph, size=min(glyph.size, 0.8 * size))
