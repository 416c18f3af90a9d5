"""What a mathematical answer can be. Values are compared only within what their kinds allow (compare.py)."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoring.rules.expr import Parsed
from scoring.rules.units import Unit


@dataclass(frozen=True, slots=True)
class Formula:
    """A number or expression. `name` is the left side it was given with; `rounded` what followed a ≈ sign."""

    parsed: Parsed
    text: str
    name: str = ""
    approx: bool = False
    rounded: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with a unit."""

    parsed: Parsed
    unit: Unit
    text: str  # of the number
    name: str = ""
    approx: bool = False
    rounded: str = ""
    remark: str = ""
    whole: str = ""  # the text with its unit, for a second reading as a formula


@dataclass(frozen=True, slots=True)
class Group:
    """Ordered items in round brackets, or a column: a point, a vector, or an open interval."""

    items: tuple[Value, ...]
    is_column: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """One interval; a bound of None is infinite."""

    low: Parsed | None
    high: Parsed | None
    low_closed: bool = False
    high_closed: bool = False


@dataclass(frozen=True, slots=True)
class RealSet:
    """A union of intervals, from interval notation, inequalities or set-builder; `var` is the variable if named."""

    pieces: tuple[Interval, ...]
    var: str = ""


@dataclass(frozen=True, slots=True)
class FiniteSet:
    """Elements in braces."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Values in no order: 2或3, 1 and 3, ±2, x₁=2，x₂=3."""

    items: tuple[Value, ...]
    joined: str = ","  # "or", "and" or ","


@dataclass(frozen=True, slots=True)
class System:
    """Values of several names: x=2, y=-1."""

    entries: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation that is not solved for one side."""

    left: Parsed
    right: Parsed
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Ratio:
    """a : b (: c …)."""

    items: tuple[Parsed, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Two or more columns of entries."""

    rows: tuple[tuple[Value, ...], ...] = field(default=())


Value = Formula | Quantity | Group | RealSet | FiniteSet | Listing | System | Equation | Ratio | Matrix
