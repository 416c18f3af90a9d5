"""The rule parser: page layouts and a template in, questions with coverage and doubts out. No model is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from layout.furniture import mark_repeated
from layout.types import PageLayout
from parse_templates.binding import bind_figures, unassigned
from parse_templates.checks import check_question, cover_section
from parse_templates.describe import detect_language, detect_subject, find_title
from parse_templates.draft import Draft, draft_question
from parse_templates.extra_fields import add_fields
from parse_templates.flow import FlowLine, build_flow
from parse_templates.formulas import doubt_formulas
from parse_templates.gaps import is_inferred
from parse_templates.keys import KeyEntry, read_key
from parse_templates.languages import keep_language
from parse_templates.margin import take_margin_marks
from parse_templates.matching import apply_key
from parse_templates.numbering import Candidate
from parse_templates.sections import NO_SECTION, Heading, Section, read_section, stated_rules, with_rules
from parse_templates.shared import apply_directions, find_directions
from parse_templates.structure import Structure, choose_template, find_structure
from parse_templates.template import Template
from parse_templates.textbook import is_chapter, read_chapter, with_headings
from parse_templates.to_records import question_record
from parse_templates.unfold import unfold_all
from wholepage.records import Coverage, Figure, Issue, Question, Resource


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
class Prepared:
    """A paper before its questions are taken apart: pages, flow, template, and where things begin.

    `answers` are the lines of a separate key file, with indices of their own.
    """

    pages: list[PageLayout]
    flow: list[FlowLine]
    template: Template
    structure: Structure
    language: str | None
    left_out: list[Issue]
    answers: list[FlowLine]

    @property
    def key_flow(self) -> list[FlowLine]:
        """Lines of the key at the paper's end."""
        start = self.structure.key_start
        return [line for line in self.flow if start is not None and line.index >= start]

    @property
    def question_flow(self) -> list[FlowLine]:
        """Lines before the key."""
        start = self.structure.key_start
        return [line for line in self.flow if start is None or line.index < start]


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
    return parse_prepared(prepare(layouts, template, answers), paper_id)


def parse_prepared(prepared: Prepared, paper_id: str = "paper") -> ParsedPaper:
    """Parse a paper that `prepare` made ready."""
    resources = find_resources(prepared, paper_id)
    drafts = [] if resources else rule_drafts(prepared)
    entries = key_entries(prepared)
    issues = apply_key(drafts, entries, prepared.template) if entries else []
    return finish(prepared, drafts, issues, resources, paper_id)


def prepare(layouts: Sequence[PageLayout], template: str = "auto", answers: Sequence[PageLayout] = ()) -> Prepared:
    """Flow, template and structure of a paper. Raises TemplateError as `parse_paper` does."""
    pages = unfold_all(mark_repeated(layouts))
    language = detect_language(build_flow(pages))
    pages, left_out = keep_language(pages, language)
    flow = take_margin_marks(build_flow(pages))
    key = build_flow(mark_repeated(answers)) if answers else []
    chosen = choose_template(template, flow, language, key)
    structure = find_structure(flow, chosen)
    return Prepared(pages, flow, chosen, structure, language, left_out, key)


def find_resources(prepared: Prepared, paper_id: str) -> list[Resource]:
    """What a textbook chapter holds; empty for a paper."""
    rules = prepared.template.chapter
    if rules is None or not is_chapter(prepared.flow, rules):
        return []
    headed = with_headings(prepared.pages, rules)
    return read_chapter(headed, build_flow(headed), paper_id, rules)


def key_entries(prepared: Prepared) -> list[KeyEntry]:
    """Entries of the key behind the questions, then those of a separate key file."""
    entries = read_key(prepared.key_flow, prepared.template)
    if prepared.answers:
        entries.extend(read_key(prepared.answers, prepared.template))
    return entries


def finish(
    prepared: Prepared,
    drafts: list[Draft],
    issues: Sequence[Issue],
    resources: list[Resource],
    paper_id: str,
) -> ParsedPaper:
    """Bind figures, check, and make records; `issues` are those of the paper that are known by now."""
    pages, flow, chosen, structure = prepared.pages, prepared.flow, prepared.template, prepared.structure
    unused = _bind(pages, prepared.question_flow, prepared.key_flow, drafts, chosen)
    for draft in drafts:
        draft.issues = check_question(draft, chosen)
    formula_issues = doubt_formulas(drafts, flow)
    coverage, section_issues = _coverage(drafts, pages)
    found = _paper_issues(drafts, unused, pages, resources)
    title = find_title(pages, flow, structure.chain[0].line if structure.chain else None)
    return ParsedPaper(
        title=title,
        subject=detect_subject(title, flow),
        language=prepared.language,
        level=None,
        questions=[_record(d, paper_id, chosen) for d in drafts],
        coverage=coverage,
        issues=[*prepared.left_out, *found, *section_issues, *formula_issues, *issues],
        template=chosen.name,
        resources=resources,
        unused_figures=[] if resources else unused,
        produced_by={"parser": "rules", "template": chosen.name, "template_score": round(structure.score, 1)},
    )


def _record(draft: Draft, paper_id: str, template: Template) -> Question:
    record = question_record(draft, paper_id)
    add_fields(record, draft, template)
    return record


def rule_drafts(prepared: Prepared) -> list[Draft]:
    """One draft a chain member, its lines up to the next question, heading or the key."""
    flow, structure, template = prepared.flow, prepared.structure, prepared.template
    chain = structure.chain
    end = structure.key_start if structure.key_start is not None else len(flow)
    directions = find_directions(flow, chain, template)
    begins = [c.line for c in chain] + [h.line for h in structure.headings] + [d.line for d in directions]
    starts = sorted({*begins, end})
    sections = sections_of(prepared)
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


def sections_of(prepared: Prepared) -> list[tuple[int, Section]]:
    """Sections with the flow line that each begins at, in order, with what the instructions say of them."""
    flow, structure, template = prepared.flow, prepared.structure, prepared.template
    chain = structure.chain
    rules = stated_rules(flow[: chain[0].line], template) if chain else {}
    return [(line, with_rules(s, rules)) for line, s in _sections(flow, chain, structure.headings, template)]


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
    return [*issues, *(unassigned(unused) if drafts else [])]


__all__ = ["KeyEntry", "ParsedPaper", "Prepared", "parse_paper"]
