"""Answers in words: equal by spelling, wrong by opposites or by a table of distinct terms, otherwise a judge's matter.

The table (terms.txt) never makes an answer right: names that may stand for one thing stay undecided.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

from scoring.rules.english import compare_phrases
from scoring.rules.normalise import has_han, plain

Finding = tuple[bool | None, str]

_OPPOSITES = """
高低 大小 多少 强弱 快慢 升降 增减 左右 上下 前后 内外 里外 顺逆 正负 正反 阴阳 吸放 有无 显隐 东西 南北 长短 远近
深浅 酸碱 入出 进出 先后 早晚 冷热 干湿 实虚 凸凹 同异 加减 轻重 厚薄 松紧 开关 开闭 涨跌 浓稀 浓淡 真假 对错 奇偶
收放 粗细 宽窄 胖瘦 亮暗 明暗 暖寒 暖冷 热寒 昼夜 雌雄 父母 男女 盛衰 得失 充放 推拉 伸缩 提降 春秋 冬夏 纵横 疏密 难易
动静
"""
_OPPOSITE = {frozenset(pair) for pair in _OPPOSITES.split()}
_SETS = (
    "甲乙丙丁戊己庚 一二三四五六七八九十 东南西北 红橙黄绿蓝靛紫黑白灰 春夏秋冬 ABCDEFGH abcdef 0123456789 ⅠⅡⅢⅣⅤ αβγ"
)
_CLOSED = tuple(_SETS.split())
_NEGATIONS = ("不能", "不会", "不", "没有", "没", "非", "无", "未")
_STRIP = re.compile(r"[\s\"'“”‘’《》「」()（）,，。.;；:：、的]")
_SEPARATOR = re.compile(r"[、,，;；]|和|与|及")


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[int]]:
    """Term → numbers of the groups that it belongs to."""
    groups: dict[str, set[int]] = {}
    number = 0
    text = resources.files("scoring.rules").joinpath("terms.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        for entry in line.split():
            number += 1
            for term in entry.split("="):
                groups.setdefault(_key(term.replace("_", " ")), set()).add(number)
    return {term: frozenset(numbers) for term, numbers in groups.items()}


def _key(text: str) -> str:
    return _STRIP.sub("", text.lower() if not has_han(text) else text)


def is_known(text: str) -> bool:
    """Whether the table lists the term."""
    return _key(plain(text)) in _table()


def compare_terms(gold: str, given: str) -> Finding:
    """Whether two short answers in words agree. Long texts are only compared for identity."""
    left, right = plain(gold), plain(given)
    if not left or not right:
        return None, "nothing to compare"
    if _STRIP.sub("", left) == _STRIP.sub("", right):
        return True, "the same words"
    if not has_han(left) and not has_han(right):
        return _latin(left, right)
    listed = _lists(left, right)
    if listed is not None:
        return listed
    return _chinese(_STRIP.sub("", left), _STRIP.sub("", right))


def _latin(left: str, right: str) -> Finding:
    finding = compare_phrases(left, right)
    return finding if finding[0] is not None else _by_table(left, right, finding[1])


def _chinese(left: str, right: str) -> Finding:
    for short, long in ((left, right), (right, left)):
        for negation in _NEGATIONS:
            if long == negation + short:
                return False, "one denies the other"
    if opposed(left, right):
        return False, "opposite or another member of a closed set"
    return _by_table(left, right, "words that only a judge can compare")


def opposed(left: str, right: str) -> bool:
    """Whether two phrases of equal length differ in one or two characters, each an opposite of the other."""
    if len(left) != len(right) or len(left) > 16:
        return False
    different = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if not 1 <= len(different) <= 2:
        return False
    closed = [any(a in group and b in group for group in _CLOSED) for a, b in different]
    if len(different) == 1 and closed[0]:
        return True
    return all(frozenset(pair) in _OPPOSITE for pair in different)


def _by_table(left: str, right: str, otherwise: str) -> Finding:
    table = _table()
    first, second = table.get(_key(left)), table.get(_key(right))
    if first is None or second is None:
        return None, otherwise
    if first & second:
        return None, "perhaps two names of one thing"
    return False, "two different terms"


def _lists(left: str, right: str) -> Finding | None:
    """`A、B` against `B、A`; None when neither side is a list of short terms."""
    ours = [p for p in _SEPARATOR.split(left) if p]
    theirs = [p for p in _SEPARATOR.split(right) if p]
    if max(len(ours), len(theirs)) < 2 or any(len(p) > 10 for p in (*ours, *theirs)) or len(ours) > 12:
        return None
    if sorted(ours) == sorted(theirs):
        return True, "the same terms in another order"
    if len(ours) != len(theirs):
        return None, "another number of terms"
    # one against one only where all others agree, so that the odd pair is clear
    rest_left = [p for p in ours if p not in theirs]
    rest_right = [p for p in theirs if p not in ours]
    if len(rest_left) == len(rest_right) == 1:
        equal, reason = _chinese(rest_left[0], rest_right[0])
        return equal, f"list of terms: {reason}"
    return None, "lists that only a judge can compare"
