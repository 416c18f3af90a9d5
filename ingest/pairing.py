"""Which file is the answer key of which paper, by their names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.names import natural_key

# What stands after (or before) a paper's name when the file is its key. Chinese words may follow directly, Latin ones
# need a separator (a "monkey" is no key). 解析版 is a paper that carries its answers, not a key.
_SEPARATOR = r"[\s_\-–—.,·:+()（）\[\]【】《》]"
_KEY_ZH = (
    r"(?:参考|标准|试题|试卷|简要|详细|简单)*答案(?:(?:及|和|与)?(?:评分标准|评分细则|评分参考|解析|详解))?版?|"
    r"评分标准|评分细则|评分参考"
)
_KEY_EN = (
    r"(?:model[\W_]*)?(?:answers?|solutions?)(?:[\W_]*(?:keys?|sheets?|schemes?))?|"
    r"keys?|mark(?:ing)?[\W_]*schemes?|ms|rubric"
)
_COPY = rf"(?:{_SEPARATOR}*(?:copy|副本|\d|\(\d+\)))?{_SEPARATOR}*$"  # what a second download adds
_AT_END = re.compile(rf"(?:{_KEY_ZH}|(?<=[\W_])(?:{_KEY_EN})){_COPY}")
_AT_START = re.compile(rf"^{_SEPARATOR}*(?:{_KEY_ZH}|{_KEY_EN}){_SEPARATOR}+")
_MS_TOKEN = re.compile(r"(?<![a-z0-9])ms(?![a-z0-9])")  # 0620_s23_ms_42 is the key of 0620_s23_qp_42
# The file holds questions as well, or says that it has no answers: 含简单答案, 试题及答案, "with answers", 无答案.
_BOTH = re.compile(
    r"(?:含|附|带|有|无|没有)[^\W_]{0,4}$|(?:\b|_)(?:with|without|and|no|incl|including)[\W_]*$|[&+及和与][\W_]*$"
)
_PAPER_TAIL = re.compile(
    rf"{_SEPARATOR}*(?:试题|试卷|题目版|题目|原卷版|原卷|空白卷|学生版|question{_SEPARATOR}?papers?|questions?|paper|qp)"
    rf"{_SEPARATOR}*$"
)
_QP_TOKEN = re.compile(r"(?<![a-z0-9])qp(?![a-z0-9])")


@dataclass(frozen=True, slots=True)
class Pair:
    """A paper and its key file, if it has one."""

    paper: Path
    answers: Path | None = None


def key_stem(name: str) -> str | None:
    """What the paper of this key file should be called, normalised; None when the name is not a key's."""
    stem = _plain(name)
    for pattern in (_AT_END, _AT_START, _MS_TOKEN):
        match = pattern.search(stem)
        if match is None or _BOTH.search(stem[: match.start()]):
            continue
        rest = _squeezed(stem[: match.start()] + " " + stem[match.end() :])
        if rest:
            return rest
    return None


def paper_stems(name: str) -> set[str]:
    """Normalised names under which a key may refer to this paper."""
    stem = _plain(name)
    single = re.sub(rf"{_SEPARATOR}*\(\d+\){_SEPARATOR}*$", "", stem)  # a second download
    shorter = (single, _PAPER_TAIL.sub("", single), _QP_TOKEN.sub("", stem))
    return {_squeezed(stem), *map(_squeezed, shorter)} - {""}


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
    if len(chosen) > 1:  # X.pdf and X.jpg: the one of the key's own kind
        chosen = [p for p in chosen if p.suffix.casefold() == key.suffix.casefold()]
    return chosen[0] if len(chosen) == 1 else None


def _plain(name: str) -> str:
    """The name without suffix, NFKC, lower case. A folder's or hidden file's whole name is kept."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"\.(pdf|png|jpe?g|webp|tiff?|zip)$", "", text)


def _squeezed(stem: str) -> str:
    """Without separators. Between two digits one stays: 1-12 and 11-2 are different papers."""
    marked = re.sub(rf"(?<=\d){_SEPARATOR}+(?=\d)", "~", stem)
    return re.sub(_SEPARATOR + "+", "", marked)
