"""Equations up to equivalence: two equations are the same when they have the same solutions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from scoring.rules.equal import close, points
from scoring.rules.evaluate import context, evaluate, to_float
from scoring.rules.tree import Node, Undefined, symbols
from scoring.rules.values import Equation

MAX_DEGREE = 4
SLICES = 3  # values of the other letters at which roots are compared


def same_curve(a: Equation, b: Equation) -> bool | None:
    """Whether the two equations have the same solutions; None when neither method can tell.

    First: one difference of sides is a constant multiple of the other. Otherwise, at fixed values of the other
    letters, both are polynomials of degree up to 4 in one letter, and their roots are compared.
    """
    left, right = _difference(a), _difference(b)
    if symbols(left) != symbols(right):
        return False if (symbols(left) ^ symbols(right)) & {"x", "y"} else None
    if _proportional(left, right):
        return True
    for letter in sorted(symbols(left), key=lambda s: (s != "y", s != "x", s)):
        verdict = _same_roots(left, right, letter)
        if verdict is not None:
            return verdict
    return None


def _difference(equation: Equation) -> Node:
    return Node("add", (equation.left.node, Node("neg", (equation.right.node,))))


def _proportional(left: Node, right: Node) -> bool:
    quotient: Any = None
    seen = 0
    for point in points(left, right, positive=True, count=6):
        try:
            a, b = evaluate(left, point), evaluate(right, point)
        except Undefined:
            continue
        if a == 0 or b == 0:
            if close(a, Fraction(0)) != close(b, Fraction(0)):
                return False
            continue
        if isinstance(a, Fraction) != isinstance(b, Fraction):
            a, b = to_float(a), to_float(b)
        current = a / b
        if quotient is not None and not close(current, quotient):
            return False
        quotient = current
        seen += 1
    return seen >= 3


def _same_roots(left: Node, right: Node, letter: str) -> bool | None:
    compared = 0
    for point in points(left, right, positive=True, count=SLICES):
        first, second = _roots(left, letter, point), _roots(right, letter, point)
        if first is None or second is None:
            return None
        if not first and not second:
            continue
        if not _same_numbers(first, second):
            return False
        compared += 1
    return True if compared == SLICES else None


def _roots(node: Node, letter: str, point: dict[str, Fraction]) -> list[Any] | None:
    """Roots in `letter` when `node` is a polynomial of degree 1–4 in it there; None when it is not."""
    ctx = context()
    try:
        values = [to_float(evaluate(node, {**point, letter: Fraction(k)})) for k in range(1, MAX_DEGREE + 4)]
    except Undefined:
        return None
    differences = [values]
    while len(differences[-1]) > 1:
        row = differences[-1]
        differences.append([y - x for x, y in pairwise(row)])
    scale = max(abs(v) for v in values) or 1
    degree = max((k for k, row in enumerate(differences) if abs(row[0]) > scale * ctx.mpf(10) ** -25), default=0)
    if degree > MAX_DEGREE:
        return None
    if degree == 0:
        return []
    return list(ctx.polyroots(_coefficients([row[0] for row in differences[: degree + 1]]), maxsteps=200, extraprec=60))


def _coefficients(newton: list[Any]) -> list[Any]:
    """Newton's forward form at 1, 2, 3 … to powers, highest first."""
    ctx = context()
    result = [ctx.mpf(0)]
    basis = [ctx.mpf(1)]
    for k, delta in enumerate(newton):
        weight = delta / ctx.factorial(k)
        padded = [ctx.mpf(0)] * (len(basis) - len(result)) + result
        result = [r + weight * c for r, c in zip(padded, basis, strict=True)]
        shifted = [*basis, ctx.mpf(0)]
        basis = [s - (k + 1) * c for s, c in zip(shifted, [ctx.mpf(0), *basis], strict=True)]
    return result


def _same_numbers(a: list[Any], b: list[Any]) -> bool:
    """Each root of either has a partner in the other, to 10 digits (double roots are found to fewer digits)."""
    ctx = context()

    def inside(x: Any, others: list[Any]) -> bool:
        return any(abs(x - y) <= (abs(x) + 1) * ctx.mpf(10) ** -10 for y in others)

    return all(inside(x, b) for x in a) and all(inside(y, a) for y in b)
