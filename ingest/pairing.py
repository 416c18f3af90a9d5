"""Join a paper with its answer key by their names: X.pdf with X-答案.pdf, X_answers.pdf, X mark scheme.pdf and kin."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from ingest.names import IMAGE_SUFFIXES, natural_key

DOCUMENT_SUFFIXES = IMAGE_SUFFIXES | {".pdf", ".zip"}

_CHINESE = (
    r"(?:参考|标准|试题|试卷|简要|详细)*答案(?:及|和|与|、|暨)?(?:解析|详解|评分标准|评分细则|评分参考|评分说明)?"
)
_CHINESE_MORE = r"评分标准|评分细则|评分参考"
_ENGLISH = (
    r"(?:answers?|solutions?|marking|model answers?)[\W_]*(?:keys?|schemes?|sheets?)|"
    r"mark[\W_]*schemes?|model[\W_]*answers?|answers?|solutions?|keys?|ms"
)
_SEPARATOR = r"[\s_\-–—.·,，、:：+()（）\[\]【】《》]"
_COPY = rf"(?:{_SEPARATOR}*(?:copy|副本|\(\d+\)|（\d+）))*{_SEPARATOR}*$"  # what a second download adds
_AT_END = re.compile(rf"(?:(?:{_CHINESE}|{_CHINESE_MORE})|(?:(?<=[^a-z])(?:{_ENGLISH})))(?:版|卷|页|页面)?{_COPY}")
_AT_START = re.compile(rf"^{_SEPARATOR}*(?:(?:{_CHINESE}|{_CHINESE_MORE})|(?:{_ENGLISH})){_SEPARATOR}+")
_INSIDE_MS = re.compile(rf"(?<={_SEPARATOR})ms(?={_SEPARATOR})")  # 0580_s22_ms_21 beside 0580_s22_qp_21
# The file holds questions and answers alike: 含简单答案, 附答案, "with answers", 试卷及答案, 无答案, "no answers".
_BOTH = re.compile(
    r"(?:含|附|带|有|无|没有|不含|不带)[^\s_\-]{0,4}$|(?:with|and|no|without|incl|including|&|\+|及|和|与|并)[\W_]*$"
)
_PAPER_WORDS = re.compile(
    r"原卷版?|题目版?|试题版?|试卷版?|学生版|无答案版?|空白卷|"
    rf"(?<={_SEPARATOR})(?:qp|question[\W_]*papers?|questions?|paper)(?={_SEPARATOR}|$)"
)


def pair_keys(paths: Sequence[Path]) -> list[tuple[Path, Path | None]]:
    """Each paper with its answer key or None, papers in the order given.

    Only files of one folder are joined. A key without its paper, a second key of one paper, and a key that more than
    one paper could own stand alone: they come back as papers, so that nothing is left out.
    """
    keys = {path: base for path in paths if (base := key_base(path)) is not None}
    owners: dict[Path, list[Path]] = defaultdict(list)
    papers = [path for path in paths if path not in keys]
    for key in sorted(keys, key=lambda p: natural_key(p.name)):
        owner = _owner(key, papers)
        if owner is not None:
            owners[owner].append(key)
    taken = {joined[0] for joined in owners.values()}
    return [(path, owners[path][0] if path in owners else None) for path in paths if path not in taken]


def belongs(key: Path, paper: Path) -> bool:
    """Whether by their names `key` is the answer key of `paper`."""
    return key_base(paper) is None and _owner(key, [paper]) == paper


def key_base(path: Path) -> str | None:
    """The plain name of the paper whose key `path` is by its name, or None when it is named like a paper."""
    stem = _stem(path)
    for pattern in (_AT_END, _AT_START, _INSIDE_MS):
        match = pattern.search(stem)
        if match is None or _BOTH.search(stem[: match.start()]):
            continue
        rest = _plain(stem[: match.start()] + " " + stem[match.end() :])
        if rest:
            return rest
    return None


def _owner(key: Path, papers: Sequence[Path]) -> Path | None:
    """The one paper that fits best: by its plain name, without "(1)" of a second download, without 原卷版, "qp" …"""
    base = key_base(key)
    if base is None:
        return None
    near = [p for p in papers if p.parent == key.parent]
    for wanted, name in ((base, _exact_base), (base, _single_base), (_loose(base), _loose_base)):
        fits = [p for p in near if wanted and name(p) == wanted]
        if len(fits) > 1:  # X.pdf and X.jpg: the file of the key's own kind
            fits = [p for p in fits if p.suffix.casefold() == key.suffix.casefold()]
        if len(fits) == 1:
            return fits[0]
        if fits:
            return None
    return None


def _exact_base(path: Path) -> str:
    return _plain(_stem(path))


def _single_base(path: Path) -> str:
    """The plain name without the marks of a second download."""
    return _plain(re.sub(_COPY, "", _stem(path)))


def _loose_base(path: Path) -> str:
    return _plain(_PAPER_WORDS.sub(" ", re.sub(_COPY, "", _stem(path))))


def _loose(base: str) -> str:
    return re.sub(r"原卷|题目|试题|试卷", "", base)


def _stem(path: Path) -> str:
    suffix = path.suffix.casefold()
    name = path.name[: -len(suffix)] if suffix in DOCUMENT_SUFFIXES else path.name
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _plain(text: str) -> str:
    """Letters and digits only; a mark between two digits stays, so that 1-12 and 11-2 are not the same."""
    marked = re.sub(r"(?<=\d)[\W_]+(?=\d)", "-", text)
    return re.sub(r"[^\w\-]|_|(?<!\d)-|-(?!\d)", "", marked)
