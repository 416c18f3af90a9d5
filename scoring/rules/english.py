"""English words and phrases: case and contractions do not matter; another form or another function word is wrong."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

Finding = tuple[bool | None, str]

MAX_WORDS = 5
_CONTRACTIONS = (("won't", "will not"), ("can't", "can not"), ("cannot", "can not"), ("n't", " not"), ("'re", " are"),
                 ("'ve", " have"), ("'ll", " will"), ("'m", " am"))  # fmt: skip
_VARIANTS = ((r"our(?=\b|s\b|ed\b|ing\b|ful\b|ite\b|able\b)", "or"), (r"is(?=e\b|es\b|ed\b|ing\b|ation)", "iz"),
             (r"ys(?=e\b|ed\b|es\b|ing\b)", "yz"), (r"(?<=t)re\b", "er"), (r"ll(?=ed\b|ing\b|er\b)", "l"),
             (r"ogue\b", "og"), (r"grey", "gray"), (r"(?<=c)entre", "enter"), (r"ence\b", "ense"),
             (r"mme\b", "m"))  # fmt: skip


@lru_cache(maxsize=1)
def _tables() -> tuple[frozenset[str], dict[str, frozenset[int]]]:
    """(function words, word → numbers of its families) of english.txt."""
    function_words: set[str] = set()
    families: dict[str, set[int]] = {}
    text = resources.files("scoring.rules").joinpath("english.txt").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines()):
        if line.startswith("+"):
            function_words.update(line[1:].split())
        elif not line.startswith("#"):
            for word in line.lower().split():
                families.setdefault(word, set()).add(number)
    return frozenset(function_words), {word: frozenset(numbers) for word, numbers in families.items()}


def words(text: str) -> list[str]:
    """Lower-case words with contractions written out and hyphens as blanks."""
    text = text.lower().replace("’", "'").replace("-", " ")
    for short, long in _CONTRACTIONS:
        text = text.replace(short, long)
    return re.findall(r"[a-z0-9']+|[^\sa-z0-9'.,!?;:\"]", text)


def compare_phrases(left: str, right: str) -> Finding:
    """Whether two phrases are the same; None where they may mean the same in other words."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z\s'’.,!?;:\"-]*", left) or not re.fullmatch(
        r"[A-Za-z][A-Za-z\s'’.,!?;:\"-]*", right
    ):
        return None, "not words alone"
    if not (_is_words(left) and _is_words(right)):
        return (False, "other letters") if left.isupper() and right.isupper() else (None, "letters and words")
    ours, theirs = words(left), words(right)
    if ours == theirs:
        return True, "the same words"
    if max(len(ours), len(theirs)) > MAX_WORDS:
        return None, "sentences that only a judge can compare"
    if [_spelling(w) for w in ours] == [_spelling(w) for w in theirs]:
        return None, "spelling variants"
    return _forms(ours, theirs)


def _is_words(text: str) -> bool:
    """Ordinary capitalisation: CO, Aa and pH are not words."""
    tokens = re.findall(r"[A-Za-z']+", text)
    return bool(tokens) and all(t == "I" or t.islower() or (t[0].isupper() and t[1:].islower() and len(t) > 1) or
                                t in ("A", "TV") for t in tokens)  # fmt: skip


def _spelling(word: str) -> str:
    for pattern, replacement in _VARIANTS:
        word = re.sub(pattern, replacement, word)
    return word


def _forms(ours: list[str], theirs: list[str]) -> Finding:
    """Wrong where only function words or the forms of one word differ."""
    function_words = _tables()[0]
    if len(ours) == len(theirs):
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
        if all(_form_of_one_word(a, b) or {a, b} <= function_words for a, b in pairs):
            return False, "another form or function word"
        if any({a, b} & function_words for a, b in pairs) and len(ours) == 1:
            return False, "a function word against another word"
        return None, "other words, which may mean the same"
    content = [[w for w in side if w not in function_words] for side in (ours, theirs)]
    if len(content[0]) == len(content[1]) and all(
        a == b or _form_of_one_word(a, b) for a, b in zip(*content, strict=True)
    ):
        return False, "another form of the phrase"
    return None, "other words, which may mean the same"


def _form_of_one_word(a: str, b: str) -> bool:
    """Inflections, derivations and misspellings: a long common beginning, few edits in a long word, or irregular."""
    families = _tables()[1]
    if families.get(a, frozenset()) & families.get(b, frozenset()):
        return True
    common = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        common += 1
    shorter = min(len(a), len(b))
    if common >= 3 and common >= shorter - 2 and common * 2 >= max(len(a), len(b)):
        return True
    return shorter >= 4 and _edits(a, b) <= (1 if shorter < 6 else 2)


def _edits(a: str, b: str) -> int:
    if abs(len(a) - len(b)) > 2 or max(len(a), len(b)) > 40:
        return 99
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]
