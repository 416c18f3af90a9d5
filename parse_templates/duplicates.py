"""Near-duplicates among questions: the same text but for slips, spacing and the order of options.

Questions whose n-grams of characters fall together under MinHash are compared (blocking), so the work grows with the
number of alike questions and not with the square of all. Numbers, signs and negations count: with other ones, the same
words are a variant and no duplicate.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from parse_templates.checks_context import IMAGE, asked, plain
from wholepage.records import Question

GRAM, GRAM_WIDE = 5, 3  # characters of an n-gram in alphabetic and in ideographic text
BANDS, ROWS = 28, 5  # of MinHash
SEED = 20
CROWD = 64  # of more questions in one bucket only neighbours are compared
ALIKE = 88.0  # similarity (0-100) of stems and options from which two questions are the same
ALIKE_PART = 70.0  # and that of each of the two for itself
MIN_LETTERS = 10  # shorter questions are the same only when they are equal

NO_LETTER = re.compile(r"[\W\d_]+")
IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
SIGN = re.compile(
    r"[+×÷<>≤≥≠±−=/^√∫∑]|(?<![A-Za-z])-|\\(?:sqrt|frac|sin|cos|tan|log|ln|lim|max|min|int|sum|le|ge|ne)\b"
)
NEGATION = re.compile(
    r"不正确|不可能|不一定|不属于|不包括|不能|不会|不是|错误|正确|有误|最大|最小|最多|最少|增大|减小|"
    r"\bnot\b|\bexcept\b|\bincorrect\b|\bcorrect\b|\bfalse\b|\btrue\b|\bleast\b|\bmost\b|\bcannot\b|"
    r"\bmaximum\b|\bminimum\b|\bincreases?\b|\bdecreases?\b",
    re.I,
)
Kind = Literal["duplicate", "variant"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A question as it is compared. `stem` and `options` have no digits, space or punctuation; `numbers` are those of
    stem and parts in order, then those of the options sorted by option; `sense` its signs and negations likewise."""

    key: str
    stem: str
    options: tuple[str, ...]
    numbers: tuple[str, ...]
    sense: tuple[str, ...]
    pictured: bool = False

    @property
    def letters(self) -> int:
        """Characters that are compared."""
        return len(self.stem) + sum(map(len, self.options))


@dataclass(frozen=True, slots=True)
class Match:
    """Two alike questions, by index, the earlier first; `score` 0-100."""

    first: int
    second: int
    kind: Kind
    score: float


def entry_of(key: str, question: Question) -> Entry:
    """What of a question is compared: stem, parts and options, not its answer."""
    texts = asked(question)
    cut = len(texts) - len(question.options)
    pictured = bool(question.figures) or any(o.figure for o in question.options) or bool(IMAGE.search(question.stem))
    return make_entry(key, " ".join(texts[:cut]), texts[cut:], pictured)


def make_entry(key: str, stem: str, options: Sequence[str] = (), pictured: bool = False) -> Entry:
    """An entry from the texts of stem and options."""
    body, choices = _plain(stem), sorted(_plain(o) for o in options)
    numbers = [*NUMBER.findall(body), *(n for text in choices for n in NUMBER.findall(text))]
    sense = [s.lower() for text in (body, *choices) for p in (NEGATION, SIGN) for s in p.findall(text)]
    return Entry(key, _skeleton(body), tuple(sorted(map(_skeleton, choices))), tuple(numbers), tuple(sense), pictured)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", plain(text)).replace("−", "-").casefold()


def _skeleton(text: str) -> str:
    """Letters only: what stays when numbers, markup, space and punctuation are taken off."""
    return NO_LETTER.sub("", text)


def find_matches(entries: Sequence[Entry], workers: int = 2) -> list[Match]:
    """All pairs of alike entries, sorted. `workers` are threads that compare.

    Entries with equal text are chained, each to the one before it, so that a thousand copies make no half a million
    pairs.
    """
    groups: defaultdict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        if entry.letters:
            groups[entry.stem, entry.options].append(index)
    matches = [m for members in groups.values() for m in _same_text(members, entries)]
    heads = [members[0] for members in groups.values() if entries[members[0]].letters >= MIN_LETTERS]
    pairs = candidate_pairs([entries[i] for i in heads])
    left = [heads[int(i)] for i in pairs[:, 0]]
    right = [heads[int(i)] for i in pairs[:, 1]]
    texts = {members[0]: members for members in groups.values()}
    for match in compare(entries, left, right, workers):
        matches.extend(_joined(match, texts[match.first], texts[match.second], entries))
    return sorted(matches, key=lambda m: (m.first, m.second))


def _joined(match: Match, ours: Sequence[int], theirs: Sequence[int], entries: Sequence[Entry]) -> list[Match]:
    """The matches of two alike texts, each of which may stand with several sets of numbers: equal ones pair up."""
    by_sense = {_counted(entries[i]): i for i in reversed(ours)}
    pairs = [(by_sense[key], i) for i in theirs if (key := _counted(entries[i])) in by_sense]
    return [Match(min(p), max(p), "duplicate", match.score) for p in pairs] or [match]


def _counted(entry: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(sorted(entry.numbers)), tuple(sorted(entry.sense))


def _same_text(members: Sequence[int], entries: Sequence[Entry]) -> list[Match]:
    """Questions whose letters are equal: duplicates are joined to the last of their numbers, variants to the last."""
    last: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
    out = []
    for before, index in pairwise([-1, *members]):
        entry = entries[index]
        if entry.letters < MIN_LETTERS and (entry.pictured or not entry.numbers):
            continue  # 求下列各式的值 says nothing of what is in its figure or formula
        same = last.get((entry.numbers, entry.sense))
        if same is not None:
            out.append(Match(same, index, "duplicate", 100.0))
        elif before >= 0 and entry.letters >= MIN_LETTERS:
            out.append(Match(before, index, "variant", 100.0))
        last[entry.numbers, entry.sense] = index
    return out


def candidate_pairs(entries: Sequence[Entry]) -> NDArray[np.int64]:
    """Pairs (i < j) whose n-grams fall together in at least one band of MinHash, as an array of shape (pairs, 2).

    Two questions with Jaccard similarity J of their n-grams are compared with probability 1 − (1 − J^ROWS)^BANDS
    (Broder 1997; Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.4): 0.90 at 0.6, 0.99 at 0.7, 0.01 at 0.2.
    """
    pairs: list[NDArray[np.int64]] = []
    signatures = _signatures(entries)
    size = len(entries)
    for band in range(BANDS if size else 0):
        own = signatures[:, band]
        order = np.argsort(own, kind="stable")
        ordered = own[order]
        for step in range(1, CROWD):  # each member of a bucket with the one `step` places behind it
            same = ordered[step:] == ordered[:-step] if step < size else np.empty(0, bool)
            if not same.any():
                break
            i, j = order[:-step][same], order[step:][same]
            pairs.append(np.minimum(i, j).astype(np.int64) * size + np.maximum(i, j))
    if not pairs:
        return np.empty((0, 2), np.int64)
    unique = np.unique(np.concatenate(pairs))
    return np.stack([unique // size, unique % size], axis=1)


def _signatures(entries: Sequence[Entry]) -> NDArray[np.uint64]:
    """One number a band for every entry; shape (entries, BANDS). Entries without n-grams get numbers of their own."""
    rng = np.random.default_rng(SEED)
    factors = rng.integers(1, 2**31, (BANDS * ROWS, 1), dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    offsets = rng.integers(0, 2**32, (BANDS * ROWS, 1), dtype=np.uint32)
    mix = rng.integers(1, 2**63, ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    out = np.empty((len(entries), BANDS), np.uint64)
    for index, entry in enumerate(entries):
        grams = _grams(entry)
        if not len(grams):
            out[index] = np.uint64(index)
            continue
        low = (factors * grams + offsets).min(axis=1).reshape(BANDS, ROWS)  # modulo 2^32
        out[index] = (low * mix).sum(axis=1, dtype=np.uint64)
    return out


def _grams(entry: Entry) -> NDArray[np.uint32]:
    """Hashes of the distinct n-grams of an entry, none across two options."""
    wide = len(IDEOGRAPH.findall(entry.stem))
    size = GRAM_WIDE if wide > 0.3 * len(entry.stem) else GRAM
    found = [_hashed(text, size) for text in (entry.stem, *entry.options) if len(text) >= size]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.uint32)


def _hashed(text: str, size: int) -> NDArray[np.uint32]:
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    out = np.zeros(len(codes) - size + 1, np.uint64)
    for k in range(size):  # a polynomial hash modulo 2^64
        out = out * np.uint64(0x9E3779B97F4A7C15) + codes[k : len(codes) - size + 1 + k]
    return (out >> np.uint64(32)).astype(np.uint32)  # the high bits are the well mixed ones


def compare(entries: Sequence[Entry], left: Sequence[int], right: Sequence[int], workers: int = 1) -> list[Match]:
    """The pairs of `left` and `right` that are alike enough."""
    from rapidfuzz.process import cpdist

    if not left:
        return []
    stems = cpdist(
        [entries[i].stem for i in left],
        [entries[j].stem for j in right],
        scorer=fuzz.ratio,
        score_cutoff=ALIKE_PART,
        workers=workers,
    )
    out = []
    for i, j, stem in zip(left, right, stems, strict=True):
        score = _score(entries[i], entries[j], float(stem)) if stem or not entries[i].stem else 0.0
        if score >= ALIKE:
            first, second = sorted((i, j))
            out.append(Match(first, second, _kind(entries[i], entries[j]), round(score, 1)))
    return out


def _score(a: Entry, b: Entry, stem: float) -> float:
    """Similarity of two questions: of stems and options by their lengths; 0 when one of them is too different."""
    if not a.options and not b.options:
        return stem
    if len(a.options) != len(b.options):
        return 0.0
    choice = _options(a.options, b.options)
    long_stem = len(a.stem) + len(b.stem)
    long_options = a.letters + b.letters - long_stem
    if choice < ALIKE_PART or not long_stem + long_options:
        return 0.0
    return (stem * long_stem + choice * long_options) / (long_stem + long_options)


def _options(a: Sequence[str], b: Sequence[str]) -> float:
    """Similarity (0-100) of two sets of options in whatever order, each taken once, weighted by length."""
    rest = list(b)
    total = weight = 0.0
    for text in sorted(a, key=len, reverse=True):
        best = max(rest, key=lambda other: fuzz.ratio(text, other) if text or other else 100.0)
        rest.remove(best)
        size = max(len(text), len(best))
        total += size * (fuzz.ratio(text, best) if size else 100.0)
        weight += size
    return total / weight if weight else 100.0


def _kind(a: Entry, b: Entry) -> Kind:
    return "duplicate" if _counted(a) == _counted(b) else "variant"


def pair_of(a: Entry, b: Entry) -> Match | None:
    """The match of two entries compared directly, without blocking; None when they are not alike."""
    if (a.stem, a.options) == (b.stem, b.options):
        found = _same_text([0, 1], [a, b])
    else:
        found = compare([a, b], [0], [1]) if min(a.letters, b.letters) >= MIN_LETTERS else []
    return found[0] if found else None


def entries_of(questions: Iterable[tuple[str, Question]]) -> list[Entry]:
    """Entries of questions under their keys."""
    return [entry_of(key, question) for key, question in questions]
