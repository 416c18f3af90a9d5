"""LaTeX → MathML that is safe to put into a page: built by latex2mathml, rebuilt here from a whitelist.

latex2mathml copies text such as ``\\text{<b>}`` into its output unescaped and turns ``\\href`` and ``\\style`` into
attributes. So its string output is never used: its element tree is walked, every known element is written anew with
the few attributes below, and every text is escaped.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from xml.etree.ElementTree import Element

from review.mathml import mend
from review.plain import visible

MAX_FORMULA = 3000  # characters; longer ones are shown as source
MAX_DEPTH = 120
NOT_TYPESET = "This formula could not be typeset; its LaTeX source is shown."
_TOKENS = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_ELEMENTS = _TOKENS | frozenset(
    {"math", "mrow", "mspace", "msqrt", "mroot", "mfrac", "msub", "msup", "msubsup", "munder", "mover", "munderover"}
    | {"mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose", "mmultiscripts", "mprescripts", "none"}
)
_PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
_ATTRIBUTES = frozenset(
    {"display", "mathvariant", "stretchy", "fence", "separator", "form", "accent", "accentunder", "columnalign"}
    | {"linethickness", "lspace", "rspace", "largeop", "movablelimits", "minsize", "maxsize", "width", "height"}
    | {"depth", "displaystyle", "scriptlevel"}
)
_SAFE_VALUE = re.compile(r"[\w\s.%-]{0,40}")
_ONE_UPRIGHT = re.compile(r"\\mathrm\{([A-Za-z])\}")
_COMMAND = re.compile(r"\\[A-Za-z]+|&|\\$")
_RELATIONS = ("ARROW", "LESS-THAN", "GREATER-THAN", "EQUAL", "SUBSET", "SUPERSET", "TILDE", "UP TACK", "PARALLEL")
_ENCLOSURES = {"box": "enc-box", "updiagonalstrike": "enc-strike", "downdiagonalstrike": "enc-strike"}
_CLASSES = {"left": "to-left", "right": "to-right", "overline": "overline", "equals": "equals"}
_SIGNS, _CLOSING = frozenset("-−+±∓"), frozenset(")]}|!′%°∘")
_ENVIRONMENTS = {"aligned": "{rlrlrlrl}", "alignedat": "{rlrlrlrl}", "split": "{rl}", "gathered": "{c}"}


class _RefusedError(Exception):
    """The converter's output is not a formula that can be shown."""


@lru_cache(maxsize=8192)
def formula(source: str, block: bool = False) -> str:
    """HTML of one formula given as LaTeX without its dollars; `block` for a displayed one.

    A formula that does not convert comes back as its escaped source, marked as such.
    """
    try:
        if len(source) > MAX_FORMULA:
            raise _RefusedError
        return _serialise(_convert(source, block), 0)
    except Exception:  # the converter raises its own errors, IndexError, KeyError, RecursionError … on damaged input
        shown = html.escape(visible(source))
        kind = "tex block" if block else "tex"
        return (
            f'<code class="{kind}" title="This formula could not be typeset; its LaTeX source is shown.">{shown}</code>'
        )


def typeset(source: str) -> bool:
    """Whether `source` converts to MathML."""
    return formula(source).startswith("<math")


def _convert(source: str, block: bool) -> Element:
    from latex2mathml.converter import convert_to_element  # loads large symbol tables

    source = re.sub(r"\\begin\{(aligned|alignedat|split|gathered)\}(\{\d\})?", _array, source)
    source = re.sub(r"\\end\{(aligned|alignedat|split|gathered)\}", r"\\end{array}", source)
    source = source.replace(r"\begin{rcases}", r"\left.\begin{array}{ll}").replace(
        r"\end{rcases}", r"\end{array}\right\}"
    )
    # A single letter would lose its face.
    source = _ONE_UPRIGHT.sub(r"\\mathrm{\1{}}", source)
    element: Element = convert_to_element(source, display="block" if block else "inline")
    mend(element)
    return element


def _array(match: re.Match[str]) -> str:
    return r"\begin{array}" + _ENVIRONMENTS[match[1]]


def _serialise(element: Element, depth: int) -> str:
    """The element as HTML. Raises _RefusedError for what no formula holds: unknown elements, commands left as text."""
    tag = element.tag
    if tag not in _ELEMENTS or depth > MAX_DEPTH or len(element) < _PARTS.get(tag, 0):
        raise _RefusedError(tag)
    _sign_prefixes(element)
    children = "".join(_serialise(child, depth + 1) for child in element)
    if tag in _TOKENS:
        if children:  # \mathop{x} puts elements into an operator, which HTML does not allow
            return f"<mrow>{children}</mrow>"
        return _token(element)
    if tag == "menclose":
        return f'<mrow class="{_ENCLOSURES.get(element.get("notation", ""), "enc-box")}">{children}</mrow>'
    return f"<{tag}{_attributes(element)}>{children}</{tag}>"


def _sign_prefixes(parent: Element) -> None:
    """Signs after an operator or an opening bracket are prefixes: without this, {-3 has the space of a minus."""
    before: Element | None = None
    for child in parent:
        follows = before is not None and before.tag == "mo" and _symbol(before) not in _CLOSING
        if follows and child.tag == "mo" and _symbol(child) in _SIGNS:
            child.set("form", "prefix")
        before = child


def _symbol(element: Element) -> str:
    return html.unescape(element.text or "")


def _token(element: Element) -> str:
    tag = element.tag
    text = element.text or ""
    if tag != "mtext":
        text = html.unescape(text)  # the converter keeps symbols as character references
        if _COMMAND.match(text):
            raise _RefusedError(text)
    else:
        text = text.replace("&#x000A0;", "\u00a0").replace(r"\$", "$").replace(r"\%", "%")
    variant = element.get("mathvariant", "")
    if variant not in ("", "normal"):
        text, variant = _lettered(text, variant), ""
    if tag == "mi" and len(text) == 1 and _is_relation(text):
        tag = "mo"
    attributes = _attributes(element, skip="mathvariant") + (' mathvariant="normal"' if variant else "")
    return f"<{tag}{attributes}>{html.escape(visible(text))}</{tag}>"


def _attributes(element: Element, skip: str = "") -> str:
    kept = (
        (name, value)
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and name != skip and _SAFE_VALUE.fullmatch(value)
    )
    written = "".join(f' {name}="{html.escape(value)}"' for name, value in kept)
    kind = _CLASSES.get(element.get("class", "") or element.get("columnalign", ""), "")
    return written + (f' class="{kind}"' if kind else "")


def _is_relation(character: str) -> bool:
    """Relations that the converter calls identifiers; as operators they get their space."""
    return unicodedata.category(character) == "Sm" and any(
        word in unicodedata.name(character, "") for word in _RELATIONS
    )


def _lettered(text: str, variant: str) -> str:
    """Letters as Unicode's mathematical ones: browsers implement MathML Core, where only `normal` is left."""
    style = variant.upper().replace("-", " ").replace("DOUBLE STRUCK", "DOUBLE-STRUCK")
    return "".join(_letter(c, style) for c in text)


def _letter(character: str, style: str) -> str:
    if not (character.isascii() and character.isalpha()):
        return character
    case = "CAPITAL" if character.isupper() else "SMALL"
    old = {"FRAKTUR": "BLACK-LETTER"}.get(style, style)
    for name in (f"MATHEMATICAL {style} {case} {character.upper()}", f"{old} {case} {character.upper()}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return character
