"""Two readings of one paper, the rules' and the model's: what is taken, what agrees, what becomes an issue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Literal

from parse_templates.checks import check_question
from parse_templates.draft import Draft, decide_type
from parse_templates.flow import text_of
from parse_templates.model.readings import Reading, plain
from parse_templates.parts import PartPieces
from parse_templates.template import Template
from wholepage.records import Issue

SHOWN = 60  # characters of a reading in a message
Mode = Literal["model", "both"]
Value = object
PIECE_FIELDS = ("stem", "options", "parts", "answer", "solution", "points")


@dataclass
class Combined:
    """The drafts of a paper; `agreed` names for each (by id) the fields on which both parsers agree."""

    drafts: list[Draft] = field(default_factory=list)
    agreed: dict[int, set[str]] = field(default_factory=dict)
    readings: dict[int, Reading] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)


def combine(
    mode: Mode,
    rules: Sequence[Draft],
    pairs: Sequence[tuple[Reading, Draft]],
    template: Template,
    looked_at: Callable[[int], bool],
) -> Combined:
    """Join the drafts of both parsers by the line of their number.

    `looked_at` says whether a line stood in a window that got a usable reply: of others the model said nothing.
    """
    out = Combined()
    by_line = {draft.lines[0].index: (reading, draft) for reading, draft in pairs if "number" not in reading.refused}
    _refused_numbers(pairs, rules, out)
    rules_fit = 2 * len(rules) >= len(by_line)
    alone = _in_sequence(
        [line for line in by_line if line not in {d.lines[0].index for d in rules}], rules, by_line, out
    )
    split = _splits(alone, rules, by_line)
    for draft in rules:
        line = draft.lines[0].index
        if line in by_line:
            reading, other = by_line[line]
            chosen: Mode = "model" if line in split else mode
            _join(chosen, draft, reading, other, template, out)
            if line in split:
                out.drafts[-1].lines = other.lines
        else:
            if looked_at(line):
                draft.issues.append(_issue("model.missed", "number", draft, "was found by the rules alone"))
            out.drafts.append(draft)
    for line in alone:
        reading, draft = by_line[line]
        owner = _owner(line, rules)
        if owner is not None and owner.lines[0].index not in split:
            message = f"Question {owner.label}: the model sees question {draft.label} begin inside it."
            owner.issues.append(Issue(code="parser.differ", field="number", message=message))
            continue
        _refused(reading, draft)
        if rules_fit:
            draft.issues.append(_issue("model.only", "number", draft, "was found by the model alone"))
        if "answer" in reading.refused:
            draft.answer, draft.answer_pieces = [], []
        out.drafts.append(draft)
        out.readings[id(draft)] = reading
    out.drafts.sort(key=lambda d: d.lines[0].index)
    return out


def _refused_numbers(pairs: Sequence[tuple[Reading, Draft]], rules: Sequence[Draft], out: Combined) -> None:
    for reading, draft in pairs:
        for reason in reading.refused.get("number", ())[:1]:
            first = draft.lines[0]
            message = f"A question that the model began with {first.text[:SHOWN]!r} is not believed: {reason}."
            issue = Issue(code="model.refused", field="number", message=message, page=first.page)
            owner = _owner(first.index, rules)
            if owner is not None:
                owner.issues.append(issue)
            else:
                out.issues.append(issue)


def _in_sequence(
    lines: Sequence[int], rules: Sequence[Draft], by_line: dict[int, tuple[Reading, Draft]], out: Combined
) -> list[int]:
    """Of the questions that the model alone saw those whose number has a place between the others of their section."""
    taken: dict[int, list[tuple[int, int]]] = {}
    for draft in rules:
        taken.setdefault(draft.section.index, []).append((draft.lines[0].index, draft.number))
    fitting = []
    for line in sorted(lines):
        draft = by_line[line][1]
        own = taken.setdefault(draft.section.index, [])
        before, behind = [n for at, n in own if at < line], [n for at, n in own if at > line]
        if (before and max(before) >= draft.number) or (behind and min(behind) <= draft.number):
            message = (
                f"Page {draft.lines[0].page}: the model sees a question {draft.label} where that number has no place."
            )
            issue = Issue(code="model.refused", field="number", message=message, page=draft.lines[0].page)
            owner = _owner(line, rules)
            (owner.issues if owner is not None else out.issues).append(issue)
            continue
        own.append((line, draft.number))
        fitting.append(line)
    return fitting


def _owner(line: int, rules: Sequence[Draft]) -> Draft | None:
    return next((d for d in rules if any(x.index == line for x in d.lines)), None)


def _splits(alone: Sequence[int], rules: Sequence[Draft], by_line: dict[int, tuple[Reading, Draft]]) -> set[int]:
    """Questions of the rules that hold a number which the model alone saw, and whose own reading by it is believed:
    the rules took two questions for one."""
    out = set()
    for line in alone:
        owner = _owner(line, rules)
        own = by_line.get(owner.lines[0].index) if owner is not None else None
        if owner is None or own is None or any(own[0].refused.get(n) for n in ("stem", "options", "parts")):
            continue
        reading = by_line[line][0]
        if not any(reading.refused.get(n) for n in ("stem", "options", "parts")):
            out.add(owner.lines[0].index)
    return out


def _join(mode: Mode, rule: Draft, reading: Reading, model: Draft, template: Template, out: Combined) -> None:
    """One question that both parsers found."""
    agreed = {"number"} if rule.label == model.label else set()
    mine, theirs = field_values(rule), field_values(model)
    base = model if mode == "model" else rule
    base.issues = [*rule.issues, *(model.issues if base is model else ())]
    if reasons := reading.refused.get("section"):
        base.issues.append(_doubt(base, "section", f"the section that the model named is not believed: {reasons[0]}"))
    elif reading.section is not None:
        agreed.add("section")
    faulty = {i.field for i in check_question(copy(rule), template) if i.severity == "error"}
    for name in PIECE_FIELDS:
        reasons = reading.refused.get(name, [])
        if name == "answer" and not reasons and any(n in reading.refused for n in ("stem", "options", "parts")):
            reasons = ["what it answers is not believed"]
        if _same(name, rule, mine[name], theirs[name]):
            agreed |= {name} if theirs[name] and not reasons else set()
            continue
        # What the rules found is never lost because a model left it out.
        wanted = mode == "model" or not mine[name] or name in faulty
        took_model = bool(theirs[name]) and not reasons and wanted
        chosen = model if took_model else rule
        if chosen is not base:
            _copy_field(chosen, base, name)
        if mode == "both" or not took_model:
            base.issues.append(_differ(base, name, mine[name], theirs[name], reasons, took_model))
    _settle(base, rule, mine, template)
    agreed |= {"type"} if rule.type == model.type else set()
    base.issues = list({(i.code, i.field, i.message): i for i in base.issues}.values())
    out.drafts.append(base)
    out.agreed[id(base)] = agreed
    out.readings[id(base)] = reading


def _settle(base: Draft, rule: Draft, mine: dict[str, Value], template: Template) -> None:
    """Number, section and lines as the rules have them; the type anew when a field it rests on changed."""
    base.label, base.number, base.section, base.label_text = rule.label, rule.number, rule.section, rule.label_text
    base.lines = rule.lines
    if field_values(base) != mine:
        base.type = decide_type(base, base.section.type_for(base.number), template)
    else:
        base.type, base.origin["type"] = rule.type, rule.origin.get("type", "content")


def field_values(draft: Draft) -> dict[str, Value]:
    """The fields of a draft as they compare: without white space, empty where there is nothing."""
    return {
        "stem": plain(draft.stem_text),
        "options": tuple((label, plain(text_of(pieces))) for label, pieces in draft.options),
        "parts": _part_values(draft.parts),
        "answer": tuple(plain(a) for a in draft.answer),
        "solution": plain(draft.solution_text),
        "points": draft.points,
    }


def _part_values(parts: Sequence[PartPieces]) -> tuple[Value, ...]:
    return tuple((p.label, plain(text_of(p.pieces)), p.points, _part_values(p.parts)) for p in parts)


def _same(name: str, rule: Draft, mine: Value, theirs: Value) -> bool:
    if mine == theirs:
        return True
    # Options that directions give to several questions stand in none of them.
    return name == "options" and not theirs and rule.origin.get("options") == "shared"


def _copy_field(source: Draft, target: Draft, name: str) -> None:
    setattr(target, name, getattr(source, name))
    if name == "answer":
        target.answer_pieces = source.answer_pieces
        _copy_part_answers(source.parts, target.parts)
    if name in source.origin:
        target.origin[name] = source.origin[name]
    else:
        target.origin.pop(name, None)


def _copy_part_answers(source: Sequence[PartPieces], target: Sequence[PartPieces]) -> None:
    for mine, theirs in zip(source, target, strict=False):
        theirs.answer = mine.answer
        _copy_part_answers(mine.parts, theirs.parts)


def _differ(draft: Draft, name: str, mine: Value, theirs: Value, reasons: Sequence[str], took_model: bool) -> Issue:
    took = "the model's was taken" if took_model else "the rules' was taken"
    if not mine and reasons:
        took = "neither was taken" if name == "answer" else took
    code = "model.refused" if reasons else "parser.differ"
    why = f" ({reasons[0]})" if reasons else ""
    message = f"the rules read {_shown(mine, theirs)}, the model {_shown(theirs, mine)}{why}; {took}"
    return _doubt(draft, name, message, code)


def _shown(value: Value, other: Value) -> str:
    """A reading for a message: the stretch around the first character in which it differs from the other."""
    text, against = _flat(value), _flat(other)
    if not text:
        return "nothing"
    same = next(
        (i for i, (a, b) in enumerate(zip(text, against, strict=False)) if a != b), min(len(text), len(against))
    )
    start = max(0, min(same - SHOWN // 3, len(text) - SHOWN))
    cut = text[start : start + SHOWN]
    return f"“{'…' * (start > 0)}{cut}{'…' * (start + SHOWN < len(text))}”"


def _flat(value: Value) -> str:
    if isinstance(value, tuple):
        return " ".join(_flat(v) for v in value if v not in (None, (), ""))
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _refused(reading: Reading, draft: Draft) -> None:
    """Doubts on a question that the rules did not find: nothing but the page's text is in it, but perhaps not all."""
    for name, reasons in reading.refused.items():
        draft.issues.append(_doubt(draft, name, f"the model's reading is not believed: {reasons[0]}", "model.refused"))


def _doubt(draft: Draft, name: str, said: str, code: str = "model.refused") -> Issue:
    return Issue(code=code, field=name, message=f"Question {draft.label}, {name}: {said}.")


def _issue(code: str, name: str, draft: Draft, said: str) -> Issue:
    return Issue(code=code, field=name, message=f"Question {draft.label} {said}.")
