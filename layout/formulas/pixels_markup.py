"""Signs of LaTeX that a recogniser writes for raised and lowered letters: nobody prints them."""

from __future__ import annotations

import re

from layout.ocr import Recognised

# Before a digit ^ is no printed sign either: ∧ stands between letters.
MARKUP = re.compile(r"[\^_]\{|\^(?=\d)")


def without_markup(read: Recognised) -> Recognised:
    """The reading without `^{`, `_{` and their closing brackets, and without a `^` before a digit."""
    gone: set[int] = set()
    for match in MARKUP.finditer(read.text):
        gone.update(range(*match.span()))
        if match.group().endswith("{"):
            close = read.text.find("}", match.end())
            inner = read.text[match.end() : close]
            if close >= 0 and "{" not in inner:
                gone.add(close)
    if not gone or len(read.spans) != len(read.text):
        return read
    kept = [n for n in range(len(read.text)) if n not in gone]
    return Recognised(
        "".join(read.text[n] for n in kept),
        read.confidence,
        tuple(read.spans[n] for n in kept),
        tuple(read.char_confidence[n] for n in kept),
    )
