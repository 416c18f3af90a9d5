"""The formula tree: small frozen nodes. `latex.to_latex` and `typst.to_typst` write them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Node:
    """Any part of a formula."""

    def children(self) -> Iterator[Node]:
        """The nodes directly below, in the order of the fields."""
        for field in fields(self):
            yield from _nodes(getattr(self, field.name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


@dataclass(frozen=True, slots=True)
class Sym(Node):
    r"""One sign: an italic letter, a digit group, an ASCII sign or a command of `SIGNS` (`\alpha`, `\le`, `\sin`)."""

    sign: str


@dataclass(frozen=True, slots=True)
class Row(Node):
    """Nodes side by side."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Upright(Node):
    r"""Upright letters, a unit or a chemical formula with all its scripts: `\mathrm{m/s^2}`, `\mathrm{H_2O}`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Letters(Node):
    """Letters that belong together inside `Upright`: `kg`, `Na`, `pH`."""

    text: str


@dataclass(frozen=True, slots=True)
class Text(Node):
    r"""Words inside a formula: `\text{物}`."""

    text: str


@dataclass(frozen=True, slots=True)
class Gap(Node):
    """A thin space that only the printed page has, as between a number and its unit."""


@dataclass(frozen=True, slots=True)
class Frac(Node):
    """A fraction with a bar."""

    top: Node
    bottom: Node


@dataclass(frozen=True, slots=True)
class Script(Node):
    """A base with primes, a subscript, a superscript, or several of them. Primes exclude a superscript."""

    base: Node
    sub: Node | None = None
    sup: Node | None = None
    primes: int = 0


@dataclass(frozen=True, slots=True)
class PreScript(Node):
    r"""Mass number and charge number before an element: `{}_6^{14}\mathrm{C}`."""

    sub: Node | None
    sup: Node
    base: Node


@dataclass(frozen=True, slots=True)
class Root(Node):
    """A radical, with an index when it is not the square root."""

    body: Node
    index: Node | None = None


@dataclass(frozen=True, slots=True)
class Big(Node):
    """A sum, product, integral, limit, maximum or minimum with its bounds; `sign` is a key of `OPERATORS`."""

    sign: str
    lower: Node | None = None
    upper: Node | None = None


@dataclass(frozen=True, slots=True)
class Fence(Node):
    """Brackets around `body`; they grow when it is tall. `left` and `right` are keys of `FENCES`."""

    left: str
    body: Node
    right: str


@dataclass(frozen=True, slots=True)
class Accent(Node):
    """An arrow, bar, hat or dot over `body`; `sign` is a key of `ACCENTS`."""

    sign: str
    body: Node


@dataclass(frozen=True, slots=True)
class Grid(Node):
    """Rows of cells: a matrix, a determinant, cases or an aligned system. `kind` is the LaTeX environment."""

    kind: str
    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Arrow(Node):
    r"""A reaction arrow with conditions: `\xrightarrow[below]{above}`; `sign` is a key of `ARROWS`."""

    sign: str
    above: Node
    below: Node | None = None


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    yield node
    for child in node.children():
        yield from walk(child)


def is_tall(node: Node) -> bool:
    """Whether the node is higher than a line, so that brackets around it grow; scripts do not count."""
    if isinstance(node, Frac | Grid):
        return True
    if isinstance(node, Big):
        return node.sign in (r"\sum", r"\prod", r"\int")
    if isinstance(node, Script):
        return is_tall(node.base)
    return any(is_tall(child) for child in node.children())
