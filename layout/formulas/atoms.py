"""Atoms: placed symbols and finished parts of formulas, as the structure analyser takes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from layout.formulas.symbols import BINARY, BRACKETS, PIECES, RELATIONS
from layout.formulas.tree import Node, Over, Style, Sym
from layout.segments import is_wide
from layout.types import Glyph
from wholepage.boxes import Box

MATH_FONT = re.compile(
    r"KaTeX|MathJax|MJX|^(\w+\+)?(CM(MI|SY|EX|BSY|MIB)|MSAM|MSBM|EUFM|EUSM|RSFS|LMMath|ESSTIX|txsy|txex|pxsy|rtxmi|ntxmi)"
    r"|Math|MT-?Extra|Euclid|^(\w+\+)?Symbol|Cambria ?Math|Asana|STIX(Size|NonUni|Int)|#math",
    re.I,
)
ITALIC_FONT = re.compile(
    r"ital|oblique|slanted|CMMI|CMMIB|LMMathItalic|LMMI|rtxmi|-It$|Kursiv|,I$|Math-Italic|#italic", re.I
)
BOLD_FONT = re.compile(r"bold|black|heavy|CMBX|-Bd", re.I)
DOUBLE_FONT = re.compile(r"MSBM|KaTeX_AMS|double", re.I)
SCRIPT_FONT = re.compile(r"Caligraphic|CMSY|EUSM|RSFS|#math-script", re.I)

X_HEIGHT, CAP_HEIGHT, DEPTH = 0.46, 0.70, 0.21
AXIS = 0.25  # height of the mathematical axis above the baseline, in font sizes
DESCENDING = frozenset("gjpqyβγηρφχψμζξ,;Q")
LOW = frozenset("acegmnopqrsuvwxyzαγεηικμνοπρστυφχψωϵϕ")


@dataclass(frozen=True, slots=True)
class FormulaGlyph(Glyph):
    """A finished part of a formula that takes the place of its glyphs in a line; `text` is its characters flat.

    `anchor` is the x of the first relation sign of a whole formula, 0 where it has none.
    """

    node: Node | None = None
    anchor: float = 0.0

    @property
    def marked(self) -> bool:
        """Whether it is letters under a mark: no higher than a line of print."""
        return isinstance(self.node, Over)


@dataclass(frozen=True, slots=True)
class Atom:
    """A node with its place: `ink` is the box of its ink (estimated for text layers), `size` its font size in px."""

    node: Node
    ink: Box
    baseline: float
    size: float
    glyph: Glyph

    @property
    def text(self) -> str:
        """The character, or an empty string for a composite."""
        return self.node.text if isinstance(self.node, Sym) else ""

    @property
    def axis(self) -> float:
        """y of the mathematical axis: bars of fractions, minus signs and arrows lie on it."""
        return self.baseline - AXIS * self.size


@lru_cache(maxsize=4096)
def is_math_font(font: str) -> bool:
    """Whether a font is made for mathematics alone."""
    return bool(MATH_FONT.search(font))


def style_of(glyph: Glyph) -> Style:
    """The face a glyph is set in, from its font's name; "" when the name does not say."""
    if not glyph.font:
        return ""
    if DOUBLE_FONT.search(glyph.font) and glyph.text.isascii() and glyph.text.isupper():
        return "double"
    if ITALIC_FONT.search(glyph.font):
        return "italic"
    if BOLD_FONT.search(glyph.font):
        return "bold"
    if SCRIPT_FONT.search(glyph.font) and glyph.text.isascii() and glyph.text.isupper():
        return "calligraphic"
    return "upright"


def atom_of(glyph: Glyph) -> Atom:
    """The atom of one glyph."""
    baseline = glyph.box.y1 if glyph.baseline is None else glyph.baseline
    if isinstance(glyph, FormulaGlyph) and glyph.node is not None:
        return Atom(glyph.node, glyph.box, baseline, glyph.size, glyph)
    text = PIECES.get(glyph.text, glyph.text)
    # A text layer's box spans the font's whole ascent; one from an image is the ink itself.
    ink = ink_estimate(glyph, baseline) if glyph.font and glyph.font != "italic" else glyph.box
    return Atom(Sym(text, style_of(glyph)), ink, baseline, glyph.size, glyph)


def ink_estimate(glyph: Glyph, baseline: float) -> Box:
    """Where the ink of a text layer's glyph lies, from the character's class."""
    size, char = glyph.size, glyph.text[0]
    top, bottom = CAP_HEIGHT, 0.02
    if is_wide(char):
        top, bottom = 0.84, 0.12
    elif char in RELATIONS or char in BINARY:
        top, bottom = 0.52, 0.02
    elif char in BRACKETS:
        top, bottom = 0.75, 0.25
    elif char in ",.":
        top, bottom = 0.12, 0.16
    else:
        if char in LOW:
            top = X_HEIGHT
        if char in DESCENDING:
            bottom = DEPTH
    return Box.of((glyph.box.x0, baseline - top * size, glyph.box.x1, baseline + bottom * size))
