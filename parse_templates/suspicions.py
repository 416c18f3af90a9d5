"""Doubts that rest on what usually goes wrong: garbled text, figures nobody speaks of, lost parts and marks."""

from __future__ import annotations

import re
import unicodedata

from parse_templates.draft import Draft
from parse_templates.options import all_pieces
from parse_templates.template import Template
from wholepage.records import Issue

MATH = re.compile(r"(?<!\\)\$((?:\\.|[^$\\])*)\$")
DOLLAR = re.compile(r"(?<!\\)\$")
WORDS_IN_MATH = re.compile(r"\\text\{[^}]{6,}\}|[\u4e00-\u9fff]{4,}")
REPEATED = re.compile(r"([A-Za-z])\1{3,}")
ODD = re.compile(
    r"[\ufffd\ue000-\uf8ff\u0100-\u017f\x00-\x08\x0e-\x1f#]|[A-Za-z0-9]´|[A-Za-z0-9]“[A-Za-z0-9]|˝|_\{|\{\}_"
)
TORN = re.compile(r"[=+×÷<>]\s*$|^\s*[,;:，；：]")
PART = re.compile(r"[（(]\s*\$?\s*(\d)\s*_?\s*\$?\s*[)）]")
LIST_GAP = 1


def suspect(draft: Draft, template: Template) -> list[Issue]:
    """Warnings about a question that no rule proves wrong."""
    found = []
    for check in (_garbled, _figures, _parts, _points):
        issue = check(draft, template)
        if issue is not None:
            found.append(issue)
    return found


def _texts(draft: Draft) -> list[str]:
    texts = [draft.stem_text, *(p.text for part in draft.parts for p in all_pieces(part))]
    return [*texts, *(p.text for _, pieces in draft.options for p in pieces)]


def _garbled(draft: Draft, template: Template) -> Issue | None:
    """Signs that text was read wrongly: sentences inside formulas, letters four times over, signs of no language."""
    for text in _texts(draft):
        bare = MATH.sub(" ", text)
        sign = next((m.group() for m in (WORDS_IN_MATH.search(x) for x in MATH.findall(text)) if m), None)
        sign = sign or next((m.group() for p in (REPEATED, ODD) if (m := p.search(bare))), None)
        if sign is None and text and len(DOLLAR.findall(text)) % 2:
            sign = "$"
        if sign is not None:
            shown = "".join(c if unicodedata.category(c)[0] != "C" else "?" for c in sign[:12])
            message = f"Question {draft.label}: its text may be misread ({shown})."
            return Issue(code="text.garbled", field="stem", message=message)
    if TORN.search(draft.stem_text) and not draft.figures and not draft.stem_text.endswith("</table>"):
        return Issue(code="text.garbled", field="stem", message=f"Question {draft.label}: its text is cut off.")
    return None


def _figures(draft: Draft, template: Template) -> Issue | None:
    """Figures that the text does not speak of, or more of them than it names."""
    own = [f for f in draft.figures if f.placement != "solution" and not f.placement.startswith("option:")]
    if not own or not template.mentions_figure:
        return None
    text = " ".join(_texts(draft))
    if not re.search(template.mentions_figure, text):
        why = f"has {len(own)} figure{'s' * (len(own) > 1)}, and its text speaks of none"
    elif template.names_figure and len(own) > max(1, len(set(re.findall(template.names_figure, text)))):
        why = f"has {len(own)} figures, and its text names fewer"
    else:
        return None
    return Issue(code="figure.not_mentioned", field="figures", message=f"Question {draft.label} {why}.")


def _parts(draft: Draft, template: Template) -> Issue | None:
    """Part numbers that stand in the text of other parts: a label in between was not read."""
    numbers = [int(m[1]) for text in _texts(draft) for m in PART.finditer(text)]
    have = [int(m[1]) for part in draft.parts if (m := PART.search(part.label))]
    beyond = [n for n in numbers if n == len(have) + 1 + LIST_GAP] if len(have) >= 2 else []
    if not beyond:
        return None
    message = f"Question {draft.label}: part ({len(have) + 1}) was not found, and ({beyond[0]}) stands in the text."
    return Issue(code="parts.gap", field="parts", message=message)


def _points(draft: Draft, template: Template) -> Issue | None:
    """No marks, though the section's heading speaks of some."""
    if draft.points is not None or not re.search(r"(?i)\bmarks?\b|\d\s*分", draft.section.text):
        return None
    message = f"Question {draft.label}: its section speaks of marks, and none were read for it."
    return Issue(code="points.unread", field="points", message=message)
