"""Tall brackets and large operators as glyphs: in the font size of the line that they stand in, with their scripts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from layout.formulas.pixels_levels import Level
from layout.formulas.pixels_metrics import AXIS, metrics
from layout.formulas.pixels_size import SCRIPT
from layout.formulas.symbols import UNDER_OPERATORS
from layout.segments import Segment, is_wide
from layout.types import Glyph
from wholepage.boxes import Box

NEAR_EM = 3.0  # a line this close to a sign tells its size
ROWS_EM = 12.0  # the same for what stands behind the rows of a brace
OFF_AXIS = 0.22  # of a line's size: the middle of a sign is no further from the line's axis
CLOSING = ")]}|"
CONFIDENCE = 0.9
LARGEST = 1.6  # of the page's font size: larger lines are none
HIGHEST = 0.66  # of a line's size: height of an exponent's ink
LONG = "→⇌="
LOW_BAR, BAR_GAP = 1.5, 0.5  # em: bars of absolute values that are no higher stand in a line, as close to its ends
TALL = "()[]{}|∑∏∫"
SIGNS = frozenset("+-−–—=＝<>≤≥≠≈≡±×÷·→⇌∈,，.．;；:：∶、。")
NAME = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(UNDER_OPERATORS))})(?![a-z]{{2}})")
NARROW = str.maketrans("，；：．", ",;:.")


def tall_segments(
    signs: Sequence[tuple[Box, str]],
    lines: Sequence[Segment],
    levels: Sequence[Level],
    em: float,
    pieces: Collection[int] = (),
) -> list[Segment]:
    """All segments of the page: `lines`, whose main text stands at `levels`, and a segment for each of the `signs`.

    What was detected as a line of its own beside a sign, but is an exponent or a limit of it, goes into the sign's
    line, or with the sign where it stands alone. `em` is the page's font size in px, for signs that stand alone;
    `pieces` are the numbers of the lines that are parts of fractions.
    """
    out: list[Segment] = []
    taken: set[int] = set()
    added: dict[int, list[Glyph]] = {}
    inner: dict[int, list[Glyph]] = {}
    for box, char in signs:
        home = _line_of(box, char, lines, levels, em)
        size = em if home is None else levels[home].size
        own = Glyph(char, box, size, "", CONFIDENCE, box.cy + AXIS * size)
        scripts = [
            n
            for n, s in enumerate(lines)
            if n not in taken and n not in pieces and _is_script(s, levels[n], box, char, size)
        ]
        taken.update(scripts)
        glyphs = [_small(g, size) for n in scripts for g in lines[n].glyphs]
        near = home is not None and max(lines[home].box.x0 - box.x1, box.x0 - lines[home].box.x1) <= em
        if home is not None and home not in taken and near:
            added.setdefault(home, []).extend(glyphs)
            glyphs = []
        low = char == "|" and box.height <= LOW_BAR * em
        if home is not None and home not in taken and _stands_in(box, lines[home], BAR_GAP * em if low else None, char):
            inner.setdefault(home, []).append(own)
            continue
        out.append(Segment((own, *glyphs), box, size, CONFIDENCE, "ocr"))
    kept = [
        replace(s, glyphs=(*_with_signs(s.glyphs, inner.get(n, ())), *added.get(n, ())))
        for n, s in enumerate(lines)
        if n not in taken
    ]
    return [*kept, *out]


def _stands_in(box: Box, line: Segment, beside: float | None, char: str) -> bool:
    """Whether a sign is the line's own: a long one between its letters, or a low bar at most `beside` px away."""
    if beside is not None:
        return line.box.x0 - beside < box.cx < line.box.x1 + beside
    return char in LONG and line.box.x0 < box.cx < line.box.x1


def _with_signs(glyphs: Sequence[Glyph], signs: Sequence[Glyph]) -> list[Glyph]:
    """The glyphs of a line with signs that stand between them; a blank that lies there goes."""
    out = list(glyphs)
    for sign in signs:
        out = [g for g in out if not (g.text.isspace() and g.box.overlap(sign.box) > 0)]
        at = next((n for n, g in enumerate(out) if not g.text.isspace() and g.box.cx > sign.box.cx), len(out))
        out.insert(at, sign)
    return out


def settle_signs(
    signs: Sequence[tuple[Box, str]],
    lines: Sequence[Segment],
    levels: Sequence[Level],
    em: float,
    pieces: Collection[int],
) -> tuple[list[Segment], list[Level]]:
    """The lines, those of nothing but operators and commas in the size and on the baseline of what they stand beside.

    Arguments as for `tall_segments`. A sign's own ink does not tell how large its font is.
    """
    out, new = list(lines), list(levels)
    alone = {n for n, s in enumerate(lines) if n not in pieces and _says_no_size(s)}
    for n in alone:
        line = lines[n]
        char, box = line.text.strip()[0], line.box
        others = [k for k in range(len(lines)) if k not in alone and k not in pieces]
        home = _line_of(box, char, [lines[k] for k in others], [levels[k] for k in others], em)
        if home is not None:
            level = levels[others[home]]
        else:
            tall = [
                b
                for b, c in signs
                if b.y_overlap(box) >= 0.9 * box.height
                and b.grow((ROWS_EM if c == "{" else NEAR_EM) * em, 0).overlap(box)
            ]
            if not tall:
                continue
            level = Level(em, min(tall, key=lambda b: abs(b.cx - box.cx)).cy + AXIS * em)
        wide = home is None or any(is_wide(g.text) for g in lines[others[home]].glyphs)
        glyphs = [
            replace(g, text=g.text if wide else g.text.translate(NARROW), size=level.size, baseline=level.baseline)
            for g in line.glyphs
        ]
        out[n], new[n] = replace(line, glyphs=tuple(glyphs), em=level.size), level
    return out, new


def settle_bounds(
    lines: Sequence[Segment], levels: Sequence[Level], bounds: Collection[int], em: float
) -> list[Segment]:
    """The lines, with what is a bound in a script's size: `bounds` by number, and what stands right under a lim.

    Small letters seem larger in an image than they are.
    """
    out = list(lines)
    names = [(hull, level.size) for s, level in zip(lines, levels, strict=True) for hull in _names(s)]
    signs = [(g.box, g.size) for s in lines for g in s.glyphs if g.text in "∑∏"]  # read as characters
    for n, line in enumerate(lines):
        size = em if n in bounds else None
        if size is None and line.box.width <= 4 * em and not any(is_wide(g.text) for g in line.glyphs):
            under = (size for hull, size in (*names, *signs) if _under(line.box, hull, size))
            size = next(iter((*under, *(size for hull, size in signs if _under(hull, line.box, size)))), None)
        if size is not None:
            out[n] = replace(line, glyphs=tuple(_small(g, size) for g in line.glyphs))
    return out


def _names(line: Segment) -> list[Box]:
    """Boxes of lim, max and min in a line, where they are no part of a longer word."""
    glyphs = line.glyphs
    text = "".join(g.text[:1] or " " for g in glyphs)
    return [Box.hull(g.box for g in glyphs[m.start() : m.end()]) for m in NAME.finditer(text)]


def _under(box: Box, name: Box, size: float) -> bool:
    common = min(box.x1, name.x1) - max(box.x0, name.x0)
    return common > 0.6 * min(box.width, name.width) and -0.15 * size <= box.y0 - name.y1 <= 0.5 * size


def _says_no_size(line: Segment) -> bool:
    text = line.text.strip()
    return bool(text) and all(c in SIGNS for c in text)


def _line_of(box: Box, char: str, lines: Sequence[Segment], levels: Sequence[Level], em: float) -> int | None:
    """Number of the nearest line at whose level the sign stands: brackets and operators on its axis, commas lower."""
    form = metrics(char)
    height = AXIS if char in TALL or not form.width else (form.top + form.bottom) / 2
    best: tuple[float, int | None] = (NEAR_EM * em, None)
    for n, (line, level) in enumerate(zip(lines, levels, strict=True)):
        away = max(line.box.x0 - box.x1, box.x0 - line.box.x1, 0.0)
        level_off = abs(box.cy + height * level.size - level.baseline)
        if away < best[0] and level_off <= OFF_AXIS * level.size and 0.6 * em <= level.size <= LARGEST * em:
            best = (away, n)
    return best[1]


def _is_script(line: Segment, level: Level, box: Box, char: str, size: float) -> bool:
    """Whether a short line of small print is an exponent or index of a bracket, or a bound of an integral."""
    at = line.box
    if at.width > 2.5 * size or at.height > 0.9 * size or not line.text.strip():
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
    # A letter that is high above the line is a script, whatever its ink tells of its size.
    small = level.size <= SCRIPT * size or (upper and at.height <= HIGHEST * size and at.y1 < box.cy - 0.25 * size)
    return small and (upper or lower)


def _small(glyph: Glyph, size: float) -> Glyph:
    return replace(glyph, size=min(glyph.size, 0.8 * size))
