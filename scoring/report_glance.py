"""The report's first section: what came out, in sentences, and what a reader should know about the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from scoring.report_svg import percent
from scoring.report_view import question_label
from scoring.scores import Score, ScoredQuestion
from scoring.summary import Summary

MAX_LISTED = 12
_SET_ASIDE = {
    "attempt.damaged": "damaged",
    "attempt.not_utf8": "not UTF-8",
    "attempt.too_long": "too long",
    "attempt.invalid": "of another form",
    "attempt.duplicate": "repeated",
    "attempt.conflict": "a second answer to the same question",
    "attempt.unknown_question": "about unknown questions",
    "attempt.rejected_question": "about questions rejected in review",
}


def glance(
    summary: Summary,
    rows: Sequence[Mapping[str, Any]],
    modes: Sequence[Mapping[str, Any]],
    scores: Sequence[Score],
    questions: Mapping[str, ScoredQuestion],
    issues: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Sentences as safe HTML, notes on the data as text, and the questions that have no mark at all."""
    unmarked = _unmarked(scores, questions)
    labels = [question_label(questions[name]) for name in unmarked]
    return {
        "lines": [*_best(summary, rows), *_changes(modes), *_open(summary, unmarked, questions)],
        "notes": _notes(issues, len(unmarked)),
        "serious": any(issue["severity"] == "error" for issue in issues),
        "unmarked": labels[:MAX_LISTED],
        "more_unmarked": max(0, len(labels) - MAX_LISTED),
    }


def _best(summary: Summary, rows: Sequence[Mapping[str, Any]]) -> list[Markup]:
    """The best condition of each model, best first; uncapped runs where there are any."""
    known = [c for c in summary["conditions"] if c["accuracy"]["mean"] is not None]
    usable = [c for c in known if c["budget"] is None] or known
    if not usable:
        return [Markup("No answer has a mark yet.")]
    models: dict[str, Mapping[str, Any]] = {}
    for c in sorted(usable, key=lambda c: -c["accuracy"]["mean"]):
        models.setdefault(c["model"], c)
    texts = {(r["model"], r["mode"], r["budget"]): r for r in rows}
    first, *others = models.values()
    row = texts[first["model"], first["mode"], first["budget"]]
    head = Markup('Most answers right: <b>{}</b> with <span class="tag">{}</span>, <b>{} %</b>').format(
        first["model"], first["mode"], row["accuracy"]
    )
    head += f" (95 % interval {row['interval']})." if row["interval"] != "–" else "."
    chance = first["chance"]["questions"]
    if chance is not None:
        head += f" Guessing would earn {percent(chance, 0)} %."
    if not others:
        return [head]
    named = [
        Markup('<b>{}</b> {} % (<span class="tag">{}</span>)').format(
            c["model"], percent(c["accuracy"]["mean"]), c["mode"]
        )
        for c in others[:5]
    ]
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    return [head, Markup("The other models at their best: ") + Markup(", ").join(named) + more + "."]


def _changes(modes: Sequence[Mapping[str, Any]]) -> list[Markup]:
    """What whole pages cost each model, against the same questions as text with pictures."""
    main = [row for row in modes if row["main"]]
    main = [row for row in main if row["budget"] is None] or main
    lines = []
    for row in main[:4]:
        proof = f"McNemar p {_p(row['mcnemar'])}, after Holm {_p(row['adjusted'])}"
        cap = f" ≤{row['budget']}" if row["budget"] else ""
        lines.append(
            Markup(
                '<b>{}{}</b>, whole pages instead of text and pictures: <b class="{}">{}</b> points'
                " ({}), {} questions lost and {} gained ({})."
            ).format(
                row["where"],
                cap,
                row["sign"],
                row["difference"],
                row["interval"],
                row["lost_n"],
                row["gained_n"],
                proof,
            )
        )
    return lines


def _p(text: str) -> str:
    return text if text.startswith(("<", "–")) else f"= {text}"


def _open(summary: Summary, unmarked: Sequence[str], questions: Mapping[str, ScoredQuestion]) -> list[Markup]:
    undecided = summary["status"].get("undecided", 0)
    if not undecided:
        return []
    share = percent(undecided / summary["attempts"], 0)
    line = f"{undecided:,} of {summary['attempts']:,} answers ({share} %) are undecided and count neither way."
    keyless = sum(not any(a.strip() for a in questions[n].answer) and not questions[n].solution for n in unmarked)
    if unmarked:
        rest = len(unmarked) - keyless
        why = [
            f"{keyless} for want of an official answer" if keyless else "",
            f"{rest} for want of a judge" if rest else "",
        ]
        have = "question has" if len(unmarked) == 1 else "questions have"
        line += f" {len(unmarked)} {have} no mark at all: {', '.join(filter(None, why))}."
    return [Markup.escape(line)]


def _unmarked(scores: Sequence[Score], questions: Mapping[str, ScoredQuestion]) -> list[str]:
    marked = {score.question_id for score in scores if score.status == "marked"}
    undecided = {score.question_id for score in scores if score.status == "undecided"}
    return [name for name in questions if name in undecided and name not in marked]


def _notes(issues: Sequence[Mapping[str, Any]], unmarked: int) -> list[str]:
    counts = Counter(issue["code"] for issue in issues)
    aside = {code: count for code, count in counts.items() if code in _SET_ASIDE}
    notes = []
    if aside:
        parts = [f"{count} {_SET_ASIDE[code]}" for code, count in sorted(aside.items())]
        total = sum(aside.values())
        notes.append(f"{total} {'line was' if total == 1 else 'lines were'} set aside: {', '.join(parts)}")
    if count := counts.get("attempt.usage_inconsistent", 0):
        notes.append(f"{count} {'answer has' if count == 1 else 'answers have'} contradicting token counts")
    if count := counts.get("paper.unreadable", 0):
        notes.append(f"{count} {'paper' if count == 1 else 'papers'} could not be read")
    if unmarked:
        notes.append(f"{unmarked} {'question has' if unmarked == 1 else 'questions have'} no mark")
    return notes
