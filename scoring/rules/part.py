"""One part: which rule compares a key with what was found, and its verdict.

The key's kind chooses the rule; a response of another kind is wrong where kinds exclude each other and undecided
where only a judge can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from scoring.extract import Found
from scoring.extract_choice import letters_only
from scoring.extract_clean import claims_to_match, refuses
from scoring.rules import keys
from scoring.rules.biology import genotypes
from scoring.rules.chem import Formula, electron_configuration, looks_chemical, read_formula, same_formula
from scoring.rules.chem_equation import ChemicalEquation, read_equation, same_equation
from scoring.rules.direction import compare_directions, is_direction
from scoring.rules.english import words
from scoring.rules.fallback import expressions_equal
from scoring.rules.lexer import FUNCTIONS
from scoring.rules.mathematics import compare_values, read_key, read_response
from scoring.rules.normalise import has_han, tidy, trim
from scoring.rules.statement import readings
from scoring.rules.terms import compare_terms, is_known
from scoring.rules.tree import Unreadable


@dataclass(frozen=True, slots=True)
class Judged:
    """equal True, False or None (open), the rule that said so, its reason, and the text that it read."""

    equal: bool | None
    rule: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else a rule may look at: the question's text and the response."""

    question: str = ""
    response: str = ""

    @property
    def text(self) -> str:
        """Both, shortened."""
        return f"{self.question[-2000:]}\n{self.response[-4000:]}"


def judge_part(gold: str, found: Found, around: Surroundings) -> Judged:
    """The verdict on one part. Never raises on any text."""
    if not found.text:
        if found.conflict:
            return Judged(None, "extraction", found.conflict, "")
        return Judged(False, "no_answer", "the response gives no answer here", "")
    if found.conflict:
        return Judged(None, "extraction", found.conflict, found.text)
    if claims_to_match(found.text) and not claims_to_match(gold):
        return Judged(False, "no_answer", "claims to match the key instead of answering", found.text)
    if refuses(found.text) and not refuses(gold) and not re.search(r"\d", found.text):
        return Judged(False, "no_answer", "declines to answer", found.text)
    if keys.names_no_answer(gold):
        return Judged(None, "no_key", "the key gives no answer to compare with", found.text)
    if (identical := _identical(gold, found)) is not None:
        return identical
    bare, open_ended = keys.split_not_unique(keys.without_label(gold))
    sure, perhaps = keys.alternatives(bare)
    results = [_compare(alternative, found, around) for alternative in sure]
    best = next((r for r in results if r.equal), None)
    if best is not None:
        return best
    results += [_compare(alternative, found, around) for alternative in perhaps]
    worst = next((r for r in results if r.equal is None), None)
    if worst is not None:
        return worst
    if any(r.equal for r in results):
        return Judged(None, "key_alternatives", "the words in the key's brackets", found.text)
    if open_ended:
        return Judged(None, "key_alternatives", "the key names one of several right answers", found.text)
    return results[0]


def _compare(gold: str, found: Found, around: Surroundings) -> Judged:
    identical = _identical(gold, found)
    if identical is not None:
        return identical
    for rule in _RULES:
        judged = rule(gold, found, around)
        if judged is not None:
            return judged
    return Judged(None, "none", "no rule applies", found.text)


def _squeeze(text: str) -> str:
    return re.sub(r"\s", "", trim(tidy(text)))


def _identical(gold: str, found: Found) -> Judged | None:
    key = _squeeze(gold)
    for text in readings(found.text):
        if _squeeze(text) == key:
            return Judged(True, "identical", "written as in the key", text)
    return None


_STATEMENTS = re.compile(r"^(?:\(\d{1,2}\)[\s,，、;；和]*)+$")


def _labels(text: str) -> frozenset[str] | None:
    compact = trim(tidy(text))
    return frozenset(re.findall(r"\d{1,2}", compact)) if _STATEMENTS.match(compact) else None


def _by_labels(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """Numbers of statements (②③) or option letters in a blank."""
    ours = _labels(gold)
    if ours is not None:
        for text in readings(found.text):
            theirs = _labels(text)
            if theirs is None and re.fullmatch(r"[\d,，、\s]+", tidy(text)):
                theirs = frozenset(re.findall(r"\d{1,2}", text)) if len(ours) > 1 else frozenset([text.strip()])
            if theirs is not None:
                return Judged(ours == theirs, "labels", "numbers of statements compared as a set", text)
        return None
    key = trim(tidy(gold)).replace(" ", "")
    if re.fullmatch(r"[A-J](?:[,，、]?[A-J]){0,7}", key):
        for text in readings(found.text):
            letters = letters_only(text)
            if letters and not re.fullmatch("[a-j]", text.strip()):
                wanted = "".join(sorted(set(re.findall("[A-J]", key))))
                return Judged(letters == wanted, "letters", "letters compared as a set", text)
    return None


def _by_genotype(gold: str, found: Found, around: Surroundings) -> Judged | None:
    ours = genotypes(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = genotypes(text)
        if theirs is not None:
            return Judged(ours == theirs, "genotype", "genotypes compared as a set", text)
    return None


def _by_configuration(gold: str, found: Found, around: Surroundings) -> Judged | None:
    ours = electron_configuration(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = electron_configuration(text)
        if theirs is not None:
            if ours[0] != theirs[0]:
                return Judged(None, "electron_configuration", "full against noble-gas form", text)
            return Judged(ours[1] == theirs[1], "electron_configuration", "subshells compared", text)
    return Judged(None, "electron_configuration", "no electron configuration found", found.text)


def _try_equation(text: str) -> ChemicalEquation | None:
    try:
        return read_equation(text)
    except Unreadable:
        return None


def _by_equation(gold: str, found: Found, around: Surroundings) -> Judged | None:
    ours = _try_equation(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = _try_equation(text)
        if theirs is not None:
            equal, reason = same_equation(ours, theirs)
            return Judged(equal, "chemical_equation", reason, text)
    return Judged(None, "chemical_equation", "no chemical equation could be read", found.text)


_FORMULA_LIST = re.compile(r"\s*(?:[、;；]|,(?!\d)|，|和|与|及|\band\b)\s*")


@lru_cache(maxsize=2048)
def _formulas(text: str) -> tuple[Formula, ...] | None:
    pieces = [p for p in _FORMULA_LIST.split(trim(tidy(text))) if p.strip()]
    if not pieces or len(pieces) > 12:
        return None
    try:
        return tuple(read_formula(p) for p in pieces)
    except Unreadable:
        return None


def _by_formula(gold: str, found: Found, around: Surroundings) -> Judged | None:
    ours = _formulas(gold)
    if ours is None or not any(looks_chemical(f) or len(f.atoms) > 1 for f in ours):
        return None
    for text in readings(found.text):
        theirs = _formulas(text)
        if theirs is None:
            continue
        if len(ours) != len(theirs):
            return Judged(False, "chemical_formula", "another number of formulas", text)
        table = [[same_formula(a, b) for b in theirs] for a in ours]
        if all(any(row[j] for row in table) for j in range(len(theirs))) and all(any(row) for row in table):
            return Judged(True, "chemical_formula", "the same formulas", text)
        maybe = all(any(e is not False for e in row) for row in table)
        return Judged(None if maybe else False, "chemical_formula",
                      "the same atoms written otherwise" if maybe else "another formula", text)  # fmt: skip
    return None


_DIRECTION_CUT = re.compile(r"\s*[,，;；]\s*")


def _by_direction(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """A value with its direction, or a direction alone."""
    if not is_direction(gold):
        return None
    key_value, key_direction = _value_and_direction(gold)
    value, direction = _value_and_direction(found.text)
    if key_direction is None:
        return None
    if key_value is None:
        candidates = [r for r in readings(found.text) if is_direction(r)]
        for text in candidates:
            if compare_directions(key_direction, text)[0]:
                return Judged(True, "direction", "the same direction", text)
        if not candidates:
            return None
        equal, reason = compare_directions(key_direction, candidates[-1])
        return Judged(equal, "direction", reason, candidates[-1])
    ours = read_key(key_value)
    theirs = read_response(value, strong=True) if value else None
    if ours is None or theirs is None:
        return Judged(None, "direction", "the value beside the direction cannot be read", found.text)
    equal, reason = compare_values(ours, theirs.value, around.text)
    if equal is False:
        return Judged(False, "direction", f"value: {reason}", found.text)
    if direction is None:
        return Judged(None, "direction", "the direction is missing", found.text)
    same, why = compare_directions(key_direction, direction)
    if same is False:
        return Judged(False, "direction", why, found.text)
    return Judged(True if equal and same else None, "direction", f"{reason}; {why}", found.text)


def _value_and_direction(text: str) -> tuple[str | None, str | None]:
    pieces = [p for p in _DIRECTION_CUT.split(tidy(text)) if p]
    directions = [p for p in pieces if is_direction(p) and not re.search(r"\d", p)]
    values = [p for p in pieces if re.search(r"\d|\\", p)]
    if len(pieces) == 1 and len(values) == 1 and is_direction(text):
        cut = re.search(r"\s*(?:,?\s*方向|(?:水平|竖直)?[向朝][上下左右东西南北里外]|\bto the\b|\b(?:upwards?|downwards?|left|right|north|south|east|west)\b)", pieces[0])  # fmt: skip
        if cut and cut.start():
            return pieces[0][: cut.start()], pieces[0][cut.start() :]
        return None, None
    return (values[0] if len(values) == 1 else None), (directions[-1] if directions else None)


_LATIN = re.compile(r"^[A-Za-z][A-Za-z\s'’.,!?;:\"-]*$")


def is_wordy(text: str) -> bool:
    """Whether a text is words rather than symbols: `an`, `was written`, but not `mg`, `sin x`, `BIL`."""
    bare = trim(tidy(text))
    if not _LATIN.match(bare):
        return False
    tokens = [t for t in words(bare) if len(t) > 1]
    return any(re.search("[aeiouy]", t) for t in tokens if t not in FUNCTIONS) and not bare.isupper()


def _by_mathematics(gold: str, found: Found, around: Surroundings) -> Judged | None:
    if is_wordy(gold):
        return None
    ours = read_key(gold)
    if ours is None:
        return _fallback(gold, found)
    if is_wordy(found.text) and found.strong and read_response(found.text, strong=False) is None:
        return Judged(None, "mathematics", "words where the key has a value", found.text)
    given = read_response(found.text, strong=found.strong)
    if given is None:
        return _fallback(gold, found) or Judged(None, "mathematics", "no value could be read", found.text)
    equal, reason = compare_values(ours, given.value, around.text)
    if equal is False and not given.sure and not found.strong:
        return Judged(None, "mathematics", f"unequal, but read out of a sentence: {reason}", given.text)
    return Judged(equal, "mathematics", reason, given.text)


def _fallback(gold: str, found: Found) -> Judged | None:
    """Notation that the own parser does not know (integrals, sums, limits): math-verify, in both directions."""
    for text in readings(found.text):
        equal = expressions_equal(gold, text)
        if equal:
            return Judged(True, "math_verify", "equal by math-verify in both directions", text)
        if equal is None:
            continue
        return Judged(None, "math_verify", "not shown to be equal", text)
    return None


def _by_words(gold: str, found: Found, around: Surroundings) -> Judged | None:
    candidates = [r for r in readings(found.text) if len(r) <= 200]
    for text in candidates:
        if compare_terms(gold, text)[0]:
            return Judged(True, "words", "the same words", text)
    usable = [c for c in candidates if found.strong or is_known(c)] or ([found.text] if found.strong else [])
    if not usable:
        return Judged(None, "words", "no short answer in words was found", found.text)
    text = usable[0] if is_known(usable[0]) else usable[-1]
    if read_key(gold) is None and not has_han(text) and re.fullmatch(r"[-\d.\s]+", tidy(text)) and len(tidy(gold)) <= 12:
        return Judged(False, "words", "a number where the key has words", text)
    equal, reason = compare_terms(gold, text)
    if equal:
        return Judged(True, "words", reason, text)
    return Judged(equal, "words", reason, text)


_RULES: tuple[Callable[[str, Found, Surroundings], Judged | None], ...] = (
    _by_labels,
    _by_genotype,
    _by_configuration,
    _by_equation,
    _by_formula,
    _by_direction,
    _by_mathematics,
    _by_words,
)
