"""Marking a response: extraction, the rule for the question's type, and the sum over its parts."""

from __future__ import annotations

import re
from dataclasses import replace

from scoring.extract import NOTHING, Found, extract_cleaned
from scoring.extract_choice import Chosen, beside_letter, choose
from scoring.extract_clean import Cleaned, clean
from scoring.joint_keys import joint_key
from scoring.outcome import Gold, Outcome, PartVerdict, Verdict
from scoring.rules import truefalse
from scoring.rules.choice import letters_of_key, multi_select_fraction, options_by_text
from scoring.rules.judged import Judged, Surroundings
from scoring.rules.part import judge_part
from wholepage.errors import WholepageError

MAX_EXTRACTED = 500  # characters of an extracted text that an outcome keeps


def mark_response(gold: Gold, response: str) -> Outcome:
    """See `scoring.outcome.mark`."""
    if not gold.answer or not any(a.strip() for a in gold.answer):
        part = PartVerdict("undecided", 0.0, "", "", "no_key", "the paper prints no answer")
        return Outcome("undecided", None, (part,), ("",), part.rule, part.reason)
    try:
        cleaned = clean(response)
        parts = _parts(gold, cleaned)
    except WholepageError:
        raise  # a missing package is the user's matter, not the response's
    except Exception as error:
        reason = f"the rules failed on this text ({type(error).__name__})"
        parts = tuple(PartVerdict("undecided", 0.0, "", "", "limits", reason) for _ in gold.answer)
    return _sum(parts)


def _parts(gold: Gold, cleaned: Cleaned) -> tuple[PartVerdict, ...]:
    if len(gold.answer) == 1 and gold.type in ("multiple_choice", "multi_select"):
        key = letters_of_key(gold.answer[0], gold.options)
        if key is not None:
            return (_choice(gold, key, choose(cleaned), cleaned),)
    if gold.type == "true_false" and all(truefalse.verdict(a) is not None for a in gold.answer):
        return _true_false(gold, cleaned)
    around = Surroundings(gold.question, cleaned.text)
    if gold.type == "proof":
        return tuple(_proof(item) for item in extract_cleaned(cleaned, len(gold.answer)))
    if len(gold.answer) == 1:
        keys, ordered = joint_key(gold.answer[0], gold.question)
        if len(keys) > 1:
            return _joint(gold.answer[0], keys, ordered, cleaned, around)
    return _several(gold.answer, cleaned, around)


def _several(keys: tuple[str, ...], cleaned: Cleaned, around: Surroundings) -> tuple[PartVerdict, ...]:
    found = _by_name(keys, extract_cleaned(cleaned, len(keys)))
    return tuple(_verdict(judge_part(key, item, around), item) for key, item in zip(keys, found, strict=True))


def _joint(
    whole: str, keys: tuple[str, ...], ordered: bool, cleaned: Cleaned, around: Surroundings
) -> tuple[PartVerdict, ...]:
    """One entry of a key with several answers; where their order is not certain, another order is left open."""
    parts = _several(keys, cleaned, around)
    if all(p.verdict == "correct" for p in parts):
        return parts
    [single] = extract_cleaned(cleaned, 1)
    as_one = judge_part(whole, single, around)
    if as_one.equal and as_one.rule == "identical":
        return tuple(replace(p, verdict="correct", fraction=1.0, rule="identical", reason=as_one.reason) for p in parts)
    if as_one.equal and not ordered:
        reason = "the key's values in another order"
        return tuple(replace(p, verdict="undecided", fraction=0.0, reason=reason) for p in parts)
    return parts


def _short(text: str) -> str:
    return text.strip()[:MAX_EXTRACTED]


def _verdict(judged: Judged, found: Found) -> PartVerdict:
    verdict: Verdict = "undecided" if judged.equal is None else "correct" if judged.equal else "wrong"
    fraction = 1.0 if verdict == "correct" else 0.0
    return PartVerdict(verdict, fraction, _short(judged.text or found.text), found.where, judged.rule, judged.reason)


def _proof(found: Found) -> PartVerdict:
    if not found.text and not found.conflict:
        return PartVerdict("wrong", 0.0, "", found.where, "no_answer", "the response gives no answer here")
    return PartVerdict("undecided", 0.0, _short(found.text), found.where, "proof", "a proof needs a judge")


def _choice(gold: Gold, key: str, chosen: Chosen, cleaned: Cleaned) -> PartVerdict:  # noqa: PLR0911
    letters, rule = chosen.letters, "choice_letters"
    if chosen.conflict:
        return PartVerdict("undecided", 0.0, _short(chosen.text), chosen.where, "extraction", chosen.conflict)
    if not letters and chosen.rest and gold.options:
        named = options_by_text(chosen.rest, gold.options)
        if named is None and not cleaned.refused:
            return PartVerdict(
                "undecided",
                0.0,
                _short(chosen.text),
                chosen.where,
                "option_text",
                "it cannot be told which option this names",
            )
        letters, rule = named or "", "option_text"
    if not letters:
        return _no_letter(gold, chosen, cleaned)
    if rule == "choice_letters" and gold.options and len(letters) == 1:
        other = _other_option(letters, chosen, gold.options)
        if other:
            reason = f"the letter {letters}, but the text of option {other}"
            return PartVerdict("undecided", 0.0, _short(chosen.text), chosen.where, rule, reason)
    if gold.type == "multi_select":
        fraction, reason = multi_select_fraction(key, letters, gold.policy, gold.question, gold.points)
        verdict: Verdict = "correct" if fraction >= 1 else "partial" if fraction > 0 else "wrong"
        return PartVerdict(verdict, fraction, letters, chosen.where, rule, reason)
    if len(letters) > 1 and letters != key:
        return PartVerdict("wrong", 0.0, letters, chosen.where, rule, "several letters where one is asked")
    right = letters == key
    reason = "the key's letter" if right else "another letter"
    return PartVerdict("correct" if right else "wrong", float(right), letters, chosen.where, rule, reason)


def _other_option(letter: str, chosen: Chosen, options: dict[str, str]) -> str:
    """The option whose text stands beside another option's letter (`B: ¾` where ¾ is A); '' without such a clash."""
    beside = beside_letter(chosen.text)
    if not beside or letter not in options:
        return ""
    named = options_by_text(beside, options)
    return named if named and letter not in named else ""


def _no_letter(gold: Gold, chosen: Chosen, cleaned: Cleaned) -> PartVerdict:
    """No option chosen: wrong where none is named, undecided where words may name one that is not known here."""
    text = _short(chosen.text)
    if not chosen.rest or cleaned.refused or gold.options or cleaned.unfinished:
        return PartVerdict("wrong", 0.0, text, chosen.where, "no_answer", "no option is chosen")
    return PartVerdict("undecided", 0.0, text, chosen.where, "option_text", "words, and the options are not known")


def _true_false(gold: Gold, cleaned: Cleaned) -> tuple[PartVerdict, ...]:
    count = len(gold.answer)
    found = extract_cleaned(cleaned, count)
    parts = []
    for key, item in zip(gold.answer, found, strict=True):
        wanted = truefalse.verdict(key)
        text = item.text
        given = truefalse.verdict(text) if text else None
        if given is None and text:
            given = truefalse.verdict_in(re.split(r"[。\n]", text)[0])
        if given is None:
            if (text and not cleaned.refused) or item.conflict:
                parts.append(
                    PartVerdict(
                        "undecided",
                        0.0,
                        _short(text),
                        item.where,
                        "true_false",
                        item.conflict or "no verdict could be read",
                    )
                )
            else:
                parts.append(PartVerdict("wrong", 0.0, "", item.where, "no_answer", "no verdict is given"))
            continue
        right = given is wanted
        parts.append(
            PartVerdict(
                "correct" if right else "wrong",
                float(right),
                _short(text),
                item.where,
                "true_false",
                "the key's verdict" if right else "the opposite verdict",
            )
        )
    return tuple(parts)


_NAMED = re.compile(r"^\s*\$?\s*([A-Za-z](?:_\{?\w{1,3}\}?)?)\s*=")


def _by_name(keys: tuple[str, ...], found: list[Found]) -> list[Found]:
    """Answers given by name (y = 1, x = 2) in the key's order, where both sides name the same distinct letters."""
    if len(keys) < 2:
        return found
    wanted = [m.group(1) if (m := _NAMED.match(k)) else "" for k in keys]
    given = {m.group(1): item for item in found if (m := _NAMED.match(item.text))}
    if all(wanted) and set(wanted) == set(given) and len(set(wanted)) == len(keys):
        return [given.get(name, NOTHING) for name in wanted]
    return found


def _sum(parts: tuple[PartVerdict, ...]) -> Outcome:
    extracted = tuple(p.extracted for p in parts)
    rules = list(dict.fromkeys(p.rule for p in parts))
    rule = "+".join(rules)
    if any(p.verdict == "undecided" for p in parts):
        first = next(p for p in parts if p.verdict == "undecided")
        return Outcome("undecided", None, parts, extracted, rule, first.reason)
    fraction = round(sum(p.fraction for p in parts) / len(parts), 10)
    verdict: Verdict = "correct" if fraction == 1 else "wrong" if fraction == 0 else "partial"
    reason = (
        parts[0].reason if len(parts) == 1 else f"{sum(p.fraction == 1 for p in parts)} of {len(parts)} parts right"
    )
    return Outcome(verdict, fraction, parts, extracted, rule, reason)
