"""Pages drawn in the tests: real PDFs for the layout room, bare layouts for the parser."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

from ingest.textlayer import read_text_layer
from layout.ocr import Image, Recognised
from layout.page import PageInput, analyse_page
from layout.segments import is_wide
from layout.types import FigureRegion, Glyph, Line, PageLayout, TableRegion
from wholepage.boxes import Box

DPI = 200.0
PX = DPI / 72.0  # pixels a point


class NoOcr:
    """An engine that must not be asked: pages with a trusted text layer need no OCR."""

    name = "none"

    def detect(self, image: Image, scale: float) -> list[NDArray[np.float64]]:
        raise AssertionError("OCR detection was called for a digital page")

    def recognise(self, crops: Sequence[Image]) -> list[Recognised]:
        raise AssertionError("OCR recognition was called for a digital page")


class Sheet:
    """One PDF page to draw on; coordinates in points. Chinese uses pymupdf's built-in font."""

    def __init__(self, width: float = 595, height: float = 842) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=width, height=height)

    def text(self, x: float, y: float, text: str, size: float = 10.5, rotate: int = 0) -> None:
        self.page.insert_text((x, y), text, fontname="china-s", fontsize=size, rotate=rotate)

    def lines(self, x: float, y: float, texts: Sequence[str], step: float = 17) -> None:
        for index, text in enumerate(texts):
            self.text(x, y + index * step, text)

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.7) -> None:
        self.page.draw_line((x0, y0), (x1, y1), width=width)

    def drawing(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A drawing that no text explains: a circle, diagonals and an arrow."""
        self.page.draw_oval((x0, y0, x1, y1), width=1)
        self.page.draw_line((x0, y0), (x1, y1), width=1)
        self.page.draw_line((x0, y1), (x1, y0), width=1)

    def image(self) -> NDArray[np.uint8]:
        pixmap = self.page.get_pixmap(dpi=int(DPI), alpha=False)
        return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.h, pixmap.w, 3).copy()

    def layout(self) -> PageLayout:
        text = read_text_layer(self.page, DPI)
        return analyse_page(PageInput(1, self.image(), DPI, text=text if text.glyphs else None), NoOcr())


def body(layout: PageLayout) -> list[str]:
    """Texts of the body lines in reading order."""
    return [line.text for line in layout.lines if line.role == "body"]


def line(x: float, y: float, text: str, column: int = 0, em: float = 30.0, confidence: float = 1.0) -> Line:
    """A line of text with one box a character; an ideograph is one em wide, other characters half an em."""
    glyphs, at = [], x
    for char in text:
        width = em if is_wide(char) else (2 * em if char == "\u2003" else em / 2)
        glyphs.append(Glyph(char, Box(at, y, at + width, y + em), em, "", 1.0, y + 0.8 * em))
        at += width
    return Line(text, Box(x, y, at, y + em), tuple(glyphs), confidence, "text_layer", column=column)


def page(
    texts: Sequence[str | tuple[float, str]],
    number: int = 1,
    figures: Sequence[FigureRegion] = (),
    tables: Sequence[TableRegion] = (),
    column: int = 0,
    step: float = 50.0,
) -> PageLayout:
    """A page whose lines stand one below the other from y = 200; a tuple states its own x."""
    lines = []
    for index, entry in enumerate(texts):
        x, text = entry if isinstance(entry, tuple) else (160.0, entry)
        lines.append(line(x, 200 + index * step, text, column))
    return PageLayout(
        number, 1654, 2339, DPI, "digital", lines=tuple(lines), figures=tuple(figures), tables=tuple(tables)
    )


def table(rows: Sequence[Sequence[str]], y: float, x: float = 160.0, column: int = 0) -> TableRegion:
    """A plain table without spans."""
    cells = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows)
    box = Box(x, y, x + 60 * len(rows[0]), y + 40 * len(rows))
    return TableRegion(box, f"<table>{cells}</table>", tuple(tuple(row) for row in rows), column)
