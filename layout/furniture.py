"""Page furniture: what is printed around the questions on one page (seal strip, page numbers) or on all (headers)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.atoms import FormulaGlyph
from layout.formulas.tree import Root
from layout.running_heads import first_heads, with_numbered_heads
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
      | .{0,24}?[\dIl]{1,3}\s*[|丨]?\s*p\s*a\s*g\s*e\b.{0,16}?                # 430/6/2 ~ 13 | P a g e
    )\W*$""",
    re.I | re.X,
)
QUESTION_NUMBER = re.compile(r"^\s*\d{1,3}\s*[.．、)）]\s*$")  # "5." opens a question, it counts no pages
# A number alone, in a frame perhaps, which formulas know as a box or mistake for a root.
BARE_NUMBER = re.compile(r"^\s*(\d{1,2}|\$\\(boxed|sqrt)\{\d{1,2}\}\$)\s*$")
OPERATOR = re.compile(r"[+=<>×±]")
FOOT, CODE = 0.75, 12  # where rows of codes at a page's foot begin; characters of one
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


def edge_segments(segments: Sequence[Segment], height: float) -> list[Segment]:
    """Those of `segments` that read like a page number in a margin, but are no fraction and no part of a formula."""
    grown = [s for s in segments if any(isinstance(g, FormulaGlyph) and not isinstance(g.node, Root) for g in s.glyphs)]
    return [
        s
        for s in segments
        if edge_role(s.text, s.box, height) != "body"
        and not OPERATOR.search(s.text)
        and not any(s is f or _touch(s.box, f.box) for f in grown)
    ]


def _touch(first: Box, second: Box) -> bool:
    """Whether two boxes stand side by side in one line of print, with no more than a blank between them."""
    gap = max(first.x0 - second.x1, second.x0 - first.x1)
    return gap <= 0.4 * min(first.height, second.height) and first.y_overlap(second) > 0.6 * first.height


def mark_repeated(layouts: Sequence[PageLayout]) -> list[PageLayout]:
    """Layouts with running headers and footers marked: the same words, digits aside, at the same height on many pages.

    A line counts when it stands in the outer 12 % of at least half of the pages (and of two). A head that names a part
    of the paper stays in the body where the part begins.
    """
    layouts = _without_footer_rows([with_numbered_heads(p) for p in layouts])
    places: dict[str, dict[int, list[float]]] = {}
    for page in layouts:
        for line in page.lines:
            key = _edge_text(line, page)
            if key is not None:
                places.setdefault(key, {}).setdefault(page.number, []).append(line.box.cy / page.height)
    needed = max(2, (len(layouts) + 1) // 2)
    out = []
    pages = [_with_question_numbers(p, _page_offset(layouts)) for p in layouts]
    begin = first_heads(pages)
    for page in pages:
        lines = []
        for line in page.lines:
            key = _edge_text(line, page)
            if id(line) in begin:
                lines.append(replace(line, role="body"))
            elif line.role == "body" and key is not None and _level_pages(places[key], line, page) >= needed:
                role: Role = "header" if line.box.cy < page.height / 2 else "footer"
                lines.append(replace(line, role=role))
            else:
                lines.append(line)
        out.append(page.with_lines(tuple(lines)))
    return out


def _without_footer_rows(layouts: Sequence[PageLayout]) -> list[PageLayout]:
    """Layouts with the last rows of pages marked that hold short codes and, page after page, the number of the page:
    ".55/1/1    3    P.T.O." on small pages stands higher than page numbers do."""
    lowest: dict[int, Line] = {}
    offsets: dict[int, int] = {}
    for page in layouts:
        last = max((x for x in page.lines if _is_row_of_codes(x, page)), key=lambda x: x.box.y1, default=None)
        if last is None:
            continue
        lowest[page.number] = last
        for number in {int(p) - page.number for p in last.text.split("\u2003") if p.strip().isdigit()}:
            offsets[number] = offsets.get(number, 0) + 1
    offset = max(offsets, key=lambda o: offsets[o], default=None)
    if offset is None or offsets[offset] < max(3, 0.5 * len(layouts)):
        return list(layouts)
    out = []
    for page in layouts:
        last = lowest.get(page.number)
        numbered = last is not None and str(page.number + offset) in (p.strip() for p in last.text.split("\u2003"))
        lines = (replace(x, role="page_number") if numbered and x is last else x for x in page.lines)
        out.append(page.with_lines(tuple(lines)))
    return out


def _is_row_of_codes(line: Line, page: PageLayout) -> bool:
    """Whether a line at the page's foot is two to four short pieces far apart, one of them a number."""
    parts = line.text.split("\u2003")
    low = line.role == "body" and line.box.cy > FOOT * page.height
    return low and 2 <= len(parts) <= 4 and max(map(len, parts)) <= CODE and any(p.strip().isdigit() for p in parts)


def _page_offset(layouts: Sequence[PageLayout]) -> int | None:
    """What must be added to a page's place in the file to give the number printed on it; None when it is unclear."""
    offsets: dict[int, int] = {}
    for page in layouts:
        for offset in {n - page.number for line in page.lines for n in _first_number(line)}:
            offsets[offset] = offsets.get(offset, 0) + 1
    best = max(offsets, key=lambda o: offsets[o], default=None)
    return best if best is not None and offsets[best] >= max(3, 0.6 * len(layouts)) else None


def _first_number(line: Line) -> list[int]:
    found = re.findall(r"\d{1,3}", line.text) if line.role == "page_number" else []
    return [int(found[0])] if found else []


def _with_question_numbers(page: PageLayout, offset: int | None) -> PageLayout:
    """The page with bare numbers in its margins given back to the body when another line there counts the pages.

    They are set at the top of the column that they stand over.
    """
    counts = [line for line in page.lines if offset is not None and page.number + offset in _first_number(line)]
    if not counts:
        return page
    lines = []
    for line in page.lines:
        top = line.role == "body" and line.box.y1 < EDGE_SHARE * page.height
        if (line.role == "page_number" or top) and BARE_NUMBER.match(line.text) and line not in counts:
            below = [
                x
                for x in page.lines
                if x.role == "body" and x.box.cy > line.box.cy and x.box.x0 < line.box.x1 + line.box.height * 3
            ]
            column = min(below, key=lambda x: x.box.cy - line.box.cy).column if below else line.column
            lines.append(replace(line, role="body", column=column))
        else:
            lines.append(line)
    return page.with_lines(tuple(lines))


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
