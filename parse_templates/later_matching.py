"""Which stored question an entry of a later key answers: by the text it prints again, else by number and section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from parse_templates.checks_context import flat, walk
from parse_templates.draft import CHOICE, Draft
from parse_templates.flow import FlowLine, Piece, text_of
from parse_templates.keys import KeyEntry
from parse_templates.matching import fitting_schemes, ordinal
from parse_templates.parts import PartPieces
from parse_templates.sections import NO_SECTION, Section
from parse_templates.solutions import letters, split_solution
from parse_templates.template import Template
from wholepage.boxes import Box
from wholepage.records import Paper, Part, Question

REPRINT, OTHER = 10, 16  # letters from which text before an answer mark may be a question, and must be one
SAME_TEXT, LIKE_TEXT = 85.0, 70.0  # similarity (0-100) that joins by content alone, and that a number needs beside it
COMPARED = 160  # letters of a question that are compared


@dataclass(frozen=True)
class LaterKey:
    """A key: the file's name and digest, and its entries. `answers` holds those that rows state one by one; `template`
    is the one that its pages were read with."""

    file: str
    sha256: str
    entries: Sequence[KeyEntry]
    answers: dict[int, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    solutions: dict[int, str] = field(default_factory=dict)
    template: Template | None = None

    @property
    def as_data(self) -> bool:
        """Whether it is a JSON or CSV file."""
        return bool(self.labels)


@dataclass(frozen=True)
class Match:
    """An entry and the question it answers, or why it answers none; without both it says nothing."""

    index: int
    entry: KeyEntry
    question: Question | None
    why: str = ""
    by_content: bool = False


def find_question(
    paper: Paper,
    key: LaterKey,
    index: int,
    entry: KeyEntry,
    template: Template,
    schemes: dict[int, Question | None],
) -> tuple[Question | None, str, bool]:
    """The question that an entry answers: by parts it names, by text it prints again, else by number and section.

    Also why there is none, and whether it was found by more than its number.
    """
    if index in schemes:
        why = "" if schemes[index] else "no question of this number has the parts that it answers"
        return schemes[index], why, schemes[index] is not None
    return _by_text(paper, key, index, entry, template)


def _by_text(
    paper: Paper, key: LaterKey, index: int, entry: KeyEntry, template: Template
) -> tuple[Question | None, str, bool]:
    inline = split_solution(entry.pieces, template)
    again = flat(text_of(inline.question))[:COMPARED]
    marked = bool(inline.answer or inline.solution)
    label = key.labels.get(index, str(entry.number))
    same = _same_number(paper, label, entry)
    if marked and len(again) >= REPRINT:
        scored = sorted(((_likeness(again, q), n, q) for n, q in enumerate(paper.questions)), key=lambda s: -s[0])
        if scored and scored[0][0] >= SAME_TEXT:
            return scored[0][2], "", True
        if len(again) >= OTHER and not any(_likeness(again, q) >= LIKE_TEXT for q in same):
            return None, "the question it prints is none of this paper's", False
    elif not marked and any(_likeness(again, q) >= SAME_TEXT for q in paper.questions) and len(again) >= REPRINT:
        return None, "", False  # a question printed again, without an answer
    if not same:
        return None, "no question has this number", False
    if len(same) > 1:
        return None, f"{len(same)} questions have this number", False
    return _plausible(same[0], entry, paper, template)


def scheme_questions(paper: Paper, key: LaterKey) -> dict[int, Question | None]:
    """For each entry of a mark scheme, by index, the question whose parts it answers and that no other entry fits."""
    drafts = [draft_of(q) for q in paper.questions] if any(e.marked for e in key.entries) else []
    own = {id(draft): question for draft, question in zip(drafts, paper.questions, strict=False)}
    found = fitting_schemes(drafts, key.entries)
    return {n: own[id(fitting[0])] if fitting else None for n, fitting in found.items()}


def _same_number(paper: Paper, label: str, entry: KeyEntry) -> list[Question]:
    same = [q for q in paper.questions if q.number.lstrip("0") == label.lstrip("0")]
    if not same:
        same = [q for q in paper.questions if re.sub(r"\D.*", "", q.number).lstrip("0") == label.lstrip("0")]
    if len(same) > 1 and entry.section:
        same = [q for q in same if ordinal(entry.section) in (ordinal(q.section or ""), _index(q))] or same
    return same


def _index(question: Question) -> str:
    """The ordinal of a question's section as Chinese headings print it, from its id."""
    number = question.id.rpartition("/")[2].partition(".")[0]
    return "〇一二三四五六七八九十"[int(number)] if number.isdigit() and int(number) <= 10 else number


def _plausible(
    question: Question, entry: KeyEntry, paper: Paper, template: Template
) -> tuple[Question | None, str, bool]:
    """Whether an entry can be what answers the question of its number."""
    named = letters(entry.text)
    labels = {o.label for o in question.options}
    if named and labels and not set(named) <= labels:
        return None, f"it names {named}, and the options are {''.join(sorted(labels))}", False
    if named and not labels and question.type not in (*CHOICE, "unknown", "true_false"):
        return None, f"it names option {named}, and question {question.number} has none", False
    if named and question.type == "multiple_choice" and len(named) > 1:
        return None, f"it names {named}, and question {question.number} has one answer", False
    return question, "", False


def _likeness(again: str, question: Question) -> float:
    own = flat(
        " ".join([question.own_stem, *(o.text for o in question.options), *(p.text for p in walk(question.parts))])
    )
    if len(own) < REPRINT or not again:
        return 0.0
    return float(fuzz.partial_ratio(again, own[: 2 * COMPARED]))


def draft_of(question: Question) -> Draft:
    """A stored question as a draft: what it asks, without answers and without places on a page."""
    digits = re.match(r"\d+", question.number)
    index = question.id.rpartition("/")[2].partition(".")[0]
    section = Section(
        int(index) if index.isdigit() else 0, question.section, question.section or "", None, None, None, None
    )
    return Draft(
        question.number,
        int(digits[0]) if digits else 0,
        section if question.section else NO_SECTION,
        [],
        stem=[piece_of(question.own_stem)],
        options=[(o.label, [piece_of(o.text)]) for o in question.options],
        parts=[_part(p) for p in question.parts],
        type=question.type,
    )


def _part(part: Part) -> PartPieces:
    return PartPieces(part.label, [piece_of(part.text)], [_part(p) for p in part.parts])


def piece_of(text: str) -> Piece:
    """A piece with a text and no place."""
    box = Box(0, 0, 0, 0)
    return Piece(text, FlowLine(0, 1, text, box, 0, 0.0, False, 1.0), box)
