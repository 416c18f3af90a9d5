"""Reading one answer as a mathematical value. The text alone decides its kind; the other side is not looked at."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from scoring.rules import read_cases, read_sets
from scoring.rules.equal import same
from scoring.rules.expr import parse
from scoring.rules.normalise import SET_OPEN, split_top, tidy, trim
from scoring.rules.read_names import is_name, symbol_of
from scoring.rules.read_scalar import is_product, scalar, units_agree
from scoring.rules.tree import Unreadable, symbols
from scoring.rules.units import split_quantity
from scoring.rules.values import (
    Equation,
    FiniteSet,
    Formula,
    Group,
    Listing,
    Matrix,
    Quantity,
    Ratio,
    System,
    Value,
)

MAX_ITEMS = 24
_OR = re.compile(r"\s*(?:[,，]\s*)?(?:或者|或|(?<![A-Za-z\\])or(?![A-Za-z]))\s*")
_AND = re.compile(r"\s*(?:[,，]\s*)?(?:以及|和|与|及|(?<![A-Za-z\\])and(?![A-Za-z])|&)\s*|\s*[、；;]\s*")
_COMMA = re.compile(r"\s*[,，]\s*")
_EQUALS = re.compile(r"[=≈]")
_COLON = re.compile(":")
_REMARK = re.compile(r"\s*\(([^()]*(?:\([^()]*\)[^()]*)?)\)\s*$")
_REMARK_MARK = re.compile(r"[∈<>≤≥≠一-鿿]")
_WHOLE_DOMAIN = re.compile(r"∈\s*(?:\{?\s*[ℕℤNZ])|^\s*n\s*≥\s*1\s*$")
_ABOUT = re.compile(r"^\s*(?:大约|大概|约为|约等于|近似为|约|about|approximately|approx\.?|≈|~)\s*")
_STATEMENT_NUMBERS = re.compile(r"^\(\d{1,2}\)(?:[\s,、;和]*\(\d{1,2}\))+$")
_CIRCLED = re.compile(r"\W*[①-⑳]\W*$")
_CROSS = re.compile(r"(?:\\vec|\\overrightarrow)\s*(?:\{[^{}]*\}|\w)\s*×\s*\\(?:vec|overrightarrow)")
_NAMED_POINT = re.compile(r"^[A-Z](?:_\{?\w\}?)?'?\s*(?=\(.*,.*\)$)")


@lru_cache(maxsize=4096)
def read(text: str) -> Value:
    """The value that `text` states. Raises Unreadable when it is not a value that the rules know."""
    if _CIRCLED.match(text):
        raise Unreadable("the number of a statement")  # ② is not 2
    spelled = trim(tidy(text))
    if _STATEMENT_NUMBERS.match(spelled):
        raise Unreadable("numbers of statements")  # ①③ is no product
    if _CROSS.search(spelled):
        raise Unreadable("a cross product")
    return _read(spelled)


def _read(text: str, depth: int = 0) -> Value:
    if not text or depth > 6:
        raise Unreadable("nothing to read")
    text, remark = _split_remark(text)
    named = read_sets.read_named_set(text)
    if named is not None:
        return named
    found = read_cases.environment(text)
    if found is not None:
        return _environment(*found, depth)
    value = _bracketed_end(text, depth) or _listed(text, depth)
    if value is None:
        value = _related(text, depth)
    if remark and isinstance(value, Formula | Quantity | Equation):
        value = replace(value, remark=remark)
    return value


def _bracketed_end(text: str, depth: int) -> Value | None:
    """What stands after the last equals sign when that is a set, an interval or a pair: A∩B = {1}, a+b = (4,-2)."""
    parts = split_top(text, _EQUALS)
    if len(parts) < 2 or len(split_top(text, _COMMA)) > 1 or len(split_top(text, _OR)) > 1:
        return None
    last = parts[-1].strip()
    if read_sets.braced(last) is not None:
        return _read(last, depth + 1)
    if last[:1] in ("(", "[") and _closes_at_end(last) and len(split_top(last[1:-1], _COMMA)) > 1:
        return _read(last, depth + 1)
    return None


def _split_remark(text: str) -> tuple[str, str]:
    """Cut remarks in brackets off the end: `(n∈N*)`, `(x≠0)`, `（常数）`. Domains of whole numbers say nothing new."""
    kept: list[str] = []
    while (found := _REMARK.search(text)) and found.start() > 0 and _REMARK_MARK.search(found.group(1)):
        before = text[: found.start()].rstrip()
        if before.endswith(("∪", "∈", ",", "或", "=")) or re.match(r"\s*(?:或|也|or\b)", found.group(1)):
            break
        if re.search("[∈<>≤≥≠]", found.group(1)) and not _WHOLE_DOMAIN.search(found.group(1)):
            kept.append(found.group(1).replace(" ", ""))
        text = before.rstrip(",，")
    return text, ";".join(kept)


def _environment(before: str, kind: str, rows: list[list[str]], after: str, depth: int) -> Value:
    name = before.strip().removesuffix(SET_OPEN).strip()  # \left\{ \begin{array}
    if trim(after):
        raise Unreadable("text after an environment")
    if name and not name.endswith("="):
        raise Unreadable("text before an environment")
    if kind.endswith("matrix"):
        items = [tuple(_read(c, depth + 1) for c in row) for row in rows]
        if all(len(row) == 1 for row in items):
            return Group(tuple(row[0] for row in items), is_column=True)
        return Group(items[0]) if len(items) == 1 else Matrix(tuple(items))
    parsed = read_cases.piecewise(rows)
    if parsed is not None:
        return Formula(parsed, "", name.rstrip("= "))
    lines = [_read(" ".join(c for c in row if c).replace("= ", "="), depth + 1) for row in rows]
    return _system(lines) or Listing(tuple(lines))


def _listed(text: str, depth: int) -> Value | None:
    """Values joined by 或, 和, 、 or commas; conditions joined into one set."""
    if read_sets.RELATION.search(text) and not read_sets.braced(text):
        return _conditions(text, depth)
    for joined, separator in (("or", _OR), ("and", _AND), (",", _COMMA)):
        pieces = [p for p in split_top(text, separator) if p.strip()]
        if len(pieces) < 2:
            continue
        if joined == "," and re.fullmatch(r"\d{1,3}(?:,\d{3})+", text.replace(" ", "?")):
            return _related(text.replace(",", ""), depth)
        if len(pieces) > MAX_ITEMS:
            raise Unreadable("too many values")
        pieces = [p for p in pieces if not _is_domain(p)]
        if len(pieces) == 1:
            return _read(pieces[0], depth + 1)
        items = [_read(p.strip(), depth + 1) for p in pieces]
        return _join(items, joined)
    return None


def _is_domain(text: str) -> bool:
    return "∈" in text and bool(_WHOLE_DOMAIN.search(text))


def _conditions(text: str, depth: int) -> Value:
    pieces = split_top(text, _COMMA)
    first_with = next((i for i, p in enumerate(pieces) if read_sets.RELATION.search(p)), 0)
    if first_with and "=" in pieces[0] and len(pieces) == 2:  # y²=4x, x≠0
        value = _read(pieces[0], depth + 1)
        if isinstance(value, Equation | Formula):
            return replace(value, remark=pieces[1].replace(" ", ""))
    if any(_is_domain(p) for p in pieces):
        raise Unreadable("a set of whole numbers")
    return read_sets.read_inequality(text)


def _join(items: list[Value], joined: str) -> Value:
    system = _system(items) if joined != "or" else None
    if system is not None:
        return system
    flat: list[Value] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Listing) else (item,))
    return Listing(tuple(flat), joined)


def _base_name(name: str) -> str:
    return re.sub(r"[_'{}0-9 ]", "", name) or name


def _system(items: list[Value]) -> System | None:
    """Named values with different letters: x=2, y=-1. The same letter (x₁, x₂) is a list of values."""
    entries: list[tuple[str, Value]] = []
    for item in items:
        if not isinstance(item, Formula | Quantity | Group) or not getattr(item, "name", ""):
            return None
        assert isinstance(item, Formula | Quantity)
        entries.append((item.name.replace(" ", ""), item))
    roots = {_base_name(n) for n, _ in entries}
    names = {n for n, _ in entries}
    indexed = all(re.search(r"\d", n) for n in names)
    if len(names) == len(entries) and (len(roots) > 1 or not indexed):
        return System(tuple(sorted(entries, key=lambda e: e[0])))
    return None


def _related(text: str, depth: int) -> Value:
    if "±" in text or "∓" in text:
        upper, lower = text.replace("±", "+").replace("∓", "-"), text.replace("±", "-").replace("∓", "+")
        return Listing(tuple(_expanded([_related(upper, depth + 1), _related(lower, depth + 1)])), "or")
    parts = split_top(text, _EQUALS)
    if len(parts) > 1:
        return _chain(text, [p.strip() for p in parts], depth)
    ratio = [p.strip() for p in split_top(text, _COLON)]
    if len(ratio) > 1:
        return Ratio(tuple(parse(p) for p in ratio))
    return _single(text, depth)


def _chain(text: str, parts: list[str], depth: int) -> Value:
    """`name = … = value`, a chain of equal constants, or an equation."""
    signs = _marks(text)
    if not parts[-1]:
        raise Unreadable("nothing after the equals sign")
    rounded, approx = "", False
    if not parts[0]:
        approx = signs[0] == "≈"
        parts, signs = parts[1:], signs[1:]
    while len(parts) > 1 and signs and signs[-1] == "≈":
        if len(parts) > 2 or not is_name(parts[0]):
            rounded, parts, signs = parts[-1], parts[:-1], signs[:-1]
        else:
            approx, signs = True, [*signs[:-1], "="]
    last = parts[-1]
    if len(parts) == 1:
        value = _single(last, depth)
        if isinstance(value, Formula | Quantity):
            value = replace(value, approx=value.approx or approx)
    elif is_name(parts[0]):
        value = _read(last, depth + 1)
        if isinstance(value, Formula | Quantity):
            value = replace(value, name=symbol_of(parts[0]), approx=value.approx or approx)
    elif ":" in parts[0] and ":" in last and all(is_name(p) for p in parts[0].split(":")):
        value = _related(last, depth)
    else:
        value = _constants_or_equation(parts, depth)
    if rounded and isinstance(value, Formula | Quantity):
        value = replace(value, rounded=rounded)
    return value


def _marks(text: str) -> list[str]:
    marks: list[str] = []
    pieces = split_top(text, _EQUALS)
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        marks.append(text[at])
        at += 1
    return marks


def _constants_or_equation(parts: list[str], depth: int) -> Value:
    trees = [None if split_quantity(part) else parse(part) for part in parts]
    free = [t is not None and bool(symbols(t.node)) for t in trees]
    if not any(free) or (not free[-1] and len(parts) > 2):
        if not units_agree(parts[0], parts[-1]):
            raise Unreadable("units that do not agree, or letters that only look like units")
        return _single(parts[-1], depth)
    first, last = trees[0], trees[-1]
    if first is not None and last is None and is_product(first.node):
        value = _single(parts[-1], depth)
        return replace(value, name=parts[0].replace(" ", "")) if isinstance(value, Quantity) else value
    if first is None or last is None:
        raise Unreadable("an equation with units")
    known = [t for t in trees if t is not None]
    if len(known) == len(trees) and all(same(known[0], t) for t in known[1:]):
        return Formula(last, parts[-1])  # one expression rewritten: x²-1 = (x+1)(x-1)
    if not free[-1] and is_product(first.node):
        return Formula(last, parts[-1], parts[0].replace(" ", ""))  # 4πR² = 3π states the value of a product
    return Equation(first, last)


def _single(text: str, depth: int) -> Value:
    """A value without relation signs: interval, set, pair, quantity or formula."""
    text = text.strip()
    about = _ABOUT.match(text)
    if about and about.end() < len(text):
        value = _single(text[about.end() :], depth)
        return replace(value, approx=True) if isinstance(value, Formula | Quantity) else value
    builder = read_sets.read_builder(text)
    if builder is not None:
        return builder
    intervals = read_sets.read_intervals(text)
    if intervals is not None:
        return intervals
    inner = read_sets.braced(text)
    if inner is not None:
        items = inner.split("、") if "、" in inner else split_top(inner, _COMMA)
        return FiniteSet(tuple(_expanded([_read(i.strip(), depth + 1) for i in items])))
    point = _NAMED_POINT.match(text)
    body = text[point.end() :] if point else text
    if body[:1] == "(" and body[-1:] == ")":
        items = split_top(body[1:-1], _COMMA)
        if len(items) > 1 and _closes_at_end(body):
            return Group(tuple(_read(i.strip(), depth + 1) for i in items))
    return scalar(text)


def _expanded(items: list[Value]) -> list[Value]:
    flat: list[Value] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Listing) else (item,))
    return flat


def _closes_at_end(text: str) -> bool:
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return index == len(text) - 1
    return False
