"""What an item of a line is: mathematics, text, or what may be either, from fonts, signs and patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from layout.formulas.atoms import is_math_font
from layout.formulas.labels import RATIO, mark_items
from layout.formulas.structure import Item
from layout.formulas.symbols import BIG_OPERATORS, BINARY, ELEMENTS, FUNCTIONS, RELATIONS, STRONG
from layout.formulas.tree import Script, Sym
from layout.formulas.upright import symbol_text
from layout.segments import is_wide

Kind = Literal["math", "soft", "text"]
# Fonts that set all of a formula, digits and brackets too: what stands beside it in another font is text.
WHOLE_MATH = re.compile(r"KaTeX|MathJax|MJX|Math(?!ematica|[abx]\d)", re.I)
OPERATORS_AT_EDGE = RELATIONS | BINARY | frozenset(",(|")
TRAILING = ",.;:，。；：、?!"
UNIT_NAMES = "m cm mm km nm kg g mg s ms h min N J W V A Pa Hz C K T mol L mL kW eV MeV F H Wb lx cd rad Ω kPa MPa kJ"
UNITS = frozenset(UNIT_NAMES.split())
COMPOUND = re.compile(rf"(?:{ELEMENTS})+")
_NUMBER = r"[-−]?(?:\d+(?:\.\d+)?|[+]?∞)"
INTERVAL = re.compile(rf"\[{_NUMBER},{_NUMBER}[)\]]|\({_NUMBER},{_NUMBER}\]")
NUMBER_SET = re.compile(rf"\{{{_NUMBER}(?:,{_NUMBER})*\}}")
DIFFERENTIAL = re.compile(rf"(?:{'|'.join(sorted(FUNCTIONS, key=len, reverse=True))})?[A-Za-z]{{0,2}}d[a-z]")
CELSIUS = re.compile(rf"{_NUMBER}(?:°C|℃)(?![A-Za-z])")
PAIR = re.compile(r"\d+[:∶]\d+")
# Several elements, one of them with a small letter: KCl and NaOH, but no word.
COMPOUND_NAME = re.compile(rf"(?<![A-Za-z])(?=[A-Z]\w*[A-Z])(?=\w*[a-z])(?:{ELEMENTS}){{2,}}(?![A-Za-z])")
INTEGRALS = frozenset("∫∬∭∮")
PROSE_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z][a-z]{3,}(?![A-Za-z])")
WIDE_GAP = "\u2003"
OF_NUMBERS = frozenset({"ln", "lg", "log", "sin", "cos", "tan"})  # a number behind a blank is their argument
COMPARISONS = frozenset("<>=＜＞＝")


@dataclass(frozen=True, slots=True)
class Entry:
    """An item with its kind and the white space printed before it."""

    item: Item
    kind: Kind
    gap: str = ""

    @property
    def text(self) -> str:
        """The character of a plain item."""
        return self.item.text

    @property
    def sign(self) -> str:
        """The item's character, also where it carries scripts, as a closing bracket may."""
        return symbol_text(self.item.node)


def classify(items: Sequence[Item], gaps: Sequence[str]) -> list[Entry]:
    """Each item's kind: mathematics for sure, what may belong to a formula beside it, or text."""
    whole = any(_whole_font(i) for i in items)
    sizes = _sizes(items)
    labels = mark_items(items, gaps)
    entries = [
        Entry(item, "text" if n in labels else _kind(item, whole, sizes), gap)
        for n, (item, gap) in enumerate(zip(items, gaps, strict=True))
    ]
    return _enumerations(_variables(_words(_operators(_patterns(entries)))))


def _whole_font(item: Item) -> bool:
    return any(WHOLE_MATH.search(a.glyph.font) for a in item.atoms)


def _kind(item: Item, whole: bool, sizes: tuple[float, float]) -> Kind:
    node = item.node
    if not isinstance(node, Sym):
        base = node.base if isinstance(node, Script) else None
        return "text" if isinstance(base, Sym) and (is_wide(base.text) or base.text in TRAILING) else "math"
    font = item.atoms[0].glyph.font
    if is_math_font(font) and not is_wide(node.text):
        return "math"
    if node.text == "、" and whole:
        return "math" if _sized_as_math(item, sizes) else "text"
    if whole or is_wide(node.text) or node.text in "、。，；：？！“”‘’…_①②③④⑤⑥⑦⑧⑨⑩" or node.text == "____":
        return "text"
    strong = node.text in STRONG or (node.style == "italic" and _latin(node.text))
    soft = node.text.isascii() or node.text in BINARY or node.text in "°|∣℃↑↓"
    return "math" if strong else "soft" if soft else "text"


def _sizes(items: Sequence[Item]) -> tuple[float, float]:
    """Font sizes of the line's mathematics and of its text, in px; 0 where there is none."""
    math = [i.atoms[0].size for i in items if _whole_font(i)]
    text = [i.atoms[0].size for i in items if is_wide(i.text or "x") and i.text.isalnum()]
    return (median(math) if math else 0.0, median(text) if text else 0.0)


def _sized_as_math(item: Item, sizes: tuple[float, float]) -> bool:
    """Whether a mark that mathematical fonts lack is set in the size of the formula round it, not in the text's."""
    math, text = sizes
    size = item.atoms[0].size
    return abs(math - text) > 0.02 * text and abs(size - math) < 0.01 * math


def _operators(entries: list[Entry]) -> list[Entry]:
    """An operator between a letter and another operand makes mathematics of all three."""
    out = list(entries)
    for n, entry in enumerate(entries):
        if entry.kind == "math" and entry.text in COMPARISONS and not is_math_font(entry.item.atoms[0].glyph.font):
            operands = [_operand(entries, n - 1), _operand(entries, n + 1)]
            if not (all(operands) or (any(operands) and entry.text in "=＝")):
                out[n] = Entry(entry.item, "soft", entry.gap)
    for n in range(1, len(out) - 1):
        left, entry, right = out[n - 1], out[n], out[n + 1]
        if entry.kind != "soft" or entry.text not in BINARY:
            continue
        sides = (left.text, right.text)
        single = all(_lone(out, n + d) for d in (-1, 1))
        operands = [len(s) == 1 and s.isascii() and s.isalnum() for s in sides]
        if all(operands) and single and any(s.isalpha() for s in sides):
            for k in (n - 1, n, n + 1):
                out[k] = Entry(out[k].item, "math", out[k].gap)
    return out


def _patterns(entries: list[Entry]) -> list[Entry]:
    """Forms that are mathematics without a sign of it: ratios, intervals, sets of numbers, names of compounds.

    A ratio of two numbers may as well be a time or a score, unless it stands alone.
    """
    out = list(entries)
    text = "".join(e.text if e.kind != "text" and len(e.text) == 1 else "\x00" for e in entries)
    for pattern in (RATIO, INTERVAL, NUMBER_SET, CELSIUS):
        for match in pattern.finditer(text):
            if pattern is CELSIUS and out[match.start()].item.atoms[0].glyph.font not in ("", "italic"):
                continue  # where fonts are known a temperature set as text is text
            for n in range(*match.span()):
                out[n] = Entry(out[n].item, "math", out[n].gap)
    for match in PAIR.finditer(text):
        before = match.start() == 0 or entries[match.start() - 1].kind == "text"
        alone = match.end() == len(entries) or entries[match.end()].gap.strip(" ")
        if before and alone and any(e.kind == "text" for e in entries[: match.start()]):
            for n in range(*match.span()):
                out[n] = Entry(out[n].item, "math", out[n].gap)
    return out


def _enumerations(entries: list[Entry]) -> list[Entry]:
    """The mark 、 between two formulas belongs to one enumeration, where no font tells text from mathematics."""
    out = list(entries)
    for n in range(1, len(out) - 1):
        left, mark, right = out[n - 1 : n + 2]
        if right.text in ("+", "-", "−") and n + 2 < len(out):
            right = out[n + 2]
        if mark.text == "、" and not mark.item.atoms[0].glyph.font and left.kind == right.kind == "math":
            out[n] = Entry(mark.item, "math", mark.gap)
    return out


def _operand(entries: Sequence[Entry], n: int) -> bool:
    return 0 <= n < len(entries) and entries[n].kind != "text" and entries[n].text not in ("<", ">", "=")


def _latin(text: str) -> bool:
    return text.isascii() and text.isalpha()


def _lone(entries: Sequence[Entry], n: int) -> bool:
    """Whether a letter is no part of a word."""
    if not entries[n].text.isalpha():
        return True
    before = n > 0 and not entries[n].gap and _latin(entries[n - 1].text)
    after = n + 1 < len(entries) and not entries[n + 1].gap and _latin(entries[n + 1].text)
    return not (before or after)


def _words(entries: list[Entry]) -> list[Entry]:
    """Words of several letters are text unless they name a function or a unit or are symbols in a row."""
    out = list(entries)
    prose = _is_prose(out)
    n = 0
    while n < len(out):
        stop = n
        while stop < len(out) and _letter(out[stop]) and (stop == n or _goes_on(out[stop - 1], out[stop])):
            stop += 1
        word = "".join(e.text for e in out[n:stop])
        if len(word) >= 2 and not any(is_math_font(e.item.atoms[0].glyph.font) for e in out[n:stop]):
            attached = (stop < len(out) and not out[stop].gap and _carried(out[stop])) or (
                n > 0 and not out[n].gap and isinstance(out[n - 1].item.node, Script)
            )
            attached = attached and not PROSE_WORD.fullmatch(word)
            name = next((f for f in FUNCTIONS if word.startswith(f) and len(word) <= len(f) + 2), None)
            if COMPOUND_NAME.fullmatch(word) or (DIFFERENTIAL.fullmatch(word) and _integrated(out, n)):
                out[n:stop] = [Entry(e.item, "math", e.gap) for e in out[n:stop]]
                n = stop
                continue
            compound = bool(COMPOUND.fullmatch(word)) and (_at_sign(out, n - 1) or _at_sign(out, stop))
            if word in FUNCTIONS and stop < len(out) and out[stop].kind != "text":
                for k in range(n, stop):
                    out[k] = Entry(out[k].item, "math", out[k].gap)
                if out[stop].text.isdigit() and word in OF_NUMBERS:
                    out[stop] = Entry(out[stop].item, "math", out[stop].gap)
                n = stop
                continue
            formula = word.isupper() or word in UNITS or name is not None or attached or compound
            italic = all(e.item.node.style == "italic" for e in out[n:stop] if isinstance(e.item.node, Sym))
            if not formula and not (italic and len(word) <= 3 and not (prose and _reads(out, n, stop, word))):
                for k in range(n, stop):
                    out[k] = Entry(out[k].item, "text", out[k].gap)
            elif not (italic and len(word) <= 4):
                for k in range(n, stop):
                    out[k] = Entry(out[k].item, "soft", out[k].gap)
        n = max(stop, n + 1)
    return out


def _carried(entry: Entry) -> bool:
    """Whether an item is a character with scripts that a letter right before it may be multiplied with."""
    node = entry.item.node
    return isinstance(node, Script) and not (isinstance(node.base, Sym) and node.base.text in BIG_OPERATORS)


def _is_prose(entries: Sequence[Entry]) -> bool:
    """Whether the line is Latin text: at least two words of four letters or more."""
    text = "".join(f" {e.text}" if e.gap or len(e.text) != 1 else e.text for e in entries)
    return len(PROSE_WORD.findall(text)) >= 2


def _reads(entries: Sequence[Entry], start: int, stop: int, word: str) -> bool:
    """Whether italic letters in a line of prose are a word (all, is, the): small letters, no operator beside."""
    sides = [entries[k].text for k in (start - 1, stop) if 0 <= k < len(entries)]
    free = not any(s and (s in BINARY or s in RELATIONS or s.isdigit()) for s in sides)
    return word[1:].islower() and any(c in "aeiouAEIOU" for c in word) and free


def _goes_on(last: Entry, entry: Entry) -> bool:
    """Whether a letter belongs to the word before it: no gap, and no change between italic and upright (a ln x)."""
    faces = {node.style for node in (last.item.node, entry.item.node) if isinstance(node, Sym)}
    return not entry.gap and not {"italic", "upright"} <= faces


def _integrated(entries: Sequence[Entry], n: int) -> bool:
    """Whether an integral sign stands before index `n` with no text in between."""
    for entry in reversed(entries[:n]):
        node = entry.item.node
        base = node.base if isinstance(node, Script) else node
        if isinstance(base, Sym) and base.text in INTEGRALS:
            return True
        if is_wide(entry.text or "x") or entry.gap == WIDE_GAP:
            return False
    return False


def _at_sign(entries: Sequence[Entry], n: int) -> bool:
    """Whether an operator, a relation or a bracket stands at index `n`."""
    text = entries[n].text if 0 <= n < len(entries) else ""
    return bool(text) and (text in BINARY or text in RELATIONS or text in "()[]")


def _letter(entry: Entry) -> bool:
    return entry.kind != "text" and len(entry.text) == 1 and _latin(entry.text)


def _variables(entries: list[Entry]) -> list[Entry]:
    """A lone small letter of unknown face between ideographs is a variable."""
    out = list(entries)
    for n, entry in enumerate(entries):
        if entry.kind != "soft" or not _letter(entry) or not entry.text.islower() or not _lone(entries, n):
            continue
        node = entry.item.node
        unknown = isinstance(node, Sym) and node.style == ""
        sides = [entries[k] for k in (n - 1, n + 1) if 0 <= k < len(entries)]
        if unknown and sides and all(is_wide(s.text or "x") for s in sides):
            out[n] = Entry(entry.item, "math", entry.gap)
    return out


def is_unit(entries: Sequence[Entry], n: int) -> bool:
    """Whether the letters from index `n` on name a unit."""
    word = ""
    while n < len(entries) and _letter(entries[n]) and (not word or not entries[n].gap):
        word += entries[n].text
        n += 1
    return word in UNITS
