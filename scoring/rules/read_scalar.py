"""Reading one number, expression or quantity, and what tells letters from units."""

from __future__ import annotations

import re

from scoring.rules.expr import parse
from scoring.rules.tree import Node, Unreadable, names, symbols
from scoring.rules.units import split_quantity
from scoring.rules.values import Equation, Formula, Quantity

_COUNT = re.compile(
    r"(?<=[\d}\])])\s*(?:个单位长度|个单位|单位长度|平方单位|个|种不同的?(?:方法|选法|排法)?|种|组|人|次|条"
    r"|倍|项|对|张|"
    r"只|名|件|块|元|岁|页|本|棵|square units?|cubic units?|units?|ways?)\s*$"
)
_LETTER = re.compile(r"[-+]?\s*[\d.]*\s*Δ?\s*[A-Za-z]")  # what may be a quantity, or a letter with a factor
_MINUTES = re.compile(r"(\d{1,4})\s*°\s*(\d{1,2}(?:\.\d+)?)\s*(?:'|$)(?:\s*(\d{1,2}(?:\.\d+)?)\s*(?:''|\"))?")
_MYRIADS = re.compile(r"(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)\s*([万亿])")


def units_agree(first: str, last: str) -> bool:
    """Whether a chain of equal constants may begin with `first`: 2 N = 2 kg·m/s², but not 2F = 2mg or -ΔH = 5 kJ."""
    if not _LETTER.fullmatch(first):
        return True
    ours, theirs = split_quantity(first), split_quantity(last)
    return any(u.dimensions == v.dimensions for _, u in ours for _, v in theirs)


def is_product(node: Node) -> bool:
    """A product such as 4πR² or BIL, whose value an equation gives; x and y make it the equation of a curve."""
    free = symbols(node) - {"Δ"}
    if node.op not in ("mul", "div", "pow") or free & {"x", "y"}:
        return False
    return len(free) > 1 or "pi" in names(node)


def _spelled_out(text: str) -> str:
    """Degrees with minutes and seconds, and Chinese powers of ten: 30°30' → (30+30/60+0/3600)°, 1.2万 → 1.2×10^4."""
    text = _MINUTES.sub(lambda m: f"({m[1]}+{m[2]}/60+{m[3] or 0}/3600)°", text)
    return _MYRIADS.sub(lambda m: f"{m[1]}×10^{{{4 if m[2] == '万' else 8}}}", text)


def scalar(text: str) -> Formula | Quantity:
    """A number with or without a unit, or an expression. Raises Unreadable."""
    text = _COUNT.sub("", _spelled_out(text))
    for number, unit in split_quantity(text):
        try:
            parsed = parse(number)
        except Unreadable:
            continue
        if not symbols(parsed.node):
            if unit.kind == "degree":
                break  # an angle is a number: 90° = π/2
            if unit.kind == "radian":
                return Formula(parsed, number)
            return Quantity(parsed, unit, number, whole=text)
    text = re.sub(r"(?<=\d)\s*(?:度|degrees?)$", "°", text)
    return Formula(parse(text), text)


def as_formula(quantity: Quantity) -> Formula:
    """The second reading of `2m` or `3mg`: letters as symbols. Raises Unreadable when there is none."""
    return Formula(parse(quantity.whole), quantity.whole, quantity.name, quantity.approx, remark=quantity.remark)


def as_equation(value: Formula) -> Equation:
    """`y = 2x` as an equation. Raises Unreadable when the left side is not an expression."""
    return Equation(parse(value.name), value.parsed, value.remark)
