"""Several answers of one model to the same question: pass@1, pass@k, majority vote, self-consistency."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EpochAnswer:
    """One marked epoch: the answer as extracted (None: none found) and whether it is fully right."""

    answer: str | None
    correct: bool


def pass_at_1(answers: Sequence[EpochAnswer]) -> float | None:
    """Share of epochs that are right; None without epochs."""
    return sum(a.correct for a in answers) / len(answers) if answers else None


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Unbiased pass@k = 1 - C(n - c, k) / C(n, k) of n epochs with c right (Chen et al. 2021, arXiv 2107.03374).

    None when there are fewer than k epochs.

    Raises:
        ValueError: k < 1, or c outside 0…n.
    """
    if k < 1 or not 0 <= c <= n:
        raise ValueError(f"pass@k needs k ≥ 1 and 0 ≤ c ≤ n, got n={n}, c={c}, k={k}")
    if n < k:
        return None
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def answer_classes(answers: Sequence[EpochAnswer]) -> list[str | None]:
    """A class for each epoch: all right answers are one class, wrong ones are told apart by their text.

    Text is compared after NFKC, without spaces, math delimiters and case. Epochs without an answer get None.
    """
    classes: list[str | None] = []
    for item in answers:
        if item.correct:
            classes.append("\0right")
        elif item.answer is None or not item.answer.strip():
            classes.append(None)
        else:
            classes.append(re.sub(r"[\s$]+|\\[()\[\],;!]", "", unicodedata.normalize("NFKC", item.answer)).casefold())
    return classes


def majority_vote(answers: Sequence[EpochAnswer]) -> float | None:
    """Whether the most frequent answer is right: 1 or 0; on a tie the share of tied answers that are right.

    Epochs without an answer do not vote; when none has one the vote is wrong (0). None without epochs.
    """
    if not answers:
        return None
    votes = Counter(c for c in answer_classes(answers) if c is not None)
    if not votes:
        return 0.0
    top = max(votes.values())
    tied = [c for c, count in votes.items() if count == top]
    return tied.count("\0right") / len(tied)


def self_consistency(answers: Sequence[EpochAnswer]) -> float | None:
    """Share of epochs that give the most frequent answer, right or wrong; None without epochs."""
    if not answers:
        return None
    votes = Counter(c for c in answer_classes(answers) if c is not None)
    return max(votes.values(), default=0) / len(answers)
