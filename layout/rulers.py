"""Dashed lines between columns that OCR reads as characters: | 1 ‡, alone or before the text beside them."""

from __future__ import annotations

from collections.abc import Sequence

from layout.segments import Segment, segment_of

STROKES = frozenset("|1Il!+‡丨,，'：:")
SURE = frozenset("|‡丨")
LEAST, SPREAD_EM, NEAR_EM = 4, 8.0, 0.5  # pieces of a line; its height; how far they stand from one another across


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
