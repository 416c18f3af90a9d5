"""Subject, level and language of a stored paper by rules, each with the words that speak for it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from parse_templates.checks_context import MATH, asked, plain
from parse_templates.describe import SUBJECTS
from wholepage.records import Paper

NAMED, HEADED, WORD = 6.0, 2.0, 1.0  # weight of a subject in title or file name, in a section's name, of a word
MIN_SCORE = 3.0  # below this nothing is said
LEAD = 1.5  # by which factor the best must lead
MAX_REASONS = 6
WIDE_SHARE = 0.2

WORDS: dict[str, str] = {
    "math": "函数 方程 不等式 数列 向量 椭圆 双曲线 抛物线 导数 集合 概率 三角形 求证 定义域 值域 圆心 直线 "
    "equation triangle integer polynomial probability quadratic derivative matrix vertex perimeter simplify",
    "physics": "小球 速度 加速度 电阻 电流 电压 磁场 动能 弹簧 摩擦力 匀速 电路 牛顿 质点 折射 "
    "velocity acceleration current voltage resistance force kinetic magnetic lens wavelength newton circuit",
    "chemistry": "溶液 反应 离子 沉淀 元素 氧化 还原 催化剂 电解 物质的量 化学方程式 有机物 "
    "atom acid alkali oxidation electrolysis mole compound precipitate catalyst reacts solution",
    "biology": "细胞 基因 染色体 光合作用 种群 生态系统 蛋白质 遗传 激素 神经 "
    "cell gene enzyme photosynthesis chromosome organism species ecosystem protein hormone",
    "geography": "气候 河流 地形 季风 板块 洋流 城市化 经纬 降水 人口 产业 "
    "climate river plate monsoon rainfall population erosion latitude urban",
}
SUBJECT_OF = {word: subject for subject, words in WORDS.items() for word in words.split()}
# The first that fits counts: 高三年级 is no third year of a primary school.
LEVELS: tuple[tuple[str, str], ...] = (
    ("high", r"高中|高[一二三]|高考|全国[ⅠⅡⅢI]+卷|新高考|选考|理综|\bI?GCSE\b|\bigcse\b|\b[Aa][- ][Ll]evels?\b|\bSAT\b|"
             r"\bJEE\b|\b(?:[Gg]rade|[Cc]lass|cbse|CBSE)\s*(?:1[0-2]|XI{0,2})\b|\b[Hh]igh [Ss]chool\b|\bKS4\b"),
    ("middle", r"初中|初[一二三]|[七八九]年级|中考|\b(?:[Gg]rade|[Cc]lass)\s*(?:[6-9]|VI{1,3}|IX)\b|\bKS3\b"),
    ("primary", r"小学|[一二三四五六]年级|小升初|\b[Pp]rimary\b|\b[Gg]rade\s*[1-5]\b|\bKS[12]\b"),
    ("undergraduate", r"大学|考研|研究生|\b[Uu]ndergraduate\b|\b[Uu]niversity\b"),
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A value with its score and the reasons, each `{rule, text, where}`; None when nothing speaks clearly."""

    value: str | None
    score: float = 0.0
    reasons: list[dict[str, str]] = field(default_factory=list)


def detect_all(paper: Paper) -> dict[str, Found]:
    """`subject`, `level` and `language` as the paper's words have them."""
    return {"subject": find_subject(paper), "level": find_level(paper), "language": find_language(paper)}


def tag_paper(paper: Paper, replace: bool = False) -> dict[str, Found]:
    """Put what was found into the record: as evidence in `detected`, and as values where the paper has none.

    A value that is there already stays unless `replace`; `agrees` in the evidence tells whether the words say the same.
    """
    found = detect_all(paper)
    kept: dict[str, Any] = {}
    for name, result in found.items():
        current = getattr(paper, name)
        if result.value is not None and (current is None or replace):
            setattr(paper, name, result.value)
            current = result.value
        kept[name] = {"value": result.value, "score": round(result.score, 1), "reasons": result.reasons}
        kept[name]["agrees"] = result.value is None or current == result.value
    paper.detected = kept  # type: ignore[attr-defined]
    return found


def _places(paper: Paper) -> list[tuple[str, float, str]]:
    """Texts that name things: where, weight, text."""
    sections = list(dict.fromkeys(q.section for q in paper.questions if q.section))
    places = [("title", NAMED, paper.title or ""), ("file name", NAMED / 2, paper.source.file)]
    return [*places, *(("section", HEADED, s) for s in sections)]


def _text(paper: Paper) -> str:
    texts = [t for q in paper.questions for t in asked(q)]
    return plain("\n".join([*texts, *(r.text for r in paper.resources)]))


def find_subject(paper: Paper) -> Found:
    """The subject that title, file name, headings and the questions' vocabulary speak for."""
    scores: Counter[str] = Counter()
    reasons: list[tuple[float, str, dict[str, str]]] = []
    for where, weight, text in _places(paper):
        for subject, pattern in SUBJECTS.items():
            match = re.search(pattern, text.replace("_", " "), re.I)
            if match:
                scores[subject] += weight  # type: ignore[assignment]
                reasons.append((weight, subject, {"rule": "named", "text": match.group(), "where": where}))
    body = _text(paper).casefold()
    words = Counter(re.findall(r"[a-z]+", body))
    for word, subject in SUBJECT_OF.items():
        count = body.count(word) if not word.isascii() else words[word.casefold()] + words[word.casefold() + "s"]
        if count:
            weight = WORD * min(3.0, 1.0 + 0.25 * (count - 1))
            scores[subject] += weight  # type: ignore[assignment]
            reasons.append((weight, subject, {"rule": "word", "text": word, "where": f"{count} times in questions"}))
    return _best(scores, reasons)


def _best(scores: Counter[str], reasons: list[tuple[float, str, dict[str, str]]]) -> Found:
    ranked = scores.most_common(2)
    if not ranked or ranked[0][1] < MIN_SCORE:
        return Found(None)
    (best, score), rest = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    own = sorted((r for r in reasons if r[1] == best), key=lambda r: -r[0])
    # Its branches are words of a science paper too.
    clear = best == "science" or score >= LEAD * rest
    return Found(best if clear else None, float(score), [r[2] for r in own[:MAX_REASONS]])


def find_level(paper: Paper) -> Found:
    """The level that title, file name or a section's name states."""
    for where, weight, text in _places(paper):
        for level, pattern in LEVELS:
            match = re.search(pattern, re.sub(r"[_.]+", " ", text))
            if match:
                return Found(level, weight, [{"rule": "named", "text": match.group(), "where": where}])
    return Found(None)


def find_language(paper: Paper) -> Found:
    """Chinese when a fifth of the letters are ideographs, else English; formulas do not count."""
    text = MATH.sub(" ", _text(paper))
    wide = sum("\u3400" <= c <= "\u9fff" for c in text)
    latin = sum(c.isascii() and c.isalpha() for c in text)
    if wide + latin < 12:
        return Found(None)
    share = wide / (wide + latin)
    reason = {"rule": "letters", "text": f"{share:.0%} ideographs", "where": f"{wide + latin} letters of questions"}
    return Found("zh" if share >= WIDE_SHARE else "en", abs(share - WIDE_SHARE), [reason])
