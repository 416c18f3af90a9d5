"""Page furniture: what is printed around the questions on one page (seal strip, page numbers) or on all (headers)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from layout.segments import Segment
from layout.types import Line, PageLayout, Role
from wholepage.boxes import Box

EDGE_SHARE = 0.09  # page numbers, headers and footers stand in the outermost 9 % of the page's height
PAGE_NUMBER = re.compile(
    r"""^\W*(
        [^\d]{0,24}第\s*\d+\s*页\s*[,，/(（]?\s*(共\s*\d+\s*页)?\s*[)）]?      # 数学试题 第 1 页（共 4 页）
      | (page\s*)?\d{1,3}\s*(of|/|／)\s*\d{1,3}                                # Page 1 of 4
      | page\s*\d{1,3}
      | [-—–·•.\s]*\d{1,3}[-—–·•.\s]*                                          # - 3 -
      | .{0,40}?\bpage\s*\d{1,3}(\s*(of|/)\s*\d{1,3})?
    )\W*$""",
    re.I | re.X,
)
QUESTION_NUMBER = re.compile(r"^\s*\d{1,3}\s*[.．、)）]\s*$")  # "5." opens a question, it counts no pages
SEAL_MIN = 4  # letters in a strip
MIN_HEADER_LETTERS = 4


def seal_strip(segments: Sequence[Segment], page_width: float, em: float) -> set[int]:
    """Indices of segments in the side strip beside a seal line: a stack of single letters in the outer margin.

    Only letters that no running text stands beside count, so that a column of option letters is no strip.
    """
    long_left = [s.box.x0 for s in segments if s.box.width > 8 * em]
    long_right = [s.box.x1 for s in segments if s.box.width > 8 * em]
    if not long_left:
        return set()
    left, right = sorted(long_left)[len(long_left) // 10], max(long_right)
    strip: set[int] = set()
    for side in ("left", "right"):
        outer = [
            i
            for i, s in enumerate(segments)
            if s.box.width <= 3 * em
            and (s.box.x1 < left - 0.5 * em if side == "left" else s.box.x0 > right + 0.8 * em)
            and (s.box.cx < 0.15 * page_width if side == "left" else s.box.cx > 0.85 * page_width)
        ]
        if len(outer) >= SEAL_MIN and sum(not _is_number(segments[i].text) for i in outer) >= SEAL_MIN:
            strip |= {i for i in outer if not _is_number(segments[i].text)}
    return strip


def _is_number(text: str) -> bool:
    """A number alone, or one that begins a short line of its own such as an answer in a key."""
    return bool(re.match(r"\W*\d{1,3}(\W*$|\s*[.．、])", text.strip()))


def edge_role(text: str, box: Box, height: float) -> Role:
    """`page_number` for text in the top or bottom margin that reads like one, else `body`."""
    if QUESTION_NUMBER.match(text):
        return "body"
    at_edge = box.y1 < EDGE_SHARE * height or box.y0 > (1 - EDGE_SHARE) * height
    if at_edge and len(text) < 60 and PAGE_NUMBER.match(text.replace("\u2003", " ")):
        return "page_number"
    return "body"


def mark_repeated(layouts: Sequence[PageLayout]) -> list[PageLayout]:
    """Layouts with running headers and footers marked: the same words, digits aside, at the same height on many pages.

    A line counts when it stands in the outer 12 % of at least half of the pages (and of two).
    """
    places: dict[str, dict[int, list[float]]] = {}
    for page in layouts:
        for line in page.lines:
            key = _edge_text(line, page)
            if key is not None:
                places.setdefault(key, {}).setdefault(page.number, []).append(line.box.cy / page.height)
    needed = max(2, (len(layouts) + 1) // 2)
    out = []
    for page in layouts:
        lines = []
        for line in page.lines:
            key = _edge_text(line, page)
            if line.role == "body" and key is not None and _level_pages(places[key], line, page) >= needed:
                role: Role = "header" if line.box.cy < page.height / 2 else "footer"
                lines.append(replace(line, role=role))
            else:
                lines.append(line)
        out.append(page.with_lines(tuple(lines)))
    return out


def _level_pages(places: dict[int, list[float]], line: Line, page: PageLayout) -> int:
    """Number of pages that print the same words at the same height, within 2 % of the page."""
    share = line.box.cy / page.height
    return sum(any(abs(other - share) <= 0.02 for other in heights) for heights in places.values())


def _edge_text(line: Line, page: PageLayout) -> str | None:
    """The line's letters when it stands in the outer 12 % of the page and has enough of them, else None."""
    if 0.12 < line.box.cy / max(page.height, 1) < 0.88:
        return None
    text = re.sub(r"[\d\W_]+", "", line.text)
    return text if len(text) >= MIN_HEADER_LETTERS else None
