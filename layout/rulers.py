"""Dashed and dotted lines between columns that OCR reads as characters: | 1 ‡, alone or before the text beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.segments import Segment, segment_of
from layout.types import Glyph

STROKES = frozenset("|1Il!+‡丨,，'：:")
SURE = frozenset("|‡丨")
LEAST, SPREAD_EM, NEAR_EM = 4, 8.0, 0.5  # pieces of a line; its height; how far they stand from one another across
EDGE_EM = 0.3  # a stroke of the picture's edge is no further from it
SHORT, NARROW_EM = 2, 1.2  # characters that a piece of a dotted line is read as, and its width
REACH_EM, WINDOW_EM = 6.0, 0.5  # how far a dotted line goes on above or below such a piece; each window has a dot
BESIDE_EM = 0.5  # on both sides of a line there is paper
DARKER = 10.0  # grey levels; dots are at least that much darker than paper, often not more


def off_dotted_lines(segments: Sequence[Segment], gray: NDArray[np.uint8], em: float) -> list[Segment]:
    """Segments without those read from dotted vertical lines, which may be too faint for the ink mask.

    `gray` is the page, H×W uint8.
    """

    def dotted(x: float, y0: float, y1: float) -> float:
        """Share of the windows between two heights that hold something darker than paper at `x`."""
        half, step = max(int(0.12 * em), 2), max(int(WINDOW_EM * em), 2)
        strip = gray[max(int(y0), 0) : max(int(y1), 0), max(int(x) - half, 0) : int(x) + half].astype(float)
        rows = len(strip) // step
        if not rows or not strip.shape[1]:
            return 0.0
        darkest = strip[: rows * step].reshape(rows, -1).min(axis=1)
        return float((darkest < np.percentile(strip, 90) - DARKER).mean())

    def on_line(segment: Segment) -> bool:
        box = segment.box
        if segment.origin != "ocr" or len(segment.text.strip()) > SHORT or box.width > NARROW_EM * em:
            return False
        reach, away = REACH_EM * em, BESIDE_EM * em + box.width / 2
        for y0, y1 in ((box.y0 - reach, box.y0), (box.y1, box.y1 + reach)):
            sides = (dotted(x, y0, y1) for x in (box.cx - away, box.cx + away))
            if dotted(box.cx, y0, y1) >= 0.9 and max(sides) <= 0.3:
                return True
        return False

    return [s for s in segments if not on_line(s)]


def without_rulers(segments: Sequence[Segment], em: float) -> list[Segment]:
    """Segments without the strokes of dashed vertical lines; text behind such a stroke stays."""
    marks = [s for s in segments if _stroke_of(s) is not None]
    lines = [group for group in _columns(marks, em) if _is_line(group, em)]
    pieces = {id(s) for group in lines for s in group}
    out: list[Segment] = []
    for segment in segments:
        cut = _stroke_of(segment) if id(segment) in pieces else 0
        rest = segment.glyphs[cut:]
        if not cut:
            out.append(segment)
        elif any(not g.text.isspace() for g in rest):
            out.append(segment_of(rest, segment.em, segment.confidence, segment.origin, segment.bold))
    return out


def without_edge_strokes(segments: Sequence[Segment], width: int, em: float) -> list[Segment]:
    """Segments of a photo without the strokes that OCR makes of the picture's left and right edges."""
    out: list[Segment] = []
    for segment in segments:
        glyphs = list(segment.glyphs)
        while glyphs and (glyphs[-1].text.isspace() or _at_edge(glyphs[-1], width, em)):
            glyphs.pop()
        while glyphs and (glyphs[0].text.isspace() or _at_edge(glyphs[0], width, em)):
            glyphs.pop(0)
        if len(glyphs) == len(segment.glyphs) or segment.origin != "ocr":
            out.append(segment)
        elif glyphs:
            out.append(segment_of(glyphs, segment.em, segment.confidence, segment.origin, segment.bold))
    return out


def _at_edge(glyph: Glyph, width: int, em: float) -> bool:
    near = min(glyph.box.x0, width - glyph.box.x1) < EDGE_EM * em
    return glyph.text in STROKES and near and glyph.box.width < 0.5 * em


def _stroke_of(segment: Segment) -> int | None:
    """How many glyphs at the start are a stroke and the blank behind it; None when the segment begins otherwise."""
    if segment.origin != "ocr" or not segment.glyphs or segment.glyphs[0].text not in STROKES:
        return None
    if all(g.text in STROKES for g in segment.glyphs):
        return len(segment.glyphs)
    cut = 1
    while cut < len(segment.glyphs) and segment.glyphs[cut].text.isspace():
        cut += 1
    return cut if cut > 1 else None


def _columns(marks: Sequence[Segment], em: float) -> list[list[Segment]]:
    groups: list[list[Segment]] = []
    for segment in sorted(marks, key=lambda s: s.box.x0):
        if groups and segment.box.x0 - groups[-1][0].box.x0 < NEAR_EM * em:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return groups


def _is_line(group: Sequence[Segment], em: float) -> bool:
    """Whether strokes under one another are a line and no column of numbers: enough of them are no digits."""
    tall = max(s.box.y1 for s in group) - min(s.box.y0 for s in group) > SPREAD_EM * em
    sure = sum(any(g.text in SURE for g in s.glyphs[: _stroke_of(s)]) for s in group)
    return len(group) >= LEAST and tall and sure >= max(2, len(group) // 3)
