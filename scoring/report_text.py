"""Untrusted text → safe HTML: everything escaped, formulas as MathML that has passed a whitelist."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from html.parser import HTMLParser
from xml.etree import ElementTree

from markupsafe import Markup

MAX_FORMULA = 1500
_MATH = re.compile(
    r"\$\$(?P<dd>.+?)\$\$|\\\[(?P<db>.+?)\\\]|\\\((?P<ib>.+?)\\\)|(?<![\\$])\$(?P<id>(?:\\[^\n]|[^$\\\n])+)\$",
    re.DOTALL,
)
_FIGURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL | re.IGNORECASE)
_TAGS = frozenset(
    {"math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "msqrt", "mroot", "mfrac", "msub", "msup", "msubsup"}
    | {"munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose", "mfenced"}
    | {"mmultiscripts", "mprescripts", "none"}
)
_ATTRIBUTES = frozenset(
    {"display", "mathvariant", "stretchy", "fence", "separator", "form", "accent", "accentunder", "columnalign"}
    | {"rowspacing", "columnspacing", "columnlines", "rowlines", "linethickness", "lspace", "rspace", "largeop"}
    | {"movablelimits", "minsize", "maxsize", "width", "height", "depth", "notation", "displaystyle", "scriptlevel"}
)
_SAFE_VALUE = re.compile(r"^[\w\s.%+\-]*$")


def rich_text(text: str, limit: int | None = None) -> Markup:
    """Markdown-like text of a question or response as HTML.

    Formulas become MathML, figures and tables plain hints, everything else is escaped. Text beyond `limit`
    characters is cut and says so.
    """
    cut = ""
    if limit is not None and len(text) > limit:
        cut = f'<p class="cut">… {len(text) - limit} more characters, in scores.csv</p>'
        text = text[:limit]
    text = _FIGURE.sub("[figure]", _TABLE.sub(lambda m: _table_text(m.group()), text))
    out, position = [], 0
    for match in _MATH.finditer(text):
        out.append(_plain(text[position : match.start()]))
        block = match["dd"] or match["db"]
        out.append(formula(block or match["ib"] or match["id"] or "", bool(block)))
        position = match.end()
    out.append(_plain(text[position:]))
    return Markup("".join(out) + cut)


def _plain(text: str) -> str:
    return escape(_visible(text.replace(r"\$", "$"))).replace("\n", "<br>")


def _visible(text: str) -> str:
    """Control characters and direction overrides, which could disguise text, as U+FFFD."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", "\ufffd", text)


@lru_cache(maxsize=4096)
def formula(latex: str, block: bool = False) -> str:
    """LaTeX as MathML, or as code when it does not convert."""
    fallback = f'<code class="tex">{escape(_visible(latex))}</code>'
    if len(latex) > MAX_FORMULA:
        return fallback
    try:
        from latex2mathml.converter import convert

        root = ElementTree.fromstring(convert(latex, display="block" if block else "inline"))
        _clean(root)
        return ElementTree.tostring(root, encoding="unicode", method="html")
    except Exception:  # the converter raises many kinds of errors on text that is not LaTeX
        return fallback


def _clean(element: ElementTree.Element) -> None:
    """Raise ValueError for an unknown element, drop unknown attributes, lose the namespace prefix."""
    element.tag = element.tag.rsplit("}", 1)[-1]
    if element.tag not in _TAGS:
        raise ValueError(f"element {element.tag}")
    for name, value in list(element.attrib.items()):
        if name not in _ATTRIBUTES or not _SAFE_VALUE.match(value):
            del element.attrib[name]
    for child in element:
        _clean(child)


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def _table_text(html: str) -> str:
    parser = _Cells()
    parser.feed(html)
    return "\n".join(" | ".join(row) for row in parser.rows)
