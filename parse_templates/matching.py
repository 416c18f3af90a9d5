"""Joining a key's entries to questions: by section and number, never by position alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from parse_templates.copies import reprints
from parse_templates.draft import CHOICE, Draft
from parse_templates.flow import cut, text_of
from parse_templates.keys import KeyEntry
from parse_templates.mark_schemes import answer_parts, assigned
from parse_templates.part_answers import answers_by_parts, says_nothing
from parse_templates.solutions import answers_from, letters, split_solution, verdict, without_remarks, without_steps
from parse_templates.template import Template
from wholepage.records import Issue

SHORT_ANSWER = 60  # characters; a longer entry is a worked solution


def apply_key(drafts: Sequence[Draft], entries: Sequence[KeyEntry], template: Template) -> list[Issue]:
    """Fill answers and solutions from `entries`; entries that fit no question are listed as issues."""
    issues = []
    schemes = fitting_schemes(drafts, entries)
    for n, entry in enumerate(entries):
        fitting = schemes[n] if n in schemes else fitting_drafts(drafts, entry)
        if len(fitting) == 1:
            fitting[0].issues.extend(apply_entry(fitting[0], entry, template))
        else:
            why = "fits no question" if not fitting else f"fits {len(fitting)} questions"
            where = f" under {entry.section}" if entry.section else ""
            message = f"The key's entry {entry.number}{where} ({entry.text[:30]}) {why}."
            box = entry.pieces[0].box.as_list() if entry.pieces else None
            issues.append(
                Issue(
                    code="key.unmatched",
                    field="answer",
                    message=message,
                    page=entry.page,
                    bbox=tuple(box) if box else None,
                )
            )
    return issues


def fitting_drafts(drafts: Sequence[Draft], entry: KeyEntry) -> list[Draft]:
    """Questions that an entry may mean: those with its number, narrowed by section when numbers repeat."""
    same = [d for d in drafts if d.number == entry.number]
    if len(same) > 1 and entry.section:
        same = [d for d in same if ordinal(entry.section) in (ordinal(d.section.name or ""), ordinal(d.section.text))]
    return same


def fitting_schemes(drafts: Sequence[Draft], entries: Sequence[KeyEntry]) -> dict[int, list[Draft]]:
    """For each entry of a mark scheme (by index) the question that it answers, in a list that is empty for none."""
    marked = [n for n, entry in enumerate(entries) if entry.marked]
    paths = [(entries[n].number, [path for path, _ in entries[n].marked]) for n in marked]
    found = assigned(paths, [(d.number, d.parts) for d in drafts])
    return {n: [] if at is None else [drafts[at]] for n, at in zip(marked, found, strict=True)}


def ordinal(text: str) -> str:
    """What orders a section in its heading: 二, B, III."""
    match = re.match(
        r"\s*(?:section|part)?\s*[-–—:]?\s*([A-Za-z]{1,4}|[一二三四五六七八九十]{1,3}|\d{1,2})\b", text, re.I
    )
    return match[1].upper() if match else text.strip()[:3]


def apply_entry(draft: Draft, entry: KeyEntry, template: Template) -> list[Issue]:
    """Answer and solution of one question from its entry; an answer printed in the question itself stays."""
    if entry.marked and draft.parts and not draft.answer:
        return _apply_marked(draft, entry)
    inline = split_solution(entry.pieces, template)
    head = list(inline.question)
    if head:
        for pattern in template.points.question:
            match = re.match(pattern, head[0].text)
            if match:
                head[0] = cut(head[0], match.end())
                break
    if head and reprints(text_of(head), draft.stem_text):
        named = _filled_bracket(text_of(head)) if draft.has_options else ""
        head = [replace(head[0], text=named)] if named else []
    text = text_of(without_steps(inline.answer, template))
    if not text and (head or not inline.solution):
        text = text_of(without_steps(head, template))
    choice = draft.type in CHOICE or draft.has_options
    if choice:
        return _apply_choice(draft, entry, text, inline.solution or head, template)
    given, remarks = without_remarks(inline.answer or head, template)
    given = without_steps(given, template)
    text = text_of(given)
    if not draft.answer and answers_by_parts(draft, given, template):
        draft.solution = [*draft.solution, *(inline.solution or given), *remarks]
        return []
    short = bool(text) and len(text) <= SHORT_ANSWER and not says_nothing(text)
    parted = bool(draft.parts) and not inline.answer
    worked = [*inline.solution, *remarks] or (head if len(text) > SHORT_ANSWER or parted or says_nothing(text) else [])
    if worked:
        draft.solution = [*draft.solution, *worked]
    if inline.answer or (short and not parted):
        if not draft.answer:
            draft.answer, draft.origin["answer"] = answers_from(text, False, draft.blanks()), "key"
            draft.answer_pieces = list(given)
    elif text and not worked and not draft.answer:
        draft.answer, draft.origin["answer"] = [text], "key"
    return []


def _apply_marked(draft: Draft, entry: KeyEntry) -> list[Issue]:
    """Answers of a mark scheme under the labels of their parts; labels that the question lacks are listed."""
    lost = answer_parts(draft, entry.marked)
    draft.origin["answer"], draft.answer_pieces = "key", list(entry.pieces)
    named = "; ".join(text[:40] for text in lost)
    message = f"Question {draft.label}: the key answers parts that it does not have: {named}."
    return [Issue(code="key.unmatched", field="answer", message=message)] if lost else []


def _filled_bracket(text: str) -> str:
    """The letters that stand in a reprinted question's bracket, where the question itself has an empty one."""
    match = re.search(r"[（(]\s*([A-H]{1,6})\s*[)）]", text)
    return match[1] if match else ""


def _apply_choice(
    draft: Draft, entry: KeyEntry, text: str, worked: Sequence[object], template: Template
) -> list[Issue]:
    named = letters(text) or letters(re.split(r"[.．、:：;；。\s【(（]", text.strip(), maxsplit=1)[0])
    named = named or verdict(entry.text, template)
    if not named:
        message = f"Question {draft.label}: the key's entry ({text[:30]}) names no option."
        return [Issue(code="key.unreadable", severity="error", field="answer", message=message, page=entry.page)]
    if draft.answer and draft.answer != [named]:
        message = f"Question {draft.label}: the answer {draft.answer[0]} and the key's {named} differ."
        return [Issue(code="key.contradicts_answer", severity="error", field="answer", message=message)]
    if not draft.answer:
        draft.answer, draft.origin["answer"] = [named], "key"
        draft.answer_pieces = list(entry.pieces)
    if len(entry.text) > SHORT_ANSWER and not draft.solution:
        draft.solution = list(entry.pieces)
    return []
