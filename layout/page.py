"""One page: from image and text layer to a `PageLayout` (the room's only entry for other rooms)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from layout.blanks import free_rules, insert_blanks
from layout.columns import Block, split_columns
from layout.digital import digital_segments, without_unseen
from layout.figures import find_figures
from layout.formulas.aligned import fold_aligned
from layout.formulas.atoms import FormulaGlyph
from layout.formulas.digital import folded
from layout.formulas.folding import fold_segments
from layout.formulas.pixels import read_pixels
from layout.formulas.recognizers import FormulaRecognizer
from layout.formulas.rereading import reread
from layout.frames import Frame
from layout.furniture import edge_role, edge_segments, seal_strip
from layout.ink import Ink, Rules, find_ink, find_rules
from layout.lettering import Found
from layout.marks import figures_of
from layout.ocr import OcrEngine
from layout.pen import pen_doubts, without_pen
from layout.rows import Row, group_rows, row_line
from layout.rulers import off_dotted_lines, without_edge_strokes, without_rulers
from layout.scanned import Straight, line_boxes, straighten
from layout.segments import Segment, is_wide
from layout.specks import without_stray_marks
from layout.tables import find_grids, read_table
from layout.types import Doubt, FigureRegion, Glyph, Line, PageLayout, TableRegion, TextLayer
from wholepage.boxes import Box
from wholepage.records import PageKind

BLANK_INK = 0.0004  # share of ink below which a page without text is blank
RESIDUAL_WARN = 0.08
FIGURE_MARGIN = 4.0  # px kept around a figure, so that no stroke is cut


@dataclass(frozen=True)
class PageInput:
    """One stored page as the layout stage takes it.

    `image` is H×W×3 RGB uint8, the stored page image; `dpi` its resolution; `turn` the clockwise quarter turns that
    were applied already; `text` the PDF's text layer mapped to this image, None when the source has none; `photo`
    whether it was taken with a camera.
    """

    number: int
    image: NDArray[np.uint8]
    dpi: float
    turn: int = 0
    text: TextLayer | None = None
    photo: bool = False


@dataclass(frozen=True)
class _Reading:
    """Segments and ink in the frame in which text is level, its `image`; `frame` maps it to the stored page."""

    image: NDArray[np.uint8]
    segments: list[Segment]
    ink: Ink
    frame: Frame | None
    em: float
    pictures: tuple[Box, ...]
    kind: PageKind
    marks: tuple[Box, ...] = ()  # of a pen, on the stored page


def analyse_page(page: PageInput, engine: OcrEngine, formulas: FormulaRecognizer | None = None) -> PageLayout:
    """Lines in reading order, figures, tables and doubts of one page; boxes in pixels of the stored page.

    `formulas` reads the formulas of page images a second time.
    """
    reading = _read(page, engine)
    height, width = page.image.shape[:2]
    if not reading.segments and float((reading.ink.mask > 0).mean()) < BLANK_INK:
        return PageLayout(page.number, width, height, page.dpi, "blank", page.turn)
    layout = _arrange(page, reading)
    engine_name = "text layer" if reading.kind == "digital" else engine.name
    layout = replace(layout, engine={"text": engine_name})
    if formulas is not None and reading.kind != "digital":
        layout = reread(layout, reading.image, formulas)
    layout = layout if reading.frame is None else _map_back(layout, reading.frame, page)
    return replace(layout, doubts=(*layout.doubts, *pen_doubts(page.number, reading.marks)))


def _read(page: PageInput, engine: OcrEngine) -> _Reading:
    text = page.text
    if text is not None and text.glyphs and text.trust in ("trusted", "unchecked"):
        import cv2

        ink = find_ink(cv2.cvtColor(page.image, cv2.COLOR_RGB2GRAY), page.dpi)
        em = _em_of_glyphs(text.glyphs)
        glyphs = without_unseen(folded(text, ink.mask, em, ink.boxes), ink.mask, em)
        return _Reading(page.image, digital_segments(glyphs), ink, None, em, text.pictures, "digital")
    clean = without_pen(page.image, page.dpi)
    straight = straighten(clean.image, page.dpi, engine, page.photo)
    boxes, strays = line_boxes(straight)
    boxes = [b for b in boxes if not _is_vertical(b, straight.em)]
    pictures: tuple[Box, ...] = ()
    kind: PageKind = "photo" if page.photo else "scanned"
    digital: list[Segment] = []
    if text is not None and text.trust == "partial" and straight.frame.is_stored:
        digital = digital_segments(text.glyphs)
        boxes, strays = (
            [b for b in part if not any(b.covered_by(s.box.grow(2)) > 0.4 for s in digital)] for part in (boxes, strays)
        )
    if text is not None and straight.frame.is_stored:
        pictures = text.pictures
    reading = read_pixels(straight, boxes, strays, engine)
    segments = [*digital, *fold_segments(reading.segments, reading.shapes)]
    em = _em_of_segments(segments) or straight.em
    segments = off_dotted_lines(segments, straight.gray, em)
    if page.photo:
        segments = without_edge_strokes(segments, straight.image.shape[1], em)
    segments = without_stray_marks(without_rulers(segments, em), em)
    frame = None if straight.frame.is_stored else straight.frame
    segments = [_with_em(s, em) for s in segments if not _is_drawing(s, em)]
    return _Reading(straight.image, segments, straight.ink, frame, em, pictures, kind, clean.marks)


def _is_vertical(box: Box, em: float) -> bool:
    return box.height > 2.2 * box.width and box.height > 2.5 * em


def _is_drawing(segment: Segment, em: float) -> bool:
    """Whether an OCR segment is more likely a piece of a drawing: much taller than text and read without certainty."""
    if any(isinstance(g, FormulaGlyph) for g in segment.glyphs):
        return False
    return segment.origin == "ocr" and segment.box.height > 1.9 * em and segment.confidence < 0.85


def _em_of_glyphs(glyphs: Sequence[Glyph]) -> float:
    sizes = [g.size for g in glyphs if not g.text.isspace()]
    return float(median(sizes)) if sizes else 29.0


def _em_of_segments(segments: Sequence[Segment]) -> float | None:
    """Font size from the pitch of neighbouring ideographs, else from the height of long Latin lines."""
    pitches = [
        b.box.cx - a.box.cx
        for s in segments
        for a, b in zip(s.glyphs, s.glyphs[1:], strict=False)
        if is_wide(a.text) and is_wide(b.text) and a.text.isalnum() and b.text.isalnum()
    ]
    if len(pitches) >= 20:
        return float(median(pitches))
    heights = [s.box.height for s in segments if len(s.glyphs) >= 10]
    return float(median(heights)) if len(heights) >= 3 else None


def _with_em(segment: Segment, em: float) -> Segment:
    """An OCR segment with the page's font size, unless it is clearly smaller (an index) or larger (a title)."""
    if segment.origin != "ocr" or any(isinstance(g, FormulaGlyph) and not g.marked for g in segment.glyphs):
        return segment
    height = segment.box.height
    letters = sum(c.isalnum() for c in segment.text)
    low = segment.em >= 1.5 * height  # an operator alone, its size taken from its line
    size = em if low or 0.62 * em <= height <= 1.6 * em or letters > 4 else height
    return replace(segment, em=min(size, 2.5 * em))


def _arrange(page: PageInput, reading: _Reading) -> PageLayout:
    height, width = reading.image.shape[:2]
    em, segments = reading.em, reading.segments
    rules = find_rules(reading.ink.mask, em)
    tables, in_table = _tables(reading, rules)
    free = [(i, s) for i, s in enumerate(segments) if i not in in_table]
    figures, residual = find_figures(reading.ink, [s for _, s in free], reading.pictures, [t.box for t in tables], em)
    figures, drawn_over, signs = figures_of(figures, [s for _, s in free], reading.kind, (width, height), em)
    labels = {free[i][0]: n for n, f in enumerate(figures) for i in f.labels}
    captions = {free[i][0]: n for n, f in enumerate(figures) for i in f.captions}
    strip = {free[i][0] for i in seal_strip([s for _, s in free], width, em)}
    margin = {free[i][0] for i in signs} - strip
    body = [s for i, s in free if i not in labels and i not in captions and i not in strip | margin]
    edge = edge_segments(body, height)
    # Tables take part as segments without text, so that they get their place in the reading order.
    stand_ins = [Segment((), t.box, em, 1.0, "text_layer") for t in tables]
    blocks = split_columns([*(s for s in body if s not in edge), *stand_ins], em)
    if edge:
        blocks.append(Block(tuple(edge), Box.hull(s.box for s in edge)))
    outside_tables = [r for r in rules.horizontal if not any(r.covered_by(t.box.grow(4)) > 0.5 for t in tables)]
    blanks = free_rules(_outside_figures(outside_tables, figures), reading.ink.mask, em)
    lines: list[Line] = []
    for number, block in enumerate(blocks):
        rows = fold_aligned([row_line(row, number) for row in group_rows([s for s in block.segments if s.glyphs])])
        rows = insert_blanks(rows, blanks, em)
        lines.extend(replace(line, role=edge_role(line.text, line.box, height)) for line in rows)
    lines.extend(_set_apart(segments, labels, captions, strip, in_table))
    lines.extend(replace(row_line(Row((s,), s.box), 0), role="footer") for s in (segments[i] for i in sorted(margin)))
    regions = tuple(_figure_region(f, segments, free, blocks, width, height) for f in figures)
    doubts = _doubts(residual, page, reading, drawn_over)
    return PageLayout(
        page.number,
        width,
        height,
        page.dpi,
        reading.kind,
        page.turn,
        tuple(lines),
        regions,
        tuple(replace(t, column=_block_of(s, blocks)) for t, s in zip(tables, stand_ins, strict=True)),
        tuple(b.box for b in blocks),
        residual,
        doubts,
    )


def _tables(reading: _Reading, rules: Rules) -> tuple[list[TableRegion], dict[int, int]]:
    """Tables of the page, and for each segment inside one the table's index."""
    tables: list[TableRegion] = []
    owner: dict[int, int] = {}
    for grid in find_grids(rules, reading.em):
        inside = [i for i, s in enumerate(reading.segments) if s.box.covered_by(grid.box.grow(3)) > 0.7]
        table = read_table(grid, reading.ink, [reading.segments[i] for i in inside], reading.em)
        if table is not None:
            owner.update(dict.fromkeys(inside, len(tables)))
            tables.append(table)
    return tables, owner


def _outside_figures(rules: Sequence[Box], figures: Sequence[Found]) -> list[Box]:
    return [r for r in rules if not any(r.covered_by(f.box.grow(2)) > 0.6 for f in figures)]


def _set_apart(
    segments: Sequence[Segment],
    labels: dict[int, int],
    captions: dict[int, int],
    strip: set[int],
    table: dict[int, int],
) -> list[Line]:
    """Lines for text that is not read in order: labels, captions, the seal strip, table cells."""
    out = []
    for i, s in enumerate(segments):
        if not (i in labels or i in captions or i in strip or i in table):
            continue
        line = Line(s.text, s.box, s.glyphs, s.confidence, s.origin, bold=s.bold)
        if i in table:
            out.append(replace(line, role="table", table=table[i]))
        elif i in captions:
            out.append(replace(line, role="caption", figure=captions[i]))
        elif i in labels:
            out.append(replace(line, role="label", figure=labels[i]))
        else:
            out.append(replace(line, role="seal"))
    return out


def _figure_region(
    figure: Found,
    segments: Sequence[Segment],
    free: Sequence[tuple[int, Segment]],
    blocks: Sequence[Block],
    width: int,
    height: int,
) -> FigureRegion:
    caption = " ".join(free[i][1].text.strip() for i in figure.captions) or None
    box = figure.box.grow(FIGURE_MARGIN).clip(width, height)
    kind = "picture" if figure.picture else "drawing"
    return FigureRegion(box, caption, _column_of(figure.box, blocks), kind)  # type: ignore[arg-type]


def _block_of(segment: Segment, blocks: Sequence[Block]) -> int:
    return next(i for i, block in enumerate(blocks) if any(s is segment for s in block.segments))


def _column_of(box: Box, blocks: Sequence[Block]) -> int:
    """Index of the block whose columns the box stands in: most horizontal overlap, then nearest vertically."""
    if not blocks:
        return 0

    def fit(index: int) -> tuple[float, float]:
        block = blocks[index].box
        away = max(block.y0 - box.y1, box.y0 - block.y1, 0.0)
        return (-round(block.x_overlap(box) / max(box.width, 1.0), 1), away)

    return min(range(len(blocks)), key=lambda i: (fit(i)[1] > 0.25 * box.height, *fit(i)))


def _doubts(residual: float, page: PageInput, reading: _Reading, drawn_over: Sequence[Box]) -> tuple[Doubt, ...]:
    doubts = []
    if residual > RESIDUAL_WARN:
        doubts.append(
            Doubt(
                "page.residual_ink",
                f"{residual:.0%} of the ink on page {page.number} was read as neither text nor figure.",
            )
        )
    if page.text is not None and page.text.trust in ("lying", "partial"):
        doubts.append(Doubt("text_layer." + page.text.trust, f"Page {page.number}: {page.text.reason}"))
    read = [s.confidence for s in reading.segments if s.origin == "ocr" and len(s.glyphs) >= 4]
    if read and float(np.mean(read)) < 0.8:
        doubts.append(
            Doubt("page.poor_reading", f"Page {page.number} is hard to read: mean OCR confidence {np.mean(read):.2f}.")
        )
    message = f"Something was drawn over the print on page {page.number}; it was left out."
    doubts.extend(Doubt("page.handwriting", message, box=box) for box in drawn_over)
    return tuple(doubts)


def _map_back(layout: PageLayout, frame: Frame, page: PageInput) -> PageLayout:
    """All boxes from the frame that was read to the stored page."""
    height, width = page.image.shape[:2]

    def to(box: Box) -> Box:
        return frame.box(box).clip(width, height)

    def slim(glyph: Glyph) -> Glyph:
        box = frame.slim(glyph.box).clip(width, height)
        base = None if glyph.baseline is None else box.y0 + (glyph.baseline - glyph.box.y0) * frame.scale
        return replace(glyph, box=box, size=glyph.size * frame.scale, baseline=base)

    lines = tuple(replace(line, box=to(line.box), glyphs=tuple(slim(g) for g in line.glyphs)) for line in layout.lines)
    return replace(
        layout,
        width=width,
        height=height,
        lines=lines,
        figures=tuple(replace(f, box=to(f.box)) for f in layout.figures),
        tables=tuple(replace(t, box=to(t.box)) for t in layout.tables),
        columns=tuple(to(c) for c in layout.columns),
        doubts=tuple(replace(d, box=to(d.box) if d.box else None) for d in layout.doubts),
    )


__all__ = ["PageInput", "Straight", "analyse_page"]
