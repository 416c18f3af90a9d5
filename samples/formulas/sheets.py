"""Sheets of formulas as they stand in exam papers: in sentences, displayed, as options, in table cells.

A sheet names formulas by their index; the renderers set the same sheet in typst, KaTeX and matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from samples.formulas.tree import Grid, Node, Text, walk

Language = Literal["zh", "en"]
Place = Literal["sentence", "display", "option", "cell"]

SENTENCES: dict[Language, tuple[tuple[str, ...], ...]] = {
    "zh": (
        ("已知", "，求它的值．"),
        ("化简", "的结果是（　　）"),
        ("若", "，则", "成立的条件是什么？"),
        ("设", "，其中", "，试说明理由．"),
        ("由题意得", "，所以", "．"),
        ("某同学写出", "，老师指出应改为", "，请指出错误．"),
        ("在计算中用到", "这一关系，下列说法正确的是（　　）"),
        ("当", "时，比较它与", "的大小．"),
        ("把", "代入上式，得到", "，这与题目的条件一致．"),
        ("下列各式中，与", "相等的是哪一个？请写出过程．"),
    ),
    "en": (
        ("Given that ", ", find its value."),
        ("Show that ", " and hence that ", "."),
        ("A student writes ", " on the board. Is this correct?"),
        ("If ", ", which of the following must be true?"),
        ("Starting from ", ", explain how to obtain ", " in two steps."),
        ("The relation ", " holds for every value in the table."),
        ("Use ", " to simplify ", ", and state any restrictions."),
        ("Write down the meaning of ", " in your own words."),
    ),
}
DISPLAYS: dict[Language, tuple[str, ...]] = {
    "zh": ("观察下面的式子：", "由此可得", "根据上述结论，有"),
    "en": ("Consider the following:", "It follows that", "Therefore"),
}
QUESTIONS: dict[Language, tuple[str, ...]] = {
    "zh": ("下列式子中正确的是（　　）", "它的结果为（　　）", "下列选项中符合题意的是（　　）"),
    "en": ("Which of the following is correct?", "What is the result?", "Choose the matching expression."),
}
TABLES: dict[Language, str] = {"zh": "把下列各式填入表中：", "en": "The table lists three expressions."}
HEADS: dict[Language, tuple[str, ...]] = {"zh": ("序号", "甲", "乙", "丙"), "en": ("No.", "First", "Second", "Third")}


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words and formula indices in turn, after a question number."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Display:
    """Words, then a formula on a line of its own."""

    words: str
    formula: int


@dataclass(frozen=True, slots=True)
class Options:
    """A question and its options A, B, C, D; short options share a line."""

    words: str
    formulas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Words, then a ruled table: a row of heads, and one row of formulas."""

    words: str
    heads: tuple[str, ...]
    formulas: tuple[int, ...]


Block = Sentence | Display | Options | Table


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one page says, and where each formula stands."""

    language: Language
    blocks: tuple[Block, ...]

    def places(self) -> dict[int, Place]:
        """The kind of place of each formula index."""
        out: dict[int, Place] = {}
        for block in self.blocks:
            if isinstance(block, Sentence):
                out.update((p, "sentence") for p in block.parts if isinstance(p, int))
            elif isinstance(block, Display):
                out[block.formula] = "display"
            elif isinstance(block, Options):
                out.update((f, "option") for f in block.formulas)
            else:
                out.update((f, "cell") for f in block.formulas)
        return out


def has_chinese(formula: Node) -> bool:
    """Whether Chinese words stand in the formula."""
    return any(isinstance(n, Text) and not n.text.isascii() for n in walk(formula))


def must_stand_alone(formula: Node) -> bool:
    """Whether the formula is only ever displayed: aligned lines."""
    return any(isinstance(n, Grid) and n.kind == "aligned" for n in walk(formula))


def compose(formulas: Sequence[Node], seed: int, per_sheet: int = 28, chinese_share: float = 0.5) -> list[Sheet]:
    """Sheets that hold every formula once, `per_sheet` a page; the same arguments give the same sheets.

    `chinese_share` (0–1) of the formulas without Chinese words stand on Chinese sheets, and all with such words.
    """
    r = Random(seed)
    chinese: list[int] = []
    english: list[int] = []
    for i, formula in enumerate(formulas):
        (chinese if has_chinese(formula) or r.random() < chinese_share else english).append(i)
    sheets = []
    parts: tuple[tuple[Language, list[int]], ...] = (("zh", chinese), ("en", english))
    for language, indices in parts:
        r.shuffle(indices)
        for start in range(0, len(indices), per_sheet):
            chosen = indices[start : start + per_sheet]
            sheets.append(Sheet(language, tuple(_blocks(formulas, chosen, r, language))))
    return sheets


def _blocks(formulas: Sequence[Node], indices: list[int], r: Random, language: Language) -> list[Block]:
    alone = [i for i in indices if must_stand_alone(formulas[i])]
    rest = [i for i in indices if i not in alone]
    blocks: list[Block] = [Display(r.choice(DISPLAYS[language]), i) for i in alone]
    while rest:
        kind = r.choice(("sentence", "sentence", "sentence", "display", "options", "options", "table"))
        if kind == "options" and len(rest) >= 4:
            blocks.append(Options(r.choice(QUESTIONS[language]), tuple(rest[:4])))
            rest = rest[4:]
        elif kind == "table" and len(rest) >= 3:
            blocks.append(Table(TABLES[language], HEADS[language], tuple(rest[:3])))
            rest = rest[3:]
        elif kind == "display":
            blocks.append(Display(r.choice(DISPLAYS[language]), rest.pop(0)))
        else:
            words = r.choice([s for s in SENTENCES[language] if len(s) - 1 <= len(rest)])
            parts: list[str | int] = [words[0]]
            for text in words[1:]:
                parts += [rest.pop(0), text]
            blocks.append(Sentence(tuple(parts)))
    r.shuffle(blocks)
    return blocks
