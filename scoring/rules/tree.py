"""The expression tree of the rules and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

MAX_NODES = 1500
MAX_DEPTH = 80
MAX_DIGITS = 80  # digits of one number


class Unreadable(Exception):  # noqa: N818 - a verdict on a text, not a fault of the program
    """The text is not mathematics that the rules know, or exceeds their limits."""


class Undefined(Exception):  # noqa: N818
    """The expression has no value at a point (division by zero, logarithm of zero, outside a piece's condition)."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node: `op` is num, sym, const, add, mul, div, pow, neg, fn or cases; `args` its operands.

    num: `value`; sym, const, fn: `name`; cases: args alternate value, condition with conditions as `rel` nodes.
    """

    op: str
    args: tuple[Node, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)


def num(value: int | Fraction) -> Node:
    """A rational constant."""
    return Node("num", value=Fraction(value))


def symbols(node: Node) -> frozenset[str]:
    """Names of the free symbols."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if item.op == "sym":
            found.add(item.name)
        stack.extend(item.args)
    return frozenset(found)


def names(node: Node) -> frozenset[str]:
    """Names of functions and constants used."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if item.op in ("fn", "const"):
            found.add(item.name)
        stack.extend(item.args)
    return frozenset(found)


def times(left: Node, right: Node) -> Node:
    """A flat product, so that long products stay shallow."""
    factors = left.args if left.op == "mul" else (left,)
    return Node("mul", (*factors, right))
