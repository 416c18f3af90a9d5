"""Question text and transcriptions brought to a common form, as tokens that can be compared.

Two spellings of the same print must give the same tokens: `x²`, `x^2` and `$x^{2}$`; `3/5` and `\\frac{3}{5}`; full and
half width; Markdown or none. What changes the meaning must not: signs, digits, letters, Chinese characters.
"""

from __future__ import annotations

import re
import unicodedata

from exam_mode.interchange.texts import text_lines
from wholepage.records import Question

_FIGURE = re.compile(r"!\[[^\]]*\](?:\([^)]*\))?")
_TAG = re.compile(r"</?(?:table|thead|tbody|tr|td|th|br|p|div|span|b|i|sub|sup|img)\b[^<>]*>", re.IGNORECASE)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-0123456789+-")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+|[₀₁₂₃₄₅₆₇₈₉₊₋]+")
_SHORT_FRACTION = re.compile(r"\\[dt]?frac\s*(\w)\s*(\w)")
_DROPPED = re.compile(
    r"\\(?:left|right|big|Big|bigg|Bigg|[dt]?frac|mathrm|mathbf|mathit|mathsf|boldsymbol|text|textbf|operatorname|"
    r"displaystyle|limits|quad|qquad|begin|end|overline|underline|hspace|vspace|bm|rm|!|,|;|:|>| )(?![A-Za-z])"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_NAMES = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥",
    "geqslant": "≥", "ne": "≠", "neq": "≠", "infty": "∞", "in": "∈", "notin": "∉", "cap": "∩", "cup": "∪",
    "subset": "⊂", "subseteq": "⊆", "emptyset": "∅", "varnothing": "∅", "perp": "⊥", "parallel": "∥", "angle": "∠",
    "triangle": "△", "sqrt": "√", "pi": "π", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ",
    "theta": "θ", "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "varphi": "φ", "phi": "φ",
    "omega": "ω", "Omega": "Ω", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "tau": "τ", "to": "→",
    "rightarrow": "→", "longrightarrow": "→", "rightleftharpoons": "⇌", "sim": "~", "circ": "°", "mid": "|",
    "ldots": "…", "cdots": "…", "dots": "…", "square": "□", "neg": "¬", "because": "∵", "therefore": "∴",
}  # fmt: skip
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?|[A-Za-z]+|[^\W\d_]|[-+×·÷±≤≥≠<>=∞∈∉∩∪⊂⊆∅⊥∥∠△√→⇌~°|¬□/%∵∴]")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_HEADING = re.compile(
    r"\s*(?:第\s*)?(?:\d+\s*(?:[.．、](?!\d)|题|(?=[(（\[]\s*(?:本小?题)?(?:满分)?\s*\d)))?\s*"
    r"(?:[(（\[]\s*(?:本小?题)?(?:满分)?\s*\d+(?:\.\d+)?\s*(?:分|marks?|points?)\s*[)）\]]\s*)?",
    re.IGNORECASE,
)
_BEFORE_SIGN = frozenset("([{,.;:=<>≤≥≠|∈、$\n×·÷→")


def plain(text: str) -> str:
    """Text without markup: LaTeX commands as signs, no braces, half width, blanks kept single."""
    text = _FIGURE.sub(" ", text)
    text = _TAG.sub(" ", text)
    text = _RAISED.sub(lambda m: f" ^{m.group().translate(_SUPERSCRIPTS)} ", text)
    text = unicodedata.normalize("NFKC", text)
    text = _SHORT_FRACTION.sub(r"\1/\2", text)
    text = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{", r"\1/{", text)
    text = _DROPPED.sub(" ", text)
    text = _COMMAND.sub(lambda m: _NAMES.get(m.group(1), f" {m.group(1)} "), text)
    text = re.sub(r"[\u2212\u2010-\u2015]", "-", text).replace("\u2044", "/")
    text = re.sub(r"[{}\\$*`#]", " ", text)
    return re.sub(r"[ \t\u200b\u2060]+", " ", text)


def tokens(text: str) -> list[str]:
    """Numbers, Latin words, single other letters and signs of operation, in order; punctuation and blanks are left out.

    Latin letters keep their case, since `A` and `a` are different things in a formula.
    """
    return _TOKEN.findall(plain(text))


def numbers(text: str) -> list[str]:
    """Numbers with a leading sign where it is one and not an operation, in order; `2.50` is `2.5`."""
    squeezed = plain(text).replace(" ", "")
    found = []
    for match in _NUMBER.finditer(squeezed):
        start = match.start()
        signed = start > 0 and squeezed[start - 1] == "-" and (start == 1 or squeezed[start - 2] in _BEFORE_SIGN)
        value = match.group()
        value = value.rstrip("0").rstrip(".") if "." in value else value.lstrip("0") or "0"
        found.append(f"-{value}" if signed else value)
    return found


def without_heading(text: str) -> str:
    """Text without the printed number and points at its beginning, which a copy may have and the record not."""
    return _HEADING.sub("", text, count=1)


def printed_text(question: Question) -> str:
    """What a faithful copy of the question holds: stem, options and parts."""
    return "\n".join(text_lines(question))
