"""Ink that looks like a figure but is none: what pens draw over the print, signs in the margin, scanner shadows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from layout.furniture import EDGE_SHARE, PAGE_NUMBER
from layout.lettering import STARTS_TEXT, Found
from layout.segments import Segment
from wholepage.boxes import Box
from wholepage.records import PageKind

RING_EM = 5.0  # font sizes; a ring round a number or a word is no larger
NUMBER = re.compile(r"^\s*\d{1,2}\s*[.．、]?\s*$")
BESIDE_EM = 2.5  # the text of a question begins no further behind its number
ACROSS, ACROSS_RING = 0.25, 0.1  # share of a drawing, or of a ring, over which lines run that go on beside it
OVER_RING_EM = 0.8  # by which they reach into a ring
BEYOND_EM = 2.0  # font sizes by which they do
LONG = 8  # characters of such a line
SURE = 0.8  # its confidence
FOOTER = re.compile(r"\bP\s*\.\s*T\s*\.\s*O\b|(?i:\bpage\s*\|?\s*\d)|第\s*\d+\s*页")
FOOT_SHARE, FOOTER_EM = 0.85, 6.0  # of the page's height, where a footer stands; font sizes of a sign beside it
ORNAMENT_EM = 6.0  # font sizes; what is higher in a page's margin is no ornament


def figures_of(
    found: Sequence[Found], segments: Sequence[Segment], kind: PageKind, size: tuple[int, int], em: float
) -> tuple[list[Found], list[Box], set[int]]:
    """The figures among what was `found` on a page, the places where something was drawn over its print, and the
    numbers of the segments that are lettering of signs in its margins.

    `size` is the page's width and height in px, `em` its font size.
    """
    width, height = size
    figures = [f for f in found if not is_margin_ink(f, width, height, em)]
    # A figure's own lettering counts no pages: the 0 where its axes meet.
    free = [s for s in segments if not any(f.box.grow(0.5 * em).holds(s.box.cx, s.box.cy) for f in figures)]
    signs = [f for f in figures if is_beside_footer(f, free, height, em)]
    if kind != "photo":  # a photo may show a part of the page, without its margins
        signs += [f for f in figures if is_ornament(f, segments, height, em)]
    figures = [f for f in figures if not any(f is s for s in signs)]
    over = [] if kind == "digital" else [f for f in figures if not f.picture and is_drawn_over(f, segments, em)]
    kept = [f for f in figures if not any(f is o for o in over)]
    return kept, [f.box for f in over], {i for f in signs for i in f.labels}


def is_margin_ink(figure: Found, width: int, height: int, em: float) -> bool:
    """Scanner shadows and seal lines: thin ink along the page's edge."""
    b = figure.box
    at_edge = b.x0 < 0.02 * width or b.x1 > 0.98 * width or b.y0 < 0.02 * height or b.y1 > 0.98 * height
    return at_edge and (b.width < 3 * em or b.height < 3 * em)


def is_ornament(figure: Found, segments: Sequence[Segment], height: int, em: float) -> bool:
    """A small drawing in the page's top or bottom margin: a logo, an arrow to turn over, a sign in the header.

    Where a question or an option begins level with it, the margin is narrow and the drawing is theirs.
    """
    b = figure.box
    if not (b.y1 < EDGE_SHARE * height or b.y0 > (1 - EDGE_SHARE) * height) or b.height >= ORNAMENT_EM * em:
        return False
    return not any(STARTS_TEXT.match(s.text) and s.box.y_overlap(b) > 0 for s in segments)


def is_drawn_over(figure: Found, segments: Sequence[Segment], em: float) -> bool:
    """Whether a drawing lies over print: a ring round a question's number, or strokes across lines of text.

    A printed figure has its own space: lines of text end before it.
    """
    box = figure.box
    lines = [s.box for s in segments if len(s.text.strip()) >= LONG and s.confidence >= SURE]
    if max(box.width, box.height) > RING_EM * em:
        return _share_under(box, lines, 0.5 * box.width, em) >= ACROSS
    numbers = [s for s in segments if NUMBER.match(s.text) and box.grow(2).holds(s.box.cx, s.box.cy)]
    ringed = any(_has_text_behind(number, segments, em) for number in numbers)
    return ringed or _share_under(box, lines, OVER_RING_EM * em, em) >= ACROSS_RING


def _has_text_behind(number: Segment, segments: Sequence[Segment], em: float) -> bool:
    level = [s for s in segments if s.box.y_overlap(number.box) > 0.5 * number.box.height and len(s.text) >= LONG]
    return any(0 <= s.box.x0 - number.box.x1 <= BESIDE_EM * em for s in level)


def _share_under(box: Box, lines: Sequence[Box], least: float, em: float) -> float:
    """Share of the box over which lines run that go on beside it and reach into it by `least` px."""
    beside = [b for b in lines if b.x0 < box.x0 - BEYOND_EM * em or b.x1 > box.x1 + BEYOND_EM * em]
    return sum(b.overlap(box) for b in beside if b.x_overlap(box) >= least) / max(box.area, 1.0)


def is_beside_footer(figure: Found, segments: Sequence[Segment], height: int, em: float) -> bool:
    """Whether a small drawing stands level with the page's number or the words P.T.O.: a code, a logo."""
    box = figure.box
    if box.height > FOOTER_EM * em or box.cy < FOOT_SHARE * height:
        return False
    footers = [s for s in segments if FOOTER.search(s.text) or PAGE_NUMBER.match(s.text)]
    return any(s.box.cy >= FOOT_SHARE * height and box.y_overlap(s.box) > 0.5 * s.box.height for s in footers)
