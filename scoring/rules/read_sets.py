"""Reading intervals, unions, inequalities and set-builder notation as sets of real numbers."""

from __future__ import annotations

import re

from scoring.rules.equal import close, constant
from scoring.rules.evaluate import Value as Number
from scoring.rules.evaluate import context, to_float
from scoring.rules.expr import Parsed, parse
from scoring.rules.normalise import SET_CLOSE, SET_OPEN, split_top
from scoring.rules.tree import Undefined, Unreadable, symbols
from scoring.rules.values import Interval, RealSet

RELATION = re.compile(r"[<>≤≥≠]")
_EMPTY = {"∅", "空集", "无解", "无实数解", "无实根", "φ", "nosolution", "emptyset", "theemptyset", "⦃⦄"}
_ALL = {"ℝ", "R", "全体实数", "一切实数", "任意实数", "实数集", "实数集R", "allrealnumbers", "allreals"}
_COMMA = re.compile(r"[,，]")
_UNION = re.compile("∪|U(?=[(\\[])")
_OR = re.compile(r"或者|或|(?<![A-Za-z])or(?![A-Za-z])")
_AND = re.compile(r"并且|且|[,，]|(?<![A-Za-z])and(?![A-Za-z])|∧")
_MEMBER = re.compile(r"^\s*([A-Za-zα-ω](?:_\{?\w{1,3}\}?)?'?)\s*∈\s*")
_INFINITE = re.compile(r"^\s*([+-]?)\s*(?:∞|inf(?:inity|ty)?)\s*$")
_VARIABLE = re.compile(r"^[A-Za-zα-ω](?:_\{?\w{1,3}\}?)?'?(?:\([a-z]\))?$")
_WHOLE_SET = re.compile(r"∈\s*(?:ℕ|ℤ|N|Z)")


def read_named_set(text: str) -> RealSet | None:
    """∅, ℝ and their names in words; None for anything else."""
    compact = text.replace(" ", "")
    if compact in _EMPTY or compact.lower() in _EMPTY:
        return RealSet(())
    member = _MEMBER.match(text)
    body = text[member.end() :].replace(" ", "") if member else compact
    if body in _ALL or body.lower() in _ALL:
        return RealSet((Interval(None, None),), member.group(1) if member else "")
    return None


def read_intervals(text: str) -> RealSet | None:
    """`[a,b)`, `x∈(1,+∞)`, unions; None unless some bracket or ∪ tells an interval from a pair."""
    member = _MEMBER.match(text)
    body = text[member.end() :] if member else text
    pieces = split_top(body, _UNION)
    if len(pieces) == 1 and not member and not _tells_interval(body):
        return None
    return RealSet(_normal([_interval(p) for p in pieces]), member.group(1) if member else "")


def _tells_interval(text: str) -> bool:
    text = text.strip()
    if len(text) <= 4 or text[0] not in "([" or text[-1] not in ")]":
        return False
    return text[0] == "[" or text[-1] == "]" or "∞" in text


def _interval(text: str) -> Interval:
    text = text.strip()
    if text[:1] == SET_OPEN and text[-1:] == SET_CLOSE:
        value = parse(text[1:-1])
        return Interval(value, value, True, True)
    if len(text) < 5 or text[0] not in "([" or text[-1] not in ")]":
        raise Unreadable("not an interval")
    bounds = split_top(text[1:-1], _COMMA)
    if len(bounds) != 2:
        raise Unreadable("not an interval")
    low, high = _bound(bounds[0], "-"), _bound(bounds[1], "+")
    return Interval(low, high, text[0] == "[" and low is not None, text[-1] == "]" and high is not None)


def _bound(text: str, side: str) -> Parsed | None:
    infinite = _INFINITE.match(text)
    if infinite is None:
        return parse(text.strip())
    if side == "-" and infinite.group(1) != "-":
        raise Unreadable("an interval from plus infinity")
    if side == "+" and infinite.group(1) == "-":
        raise Unreadable("an interval to minus infinity")
    return None


def read_builder(text: str) -> RealSet | None:
    """`{x | condition}`; None when the text is no such set. Raises Unreadable for conditions of another kind."""
    inner = braced(text)
    if inner is None:
        return None
    for mark in ("|", ":"):
        head, found, condition = inner.partition(mark)
        if found and re.match(r"^\s*[A-Za-z]\s*(?:∈\s*(?:R|ℝ)\s*)?$", head) and condition.count("|") % 2 == 0:
            found_set = read_inequality(condition)
            if found_set.var and found_set.var != head.strip()[:1]:
                raise Unreadable("a set of one letter with a condition on another")
            return found_set
    return None


def braced(text: str) -> str | None:
    """What stands between set braces that enclose all of `text`."""
    text = text.strip()
    if text[:1] == SET_OPEN and text[-1:] == SET_CLOSE and SET_OPEN not in text[1:]:
        return text[1:-1]
    if text[:1] == "{" and text[-1:] == "}" and text.count("{", 1) == text[:-1].count("}"):
        inner = text[1:-1]
        depth = 0
        for char in inner:
            depth += (char == "{") - (char == "}")
            if depth < 0:
                return None
        if len(split_top(inner, _COMMA)) > 1 or "|" in inner:
            return inner
    return None


def read_inequality(text: str) -> RealSet:
    """`a<x≤b`, `x<-1 或 x>2`, `x>0 且 x≠1` as a set. Raises Unreadable when it is not one in a single variable."""
    sets = []
    for piece in split_top(text, _OR):
        current: RealSet | None = None
        for condition in split_top(piece, _AND):
            if _WHOLE_SET.search(condition):
                raise Unreadable("a set of whole numbers")
            if re.search(r"∈\s*(?:R|ℝ)\s*$", condition):
                continue
            one = _chain(condition)
            current = one if current is None else _meet(current, one)
        if current is None:
            raise Unreadable("no condition")
        sets.append(current)
    if len({s.var for s in sets}) > 1:
        raise Unreadable("conditions on several variables")
    return RealSet(_normal([p for s in sets for p in s.pieces]), sets[0].var)


def _chain(text: str) -> RealSet:
    interval = read_intervals(text)
    if interval is not None:
        return interval
    marks = RELATION.findall(text)
    if not marks and text.count("=") == 1:
        left, right = text.split("=")
        if not _VARIABLE.match(left.strip()):
            raise Unreadable("not a condition on one variable")
        value = parse(right.strip())
        return RealSet((Interval(value, value, True, True),), left.strip())
    parts = [p.strip() for p in RELATION.split(text)]
    places = [i for i, p in enumerate(parts) if _VARIABLE.match(p) and p not in ("e", "π")]
    if len(places) != 1 or not 1 <= len(marks) <= 2:
        raise Unreadable("not a condition on one variable")
    place = places[0]
    low: tuple[Parsed, bool] | None = None
    high: tuple[Parsed, bool] | None = None
    for index, mark in enumerate(marks):
        other_side = parts[index] if index < place else parts[index + 1]
        if _INFINITE.match(other_side):
            continue
        bound = parse(other_side)
        if mark == "≠":
            if len(marks) > 1:
                raise Unreadable("not a condition on one variable")
            return RealSet((Interval(None, bound), Interval(bound, None)), parts[place])
        if (mark in "<≤") == (index < place):
            low = (bound, mark in "≤≥")
        else:
            high = (bound, mark in "≤≥")
    interval_ = Interval(low and low[0], high and high[0], bool(low and low[1]), bool(high and high[1]))
    return RealSet((interval_,), parts[place])


def number(bound: Parsed | None) -> Number | None:
    """A bound as a number; None when infinite. Raises Unreadable for a bound with letters in it."""
    if bound is None:
        return None
    try:
        return constant(bound)
    except Undefined as error:
        raise Unreadable("a bound that is not a number") from error


def is_numeric(pieces: tuple[Interval, ...]) -> bool:
    """Whether all bounds are numbers."""
    return not any(b is not None and symbols(b.node) for p in pieces for b in (p.low, p.high))


_End = tuple[Number | None, bool, Parsed | None]


def _less(a: Number, b: Number) -> bool:
    if close(a, b):
        return False
    ctx = context()
    x, y = to_float(a), to_float(b)
    if isinstance(x, ctx.mpc) or isinstance(y, ctx.mpc):
        raise Unreadable("a bound that is not real")
    return bool(x < y)


def _normal(pieces: list[Interval]) -> tuple[Interval, ...]:
    """Pieces sorted by their lower bound and joined where they touch; empty ones dropped. Symbolic ones as given."""
    if not is_numeric(tuple(pieces)):
        return tuple(pieces)
    kept = [p for p in pieces if not _is_empty(p)]
    ordered: list[Interval] = []
    for piece in kept:
        place = next((i for i, other in enumerate(ordered) if _starts_before(piece, other)), len(ordered))
        ordered.insert(place, piece)
    joined: list[Interval] = []
    for piece in ordered:
        if joined and _touch(joined[-1], piece):
            joined[-1] = _join(joined[-1], piece)
        else:
            joined.append(piece)
    return tuple(joined)


def _is_empty(piece: Interval) -> bool:
    low, high = number(piece.low), number(piece.high)
    if low is None or high is None:
        return False
    return _less(high, low) or (close(low, high) and not (piece.low_closed and piece.high_closed))


def _starts_before(a: Interval, b: Interval) -> bool:
    x, y = number(a.low), number(b.low)
    if x is None or y is None:
        return x is None and y is not None
    return _less(x, y) or (close(x, y) and a.low_closed and not b.low_closed)


def _touch(a: Interval, b: Interval) -> bool:
    high, low = number(a.high), number(b.low)
    if high is None or low is None:
        return True
    return _less(low, high) or (close(low, high) and (a.high_closed or b.low_closed))


def _join(a: Interval, b: Interval) -> Interval:
    x, y = number(a.high), number(b.high)
    if x is None or y is None:
        return Interval(a.low, None, a.low_closed, False)
    if close(x, y):
        return Interval(a.low, a.high, a.low_closed, a.high_closed or b.high_closed)
    last = b if _less(x, y) else a
    return Interval(a.low, last.high, a.low_closed, last.high_closed)


def _meet(a: RealSet, b: RealSet) -> RealSet:
    if a.var and b.var and a.var != b.var:
        raise Unreadable("conditions on several variables")
    if not (is_numeric(a.pieces) and is_numeric(b.pieces)):
        raise Unreadable("an intersection with letters in its bounds")
    pieces = []
    for p in a.pieces:
        for q in b.pieces:
            low, low_closed = _tighter(p.low, p.low_closed, q.low, q.low_closed, lower=True)
            high, high_closed = _tighter(p.high, p.high_closed, q.high, q.high_closed, lower=False)
            pieces.append(Interval(low, high, low_closed, high_closed))
    return RealSet(_normal(pieces), a.var or b.var)


def _tighter(
    a: Parsed | None, a_closed: bool, b: Parsed | None, b_closed: bool, *, lower: bool
) -> tuple[Parsed | None, bool]:
    x, y = number(a), number(b)
    if x is None or y is None:
        return (b, b_closed) if x is None else (a, a_closed)
    if close(x, y):
        return a, a_closed and b_closed
    return (b, b_closed) if _less(x, y) == lower else (a, a_closed)
