"""Rows: segments that stand on one line of print, with exponents, indices and fractions put in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from layout.formulas.lines import WIDE_GAP, write_glyphs
from layout.segments import Segment, is_wide
from layout.types import Glyph, Line
from wholepage.boxes import Box

# A formula that ends or goes on with an operator was broken at the end of a line.
_OPERATOR = r"\\(?:le|ge|ne|times|cdot|pm|in|cup|cap|to|rightleftharpoons|approx)"
BROKEN_FORMULA_END = re.compile(rf"(?:[=<>+\-(,|]|{_OPERATOR})\$$")
BROKEN_FORMULA_START = re.compile(rf"\$(?:[=<>+\-)]|{_OPERATOR}(?![a-z]))")
LEVEL_EM = 0.12  # segments whose writing lines differ less stand on one
BESIDE_EM = 0.45  # gap to what goes on in the same line: less than between columns
MINOR = 0.8  # a segment with a font smaller than this share of the row's is an index, exponent or fraction part


@dataclass(frozen=True, slots=True)
class Row:
    """Segments of one row; `core` is the vertical band of its main text."""

    segments: tuple[Segment, ...]
    core: Box

    @property
    def box(self) -> Box:
        """Hull of all segments."""
        return Box.hull(s.box for s in self.segments)


def group_rows(segments: Sequence[Segment]) -> list[Row]:
    """Rows from top to bottom. Large and long segments found rows, smaller ones join the row that they overlap most."""
    order = sorted(segments, key=lambda s: (-round(s.em / 4), -s.box.width))
    rows: list[list[Segment]] = []
    for segment in order:
        best = max(rows, key=lambda row: _affinity(segment, row), default=None)
        if best is not None and _affinity(segment, best) > 0:
            best.append(segment)
        else:
            rows.append([segment])
    built = [Row(tuple(sorted(row, key=lambda s: s.box.x0)), row[0].band) for row in rows]
    return sorted(built, key=lambda row: row.core.cy)


def _affinity(segment: Segment, row: list[Segment]) -> float:
    """How well `segment` belongs to the row founded by its first member: 0 = not at all."""
    core = row[0]
    low = min(segment.band.height, core.band.height)
    share = segment.band.y_overlap(core.band) / low if low > 0 else 0.0
    reach = 0.8 * core.em
    near = any(s.box.x0 - reach <= segment.box.cx <= s.box.x1 + reach for s in row)
    clash = max((segment.box.x_overlap(s.box) for s in row), default=0.0) > 0.6 * segment.box.width
    if segment.em < MINOR * core.em:
        if share < (0.15 if near else 0.5):
            return 0.0
        return share + 1.0 if near else share  # options side by side may stand at several levels
    if any(_follow(s, segment) or _follow(segment, s) for s in row):
        return share + 1.0
    if clash and share < 0.8:
        return 0.0
    return share if share >= 0.5 else 0.0


def _follow(left: Segment, right: Segment) -> bool:
    """Whether `right` begins where `left` ends and stands on the same writing line."""
    em = max(left.em, right.em)
    level = abs(left.band.y1 - right.band.y1) < LEVEL_EM * em and min(left.em, right.em) >= MINOR * em
    return level and -0.1 * em <= right.box.x0 - left.box.x1 <= BESIDE_EM * em


def row_line(row: Row, column: int) -> Line:
    """The row as one line: glyphs by x, formulas as one glyph `$…$` each, gaps as spaces."""
    main_em = max(s.em for s in row.segments)
    blanks = [g for s in row.segments for g in s.glyphs if g.text.isspace()]
    glyphs = write_glyphs(_groups(row, main_em), blanks, main_em)
    weights = [max(s.box.width, 1.0) for s in row.segments]
    total = sum(weights)
    confidence = sum(s.confidence * w for s, w in zip(row.segments, weights, strict=True)) / total
    bold = sum(w for s, w in zip(row.segments, weights, strict=True) if s.bold) > total / 2
    origin = "ocr" if any(s.origin == "ocr" for s in row.segments) else "text_layer"
    text = "".join(g.text for g in glyphs)
    return Line(text, row.box, tuple(glyphs), confidence, origin, column=column, bold=bold)  # type: ignore[arg-type]


def _groups(row: Row, main_em: float) -> list[list[Glyph]]:
    """Visible glyphs of the row by writing line: options side by side need not stand on one."""
    main = sorted((s for s in row.segments if s.em >= MINOR * main_em), key=lambda s: s.box.x0)
    groups: list[list[Segment]] = []
    for segment in main:
        if groups and abs(groups[-1][-1].band.y1 - segment.band.y1) < LEVEL_EM * main_em:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    for small in (s for s in row.segments if s.em < MINOR * main_em):
        gaps = [min(max(s.box.x0 - small.box.x1, small.box.x0 - s.box.x1, 0.0) for s in group) for group in groups]
        groups[gaps.index(min(gaps))].append(small)
    return [[g for s in group for g in s.glyphs if not g.text.isspace()] for group in groups]


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
    if BROKEN_FORMULA_END.search(left) and right[0] == "$":
        return left[:-1] + right[1:]
    if left[-1] == "$" and BROKEN_FORMULA_START.match(right):
        return left[:-1] + right[1:]
    if left[-1] == "-" and len(left) > 1 and left[-2].isalpha() and right[0].islower():
        return left[:-1] + right
    glue = "" if is_wide(left[-1]) or is_wide(right[0]) else " "
    return left + glue + right
