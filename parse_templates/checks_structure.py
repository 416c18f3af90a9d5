"""Checks of one stored question: stem, options, answers, marks, figures. One function a code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from parse_templates.checks_context import IMAGE, Context, asked, issue, plain, walk
from parse_templates.draft import BLANK, CHOICE
from parse_templates.solutions import verdict
from wholepage.records import Figure, Issue, Part, Question

MIN_OPTIONS = 3
PART = re.compile(r"[（(]\s*\$?\s*(\d)\s*_?\s*\$?\s*[)）]")
FORMULA_CROP = re.compile(r"-e\d+$")  # id of the crop of a formula that does not compile: no printed figure
LINKED = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


def stem_empty(question: Question, context: Context) -> list[Issue]:
    """`stem.empty`."""
    if IMAGE.sub("", question.stem).strip() or question.parts:
        return []
    return [issue(question, "stem.empty", "error", "stem", " has no text.")]


def options_incomplete(question: Question, context: Context) -> list[Issue]:
    """`options.incomplete`."""
    if question.type not in CHOICE:
        return []
    labels = [o.label for o in question.options]
    single = [label for label in labels if len(label) == 1]
    expected = [chr(ord("A") + i) for i in range(max((ord(label) - 64 for label in single), default=0))]
    missing = [label for label in expected if label not in labels]
    if len(labels) >= MIN_OPTIONS and not missing:
        return []
    said = f"options {', '.join(labels)}" if labels else "no options"
    said = f": {said} found{'; missing ' + ', '.join(missing) if missing else ''}."
    return [issue(question, "options.incomplete", "error", "options", said)]


def options_empty(question: Question, context: Context) -> list[Issue]:
    """`options.empty`, where the options are complete."""
    if question.type not in CHOICE or options_incomplete(question, context):
        return []
    pictured = {f.placement for f in question.figures}
    blank = [
        o.label
        for o in question.options
        if not o.text.strip() and o.figure is None and f"option:{o.label}" not in pictured
    ]
    said = f": nothing read for option {', '.join(blank)}."
    return [issue(question, "options.empty", "error", "options", said)] if blank else []


def options_repeated(question: Question, context: Context) -> list[Issue]:
    """`options.repeated`: one letter twice, or one text under two letters where no figure tells them apart."""
    labels = [o.label for o in question.options]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        return [issue(question, "options.repeated", "error", "options", f": option {', '.join(twice)} stands twice.")]
    pictured = {f.placement for f in question.figures}
    texts = [
        (o.label, re.sub(r"\s+", "", o.text))
        for o in question.options
        if o.text.strip() and o.figure is None and f"option:{o.label}" not in pictured
    ]
    same = [(a, b) for (a, x), (b, y) in combinations(texts, 2) if x == y]
    said = f": options {same[0][0]} and {same[0][1]} read the same." if same else ""
    return [issue(question, "options.repeated", "error", "options", said)] if same else []


def answer_not_an_option(question: Question, context: Context) -> list[Issue]:
    """`answer.not_an_option`."""
    if question.type not in CHOICE or not question.answer or not question.options:
        return []
    labels = {o.label for o in question.options}
    answer = question.answer[0]
    if answer and set(answer) <= labels and (question.type == "multi_select" or len(answer) == 1):
        return []
    said = f": the answer {answer!r} is not one of the options {''.join(sorted(labels))}."
    return [issue(question, "answer.not_an_option", "error", "answer", said)]


def answer_count(question: Question, context: Context) -> list[Issue]:
    """`answer.count_mismatch`: answers against blanks and parts."""
    answers, leaves = question.answer, [p for p in walk(question.parts) if not p.parts]
    inner = [text for part in walk(question.parts) for text in part.answer]
    blanks = sum(text.count(BLANK) for text in (question.own_stem, *(p.text for p in walk(question.parts))))
    said = ""
    if question.type in (*CHOICE, "true_false") and len(answers) > 1 and not leaves:
        said = f": {len(answers)} answers for one choice."
    elif inner and sorted(inner) != sorted(answers):
        said = f": its parts have {len(inner)} answers, the question lists {len(answers)} or other ones."
    elif question.type == "fill_in_blank" and len(answers) > 1 and len(answers) != max(blanks, 1):
        said = f": {_many(blanks, 'blank')}, {_many(len(answers), 'answer')}."
    elif not inner and leaves and len(answers) > 1 and len(answers) not in (len(leaves), len(question.parts), blanks):
        said = f": {_many(len(leaves), 'part')}, {_many(len(answers), 'answer')}."
    return [issue(question, "answer.count_mismatch", "warning", "answer", said)] if said else []


def _many(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'s' * (count != 1)}"


def key_against_solution(question: Question, context: Context) -> list[Issue]:
    """`key.contradicts_solution`: letters of the answer against those that the printed solution ends on."""
    if not question.solution or not question.answer or not (question.options or question.type in CHOICE):
        return []
    named = verdict(question.solution, context.template)
    if not named or named == question.answer[0]:
        return []
    message = f"The printed answer is {question.answer[0]}, the solution concludes {named}."
    return [Issue(code="key.contradicts_solution", severity="error", field="answer", message=message)]


def part_points(question: Question, context: Context) -> list[Issue]:
    """`points.sum_mismatch` within a question whose parts all state marks. Of alternatives only one side counts."""
    worth = [_worth(p) for p in question.parts]
    if question.points is None or len(worth) < 2 or any(w is None for w in worth):
        return []
    known = [w for w in worth if w is not None]
    total = sum(known)
    if abs(total - question.points) < 0.01 or _with_choice(known, question.points, context):
        return []
    said = f" is worth {question.points:g}, its parts add up to {total:g}."
    return [issue(question, "points.sum_mismatch", "warning", "points", said)]


def _worth(part: Part) -> float | None:
    inner = [_worth(p) for p in part.parts]
    if part.points is None and inner and all(w is not None for w in inner):
        return sum(w for w in inner if w is not None)
    return part.points


def _with_choice(worth: Sequence[float], points: float, context: Context) -> bool:
    """Whether leaving out some parts, one side of an OR, gives the marks; only where papers print such choices."""
    if not context.template.alternatives or sum(worth) < points:
        return False
    sums = {0.0}
    for value in worth[:16]:
        sums |= {s + value for s in sums}
    return any(abs(s - points) < 0.01 for s in sums)


def figure_missing(question: Question, context: Context) -> list[Issue]:
    """`figure.mentioned_but_missing`; a table counts as a figure."""
    pattern = context.template.mentions_figure
    if printed_figures(question) or not pattern:
        return []
    texts = [question.stem, *(p.text for p in question.parts)]
    match = next((m for t in texts if (m := re.search(pattern, plain(t)))), None)
    if match is None or "<table" in question.stem:
        return []
    said = f" mentions a figure ({match.group().strip()}), and none was found for it."
    return [issue(question, "figure.mentioned_but_missing", "warning", "figures", said)]


def figure_not_mentioned(question: Question, context: Context) -> list[Issue]:
    """`figure.not_mentioned`: figures that the text does not speak of, or more of them than it names."""
    template = context.template
    figures = printed_figures(question)
    own = [f for f in figures if f.placement != "solution" and not f.placement.startswith("option:")]
    if not own or not template.mentions_figure:
        return []
    text = " ".join(asked(question))
    if not re.search(template.mentions_figure, text):
        why = f" has {len(own)} figure{'s' * (len(own) > 1)}, and its text speaks of none."
    elif template.names_figure and len(own) > max(1, len(set(re.findall(template.names_figure, text)))):
        why = f" has {len(own)} figures, and its text names fewer."
    else:
        return []
    return [issue(question, "figure.not_mentioned", "warning", "figures", why)]


def printed_figures(question: Question) -> list[Figure]:
    """Its figures without the crops of formulas that do not compile."""
    return [f for f in question.figures if not FORMULA_CROP.search(f.id)]


def figure_file_missing(question: Question, context: Context) -> list[Issue]:
    """`figure.file_missing`: pictures named in the text or the record without a file or an entry."""
    files = {f.file for f in question.figures}
    texts = [question.stem, question.solution, *(o.text for o in question.options)]
    texts += [t for p in walk(question.parts) for t in (p.text, p.solution)]
    unknown = sorted({name for text in texts for name in LINKED.findall(text)} - files)
    ids = {f.id for f in question.figures}
    unknown += [f"option {o.label}" for o in question.options if o.figure is not None and o.figure not in ids]
    absent = []
    if context.folder is not None:
        absent = sorted(name for name in files if not (context.folder / name).is_file())
    if not unknown and not absent:
        return []
    said = f": no figure is recorded for {unknown[0]}." if unknown else f": the file {absent[0]} is not there."
    return [issue(question, "figure.file_missing", "error", "figures", said)]


def parts_gap(question: Question, context: Context) -> list[Issue]:
    """`parts.gap`: part numbers that stand in the text of other parts, or a label that the sequence lacks."""
    have = [int(m[1]) for part in question.parts if (m := PART.search(part.label))]
    if len(have) < 2:
        return []
    missing = [n for n in range(min(have), max(have)) if n not in have]
    if missing:
        said = f": part ({missing[0]}) was not found between its neighbours."
        return [issue(question, "parts.gap", "warning", "parts", said)]
    numbers = [int(m[1]) for text in asked(question) for m in PART.finditer(text)]
    beyond = [n for n in numbers if n == len(have) + 2]
    if not beyond:
        return []
    said = f": part ({len(have) + 1}) was not found, and ({beyond[0]}) stands in the text."
    return [issue(question, "parts.gap", "warning", "parts", said)]


STRUCTURE = (
    stem_empty, options_incomplete, options_empty, options_repeated, answer_not_an_option, answer_count,
    key_against_solution, part_points, figure_missing, figure_not_mentioned, figure_file_missing, parts_gap,
)  # fmt: skip
