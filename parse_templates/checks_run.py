"""All checks over a stored paper: what they find replaces what they found before; doubts of the reading stay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from parse_templates.checks_codes import PAPER_CHECKS, QUESTION_CHECKS
from parse_templates.checks_context import Context, context_of
from parse_templates.checks_paper import paper_issues
from parse_templates.checks_structure import STRUCTURE
from parse_templates.checks_text import TEXT
from wholepage.records import Issue, Paper, Question


def question_issues(question: Question, context: Context) -> list[Issue]:
    """What all question checks say of one question."""
    return [found for check in (*STRUCTURE, *TEXT) for found in check(question, context)]


def check_paper(paper: Paper, folder: Path | None = None, duplicates: dict[str, list[Issue]] | None = None) -> None:
    """Run all checks and put their issues into the record in place of those of an earlier run.

    Args:
        paper: the record, which is changed.
        folder: the paper's folder, for its layouts and figures; None for a record without one.
        duplicates: issues by question id from a search over several papers; None keeps those of an earlier search.

    Raises:
        WorkspaceError: a stored layout is damaged.
    """
    context = context_of(paper, folder)
    kept = frozenset[str]() if duplicates is not None else frozenset({"duplicate.of", "duplicate.variant"})
    blind = frozenset({"text.not_on_page"}) if not context.pages else frozenset[str]()
    for question in paper.questions:
        found = [*question_issues(question, context), *(duplicates or {}).get(question.id, [])]
        question.issues = merged(question.issues, found, QUESTION_CHECKS - kept - blind)
    paper.issues = merged(paper.issues, paper_issues(paper), PAPER_CHECKS)


def merged(old: Sequence[Issue], found: Sequence[Issue], owned: frozenset[str]) -> list[Issue]:
    """Issues of codes that are not `owned` as they were, and of the others what was found now. An issue that was there
    already keeps its place in the list and the box on the page that the reading gave it; none stands twice."""
    fresh = list({(i.code, i.field, i.message): i for i in found}.values())
    out: list[Issue] = []
    for issue in old:
        if issue.code not in owned:
            out.append(issue)
            continue
        same = [i for i in fresh if i.code == issue.code and i.field == issue.field]
        match = next((i for i in same if i.message == issue.message), same[0] if same else None)
        if match is not None:
            fresh.remove(match)
            out.append(match.model_copy(update={"page": issue.page, "bbox": issue.bbox}))
    return [*out, *fresh]
