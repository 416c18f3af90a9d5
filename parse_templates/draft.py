"""A question in the making: pieces with their places, before they become a record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from parse_templates.alternatives import mark_alternatives, total_points, without_dividers
from parse_templates.captions import is_caption
from parse_templates.flow import FlowLine, Piece, cut, text_of, whole
from parse_templates.numbering import Candidate
from parse_templates.options import lost_letters, split_options
from parse_templates.parts import CIRCLED, PartPieces, all_pieces, plain_label, split_parts, trailing_points
from parse_templates.sections import Section, type_of
from parse_templates.solutions import answers_from, split_solution, verdict
from parse_templates.template import Template
from wholepage.records import Figure, Issue, QuestionType

BLANK = "____"
FULL_SET = 4  # options that a question of another section must have to be a choice
CHOICE: tuple[QuestionType, ...] = ("multiple_choice", "multi_select")
FINDS = re.compile(r"(?i)\b(?:find|calculate|determine|evaluate)\b|(?:^|[，。；：,;:\s并再])求(?!证)")
STEM_ASKS_SEVERAL = re.compile(r"[（(]\s*多选\s*[)）]|select all|choose (?:two|three|all)", re.I)


@dataclass(slots=True)
class Draft:
    """One question; `lines` are all its flow lines, `origin` says for a field where its value comes from."""

    label: str
    number: int
    section: Section
    lines: list[FlowLine]
    stem: list[Piece] = field(default_factory=list)
    options: list[tuple[str, list[Piece]]] = field(default_factory=list)
    parts: list[PartPieces] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    answer_pieces: list[Piece] = field(default_factory=list)
    solution: list[Piece] = field(default_factory=list)
    points: float | None = None
    type: QuestionType = "unknown"
    label_text: str | None = None
    figures: list[Figure] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    origin: dict[str, str] = field(default_factory=dict)

    @property
    def has_options(self) -> bool:
        """Whether options were found."""
        return bool(self.options)

    @property
    def stem_text(self) -> str:
        """Running text of the stem."""
        return text_of(self.stem)

    @property
    def solution_text(self) -> str:
        """Running text of the solution."""
        return text_of(self.solution)

    def blanks(self) -> int:
        """Number of blanks in stem and parts."""
        pieces = [*self.stem, *(p for part in _walk(self.parts) for p in part.pieces)]
        return sum(piece.text.count(BLANK) for piece in pieces)


def _walk(parts: Sequence[PartPieces]) -> list[PartPieces]:
    return [p for part in parts for p in (part, *_walk(part.parts))]


def draft_question(candidate: Candidate, lines: Sequence[FlowLine], section: Section, template: Template) -> Draft:
    """Take the lines of one question apart: number, marks, stem, options, parts, answer, solution."""
    draft = Draft(candidate.label, candidate.number, section, list(lines))
    pieces = [cut(whole(lines[0]), candidate.end), *(whole(line) for line in lines[1:])]
    pieces = _without_furniture([p for p in pieces if p.text.strip()], template)
    inline = split_solution(pieces, template)
    body = list(inline.question)
    head = _take_points(draft, body, template)
    _take_total(draft, body, template)
    stated = section.type_for(candidate.number)
    if stated == "fill_in_blank" and _worth_more(draft):
        # The heading of a later section was not read: marks of its own are not those of a blank.
        stated = None
        message = f"Question {draft.label} is worth more than those of {section.name}: a heading may be missing."
        draft.issues.append(Issue(code="section.doubtful", field="type", message=message))
    _take_structure(draft, body, stated, template)
    _take_part_points(draft, head, template)
    draft.solution = inline.solution
    draft.answer_pieces = inline.answer
    draft.type = decide_type(draft, stated, template)
    take_answer(draft, inline.answer, template)
    return draft


def _worth_more(draft: Draft) -> bool:
    each = draft.section.each
    return each is not None and draft.origin.get("points") == "question" and (draft.points or 0.0) >= 1.5 * each


def _without_furniture(pieces: list[Piece], template: Template) -> list[Piece]:
    patterns = [re.compile(p) for p in template.furniture]
    kept = [p for p in pieces if p.at.table is not None or not any(r.match(p.text) for r in patterns)]
    return [p for p in kept if p.at.table is not None or not is_caption(p.text, template)]


def _take_points(draft: Draft, body: list[Piece], template: Template) -> dict[str, float]:
    """Marks at the head of the question, else those its section states for each; returns those of single parts."""
    parts: dict[str, float] = {}
    if body and template.label and (label := re.match(template.label, body[0].text)):
        draft.label_text = label["t"].strip()
        body[0] = cut(body[0], label.end())
    if body:
        for pattern in template.points.question:
            match = re.search(pattern, body[0].text)
            if match:
                draft.points, draft.origin["points"] = float(match["p"]), "question"
                if template.points.parts:
                    found = re.finditer(template.points.parts, match.group())
                    parts = {plain_label(m["l"]): float(m["p"]) for m in found}
                if match.start() <= 2:
                    body[0] = cut(body[0], match.end())
                break
        if not body[0].text.strip():
            body.pop(0)
    stated = draft.section.marks_for(draft.number)
    if draft.points is None and stated is not None:
        draft.points, draft.origin["points"] = stated, "heading"
    return parts


def _take_total(draft: Draft, body: list[Piece], template: Template) -> None:
    """The total printed under the last part: [Total: 11]."""
    if not template.closes or not body or body[-1].at.table is not None:
        return
    match = re.search(template.closes, body[-1].text)
    if match:
        draft.points, draft.origin["points"] = float(re.findall(r"\d+", match.group())[-1]), "question"
        rest = cut(body[-1], 0, match.start())
        body[-1:] = [rest] if rest.text.strip() else []


def _take_structure(draft: Draft, body: list[Piece], stated: QuestionType | None, template: Template) -> None:
    """Options for choices, parts for the rest; a question of no stated type may have either."""
    whole_body = list(body)
    body, behind = without_dividers(body, template)
    options_fit = stated is None or stated in CHOICE or stated == "unknown"
    stem = body
    options: list[tuple[str, list[Piece]]] = []
    if options_fit:
        stem, options = split_options(body, template, lower_case=stated in CHOICE)
    elif stated == "open_ended" and not split_parts(body, template)[1]:
        # "Case study" or 非选择题 over a section does not keep a full set of options from being one.
        stem, options = split_options(body, template, lower_case=False)
        if len(options) < FULL_SET:
            stem, options = body, []
    parts_stem, parts = split_parts(body if not options else stem, template, behind)
    if options and stated not in CHOICE:
        # Letters that follow the first of several parts are choices inside a sub-question.
        all_stem, all_parts = split_parts(body, template)
        if all_parts and _inside_part(options, all_parts):
            parts_stem, parts, options = all_stem, all_parts, []
    if (options and stated in CHOICE) or _statements(parts_stem, parts):
        parts_stem, parts = stem, []
    draft.stem, draft.options, draft.parts = list(parts_stem), options, parts
    if lost := lost_letters(options, body, template):
        message = f"Question {draft.label}: the letter of option {', '.join(lost)} was not read; its place tells it."
        draft.issues.append(Issue(code="options.inferred", field="options", message=message))
    if behind and not (mark_alternatives(parts, behind) and text_of(parts_stem)):
        # Nothing stands before the alternatives: the stem is all that is printed, the parts are its two sides.
        draft.stem = whole_body


def _statements(stem: Sequence[Piece], parts: Sequence[PartPieces]) -> bool:
    """Statements ①②③ that one blank behind the last of them asks to choose from: "其中正确的是____"."""
    if not parts or any(part.label not in CIRCLED or part.parts for part in parts):
        return False
    blanks = [sum(p.text.count(BLANK) for p in part.pieces) for part in parts]
    return not any(p.text.count(BLANK) for p in stem) and not any(blanks[:-1]) and blanks[-1] == 1


def _inside_part(options: list[tuple[str, list[Piece]]], parts: list[PartPieces]) -> bool:
    """Options that follow the first part belong to a sub-question."""
    first = next((p.at.index for _, pieces in options for p in pieces), None)
    part = next((p.at.index for part in parts for p in part.pieces), None)
    return first is not None and part is not None and part <= first


def _take_part_points(draft: Draft, head: dict[str, float], template: Template) -> None:
    """Marks of parts: at their ends, in the margin, or from the question's head; their sum where nothing else is said.

    Marks in the margin of a question's own text are the question's.
    """
    for part in _walk(draft.parts):
        margin = [p.at.marks for p in part.pieces if p.at.marks is not None]
        part.points = trailing_points(part.pieces, template.points.end)
        if part.points is None and margin and not part.parts:
            part.points = sum(margin)
    for part in draft.parts:
        if part.points is None:
            part.points = head.get(part.label)
    total = total_points(draft.parts)
    last = draft.stem if not draft.options else draft.options[-1][1]
    own = trailing_points(last, template.points.end)
    if draft.options:
        stem_end = trailing_points(draft.stem, template.points.end, plainly=True)
        own = own if stem_end is None else stem_end
        if stem_end is not None and draft.origin.get("points") == "heading":
            draft.points, draft.origin["points"] = stem_end, "question"
    margin = [line.marks for line in draft.lines if line.marks is not None]
    if own is not None and draft.points is None:
        total = own
    elif len(margin) == 1 and not _of_one_part(draft, margin[0]):
        draft.points, draft.origin["points"] = margin[0], "question"
    if draft.points is None and total:
        draft.points, draft.origin["points"] = total, "parts"


def _of_one_part(draft: Draft, mark: float) -> bool:
    """Whether the only mark in the margin is less than the section's heading gives, and is that of one of the parts."""
    stated = draft.points if draft.origin.get("points") == "heading" else None
    in_part = any(p.at.marks is not None for part in _walk(draft.parts) for p in part.pieces)
    return in_part and stated is not None and mark < stated


def decide_type(draft: Draft, stated: QuestionType | None, template: Template) -> QuestionType:
    """The section's type where it states one and the question does not contradict it, else what the question shows."""
    stem = draft.stem_text
    draft.origin["type"] = "heading" if stated is not None else "content"
    if stated in CHOICE:
        return "multi_select" if stated == "multiple_choice" and STEM_ASKS_SEVERAL.search(stem) else stated
    if draft.options and stated in (None, "open_ended"):
        draft.origin["type"] = "content"
        several = STEM_ASKS_SEVERAL.search(stem) or type_of(stem, template) == "multi_select"
        return "multi_select" if several else "multiple_choice"
    if stated is not None:
        return "proof" if stated == "open_ended" and _asks_for_proof(draft, template) else stated
    if draft.blanks() and not draft.parts:
        return "fill_in_blank"
    if _asks_for_proof(draft, template):
        return "proof"
    return "open_ended" if stem or draft.parts else "unknown"


def _asks_for_proof(draft: Draft, template: Template) -> bool:
    """Whether all that the question asks for are proofs."""
    if not template.proof:
        return False
    proof = re.compile(template.proof)
    if draft.parts:
        texts = ["".join(p.text for p in all_pieces(part)) for part in draft.parts]
        return all(proof.search(text) and not FINDS.search(text) for text in texts)
    return bool(proof.search(draft.stem_text))


def take_answer(draft: Draft, pieces: Sequence[Piece], template: Template) -> None:
    """The answer printed inside the question; without one, the letters that the solution names."""
    text = text_of(pieces)
    choice = draft.has_options or draft.type in CHOICE
    if text:
        draft.answer = answers_from(text, choice, draft.blanks())
        draft.origin["answer"] = "inline"
    if choice and draft.solution:
        named = verdict(draft.solution_text, template)
        if named and not draft.answer:
            draft.answer, draft.origin["answer"] = [named], "solution"
        elif named and draft.answer and named != draft.answer[0]:
            message = f"The printed answer is {draft.answer[0]}, the solution concludes {named}."
            draft.issues.append(
                Issue(code="key.contradicts_solution", severity="error", field="answer", message=message)
            )
