"""Characters of the fonts that word processors set formulas in: Symbol, MathType's MT Extra; signs of KaTeX's fonts.

Symbol is Adobe's encoding (PDF 32000-1, annex D.5). A PDF may give its codes as they are (`a` for α), moved to the
private use area (U+F061, as Word writes them), or rightly as Unicode. MT Extra's codes are those of the font as
MathType installs it. What the font cannot mean as printed is replaced, a right text layer stays as it is.
"""

from __future__ import annotations

import re

from ingest.mathabx import decode_mathabx
from ingest.texfonts import decode_tex

SYMBOL = re.compile(r"^(?:\w{6}\+)?(?:Symbol(?!\w*Neu)|StandardSymbols|Euclid ?Symbol|MT ?Symbol)", re.I)
EXTRA = re.compile(r"^(?:\w{6}\+)?(?:MT[- ]?Extra|Euclid ?Extra)", re.I)
# Adobe's private codes U+F8E5–U+F8FE: pieces of tall signs, which Unicode has since 3.2.
ADOBE_PIECES = {chr(0xF8EB + n): sign for n, sign in enumerate("⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭")}
DINGBATS = re.compile(r"^(?:\w{6}\+)?(?:ITC)?(?:Zapf ?)?Dingbats", re.I)
KATEX = re.compile(r"^(?:\w{6}\+)?KaTeX", re.I)
PRIVATE = range(0xF000, 0xF100)  # Word's place for codes of symbol fonts

_LOW = "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"  # 0x21–0x7E
_HIGH = (
    "ϒ′≤/∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√·¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"  # 0xA1–0xFE
)
SYMBOL_CODES = {
    **{0x21 + n: sign for n, sign in enumerate(_LOW)},
    **{0xA1 + n: sign for n, sign in enumerate(_HIGH)},
}
EXTRA_CODES = {
    0x3A: "∼", 0x3B: "≃", 0x3C: "◁", 0x3D: "≪", 0x3E: "▷", 0x3F: "≫", 0x43: "∐", 0x48: "¬", 0x49: "⋂", 0x4B: "…",
    0x4C: "⋯", 0x4D: "⋮", 0x4E: "⋰", 0x4F: "⋱", 0x50: "∥", 0x51: "∵", 0x52: "∡", 0x53: "∢", 0x55: "⋃", 0x56: "△",
    0x57: "□", 0x61: "↦", 0x68: "ℏ", 0x6C: "ℓ",
}  # fmt: skip
KATEX_CODES = {0xE020: "\u0338", 0xE006: "≨", 0xE007: "≩", 0xE00C: "⊊", 0xE010: "≰", 0xE011: "≱"}
# Glyphs of Dingbats are named a120, a121 …, which readers take for character codes: circled digits in four faces.
DINGBAT_CODES = {120 + n: chr(0x2460 + n % 10) for n in range(40)}
_BY_CODE = ((EXTRA, EXTRA_CODES), (DINGBATS, DINGBAT_CODES), (KATEX, KATEX_CODES))
_MEANT = frozenset(SYMBOL_CODES.values())


def decode_math(char: str, font: str, mapped: bool = False) -> str:
    """The character that `char` prints in a font for mathematics; `char` itself where it is right already.

    `mapped` fonts bring a map to Unicode: TeX's codes are no matter there.
    """
    if len(char) != 1 or char in ADOBE_PIECES:
        return ADOBE_PIECES.get(char, char)
    point = ord(char)
    if SYMBOL.match(font):
        if point in PRIVATE:
            return SYMBOL_CODES.get(point - 0xF000, char)
        # The font has no Latin letters; above them codes and Unicode overlap, and Unicode is likelier.
        raw = point < 0x7F or (0xA1 <= point <= 0xFE and char not in _MEANT and char != "µ")
        return SYMBOL_CODES.get(point, char) if raw else char
    for fonts, codes in _BY_CODE:
        if fonts.match(font):
            return codes.get(point - 0xF000 if fonts is EXTRA and point in PRIVATE else point, char)
    sign = decode_mathabx(char, font)  # a right map would not name letters in fonts without letters
    if sign is None:
        return char if mapped else decode_tex(char, font)
    return sign
