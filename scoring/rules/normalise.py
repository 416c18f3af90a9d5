"""One spelling for what keys and responses write in many: full-width forms, Unicode mathematics, LaTeX dressing.

`tidy` is the first step of every rule. It changes spelling only, never values: superscript characters become `^{}`
before NFKC (which would flatten them), LaTeX names of symbols become the symbols, spacing and font commands go.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_ANSWER = 2000  # characters of one answer; longer ones are prose and are not read as mathematics

SET_OPEN, SET_CLOSE = "⦃", "⦄"  # what \{ and \} become, so that grouping braces stay apart

_SUPERS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᵏᵐᵗˣʸ"
_SUPERS_TO = "0123456789+-=()niabcdekmtxy"
_SUBS = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₙₘₖₜᵢ"
_SUBS_TO = "0123456789+-=()aeoxnmkti"
_SUPER_MAP = dict(zip(_SUPERS, _SUPERS_TO, strict=True))
_SUB_MAP = dict(zip(_SUBS, _SUBS_TO, strict=True))
_SUPER_RUN = re.compile(f"[{_SUPERS}]+")
_SUB_RUN = re.compile(f"[{_SUBS}]+")
_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
    "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_CIRCLED = {chr(0x2460 + n): f"({n + 1})" for n in range(20)}
_CHARS = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "∶": ":", "：": ":", "⩽": "≤", "≦": "≤",
        "⩾": "≥", "≧": "≥", "△": "Δ", "∆": "Δ", "⊿": "Δ", "∙": "·", "•": "·", "⋅": "·", "・": "·", "‧": "·",
        "º": "°", "˚": "°", "∅": "∅", "Ø": "∅", "⌀": "∅", "✓": "√", "✔": "√", "⟶": "→", "⇒": "→", "⟹": "→",
        "═": "=", "⇄": "⇌", "⟷": "⇌", "∣": "|", "｜": "|", "′": "'", "’": "'", "‘": "'", "“": '"', "”": '"',
        "\u00a0": " ", "\u3000": " ", "\u200b": None, "\ufeff": None, "\u2061": None, "\u2062": None,
        "✗": "×", "✘": "×", "ⅰ": "i",
    }
)  # fmt: skip

_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "vartheta": "θ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "kappa": "κ", "iota": "ι",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω", "triangle": "Δ", "varnothing": "∅", "emptyset": "∅", "infty": "∞", "cup": "∪",
    "cap": "∩", "bigcup": "∪", "in": "∈", "notin": "∉", "leq": "≤", "le": "≤", "leqslant": "≤", "geq": "≥",
    "ge": "≥", "geqslant": "≥", "neq": "≠", "ne": "≠", "lt": "<", "gt": ">", "times": "×", "div": "÷",
    "cdot": "·", "cdotp": "·", "bullet": "·", "ast": "*", "star": "*", "pm": "±", "mp": "∓", "degree": "°",
    "to": "→", "rightarrow": "→", "longrightarrow": "→", "Rightarrow": "→", "implies": "→",
    "rightleftharpoons": "⇌", "rightleftarrows": "⇌", "leftrightarrow": "⇌", "longleftrightarrow": "⇌",
    "uparrow": "↑", "downarrow": "↓", "angle": "∠", "perp": "⊥", "parallel": "∥", "approx": "≈", "thickapprox": "≈",
    "colon": ":", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "prime": "'", "checkmark": "√", "because": "∵",
    "therefore": "∴", "cdots": "…", "ldots": "…", "dots": "…", "mathbbR": "ℝ", "R": "R", "equiv": "≡",
    "lbrace": SET_OPEN, "rbrace": SET_CLOSE, "lbrack": "[", "rbrack": "]", "land": "且", "lor": "或", "wedge": "∧",
    "subseteq": "⊆", "subset": "⊂", "sim": "~", "%": "%",
    "arg": "arg", "ohm": "Ω", "celsius": "℃", "circ": "∘", "ominus": "⊖", "oplus": "⊕", "complement": "∁", "AA": "Å",
}  # fmt: skip
_FONTS = (
    "text|mathrm|mathbf|mathit|mathsf|mathnormal|textbf|textit|textrm|boldsymbol|bm|mbox|operatorname|rm|bf|it|"
    "ce|pu|mathcal|mathbb|hbox|unit|color|emph|underline|uline"
)
_FONT = re.compile(rf"\\(?:{_FONTS})\*?\s*\{{")
_FONT_BARE = re.compile(rf"\\(?:{_FONTS}|displaystyle|textstyle|limits|nolimits)(?![A-Za-z])\s*")
_SPACING = re.compile(r"\\(?:[,;:! >]|quad(?![A-Za-z])|qquad(?![A-Za-z])|enspace|thinspace|hspace\{[^{}]*\})|~")
_SIZES = re.compile(r"\\(?:left|right|bigl|bigr|Bigl|Bigr|biggl|biggr|big|Big|bigg|Bigg)(?![A-Za-z])\s*\.?")
_FRACS = re.compile(r"\\[dtc]frac(?![A-Za-z])")
_COMMAND = re.compile(r"\\([A-Za-z]+|%)")
_DEGREE = re.compile(r"\^\s*(?:\{\s*∘\s*\}|∘)")
_MATH_MARKS = re.compile(r"\$+|\\\(|\\\)|\\\[|\\\]")
_ARROW_PAIR = re.compile("([A-Z]\u20d7?[A-Z])[\u20d6\u20d7]")  # AB⃗, as a text layer writes it
_ARROW = re.compile("([A-Za-z])[\u20d6\u20d7]")
_OVER_VECTOR = re.compile(r"(/\s*\d+)\s*(?=\\(?:vec|overrightarrow)\b)")  # nothing is divided by a vector: (1/3)a
_MARKDOWN = re.compile(r"\*\*|__(?!_)|`+")


def matching_brace(text: str, start: int) -> int:
    """Index of the `}` that closes the `{` at `start`, or -1; escaped braces do not count."""
    depth = 0
    index = start
    while index < len(text):
        char = text[index]
        if char == "\\":
            index += 2
            continue
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return index
        index += 1
    return -1


def _unwrap_fonts(text: str) -> str:
    """`\\mathrm{Fe}^{3+}` → `Fe^{3+}`; braces stay after `^` and `_`, where they bind."""
    for _ in range(60):
        found = _FONT.search(text)
        if found is None:
            break
        brace = found.end() - 1
        end = matching_brace(text, brace)
        if end < 0:
            text = text[: found.start()] + text[brace + 1 :]
            continue
        inner = text[brace + 1 : end]
        before = text[: found.start()].rstrip()
        if before.endswith(("^", "_")):
            inner = "{" + inner + "}"
        elif found.group().startswith("\\mathbb"):
            inner = {"R": "ℝ", "Z": "ℤ", "N": "ℕ", "Q": "ℚ"}.get(inner.strip(), inner)
        if re.search(r"\\[A-Za-z]+$", text[: found.start()]) and inner[:1].isalpha():
            inner = " " + inner  # \in\mathbf{N}: the command must still end before the letter
        text = text[: found.start()] + inner + text[end + 1 :]
    return _FONT_BARE.sub("", text)


def _command(match: re.Match[str]) -> str:
    name = match.group(1)
    symbol = _SYMBOLS.get(name)
    if symbol is None:
        return match.group()
    # a LaTeX name ends at a blank; the symbol needs none
    return symbol


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """The canonical spelling of an answer; whitespace is collapsed, not removed."""
    text = text[:MAX_ANSWER]
    if "\u20d7" in text or "\u20d6" in text:
        text = _ARROW_PAIR.sub(r"\\overrightarrow{\1}", text)
        text = _ARROW.sub(r"\\vec{\1}", text)
    text = _SUPER_RUN.sub(lambda m: "^{" + "".join(_SUPER_MAP[c] for c in m.group()) + "}", text)
    text = _SUB_RUN.sub(lambda m: "_{" + "".join(_SUB_MAP[c] for c in m.group()) + "}", text)
    if any(c in _VULGAR for c in text):
        for char, (top, bottom) in _VULGAR.items():
            text = text.replace(char, f"\\frac{{{top}}}{{{bottom}}}")
    for char, word in _CIRCLED.items():
        if char in text:
            text = text.replace(char, word)
    text = unicodedata.normalize("NFKC", text.translate(_CHARS).replace("℃", "°C")).translate(_CHARS)
    text = _MATH_MARKS.sub(" ", _MARKDOWN.sub("", text))
    if "\\" in text or "~" in text:
        text = text.replace("\\\\", "\u2028")  # a row break must not be read as a command
        text = _SPACING.sub(" ", _SIZES.sub("", text))
        text = text.replace("\\{", SET_OPEN).replace("\\}", SET_CLOSE).replace("\\|", "|").replace("\\%", "%")
        text = _FRACS.sub(r"\\frac", text)
        text = _OVER_VECTOR.sub(r"\1·", text)
        text = _unwrap_fonts(text)
        text = _COMMAND.sub(_command, text)
        text = text.replace("\\_", "_").replace("\\&", "&").replace("\u2028", "\\\\")
    text = _DEGREE.sub("°", text).replace("{,}", "").replace("{}", "").replace("∘", "°")
    text = text.replace("->", "→").replace("<=>", "⇌").replace("<=", "≤").replace(">=", "≥")
    return re.sub(r"\s+", " ", text).strip()


_EDGE = " \t\r\n.。,，;；:：、!！\"'"


def trim(text: str) -> str:
    """`tidy` text without sentence punctuation at its ends (a bracket or a sign is kept)."""
    text = text.strip().lstrip(".。,，;；:：、!！ ") if text[:1] != "." or not text[1:2].isdigit() else text.strip()
    return text.rstrip(_EDGE) if not text.endswith("!") else text


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """For comparing as text: tidy, no spaces inside Han text, no braces or subscript marks, case kept."""
    text = trim(tidy(text))
    text = re.sub(r"[{}_]|\\", "", text)
    text = re.sub(r"(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])", "", text)
    return text.strip()


_OPENERS, _CLOSERS = "([{" + SET_OPEN, ")]}" + SET_CLOSE


def split_top(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split at matches of `separator` that stand outside all brackets; interval brackets may be mixed."""
    pieces: list[str] = []
    depth = start = index = 0
    while index < len(text):
        char = text[index]
        if char in _OPENERS:
            depth += 1
        elif char in _CLOSERS:
            depth = max(0, depth - 1)
        elif depth == 0 and (found := separator.match(text, index)) and found.end() > index:
            pieces.append(text[start:index])
            start = index = found.end()
            continue
        index += 1
    pieces.append(text[start:])
    return pieces


def has_han(text: str) -> bool:
    """Whether Chinese characters occur."""
    return any("\u4e00" <= c <= "\u9fff" for c in text)
