"""Which file is the answer key of which paper, by their names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.names import natural_key

# What stands after a paper's name when the file is its key. Chinese words may follow directly, Latin ones need a
# separator (a "monkey" is no key). 含答案, 及答案 and 解析版 are papers that carry their answers, not keys.
_SEPARATOR = r"[\s_\-–—.,·()（）\[\]【】《》]"
_KEY_ZH = (
    r"(?<![含附带有和与及无])(?:试题|试卷)?(?:参考答案|标准答案|答案)"
    r"(?:(?:及|和|与)?(?:评分标准|评分细则|评分参考|解析|详解))?"
)
_KEY_EN = r"(?:answers?(?:[\s_\-]?(?:key|sheet|scheme))?|key|mark(?:ing)?[\s_\-]?schemes?|solutions?|ms|rubric)"
_KEY = re.compile(
    rf"^(?P<stem>.+?)(?:{_SEPARATOR}*{_KEY_ZH}|{_SEPARATOR}+{_KEY_EN})(?:{_SEPARATOR}*\d?{_SEPARATOR}*)$", re.IGNORECASE
)
_PAPER_TAIL = re.compile(
    rf"{_SEPARATOR}*(?:试题|试卷|题目版|题目|原卷版|原卷|空白卷|学生版|question{_SEPARATOR}?papers?|questions?|paper|qp)"
    rf"{_SEPARATOR}*$",
    re.IGNORECASE,
)
_MS_TOKEN = re.compile(r"(?<![a-z0-9])ms(?![a-z0-9])", re.IGNORECASE)  # 0620_s23_ms_42 is the key of 0620_s23_qp_42
_QP_TOKEN = re.compile(r"(?<![a-z0-9])qp(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pair:
    """A paper and its key file, if it has one."""

    paper: Path
    answers: Path | None = None


def key_stem(name: str) -> str | None:
    """What the paper of this key file should be called, normalised; None when the name is not a key's."""
    stem = _plain(name)
    match = _KEY.match(stem)
    if match:
        return _squeezed(match["stem"])
    if _MS_TOKEN.search(stem):
        return _squeezed(_MS_TOKEN.sub("", stem))
    return None


def paper_stems(name: str) -> set[str]:
    """Normalised names under which a key may refer to this paper."""
    stem = _plain(name)
    return {_squeezed(stem), _squeezed(_PAPER_TAIL.sub("", stem)), _squeezed(_QP_TOKEN.sub("", stem))} - {""}


def pair_files(paths: Iterable[Path]) -> list[Pair]:
    """Join papers with their keys, folder by folder.

    A key without a paper among `paths` is returned as a paper of its own, as is every key beyond the first that
    fits a paper: nothing is left out. Papers come in the order given.
    """
    items = list(dict.fromkeys(paths))
    owner: dict[Path, Path] = {}
    taken: set[Path] = set()
    for key in sorted(items, key=lambda p: natural_key(p.name)):
        paper = find_paper(key, [p for p in items if p not in taken and p not in owner])
        if paper is not None and paper not in owner.values():
            owner[key] = paper
            taken.add(paper)
    answers = {paper: key for key, paper in owner.items()}
    return [Pair(p, answers.get(p)) for p in items if p not in owner]


def find_paper(key: Path, candidates: Sequence[Path]) -> Path | None:
    """The one paper in the key's folder that `key` belongs to; None when there is none or more than one."""
    stem = key_stem(key.name)
    if stem is None:
        return None
    fitting = [p for p in candidates if p != key and p.parent == key.parent and stem in paper_stems(p.name)]
    exact = [p for p in fitting if _squeezed(_plain(p.name)) == stem]
    chosen = exact or fitting
    return chosen[0] if len(chosen) == 1 else None


def _plain(name: str) -> str:
    """The name without suffix, NFKC, lower case. A folder's or hidden file's whole name is kept."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"\.(pdf|png|jpe?g|webp|tiff?|zip)$", "", text)


def _squeezed(stem: str) -> str:
    return re.sub(_SEPARATOR + "+", "", stem)
