"""What the model parser adds to records: agreement, corrections, doubts about figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rapidfuzz.distance import Levenshtein

from parse_templates.draft import Draft
from parse_templates.model.corrections import Correction, Mended
from parse_templates.model.lines import Book
from parse_templates.model.readings import Reading
from parse_templates.to_records import RAW_LIMIT, WARNING_CONFIDENCE
from wholepage.records import Evidence, Issue, Question

AGREED = 0.3  # of its doubt that a field keeps when two parsers read the same
PARSERS = ["rules", "model"]


def mark_agreement(question: Question, agreed: Collection[str]) -> None:
    """Raise the confidence of fields on which both parsers agree and that nothing else casts doubt on."""
    doubted = {i.field or "stem" for i in question.issues}
    for name in sorted(agreed):
        evidence = question.evidence.get(name)
        if evidence is None or name in doubted:
            continue
        evidence.confidence = round(1 - (1 - evidence.confidence) * AGREED, 3)
        evidence.agreed_by = PARSERS  # type: ignore[attr-defined]
    _settle(question)


def mark_figures(question: Question, reading: Reading, known: Collection[str], agreed: set[str]) -> None:
    """A doubt where the model gives other figures to a question than those that stand in its space."""
    mine = {f.id for f in question.figures if "-f" in f.id}
    theirs = reading.figures & set(known)
    if mine == theirs and "figures" not in reading.refused:
        agreed |= {"figures"} if mine else set()
        return
    said = ", ".join(sorted(mine)) or "none", ", ".join(sorted(theirs)) or "none"
    message = (
        f"Question {question.number}, figures: the rules gave it {said[0]}, the model {said[1]}; the rules' were taken."
    )
    question.issues = [*question.issues, Issue(code="parser.differ", field="figures", message=message)]
    evidence = question.evidence.setdefault("figures", Evidence())
    evidence.confidence = min(evidence.confidence, WARNING_CONFIDENCE)
    _settle(question)


def _settle(question: Question) -> None:
    question.confidence = round(min((e.confidence for e in question.evidence.values()), default=0.0), 3)


def mark_corrections(question: Question, fields: Mapping[str, Mended]) -> None:
    """Keep what was read before a correction as the evidence, with the similarity of the text that it became."""
    for name, mended in fields.items():
        evidence = question.evidence.get(name)
        if evidence is None:
            continue
        evidence.similarity = round(Levenshtein.normalized_similarity(mended.raw, evidence.raw), 4)
        evidence.raw = mended.raw[:RAW_LIMIT]


def correction_issues(draft: Draft | None, name: str, what: Mended | Correction, book: Book) -> list[Issue]:
    """An issue for each correction: applied ones to be looked at, others with both readings or, when far, with one.

    A text that is far from what is printed is not repeated: it may be anything.
    """
    items = what.corrections if isinstance(what, Mended) else [what]
    out = []
    for item in items:
        line = book.lines[item.place.line]
        own = item.place.line < book.count
        where = f"Question {draft.label}, {name}" if draft is not None else f"Page {line.page}"
        if item.applied:
            again = f", and {item.confirmed} agrees" if item.confirmed else ""
            code, said = "text.corrected", f"{item.old!r} was read, {item.new!r} was put in its place{again}"
        elif item.reason in ("too far", "two corrections differ", "tables are not corrected"):
            code, said = "correction.refused", f"a correction of {item.old[:40]!r} was refused: {item.reason}"
        else:
            code = "correction.doubtful"
            said = f"{item.old!r} was read; the model would have {item.new!r}, which was not applied: {item.reason}"
        page = line.page if own else None
        out.append(Issue(code=code, field=name, message=f"{where}: {said}.", page=page))
    return out
