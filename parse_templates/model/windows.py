"""Windows: stretches of lines that fit one request, overlapping by a whole question where the rules see one begin."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from parse_templates.model.lines import Book

OVERLAP_LINES = 6  # where no question is seen to begin


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of one request. `missing` are numbers that are looked for again; `again` marks a second look at a gap."""

    lines: range
    missing: tuple[str, ...] = ()
    again: bool = False


def plan_windows(book: Book, starts: Sequence[int], size: int) -> list[Window]:
    """Windows over all lines, each of about `size` characters. `starts` are lines at which questions begin, sorted."""
    total = len(book.lines)
    windows: list[Window] = []
    begin = 0
    while begin < total:
        stop = _stop(book, begin, size)
        windows.append(Window(range(begin, stop)))
        if stop >= total:
            break
        begin = _next_begin(begin, stop, starts)
    return windows


def _stop(book: Book, begin: int, size: int) -> int:
    """First line that no longer fits; at least one line fits."""
    used = 0
    for index in range(begin, len(book.lines)):
        used += len(book.lines[index].text)
        if used > size and index > begin:
            return index
    return len(book.lines)


def _next_begin(begin: int, stop: int, starts: Sequence[int]) -> int:
    """The question before the one that the window's end may have cut, unless that is most of the window."""
    half = begin + (stop - begin) // 2
    inside = [s for s in starts if begin < s < stop]
    for start in (inside[-2] if len(inside) > 1 else -1, inside[-1] if inside else -1):
        if start > half:
            return start
    if inside and inside[-1] > begin + 1:
        return inside[-1]
    return max(stop - OVERLAP_LINES, half, begin + 1)


def halves(window: Window, starts: Sequence[int]) -> list[Window]:
    """The window in two, parted before a question where one begins near the middle; none of a single line."""
    lines = window.lines
    if len(lines) < 2:
        return []
    middle = lines.start + len(lines) // 2
    at = bisect_left(starts, middle)
    near = [s for s in starts[max(0, at - 1) : at + 1] if lines.start < s < lines.stop]
    cut = min(near, key=lambda s: abs(s - middle), default=middle)
    return [Window(range(lines.start, cut), window.missing), Window(range(cut, lines.stop), window.missing)]
