"""Where the ink of a printed character lies: width, top and bottom in font sizes above the baseline."""

from __future__ import annotations

from dataclasses import dataclass

from layout.segments import is_wide


@dataclass(frozen=True, slots=True)
class Metrics:
    """Ink of a character at font size 1: `top` and `bottom` above the baseline (negative below), `width`.

    `firm` says whether the box alone tells size and baseline: letters and digits do, signs do not.
    """

    width: float
    top: float
    bottom: float
    firm: bool = True

    @property
    def height(self) -> float:
        """Height of the ink."""
        return self.top - self.bottom


def _table() -> dict[str, Metrics]:  # noqa: PLR0915 - one row a class of characters
    out: dict[str, Metrics] = {}

    def put(chars: str, width: float, top: float, bottom: float, firm: bool = True) -> None:
        for char in chars:
            out[char] = Metrics(width, top, bottom, firm)

    put("0123456789", 0.43, 0.66, 0.0)
    put("1", 0.30, 0.66, 0.0)
    put("ABCDEFGHJKLNOPRSTUVXYZΓΔΘΛΞΠΣΦΨΩ", 0.66, 0.68, 0.0)
    put("ℝℕℤℚℂ", 0.68, 0.68, 0.0)
    put("QJ", 0.66, 0.68, -0.08)
    put("MW", 0.88, 0.68, 0.0)
    put("I", 0.33, 0.68, 0.0)
    put("aceonsuvxzαεικνοστυωϵ", 0.46, 0.44, 0.0)
    put("r", 0.36, 0.44, 0.0)
    put("mwω", 0.70, 0.44, 0.0)
    put("ππ", 0.52, 0.44, 0.0)
    put("bdhk", 0.48, 0.69, 0.0)
    put("δθλ∂", 0.46, 0.70, 0.0)
    put("lί", 0.22, 0.69, 0.0)
    put("i", 0.24, 0.66, 0.0)
    put("t", 0.30, 0.61, 0.0)
    put("f", 0.42, 0.69, -0.10)  # italic f descends, upright f does not: a compromise
    put("gpqy", 0.47, 0.44, -0.20)
    put("γημρχ", 0.50, 0.44, -0.20)
    put("φψϕ", 0.58, 0.56, -0.20)
    put("βζξ", 0.48, 0.70, -0.20)
    put("j", 0.30, 0.66, -0.20)
    put("()", 0.26, 0.75, -0.25)
    put("[]", 0.18, 0.75, -0.25)
    put("{}", 0.32, 0.75, -0.25)
    put("|∣", 0.06, 0.75, -0.25)
    put("∥‖", 0.2, 0.75, -0.25)
    put("/", 0.42, 0.75, -0.25, False)
    put(",;", 0.13, 0.10, -0.17, False)
    put(".", 0.11, 0.10, 0.0, False)
    put(":∶", 0.11, 0.44, 0.0, False)
    put("!?", 0.3, 0.69, 0.0, False)
    put("+±", 0.62, 0.56, -0.06, False)
    put("∓", 0.62, 0.56, -0.06, False)
    put("×", 0.46, 0.48, 0.02, False)
    put("÷", 0.6, 0.52, -0.02, False)
    put("·∙⋅", 0.11, 0.31, 0.19, False)
    put("-−–—―", 0.55, 0.28, 0.22, False)
    put("=", 0.62, 0.37, 0.13, False)
    put("≈∼~", 0.62, 0.42, 0.08, False)
    put("≡≅≌", 0.62, 0.5, 0.0, False)
    put("<>＜＞", 0.58, 0.53, -0.03, False)
    put("≤≥⩽⩾≠≦≧", 0.6, 0.60, -0.10, False)
    put("∈∉⊂⊆⊃⊇∋", 0.52, 0.54, -0.04, False)
    put("∩∪∧∨", 0.52, 0.56, -0.02, False)
    put("→←⇒⇐↔⇔⇌⟶", 0.88, 0.42, 0.08, False)
    put("↑↓", 0.3, 0.68, -0.1, False)
    put("∞", 0.82, 0.44, 0.0, False)
    put("∠△⊥∴∵□◇", 0.64, 0.68, 0.0, False)
    put("∀∃∅", 0.55, 0.7, 0.0, False)
    put("∑∏", 0.9, 0.75, -0.25, False)
    put("∫", 0.4, 0.85, -0.3, False)
    put("'′´", 0.12, 0.7, 0.36, False)
    put('"″', 0.25, 0.7, 0.36, False)
    put("°", 0.26, 0.70, 0.42, False)
    put("%‰", 0.75, 0.68, 0.0)
    put("*∗", 0.36, 0.46, 0.04, False)
    put("…⋯", 0.9, 0.1, 0.0, False)
    put("_", 0.5, 0.0, -0.06, False)
    put("√", 0.7, 0.8, -0.1, False)
    put("、，。；：？！", 0.25, 0.2, -0.12, False)
    put("（）", 0.24, 0.80, -0.14, False)
    put("“”", 0.35, 0.72, 0.45, False)
    put("一", 0.88, 0.42, 0.34, False)
    return out


_TABLE = _table()
_WIDE = Metrics(0.9, 0.84, -0.10, False)
_OTHER = Metrics(0.6, 0.66, 0.0, False)
AXIS = 0.25  # height of the mathematical axis, which signs stand on


def metrics(char: str) -> Metrics:
    """Metrics of a character; ideographs fill their cell."""
    found = _TABLE.get(char)
    if found is not None:
        return found
    return _WIDE if is_wide(char) else _OTHER
