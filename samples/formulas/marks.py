"""Where each formula stands on a page: renderers wrap formula `i` in a link to `link(i)`, taken out again here."""

from __future__ import annotations

from dataclasses import dataclass

import pymupdf

PREFIX = "formula:"


@dataclass(frozen=True, slots=True)
class Mark:
    """Formula `index` stands on page `page` (from 0) in `box`: x0, y0, x1, y1 in points from the top left."""

    index: int
    page: int
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Pages:
    """A PDF and the places of its formulas, by index."""

    pdf: bytes
    marks: tuple[Mark, ...]


def link(index: int) -> str:
    """The link target that stands for formula `index`."""
    return f"{PREFIX}{index}"


def take_marks(pdf: bytes) -> Pages:
    """The PDF without the links that mark formulas, and what they marked; a formula's several links make one box."""
    found: dict[int, tuple[int, pymupdf.Rect]] = {}
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        for number, page in enumerate(document):
            for entry in page.get_links():
                uri = str(entry.get("uri") or entry.get("file") or "")
                if not uri.startswith(PREFIX):
                    continue
                index, box = int(uri.removeprefix(PREFIX)), pymupdf.Rect(entry["from"])
                known = found.get(index)
                found[index] = (number, box if known is None else known[1] | box)
                page.delete_link(entry)
        data = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    marks = [Mark(i, page, (box.x0, box.y0, box.x1, box.y1)) for i, (page, box) in sorted(found.items())]
    return Pages(data, tuple(marks))
