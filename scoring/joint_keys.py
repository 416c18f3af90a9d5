"""Keys that hold the answers to several blanks in one entry: `C2H4O2；羧基；取代反应`, `(1) 2 (2) 增大`."""

from __future__ import annotations

import re

from scoring.extract import split_labels
from scoring.rules.normalise import split_top

MAX_PIECES = 20
MAX_PIECE = 60  # longer pieces are sentences, which a semicolon joins into one explanation
_STRONG = re.compile(r"\s*[；;\n]\s*")
_COMMA = re.compile(r"\s*[,，]\s*")
_BLANK = re.compile(r"(?:\\?_){2,}")
_REMARK = re.compile(r"不唯一|合理即可|例如|或者|[(（]或|##")
_NAMED = re.compile(r"^\$?\s*([A-Za-z])_\{?\d\}?\s*=")


def blanks(question: str) -> int:
    """Blanks that a question prints."""
    return len(_BLANK.findall(question))


def joint_key(key: str, question: str) -> tuple[tuple[str, ...], bool]:
    """(the answers in one entry of a key, whether their order is certain); (key,) alone when it is one answer.

    A semicolon or labels (1) (2) part answers; a comma does where the question prints as many blanks. Without that
    number of blanks the pieces might be values in no order. Roots x₁, x₂ and what the key remarks on stay whole.
    """
    whole = ((key,), True)
    if _REMARK.search(key) or len(key) > MAX_PIECES * MAX_PIECE:
        return whole
    expected = blanks(question)
    labelled = _labelled(key)
    if labelled:
        return labelled, True
    for separator, needs_blanks in ((_STRONG, False), (_COMMA, True)):
        pieces = tuple(p.strip() for p in _split(key.strip().rstrip("。.；;"), separator))
        if not 2 <= len(pieces) <= MAX_PIECES or not all(pieces) or any(len(p) > MAX_PIECE for p in pieces):
            continue
        if (needs_blanks and len(pieces) != expected) or _is_roots(pieces):
            continue
        return pieces, len(pieces) == expected
    return whole


def _split(key: str, separator: re.Pattern[str]) -> list[str]:
    """Split outside brackets and outside formulas."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"\x00{len(kept) - 1}\x00"

    masked = re.sub(r"\$\$.+?\$\$|\$[^$\n]*\$|\\\(.+?\\\)|\\begin.*?\\end\{\w+\}", hide, key, flags=re.DOTALL)
    pieces = split_top(masked, separator)
    return [re.sub("\x00(\\d+)\x00", lambda m: kept[int(m.group(1))], p) for p in pieces]


def _is_roots(pieces: tuple[str, ...]) -> bool:
    names = [m.group(1) if (m := _NAMED.match(piece)) else "" for piece in pieces]
    return bool(names[0]) and len(set(names)) == 1


def _labelled(key: str) -> tuple[str, ...] | None:
    if not re.match(r"\s*(?:[(（]\s*1\s*[)）]|①)", key):
        return None
    for count in range(MAX_PIECES, 1, -1):
        found = split_labels(key, count)
        if found and all(found):
            return tuple(found)
    return None
