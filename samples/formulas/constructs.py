"""Names of the constructs in a formula: the rows of tables that show what a reader is weak at."""

from __future__ import annotations

from samples.formulas.signs import ACCENTS, OPERATORS, SIGNS
from samples.formulas.tree import (
    Accent,
    Arrow,
    Big,
    Fence,
    Frac,
    Grid,
    Node,
    PreScript,
    Root,
    Script,
    Sym,
    Text,
    Upright,
    is_tall,
    walk,
)

FIXED: dict[type[Node], str] = {PreScript: "isotope", Upright: "upright", Arrow: "conditions"}


def constructs(formula: Node) -> frozenset[str]:
    """What the formula is made of; letters, digits and plain operators have no name."""
    return frozenset(name for node in walk(formula) if (name := construct(node)))


def construct(node: Node) -> str:
    """Name of the construct that `node` itself is, "" for what is in every formula."""
    if isinstance(node, Script):
        return _script(node)
    if isinstance(node, Frac):
        return "nested fraction" if any(_holds(child, Frac) for child in node.children()) else "fraction"
    if isinstance(node, Fence):
        return "absolute value" if node.left == "|" else "growing bracket" if is_tall(node.body) else ""
    if isinstance(node, Grid):
        return node.kind if node.kind in ("cases", "aligned") else "matrix"
    if isinstance(node, Root):
        return "radical" if node.index is None else "radical with index"
    if isinstance(node, Text):
        return "latin text" if node.text.isascii() else "chinese text"
    return _by_sign(node)


def _by_sign(node: Node) -> str:
    if isinstance(node, Sym):
        return SIGNS[node.sign].construct if node.sign in SIGNS else ""
    if isinstance(node, Big):
        return OPERATORS[node.sign].construct
    if isinstance(node, Accent):
        return ACCENTS[node.sign].construct
    return FIXED.get(type(node), "")


def _script(node: Script) -> str:
    if node.primes:
        return "prime"
    scripts = [part for part in (node.sub, node.sup) if part is not None]
    if any(_holds(part, Script) for part in scripts):
        return "nested script"
    if any(_holds(part, Frac) for part in scripts):
        return "fraction in script"
    if len(scripts) == 2:
        return "sub and sup"
    return "subscript" if node.sub is not None else "superscript"


def _holds(node: Node, kind: type[Node]) -> bool:
    return any(isinstance(part, kind) for part in walk(node))
