"""Numbers in words: twelve, 十二, 三个."""

from __future__ import annotations

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TIES = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: number for number, word in enumerate(_SMALL.split())}
_TENS = {word: (number + 2) * 10 for number, word in enumerate(_TIES.split())}
_HAN = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_COUNT_WORD = r"(?:个|种|条|次|人|组|只|张|根|对|块|位|倍|项|名|件|类|段|面)?"
_HAN_NUMBER = re.compile(
    rf"^(?:([一二两三四五六七八九])?百)?(?:零)?(?:([一二三四五六七八九])?(十))?([零〇一二两三四五六七八九])?{_COUNT_WORD}$"
)
_ENGLISH_WORD = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[\s-]({'|'.join(list(_ENGLISH)[1:10])}))?|({'|'.join(_ENGLISH)}))\b(?:\s+(hundred))?",
    re.IGNORECASE,
)


def number_word(text: str) -> str | None:
    """Digits for a number written in words in full, or None."""
    text = text.strip()
    found = _ENGLISH_WORD.fullmatch(text)
    if found:
        return str(_english(found))
    if not text or len(text) > 8:
        return None
    han = _HAN_NUMBER.match(text)
    if han is None or not any(han.groups()):
        return None
    value = (_HAN[han.group(1)] if han.group(1) else 1) * 100 if "百" in text else 0
    if han.group(3):
        value += (_HAN[han.group(2)] if han.group(2) else 1) * 10
    if han.group(4):
        value += _HAN[han.group(4)]
    return str(value)


def _english(found: re.Match[str]) -> int:
    tens, ones, small, hundred = found.groups()
    value = _TENS[tens.lower()] + (_ENGLISH[ones.lower()] if ones else 0) if tens else _ENGLISH[small.lower()]
    return value * 100 if hundred else value


def number_words_in(sentence: str) -> list[str]:
    """Digits of every English number word in a sentence."""
    return [str(_english(m)) for m in _ENGLISH_WORD.finditer(sentence)]
