"""Marks that stand alone in the right margin: "… of a transistor.      3"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from parse_templates.flow import FlowLine
from wholepage.boxes import Box

TAIL = re.compile(r"(?:^|\u2003)\s*(?P<p>\d{1,2})\s*$")
MIN_FOUND = 3  # marks in a paper: a single number beside a text may be anything
MAX_MARKS = 30
LONG_SHARE = 0.6  # of the longest line: lines that show where the text ends


def take_margin_marks(flow: Sequence[FlowLine]) -> list[FlowLine]:
    """The flow with `marks` on the lines that have some beside them, which are cut from the text.

    A number is a mark when it stands clear of the right edge of its page's text; a line of nothing else gives its
    marks to the line that it stands level with or below.
    """
    edges = _text_edges(flow)
    found = {line.index: tail for line in flow if (tail := _tail(line, edges)) is not None}
    if len(found) < MIN_FOUND:
        return list(flow)
    out: list[FlowLine] = []
    for line in flow:
        if line.index not in found:
            out.append(line)
            continue
        start, marks = found[line.index]
        if start > 0:
            out.append(_without_tail(line, start, marks))
            continue
        owner = _beside(line, flow, found)
        out = [replace(x, marks=marks) if x.index == owner else x for x in out]
        if owner is not None and owner > line.index:
            found.setdefault(owner, (len(flow[owner].text), marks))
    return [replace(line, index=i) for i, line in enumerate(out)]


def _text_edges(flow: Sequence[FlowLine]) -> dict[int, float]:
    """For each page the x at which its long lines end, marks left out."""
    ends: dict[int, list[tuple[float, float]]] = {}
    for line in flow:
        if line.line is None:
            continue
        glyphs = _text_glyphs(line)
        if glyphs:
            ends.setdefault(line.page, []).append((glyphs[-1].x1 - line.box.x0, glyphs[-1].x1))
    out = {}
    for page, lines in ends.items():
        longest = max(width for width, _ in lines)
        long = sorted(x for width, x in lines if width >= LONG_SHARE * longest)
        out[page] = long[(3 * len(long)) // 4]
    return out


def _text_glyphs(line: FlowLine) -> list[Box]:
    """Boxes of the line's letters before its last wide gap, when a number follows that."""
    assert line.line is not None
    match = TAIL.search(line.text)
    stop, at, boxes = (match.start() if match else len(line.text)), 0, []
    for glyph in line.line.glyphs:
        if at < stop and not glyph.text.isspace():
            boxes.append(glyph.box)
        at += len(glyph.text)
    return boxes


def _tail(line: FlowLine, edges: dict[int, float]) -> tuple[int, float] | None:
    """Where the marks begin in the line's text, and how many they are."""
    match = TAIL.search(line.text) if line.line is not None else None
    if match is None or line.line is None or not 0 < int(match["p"]) <= MAX_MARKS:
        return None
    at = 0
    for glyph in line.line.glyphs:
        if at >= match.start("p"):
            clear = glyph.box.x0 > edges.get(line.page, float("inf")) + 0.4 * line.box.height
            return (match.start(), float(match["p"])) if clear else None
        at += len(glyph.text)
    return None


def _without_tail(line: FlowLine, start: int, marks: float) -> FlowLine:
    assert line.line is not None
    kept, at = [], 0
    for glyph in line.line.glyphs:
        if at < start:
            kept.append(glyph)
        at += len(glyph.text)
    text = "".join(g.text for g in kept)
    box = Box.hull(g.box for g in kept)
    shorter = replace(line.line, text=text, glyphs=tuple(kept), box=box)
    return replace(line, text=text, box=box, line=shorter, marks=marks)


def _beside(line: FlowLine, flow: Sequence[FlowLine], found: dict[int, tuple[int, float]]) -> int | None:
    """Index of the line that a lone mark stands level with, else of the last line above it."""
    same = [x for x in flow if x.page == line.page and x.line is not None and x.index != line.index]
    others = [x for x in same if not (x.index in found and found[x.index][0] == 0)]
    level = [x for x in others if x.box.y_overlap(line.box) > 0.5 * line.box.height]
    if level:
        return max(level, key=lambda x: x.box.y_overlap(line.box)).index
    above = [x for x in others if x.box.cy < line.box.cy]
    return max(above, key=lambda x: x.box.cy).index if above else None
