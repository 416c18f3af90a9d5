"""Where a paper's questions, sections and key begin, and which template says so best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parse_templates.copies import find_second_run
from parse_templates.flow import FlowLine, whole
from parse_templates.gaps import fill_gaps
from parse_templates.keys import find_key_start
from parse_templates.numbering import Candidate, best_chain, find_candidates
from parse_templates.options import option_runs
from parse_templates.sections import Heading, find_headings
from parse_templates.template import Template
from parse_templates.template_files import load_template, template_names
from parse_templates.textbook import is_chapter

MARK_WEIGHT = 2.0  # evidence of a mark such as 【考点】 that only one source prints
MAX_NOTES = 8  # numbered notes that may stand above the first section
FIRST_SECTION = "一AIⅠ1"
NOTE_ASKS = re.compile(r"____|[?？]")


@dataclass(frozen=True)
class Structure:
    """Where questions, sections and the key begin; `score` is the evidence that the template found."""

    chain: list[Candidate]
    headings: list[Heading]
    closings: list[int]
    key_start: int | None
    score: float


def choose_template(
    name: str, flow: Sequence[FlowLine], language: str | None, key: Sequence[FlowLine] = ()
) -> Template:
    """The named template, or of those in the paper's language the one whose patterns find the most evidence.

    A chapter of a textbook goes to a template for chapters, and nothing else does. The lines of a separate `key` count
    for the marks of a source.
    """
    if name != "auto":
        return load_template(name)
    templates = [load_template(n) for n in template_names()]
    templates = [t for t in templates if t.language == language] or templates
    for template in templates:
        if template.chapter is not None and is_chapter(flow, template.chapter):
            return template
    papers = [t for t in templates if t.chapter is None]
    text = "\n".join(line.text for line in (*flow, *key) if line.table is None)
    return max(papers, key=lambda t: find_structure(flow, t).score + MARK_WEIGHT * _marks(t, text))


def template_for_key(paper: Template, key: Sequence[FlowLine]) -> Template:
    """The template to read a later key with: of those that ship and have the paper's numbers the one that finds most
    of its marks in the key; the paper's own where none finds more, and where it does not ship."""
    text = "\n".join(line.text for line in key if line.table is None)
    shipped = [load_template(n) for n in template_names()]
    if paper not in shipped:
        return paper
    alike = [t for t in shipped if t.numbers == paper.numbers and t.language == paper.language and t.chapter is None]
    return max([paper, *alike], key=lambda t: _marks(t, text))


def _marks(template: Template, text: str) -> int:
    """How many of the source's own marks stand in the paper."""
    return sum(re.search(pattern, text) is not None for pattern in template.applies)


def find_structure(flow: Sequence[FlowLine], template: Template) -> Structure:
    """Numbers, headings and the key's beginning, as this template finds them."""
    headings = find_headings(flow, template)
    instructed = _instructed(flow, template, headings)
    candidates = find_candidates(flow, template, instructed)
    marks = [h.line for h in headings]
    closes = re.compile(template.closes) if template.closes else None
    closings = [x.index for x in flow if closes is not None and x.table is None and closes.search(x.text)]
    chain = best_chain(candidates, marks, closings)
    key_start = find_key_start(flow, template, chain[0].line) if chain else None
    again = find_second_run(flow, chain, headings)
    if again is not None and (key_start is None or again < key_start):
        key_start = again
    if key_start is not None:
        before = [c for c in candidates if c.line < key_start]
        shorter = best_chain(before, [m for m in marks if m < key_start], closings)
        # A heading among the first questions is no key: most of the questions must stand before it.
        if len(shorter) >= 0.4 * len(chain):
            chain = shorter
            headings = [h for h in headings if h.line < key_start]
        else:
            key_start = None
    end = key_start if key_start is not None else len(flow)
    chain = fill_gaps(flow, chain, [h.line for h in headings], end, template)
    score = sum(c.weight for c in chain) + 2.0 * len(headings)
    return Structure(chain, headings, closings, key_start, score)


def _instructed(flow: Sequence[FlowLine], template: Template, headings: Sequence[Heading]) -> set[int]:
    """Lines of instruction lists: from their heading to the next section heading or the next number 1."""
    patterns = [re.compile(p) for p in template.instructions]
    stops = {h.line for h in headings}
    out = _notes(flow, template, headings)
    one = [re.compile(style.pattern) for style in template.numbers]
    inside, seen_one = False, False
    for line in flow:
        if any(p.match(line.text) for p in patterns):
            inside, seen_one = True, False
            out.add(line.index)
        elif inside:
            first = any((m := p.match(line.text)) and m["n"] == "1" for p in one)
            if line.index in stops or (first and seen_one):
                inside = False
            else:
                seen_one = seen_one or first
                out.add(line.index)
    return out


def _notes(flow: Sequence[FlowLine], template: Template, headings: Sequence[Heading]) -> set[int]:
    """Numbered notes above the first section when its questions begin with 1 again; without blanks or options."""
    if not headings or headings[0].order.strip("第 ").upper()[:1] not in FIRST_SECTION:
        return set()
    first = headings[0].line
    above = [c for c in find_candidates(flow[:first], template, set()) if c.number <= MAX_NOTES]
    stop = headings[1].line if len(headings) > 1 else len(flow)
    below = any(c.number == 1 for c in find_candidates(flow[first:stop], template, set()))
    lines = flow[above[0].line : first] if above else []
    asks = any(NOTE_ASKS.search(x.text) for x in lines) or bool(option_runs([whole(x) for x in lines], template))
    return {x.index for x in lines} if above and below and len(above) <= MAX_NOTES and not asks else set()
