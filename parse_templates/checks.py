"""Doubts about what was parsed: one function a kind; docs/issues.md lists the codes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parse_templates.draft import CHOICE, Draft
from parse_templates.sections import Section
from parse_templates.suspicions import suspect
from parse_templates.template import Template
from wholepage.records import Issue, SectionCoverage

MAX_LISTED = 12


def check_question(draft: Draft, template: Template) -> list[Issue]:
    """Issues of one question."""
    found = [*draft.issues]
    for check in (_stem, _options, _answer, _figures):
        found.extend(check(draft, template))
    return [*found, *suspect(draft, template)]


def _stem(draft: Draft, template: Template) -> list[Issue]:
    if draft.stem_text.strip() or draft.parts:
        return []
    message = f"Question {draft.label} has no text."
    return [Issue(code="stem.empty", severity="error", field="stem", message=message)]


def _options(draft: Draft, template: Template) -> list[Issue]:
    if draft.type not in CHOICE:
        return []
    labels = [label for label, _ in draft.options]
    expected = [chr(ord("A") + i) for i in range(max((ord(label) - 64 for label in labels), default=0))]
    missing = [label for label in expected if label not in labels]
    if len(labels) < 3 or missing:
        said = f"options {', '.join(labels)}" if labels else "no options"
        message = f"Question {draft.label}: {said} found{'; missing ' + ', '.join(missing) if missing else ''}."
        return [Issue(code="options.incomplete", severity="error", field="options", message=message)]
    pictured = {f.placement for f in draft.figures}
    blank = [
        label
        for label, pieces in draft.options
        if not any(p.text.strip() for p in pieces) and f"option:{label}" not in pictured
    ]
    if blank:
        message = f"Question {draft.label}: nothing read for option {', '.join(blank)}."
        return [Issue(code="options.empty", severity="error", field="options", message=message)]
    return []


def _answer(draft: Draft, template: Template) -> list[Issue]:
    if draft.type not in CHOICE or not draft.answer or not draft.options:
        return []
    labels = {label for label, _ in draft.options}
    answer = draft.answer[0]
    if set(answer) <= labels and (draft.type == "multi_select" or len(answer) == 1):
        return []
    message = f"Question {draft.label}: the answer {answer!r} is not one of the options {''.join(sorted(labels))}."
    return [Issue(code="answer.not_an_option", severity="error", field="answer", message=message)]


def _figures(draft: Draft, template: Template) -> list[Issue]:
    if draft.figures or not template.mentions_figure:
        return []
    texts = [draft.stem_text, *("".join(p.text for p in part.pieces) for part in draft.parts)]
    match = next((m for t in texts if (m := re.search(template.mentions_figure, t))), None)
    if match is None or any(piece.at.table is not None for piece in draft.stem):
        return []
    message = f"Question {draft.label} mentions a figure ({match.group().strip()}), and none was found for it."
    return [Issue(code="figure.mentioned_but_missing", field="figures", message=message)]


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
