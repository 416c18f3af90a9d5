"""Textbook chapters as resources: sections with their passages, figures with captions, worked examples, activities and
exercises, each with its page. What these look like is the template's `chapter`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from layout.types import PageLayout
from parse_templates.captions import Caption, assign_captions
from parse_templates.flow import FlowLine, text_of, whole
from parse_templates.template import ChapterRules
from wholepage.boxes import Box
from wholepage.records import Resource, ResourceType

MIN_HEADINGS, MIN_LABELS = 2, 2  # numbered headings and labelled items that make a chapter
MIN_KINDS = 3  # kinds of them where no heading has the chapter's number
MAX_SPOKEN = 2  # words of a sentence that a heading may hold
MAX_LABEL_LINE = 120  # characters
ENDS = tuple(".,;:?。，；：？")
MAX_PASSAGE = 20_000  # characters of one passage


@dataclass(slots=True)
class _Open:
    """A resource in the making."""

    type: ResourceType
    label: str
    lines: list[FlowLine] = field(default_factory=list)
    section: str | None = None
    subsection: str | None = None


class Marks:
    """The patterns of a template's chapter rules, compiled."""

    def __init__(self, rules: ChapterRules) -> None:
        self.section = re.compile(rules.section)
        self.items = [(item.type, re.compile(item.pattern)) for item in rules.items]
        self.figure = re.compile(rules.figure) if rules.figure else None
        self.exercises = re.compile(rules.exercises) if rules.exercises else None
        self.spoken = re.compile(rules.spoken) if rules.spoken else None

    def heading(self, line: FlowLine) -> re.Match[str] | None:
        """A section heading: its number and a title that is no sentence."""
        if line.table is not None or len(line.text) > 100:
            return None
        match = self.section.match(line.text.replace("\u2003", " "))
        if match is None or match["t"].rstrip()[-1:] in ENDS or match["t"][:1].islower():
            return None
        title = match["t"]
        cased = title.upper() != title.lower()
        loud = (cased and title.upper() == title) or line.bold or (line.line is not None and line.indent <= 3)
        said = len(self.spoken.findall(title)) if self.spoken and not title.isupper() else 0
        return match if loud and said <= MAX_SPOKEN else None

    def item(self, text: str) -> tuple[ResourceType, re.Match[str]] | None:
        """A labelled item such as Example 1.2 at the beginning of a line: what it is, and the match."""
        return next(((kind, m) for kind, pattern in self.items if (m := pattern.match(text))), None)

    def caption(self, text: str) -> re.Match[str] | None:
        """A figure's caption at the beginning of a line, and no sentence about it."""
        match = self.figure.match(text) if self.figure else None
        return None if match and self.spoken and self.spoken.match(text[match.end() :].strip()) else match

    def kind(self, text: str) -> str:
        """What a line opens beside a section: a kind of item, a figure's caption, exercises; empty for nothing."""
        found = self.item(text)
        if found is not None:
            return found[0]
        if self.figure and self.figure.match(text):
            return "figure"
        return "exercise" if self.exercises and self.exercises.match(text) else ""

    def stands_out(self, text: str) -> bool:
        """Whether a line is a heading or label of any kind."""
        return bool(self.section.match(text)) or self.kind(text) not in ("", "figure")


def is_chapter(flow: Sequence[FlowLine], rules: ChapterRules) -> bool:
    """Whether a file reads like a chapter of a textbook: numbered sections of one chapter, and labelled items in it.

    Sections without the chapter's number, as 第1节, are found in worksheets too: these need more kinds of items.
    """
    marks = Marks(rules)
    headings = {_dotted(m["n"]) for line in flow if (m := marks.heading(line))}
    chapters = {n.split(".")[0] for n in headings if "." in n}
    kinds = [kind for line in flow if line.table is None and (kind := marks.kind(line.text))]
    labels = [kind for kind in kinds if kind != "exercise"]
    if len(headings) < MIN_HEADINGS or len(chapters) > 1 or len(labels) < MIN_LABELS:
        return False
    return bool(chapters) or len(set(kinds)) >= MIN_KINDS


def _dotted(number: str) -> str:
    return number.replace("．", ".")


def with_headings(pages: Sequence[PageLayout], rules: ChapterRules) -> list[PageLayout]:
    """The pages with headings and labels as body lines that were taken for lettering of a figure, as those are that a
    watermark or a drawing runs across."""
    marks, out = Marks(rules), []
    for page in pages:
        lines = [
            replace(line, role="body", figure=None) if line.role == "label" and marks.stands_out(line.text) else line
            for line in page.lines
        ]
        out.append(page.with_lines(tuple(lines)))
    return out


def read_chapter(
    pages: Sequence[PageLayout], flow: Sequence[FlowLine], paper_id: str, rules: ChapterRules
) -> list[Resource]:
    """All resources of a chapter in printed order; empty when the file is none (see `is_chapter`)."""
    if not is_chapter(flow, rules):
        return []
    marks = Marks(rules)
    items = _items(flow, marks)
    numbers = [_dotted(m["n"]) for line in flow if (m := marks.heading(line))]
    chapter = next((n.split(".")[0] for n in numbers if "." in n), None)
    made = [_resource(item, chapter) for item in items if item.lines]
    made.extend(_figures(pages, flow, items, chapter, marks))
    made.sort(key=lambda r: (r.page, r.bbox[1]))
    return [r.model_copy(update={"id": f"{paper_id}/r{i + 1}"}) for i, r in enumerate(made)]


def _items(flow: Sequence[FlowLine], marks: Marks) -> list[_Open]:
    """The flow cut at section headings, labelled items and exercise headings. A label counts the first time only, but
    one such as Example 1 may come again in another section."""
    section: str | None = None
    subsection: str | None = None
    seen: set[tuple[str | None, ...]] = set()
    current = _Open("passage", "")
    out = [current]
    for line in flow:
        heading, found = marks.heading(line), marks.item(line.text) if line.table is None else None
        label = heading["n"] if heading else _label(found[1]) if found else ""
        key = (label,) if heading or "." in _dotted(label) else (label, section, subsection)
        if heading and key not in seen:
            name = f"{heading['n']} {heading['t'].strip()}"
            deep = _dotted(heading["n"]).count(".") > 1
            section, subsection = (section, name) if deep else (name, None)
            current = _Open("passage", name, [], section, subsection)
        elif found and key not in seen and len(line.text) < MAX_LABEL_LINE:
            current = _Open(found[0], label, [], section, subsection)
        elif line.table is None and marks.exercises and marks.exercises.match(line.text):
            current = _Open("exercise", re.sub(r"\s+", " ", line.text).strip(), [], section, subsection)
        else:
            current.lines.append(line)
            continue
        seen.add(key)
        current.lines.append(line)
        out.append(current)
    return out


def _label(match: re.Match[str]) -> str:
    return f"{match['k'].title()} {match['n'] or ''}".strip()


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
    pages: Sequence[PageLayout], flow: Sequence[FlowLine], items: Sequence[_Open], chapter: str | None, marks: Marks
) -> list[Resource]:
    """Captioned figures: one a label, with the drawing that its caption stands by, else the caption's own place."""
    captions = _captions(pages, flow, marks)
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


def _captions(
    pages: Sequence[PageLayout], flow: Sequence[FlowLine], marks: Marks
) -> dict[str, tuple[Caption, FlowLine | None]]:
    """One caption a label: of several lines that begin with it the first that does not go on as a sentence does."""
    found: dict[str, tuple[bool, Caption, FlowLine | None]] = {}

    def offer(text: str, page: int, box: Box, line: FlowLine | None) -> None:
        match = marks.caption(text)
        if match is None:
            return
        torn = text[match.end() :].lstrip()[:1] in tuple(").,;）。，；")
        if match["n"] not in found or (found[match["n"]][0] and not torn):
            found[match["n"]] = (torn, Caption(text.strip(), page, box, match["n"], None), line)

    for line in flow:
        if line.table is None:
            offer(line.text, line.page, line.box, line)
    for page in pages:
        for mark in page.lines:
            if mark.role in ("caption", "label"):
                offer(mark.text, page.number, mark.box, None)
    return {number: (caption, line) for number, (_, caption, line) in found.items()}


def _around(items: Sequence[_Open], line: FlowLine | None) -> _Open | None:
    if line is None:
        return None
    return next((item for item in items if any(x.index == line.index for x in item.lines)), None)


def _bbox(box: Box) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box.as_list()
    return (x0, y0, x1, y1)


__all__ = ["is_chapter", "read_chapter", "with_headings"]
