"""The formula tree that the structure analyser builds and the LaTeX writer prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Style = Literal["italic", "upright", "bold", "double", "calligraphic", ""]


@dataclass(frozen=True, slots=True)
class Sym:
    """One printed character; `style` is the face it is set in, "" when unknown."""

    text: str
    style: Style = ""


@dataclass(frozen=True, slots=True)
class Row:
    """Nodes side by side."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Frac:
    """Numerator over denominator."""

    num: Node
    den: Node


@dataclass(frozen=True, slots=True)
class Root:
    """Radical with an optional index."""

    body: Node
    index: Node | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A base with scripts; `base` None stands for the empty group that carries an isotope's pre-scripts."""

    base: Node | None
    sub: Node | None = None
    sup: Node | None = None


@dataclass(frozen=True, slots=True)
class Over:
    """Something drawn over (or, for an underline, under) a body; `command` is the LaTeX command's name."""

    body: Node
    command: str


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells in rows inside brackets; `kind` is the LaTeX environment."""

    rows: tuple[tuple[Node, ...], ...]
    kind: Literal["cases", "pmatrix", "bmatrix", "vmatrix", "aligned", "rcases"]


@dataclass(frozen=True, slots=True)
class Arrow:
    """A long arrow with conditions above and below; `command` is `xrightarrow` or `xrightleftharpoons`."""

    above: Node | None
    below: Node | None
    command: str = "xrightarrow"


Node = Sym | Row | Frac | Root | Script | Over | Grid | Arrow


def is_tall(node: Node | None) -> bool:
    """Whether a node is taller than a line: then brackets around it grow."""
    if isinstance(node, Frac | Grid):
        return True
    if isinstance(node, Row):
        return any(is_tall(item) for item in node.items)
    if isinstance(node, Root | Over):
        return is_tall(node.body)
    if isinstance(node, Script):
        return is_tall(node.base)
    return False


def row_of(nodes: list[Node]) -> Node:
    """A row, or the only node itself."""
    return nodes[0] if len(nodes) == 1 else Row(tuple(nodes))


def plain(node: Node | None) -> str:
    """The characters of a node in order, without structure."""
    match node:
        case None:
            text = ""
        case Sym(char):
            text = char
        case Row(items):
            text = "".join(plain(item) for item in items)
        case Frac(num, den):
            text = f"{plain(num)}/{plain(den)}"
        case Root(body):
            text = "√" + plain(body)
        case Script(base, sub, sup):
            text = plain(base) + plain(sub) + plain(sup)
        case Over(body):
            text = plain(body)
        case Arrow(above, below):
            text = f"{plain(above)}→{plain(below)}"
        case Grid(rows):
            text = " ".join(plain(cell) for row in rows for cell in row)
    return text
