"""The Markdown of questions → safe HTML: formulas, blanks, figures, tables, bold; everything else stays text.

The subset is the one of the contract. Links, raw HTML, headings and lists are not in it: a page that prints
``[x](javascript:…)`` or ``<script>`` shows exactly these characters.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable

from markupsafe import Markup

from review.math import formula
from review.plain import visible
from review.tables import clean_table

MAX_TEXT = 20_000  # characters of one field that are shown
MAX_MEASURED = 400  # characters that text_width looks at; any option as long as this has a row of its own
MAX_BLANK = 24  # characters of a printed blank that still lengthen it
FigureHtml = Callable[[str], str]

_BLOCK = re.compile(
    r"(?P<table><table\b(?:(?!<table\b).)*?</table\s*>)"
    r"|\$\$(?P<display>[^$]+?)\$\$"
    r"|!\[[^\]\n]{0,200}\]\((?P<image>[^()\n]{1,300})\)",
    re.DOTALL | re.IGNORECASE,
)
_INLINE = re.compile(
    r"\\(?P<escaped>[$*_\\])"
    # Possessive: no quadratic search. A dollar sign inside a formula is written \$.
    r"|(?<![\\$])\$(?P<math>(?!\s)(?:\\[^\n]|[^$\\\n])++(?<!\s))\$(?!\d)"
    r"|(?<![\\$])\$(?P<spaced>[^$\n\\^_]*+[\\^_](?:\\[^\n]|[^$\\\n])*+)\$(?!\d)"
    r"|(?P<blank>_{3,})"
    r"|\*\*(?P<bold>[^\s*](?:[^*\n]{0,400}[^\s*])?)\*\*"
    r"|(?P<newline>\n)"
)
# Browsers break a line between a formula and the comma behind it, which no typesetter would.
_WITH_PUNCTUATION = re.compile(
    r"[（【《“(\[]?<math [^>]*>(?:(?!</math>).)*</math>(?:[，。．、；：！？）】》”,.;:!?)\]]+)"
    r"|[（【《“(\[]<math [^>]*>(?:(?!</math>).)*</math>"
)
_MARKED = re.compile(r"!\[[^\]\n]{0,200}\]\([^()\n]{1,300}\)|<[^<>]{1,200}>|\\[a-zA-Z]+|[$\\{}^_]")


def inline(text: str) -> str:
    """Safe HTML of a run of text without paragraphs: formulas, blanks, bold, line breaks."""
    out: list[str] = []
    position = 0
    for match in _INLINE.finditer(text):
        out.append(_escape(text[position : match.start()]))
        out.append(_inline_piece(match))
        position = match.end()
    out.append(_escape(text[position:]))
    return _WITH_PUNCTUATION.sub(r'<span class="nb">\g<0></span>', "".join(out))


def _inline_piece(match: re.Match[str]) -> str:
    if match["escaped"]:
        return _escape(match["escaped"])
    if math := match["math"] or match["spaced"]:
        return formula(math.strip())
    if match["blank"]:
        return _blank(len(match["blank"]))
    if match["bold"]:
        return f"<b>{inline(match['bold'])}</b>"
    return "<br>"


def _blank(length: int) -> str:
    """A blank line to write on; the underscores stay in the text for those who copy or hear it."""
    size = "l" if length >= 12 else "m" if length >= 6 else "s"
    return f'<span class="blank {size}">{"_" * min(length, MAX_BLANK)}</span>'


def rich(text: str, figure: FigureHtml | None = None, limit: int = MAX_TEXT) -> Markup:
    """Safe HTML of a field, in paragraphs.

    Args:
        text: Markdown subset of the contract.
        figure: gives the safe HTML of ``![](file)``; without it figures are named in the text.
        limit: characters shown; what is longer ends with the number of those left out.
    """
    cut = ""
    if len(text) > limit:
        cut = f'<p class="cut">… {len(text) - limit:,} more characters, in paper.json</p>'
        text = text[:limit]
    out: list[str] = []
    position = 0
    for match in _BLOCK.finditer(text):
        out.append(_paragraphs(text[position : match.start()]))
        out.append(_block_piece(match, figure))
        position = match.end()
    out.append(_paragraphs(text[position:]))
    return Markup("".join(out) + cut)


def _block_piece(match: re.Match[str], figure: FigureHtml | None) -> str:
    if match["table"]:
        return clean_table(match["table"], inline)
    if match["display"]:
        return f'<div class="display">{formula(match["display"].strip(), True)}</div>'
    return figure(match["image"].strip()) if figure else f"<p>{_escape(match[0])}</p>"


def _paragraphs(text: str) -> str:
    blocks = (block.strip() for block in re.split(r"\n[ \t]*\n", text))
    return "".join(f"<p>{inline(block)}</p>" for block in blocks if block)


def line(text: str, limit: int = 2000) -> Markup:
    """Safe HTML of a short field (title, answer, message): formulas and blanks, no paragraphs, figures or tables."""
    shown = text if len(text) <= limit else text[:limit] + " …"
    return Markup(inline(shown.strip()))


def _escape(text: str) -> str:
    return html.escape(visible(text))


def text_width(text: str) -> int:
    """Rough width of a text in half characters (a Latin letter 1, a Chinese one 2), markup apart."""
    bare = _MARKED.sub("", text[:MAX_MEASURED])
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in bare)
