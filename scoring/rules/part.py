"""One part: which rule compares a key with what was found, and its verdict.

The key's kind chooses the rule; a response of another kind is wrong where kinds exclude each other and undecided
where only a judge can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from scoring.extract import Found
from scoring.extract_clean import claims_to_match, refuses
from scoring.rules import keys
from scoring.rules.biology import genotypes
from scoring.rules.english import words
from scoring.rules.fallback import expressions_equal
from scoring.rules.judged import Judged, Surroundings
from scoring.rules.labels import by_chain, by_labels
from scoring.rules.lexer import FUNCTIONS
from scoring.rules.mathematics import compare_values, other_measure, read_key, read_response
from scoring.rules.normalise import has_han, tidy, trim
from scoring.rules.part_chem import by_configuration, by_equation, by_formula
from scoring.rules.part_direction import by_direction
from scoring.rules.statement import readings
from scoring.rules.terms import compare_terms, is_known

_HEDGED = re.compile(
    r"(?<!等)可能|或许|也许|大概率|也可以?是|否则|\b(?:otherwise|maybe|perhaps|possibly|might|could be)\b",
    re.IGNORECASE,
)


def _is_hedged(gold: str, found: Found) -> bool:
    """Whether an answer is given with reserve (也可能是 3), which a strict teacher does not accept as given."""
    return bool(_HEDGED.search(found.text)) and not _HEDGED.search(gold)


def judge_part(gold: str, found: Found, around: Surroundings) -> Judged:  # noqa: PLR0911
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
    if (identical := _identical(gold, found)) is not None and not _is_hedged(gold, found):
        return identical
    judged = [_against_key(reading, found, around) for reading in keys.without_label(gold)]
    if len({one.equal for one in judged}) > 1:
        return Judged(None, "key_label", "the key may begin with a label or with a factor", found.text)
    return judged[0]


def _against_key(gold: str, found: Found, around: Surroundings) -> Judged:
    """The verdict on one part against a key without its label."""
    bare, open_ended = keys.split_not_unique(gold)
    sure, perhaps = keys.alternatives(bare)
    results = [_compare(alternative, found, around) for alternative in sure]
    best = next((r for r in results if r.equal), None)
    if best is not None:
        return Judged(None, best.rule, "given with reserve", best.text) if _is_hedged(gold, found) else best
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


def _by_genotype(gold: str, found: Found, around: Surroundings) -> Judged | None:
    ours = genotypes(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = genotypes(text)
        if theirs is not None:
            return Judged(ours == theirs, "genotype", "genotypes compared as a set", text)
    return None


_LATIN = re.compile(r"^[A-Za-z][A-Za-z\s'’.,!?;:\"-]*$")


def is_wordy(text: str) -> bool:
    """Whether a text is words rather than symbols: `an`, `was written`, but not `mg`, `sin x`, `BIL`."""
    bare = trim(tidy(text))
    if not _LATIN.match(bare):
        return False
    tokens = [t for t in words(bare) if len(t) > 1]
    return any(re.search("[aeiouy]", t) for t in tokens if t not in FUNCTIONS) and not bare.isupper()


def _by_mathematics(gold: str, found: Found, around: Surroundings) -> Judged | None:  # noqa: PLR0911
    if is_wordy(gold):
        return None
    ours = read_key(gold)
    if ours is None:
        return _fallback(gold, found)
    if is_wordy(found.text) and found.strong and read_response(found.text, pick=True) is None:
        return Judged(None, "mathematics", "words where the key has a value", found.text)
    given = read_response(found.text, pick=found.where not in ("box", "JSON answer"))
    if given is None:
        return _fallback(gold, found) or Judged(None, "mathematics", "no value could be read", found.text)
    equal, reason = compare_values(ours, given.value, around)
    if equal and (other := other_measure(gold, found.text)):
        return Judged(None, "mathematics", other, given.text)
    if (
        equal is False
        and not found.strong
        and (not given.sure or (found.where == "last sentence" and type(ours) is not type(given.value)))
    ):
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
    if (
        read_key(gold) is None
        and not has_han(text)
        and re.fullmatch(r"[-\d.\s]+", tidy(text))
        and len(tidy(gold)) <= 12
    ):
        return Judged(False, "words", "a number where the key has words", text)
    equal, reason = compare_terms(gold, text)
    if equal:
        return Judged(True, "words", reason, text)
    return Judged(equal, "words", reason, text)


_RULES: tuple[Callable[[str, Found, Surroundings], Judged | None], ...] = (
    by_labels,
    by_chain,
    _by_genotype,
    by_configuration,
    by_equation,
    by_formula,
    by_direction,
    _by_mathematics,
    _by_words,
)
