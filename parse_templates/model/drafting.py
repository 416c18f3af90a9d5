"""Readings to drafts: the same drafts as the rules make, with text copied from the places that a model named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parse_templates.alternatives import total_points
from parse_templates.draft import Draft, decide_type, take_answer
from parse_templates.model.lines import Book
from parse_templates.model.readings import PartPlaces, Reading
from parse_templates.model.verify import Page
from parse_templates.options import FULL_LETTERS
from parse_templates.parts import PartPieces, plain_label
from parse_templates.sections import NO_SECTION, Heading, Section, read_section
from parse_templates.template import Template


def model_sections(readings: Sequence[Reading], book: Book) -> list[tuple[int, Section]]:
    """Sections from the headings that a model named, for papers in which the rules find none."""
    places = {r.section.line: r.section for r in readings if r.section is not None and r.section.line < r.number.line}
    template, flow = book.prepared.template, book.prepared.flow
    out: list[tuple[int, Section]] = []
    for line in sorted(line for line in places if line < book.count):
        text = book.text(places[line]).strip()
        stop = min((r.number.line for r in readings if r.number.line > line), default=line + 1)
        heading = Heading(line, text[:20], text)
        out.append((line, read_section(heading, flow[line:stop], len(out) + 1, template)))
    return out


def draft_of(reading: Reading, page: Page) -> Draft:
    """The draft of a reading. A field is filled whether it is believed or not; combine.py chooses."""
    book, template = page.book, page.template
    section = next((s for line, s in reversed(page.sections) if line <= reading.number.line), NO_SECTION)
    stop = max(min(reading.stop[0] + (reading.stop[1] > 0), book.count), reading.number.line + 1)
    draft = Draft(reading.label, reading.value, section, book.lines[reading.number.line : stop])
    draft.stem = book.pieces(reading.stem)
    draft.options = [
        (book.text(label).translate(FULL_LETTERS).upper(), book.pieces(text)) for label, text in reading.options
    ]
    draft.parts = [_part(p, book) for p in reading.parts]
    for name in ("stem", "options", "parts", "solution"):
        draft.origin[name] = "model"
    _points(draft, reading, book, template)
    # A solution that is not believed concludes nothing: its letters are no answer.
    draft.solution = [] if "solution" in reading.refused else book.pieces(reading.solution)
    draft.answer_pieces = book.pieces(reading.answer)
    draft.type = decide_type(draft, section.type_for(draft.number), template)
    take_answer(draft, draft.answer_pieces, template)
    draft.solution = book.pieces(reading.solution)
    return draft


def _part(places: PartPlaces, book: Book) -> PartPieces:
    points = _value(book.text(places.points)) if places.points is not None else None
    inner = [_part(p, book) for p in places.parts]
    return PartPieces(plain_label(book.text(places.label)), book.pieces(places.text), inner, points)


def _points(draft: Draft, reading: Reading, book: Book, template: Template) -> None:
    """The marks that the model named, else those that the heading states, else the sum of the parts'."""
    own = _value(book.text(reading.points)) if reading.points is not None else None
    if own is not None:
        draft.points, draft.origin["points"] = own, "question"
        return
    stated = draft.section.marks_for(draft.number)
    total = total_points(draft.parts)
    if stated is not None:
        draft.points, draft.origin["points"] = stated, "heading"
    elif total:
        draft.points, draft.origin["points"] = total, "parts"


def _value(text: str) -> float | None:
    match = re.search(r"\d{1,3}(?:\.5)?", text)
    return float(match.group()) if match else None
