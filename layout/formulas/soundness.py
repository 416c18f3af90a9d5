"""Whether a formula can be what was printed: its LaTeX compiles, and it holds no character that formulas never hold."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from xml.etree.ElementTree import Element

from layout.formulas.latex import parses
from layout.formulas.symbols import COMMANDS

MAX_LATEX = 3000  # characters; nothing longer is typeset
TEXT = re.compile(r"\\(?:text|mbox|operatorname)\s*\{[^{}]*\}")
COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.S)
# What the converter did not understand stands in its output as a symbol.
LEFT_OVER = re.compile(r"\\|&$")
ARGUMENTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|gathered|split|cases|rcases)\}")  # as tables to the converter
STRANGE_ASCII = frozenset('"`@#$\x7f')
CIRCLED = frozenset(map(chr, range(0x2460, 0x2474)))
KNOWN = frozenset(c for key in COMMANDS for c in key) | CIRCLED | frozenset("▱□⊙⌒‰℃Åμ′″")
NO_FORMULA = frozenset({"Co", "Cn", "Cs", "Cc", "Cf", "Lo", "Lu", "Ll", "Lt", "Lm", "Sc", "Sk", "Mn", "Me"})


@lru_cache(maxsize=8192)
def compiles(latex: str) -> bool:
    """Whether `latex` (without dollar signs) is well formed and every command in it is known to the converter."""
    if not latex.strip() or len(latex) > MAX_LATEX or not parses(latex):
        return False
    from latex2mathml.converter import convert_to_element

    try:
        return _is_whole(convert_to_element(ALIGNED.sub(r"\\\1{matrix}", latex)))
    except Exception:  # the converter raises many kinds, each of which means the same here
        return False


def _is_whole(element: Element) -> bool:
    """Whether nothing in the converter's output is left over and every element has its parts."""
    if element.tag in ("mi", "mo", "mn") and LEFT_OVER.match(element.text or ""):
        return False
    return len(element) >= ARGUMENTS.get(element.tag, 0) and all(_is_whole(child) for child in element)


def strange(latex: str) -> str:
    """The characters of a formula that no formula holds, each once: letters of other scripts, quotes, private codes.

    Words in `\\text{…}` may hold any letter.
    """
    bare = COMMAND.sub(" ", TEXT.sub(" ", latex))
    found = "\ufffd" if "\ufffd" in latex else ""
    return found + "".join(c for c in dict.fromkeys(bare) if c != "\ufffd" and _is_strange(c))


def _is_strange(char: str) -> bool:
    if char.isascii():
        return char in STRANGE_ASCII or (not char.isprintable() and not char.isspace())
    if char in KNOWN or _is_greek(char):
        return False
    return unicodedata.category(char) in NO_FORMULA


def _is_greek(char: str) -> bool:
    return unicodedata.name(char, "").startswith(("GREEK", "MATHEMATICAL"))
