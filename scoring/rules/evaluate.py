"""Values of expression trees: exact rationals where possible, otherwise 40 digits, always within limits.

Trees are evaluated at points; no symbolic rewriting takes place, so the time is bounded by the size of the tree.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from fractions import Fraction
from math import comb, factorial, perm
from typing import Any

from scoring.rules.tree import Node, Undefined, Unreadable
from wholepage.errors import MissingExtraError

DIGITS = 40
MAX_BITS = 4000  # of an exact rational
MAX_EXPONENT = 4000
MAX_MAGNITUDE = 10_000  # binary exponent of an inexact number
MAX_FACTORIAL = 300

Value = Any  # Fraction, or mpf / mpc of this thread's context
_local = threading.local()


def context() -> Any:
    """This thread's mpmath context: mpmath changes its precision in passing, so threads must not share one."""
    ctx = getattr(_local, "ctx", None)
    if ctx is None:
        try:
            import mpmath
        except ImportError as error:
            raise MissingExtraError.for_extra("score", "mpmath") from error
        ctx = mpmath.MPContext()
        ctx.dps = DIGITS
        _local.ctx = ctx
    return ctx


def to_float(value: Value) -> Value:
    """A Fraction as this thread's mpf; other values unchanged."""
    if isinstance(value, Fraction):
        ctx = context()
        return ctx.mpf(value.numerator) / ctx.mpf(value.denominator)
    return value


def _checked(value: Value) -> Value:
    if isinstance(value, Fraction):
        if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
            return _checked(to_float(value))
        return value
    ctx = context()
    for part in (value.real, value.imag) if isinstance(value, ctx.mpc) else (value,):
        if not ctx.isfinite(part):
            raise Undefined("not finite")
        if part and abs(ctx.mag(part)) > MAX_MAGNITUDE:
            raise Unreadable("a number beyond the limits")
    return value


def evaluate(node: Node, point: Mapping[str, Value]) -> Value:  # noqa: PLR0911
    """The value of `node` with its symbols as in `point`.

    Raises:
        Undefined: no value there.
        Unreadable: a number beyond the limits.
    """
    op = node.op
    if op == "num":
        return node.value
    if op == "sym":
        return point[node.name]
    if op == "const":
        ctx = context()
        return {"pi": +ctx.pi, "e": +ctx.e, "i": ctx.mpc(0, 1)}[node.name]
    if op == "cases":
        return _cases(node, point)
    if op == "fn":
        return _checked(_function(node.name, [evaluate(a, point) for a in node.args]))
    values = [evaluate(a, point) for a in node.args]
    if op == "neg":
        return -values[0]
    if op == "pow":
        return _checked(_power(values[0], values[1]))
    return _checked(_arithmetic(op, values))


def _arithmetic(op: str, values: list[Value]) -> Value:
    if not all(isinstance(v, Fraction) for v in values):
        values = [to_float(v) for v in values]
    result = values[0]
    for value in values[1:]:
        if op == "add":
            result = result + value
        elif op == "mul":
            result = result * value
        else:
            if value == 0:
                raise Undefined("division by zero")
            result = result / value
    return result


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        power = exponent.numerator
        if base == 0 and power <= 0:
            raise Undefined("zero to the power zero or less")
        if abs(power) > MAX_EXPONENT * 100:
            raise Unreadable("an exponent beyond the limits")
        if isinstance(base, Fraction):
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(power) <= MAX_BITS:
                return base**power
        base = to_float(base)
        if base and abs(context().mag(base)) * abs(power) > MAX_MAGNITUDE * 2:
            raise Unreadable("a number beyond the limits")
        return base**power
    ctx = context()
    base, exponent = to_float(base), to_float(exponent)
    if base == 0:
        raise Undefined("zero to a power that is not whole")
    if abs(exponent) * (abs(ctx.mag(base)) + 4) > MAX_MAGNITUDE * 2:
        raise Unreadable("a number beyond the limits")
    return ctx.power(base, exponent)


def _whole(value: Value) -> int:
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    raise Undefined("a whole number is needed")


def _function(name: str, values: list[Value]) -> Value:
    if name == "factorial":
        n = _whole(values[0])
        if n < 0:
            raise Undefined("factorial of a negative number")
        if n > MAX_FACTORIAL:
            raise Unreadable("a factorial beyond the limits")
        return Fraction(factorial(n))
    if name in ("binomial", "permutation"):
        n, m = _whole(values[0]), _whole(values[1])
        if not 0 <= m <= MAX_FACTORIAL or not 0 <= n <= MAX_FACTORIAL * 4:
            raise Undefined("combinations of these numbers")
        return Fraction(comb(n, m) if name == "binomial" else perm(n, m))
    if name == "root":
        return _root(values[0], values[1])
    if name == "abs":
        return abs(values[0])
    if name in ("max", "min"):
        raise Unreadable(f"{name} is not evaluated")
    return _transcendental(name, [to_float(v) for v in values])


def _root(value: Value, index: Value) -> Value:
    n = _whole(index)
    if not 2 <= n <= 60:
        raise Undefined("a root of this index")
    if isinstance(value, Fraction) and value >= 0:
        exact = _exact_root(value, n)
        if exact is not None:
            return exact
    ctx = context()
    value = to_float(value)
    if n % 2 and not isinstance(value, ctx.mpc) and value < 0:
        return -ctx.root(-value, n)  # school meaning: the cube root of -8 is -2
    return ctx.root(value, n)


def _exact_root(value: Fraction, n: int) -> Fraction | None:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 120:
        return None
    top, bottom = round(value.numerator ** (1 / n)), round(value.denominator ** (1 / n))
    return Fraction(top, bottom) if top**n == value.numerator and bottom**n == value.denominator else None


def _transcendental(name: str, values: list[Value]) -> Value:
    ctx = context()
    x = values[0]
    if abs(x) > 10**6 and name not in ("ln", "lg", "log"):
        raise Unreadable("an argument beyond the limits")
    if name in ("ln", "lg", "log"):
        if x == 0:
            raise Undefined("logarithm of zero")
        if len(values) > 1:
            base = ctx.log(values[1]) if values[1] else None
            if not base:
                raise Undefined("logarithm to this base")
            return ctx.log(x) / base
        return ctx.log(x) if name == "ln" else ctx.log(x) / ctx.log(10)
    if name in ("cot", "sec", "csc"):
        below = ctx.tan(x) if name == "cot" else ctx.cos(x) if name == "sec" else ctx.sin(x)
        if abs(below) < 1e-30:
            raise Undefined("division by zero")
        return 1 / below
    functions = {
        "sin": ctx.sin, "cos": ctx.cos, "tan": ctx.tan, "tg": ctx.tan, "arcsin": ctx.asin, "arccos": ctx.acos,
        "arctan": ctx.atan, "sinh": ctx.sinh, "cosh": ctx.cosh, "tanh": ctx.tanh, "exp": ctx.exp,
    }  # fmt: skip
    if name in ("exp", "sinh", "cosh") and abs(x) > 5000:
        raise Unreadable("a number beyond the limits")
    if name == "tan" and abs(ctx.cos(x)) < 1e-30:
        raise Undefined("tangent has no value")
    return functions[name](x)


def _cases(node: Node, point: Mapping[str, Value]) -> Value:
    """The value of the piece that holds; pieces that overlap must agree, else there is no function.

    "Otherwise" holds where no other piece does.
    """
    pieces = list(zip(node.args[::2], node.args[1::2], strict=True))
    values = [evaluate(v, point) for v, c in pieces if c.name != "true" and holds(c, point)]
    values = values or [evaluate(v, point) for v, c in pieces if c.name == "true"]
    if not values:
        raise Undefined("outside all pieces")
    first = to_float(values[0])
    if any(abs(to_float(v) - first) > abs(first) * to_float(Fraction(1, 10**25)) for v in values[1:]):
        raise Undefined("pieces that overlap and differ")
    return values[0]


def holds(condition: Node, point: Mapping[str, Value]) -> bool:
    """Whether a condition (true, and, or, rel) holds at `point`."""
    if condition.name == "true":
        return True
    if condition.name == "and":
        return all(holds(c, point) for c in condition.args)
    if condition.name == "or":
        return any(holds(c, point) for c in condition.args)
    left, right = (evaluate(a, point) for a in condition.args)
    if isinstance(left, Fraction) != isinstance(right, Fraction):
        left, right = to_float(left), to_float(right)
    try:
        results = {"<": left < right, "≤": left <= right, ">": left > right, "≥": left >= right, "=": left == right,
                "≠": left != right}  # fmt: skip
        return bool(results[condition.name])
    except TypeError as error:
        raise Undefined("no order among complex numbers") from error
