"""Columns and their reading order by recursive cuts at gutters (XY-cut; Nagy and Seth 1984), on text segments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from layout.segments import Segment
from wholepage.boxes import Box

MIN_GUTTER_EM = 0.9
MIN_HEIGHT_EM = 9.0  # a gutter is at least so tall
MIN_COLUMN_EM = 8.0
MIN_LONG_LINES = 4  # lines on each side that fill most of their column
OPTION = re.compile(r"^\s*[(（]?([A-H])[)）.．、:：]")


@dataclass(frozen=True, slots=True)
class Block:
    """Segments of one column of one band; blocks come in reading order."""

    segments: tuple[Segment, ...]
    box: Box


@dataclass(frozen=True, slots=True)
class _Gutter:
    x0: float
    x1: float
    y0: float
    y1: float


def split_columns(segments: Sequence[Segment], em: float) -> list[Block]:
    """Blocks of `segments` in reading order: what spans a gutter first, then left before right, then what follows."""
    items = list(segments)
    if not items:
        return []
    gutter = _best_gutter(items, em)
    if gutter is None:
        return [Block(tuple(items), Box.hull(s.box for s in items))]
    middle = [s for s in items if gutter.y0 <= s.box.cy <= gutter.y1]
    groups = [
        [s for s in items if s.box.cy < gutter.y0],
        [s for s in middle if s.box.cx < (gutter.x0 + gutter.x1) / 2],
        [s for s in middle if s.box.cx >= (gutter.x0 + gutter.x1) / 2],
        [s for s in items if s.box.cy > gutter.y1],
    ]
    return [block for group in groups for block in split_columns(group, em)]


def _best_gutter(items: list[Segment], em: float) -> _Gutter | None:
    """The gutter with the largest area, or None."""
    area = Box.hull(s.box for s in items)
    best: tuple[float, _Gutter] | None = None
    x = area.x0 + MIN_COLUMN_EM * em
    while x < area.x1 - MIN_COLUMN_EM * em:
        for y0, y1 in _free_spans(items, x, area):
            if y1 - y0 < MIN_HEIGHT_EM * em:
                continue
            gutter = _widen(items, x, y0, y1, area)
            score = (gutter.y1 - gutter.y0) * min(gutter.x1 - gutter.x0, 1.5 * em)
            if (best is None or score > best[0]) and _is_gutter(items, gutter, em):
                best = (score, gutter)
        x += em / 2
    return best[1] if best else None


def _free_spans(items: list[Segment], x: float, area: Box) -> list[tuple[float, float]]:
    """Vertical intervals at `x` that no segment crosses."""
    crossing = sorted((s.box.y0, s.box.y1) for s in items if s.box.x0 < x < s.box.x1)
    edges = [(area.y0 - 1, area.y0 - 1), *crossing, (area.y1 + 1, area.y1 + 1)]
    spans, bottom = [], edges[0][1]
    for (_, _), (top, low) in pairwise(edges):
        if top > bottom:
            spans.append((bottom, top))
        bottom = max(bottom, low)
    return spans


def _widen(items: list[Segment], x: float, y0: float, y1: float, area: Box) -> _Gutter:
    """The free strip around `x` between y0 and y1."""
    inside = [s.box for s in items if y0 <= s.box.cy <= y1]
    left = max((b.x1 for b in inside if b.x1 <= x), default=area.x0)
    right = min((b.x0 for b in inside if b.x0 >= x), default=area.x1)
    return _Gutter(left, right, y0, y1)


def _is_gutter(items: list[Segment], gutter: _Gutter, em: float) -> bool:
    """Whether both sides look like columns of running text rather than options, labels or table cells."""
    if gutter.x1 - gutter.x0 < MIN_GUTTER_EM * em:
        return False
    inside = [s for s in items if gutter.y0 <= s.box.cy <= gutter.y1]
    left = [s for s in inside if s.box.cx < gutter.x0 + 1]
    right = [s for s in inside if s.box.cx > gutter.x1 - 1]
    for side in (left, right):
        if not side:
            return False
        # The longest lines show how wide the column is; a side may hold several columns.
        longest = sorted(s.box.width for s in side)[-max(1, len(side) // 10)]
        full = max(0.6 * longest, MIN_COLUMN_EM * em)
        if sum(s.box.width >= full for s in side) < MIN_LONG_LINES:
            return False
    rows = _rows(right)
    starts = [row[0] for row in rows if row[0].box.x0 < gutter.x1 + 2.6 * em]
    paired = sum(_continues_options(s, left) for s in starts)
    return paired <= 0.45 * len(starts) and len(starts) >= 0.35 * len(rows)


def _rows(segments: list[Segment]) -> list[list[Segment]]:
    """Segments that stand level, each row from left to right: four options in one row are one line of the column."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda s: s.box.cy):
        if rows and segment.box.cy < rows[-1][0].box.y1 - 0.3 * segment.box.height:
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda s: s.box.x0) for row in rows]


def _continues_options(segment: Segment, left: list[Segment]) -> bool:
    """Whether `segment` is option B, C … and its predecessor stands level on the left: a grid of options."""
    match = OPTION.match(segment.text)
    if not match or match[1] == "A":
        return False
    level = [s for s in left if s.box.y_overlap(segment.box) > 0.5 * min(s.box.height, segment.box.height)]
    return any((m := OPTION.match(s.text)) and ord(m[1]) == ord(match[1]) - 1 for s in level)
