"""Characters of TeX's own font encodings, for PDFs that give the raw codes instead of Unicode.

The tables are Knuth's math italic (OML), math symbols (OMS) and math extension (OMX) encodings (The TeXbook,
appendix F). Only codes that the font cannot mean as printed are replaced: a right text layer stays as it is.
BaKoMa's TrueType versions put the codes 0–32 at 0xA1 and up.
"""

from __future__ import annotations

import re

FONT = re.compile(r"^(?:\w{6}\+)?(cm(?:mi|mib|sy|bsy|ex|r|ss|bx|ti))(?:\d|$)", re.I)

_LOW_ITALIC = "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψ"  # OML 0x00–0x20
_HIGH_ITALIC = {
    0x21: "ω", 0x22: "ε", 0x23: "ϑ", 0x25: "ϱ", 0x26: "ς", 0x27: "φ", 0x3A: ".", 0x3B: ",", 0x3D: "/", 0x40: "∂",
    0x60: "ℓ",
}  # fmt: skip
_LOW_SYMBOLS = "−·×∗÷⋄±∓⊕⊖⊗⊘⊙○∘•≍≡⊆⊇≤≥≼≽∼≈⊂⊃≪≫≺≻←"  # OMS 0x00–0x20
_HIGH_SYMBOLS = {
    0x21: "→", 0x22: "↑", 0x23: "↓", 0x24: "↔", 0x27: "≃", 0x28: "⇐", 0x29: "⇒", 0x2A: "⇑", 0x2B: "⇓", 0x2C: "⇔",
    0x2F: "∝", 0x30: "′", 0x31: "∞", 0x32: "∈", 0x33: "∋", 0x34: "△", 0x35: "▽", 0x38: "∀", 0x39: "∃", 0x3A: "¬",
    0x3B: "∅", 0x3F: "⊥", 0x5B: "∪", 0x5C: "∩", 0x5E: "∧", 0x5F: "∨", 0x66: "{", 0x67: "}", 0x68: "⟨", 0x69: "⟩",
    0x6A: "|", 0x6B: "∥", 0x6E: "∖", 0x70: "√", 0x72: "∇", 0x73: "∫", 0x36: "\u0338",
}  # fmt: skip
_EXTENSION = {
    **dict.fromkeys((0x00, 0x10, 0x12, 0x20, 0x30, 0x40, 0x42), "("),
    **dict.fromkeys((0x01, 0x11, 0x13, 0x21, 0x31, 0x41, 0x43), ")"),
    **dict.fromkeys((0x02, 0x14, 0x22, 0x32, 0x34, 0x36, 0x68), "["),
    **dict.fromkeys((0x03, 0x15, 0x23, 0x33, 0x35, 0x37, 0x69), "]"),
    **dict.fromkeys((0x08, 0x1A, 0x28, 0x38, 0x3A, 0x3C, 0x3E, 0x6E), "{"),
    **dict.fromkeys((0x09, 0x1B, 0x29, 0x39, 0x3B, 0x3D, 0x6F), "}"),
    **dict.fromkeys((0x0C, 0x0D, 0x3F), "|"),
    **dict.fromkeys((0x52, 0x5A), "∫"),
    **dict.fromkeys((0x50, 0x58), "∑"),
    **dict.fromkeys((0x51, 0x59), "∏"),
    **dict.fromkeys((0x53, 0x5B), "⋃"),
    **dict.fromkeys((0x54, 0x5C), "⋂"),
    **dict.fromkeys((0x70, 0x71, 0x72, 0x73, 0x74), "√"),
    0x7E: "⇑",
    0x62: "\u0302",
    0x65: "\u0303",
}  # fmt: skip
_GREEK_CAPITALS = "ΓΔΘΛΞΠΣΥΦΨΩ"  # OT1 0x00–0x0A
_ROMAN_ACCENTS = {0x16: "\u0304", 0x5E: "\u0302", 0x5F: "\u0307", 0x7E: "\u0303"}
_TABLES: dict[str, tuple[str, dict[int, str]]] = {
    "cmmi": (_LOW_ITALIC, _HIGH_ITALIC),
    "cmmib": (_LOW_ITALIC, _HIGH_ITALIC),
    "cmsy": (_LOW_SYMBOLS, _HIGH_SYMBOLS),
    "cmbsy": (_LOW_SYMBOLS, _HIGH_SYMBOLS),
    "cmex": ("", _EXTENSION),
}


def decode_tex(char: str, font: str) -> str:
    """The character that code `char` prints in a Computer Modern font; `char` itself where it is right already."""
    match = FONT.match(font)
    code = _code(ord(char)) if match and len(char) == 1 else None
    if match is None or code is None:
        return char
    family = match[1].lower()
    low, high = _TABLES.get(family, (_GREEK_CAPITALS, _ROMAN_ACCENTS))
    return low[code] if code < len(low) else high.get(code, char)


# Names that Latin-1 codes share with other code points: PDF readers give either.
_ALIASES = {0x2219: 0xB7, 0x03BC: 0xB5, 0x02C9: 0xAF, 0x2215: 0x2F, 0x2044: 0x2F}


def _code(point: int) -> int | None:
    """The font's code of a code point: as it is below 128, moved down again where BaKoMa moved it up."""
    point = _ALIASES.get(point, point)
    if point < 0x80:
        return point
    if 0xA1 <= point <= 0xAA:
        return point - 0xA1
    if 0xAD <= point <= 0xC3:
        return point - 0xAD + 10
    return None
