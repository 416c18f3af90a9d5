"""Checks of a stored paper as a whole: numbers and marks of its sections against what these state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from wholepage.records import Issue, Paper, Question, SectionCoverage

MAX_LISTED = 12


def paper_issues(paper: Paper) -> list[Issue]:
    """Issues of the paper; its coverage is brought up to date with its questions."""
    return [*_none(paper), *_repeated(paper), *(i for s, qs in _sections(paper) for i in _section(s, qs))]


def _none(paper: Paper) -> list[Issue]:
    if paper.questions or paper.resources or all(p.kind == "blank" for p in paper.pages):
        return []
    message = "No question was found. If this is an exam paper, try another --template."
    return [Issue(code="questions.none", severity="error", message=message)]


def _repeated(paper: Paper) -> list[Issue]:
    """Numbers that stand twice under one section; their ids would name two questions."""
    counts = Counter(q.id for q in paper.questions)
    issues = []
    for question in {q.id: q for q in paper.questions if counts[q.id] > 1}.values():
        where = question.section or "the paper"
        message = f"{where}: the number {question.number} stands {counts[question.id]} times."
        issues.append(Issue(code="number.repeated", severity="error", field="number", message=message))
    return issues


def _index(question: Question) -> str:
    """The section index in a question's id."""
    return question.id.rpartition("/")[2].partition(".")[0]


def _sections(paper: Paper) -> list[tuple[SectionCoverage, list[Question]]]:
    """Each section's coverage with its questions: by name, or by order where names repeat."""
    covered = paper.coverage.sections
    names = [s.section for s in covered]
    if len(set(names)) == len(names):
        return [(s, [q for q in paper.questions if q.section == s.section]) for s in covered]
    groups: dict[str, list[Question]] = {}
    for question in paper.questions:
        groups.setdefault(_index(question), []).append(question)
    return list(zip(covered, groups.values(), strict=False)) if len(groups) == len(covered) else []


def _section(section: SectionCoverage, questions: Sequence[Question]) -> list[Issue]:
    name = section.section or "the paper"
    numbers = {int(m[0]) for q in questions if (m := re.match(r"\d+", q.number))}
    expected = [n for n in section.expected if n.isdigit()]
    gaps = [n for n in expected if int(n) not in numbers]
    points = [q.points for q in questions]
    known = [p for p in points if p is not None]
    section.found = [q.number for q in questions]
    section.gaps = gaps
    section.points_summed = sum(known) if questions and len(known) == len(points) else None
    issues = []
    if gaps:
        listed = ", ".join(gaps[:MAX_LISTED]) + (" …" if len(gaps) > MAX_LISTED else "")
        message = f"{name}: not found: {listed}."
        issues.append(Issue(code="number.gap", severity="error", field="number", message=message))
    stated, summed = section.points_stated, section.points_summed
    if summed is not None and stated is not None and abs(summed - stated) > 0.01:
        message = f"{name} states {stated:g} points in all, its questions add up to {summed:g}."
        issues.append(Issue(code="points.sum_mismatch", field="points", message=message))
    return issues
