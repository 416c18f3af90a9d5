"""Section headings and what they state: name, question type, marks of each, number of questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from parse_templates.flow import FlowLine, text_of, whole
from parse_templates.template import Template
from wholepage.records import QuestionType

LONG_HEADING = 36  # characters; a line set far in is a heading only when it is shorter
MAX_HEADING_LINES = 10


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at flow line `line`; `order` its printed ordinal, `rest` what follows it on the line."""

    line: int
    order: str
    rest: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section with the rules its heading states; `ranges` and `marks` state type and marks of single numbers."""

    index: int
    name: str | None
    text: str
    type: QuestionType | None
    each: float | None
    total: float | None
    count: int | None
    ranges: tuple[tuple[int, int, QuestionType], ...] = ()
    marks: tuple[tuple[int, int, float], ...] = ()

    def marks_for(self, number: int) -> float | None:
        """The marks that the heading gives to question `number`: its own, else those of each."""
        return next((p for first, last, p in self.marks if first <= number <= last), self.each)

    def type_for(self, number: int) -> QuestionType | None:
        """The type that the heading gives to question `number`."""
        for first, last, kind in self.ranges:
            if first <= number <= last:
                return kind
        return self.type


NO_SECTION = Section(0, None, "", None, None, None, None)


def find_headings(flow: Sequence[FlowLine], template: Template) -> list[Heading]:
    """Lines that read like a section heading of this template."""
    patterns = [re.compile(p) for p in template.headings]
    words = re.compile(template.heading_words) if template.heading_words else None
    out = []
    for line in flow:
        if line.table is not None or (line.indent > 12 and not line.bold and len(line.text) > LONG_HEADING):
            continue
        for pattern in patterns:
            match = pattern.match(line.text)
            if match and (words is None or words.search(match["rest"][:60] or match["ord"])):
                out.append(Heading(line.index, match["ord"].strip(), match["rest"].strip()))
                break
    return out


def read_section(heading: Heading, lines: Sequence[FlowLine], index: int, template: Template) -> Section:
    """The section that `heading` opens; `lines` are those from the heading to the first question behind it."""
    text = text_of(whole(line) for line in lines[:MAX_HEADING_LINES])
    rules = template.points
    each, total, count = (_first(p, text) for p in (rules.each, rules.total, rules.count))
    name = _name(heading, template)
    ranges = []
    if template.type_ranges:
        for match in re.finditer(template.type_ranges, text):
            kind = type_of(match["rule"], template)
            if kind is not None:
                ranges.append((int(match["a"]), int(match["b"]), kind))
    kind = type_of(name or "", template) or type_of(text, template)
    if kind == "multiple_choice" and not ranges:
        # 选择题 alone says nothing of how many are right; the rule behind it may.
        kind = type_of(text, template) or kind
    marks = _numbered(rules.numbered, text)
    return Section(index, name, text, kind, each, total, int(count) if count else None, tuple(ranges), marks)


def stated_rules(lines: Sequence[FlowLine], template: Template) -> dict[str, Section]:
    """What the instructions say of sections, by their letter: "(iii) In Section B, questions of 2 marks each"."""
    if not template.section_rules:
        return {}
    text = text_of(whole(line) for line in lines)
    marks = list(re.finditer(template.section_rules, text))
    out: dict[str, Section] = {}
    for mark, following in zip_longest(marks, marks[1:]):
        said = text[mark.end() : following.start() if following else mark.end() + 300]
        kind, each = type_of(said, template), _first(template.points.each, said)
        if kind is not None or each is not None:
            out.setdefault(mark["ord"].upper(), Section(0, None, said, kind, each, None, None))
    return out


def with_rules(section: Section, rules: dict[str, Section]) -> Section:
    """The section with what the instructions say of it where its own heading says nothing."""
    letter = (section.name or "")[-1:].upper()
    said = rules.get(letter)
    if said is None:
        return section
    return replace(section, type=section.type or said.type, each=section.each if section.each else said.each)


def _numbered(pattern: str, text: str) -> tuple[tuple[int, int, float], ...]:
    """Marks stated for single numbers or ranges of numbers: (first, last, marks)."""
    if not pattern:
        return ()
    found = re.finditer(pattern, text)
    return tuple((int(m["a"]), int(m["b"] or m["a"]), float(m["p"])) for m in found)


def type_of(text: str, template: Template) -> QuestionType | None:
    """The first type whose words stand in `text`."""
    for rule in template.types:
        if any(re.search(word, text) for word in rule.words):
            return rule.type
    return None


def _first(patterns: Sequence[str], text: str) -> float | None:
    for pattern in patterns:
        match = re.search(pattern, text)
        if match:
            return float(match["p"])
    return None


def _name(heading: Heading, template: Template) -> str | None:
    rest = re.split(r"[:：（(\[,，。;；\s]|本|共|\d", heading.rest, maxsplit=1)[0].strip(" 、.-–—")
    order = re.sub(r"(?i)\b(section|part)\s*[-–—:]?\s*", lambda m: m[1].capitalize() + " ", heading.order)
    name = template.section_name.format(ord=order, rest=rest).strip()
    return name or order or None
