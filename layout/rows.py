"""Rows: segments that stand on one line of print, with exponents, indices and fractions put in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from layout.segments import Segment, is_wide
from layout.types import Glyph, Line
from wholepage.boxes import Box

WIDE_GAP = "\u2003"  # em space: a gap that separates options, not words
WIDE_GAP_EM = 1.6
SPACE_EM = 0.25
MINOR = 0.8  # a segment with a font smaller than this share of the row's is an index, exponent or fraction part
CLOSING = ",.;:，。；：、）)】”"


@dataclass(frozen=True, slots=True)
class Row:
    """Segments of one row; `core` is the vertical band of its main text."""

    segments: tuple[Segment, ...]
    core: Box

    @property
    def box(self) -> Box:
        """Hull of all segments."""
        return Box.hull(s.box for s in self.segments)


def group_rows(segments: Sequence[Segment], bars: Sequence[Box] = ()) -> list[Row]:
    """Rows from top to bottom. `bars` are short horizontal rules; segments above and below one form a fraction.

    Large and long segments found rows, smaller ones join the row that they overlap most.
    """
    stacked = stack_fractions(segments, bars)
    order = sorted(stacked, key=lambda s: (-round(s.em / 4), -s.box.width))
    rows: list[list[Segment]] = []
    for segment in order:
        best = max(rows, key=lambda row: _affinity(segment, row), default=None)
        if best is not None and _affinity(segment, best) > 0:
            best.append(segment)
        else:
            rows.append([segment])
    built = [Row(tuple(sorted(row, key=lambda s: s.box.x0)), row[0].box) for row in rows]
    return sorted(built, key=lambda row: row.core.cy)


def _affinity(segment: Segment, row: list[Segment]) -> float:
    """How well `segment` belongs to the row founded by its first member: 0 = not at all."""
    core = row[0]
    low = min(segment.box.height, core.box.height)
    share = segment.box.y_overlap(core.box) / low if low > 0 else 0.0
    reach = 0.8 * core.em
    near = any(s.box.x0 - reach <= segment.box.cx <= s.box.x1 + reach for s in row)
    clash = max((segment.box.x_overlap(s.box) for s in row), default=0.0) > 0.6 * segment.box.width
    if segment.em < MINOR * core.em:
        return share if share >= (0.15 if near else 0.5) else 0.0
    if clash and share < 0.8:
        return 0.0
    return share if share >= 0.5 else 0.0


def stack_fractions(segments: Sequence[Segment], bars: Sequence[Box]) -> list[Segment]:
    """Replace what stands above and below each bar by one segment "numerator/denominator"."""
    items = list(segments)
    for bar in sorted(_distinct(bars), key=lambda b: b.width):
        reach = bar.grow(3, 0)
        within = [s for s in items if reach.x0 <= s.box.cx <= reach.x1 and s.box.width <= bar.width + 0.6 * s.em]
        above = _nearest([s for s in within if s.box.cy < bar.cy and bar.y0 - s.box.y1 < 0.6 * s.em], bar)
        below = _nearest([s for s in within if s.box.cy > bar.cy and s.box.y0 - bar.y1 < 0.6 * s.em], bar)
        if not above or not below:
            continue
        top, bottom = (sorted(_flat(part), key=lambda g: g.box.x0) for part in (above, below))
        em = max(s.em for s in (*above, *below))
        slash = Glyph("/", bar, em, "", 1.0)
        hull = Box.hull([bar, *(s.box for s in (*above, *below))])
        confidence = fmean(s.confidence for s in (*above, *below))
        items = [s for s in items if s not in above and s not in below]
        items.append(Segment((*top, slash, *bottom), hull, em, confidence, above[0].origin))
    return items


def _distinct(bars: Sequence[Box]) -> list[Box]:
    """Bars without those that describe the same stroke: one drawn rule is found in the PDF and in its image."""
    kept: list[Box] = []
    for bar in bars:
        if not any(bar.x_overlap(k) > 0.8 * min(bar.width, k.width) and abs(bar.cy - k.cy) < 5 for k in kept):
            kept.append(bar)
    return kept


def _nearest(segments: list[Segment], bar: Box) -> list[Segment]:
    """Those of one row: the nearest to the bar and what stands level with it."""
    if not segments:
        return []
    largest = max(s.em for s in segments)
    first = min((s for s in segments if s.em > 0.9 * largest), key=lambda s: abs(s.box.cy - bar.cy))
    band = first.box.grow(0, 0.35 * first.em)
    return [s for s in segments if s.box.y_overlap(band) > (0.5 if s.em > 0.9 * largest else 0.2) * s.box.height]


def _flat(segments: Sequence[Segment]) -> list[Glyph]:
    return [g for s in segments for g in s.glyphs if not g.text.isspace()]


def row_line(row: Row, column: int) -> Line:
    """The row as one line: glyphs by x, fractions kept together, gaps as spaces."""
    units: list[tuple[float, float, tuple[Glyph, ...]]] = []
    main_em = max(s.em for s in row.segments)
    for segment in row.segments:
        if _is_stack(segment) or segment.em < MINOR * main_em:
            units.append((segment.box.x0, segment.box.x1, segment.glyphs))
        else:
            units.extend((g.box.x0, g.box.x1, (g,)) for g in segment.glyphs if not g.text.isspace())
    units.sort(key=lambda unit: min((unit[0] + unit[1]) / 2, unit[0] + 0.3 * main_em))
    blanks = [g for s in row.segments if not _is_stack(s) for g in s.glyphs if g.text.isspace()]
    glyphs: list[Glyph] = []
    for x0, _, unit in units:
        if glyphs:
            gap = _gap(glyphs[-1], unit[0], x0, main_em, blanks)
            if gap is not None:
                glyphs.append(gap)
        glyphs.extend(unit)
    weights = [max(s.box.width, 1.0) for s in row.segments]
    total = sum(weights)
    confidence = sum(s.confidence * w for s, w in zip(row.segments, weights, strict=True)) / total
    bold = sum(w for s, w in zip(row.segments, weights, strict=True) if s.bold) > total / 2
    origin = "ocr" if any(s.origin == "ocr" for s in row.segments) else "text_layer"
    text = "".join(g.text for g in glyphs)
    return Line(text, row.box, tuple(glyphs), confidence, origin, column=column, bold=bold)  # type: ignore[arg-type]


def _is_stack(segment: Segment) -> bool:
    return any(g.text == "/" and g.font == "" and g.box.height < 0.3 * segment.em for g in segment.glyphs)


def _gap(last: Glyph, glyph: Glyph, x0: float, em: float, blanks: Sequence[Glyph]) -> Glyph | None:
    """White space between two glyphs, or None."""
    left = last.box.x1
    width = x0 - left
    if width > WIDE_GAP_EM * em:
        mark = WIDE_GAP
    elif any(left - 0.1 * em <= b.box.cx <= x0 + 0.1 * em for b in blanks):
        mark = " "
    elif is_wide(last.text) or is_wide(glyph.text) or glyph.text in CLOSING or width <= SPACE_EM * em:
        return None
    else:
        mark = " "
    box = Box.of((left, last.box.y0, max(left, x0), last.box.y1))
    return Glyph(mark, box, em, "", 1.0, last.baseline)


def join_rows(segments: Sequence[Segment], em: float) -> str:
    """Text of a few rows, such as a table cell's: lines joined without a space between ideographs."""
    text = ""
    for row in group_rows(segments):
        text = join_text(text, row_line(row, 0).text.replace(WIDE_GAP, " "))
    return text


def join_text(left: str, right: str) -> str:
    """Two lines of one paragraph joined: with a space unless an ideograph or full-width mark stands at the seam."""
    left, right = left.rstrip(), right.lstrip()
    if not left or not right:
        return left + right
    if left[-1] == "-" and len(left) > 1 and left[-2].isalpha() and right[0].islower():
        return left[:-1] + right
    glue = "" if is_wide(left[-1]) or is_wide(right[0]) else " "
    return left + glue + right
