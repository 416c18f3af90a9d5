"""From attempts to outcomes by rules alone, on several cores, each distinct answer once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from scoring.bank import BankItem, official_answers, question_text
from scoring.outcome import Gold, Outcome, mark
from scoring.profiles import Profile
from scoring.stats_items import chance_fraction
from wholepage.errors import WholepageError

CHUNK = 50
SERIAL_BELOW = 300  # fewer answers are marked in this process: workers take seconds to start

Pair = tuple[Gold, str]


def gold_of(item: BankItem, profile: Profile) -> Gold | None:
    """The official answer in the form that `mark` takes; None when the paper prints none."""
    question = item.question
    answers = official_answers(question)
    if not any(answer.strip() for answer in answers):
        return None
    policy = profile.outcome.multi_select
    return Gold(
        type=question.type,
        answer=tuple(answers),
        options={option.label: option.text for option in question.options} or None,
        policy="subset_half" if policy == "one_point_subset" else policy,
        points=question.points,
        question="\n".join(text for text in (question.section or "", question_text(question)) if text),
        subject=item.paper.subject or "",
    )


def apply_point_rule(outcome: Outcome, item: BankItem, profile: Profile) -> Outcome:
    """livek12-code: a proper subset of a multi-select key earns one point instead of a half (at most all points)."""
    question = item.question
    if profile.outcome.multi_select != "one_point_subset" or question.type != "multi_select":
        return outcome
    if outcome.verdict != "partial" or not question.points or question.points <= 0:
        return outcome
    fraction = min(1.0, 1.0 / question.points)
    parts = tuple(replace(p, fraction=fraction) if p.verdict == "partial" else p for p in outcome.parts)
    return replace(outcome, fraction=fraction, parts=parts, reason=f"{outcome.reason} (one point of the paper's)")


def chance_of(item: BankItem, profile: Profile) -> float | None:
    """Expected fraction (0–1) of a random answer to the question; None when it cannot be known."""
    question = item.question
    gold = gold_of(item, profile)
    if gold is None:
        return None

    def fraction_of(letters: str) -> float | None:
        return apply_point_rule(mark(gold, f"\\boxed{{{letters}}}"), item, profile).fraction

    key = "".join(sorted(gold.answer[0])) if len(gold.answer) == 1 else ""
    return chance_fraction(question.type, [o.label for o in question.options], key, fraction_of)


def decides(gold: Gold) -> bool:
    """Whether rules can mark this question at all: they must accept the key's own answer."""
    return mark(gold, " ".join(f"\\boxed{{{answer}}}" for answer in gold.answer)).verdict == "correct"


def _mark_many(pairs: Sequence[Pair]) -> list[Outcome]:
    return [mark(gold, response) for gold, response in pairs]


def _identity(pair: Pair) -> tuple[Any, ...]:
    gold, response = pair
    options = tuple(sorted(gold.options.items())) if gold.options else None
    return (gold.type, gold.answer, options, gold.policy, gold.points, gold.question, gold.subject, response)


def mark_all(
    pairs: Sequence[Pair | None], jobs: int = 1, progress: Callable[[int], None] | None = None
) -> list[Outcome | None]:
    """Mark (gold, response) pairs; the result has the order of `pairs`, None for None.

    Args:
        pairs: what to mark; equal pairs are marked once.
        jobs: worker processes; 1 marks in this process.
        progress: called with the number of answers done since the last call.
    """
    positions: dict[tuple[Any, ...], list[int]] = {}
    distinct: list[Pair] = []
    for index, pair in enumerate(pairs):
        if pair is None:
            continue
        key = _identity(pair)
        if key not in positions:
            positions[key] = []
            distinct.append(pair)
        positions[key].append(index)
    chunks = [distinct[i : i + CHUNK] for i in range(0, len(distinct), CHUNK)]
    result: list[Outcome | None] = [None] * len(pairs)
    slots = list(positions.values())
    done = 0
    for outcomes in _run(chunks, jobs if len(distinct) >= SERIAL_BELOW else 1):
        for outcome in outcomes:
            for index in slots[done]:
                result[index] = outcome
            if progress is not None:
                progress(len(slots[done]))
            done += 1
    return result


def _run(chunks: Sequence[Sequence[Pair]], jobs: int) -> Any:
    if jobs <= 1:
        yield from map(_mark_many, chunks)
        return
    # spawn: the parent may already run threads, which a fork would copy in an undefined state
    try:
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield from pool.map(_mark_many, chunks)
    except BrokenProcessPool as error:
        raise WholepageError(
            "A process that marked answers was killed, perhaps for want of memory.",
            hint="Run the same command again with --jobs 1.",
            code="marking.killed",
        ) from error
