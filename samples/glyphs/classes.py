"""The characters that the glyph reader knows, and how fonts encode each."""

from __future__ import annotations

from dataclasses import dataclass

OTHER = ""  # what is no single character of the table: ideographs, letters that touch, torn letters

DIGITS = "0123456789"
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
GREEK_CAPITALS = "ΓΔΘΛΞΠΣΦΨΩ"
GREEK = "αβγδεζηθικλμνξπρςστυφχψω"  # in the order of Unicode, omicron left out
VARIANTS = "ϵϑϕϖ"
OPERATORS = "+−×÷=<>±∓∪∩∧∨∈∉∋⊂⊃⊆⊇⊊≠≈≡≅∼≪≫∝⊥∥∞∂∇∀∃∵∴→←↔⇒⇔⇌↑↓∠∅□⊙⊕∁"
SIGNS = "()[]{}|/\\!?%.,:;′″*°"
NUMBER_SETS = "ℝℕℤℚℂ"

# Other characters that are printed like one of the table.
ALIKE: dict[str, str] = {
    "−": "-–—", ".": "·∙⋅", "≤": "⩽≦", "≥": "⩾≧", "→": "⟶", "⇒": "⟹", "⇔": "⟺", "←": "⟵", "Δ": "△▵∆", "Σ": "∑",
    "Π": "∏", "μ": "µ", "∅": "⌀", "∼": "~∽", "∥": "‖", "|": "∣", "≅": "≌", "′": "'", "″": '"', "⊥": "⟂", "°": "∘◦",
    ":": "∶", "*": "∗", "□": "◻", "Ω": "Ω",
}  # fmt: skip
OPERATORS += "≤≥"
LABELS: tuple[str, ...] = (
    OTHER,
    *DIGITS, *LATIN, *GREEK_CAPITALS, *GREEK, *VARIANTS, *OPERATORS, *SIGNS, *NUMBER_SETS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """One character of a font that prints `label`."""

    label: str
    char: str


def text_forms() -> list[Form]:
    """Forms of a text font: the characters themselves and those that look alike."""
    return [Form(x, c) for x in LABELS if x for c in (x, *ALIKE.get(x, ""))]


def mathematical_forms() -> list[Form]:
    """Letters of OpenType math fonts (Unicode, Mathematical Alphanumeric Symbols): italic, bold and bold italic."""
    out = [Form("h", "ℎ")]
    for start in (0x1D400, 0x1D434, 0x1D468):
        out += [Form(c, chr(start + n)) for n, c in enumerate(LATIN) if start + n != 0x1D455]
    out += [Form(c, chr(0x1D7CE + n)) for n, c in enumerate(DIGITS)]
    capitals = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇"
    small = "αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ"
    for start in (0x1D6A8, 0x1D6E2, 0x1D71C):
        out += [Form(c, chr(start + n)) for n, c in enumerate(capitals) if c in LABELS]
        out += [Form(c, chr(start + 26 + n)) for n, c in enumerate(small) if c in LABELS]
    return out
