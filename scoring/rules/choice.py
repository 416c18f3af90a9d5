"""Marking choices: single, multi-select by policy, and options that a response names by their text."""

from __future__ import annotations

import re

from scoring.rules.compare import compare
from scoring.rules.normalise import plain, tidy
from scoring.rules.read import read
from scoring.rules.statement import readings
from scoring.rules.tree import Unreadable

_PARTIAL = re.compile(
    r"(?:部分选对|选对但不全|选对(?:部分)?(?:而|但)不全|少选|漏选|不全)[^，,。;；\d]{0,8}(?:得"
    r"|给)\s*(\d+(?:\.\d+)?)\s*分"
)
_PER_OPTION = re.compile(r"每(?:选|答)对(?:一|1)?个?(?:选项|项)?(?:得|给)\s*(\d+(?:\.\d+)?)\s*分")
_FULL = re.compile(
    r"(?:全部选对|全对|全选对)[^，,。;；\d]{0,6}(?:得|给)?\s*(\d+(?:\.\d+)?)\s*分|每(?:小)?题\s*(\d+(?:\.\d+)?)\s*分"
)
_NO_PARTIAL = re.compile(r"(?:部分选对|少选|漏选|多选|不选)[^。;；]{0,16}(?:不得分|不给分|得\s*0\s*分|均得\s*0)")


def options_by_text(text: str, options: dict[str, str]) -> str | None:
    """Letters of the options that `text` names by their text or value; '' when it names none, None when unclear.

    Each piece of a list must be exactly one option's text (or equal in value); a sentence must end with one.
    """
    words = _words(text)
    exact = [label for label, option in options.items() if words and _words(option) == words]
    if len(exact) == 1:
        return exact[0]
    pieces = [p.strip() for p in re.split(r"\s*[,，、;；]\s*|\s+and\s+|和|与", text) if p.strip()]
    if 1 < len(pieces) <= len(options):
        letters = [_one_option(p, options) for p in pieces]
        if all(letters):
            return "".join(sorted({letter for letter in letters if letter}))
    return _one_option(text, options)


def _one_option(text: str, options: dict[str, str]) -> str | None:
    for candidate in readings(text):
        words = _words(candidate)
        same = [label for label, option in options.items() if words and _words(option) == words]
        if len(same) == 1:
            return same[0]
    values: dict[str, bool | None] = {}
    value = None
    for candidate in readings(text):
        try:
            value = read(candidate)
            break
        except Unreadable:
            continue
    if value is None:
        return None
    for label, option in options.items():
        try:
            values[label] = compare(read(option), value).equal
        except Unreadable:
            values[label] = None
    equal = [label for label, same_ in values.items() if same_]
    if len(equal) == 1:
        return equal[0]
    return None if equal or None in values.values() else ""


def _words(text: str) -> str:
    bare = re.sub(r"^\s*(?:the|an?)\s+(?=\w{2})", "", plain(tidy(text)), flags=re.IGNORECASE)
    return re.sub(r"[\s*。.,，;；:：\"'“”]", "", bare).casefold()


def letters_of_key(key: str, options: dict[str, str] | None) -> str | None:
    """Sorted letters of a choice key; None when the key is no letters and names no option."""
    bare = re.sub(r"[\s,，、;；.。()（）{}$和与及]|and", "", tidy(key))
    if re.fullmatch(r"[A-H]+", bare.upper()) and (bare.isupper() or len(bare) == 1):
        return "".join(sorted(set(bare.upper())))
    if options:
        return options_by_text(key, options) or None
    return None


def multi_select_fraction(key: str, chosen: str, policy: str, question: str, points: float | None) -> tuple[float, str]:  # noqa: PLR0911
    """(fraction 0–1, reason). A wrong letter earns nothing under every policy.

    all_or_nothing: 1 or 0. subset_half: a proper subset earns 0.5. per_option: hits over letters of the key.
    paper: the rule that the question's text prints (部分选对得 2 分; 每选对一个得 2 分), else as subset_half.
    """
    right, given = set(key), set(chosen)
    if given == right:
        return 1.0, "all letters of the key and no other"
    if not given:
        return 0.0, "no letter"
    wrong = given - right
    if wrong:
        return 0.0, f"wrong letter {''.join(sorted(wrong))}"
    hits = len(given) / len(right)
    named = f"{len(given)} of {len(right)} letters, none wrong"
    if policy == "all_or_nothing":
        return 0.0, f"{named}; all or nothing"
    if policy == "per_option":
        return hits, named
    if policy == "paper":
        return _paper_rule(len(given), len(right), question, points, named)
    return 0.5, f"{named}; half"


def _paper_rule(given: int, right: int, question: str, points: float | None, named: str) -> tuple[float, str]:
    full = points
    if full is None and (found := _FULL.search(question)):
        full = float(found.group(1) or found.group(2))
    if full and (each := _PER_OPTION.search(question)):
        return min(1.0, float(each.group(1)) * given / full), f"{named}; {each.group(1)} points each"
    if full and (some := _PARTIAL.search(question)):
        return min(1.0, float(some.group(1)) / full), f"{named}; {some.group(1)} of {full:g} points"
    if _NO_PARTIAL.search(question):
        return 0.0, f"{named}; the paper gives nothing for a part"
    return 0.5, f"{named}; the paper prints no rule, half"
