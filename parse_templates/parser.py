"""The rule parser: page layouts and a template in, questions with coverage and doubts out. No model is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from layout.furniture import mark_repeated
from layout.types import PageLayout
from parse_templates.binding import bind_figures
from parse_templates.checks import check_question, cover_section
from parse_templates.copies import find_second_run
from parse_templates.describe import detect_language, detect_subject, find_title
from parse_templates.draft import Draft, draft_question
from parse_templates.flow import FlowLine, build_flow, whole
from parse_templates.formulas import doubt_formulas
from parse_templates.gaps import fill_gaps, is_inferred
from parse_templates.keys import KeyEntry, find_key_start, read_key
from parse_templates.languages import keep_language
from parse_templates.margin import take_margin_marks
from parse_templates.matching import apply_key
from parse_templates.numbering import Candidate, best_chain, find_candidates
from parse_templates.options import option_runs
from parse_templates.sections import NO_SECTION, Heading, Section, find_headings, read_section, stated_rules, with_rules
from parse_templates.shared import apply_directions, find_directions
from parse_templates.template import Template, load_template, template_names
from parse_templates.textbook import is_chapter, read_chapter, with_headings
from parse_templates.to_records import question_record
from parse_templates.unfold import unfold_all
from wholepage.records import Coverage, Figure, Issue, Question, Resource

MAX_NOTES = 8  # numbered notes that may stand above the first section
FIRST_SECTION = "一AIⅠ1"
NOTE_ASKS = re.compile(r"____|[?？]")


@dataclass(frozen=True)
class ParsedPaper:
    """What the parser makes of a paper. `unused_figures` stand in no question's space."""

    title: str | None
    subject: str | None
    language: str | None
    level: str | None
    questions: list[Question]
    coverage: Coverage
    issues: list[Issue]
    template: str
    resources: list[Resource] = field(default_factory=list)
    unused_figures: list[Figure] = field(default_factory=list)
    produced_by: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Structure:
    """Where questions, sections and the key begin."""

    chain: list[Candidate]
    headings: list[Heading]
    closings: list[int]
    key_start: int | None
    score: float


def parse_paper(
    layouts: Sequence[PageLayout],
    template: str = "auto",
    answers: Sequence[PageLayout] = (),
    paper_id: str = "paper",
) -> ParsedPaper:
    """Parse a paper.

    Args:
        layouts: its pages in order.
        template: a template's name, a path to one, or `auto` to pick by evidence.
        answers: pages of a separate key file.
        paper_id: prefix of the questions' ids.

    Raises:
        TemplateError: the named template does not exist or does not validate.
    """
    pages = unfold_all(mark_repeated(layouts))
    language = detect_language(build_flow(pages))
    pages, left_out = keep_language(pages, language)
    flow = take_margin_marks(build_flow(pages))
    chosen = _choose_template(template, flow, language)
    structure = _structure(flow, chosen)
    headed = with_headings(pages) if is_chapter(flow) else pages
    resources = read_chapter(headed, build_flow(headed), paper_id)
    drafts = [] if resources else _drafts(flow, structure, chosen)
    key_flow = [line for line in flow if structure.key_start is not None and line.index >= structure.key_start]
    entries = read_key(key_flow, chosen)
    for page_flow in [build_flow(mark_repeated(answers))] if answers else []:
        entries.extend(read_key(page_flow, chosen))
    issues = apply_key(drafts, entries, chosen) if entries else []
    question_flow = [line for line in flow if structure.key_start is None or line.index < structure.key_start]
    unused = _bind(pages, question_flow, key_flow, drafts, chosen)
    for draft in drafts:
        draft.issues = check_question(draft, chosen)
    formula_issues = doubt_formulas(drafts, flow)
    coverage, section_issues = _coverage(drafts, pages)
    issues = [*left_out, *_paper_issues(drafts, unused, pages, resources), *section_issues, *formula_issues, *issues]
    title = find_title(pages, flow, structure.chain[0].line if structure.chain else None)
    return ParsedPaper(
        title=title,
        subject=detect_subject(title, flow),
        language=language,
        level=None,
        questions=[question_record(d, paper_id) for d in drafts],
        coverage=coverage,
        issues=issues,
        template=chosen.name,
        resources=resources,
        unused_figures=[] if resources else unused,
        produced_by={"parser": "rules", "template": chosen.name, "template_score": round(structure.score, 1)},
    )


def _choose_template(name: str, flow: Sequence[FlowLine], language: str | None) -> Template:
    """The named template, or of those in the paper's language the one whose patterns find the most evidence."""
    if name != "auto":
        return load_template(name)
    templates = [load_template(n) for n in template_names()]
    spoken = [t for t in templates if t.language == language]
    return max(spoken or templates, key=lambda t: _structure(flow, t).score)


def _structure(flow: Sequence[FlowLine], template: Template) -> _Structure:
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
    return _Structure(chain, headings, closings, key_start, score)


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


def _drafts(flow: Sequence[FlowLine], structure: _Structure, template: Template) -> list[Draft]:
    """One draft a chain member, its lines up to the next question, heading or the key."""
    chain, headings = structure.chain, structure.headings
    end = structure.key_start if structure.key_start is not None else len(flow)
    directions = find_directions(flow, chain, template)
    starts = sorted({c.line for c in chain} | {h.line for h in headings} | {d.line for d in directions} | {end})
    rules = stated_rules(flow[: chain[0].line], template) if chain else {}
    sections = [(line, with_rules(s, rules)) for line, s in _sections(flow, chain, headings, template)]
    drafts = []
    for candidate in chain:
        stop = next(s for s in starts if s > candidate.line) if candidate.line < end else end
        stop = next((c + 1 for c in structure.closings if candidate.line <= c < stop), stop)
        section = next((s for line, s in reversed(sections) if line <= candidate.line), NO_SECTION)
        drafts.append(draft_question(candidate, flow[candidate.line : stop], section, template))
        if is_inferred(candidate):
            message = f"Question {candidate.label}: its number was not read; it stands between its neighbours."
            drafts[-1].issues.append(Issue(code="number.inferred", field="number", message=message))
    apply_directions(flow, directions, drafts, starts, template)
    return drafts


def _sections(
    flow: Sequence[FlowLine], chain: Sequence[Candidate], headings: Sequence[Heading], template: Template
) -> list[tuple[int, Section]]:
    """Sections with the flow line they begin at. A heading over other headings (第Ⅰ卷) lends them its rules."""
    out: list[tuple[int, Section]] = []
    for heading in headings:
        following = [c.line for c in chain if c.line > heading.line]
        following += [h.line for h in headings if h.line > heading.line]
        stop = min(following, default=heading.line + 1)
        out.append((heading.line, read_section(heading, flow[heading.line : stop], len(out) + 1, template)))
    return out


def _bind(
    pages: Sequence[PageLayout],
    question_flow: Sequence[FlowLine],
    key_flow: Sequence[FlowLine],
    drafts: Sequence[Draft],
    template: Template,
) -> list[Figure]:
    """Bind the figures that stand before the key; what stands in the key belongs to solutions."""
    unused = bind_figures(pages, [*question_flow, *key_flow], drafts, template)
    if not key_flow:
        return unused
    first = key_flow[0]
    return [f for f in unused if (f.page, f.bbox[1]) < (first.page, first.box.y0)]


def _coverage(drafts: Sequence[Draft], pages: Sequence[PageLayout]) -> tuple[Coverage, list[Issue]]:
    coverage, issues = Coverage(), []
    for _, group in groupby(drafts, key=lambda d: d.section.index):
        members = list(group)
        covered, found = cover_section(members[0].section, members)
        coverage.sections.append(covered)
        issues.extend(found)
    coverage.residual_ink = {str(p.number): round(p.residual_ink, 4) for p in pages}
    return coverage, issues


def _paper_issues(
    drafts: Sequence[Draft], unused: Sequence[Figure], pages: Sequence[PageLayout], resources: Sequence[Resource]
) -> list[Issue]:
    issues = []
    if not drafts and not resources and any(p.kind != "blank" for p in pages):
        message = "No question was found. If this is an exam paper, try another --template."
        issues.append(Issue(code="questions.none", severity="error", message=message))
    for figure in unused if drafts else []:
        message = f"Figure {figure.id} on page {figure.page} stands in no question's space."
        issues.append(
            Issue(code="figure.unassigned", field="figures", message=message, page=figure.page, bbox=figure.bbox)
        )
    return issues


__all__ = ["KeyEntry", "ParsedPaper", "parse_paper"]
