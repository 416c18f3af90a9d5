"""The flow: all lines of a paper in reading order, with tables at their place, and pieces of lines with their boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from layout.formulas.lines import WIDE_GAP
from layout.rows import join_text
from layout.types import FigureRegion, Line, PageLayout, TableRegion
from wholepage.boxes import Box

PART_LABEL = re.compile(r"\((?:i{1,3}|iv|vi{0,3}|ix|x)\)(?:\([a-h]\))?")
MIN_FIGURE_EM = 4.0  # narrower figures leave the text beside them at its place


@dataclass(frozen=True, slots=True)
class FlowLine:
    """One line (or a whole table) of the flow.

    `indent` is the distance from the left edge of its column in font sizes, `column` the block on its page; `marks` is
    what the margin beside the line says its question or part is worth.
    """

    index: int
    page: int
    text: str
    box: Box
    column: int
    indent: float
    bold: bool
    confidence: float
    line: Line | None = None
    table: TableRegion | None = None
    marks: float | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a flow line: `text` and the box it stands in."""

    text: str
    at: FlowLine
    box: Box


def build_flow(layouts: Sequence[PageLayout]) -> list[FlowLine]:
    """Body lines and tables of all pages in reading order."""
    flow: list[FlowLine] = []
    for page in layouts:
        body = [_with_plain_label(line) for line in page.lines if line.role == "body" and line.text.strip()]
        em = _em(body)
        edges = {c: _left_edge([x for x in body if x.column == c], em) for c in {x.column for x in body}}
        entries: list[tuple[tuple[int, float], FlowLine]] = []
        for line in body:
            edge = _edge_beside(line, body, page.figures, em) or edges[line.column]
            indent = max(0.0, line.box.x0 - edge) / em
            item = FlowLine(
                0, page.number, line.text, line.box, line.column, indent, line.bold, line.confidence, line=line
            )
            entries.append(((line.column, line.box.cy), item))
        for table in page.tables:
            item = FlowLine(0, page.number, table.html, table.box, table.column, 0.0, False, 1.0, table=table)
            entries.append(((table.column, table.box.y0), item))
        for _, item in sorted(entries, key=lambda e: e[0]):
            flow.append(
                FlowLine(
                    len(flow), item.page, item.text, item.box, item.column, item.indent, item.bold, item.confidence,
                    item.line, item.table,
                )
            )  # fmt: skip
    return flow


def _with_plain_label(line: Line) -> Line:
    """The line with the label of a part at its head as text: in a poor scan its letters pass for scripts, (i_{ii})."""
    at = next((n for n, g in enumerate(line.glyphs) if not g.text.isspace()), None)
    if line.origin != "ocr" or at is None or not line.glyphs[at].text.startswith("$"):
        return line
    glyph = line.glyphs[at]
    plain = re.sub(r"[$_^{}\s]", "", glyph.text)
    if not PART_LABEL.fullmatch(plain):
        return line
    glyphs = (*line.glyphs[:at], replace(glyph, text=plain), *line.glyphs[at + 1 :])
    return replace(line, glyphs=glyphs, text=line.text.replace(glyph.text, plain, 1))


def _em(lines: Sequence[Line]) -> float:
    heights = sorted(line.box.height for line in lines)
    return heights[len(heights) // 2] if heights else 30.0


def _left_edge(lines: Sequence[Line], em: float) -> float:
    """The column's left edge: the leftmost x at which several lines begin, so that an outdented line or a running
    header does not move it."""
    starts = sorted(line.box.x0 for line in lines)
    enough = max(2, round(0.1 * len(starts)))
    for start in starts:
        if sum(start <= x <= start + 0.5 * em for x in starts) >= enough:
            return start
    return starts[0] if starts else 0.0


def _edge_beside(line: Line, lines: Sequence[Line], figures: Sequence[FigureRegion], em: float) -> float | None:
    """Where the lines right of a figure begin, when the line is one of them; the figure stands in the column's way."""
    for figure in figures:
        low, high = figure.box.y0, figure.box.y1
        if figure.box.width < MIN_FIGURE_EM * em or not (low < line.box.cy < high and figure.box.x1 < line.box.x0):
            continue
        level = [x for x in lines if low < x.box.cy < high and x.column == line.column]
        if any(x.box.x0 < figure.box.x0 for x in level):
            continue  # text stands left of it too: it hangs in the line
        return min(x.box.x0 for x in level if x.box.x0 > figure.box.x1)
    return None


def whole(line: FlowLine) -> Piece:
    """The line as one piece."""
    return Piece(line.text, line, line.box)


def cut(piece: Piece, start: int, end: int | None = None) -> Piece:
    """Characters `start` to `end` of a piece, with the box of their glyphs."""
    end = len(piece.text) if end is None else end
    text = piece.text[start:end]
    line = piece.at.line
    if line is None or not text.strip():
        return Piece(text, piece.at, piece.box)
    offset = offset_in_line(piece)
    boxes, position = [], 0
    for glyph in line.glyphs:
        stop = position + len(glyph.text)
        if stop > offset + start and position < offset + end and not glyph.text.isspace():
            boxes.append(glyph.box)
        position = stop
    return Piece(text, piece.at, Box.hull(boxes) if boxes else piece.box)


def offset_in_line(piece: Piece) -> int:
    """Where the piece's text begins in its line: pieces are suffixes or middles cut left to right."""
    line = piece.at.line
    if line is None or len(piece.text) == len(line.text):
        return 0
    position, best, distance = -1, 0, float("inf")
    while (position := line.text.find(piece.text, position + 1)) >= 0:
        at = 0
        for glyph in line.glyphs:
            if at >= position and not glyph.text.isspace():
                if abs(glyph.box.x0 - piece.box.x0) < distance:
                    best, distance = position, abs(glyph.box.x0 - piece.box.x0)
                break
            at += len(glyph.text)
    return best


def text_of(pieces: Iterable[Piece]) -> str:
    """Running text of pieces: lines joined, wide gaps as spaces, tables on lines of their own.

    A short line joins the next too: a break inside a sentence is worse than a lost paragraph.
    """
    text = ""
    for piece in pieces:
        if piece.at.table is not None:
            text = f"{text.rstrip()}\n\n{piece.text}\n\n" if text else f"{piece.text}\n\n"
            continue
        part = piece.text.replace(WIDE_GAP, " ").strip()
        text = text + part if text.endswith("\n") else join_text(text, part)
    return text.strip()
