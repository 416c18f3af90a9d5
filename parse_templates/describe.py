"""What a paper says of itself: language, subject, title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from layout.segments import is_wide
from layout.types import Line, PageLayout
from parse_templates.flow import FlowLine, text_of, whole
from parse_templates.formulas import without_formulas

SUBJECTS = {
    "math": r"数学|理数|文数|\bmath(?:s|ematics)?\b|\balgebra\b|\bgeometry\b|\bcalculus\b",
    "physics": r"物理|\bphysics\b",
    "chemistry": r"化学|\bchemistry\b",
    "biology": r"生物|\bbiology\b|\blife science\b",
    "geography": r"地理|\bgeography\b",
    "science": r"科学|理综|\bscience\b",
}
MIN_LETTERS = 12


def detect_language(flow: Sequence[FlowLine]) -> str | None:
    """`zh` when at least a fifth of the letters are ideographs, else `en`; None when there is hardly any text.

    LaTeX counts for nothing: its commands are no English.
    """
    text = "".join(without_formulas(line.text) for line in flow if line.table is None)
    wide = sum(is_wide(c) and c.isalpha() for c in text)
    latin = sum(c.isascii() and c.isalpha() for c in text)
    if wide + latin < MIN_LETTERS:
        return None
    return "zh" if wide >= 0.2 * (wide + latin) else "en"


def detect_subject(title: str | None, flow: Sequence[FlowLine]) -> str | None:
    """The subject named in the title, else the one named most in the first lines."""
    for text in (title or "", " ".join(line.text for line in flow[:12])):
        hits = {name: len(re.findall(pattern, text, re.I)) for name, pattern in SUBJECTS.items()}
        best = max(hits, key=lambda name: hits[name])
        if hits[best]:
            return best
    return None


def find_title(pages: Sequence[PageLayout], flow: Sequence[FlowLine], first_question: int | None) -> str | None:
    """The lines set largest in the upper half of the first page that has text, above the first question."""
    page = next((p for p in pages if any(line.role == "body" for line in p.lines)), None)
    if page is None:
        return None
    stop = first_question if first_question is not None else len(flow)
    above = [
        line
        for line in flow[:stop]
        if line.page == page.number and line.line is not None and line.box.cy < 0.5 * page.height
    ]
    if not above:
        return None
    sizes = {line.index: _size(line.line) for line in above if line.line is not None}
    largest = max(sizes.values())
    body = sorted(_size(line.line) for line in flow if line.line is not None)[len(flow) // 2 :][:1]
    if body and largest < 1.12 * body[0]:
        return None
    chosen = [line for line in above if sizes[line.index] >= 0.92 * largest][:3]
    return text_of(whole(line) for line in chosen)[:200] or None


def _size(line: Line) -> float:
    heights = sorted(g.box.height for g in line.glyphs if not g.text.isspace())
    return heights[len(heights) // 2] if heights else 0.0
