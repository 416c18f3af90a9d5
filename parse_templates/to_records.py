"""Drafts to records: text, evidence, confidence."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from parse_templates.draft import Draft
from parse_templates.flow import Piece, text_of
from parse_templates.parts import PartPieces
from wholepage.boxes import Box
from wholepage.records import Evidence, Figure, Option, Part, Question, Region

TEXT_LAYER_CONFIDENCE = 0.97  # a trusted text layer is right about characters; how they are laid out may mislead
CERTAINTY = {
    "question": 1.0,
    "heading": 0.95,
    "parts": 0.9,
    "content": 0.85,
    "inline": 1.0,
    "key": 0.95,
    "solution": 0.85,
    "model": 0.95,
}
ERROR_CONFIDENCE, WARNING_CONFIDENCE = 0.4, 0.7
RAW_LIMIT = 2000  # characters of raw text kept as evidence


def question_record(draft: Draft, paper_id: str) -> Question:
    """The record of a draft."""
    evidence = _evidence(draft)
    stem = _stem(draft)
    if not stem and draft.parts:
        stem = text_of(draft.parts[0].pieces)
    record = Question(
        id=f"{paper_id}/{draft.section.index}.{draft.label}",
        number=draft.label,
        section=draft.section.name,
        type=draft.type,
        points=draft.points,
        stem=stem,
        options=_options(draft),
        parts=[_part(part, draft) for part in draft.parts],
        answer=draft.answer,
        solution=draft.solution_text,
        figures=draft.figures,
        regions=[Region(page=p, bbox=_bbox(b)) for p, b in _regions(draft)],
        evidence=evidence,
        issues=draft.issues,
    )
    if draft.label_text:
        record.heading = draft.label_text  # type: ignore[attr-defined]
    record.confidence = round(min((e.confidence for e in evidence.values()), default=0.0), 3)
    return record


def _part_pieces(parts: Sequence[PartPieces]) -> list[Piece]:
    return [p for part in parts for p in (*part.pieces, *_part_pieces(part.parts))]


def _regions(draft: Draft) -> list[tuple[int, Box]]:
    """One box a column that the question stands in; its number and its figures in that column belong to it."""
    spans: dict[tuple[int, int], list[Box]] = {}
    for line in draft.lines:
        spans.setdefault((line.page, line.column), []).append(line.box)
    boxes = [(page, Box.hull(group)) for (page, _), group in spans.items()]
    for figure in draft.figures:
        area = Box.of(figure.bbox)
        for index, (page, box) in enumerate(boxes):
            if page == figure.page and (box.y_overlap(area) > 0 or box.x_overlap(area) > 0.5 * area.width):
                boxes[index] = (page, box.union(area))
                break
        else:
            boxes.append((figure.page, area))
    return boxes


def _stem(draft: Draft) -> str:
    """The stem's text with its figures: where they were printed between lines, else behind it."""
    figures = [f for f in draft.figures if f.placement == "stem"]
    parts: list[str] = []
    rest = list(draft.stem)
    for figure in sorted(figures, key=lambda f: (f.page, f.bbox[1])):
        split = _position(figure, rest)
        if split is not None:
            parts.append(text_of(rest[:split]))
            rest = rest[split:]
            parts.append(_image(figure))
    parts.append(text_of(rest))
    placed = "\n\n".join(p for p in parts if p)
    trailing = [_image(f) for f in figures if _image(f) not in placed]
    return "\n\n".join(p for p in (placed, *trailing) if p)


def _image(figure: Figure) -> str:
    return f"![]({figure.file})"


def _position(figure: Figure, pieces: Sequence[Piece]) -> int | None:
    """Index of the first piece below the figure when no piece stands beside it, else None."""
    box = Box.of(figure.bbox)
    same = [i for i, p in enumerate(pieces) if p.at.page == figure.page and p.box.x_overlap(box) > 0]
    beside = any(p.at.page == figure.page and p.box.y_overlap(box) > 0.5 * p.box.height for p in pieces)
    below = [i for i in same if pieces[i].box.cy > box.cy]
    above = [i for i in same if pieces[i].box.cy < box.cy]
    return below[0] if below and above and not beside else None


def _options(draft: Draft) -> list[Option]:
    pictured = {f.placement.removeprefix("option:"): f.id for f in draft.figures if f.placement.startswith("option:")}
    return [Option(label=label, text=text_of(group), figure=pictured.get(label)) for label, group in draft.options]


def _part(part: PartPieces, draft: Draft) -> Part:
    images = [_image(f) for f in draft.figures if f.placement == f"part:{part.label}"]
    return Part(
        label=part.label,
        text="\n\n".join([text_of(part.pieces), *images]),
        points=part.points,
        answer=part.answer,
        parts=[_part(inner, draft) for inner in part.parts],
    )


def _evidence(draft: Draft) -> dict[str, Evidence]:
    """Evidence of each field that has a value, with its confidence; issues lower that of the field they name."""
    groups: dict[str, list[Piece]] = {
        "stem": draft.stem or (draft.parts[0].pieces if draft.parts else []),
        "options": [p for _, group in draft.options for p in group],
        "parts": _part_pieces(draft.parts),
        "answer": draft.answer_pieces,
        "solution": draft.solution,
    }
    out = {"number": _field(draft, [Piece(draft.lines[0].text[:12], draft.lines[0], draft.lines[0].box)], 1.0)}
    for name, pieces in groups.items():
        if pieces:
            out[name] = _field(draft, pieces, CERTAINTY.get(draft.origin.get(name, ""), 1.0))
    for name in ("points", "type"):
        origin = draft.origin.get(name)
        if origin:
            out[name] = Evidence(confidence=CERTAINTY.get(origin, 0.8), origin=origin)
    for issue in draft.issues:
        name = issue.field or "stem"
        ceiling = ERROR_CONFIDENCE if issue.severity == "error" else WARNING_CONFIDENCE
        current = out.get(name, Evidence())
        current.confidence = min(current.confidence, ceiling)
        out[name] = current
    return out


def _field(draft: Draft, pieces: Sequence[Piece], certainty: float) -> Evidence:
    lines = [p.at.line for p in pieces if p.at.line is not None]
    read = [min(line.confidence, TEXT_LAYER_CONFIDENCE) for line in lines]
    origins = {line.origin for line in lines}
    first = pieces[0]
    boxes = [p.box for p in pieces if p.at.page == first.at.page]
    return Evidence(
        page=first.at.page,
        bbox=_bbox(Box.hull(boxes)),
        raw="\n".join(p.text for p in pieces)[:RAW_LIMIT],
        similarity=1.0,
        confidence=round(min(1.0, certainty * (fmean(read) if read else 0.9)), 3),
        origin="+".join(sorted(origins)) or "table",
    )


def _bbox(box: Box) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box.as_list()
    return (x0, y0, x1, y1)
