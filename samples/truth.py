"""What is known of a sample paper, as JSON. Boxes are points of the flat page, origin top left.

Scans and photos carry the 3×3 matrix from page points to their own pixels, so that one set of boxes serves all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from samples.source import PaperSource, Part, Question, Section
from samples.typeset import Mark, Typeset

INK_DPI = 144
INK_LEVEL = 200  # grey values below this are ink


def build_truth(paper: PaperSource, made: Typeset) -> dict[str, Any]:
    """The truth of the typeset paper, without the entries `scan` and `photos`, which `make` adds."""
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        sizes = [[round(p.rect.width, 1), round(p.rect.height, 1)] for p in document]
        pages = [_grey(page) for page in document]
    questions = []
    pairs = [(section, q) for section in paper.sections for q in section.questions]
    for index, (section, q) in enumerate(pairs):
        questions.append(_question(section, q, index, made.marks, pages))
    return {
        "name": paper.name,
        "title": " ".join(paper.title),
        "subject": paper.subject,
        "language": paper.language,
        "total_points": paper.total_points,
        "page_sizes_pt": sizes,
        "questions": questions,
    }


def _grey(page: pymupdf.Page) -> NDArray[np.uint8]:
    pix = page.get_pixmap(dpi=INK_DPI, colorspace=pymupdf.csGRAY)
    return np.frombuffer(pix.samples, np.uint8).reshape(pix.height, pix.stride)[:, : pix.width]


def _question(
    section: Section, q: Question, index: int, marks: dict[str, Mark], pages: list[NDArray[np.uint8]]
) -> dict[str, Any]:
    start = marks[f"start:{index}"]
    figures = []
    for k, figure in enumerate(q.figures):
        mark = marks[f"figure:{index}:{k}"]
        entry: dict[str, Any] = {"page": mark.page, "bbox": ink_box(mark, pages[mark.page - 1])}
        entry["placement"] = {"option": f"option:{figure.option}", "solution": "solution"}.get(figure.place, "stem")
        entry["caption"] = figure.caption
        figures.append(entry)
    return {
        "number": q.number,
        "section": section.name,
        "type": q.type or section.type,
        "points": q.points if q.points is not None else section.points,
        "stem": stem_text(q),
        "options": q.options,
        "answer": q.answer or [a for part in q.parts for a in _part_answers(part)],
        "known_answer": q.known_answer or q.answer or [a for part in q.parts for a in _part_answers(part, known=True)],
        "solution": q.solution.strip(),
        "page": start.page,
        "start_bbox": [round(v, 1) for v in (start.x, start.y, start.x + start.w, start.y + start.h)],
        "figures": figures,
        "parts": [_part(part) for part in q.parts],
    }


def stem_text(q: Question) -> str:
    """Everything printed before the options: stem, table (HTML), text after it, and the parts one a line."""
    lines = [q.stem.strip()]
    if q.table:
        rows = ("".join(f"<td>{c}</td>" for c in row) for row in q.table.rows)
        lines.append("<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>")
    if q.after:
        lines.append(q.after.strip())
    return "\n".join([*lines, *(line for part in q.parts for line in _part_lines(part))])


def _part_lines(part: Part) -> list[str]:
    return [f"{part.label} {part.text.strip()}", *(line for inner in part.parts for line in _part_lines(inner))]


def _part_answers(part: Part, known: bool = False) -> list[str]:
    own = (part.known_answer or part.answer) if known else part.answer
    return [*own, *(a for inner in part.parts for a in _part_answers(inner, known))]


def _part(part: Part) -> dict[str, Any]:
    return {
        "label": part.label.replace("（", "(").replace("）", ")"),
        "text": part.text.strip(),
        "points": part.points,
        "answer": part.answer,
        "solution": "",
        "parts": [_part(inner) for inner in part.parts],
    }


def ink_box(mark: Mark, grey: NDArray[np.uint8]) -> list[float]:
    """Tight box (points, 0.1) of the ink inside a mark; `grey` is the page at `INK_DPI`.

    Raises:
        ValueError: the mark holds no ink, so a drawing is missing.
    """
    f = INK_DPI / 72
    x0, y0 = max(int(mark.x * f), 0), max(int(mark.y * f), 0)
    part = grey[y0 : int((mark.y + mark.h) * f) + 1, x0 : int((mark.x + mark.w) * f) + 1] < INK_LEVEL
    ys, xs = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    if not len(ys):
        raise ValueError(f"the figure {mark.id} on page {mark.page} has no ink")
    corners = (x0 + xs[0], y0 + ys[0], x0 + xs[-1] + 1, y0 + ys[-1] + 1)
    return [round(float(v) / f, 1) for v in corners]
