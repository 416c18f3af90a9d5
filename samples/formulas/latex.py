r"""Formula tree → canonical LaTeX: one form for one meaning.

`\frac{a}{b}` and `\sqrt{x}` always with braces; a script of one token without (`x^2`, `x_\alpha`, else `x^{10}`);
the subscript before the superscript; primes as `^\prime`; `\left…\right` only around what is taller than a line; one
`\mathrm{}` around a whole unit or chemical formula, but no braces in it (`\mathrm{Fe}^{3+}`); a space only where a
command would run into a letter.
"""

from __future__ import annotations

import re
from functools import singledispatch

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
)

ONE_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\\]", re.DOTALL)
ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")
ENDS_RAISED = re.compile(r"\^(?:[^{}\\]|\\[A-Za-z]+|\{[^{}]*\})$")
# Within upright letters: scripts in braces, which stand outside, and what may not begin a group of its own.
_LONG = r"[_^](?:\{[^{}]*\}|\\[A-Za-z]+)"
_SHORT = r"[_^][^{}\\]"
OUTSIDE = re.compile(rf"(\(\\text\{{[^{{}}]*\}}\)|(?:{_LONG}|{_SHORT})*{_LONG}(?:{_SHORT})*) ?")
LEADING = re.compile(r"[(/]|\\cdot ?")


def join(parts: list[str]) -> str:
    r"""The parts in a row; a space goes in only where a command would swallow the next letter (`\sin x`).

    An empty group carries a degree sign behind an exponent (`10^{-2}{}^\circ`).
    """
    out = ""
    for part in parts:
        gap = " " if ENDS_IN_COMMAND.search(out) and part[:1].isascii() and part[:1].isalpha() else ""
        if part.startswith("^") and ENDS_RAISED.search(out):
            gap = "{}"
        out += gap + part
    return out


def braced(latex: str) -> str:
    """A script's argument: braces unless it is one token."""
    return latex if ONE_TOKEN.fullmatch(latex) else "{" + latex + "}"


@singledispatch
def to_latex(node: Node) -> str:
    r"""Canonical LaTeX of `node`, without dollar signs.

    >>> to_latex(Frac(Sym("a"), Script(Sym("x"), sub=Sym("1"), sup=Sym("2"))))
    '\\frac{a}{x_1^2}'
    """
    raise TypeError(f"unknown node {type(node).__name__}")


def _scripts(sub: Node | None, sup: Node | None) -> str:
    below = "" if sub is None else "_" + braced(to_latex(sub))
    return below + ("" if sup is None else "^" + braced(to_latex(sup)))


@to_latex.register
def _(node: Sym) -> str:
    return node.sign


@to_latex.register
def _(node: Row) -> str:
    return join([to_latex(item) for item in node.items])


@to_latex.register
def _(node: Upright) -> str:
    parts = OUTSIDE.split(to_latex(node.body))
    return "".join(part if number % 2 else _upright(part) for number, part in enumerate(parts))


def _upright(letters: str) -> str:
    r"""Letters without braces in one `\mathrm`; a bracket or an operator that begins them stands before it."""
    lead = LEADING.match(letters)
    if lead is None:
        return r"\mathrm{" + letters + "}" if letters else ""
    end = ")" if lead.group() == "(" and letters.endswith(")") else ""
    return lead.group() + _upright(letters[lead.end() : len(letters) - len(end)]) + end


@to_latex.register
def _(node: Letters) -> str:
    return node.text


@to_latex.register
def _(node: Text) -> str:
    return r"\text{" + node.text + "}"


@to_latex.register
def _(node: Gap) -> str:
    return ""


@to_latex.register
def _(node: Frac) -> str:
    return r"\frac{" + to_latex(node.top) + "}{" + to_latex(node.bottom) + "}"


@to_latex.register
def _(node: Script) -> str:
    primes = Row((Sym(r"\prime"),) * node.primes) if node.primes else None
    return to_latex(node.base) + _scripts(node.sub, primes or node.sup)


@to_latex.register
def _(node: PreScript) -> str:
    return "{}" + _scripts(node.sub, node.sup) + to_latex(node.base)


@to_latex.register
def _(node: Root) -> str:
    index = "" if node.index is None else "[" + to_latex(node.index) + "]"
    return r"\sqrt" + index + "{" + to_latex(node.body) + "}"


@to_latex.register
def _(node: Big) -> str:
    return node.sign + _scripts(node.lower, node.upper)


@to_latex.register
def _(node: Fence) -> str:
    left, right = (r"\left", r"\right") if is_tall(node.body) else ("", "")
    return join([left + node.left, to_latex(node.body), right + node.right])


@to_latex.register
def _(node: Accent) -> str:
    return node.sign + "{" + to_latex(node.body) + "}"


@to_latex.register
def _(node: Grid) -> str:
    rows = ["&".join(to_latex(cell) for cell in row) for row in node.rows]
    # A row break takes a bracket that follows as its optional argument; an empty group keeps them apart.
    body = r"\\".join("{}" + row if row.startswith("[") else row for row in rows)
    return join([rf"\begin{{{node.kind}}}", body, rf"\end{{{node.kind}}}"])


@to_latex.register
def _(node: Arrow) -> str:
    below = "" if node.below is None else "[" + to_latex(node.below) + "]"
    return node.sign + below + "{" + to_latex(node.above) + "}"
