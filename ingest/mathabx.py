"""Characters of the mathabx fonts (TeX-matha, -mathb, -mathx), which PDFs name after the Cork encoding: `“` for =.

The fonts hold no Unicode; their 8-bit codes carry the glyph names of the Cork encoding (T1). Only codes whose sign is
known from the package's symbol tables or from print are replaced.
"""

from __future__ import annotations

import re

FONT = re.compile(r"^(?:\w{6}\+)?(?:TeX-)?math([abx])\d{1,2}\b", re.I)

_CORK = (
    "`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—\u200c\ufffdıȷﬀﬁﬂﬃﬄ␣"  # 0x00–0x20
    '!"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~\x7f'
    "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"  # 0x80–0xBF
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß"  # 0xC0–0xFF
)
_CODE = {name: code for code, name in enumerate(_CORK)}
_MATHA = {
    0x00: "+", 0x01: "−", 0x02: "×", 0x03: "÷", 0x04: "·", 0x05: "∘", 0x06: "∗", 0x10: "=", 0x11: "≡", 0x12: "∼",
    0x13: "≈", 0x3F: "√", 0x4B: "⊥", 0x70: "(", 0x71: ")", 0x72: "[", 0x73: "]", 0x74: "{", 0x75: "}", 0x7C: "|",
    0xA0: "<", 0xA1: ">", 0xA4: "≤", 0xA5: "≥", 0xD0: "←", 0xD1: "→", 0xDD: "−",
}  # fmt: skip
_MATHB = {0x0E: "★", 0x3D: "∠"}
_MATHX = {
    **dict.fromkeys(range(0x00, 0x04), "("),
    **dict.fromkeys(range(0x08, 0x0C), ")"),
    **dict.fromkeys(range(0x22, 0x28), "{"),
    0xA3: "⋂",
}
_TABLES = {"a": _MATHA, "b": _MATHB, "x": _MATHX}


def decode_mathabx(char: str, font: str) -> str | None:
    """The sign that `char` prints in a mathabx font; None in other fonts, `char` itself where its code is not known."""
    match = FONT.match(font)
    if match is None:
        return None
    return _TABLES[match[1].lower()].get(_CODE.get(char, -1), char)
