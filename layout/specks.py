"""Small ink that was read on its own beside the lines: strokes of ideographs, the two dots of a colon, specks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.segments import Segment, is_wide, segment_of
from layout.types import Glyph
from wholepage.boxes import Box

LONE = frozenset("•·∙")
DOTS = LONE | frozenset(".")
MARKS = DOTS | frozenset("、,，'`丶。")
LARGEST_EM = 0.4  # of such ink
COLON = "："


def without_stray_marks(segments: Sequence[Segment], em: float) -> list[Segment]:
    """The segments without strokes of ideographs and lone dots; two dots over one another are a colon.

    Only what was read alone is looked at: dots within a line belong to it.
    """
    small = [s for s in segments if _is_small(s, em)]
    gone: set[int] = set()
    colons: list[Segment] = []
    wide = [g.box for s in segments if not _is_small(s, em) for g in s.glyphs if is_wide(g.text) and g.text.isalnum()]
    for n, speck in enumerate(small):
        if id(speck) in gone:
            continue
        if any(b.grow(0.05 * em).holds(speck.box.cx, speck.box.cy) for b in wide):
            gone.add(id(speck))
            continue
        if not set(speck.text.strip()) <= DOTS:
            continue
        other = next((o for o in small[n + 1 :] if id(o) not in gone and _over(speck.box, o.box, em)), None)
        if other is not None:
            gone.update((id(speck), id(other)))
            colons.append(_colon(speck, other, em))
        elif set(speck.text.strip()) <= LONE:
            gone.add(id(speck))
    return [*(s for s in segments if id(s) not in gone), *colons]


def _is_small(segment: Segment, em: float) -> bool:
    marks = set(segment.text.strip())
    return bool(marks) and marks <= MARKS and max(segment.box.width, segment.box.height) < LARGEST_EM * em


def _over(one: Box, other: Box, em: float) -> bool:
    return abs(one.cx - other.cx) < 0.15 * em and 0.2 * em < abs(one.cy - other.cy) < 0.65 * em


def _colon(one: Segment, other: Segment, em: float) -> Segment:
    box = one.box.union(other.box)
    first = one.glyphs[0]
    glyph = replace(first, text=COLON, box=box, size=em, baseline=box.y1) if isinstance(first, Glyph) else first
    return segment_of([glyph], em, min(one.confidence, other.confidence), "ocr")
