"""Whether an expression has the form that was asked: factorised as far as the key is."""

from __future__ import annotations

import re
from math import gcd

from scoring.rules.tree import Node, symbols
from scoring.rules.values import Formula, Value

_ASKED_FACTOR = re.compile(
    r"分解因式|因式分解|factori[sz]e|factori[sz]ation|factor (?:completely|the|out|fully)", re.IGNORECASE
)
_ASKED_EXPAND = re.compile(r"展开|去括号|\bexpand", re.IGNORECASE)
_SIMPLEST_RATIO = re.compile(r"最简(?:整数)?比|simplest (?:form|ratio)")


def factor_count(node: Node) -> int:
    """Factors of the top product that hold letters, with multiplicity."""
    if node.op == "mul":
        return sum(factor_count(a) for a in node.args)
    if node.op == "neg":
        return factor_count(node.args[0])
    if node.op == "div":
        return factor_count(node.args[0])
    if node.op == "pow" and node.args[1].op == "num" and node.args[1].value.denominator == 1:
        return factor_count(node.args[0]) * max(1, min(node.args[1].value.numerator, 50))
    return 1 if symbols(node) else 0


def form_doubt(gold: Value, given: Value, surroundings: str) -> tuple[bool | None, str] | None:
    """A verdict on the form of an answer that is equal in value; None when nothing is against it."""
    if not isinstance(gold, Formula) or not isinstance(given, Formula) or not symbols(gold.parsed.node):
        return None
    ours, theirs = factor_count(gold.parsed.node), factor_count(given.parsed.node)
    if _ASKED_FACTOR.search(surroundings) and ours > 1:
        if theirs < ours:
            return False, "not factorised as far as the key"
        if _content(given.parsed.node) != _content(gold.parsed.node):
            return None, "a numeric factor is left inside"
        return None if theirs == ours else (None, "factorised further than the key")
    if _ASKED_EXPAND.search(surroundings) and ours == 1 and theirs > 1 and gold.parsed.node.op == "add":
        return None, "a product where expanding may have been asked"
    return None


def _content(node: Node) -> int:
    """Number of factors whose numeric content could still be taken out: terms that all are divisible."""
    count = 0
    stack = [node]
    while stack:
        item = stack.pop()
        if item.op in ("mul", "neg", "pow"):
            stack.extend(item.args[:1] if item.op == "pow" else item.args)
        elif item.op == "add" and _common_divisor(item) > 1:
            count += 1
    return count


def _common_divisor(node: Node) -> int:
    result = 0
    for term in node.args:
        factor = 1
        stack = [term]
        while stack:
            item = stack.pop()
            if item.op == "num":
                if item.value.denominator != 1:
                    return 1
                factor *= abs(int(item.value))
            elif item.op in ("mul", "neg"):
                stack.extend(item.args)
        result = gcd(result, factor)
    return result
