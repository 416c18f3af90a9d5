"""Running heads that name the part of a paper: "Module 2" at the top of each of its pages, nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from layout.types import Glyph, Line, PageLayout
from wholepage.boxes import Box

HEAD_SHARE = 0.12  # of the page's height: where running heads stand
WORD = r"(?:module|section|part)"
ALONE = re.compile(rf"^\W*{WORD}\W*$", re.I)
NUMBER = re.compile(r"^\W*\d{1,2}\W*$")
LATIN = rf"(?:[A-Za-z][A-Za-z& ]{{2,24}}\W+)?{WORD}\s*[-–—:]?\s*(?:\d{{1,2}}|[A-F]|[IVX]{{1,4}})"
CHINESE = r"第\s*[一二三四五ⅠⅡⅢⅣ\dIV]+\s*(?:卷|部分)"
NAMED = re.compile(rf"^\W*({LATIN}|{CHINESE})(?![A-Za-z\d])", re.I)
BELOW = 1.8  # heights of the word within which its number stands under or behind it


def part_named(text: str) -> str | None:
    """The part that a line begins by naming, in one spelling; None when it names none."""
    match = NAMED.match(text)
    return re.sub(r"[\W_]+", "", match[1]).casefold() if match else None


def with_numbered_heads(page: PageLayout) -> PageLayout:
    """The page with a head's word and the number under or behind it, set apart in large type, as one line."""
    lines = list(page.lines)
    for word in [x for x in lines if x.role != "label" and ALONE.match(x.text) and _at_top(x, page)]:
        number = next((x for x in lines if x is not word and NUMBER.match(x.text) and _belongs(word, x)), None)
        if number is not None:
            gap = Glyph(" ", Box(word.box.x1, word.box.y0, word.box.x1, word.box.y1), word.box.height)
            glyphs = (*word.glyphs, gap, *number.glyphs)
            text, box = f"{word.text} {number.text}", word.box.union(number.box)
            at = lines.index(word)
            lines[at] = replace(word, text=text, glyphs=glyphs, box=box, role="body")
            lines.remove(number)
    return page.with_lines(tuple(lines))


def _at_top(line: Line, page: PageLayout) -> bool:
    return line.box.cy <= HEAD_SHARE * page.height


def _belongs(word: Line, number: Line) -> bool:
    reach = BELOW * word.box.height
    under = word.box.x_overlap(number.box) > 0 and -2 <= number.box.y0 - word.box.y1 <= reach
    behind = word.box.y_overlap(number.box) > 0 and 0 <= number.box.x0 - word.box.x1 <= reach
    return under or behind


def first_heads(layouts: Sequence[PageLayout]) -> set[int]:
    """Identities of the lines that begin a part: a running head that names another one than on the page before.

    There are none where all heads name the same part, or where a page prints the heading in its text as well.
    """
    found: dict[int, Line] = {}
    last, parts = None, set()
    for page in layouts:
        top = [x for x in page.lines if x.role in ("body", "header") and _at_top(x, page)]
        head = next((x for x in _by_height(top) if part_named(x.text)), None)
        if head is None:
            continue
        name = part_named(head.text)
        if name != last and not any(x is not head and part_named(x.text) == name for x in page.lines):
            found[id(head)] = head
        last = name
        parts.add(name)
    return set(found) if len(parts) > 1 else set()


def _by_height(lines: Iterable[Line]) -> list[Line]:
    return sorted(lines, key=lambda x: x.box.cy)
