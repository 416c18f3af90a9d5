"""Keys and solutions that come after their paper, joined to stored questions by section, number and content.

What a question has already stays; what differs is an issue with both. Nothing is joined by position alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from layout.furniture import mark_repeated
from layout.types import PageLayout
from parse_templates.draft import CHOICE, Draft
from parse_templates.flow import build_flow
from parse_templates.key_files import KeyRow
from parse_templates.keys import KeyEntry, find_key_start, read_key
from parse_templates.later_matching import LaterKey, Match, draft_of, find_question, piece_of, scheme_questions
from parse_templates.matching import apply_entry
from parse_templates.parts import PartPieces
from parse_templates.solutions import split_solution
from parse_templates.structure import template_for_key
from parse_templates.template import Template
from parse_templates.to_records import CERTAINTY, RAW_LIMIT
from parse_templates.unfold import unfold_all
from wholepage.records import Evidence, Issue, Paper, Part, Question
from wholepage.verification import protected

SUSPECT = 3  # answers that can be compared before a key is said to be another paper's
Outcome = Literal["filled", "confirmed", "conflict", "kept", "unmatched", "nothing"]


@dataclass
class KeyReport:
    """What became of a key's entries: for each its number, the outcome and in words why."""

    file: str
    lines: list[tuple[str, Outcome, str]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Entries by outcome."""
        counted = Counter(outcome for _, outcome, _ in self.lines)
        return {name: counted[name] for name in ("filled", "confirmed", "conflict", "kept", "unmatched")}


def key_from_pages(file: str, sha256: str, layouts: Sequence[PageLayout], template: Template) -> LaterKey:
    """A key read from its pages. A paper with its key behind it is cut there, so that both are read."""
    flow = build_flow(mark_repeated(unfold_all(layouts)))
    template = template_for_key(template, flow)
    start = find_key_start(flow, template, 0)
    halves = [flow] if start is None else [flow[:start], flow[start:]]
    return LaterKey(file, sha256, [e for half in halves for e in read_key(half, template)], template=template)


def key_from_rows(file: str, sha256: str, rows: Sequence[KeyRow]) -> LaterKey:
    """A key from a JSON or CSV file."""
    entries, answers, labels, solutions = [], {}, {}, {}
    for n, row in enumerate(rows):
        text = "；".join(row.answers)
        digits = re.match(r"\d+", row.number)
        entries.append(KeyEntry(row.section, int(digits[0]) if digits else 0, text, (piece_of(text),), 0))
        answers[n], labels[n], solutions[n] = row.answers, row.number, row.solution
    return LaterKey(file, sha256, entries, answers, labels, solutions)


def apply_later_key(paper: Paper, key: LaterKey, template: Template) -> KeyReport:
    """Fill answers and solutions of `paper` from `key`; conflicts and entries that fit no question become issues.

    Issues of an earlier run of the same key are replaced. Fields that a person verified stay as they are.
    """
    _forget(paper, key)
    template = key.template or template
    report = KeyReport(key.file)
    schemes = scheme_questions(paper, key)
    found = [Match(n, e, *find_question(paper, key, n, e, template, schemes)) for n, e in enumerate(key.entries)]
    if _other_paper(found, paper, key, template):
        message = f"The key {key.file} contradicts most of the printed answers: it belongs to another paper."
        paper.issues = [*paper.issues, _issue(key, "key.other_paper", "error", message)]
        why = "the key belongs to another paper"
        found = [m if m.by_content else Match(m.index, m.entry, None, why) for m in found]
    for match in found:
        label = key.labels.get(match.index, str(match.entry.number))
        if match.question is None:
            if match.why:
                report.lines.append((label, "unmatched", match.why))
                _list_unmatched(paper, key, match, label)
            continue
        outcome, why = _fill(match.question, match, key, template)
        if outcome != "nothing":
            report.lines.append((label, outcome, why))
    return report


def _other_paper(found: Sequence[Match], paper: Paper, key: LaterKey, template: Template) -> bool:
    """Whether most of the answers that can be compared differ, where nothing but numbers joins them."""
    compared = differing = 0
    for match in found:
        if match.question is None or match.by_content or not match.question.answer:
            continue
        given = _answered(match.question, match, key, template).answer
        if given:
            compared += 1
            differing += not same_answer(given, match.question.answer)
    return compared >= SUSPECT and differing > compared / 2


def _fill(question: Question, match: Match, key: LaterKey, template: Template) -> tuple[Outcome, str]:
    """Put an entry's answer and solution into its question."""
    draft = _answered(question, match, key, template)
    solution = key.solutions.get(match.index, "") or draft.solution_text
    if not draft.answer and not solution:
        return "nothing", ""
    origin = "key_file" if key.as_data else "key"
    if protected(question, ["answer"]):
        if draft.answer and question.answer and not same_answer(draft.answer, question.answer):
            return "conflict", _conflict(question, draft, key)
        return "kept", "a person verified the answer"
    if draft.answer and question.answer and not same_answer(draft.answer, question.answer):
        return "conflict", _conflict(question, draft, key)
    filled = False
    if draft.answer and not question.answer:
        question.answer = draft.answer
        _copy_part_answers(question.parts, draft.parts)
        _note(question, "answer", match.entry, key, origin)
        filled = True
    if solution and not question.solution and not protected(question, ["solution"]):
        question.solution = solution
        _note(question, "solution", match.entry, key, origin)
        filled = True
    return ("filled", ", ".join(question.answer)[:40]) if filled else ("confirmed", ", ".join(question.answer)[:40])


def _conflict(question: Question, draft: Draft, key: LaterKey) -> str:
    said = f"the answer {' '.join(question.answer)} and the key's {' '.join(draft.answer)} differ"
    message = f"Question {question.number}: {said} (key {key.file})."
    question.issues = [*question.issues, _issue(key, "key.contradicts_answer", "error", message)]
    return said


def _answered(question: Question, match: Match, key: LaterKey, template: Template) -> Draft:
    """The question as a draft without answers, after the key's entry was applied to it."""
    draft = draft_of(question)
    apply_entry(draft, match.entry, template)
    rows = key.answers.get(match.index, ())
    if len(rows) > 1 and not draft.parts and question.type not in CHOICE:
        draft.answer = list(rows)
    inline = split_solution(match.entry.pieces, template)
    if inline.solution and (draft.has_options or question.type in CHOICE):
        draft.solution = list(inline.solution)
    return draft


def _copy_part_answers(parts: Sequence[Part], given: Sequence[PartPieces]) -> None:
    for part, own in zip(parts, given, strict=True):
        if not part.answer:
            part.answer = list(own.answer)
        _copy_part_answers(part.parts, own.parts)


def _note(question: Question, name: str, entry: KeyEntry, key: LaterKey, origin: str) -> None:
    """Evidence of a field that came from a key; its page is the key's own and no page of the paper."""
    lines = [p.at.line for p in entry.pieces if p.at.line is not None]
    read = min((line.confidence for line in lines), default=1.0)
    evidence = Evidence(raw=entry.text[:RAW_LIMIT], confidence=round(CERTAINTY["key"] * read, 3), origin=origin)
    evidence.file = key.file  # type: ignore[attr-defined]
    if entry.page:
        evidence.key_page = entry.page  # type: ignore[attr-defined]
    question.evidence = {**question.evidence, name: evidence}
    question.confidence = round(min(e.confidence for e in question.evidence.values()), 3)


def same_answer(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two answers read the same, spacing, width of characters and the dollar signs of formulas aside."""
    return _plain(a) == _plain(b)


def _plain(answers: Sequence[str]) -> str:
    text = unicodedata.normalize("NFKC", ";".join(answers)).replace("−", "-")
    text = re.sub(r"\\(?:left|right|,|;|!|dfrac|tfrac)", lambda m: "\\frac" if "frac" in m[0] else "", text)
    return re.sub(r"[\s$]+", "", text).strip(".。;,").casefold().replace("，", ",").replace("；", ";")


def _list_unmatched(paper: Paper, key: LaterKey, match: Match, label: str) -> None:
    where = f" under {match.entry.section}" if match.entry.section else ""
    message = f"The entry {label}{where} ({match.entry.text[:30]}) of the key {key.file} fits no question: {match.why}."
    paper.issues = [*paper.issues, _issue(key, "key.unmatched", "warning", message)]


def _issue(key: LaterKey, code: str, severity: Literal["error", "warning"], message: str) -> Issue:
    return Issue(code=code, severity=severity, field="answer", message=message, key=key.sha256)


def _forget(paper: Paper, key: LaterKey) -> None:
    """Drop the issues that an earlier run of this key left."""
    paper.issues = [i for i in paper.issues if (i.model_extra or {}).get("key") != key.sha256]
    for question in paper.questions:
        question.issues = [i for i in question.issues if (i.model_extra or {}).get("key") != key.sha256]
