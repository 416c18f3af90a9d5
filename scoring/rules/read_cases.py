"""Reading `cases`, matrices and columns."""

from __future__ import annotations

import re

from scoring.rules.expr import Parsed, parse
from scoring.rules.normalise import split_top, trim
from scoring.rules.tree import Node, Unreadable

_ENVIRONMENT = re.compile(
    r"\\begin\s*\{(cases|dcases|array|aligned|[pbvB]?matrix)\}(?:\{[lcr| ]*\})?(.*?)\\end\s*\{\1\}", re.DOTALL
)
_RELATION = re.compile(r"[<>≤≥≠=]")
_COMMA = re.compile(r"[,，;；]")
_ELSE = {"otherwise", "else", "其他", "其它", "其余", "other", "elsewhere"}
MAX_ROWS = 12


def environment(text: str) -> tuple[str, str, list[list[str]], str] | None:
    """(text before, kind, rows of cells, text after) of the one environment in `text`, or None."""
    found = _ENVIRONMENT.search(text)
    if found is None:
        return None
    rows = [r for r in re.split(r"\\\\(?:\[[^\]]*\])?", found.group(2)) if r.strip()]
    if len(rows) > MAX_ROWS:
        raise Unreadable("too many rows")
    cells = [[trim(c) for c in row.split("&")] for row in rows]
    return text[: found.start()], found.group(1), cells, text[found.end() :]


def piecewise(rows: list[list[str]]) -> Parsed | None:
    """A function given in pieces; None when some row has no condition."""
    args: list[Node] = []
    for row in rows:
        cells = [c for c in row if c]
        if len(cells) == 1:
            pieces = split_top(cells[0], _COMMA)
            cells = [pieces[0], ",".join(pieces[1:])] if len(pieces) > 1 else _bracketed(cells[0])
        if len(cells) != 2 or not cells[1].strip():
            return None
        if _RELATION.search(cells[0]):
            return None
        args += [parse(trim(cells[0])).node, condition(cells[1])]
    return Parsed(Node("cases", tuple(args))) if args else None


def _bracketed(cell: str) -> list[str]:
    found = re.match(r"^(.*)\(([^()]*[<>≤≥≠=][^()]*)\)$", cell)
    return [found.group(1), found.group(2)] if found else [cell]


def condition(text: str) -> Node:
    """A condition such as `0≤x<1` or `x<0 或 x>1` as a tree that `holds` evaluates."""
    text = trim(text.strip().removeprefix("当").removeprefix("if").removesuffix("时"))
    if text.lower() in _ELSE:
        return Node("cond", name="true")
    either = [_all_of(part) for part in re.split(r"或者|或|\bor\b", text)]
    return either[0] if len(either) == 1 else Node("cond", tuple(either), name="or")


def _all_of(text: str) -> Node:
    nodes: list[Node] = []
    for part in re.split(r"并且|且|[,，]|\band\b", text):
        if "∈" in part or not part.strip():
            continue
        pieces = [p.strip() for p in _RELATION.split(part)]
        marks = _RELATION.findall(part)
        if not marks or "" in pieces:
            raise Unreadable("not a condition")
        trees = [parse(p).node for p in pieces]
        nodes += [Node("cond", (trees[i], trees[i + 1]), name=mark) for i, mark in enumerate(marks)]
    if not nodes:
        return Node("cond", name="true")
    return nodes[0] if len(nodes) == 1 else Node("cond", tuple(nodes), name="and")
