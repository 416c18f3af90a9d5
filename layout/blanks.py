"""Blanks to fill in: horizontal rules on the writing line without text above become `____`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from layout.ink import Mask
from layout.types import Glyph, Line
from wholepage.boxes import Box

BLANK = "____"
MIN_BLANK_EM = 1.15
UNDERSCORES = re.compile(r"[_＿]+")


def free_rules(rules: Sequence[Box], mask: Mask, em: float) -> list[Box]:
    """Those `rules` with nothing printed upon or hung under them.

    A fraction bar and an underline carry ink, the bar of a radical or an overline has ink right below it; a blank
    has neither.
    """
    free = []
    for rule in rules:
        above = _inked(mask, rule, rule.y0 - 0.75 * em, rule.y0 - 0.12 * em)
        below = _inked(mask, rule, rule.y1 + 0.1 * em, rule.y1 + 0.38 * em)
        if above < 0.3 and below < 0.2:
            free.append(rule)
    return free


def _inked(mask: Mask, rule: Box, top: float, bottom: float) -> float:
    """Share of the rule's length with ink between two heights."""
    area = mask[max(0, int(top)) : max(1, int(bottom)), int(rule.x0) : int(rule.x1) + 1]
    return float((area > 0).any(axis=0).mean()) if area.size else 0.0


def insert_blanks(lines: Sequence[Line], rules: Sequence[Box], em: float) -> list[Line]:
    """Lines with a `____` glyph at each rule that stands on their writing line and carries no text.

    Runs of printed underscores become one `____` as well. A rule that no line is near is left alone: ruled space for
    long answers is not part of the question's text.
    """
    out = [_collapse(line) for line in lines]
    for rule in sorted(rules, key=lambda r: r.x0):
        if rule.width < MIN_BLANK_EM * em:
            continue
        index = _line_of(rule, out, em)
        if index is not None and not _carries_text(rule, out[index]):
            out[index] = _insert(out[index], rule)
    return out


def _line_of(rule: Box, lines: Sequence[Line], em: float) -> int | None:
    """The line on whose writing line the rule stands."""
    best: tuple[float, int] | None = None
    for index, line in enumerate(lines):
        sizes = sorted(g.box.y1 for g in line.glyphs if not g.text.isspace())
        bottom = sizes[len(sizes) // 2] if sizes else line.box.y1
        off = abs(rule.cy - (bottom - 0.05 * em))
        gap = max(line.box.x0 - rule.x1, rule.x0 - line.box.x1, 0.0)
        if off <= 0.45 * em and gap <= 2.5 * em and (best is None or off < best[0]):
            best = (off, index)
    return best[1] if best else None


def _carries_text(rule: Box, line: Line) -> bool:
    """Whether letters stand on the rule: then it underlines them."""
    above = sum(g.box.x_overlap(rule) for g in line.glyphs if not g.text.isspace() and g.text != BLANK)
    return above > 0.45 * rule.width


def _insert(line: Line, rule: Box) -> Line:
    """`line` with a blank at the rule; spaces that the rule covers are dropped."""
    if any(g.text == BLANK and g.box.x_overlap(rule) > 0.5 * min(rule.width, g.box.width) for g in line.glyphs):
        return line
    kept = [g for g in line.glyphs if not (g.text.isspace() and rule.x0 - 2 <= g.box.cx <= rule.x1 + 2)]
    at = next((i for i, g in enumerate(kept) if g.box.cx > rule.cx), len(kept))
    kept.insert(at, Glyph(BLANK, Box(rule.x0, line.box.y0, rule.x1, line.box.y1)))
    return _relined(line, kept)


def _collapse(line: Line) -> Line:
    """Runs of two or more underscore glyphs as one blank."""
    if not UNDERSCORES.search(line.text):
        return line
    out: list[Glyph] = []
    for glyph in line.glyphs:
        if UNDERSCORES.fullmatch(glyph.text):
            if out and out[-1].text == BLANK:
                out[-1] = replace(out[-1], box=out[-1].box.union(glyph.box))
            else:
                out.append(replace(glyph, text=BLANK))
        else:
            out.append(glyph)
    return _relined(line, out)


def _relined(line: Line, glyphs: list[Glyph]) -> Line:
    hull = Box.hull([line.box, *(g.box for g in glyphs)])
    return replace(line, text="".join(g.text for g in glyphs), glyphs=tuple(glyphs), box=hull)
