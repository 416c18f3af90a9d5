"""`render_attribution(rows) -> str`: where marks were lost, as a section of the report page.

Uses the classes of scoring/assets/report.css, no style attributes and no scripts, as the page's content security
policy asks. Copies are untrusted text and are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from exam_mode.probe import LOST_KINDS, AttributionRow, Kind, split_lost
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
        f'{_legend()}<div class="bars">{bars}</div>'
        f'<div class="scroll"><table><thead><tr><th>Model</th><th>Answers</th><th>Marks lost</th>{head}</tr></thead>'
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
    cells = "".join(f"<td>{split[kind]:.1f}</td>" for kind in LOST_KINDS)
    undecided = sum(row.attribution.lost is None for row in rows)
    note = f"<br><small>{undecided} undecided</small>" if undecided else ""
    name = f'<span class="name">{escape(model)}</span>'
    return f"<tr><td>{name}</td><td>{len(rows)}{note}</td><td>{sum(split.values()):.1f}</td>{cells}</tr>"


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
    copy = (
        _marked(row.printed, row.transcription) if found.kind == "misread" else rich_text(row.transcription, MAX_TEXT)
    )
    printed = rich_text(row.printed, MAX_TEXT)
    reading = found.reading
    return (
        f'<div class="card"><h3><span class="key {_COLOURS[found.kind]}"></span>{NAMES[found.kind]} · '
        f'{escape(row.label)} <span class="tag">{escape(row.model)}</span></h3>'
        f"<p>{escape(found.evidence)} <small>Marks lost {row.marks_lost:g}; text {reading.similarity:.0%}, "
        f"options {reading.options:.0%}, numbers {reading.numbers:.0%}.</small></p>"
        f'<div class="two"><div class="answer"><b>Verified text</b><div class="text">{printed}</div></div>'
        f'<div class="answer"><b>Copy</b><div class="text">{copy or "<i>empty</i>"}</div></div></div></div>'
    )


def _marked(printed: str, copy: str) -> str:
    """The copy with what it adds underlined and what it lacks struck out, character by character."""
    from rapidfuzz.distance import Indel

    first, second = printed[:MAX_TEXT], copy[:MAX_TEXT]
    parts = []
    for step in Indel.opcodes(first, second):
        lacks = escape(first[step.src_start : step.src_end])
        has = escape(second[step.dest_start : step.dest_end])
        if step.tag == "equal":
            parts.append(has)
        else:
            parts.append((f"<del>{lacks}</del>" if lacks else "") + (f"<ins>{has}</ins>" if has else ""))
    cut = '<p class="cut">…</p>' if max(len(printed), len(copy)) > MAX_TEXT else ""
    return "".join(parts).replace("\n", "<br>") + cut
