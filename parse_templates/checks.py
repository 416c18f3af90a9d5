"""Doubts about what was just parsed. The checks of a question are those of stored records; see checks_run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parse_templates.checks_context import Context
from parse_templates.checks_structure import (
    answer_not_an_option,
    figure_missing,
    figure_not_mentioned,
    options_empty,
    options_incomplete,
    parts_gap,
    stem_empty,
)
from parse_templates.checks_text import text_garbled
from parse_templates.draft import Draft
from parse_templates.sections import Section
from parse_templates.template import Template
from parse_templates.to_records import question_record
from wholepage.records import Issue, SectionCoverage

MAX_LISTED = 12
WHILE_PARSING = (
    stem_empty, options_incomplete, options_empty, answer_not_an_option, figure_missing, text_garbled,
    figure_not_mentioned, parts_gap,
)  # fmt: skip


def check_question(draft: Draft, template: Template) -> list[Issue]:
    """Issues of one question: those it has, and those that lower the confidence of what was read."""
    context = Context(template, template.language)
    record = question_record(draft, "paper")
    found = [issue for check in WHILE_PARSING for issue in check(record, context)]
    return [*draft.issues, *found, *_points(draft)]


def _points(draft: Draft) -> list[Issue]:
    """`points.unread`: no marks, though the section's heading, which no record keeps, speaks of some."""
    if draft.points is not None or not re.search(r"(?i)\bmarks?\b|\d\s*分", draft.section.text):
        return []
    message = f"Question {draft.label}: its section speaks of marks, and none were read for it."
    return [Issue(code="points.unread", field="points", message=message)]


def cover_section(section: Section, drafts: Sequence[Draft]) -> tuple[SectionCoverage, list[Issue]]:
    """Coverage of one section and its issues: gaps in the numbers, count and points against the heading."""
    numbers = [d.number for d in drafts]
    low, high = min(numbers), max(numbers)
    if section.count is not None and high - low + 1 < section.count <= high - low + 40:
        high = low + section.count - 1
    expected = list(range(low, high + 1))
    gaps = [n for n in expected if n not in numbers]
    known = [d.points for d in drafts if d.points is not None]
    summed = sum(known) if len(known) == len(drafts) else None
    name = section.name or "the paper"
    issues = []
    if gaps:
        listed = ", ".join(str(n) for n in gaps[:MAX_LISTED]) + (" …" if len(gaps) > MAX_LISTED else "")
        issues.append(
            Issue(code="number.gap", severity="error", field="number", message=f"{name}: not found: {listed}.")
        )
    if section.count is not None and len(drafts) > section.count:
        message = f"{name} states {section.count} questions, {len(drafts)} were found."
        issues.append(Issue(code="number.too_many", severity="error", field="number", message=message))
    if summed is not None and section.total is not None and abs(summed - section.total) > 0.01:
        message = f"{name} states {section.total:g} points in all, its questions add up to {summed:g}."
        issues.append(Issue(code="points.sum_mismatch", field="points", message=message))
    coverage = SectionCoverage(
        section=section.name,
        expected=[str(n) for n in expected],
        found=[d.label for d in drafts],
        gaps=[str(n) for n in gaps],
        points_stated=section.total,
        points_summed=summed,
    )
    return coverage, issues
