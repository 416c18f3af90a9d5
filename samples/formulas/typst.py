"""Formula tree → typst math markup.

Signs are written by their names (`paren.l`, `comma`), so that nothing is taken for typst's own syntax, and without
blanks where none are needed, since typst prints a blank beside a string.
"""

from __future__ import annotations

from functools import singledispatch

from samples.formulas.signs import ACCENTS, ARROWS, FENCES, LONG_EQUAL, OPERATORS, SIGNS
from samples.formulas.tree import (
    Accent,
    Arrow,
    Big,
    Fence,
    Frac,
    Gap,
    Grid,
    Letters,
    Node,
    PreScript,
    Root,
    Row,
    Script,
    Sym,
    Text,
    Upright,
    is_tall,
    walk,
)

DEFINITIONS = """#let long-equal(width) = box(width: width, height: 0.5em, {
  place(horizon, dy: -0.1em, line(length: 100%, stroke: 0.045em))
  place(horizon, dy: 0.1em, line(length: 100%, stroke: 0.045em))
})
"""  # what the markup of `to_typst` relies on
DELIMITERS = {"pmatrix": "(", "bmatrix": "[", "vmatrix": "|"}


def join(parts: list[str]) -> str:
    """The parts in a row, with a blank where two names or numbers would run together."""
    out = ""
    for part in parts:
        out += " " if out[-1:].isalnum() and part[:1].isalnum() else ""
        out += part
    return out


def quoted(text: str) -> str:
    """A typst string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@singledispatch
def to_typst(node: Node) -> str:
    """Typst math of `node`, without dollar signs.

    >>> to_typst(Frac(Sym("a"), Script(Sym("x"), sub=Sym("1"))))
    'frac(a, attach(x, b: 1))'
    """
    raise TypeError(f"unknown node {type(node).__name__}")


def _attach(base: str, **scripts: Node | None) -> str:
    parts = [f", {place}: {to_typst(node)}" for place, node in scripts.items() if node is not None]
    return f"attach({base}{''.join(parts)})"


@to_typst.register
def _(node: Sym) -> str:
    return SIGNS[node.sign].typst if node.sign in SIGNS else node.sign


@to_typst.register
def _(node: Row) -> str:
    return join([to_typst(item) for item in node.items])


@to_typst.register
def _(node: Upright) -> str:
    return f"upright({to_typst(node.body)})"


@to_typst.register
def _(node: Letters) -> str:
    return quoted(node.text)


@to_typst.register
def _(node: Text) -> str:
    return quoted(node.text)


@to_typst.register
def _(node: Gap) -> str:
    return "thin"


@to_typst.register
def _(node: Frac) -> str:
    return f"frac({to_typst(node.top)}, {to_typst(node.bottom)})"


@to_typst.register
def _(node: Script) -> str:
    if node.primes:
        below = "" if node.sub is None else f", b: {to_typst(node.sub)}"
        return f"attach({to_typst(node.base)}{below}, t: primes(#{node.primes}))"
    return _attach(to_typst(node.base), b=node.sub, t=node.sup)


@to_typst.register
def _(node: PreScript) -> str:
    return _attach(to_typst(node.base), bl=node.sub, tl=node.sup)


@to_typst.register
def _(node: Root) -> str:
    if node.index is None:
        return f"sqrt({to_typst(node.body)})"
    return f"root({to_typst(node.index)}, {to_typst(node.body)})"


@to_typst.register
def _(node: Big) -> str:
    return _attach(OPERATORS[node.sign].typst, b=node.lower, t=node.upper)


@to_typst.register
def _(node: Fence) -> str:
    inner = join([FENCES[node.left], to_typst(node.body), FENCES[node.right]])
    return f"lr({inner})" if is_tall(node.body) or node.left == "|" else inner


@to_typst.register
def _(node: Accent) -> str:
    return f"{ACCENTS[node.sign].typst}({to_typst(node.body)})"


@to_typst.register
def _(node: Grid) -> str:
    if node.kind == "aligned":
        return " \\ ".join(" & ".join(to_typst(cell) for cell in row) for row in node.rows)
    if node.kind == "cases":
        return "cases(" + ", ".join(" & ".join(to_typst(cell) for cell in row) for row in node.rows) + ")"
    cells = "; ".join(", ".join(to_typst(cell) for cell in row) for row in node.rows)
    return f'mat(delim: "{DELIMITERS[node.kind]}", {cells})'


@to_typst.register
def _(node: Arrow) -> str:
    if node.sign != LONG_EQUAL:
        return _attach(ARROWS[node.sign], t=node.above, b=node.below)
    words = [len(part.text) for part in walk(node) if isinstance(part, Text | Letters)]
    width = 1.2 + 0.75 * max(words, default=1)
    return _attach(f'limits(class("relation", #long-equal({width:g}em)))', t=node.above, b=node.below)
