"""`render_attribution(rows) -> str`: where marks were lost, as a section of the report page.

Uses the classes of scoring/assets/report.css, no style attributes and no scripts, as the page's content security
policy asks. Copies are untrusted text and are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from exam_mode.probe import LOST_KINDS, AttributionRow, Kind, split_lost
from exam_mode.probe_text import tokens, without_heading
from scoring.report_text import rich_text

NAMES: dict[Kind, str] = {
    "not_found": "not found",
    "misread": "misread",
    "figure": "figure",
    "reasoning": "reasoning",
    "none": "none lost",
}
_COLOURS: dict[Kind, str] = {
    "not_found": "k-error",
    "misread": "k-truncated",
    "figure": "k-refused",
    "reasoning": "k-wrong",
}
EXAMPLES = 2  # a kind and model
MAX_DIFFERENCES = 12
MAX_TEXT = 1200  # characters of a text that are shown


def render_attribution(rows: Sequence[AttributionRow]) -> str:
    """The section as HTML; empty when there are no rows.

    Examples are the answers that lost most marks, at most two of each model and kind.
    """
    if not rows:
        return ""
    splits = split_lost(rows)
    bars = "".join(f"<div>{escape(model)}</div><div>{_bar(split)}</div>" for model, split in splits.items())
    table = "".join(_table_row(model, splits[model], [r for r in rows if r.model == model]) for model in splits)
    head = "".join(f"<th>{NAMES[kind]}</th>" for kind in LOST_KINDS)
    return (
        '<section id="attribution"><h2>Where marks were lost</h2>'
        '<p class="lead">In a call of its own each taker copied the question from the same pages. Its copy is compared '
        "with the verified text, and the marks that the answer lost stand under one heading. The copy is a second "
        "reading, so the split is an estimate.</p>"
        f'{_legend()}<div class="bars">{bars}</div><h3>Lost marks by heading</h3>'
        '<div class="scroll"><table class="cards"><thead><tr><th>Model</th><th>Answers</th><th>Marks lost</th>'
        f"{head}</tr></thead>"
        f"<tbody>{table}</tbody></table></div>{_examples(rows)}</section>"
    )


def _legend() -> str:
    entries = "".join(
        '<li><svg viewBox="0 0 22 10" aria-hidden="true">'
        f'<rect class="{_COLOURS[kind]}" width="22" height="10" rx="2"/></svg>{NAMES[kind]}</li>'
        for kind in LOST_KINDS
    )
    return f'<ul class="legend">{entries}</ul>'


def _bar(split: dict[Kind, float]) -> str:
    total = sum(split.values())
    x, parts = 0.0, []
    for kind, marks in split.items():
        if marks <= 0:
            continue
        width = 600 * marks / total
        title = f"{NAMES[kind]}: {marks:g} marks ({marks / total:.0%})"
        parts.append(
            f'<rect class="{_COLOURS[kind]}" x="{x:.2f}" y="1" width="{width:.2f}" height="20">'
            f"<title>{title}</title></rect>"
        )
        if width > 44:
            parts.append(f'<text class="in" x="{x + width / 2:.2f}" y="15">{marks / total:.0%}</text>')
        x += width
    label = ", ".join(f"{NAMES[k]} {v:g}" for k, v in split.items() if v) or "no marks lost"
    return (
        f'<svg class="stack" viewBox="0 0 600 22" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _table_row(model: str, split: dict[Kind, float], rows: Sequence[AttributionRow]) -> str:
    cells = "".join(f'<td data-h="{NAMES[kind]}">{split[kind]:.1f}</td>' for kind in LOST_KINDS)
    undecided = sum(row.attribution.lost is None for row in rows)
    note = f"<br><small>{undecided} undecided</small>" if undecided else ""
    name = f'<td class="wide who"><span class="name">{escape(model)}</span></td>'
    total = f'<td data-h="Answers">{len(rows)}{note}</td><td data-h="Marks lost"><b>{sum(split.values()):.1f}</b></td>'
    return f"<tr>{name}{total}{cells}</tr>"


def _examples(rows: Sequence[AttributionRow]) -> str:
    cards = []
    for kind in LOST_KINDS:
        taken: dict[str, int] = {}
        for row in sorted((r for r in rows if r.attribution.kind == kind), key=lambda r: -r.marks_lost):
            taken[row.model] = taken.get(row.model, 0) + 1
            if taken[row.model] <= EXAMPLES:
                cards.append(_card(row))
    return f"<details><summary>Examples ({len(cards)})</summary>{''.join(cards)}</details>" if cards else ""


def _card(row: AttributionRow) -> str:
    found = row.attribution
    copy, printed = rich_text(row.transcription, MAX_TEXT), rich_text(row.printed, MAX_TEXT)
    differences = _differences(row.printed, row.transcription) if found.kind == "misread" else ""
    reading = found.reading
    return (
        f'<div class="card"><h3>{NAMES[found.kind]} · '
        f'{escape(row.label)} <span class="tag">{escape(row.model)}</span></h3>'
        f"<p>{escape(found.evidence)} <small>Marks lost {row.marks_lost:g}; text {reading.similarity:.0%}, "
        f"options {reading.options:.0%}, numbers {reading.numbers:.0%}.</small></p>{differences}"
        f'<div class="two"><div class="answer"><b>Verified text</b><div class="text">{printed}</div></div>'
        f'<div class="answer"><b>Copy</b><div class="text">{copy or "<i>empty</i>"}</div></div></div></div>'
    )


def _differences(printed: str, copy: str) -> str:
    """Tokens that differ, printed ones struck out and copied ones underlined; differences of notation are none."""
    from rapidfuzz.distance import Indel

    first, second = tokens(without_heading(printed)), tokens(without_heading(copy))
    pairs: list[tuple[list[str], list[str]]] = []
    equal = True
    for step in Indel.opcodes(first, second):
        if step.tag != "equal":
            if equal:
                pairs.append(([], []))
            pairs[-1][0].extend(first[step.src_start : step.src_end])
            pairs[-1][1].extend(second[step.dest_start : step.dest_end])
        equal = step.tag == "equal"
    shown = [_pair(*pair) for pair in pairs[:MAX_DIFFERENCES]]
    more = f" · {len(pairs) - MAX_DIFFERENCES} more" if len(pairs) > MAX_DIFFERENCES else ""
    return f"<p>Printed and copied: {' · '.join(shown)}{more}</p>" if shown else ""


def _pair(lacks: list[str], has: list[str]) -> str:
    parts = [f"<{tag}>{escape(_short(words))}</{tag}>" for tag, words in (("del", lacks), ("ins", has)) if words]
    return " ".join(parts)


def _short(words: list[str]) -> str:
    text = " ".join(words) if any(word.isascii() and word.isalpha() for word in words) else "".join(words)
    return text if len(text) <= 40 else f"{text[:39]}…"
