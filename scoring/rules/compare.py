"""Whether two values are equal: True, False, or None when the rules cannot say. Symmetric in its arguments.

A pair in round brackets equals another pair item by item; beside a set it is the open interval it spells. Lists,
sets and points are different kinds: the same numbers in another kind are not equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.rules import read_sets
from scoring.rules.compare_scalars import Finding, bare_name, compare_scalars, no, open_finding, yes
from scoring.rules.equal import same
from scoring.rules.expr import Parsed
from scoring.rules.tree import Node, Undefined, Unreadable, symbols
from scoring.rules.values import (
    Equation,
    FiniteSet,
    Formula,
    Group,
    Interval,
    Listing,
    Matrix,
    Quantity,
    Ratio,
    RealSet,
    System,
    Value,
)


def compare(a: Value, b: Value) -> Finding:
    """Compare two values. Numbers beyond the limits leave the finding open."""
    try:
        return _compare(a, b)
    except (Undefined, Unreadable) as error:
        return open_finding(str(error))


def _unless_other(finding: Finding, doubt: str) -> Finding:
    """Equal numbers in another kind of answer stay open; other numbers are wrong."""
    return no("other values") if finding.equal is False else open_finding(doubt)


def _compare(a: Value, b: Value) -> Finding:  # noqa: PLR0911, PLR0912
    if isinstance(a, Formula | Quantity | Equation) and isinstance(b, Formula | Quantity | Equation):
        return compare_scalars(a, b)
    # One kind at a time: asking for two kinds of the left value first would make the order of arguments count.
    for left, right in ((a, b), (b, a)):
        if isinstance(left, Listing):
            return _listing(left, right)
    for left, right in ((a, b), (b, a)):
        if isinstance(left, Ratio):
            return _ratio(left, right)
    if isinstance(a, Group) and isinstance(b, Group):
        return _in_order(a.items, b.items)
    if isinstance(a, FiniteSet) and isinstance(b, FiniteSet):
        return _unordered(a.items, b.items, "the set")
    for left, right in ((a, b), (b, a)):
        if isinstance(left, RealSet):
            return _real_set(left, right)
    if isinstance(a, System) and isinstance(b, System):
        return _system(a, b)
    if isinstance(a, Matrix) and isinstance(b, Matrix):
        if len(a.rows) != len(b.rows):
            return no("matrices of other sizes")
        return _all([_in_order(x, y) for x, y in zip(a.rows, b.rows, strict=True)], "matrix")
    for left, right in ((a, b), (b, a)):
        if isinstance(left, System) and isinstance(right, Group):
            values = Group(tuple(v for _, v in left.entries))
            return _unless_other(_compare(values, right), "values of names beside a point")
    for left, right in ((a, b), (b, a)):
        if isinstance(left, FiniteSet) and len(left.items) == 1 and isinstance(right, Formula | Quantity):
            return _unless_other(_compare(left.items[0], right), "a set of one element beside its element")
    return no(f"a {_kind(a)} is not a {_kind(b)}")


_KINDS = {Formula: "formula", Quantity: "quantity", Group: "point or pair", RealSet: "set of real numbers",
          FiniteSet: "set of elements", Listing: "list of values", System: "set of named values",
          Equation: "equation", Ratio: "ratio", Matrix: "matrix"}  # fmt: skip


def _kind(value: Value) -> str:
    return _KINDS[type(value)]


def _all(findings: Sequence[Finding], what: str) -> Finding:
    if any(f.equal is False for f in findings):
        return next(f for f in findings if f.equal is False)
    if any(f.equal is None for f in findings):
        return next(f for f in findings if f.equal is None)
    return yes(f"{what}: all entries equal")


def _in_order(a: Sequence[Value], b: Sequence[Value]) -> Finding:
    if len(a) != len(b):
        return no("another number of entries")
    return _all([_compare(x, y) for x, y in zip(a, b, strict=True)], "entries in order")


def _distinct(items: Sequence[Value]) -> list[Value]:
    kept: list[Value] = []
    for item in items:
        if not any(_compare(item, other).equal for other in kept):
            kept.append(item)
    return kept


def _unordered(a: Sequence[Value], b: Sequence[Value], what: str) -> Finding:
    """Every element on either side has its own partner on the other."""
    left, right = _distinct(a), _distinct(b)
    if len(left) != len(right):
        return no(f"{what} has {len(left)} values against {len(right)}")
    table = [[_compare(x, y).equal for y in right] for x in left]
    if _matched(table, {True}):
        return yes(f"{what}: all values, in any order")
    if _matched(table, {True, None}):
        return open_finding(f"{what}: some values cannot be compared")
    return no(f"{what}: other values")


def _matched(table: list[list[bool | None]], allowed: set[bool | None]) -> bool:
    partner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column, entry in enumerate(table[row]):
            if entry in allowed and column not in seen:
                seen.add(column)
                if column not in partner or place(partner[column], seen):
                    partner[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(table)))


def _listing(a: Listing, b: Value) -> Finding:  # noqa: PLR0911
    if isinstance(b, Listing):
        finding = _unordered([_bare(i) for i in a.items], [_bare(i) for i in b.items], "the list")
        if finding.equal is False and _curves(a) and _curves(b):
            return open_finding("several equations, of which one may be enough")
        return finding
    items = _distinct([_bare(i) for i in a.items])
    if len(items) == 1:
        return _compare(items[0], b)
    if isinstance(b, FiniteSet | Group):
        finding = _unordered(items, b.items, "the list")
        return no(finding.reason) if finding.equal is False else open_finding(f"a list beside a {_kind(b)}")
    if isinstance(b, System):
        finding = _unordered(items, [_bare(v) for _, v in b.entries], "the list")
        return no(finding.reason) if finding.equal is False else open_finding("values without their names")
    if _curves(a) and any(_compare(i, b).equal is not False for i in a.items):
        return open_finding("one of several equations: whether one is enough depends on the question")
    return no(f"one value against {len(items)}")


def _curves(listing: Listing) -> bool:
    """Whether some member is an equation of a curve rather than a value."""
    return any(
        isinstance(i, Equation) or (isinstance(i, Formula) and i.name in ("x", "y") and symbols(i.parsed.node))
        for i in listing.items
    )


def _bare(value: Value) -> Value:
    """A named value without its name, except where the name makes it an equation of a curve."""
    if isinstance(value, Quantity) and value.name:
        return Quantity(value.parsed, value.unit, value.text, whole=value.whole, approx=value.approx)
    if isinstance(value, Formula) and value.name and not (value.name in ("x", "y") and symbols(value.parsed.node)):
        return Formula(value.parsed, value.text, approx=value.approx, remark=value.remark)
    return value


def _ratio(a: Ratio, b: Value) -> Finding:
    if isinstance(b, Ratio):
        if len(a.items) != len(b.items):
            return no("a ratio of other length")
        pairs = zip(a.items[1:], b.items[1:], strict=True)
        results = [same(_times(x, b.items[0]), _times(y, a.items[0])) for x, y in pairs]
        return Finding(_every(results), "ratios compared term by term")
    if isinstance(b, Formula) and len(a.items) == 2:
        quotient = Parsed(Node("div", (a.items[0].node, a.items[1].node)))
        return Finding(same(quotient, b.parsed), "ratio compared with its quotient")
    return no(f"a ratio is not a {_kind(b)}")


def _every(results: Sequence[bool | None]) -> bool | None:
    if False in results:
        return False
    return None if None in results else True


def _times(a: Parsed, b: Parsed) -> Parsed:
    return Parsed(Node("mul", (a.node, b.node)))


def _real_set(a: RealSet, b: Value) -> Finding:
    if isinstance(b, Group) and len(b.items) == 2 and not b.is_column:
        low, high = b.items
        if not isinstance(low, Formula) or not isinstance(high, Formula):
            return no("a pair is not an interval")
        return _real_set(a, RealSet((Interval(low.parsed, high.parsed),)))
    if not isinstance(b, RealSet):
        return no(f"a {_kind(a)} is not a {_kind(b)}")
    equal = _same_pieces(a, b)
    if equal and a.var and b.var and bare_name(a.var) != bare_name(b.var):
        return open_finding(f"the same set, of {a.var} and of {b.var}")
    return Finding(equal, "sets of real numbers compared by their end points")


def _same_pieces(a: RealSet, b: RealSet) -> bool | None:
    if len(a.pieces) != len(b.pieces):
        return False if read_sets.is_numeric(a.pieces) and read_sets.is_numeric(b.pieces) else None
    results: list[bool | None] = []
    for p, q in zip(a.pieces, b.pieces, strict=True):
        results.append(p.low_closed == q.low_closed and p.high_closed == q.high_closed)
        results += [_same_bound(p.low, q.low), _same_bound(p.high, q.high)]
    return _every(results)


def _same_bound(a: Parsed | None, b: Parsed | None) -> bool | None:
    if a is None or b is None:
        return a is b
    return same(a, b)


def _system(a: System, b: System) -> Finding:
    left, right = dict(a.entries), dict(b.entries)
    if set(left) != set(right):
        if len(left) != len(right):
            return no("values of other names")
        return open_finding("values of other names")
    return _all([_compare(_bare(left[n]), _bare(right[n])) for n in left], "named values")
