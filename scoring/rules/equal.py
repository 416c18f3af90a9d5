"""Whether two expression trees have the same value: compared at points, symmetrically, never by pattern.

Constants are compared exactly or to 25 of 40 digits. Trees with free symbols are compared at several points chosen
from both texts together (the same for either order): first positive ones, where roots and powers have their school
meaning, then real ones of either sign for the symbols of pure mathematics.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

from scoring.rules.evaluate import Value, context, evaluate, to_float
from scoring.rules.expr import Parsed
from scoring.rules.tree import Node, Undefined, names, symbols

POINTS = 5
MAX_SYMBOLS = 12
TOLERANCE = Fraction(1, 10**25)
_WHOLE_NAMES = frozenset({"n", "m", "k", "r", "N"})
_ANY_SIGN = frozenset("xyzabcptuλm")  # letters of pure mathematics, which may be negative
_DENOMINATORS = (7, 9, 11, 13, 17, 19, 23)


def close(left: Value, right: Value) -> bool:
    """Equal exactly, or to 25 digits where either is inexact."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    left, right = to_float(left), to_float(right)
    scale = max(abs(left), abs(right))
    return bool(abs(left - right) <= scale * to_float(TOLERANCE)) or bool(scale < 1e-30)


def constant(parsed: Parsed) -> Value:
    """Value of an expression without free symbols. Raises Undefined or Unreadable."""
    if symbols(parsed.node):
        raise Undefined("free symbols")
    return evaluate(parsed.node, {})


def same(left: Parsed, right: Parsed) -> bool | None:
    """Whether two expressions are equal; None when that cannot be settled.

    Raises:
        Unreadable: a number beyond the limits.
    """
    results = {
        same_nodes(a, b)
        for a in (left.node, left.other)
        for b in (right.node, right.other)
        if a is not None and b is not None
    }
    if len(results) == 1:
        return results.pop()
    if left.other is not None and left.other == right.other and left.node == right.node:
        return True
    return None


def same_nodes(left: Node, right: Node) -> bool | None:  # noqa: PLR0911
    """`same` for bare trees."""
    if left == right:
        return True
    free = symbols(left) | symbols(right)
    if not free:
        try:
            return close(evaluate(left, {}), evaluate(right, {}))
        except Undefined:
            return None
    if len(free) > MAX_SYMBOLS:
        return None
    cases = left.op == "cases" or right.op == "cases" or "cases" in _ops(left) | _ops(right)
    verdict = _agree(left, right, points(left, right, positive=not cases))
    if verdict is not True:
        return verdict
    if free <= _ANY_SIGN | {f"{c}_{d}" for c in "xy" for d in "012"} and _needs_signs(left, right):
        signed = _agree(left, right, points(left, right, positive=False))
        return True if signed is None else (signed or None)
    return True


def _ops(node: Node) -> frozenset[str]:
    found = {node.op}
    for arg in node.args:
        found |= _ops(arg)
    return frozenset(found)


def _needs_signs(left: Node, right: Node) -> bool:
    """Roots, logarithms and absolute values can hide a sign; rational functions cannot."""
    used = names(left) | names(right)
    return bool(used & {"root", "abs", "ln", "lg", "log"}) or any(_has_broken_power(n) for n in (left, right))


def _has_broken_power(node: Node) -> bool:
    if node.op == "pow" and node.args[1].op != "num":
        return True
    return any(_has_broken_power(arg) for arg in node.args)


def points(left: Node, right: Node, *, positive: bool, count: int = POINTS) -> Iterable[dict[str, Fraction]]:
    """Points for all free symbols of both trees; the same for (left, right) and (right, left)."""
    free = sorted(symbols(left) | symbols(right))
    key = "|".join(sorted((repr(left), repr(right))))
    rng = random.Random(zlib.crc32(key.encode()))
    positive = positive or set(free) <= _WHOLE_NAMES
    if not positive:
        yield from _boundary_points(left, right, free)
        count *= 3
    for index in range(count):
        point: dict[str, Fraction] = {}
        for name in free:
            if name in _WHOLE_NAMES and len(free) <= 2:
                point[name] = Fraction(index + 1 if index < 4 else rng.randint(5, 17))
                continue
            value = Fraction(rng.randint(3, 40), rng.choice(_DENOMINATORS))
            point[name] = value if positive or rng.random() < 0.5 else -value
        yield point


def _boundary_points(left: Node, right: Node, free: Sequence[str]) -> Iterable[dict[str, Fraction]]:
    """Numbers that occur in the trees, where pieces of a piecewise function meet, and zero."""
    if len(free) != 1:
        return
    values = {Fraction(0)}
    stack = [left, right]
    while stack:
        node = stack.pop()
        if node.op == "num":
            values |= {node.value, -node.value}
        stack.extend(node.args)
    for value in sorted(values)[:12]:
        yield {free[0]: value}


def _agree(left: Node, right: Node, where: Iterable[Mapping[str, Fraction]]) -> bool | None:
    """Whether the values agree wherever both are defined; None without such a point."""
    imaginary = "i" in names(left) | names(right)
    seen = 0
    for point in where:
        a, b = _value(left, point), _value(right, point)
        if a is None or b is None:
            if (a is None) != (b is None) and "cases" in _ops(left) | _ops(right):
                return False  # one function is defined there and the other is not
            continue
        if not imaginary and (_complex(a) or _complex(b)):
            if _complex(a) != _complex(b):
                return False  # ln x² and 2 ln x: one is real there and the other is not
            continue
        if not close(a, b):
            return False
        seen += 1
    return True if seen >= 2 else None


def _value(node: Node, point: Mapping[str, Fraction]) -> Value | None:
    try:
        return evaluate(node, point)
    except Undefined:
        return None


def _complex(value: Value) -> bool:
    if isinstance(value, Fraction):
        return False
    ctx = context()
    return isinstance(value, ctx.mpc) and abs(value.imag) > abs(value) * to_float(TOLERANCE)


def same_up_to_constants(left: Node, right: Node) -> bool:
    """Equal after renaming the arbitrary constants C_1, C_2 … of a general solution.

    Only for expressions of the form Σ C_i f_i(x) (+ g(x)) with one other symbol and some non-constant f_i in an
    exponential, sine or cosine: elsewhere C_1 and C_2 are quantities, which may not change places.
    """
    free = symbols(left)
    constants = sorted(s for s in free if s[:1] in "Cc" and s[1:2] == "_" and s[2:].isdigit())
    others = free - set(constants)
    if free != symbols(right) or not 2 <= len(constants) <= 3 or len(others) != 1 or not others <= {"x", "t"}:
        return False
    if not (names(left) & {"e", "exp", "sin", "cos"}) or not (names(right) & {"e", "exp", "sin", "cos"}):
        return False
    if not _is_linear(left, constants):
        return False
    for order in permutations(constants):
        candidate = renamed(left, dict(zip(constants, order, strict=True)))
        if _agree(candidate, right, points(candidate, right, positive=True)):
            return True
    return False


def _is_linear(node: Node, constants: Sequence[str]) -> bool:
    """Whether the value is Σ C_i f_i + g: the second difference in the constants vanishes."""
    try:
        for point in points(node, node, positive=True, count=2):
            at = [evaluate(node, {**point, **dict.fromkeys(constants, Fraction(k))}) for k in (0, 1, 2)]
            if not close(to_float(at[0]) + to_float(at[2]), 2 * to_float(at[1])):
                return False
    except Undefined:
        return False
    return True


def renamed(node: Node, table: Mapping[str, str]) -> Node:
    """The tree with its symbols renamed."""
    if node.op == "sym":
        return Node("sym", name=table.get(node.name, node.name))
    return Node(node.op, tuple(renamed(a, table) for a in node.args), node.name, node.value)
