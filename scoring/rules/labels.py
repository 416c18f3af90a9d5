"""Numbers of statements (②③), option letters in a blank, and chains of letters (a < b < c): sets and orders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.extract import Found
from scoring.extract_choice import letters_only
from scoring.rules.judged import Judged, Surroundings
from scoring.rules.normalise import tidy, trim
from scoring.rules.statement import readings

_STATEMENTS = re.compile(r"^(?:\(\d{1,2}\)[\s,，、;；和→-]*)+$")
_KEY_LETTERS = re.compile(r"[A-H](?:[,，、→-]?[A-H]){0,9}")
_LETTERS = re.compile(r"[A-H](?:\s*(?:[,，、→-]|和)?\s*[A-H]){0,9}")
_ORDER = re.compile(
    r"顺序|次序|排序|排列|先后|依次|[由从][大高多强快长]到[小低少弱慢短]|[由从][小低少弱慢短]到[大高多强快长]"
    r"|\border\b|\bsequence\b",
    re.IGNORECASE,
)


def _labels(text: str) -> tuple[str, ...] | None:
    compact = trim(tidy(text))
    return tuple(re.findall(r"\d{1,2}", compact)) if _STATEMENTS.match(compact) else None


def by_labels(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """Numbers of statements (②③) or option letters in a blank; None for other keys."""
    ours = _labels(gold)
    if ours is not None:
        for text in readings(found.text):
            theirs = _labels(text)
            if theirs is None and re.fullmatch(r"[\d,，、\s]+", tidy(text)):
                theirs = tuple(re.findall(r"\d{1,2}", text)) if len(ours) > 1 else (text.strip(),)
            if theirs is not None:
                return _order_or_set(ours, theirs, around, "labels", text)
        return None
    key = trim(tidy(gold)).replace(" ", "")
    if _KEY_LETTERS.fullmatch(key):
        for text in readings(found.text):
            if re.fullmatch("[a-h]", text.strip()):
                continue
            spelled = tidy(text).replace("{", "").replace("}", "").strip(" .。")
            if _LETTERS.fullmatch(spelled) or letters_only(text):
                given = re.findall("[A-H]", spelled)
                return _order_or_set(re.findall("[A-H]", key), given, around, "letters", text)
    return None


def _order_or_set(ours: Sequence[str], theirs: Sequence[str], around: Surroundings, rule: str, text: str) -> Judged:
    """An ascending key is a set, one that is not states an order; where the question asks for an order all do.

    The same members in another order are wrong only where both say so, and open where one of them does.
    """
    if tuple(ours) == tuple(theirs):
        return Judged(True, rule, "the same, in the same order", text)
    if set(ours) != set(theirs):
        return Judged(False, rule, "others than the key's", text)
    asked = _ORDER.search(around.question) is not None
    ascending = list(ours) == sorted(set(ours), key=lambda item: (len(item), item))
    if ascending and not asked:
        return Judged(True, rule, "those of the key, as a set", text)
    return Judged(None if ascending or not asked else False, rule, "those of the key in another order", text)


_MEMBER = re.compile(
    r"[A-Za-zα-ωΓ-Ω](?:_(?:\{\w{1,6}\}|\w))?'?(?:\([^()<>=]{1,12}\))?|[一-鿿]{1,6}|\(\d{1,2}\)|[A-Z]_?\w", re.ASCII
)
_CHAIN_MARK = re.compile(r"\s*([<>=≤≥])\s*")
_TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "="}


def _chain(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """(members, relations) in ascending order; members that are equal are sorted. None for anything else."""
    pieces = _CHAIN_MARK.split(trim(tidy(text)))
    members, marks = pieces[::2], pieces[1::2]
    if len(members) < 3 or len(set(members)) != len(members) or set(marks) <= {"="}:
        return None
    if not all(_MEMBER.fullmatch(member) for member in members):
        return None
    if set(marks) & {">", "≥"}:
        if set(marks) & {"<", "≤"}:
            return None
        members, marks = members[::-1], [_TURNED[mark] for mark in marks[::-1]]
    return _equals_sorted(members, marks), tuple(marks)


def _equals_sorted(members: Sequence[str], marks: Sequence[str]) -> tuple[str, ...]:
    groups = [[members[0]]]
    for member, mark in zip(members[1:], marks, strict=True):
        if mark == "=":
            groups[-1].append(member)
        else:
            groups.append([member])
    return tuple(member for group in groups for member in sorted(group))


def by_chain(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """An order of three or more names, a < b < c, from either end; None for other keys."""
    ours = _chain(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = _chain(text)
        if theirs is None:
            continue
        if ours == theirs:
            return Judged(True, "chain", "the same order", text)
        if set(ours[0]) == set(theirs[0]):
            return Judged(False, "chain", "another order", text)
        return Judged(None, "chain", "an order of other names", text)
    return None
