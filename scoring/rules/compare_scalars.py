"""Comparing numbers, expressions, quantities and equations; and what a comparison says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.rules.curves import same_curve
from scoring.rules.equal import renamed, same, same_up_to_constants
from scoring.rules.expr import DEGREE, Parsed
from scoring.rules.read_scalar import as_equation, as_formula
from scoring.rules.tree import Node, Unreadable, symbols
from scoring.rules.values import Equation, Formula, Quantity


@dataclass(frozen=True, slots=True)
class Finding:
    """`equal` with its reason; `unit_only` when the numbers agree and one side lacks the unit,
    `name_only` when one side is y = … and the other only what follows."""

    equal: bool | None
    reason: str
    unit_only: bool = False
    name_only: bool = False


def yes(reason: str) -> Finding:
    """Equal."""
    return Finding(True, reason)


def no(reason: str) -> Finding:
    """Not equal."""
    return Finding(False, reason)


def open_finding(reason: str) -> Finding:
    """Not settled."""
    return Finding(None, reason)


Scalar = Formula | Quantity | Equation


def compare_scalars(a: Scalar, b: Scalar) -> Finding:
    """Compare two numbers, expressions, quantities or equations, with their names and remarks."""
    finding = _scalar_values(a, b)
    if finding.equal and _clean(a.remark) != _clean(b.remark):
        return open_finding("equal, with another remark on where it holds")
    return finding


def _clean(remark: str) -> str:
    return re.sub(r"[\s{}]", "", remark)


def _scalar_values(a: Scalar, b: Scalar) -> Finding:
    if isinstance(a, Equation) or isinstance(b, Equation):
        return _equations(a, b)
    if isinstance(a, Formula) and isinstance(b, Formula):
        finding = _formulas(a, b)
    elif isinstance(a, Quantity) and isinstance(b, Quantity):
        finding = _quantities(a, b)
    elif isinstance(a, Quantity) and isinstance(b, Formula):
        finding = _mixed(a, b)
    elif isinstance(a, Formula) and isinstance(b, Quantity):
        finding = _mixed(b, a)
    else:
        return no("other kinds")
    if (finding.equal or finding.unit_only) and a.name and b.name and not _names_agree(a.name, b.name):
        return open_finding(f"equal values of {a.name} and of {b.name}")
    return finding


def _equations(a: Scalar, b: Scalar) -> Finding:
    sides: list[Equation] = []
    for value in (a, b):
        if isinstance(value, Equation):
            sides.append(value)
        elif isinstance(value, Formula) and value.name:
            sides.append(as_equation(value))
        else:
            return no("an equation is not a value")
    return Finding(same_curve(sides[0], sides[1]), "equations compared by their solutions")


def _formulas(a: Formula, b: Formula) -> Finding:
    equal = same(a.parsed, _in_argument_of(a, b))
    if equal is False and same_up_to_constants(a.parsed.node, b.parsed.node):
        return yes("equal after renaming the arbitrary constants")
    if equal is not True and a.name and b.name and a.name != b.name and _letters(a) & _letters(b) & {"x", "y"}:
        try:
            return Finding(same_curve(as_equation(a), as_equation(b)), "equations compared by their solutions")
        except Unreadable:
            return Finding(equal, "expressions compared by value")
    if equal and bool(a.name) != bool(b.name):
        named = a if a.name else b
        free = symbols(named.parsed.node)
        if named.name in ("x", "y") and free & {"x", "y"} and not any(n.startswith(("C", "c")) for n in free):
            return Finding(None, "an equation beside one of its sides", name_only=True)
    if equal is False and a.parsed.degrees != b.parsed.degrees:
        plain, angle = (b, a) if a.parsed.degrees else (a, b)
        degrees = Parsed(Node("mul", (plain.parsed.node, DEGREE)))  # fmt: skip
        if same(degrees, Parsed(angle.parsed.node)):
            return open_finding("the same number of degrees, one without the sign")
    return Finding(equal, "expressions compared by value")


_CALL = re.compile(r"^([A-Za-z]'*)\(([a-z])\)$")


def _in_argument_of(a: Formula, b: Formula) -> Parsed:
    """`b` with its argument renamed to that of `a`: f(x) = 2x + 1 and f(t) = 2t + 1 are one function."""
    left, right = _CALL.match(a.name.replace(" ", "")), _CALL.match(b.name.replace(" ", ""))
    if left is None or right is None or left[1] != right[1] or left[2] == right[2]:
        return b.parsed
    if left[2] in symbols(b.parsed.node) or right[2] in symbols(a.parsed.node):
        return b.parsed  # the letters have other roles there
    other = b.parsed.other
    table = {right[2]: left[2]}
    return Parsed(renamed(b.parsed.node, table), other and renamed(other, table), b.parsed.degrees)


def _letters(value: Formula) -> frozenset[str]:
    return symbols(value.parsed.node) | ({value.name} if len(value.name) == 1 else set())


def _quantities(a: Quantity, b: Quantity) -> Finding:
    if a.unit.converts_to(b.unit):
        left = Node("mul", (a.parsed.node, Node("num", value=a.unit.factor)))
        right = Node("mul", (b.parsed.node, Node("num", value=b.unit.factor)))
        equal = same(Parsed(left), Parsed(right))
        return Finding(equal, "quantities compared in SI units")
    if a.unit.dimensions == b.unit.dimensions:
        return open_finding(f"{a.unit.text} against {b.unit.text}")
    return no(f"{a.unit.text} is not {b.unit.text}")


def _mixed(quantity: Quantity, formula: Formula) -> Finding:
    if symbols(formula.parsed.node):
        return _formulas(as_formula(quantity), formula)
    equal = same(quantity.parsed, formula.parsed)
    if equal:
        return Finding(
            None, f"the numbers agree, the unit {quantity.unit.text} stands on one side only", unit_only=True
        )
    return Finding(equal, "the numbers differ")


def bare_name(name: str) -> str:
    """A name without LaTeX, braces and the argument of f(x)."""
    name = re.sub(r"\\[a-z]+|[{}\s]", "", name)
    return re.sub(r"\([a-z]\)$", "", name)


def _names_agree(a: str, b: str) -> bool:
    """The same letter, of which one may lack its index; y and f(x) name the same; words say nothing against."""
    left, right = bare_name(a), bare_name(b)
    if left == right or not left.isascii() or not right.isascii():
        return True
    functions = {"y", "f", "g", "h", "y'", "f'"}
    if left in functions and right in functions:
        return True
    left, right = left.replace("_", ""), right.replace("_", "")
    return left == right or (left[:1] == right[:1] and left[:1] in (left, right))
