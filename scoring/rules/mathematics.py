"""Marking mathematical answers: read both sides, compare, then precision and form."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.rules.compare import compare
from scoring.rules.compare_scalars import Finding
from scoring.rules.factored import form_doubt
from scoring.rules.judged import Surroundings
from scoring.rules.normalise import has_han, tidy, trim
from scoring.rules.numerals import number_word, number_words_in
from scoring.rules.precision import lost_zero, within_precision
from scoring.rules.printed import (
    by_printed_degrees,
    by_printed_percent,
    by_printed_unit,
    printed_units,
    prints_degrees,
    prints_percent,
)
from scoring.rules.read import read
from scoring.rules.statement import from_number, last_formula, only_number, readings, without_discarded, without_tail
from scoring.rules.tree import Unreadable, symbols
from scoring.rules.values import Formula, Quantity, Value

Verdict = tuple[bool | None, str]


_NEGATION = re.compile(
    r"大于|小于|多于|少于|高于|低于|超过|不足|不到|以上|以下|以内|之间|\b(?:more|less|greater|fewer) than\b"
    r"|\bover\b|\bunder\b"
    r"|\bbetween\b|\bat (?:least|most)\b|\bup to\b|[<>≤≥]|不等|不是|不为|并非|不可能|≠|\\ne(?:q|)\b|\bnot\b|n't\b"
)
_AMBIGUOUS_UNIT = re.compile(r"[\d})](?:[A-Za-z]|mg)$")  # 2m, 3mg: metres, or the letter m


@dataclass(frozen=True, slots=True)
class Reading:
    """A value and the text it was read from; `sure` is false for a formula picked out of a sentence."""

    value: Value
    text: str
    sure: bool = True


def read_key(gold: str) -> Value | None:
    """The value of a key, also of one in a sentence (最大速度为 20 m/s); None when it is words or several values."""
    for text in readings(gold):
        prefix = gold[: gold.find(text)] if text in gold else ""
        if re.search(r"[\d$\\]", prefix) and text != gold.strip():
            return None  # a sentence with other values before this one
        if _says_more(gold, text):
            return None  # `2，增大`: the rest is a part of the answer
        try:
            return read(text)
        except Unreadable:
            word = number_word(trim(tidy(text)))
            if word is not None:
                return read(word)
            if re.search(r"[\d\\]", text) is None:
                return None
    return None


def _says_more(gold: str, reading: str) -> bool:
    """Whether a key goes on after `reading` with more than a remark in brackets or a full stop."""
    bare = without_tail(gold)
    at = bare.find(reading)
    return at >= 0 and bool(re.search(r"\w", bare[at + len(reading) :]))


def read_response(text: str, *, pick: bool) -> Reading | None:
    """The value that a statement gives; `pick` allows one formula or number to be taken out of a sentence."""
    for candidate in readings(text):
        try:
            return Reading(read(candidate), candidate)
        except Unreadable:
            word = number_word(trim(tidy(candidate)))
            if word is not None:
                return Reading(read(word), candidate)
    text = without_discarded(text)
    if not pick or _NEGATION.search(text):
        return None
    for picked in (last_formula(text), from_number(tidy(text)), only_number(tidy(text)), _only_word(text)):
        if picked is not None:
            try:
                return Reading(read(picked), picked, sure=False)
            except Unreadable:
                continue
    return None


def _only_word(text: str) -> str | None:
    if re.search(r"\d", text) or has_han(text):
        return None
    words = number_words_in(text)
    return words[0] if len(words) == 1 else None


_MEASURE = re.compile(
    r"\d\s*((?:[千百十]?[万亿])?(?:元|角|分|岁|年|月|周|天|日|号|层|楼|级|折|倍|成|名|圈|度|斤|两|亩))(?![一-鿿])"
)


def other_measure(gold: str, given: str) -> str:
    """Why equal numbers do not agree: 3 元 and 3 角. '' where the measure words agree or one side has none."""
    ours, theirs = _MEASURE.findall(tidy(gold)), _MEASURE.findall(tidy(given))
    if not ours or not theirs or ours[-1] == theirs[-1]:
        return ""
    myriads = {ours[-1].lstrip("千百十万亿"), theirs[-1].lstrip("千百十万亿")}
    return "" if len(myriads) == 1 else f"{theirs[-1]} where the key has {ours[-1]}"


def _in_printed_unit(gold: Value, given: Value, question: str) -> Verdict | None:
    """Where the question prints the unit or the per cent sign behind the blank; None elsewhere."""
    if not isinstance(gold, Formula):
        return None
    if isinstance(given, Quantity) and not symbols(gold.parsed.node) and (units := printed_units(question)):
        return by_printed_unit(gold, given, units)
    if isinstance(given, Formula) and prints_percent(question) and by_printed_percent(gold, given):
        return True, "the per cent sign is printed behind the blank"
    if isinstance(given, Formula) and prints_degrees(question) and by_printed_degrees(gold, given):
        return True, "the degree sign is printed behind the blank"
    return None


def compare_values(gold: Value, given: Value, around: Surroundings) -> Verdict:  # noqa: PLR0911
    """Equal, unequal or open, with precision and the asked form taken into account."""
    surroundings = around.text
    printed = _in_printed_unit(gold, given, around.question)
    if printed is not None and printed[0] is not True:
        return printed
    finding = Finding(True, printed[1]) if printed is not None else compare(gold, given)
    if finding.unit_only:
        if isinstance(gold, Quantity):
            return None, "the unit is missing; whether it counts depends on the question"
        if isinstance(given, Quantity) and _AMBIGUOUS_UNIT.search(given.whole):
            return None, "a unit, or letters of an expression"
        doubt = lost_zero(gold, given, surroundings)
        return (None, doubt) if doubt else (True, "the key leaves the unit to the question")
    if finding.equal or (finding.name_only and isinstance(gold, Formula) and not gold.name):
        doubt = lost_zero(gold, given, surroundings)
        if doubt:
            return None, doubt
        form = form_doubt(gold, given, surroundings)
        return form if form is not None else (True, finding.reason)
    if finding.equal is False:
        close_enough = within_precision(gold, given)
        if close_enough is not None:
            return close_enough
    return finding.equal, finding.reason
