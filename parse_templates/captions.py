"""Captions (图2, （第8题图）, Figure 3): which figure each names, and which question speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from layout.formulas.lines import WIDE_GAP
from layout.types import FigureRegion, PageLayout
from parse_templates.flow import FlowLine, cut, whole
from parse_templates.template import Template
from wholepage.boxes import Box

MAX_AWAY_EM = 4.5  # a caption stands at most so many line heights from its figure
BROKEN = re.compile(r"\s*(?:[(（]\s*第|[(（]?图|[Ff]ig).{0,28}$", re.S)  # a caption in which a character was misread
LISTED = re.compile(r"\s*[、，,和与及]\s*(?:图\s*)?(\d{1,2})(?![\d.．])")


@dataclass(frozen=True, slots=True)
class Caption:
    """A printed caption: the figure's own label (2, 甲) or the number of its question, either may be missing."""

    text: str
    page: int
    box: Box
    figure: str | None
    question: int | None


def captions_in(text: str, template: Template) -> list[tuple[int, int, str | None, int | None]]:
    """Start, end, figure label and question number of each caption, when `text` is nothing but captions."""
    if not template.captions:
        return []
    pattern = re.compile(template.captions)
    found, position = [], 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = pattern.match(text, position)
        if match is None or match.end() == position:
            return []
        number = match["q"] or match["r"]
        found.append((match.start(), match.end(), match["fig"], int(number) if number else None))
        position = match.end()
    return found


def is_caption(text: str, template: Template) -> bool:
    """Whether a line is nothing but captions."""
    if captions_in(text.replace(WIDE_GAP, " "), template):
        return True
    return any(part is not None for part in _row(text, template))


def _row(text: str, template: Template) -> list[tuple[int, int, str | None, int | None] | None]:
    """The captions of a row of figures, wide gaps between them; None for one that was not read well.

    Empty unless every part of the row begins as a caption does and one of them is one.
    """
    out: list[tuple[int, int, str | None, int | None] | None] = []
    at = 0
    for part in text.split(WIDE_GAP):
        found = captions_in(part, template)
        if len(found) != 1 and not BROKEN.match(part):
            return []
        out.append((at + found[0][0], at + found[0][1], found[0][2], found[0][3]) if len(found) == 1 else None)
        at += len(part) + len(WIDE_GAP)
    return out if len(out) > 1 else []


def find_captions(pages: Sequence[PageLayout], flow: Sequence[FlowLine], template: Template) -> list[Caption]:
    """All captions that stand on lines of their own."""
    out = []
    for line in flow:
        if line.table is None and len(line.text) < 80:
            whole_row = [part for part in _row(line.text, template) if part is not None]
            for start, end, figure, question in captions_in(line.text, template) or whole_row:
                piece = cut(whole(line), start, end)
                out.append(Caption(piece.text.strip(), line.page, piece.box, figure, question))
    for page in pages:
        for mark in page.lines:
            if mark.role in ("caption", "label"):
                found = captions_in(mark.text, template)
                if len(found) == 1:
                    out.append(Caption(mark.text.strip(), page.number, mark.box, found[0][2], found[0][3]))
    return out


def assign_captions(page: PageLayout, captions: Sequence[Caption]) -> dict[int, Caption]:
    """For each figure (by index) the caption that names it: the nearest pairs first, each used once."""
    pairs = []
    for index, region in enumerate(page.figures):
        for number, caption in enumerate(captions):
            if caption.page == page.number:
                away = _distance(region, caption)
                if away is not None:
                    pairs.append((away, index, number))
    out: dict[int, Caption] = {}
    used: set[int] = set()
    for _, index, number in sorted(pairs):
        if index not in out and number not in used:
            out[index] = captions[number]
            used.add(number)
    return out


def _distance(region: FigureRegion, caption: Caption) -> float | None:
    """How far a caption is from a figure, in its own heights; None when it cannot be its caption."""
    em = max(caption.box.height, 1.0)
    aside = max(region.box.x0 - caption.box.cx, caption.box.cx - region.box.x1, 0.0) / em
    below = max(caption.box.y0 - region.box.y1, 0.0) / em
    above = max(region.box.y0 - caption.box.y1, 0.0) / em
    if aside > 1.5 or max(below, above) > MAX_AWAY_EM:
        return None
    off = abs(caption.box.cx - region.box.cx) / max(region.box.width, em)
    return aside + below + 1.5 * above + off


def figures_named(texts: Iterable[str], template: Template) -> set[str]:
    """Labels of the figures that a question's texts speak of: 如图2, 图1、图3."""
    return {label for text in texts for label in _named(text, template)}


def _named(text: str, template: Template) -> Iterator[str]:
    if not template.names_figure:
        return
    for match in re.finditer(template.names_figure, text):
        yield match["fig"]
        position = match.end()
        while more := LISTED.match(text, position):
            yield more[1]
            position = more.end()
