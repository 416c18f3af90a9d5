"""Textbook chapters as resources: sections with their passages, figures with captions, worked examples, activities and
exercises, each with its page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from layout.types import PageLayout
from parse_templates.captions import Caption, assign_captions
from parse_templates.flow import FlowLine, text_of, whole
from wholepage.boxes import Box
from wholepage.records import Resource

SECTION = re.compile(r"^\s*(?P<n>\d{1,2}(?:[.．]\d{1,2}){1,2})\s+(?P<t>[^\W\d_][^=]{2,90}?)\s*$")
ITEM = re.compile(
    r"^\W{0,3}(?P<k>Example|Worked example|Activity|Experiment|例|活动|实验|探究)\s*"
    r"(?P<n>\d{1,2}(?:[.．]\d{1,2})?)(?![\d.])\s*[.:：]?",
    re.I,
)
FIGURE = re.compile(r"^\s*(?:Figure|Fig\.|图)\s*(?P<n>\d{1,2}[.．]\d{1,2})(?!\d)", re.I)
QUESTIONS = re.compile(
    r"^\W*(?:Q\s*U\s*E\s*S\s*T\s*I\s*O\s*N\s*S|E\s*X\s*E\s*R\s*C\s*I\s*S\s*E\s*S?|思考与练习|练习|习题)\W*$", re.I
)
SPOKEN = re.compile(r"\b(?:is|are|shows?|was|we|the|in|of)\b", re.I)
KINDS: dict[str, Literal["example", "activity"]] = {"example": "example", "worked example": "example", "例": "example"}
MIN_HEADINGS, MIN_LABELS = 2, 2  # numbered headings and labelled items that make a chapter
MAX_PASSAGE = 20_000  # characters of one passage


@dataclass(slots=True)
class _Open:
    """A resource in the making."""

    type: Literal["passage", "example", "activity", "exercise"]
    label: str
    lines: list[FlowLine] = field(default_factory=list)
    section: str | None = None
    subsection: str | None = None


def is_chapter(flow: Sequence[FlowLine]) -> bool:
    """Whether a file reads like a chapter of a textbook: numbered sections of one chapter, and labelled items in it."""
    headings = [m["n"] for line in flow if (m := _section(line))]
    chapters = [n.split(".")[0] for n in headings]
    labels = sum(bool(ITEM.match(line.text) or FIGURE.match(line.text)) for line in flow if line.table is None)
    return len(set(headings)) >= MIN_HEADINGS and len(set(chapters)) == 1 and labels >= MIN_LABELS


def _section(line: FlowLine) -> re.Match[str] | None:
    """A section heading: its number and a title that is no sentence."""
    if line.table is not None or len(line.text) > 100:
        return None
    match = SECTION.match(line.text.replace("\u2003", " "))
    if match is None or match["t"].rstrip()[-1:] in ".,;:?。，；：？" or match["t"][:1].islower():
        return None
    loud = match["t"].upper() == match["t"] or line.bold or (line.line is not None and line.indent <= 3)
    return match if loud and (match["t"].isupper() or len(SPOKEN.findall(match["t"])) <= 2) else None


def with_headings(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """The pages with headings and labels as body lines that were taken for lettering of a figure, as those are that a
    watermark or a drawing runs across."""
    out = []
    for page in pages:
        lines = []
        for line in page.lines:
            heading = SECTION.match(line.text) or ITEM.match(line.text) or QUESTIONS.match(line.text)
            lines.append(replace(line, role="body", figure=None) if line.role == "label" and heading else line)
        out.append(page.with_lines(tuple(lines)))
    return out


def read_chapter(pages: Sequence[PageLayout], flow: Sequence[FlowLine], paper_id: str) -> list[Resource]:
    """All resources of a chapter in printed order; empty when the file is none (see `is_chapter`)."""
    if not is_chapter(flow):
        return []
    items = _items(flow)
    chapter = next((m["n"].replace("．", ".").split(".")[0] for line in flow if (m := _section(line))), None)
    made = [_resource(item, chapter) for item in items if item.lines]
    made.extend(_figures(pages, flow, items, chapter))
    made.sort(key=lambda r: (r.page, r.bbox[1]))
    return [r.model_copy(update={"id": f"{paper_id}/r{i + 1}"}) for i, r in enumerate(made)]


def _items(flow: Sequence[FlowLine]) -> list[_Open]:
    """The flow cut at section headings, labelled items and exercise headings; a label counts the first time only."""
    section: str | None = None
    subsection: str | None = None
    seen: set[str] = set()
    current = _Open("passage", "")
    out = [current]
    for line in flow:
        heading, item = _section(line), ITEM.match(line.text) if line.table is None else None
        label = heading["n"] if heading else f"{item['k'].title()} {item['n']}" if item else ""
        if heading and label not in seen:
            name = f"{heading['n']} {heading['t'].strip()}"
            deep = heading["n"].replace("．", ".").count(".") > 1
            section, subsection = (section, name) if deep else (name, None)
            current = _Open("passage", name, [], section, subsection)
        elif item and label not in seen and len(line.text) < 120:
            kind = KINDS.get(item["k"].lower(), "activity")
            current = _Open(kind, label, [], section, subsection)
        elif line.table is None and QUESTIONS.match(line.text):
            current = _Open("exercise", re.sub(r"\s+", " ", line.text).strip(), [], section, subsection)
        else:
            current.lines.append(line)
            continue
        seen.add(label)
        current.lines.append(line)
        out.append(current)
    return out


def _resource(item: _Open, chapter: str | None) -> Resource:
    first = item.lines[0]
    boxes = [x.box for x in item.lines if x.page == first.page and x.column == first.column]
    return Resource(
        id="",
        type=item.type,
        chapter=chapter,
        section=item.section,
        subsection=item.subsection,
        page=first.page,
        bbox=_bbox(Box.hull(boxes)),
        text=text_of(whole(x) for x in item.lines)[:MAX_PASSAGE],
        caption=item.label or None,
    )


def _figures(
    pages: Sequence[PageLayout], flow: Sequence[FlowLine], items: Sequence[_Open], chapter: str | None
) -> list[Resource]:
    """Captioned figures: one a label, with the drawing that its caption stands by, else the caption's own place."""
    captions: dict[str, tuple[Caption, FlowLine | None]] = {}
    for line in flow:
        match = FIGURE.match(line.text) if line.table is None else None
        if match and not SPOKEN.match(line.text[match.end() :].strip()) and match["n"] not in captions:
            captions[match["n"]] = (Caption(line.text.strip(), line.page, line.box, match["n"], None), line)
    for page in pages:
        for mark in page.lines:
            match = FIGURE.match(mark.text) if mark.role in ("caption", "label") else None
            if match and match["n"] not in captions:
                captions[match["n"]] = (Caption(mark.text.strip(), page.number, mark.box, match["n"], None), None)
    out = []
    for page in pages:
        here = [c for c, _ in captions.values() if c.page == page.number]
        drawn = {c.figure: index for index, c in assign_captions(page, here).items()}
        for caption in here:
            index = drawn.get(caption.figure)
            box = page.figures[index].box if index is not None else caption.box
            owner = _around(items, captions[caption.figure or ""][1])
            out.append(
                Resource(
                    id="", type="figure", chapter=chapter, section=owner.section if owner else None,
                    subsection=owner.subsection if owner else None, page=page.number, bbox=_bbox(box),
                    text=caption.text, caption=caption.text,
                    file=None if index is None else f"figures/p{page.number:03d}-f{index + 1}.png",
                )
            )  # fmt: skip
    return out


def _around(items: Sequence[_Open], line: FlowLine | None) -> _Open | None:
    if line is None:
        return None
    return next((item for item in items if any(x.index == line.index for x in item.lines)), None)


def _bbox(box: Box) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box.as_list()
    return (x0, y0, x1, y1)


__all__ = ["is_chapter", "read_chapter"]
