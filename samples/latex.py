"""LaTeX formulas of the sample papers → typst math, so that the truth and the printed page share one text.

Only the subset that the papers use is known; an unknown command is an error, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wholepage.errors import WholepageError

TOKEN = re.compile(r"\\begin\{cases\}|\\end\{cases\}|\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|[^\x00-\x7f]+|\S|\s+")

SYMBOLS = {
    r"\le": "lt.eq.slant",
    r"\ge": "gt.eq.slant",
    r"\ne": "eq.not",
    r"\times": "times",
    r"\div": "div",
    r"\pm": "plus.minus",
    r"\cdot": "dot.op",
    r"\cdots": "dots.h.c",
    r"\in": "in",
    r"\notin": "in.not",
    r"\cap": "inter",
    r"\cup": "union",
    r"\subseteq": "subset.eq",
    r"\emptyset": "emptyset",
    r"\infty": "infinity",
    r"\angle": "angle",
    r"\perp": "perp",
    r"\parallel": "parallel",
    r"\triangle": "triangle.stroked.t",
    r"\circ": "degree",
    r"\approx": "approx",
    r"\mid": "divides",
    r"\to": "arrow.r",
    r"\rightarrow": "arrow.r",
    r"\rightleftharpoons": "harpoons.rtlb",
    r"\uparrow": "arrow.t",
    r"\downarrow": "arrow.b",
    r"\pi": "pi",
    r"\alpha": "alpha",
    r"\beta": "beta",
    r"\theta": "theta",
    r"\lambda": "lambda",
    r"\mu": "mu",
    r"\rho": "rho",
    r"\omega": "omega",
    r"\varphi": "phi.alt",
    r"\Delta": "Delta",
    r"\Omega": "Omega",
    r"\sin": "sin",
    r"\cos": "cos",
    r"\tan": "tan",
    r"\lg": "lg",
    r"\ln": "ln",
    r"\log": "log",
    r"\quad": "quad",
    r"\,": "thin",
    r"\ ": "thin",
    r"\%": "percent",
    r"\sim": "tilde.op",
    r"\{": "brace.l",
    r"\}": "brace.r",
    "(": "paren.l",
    ")": "paren.r",
    "[": "bracket.l",
    "]": "bracket.r",
    "|": "bar.v",
    ",": "comma",
    ";": "semi",
    ":": "colon",
    "/": "slash",
    "*": "ast.basic",
    "-": "minus",
    "<": "lt",
    ">": "gt",
    "!": "excl",
    ".": "dot.basic",
    "'": "prime",
    "=": "eq",
    "+": "plus",
    "&": "&",
}
UNARY = {
    r"\sqrt": "sqrt",
    r"\vec": "arrow",
    r"\overrightarrow": "arrow",
    r"\overline": "overline",
    r"\hat": "hat",
    r"\mathbf": "bold",
}
STRETCHY = {r"\xrightarrow": "arrow.r.long", r"\xrightleftharpoons": "harpoons.rtlb"}


class FormulaError(WholepageError):
    """A formula of a sample paper uses LaTeX that `to_typst` does not know."""

    default_code = "samples.formula"


def to_typst(latex: str) -> str:
    r"""Typst math (without the surrounding `$`) that prints the LaTeX formula `latex`.

    >>> to_typst(r"\frac{1}{x_2}")
    'frac(1, x _(2))'

    Raises:
        FormulaError: an unknown command, or braces that do not match.
    """
    tokens = [t for t in TOKEN.findall(latex) if not t.isspace()]
    reader = _Reader(tokens, latex)
    out = reader.sequence(stop=())
    if reader.rest():
        raise FormulaError(f"Unbalanced braces in the formula {latex!r}.", hint="Close what was opened.")
    return out


class _Reader:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, tokens: list[str], latex: str) -> None:
        self.tokens, self.latex, self.at = tokens, latex, 0

    def rest(self) -> list[str]:
        return self.tokens[self.at :]

    def next(self) -> str:
        if self.at >= len(self.tokens):
            raise FormulaError(f"The formula {self.latex!r} ends too early.", hint="Close what was opened.")
        self.at += 1
        return self.tokens[self.at - 1]

    def sequence(self, stop: tuple[str, ...]) -> str:
        """Everything up to one of `stop` (consumed) or the end."""
        return " ".join(self._items(stop))

    def _items(self, stop: tuple[str, ...]) -> Iterator[str]:
        while self.at < len(self.tokens):
            if self.tokens[self.at] in stop:
                self.at += 1
                return
            if self.tokens[self.at] == "}":
                return
            yield self.item()

    def argument(self) -> str:
        """`{...}` or the next single item."""
        if self.tokens[self.at : self.at + 1] == ["{"]:
            self.at += 1
            inner = self._items(())
            text = " ".join(inner)
            if self.next() != "}":
                raise FormulaError(f"Unbalanced braces in the formula {self.latex!r}.", hint="Close what was opened.")
            return text
        return self.item()

    def item(self) -> str:
        token = self.next()
        if token in ("^", "_"):
            return f"{token}({self.argument()})"
        if token == "{":
            self.at -= 1
            return self.argument()
        if token.startswith("\\"):
            return self._command(token)
        if token.isalpha() and token.isascii():
            return token
        if token.isdigit() or "." in token[1:]:
            return token
        if token in SYMBOLS:
            return SYMBOLS[token]
        return '"' + token.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def _command(self, token: str) -> str:
        if token in SYMBOLS:
            return SYMBOLS[token]
        if token == r"\sqrt" and self.tokens[self.at : self.at + 1] == ["["]:
            self.at += 1
            degree = self.sequence(stop=("]",))
            return f"root({degree}, {self.argument()})"
        if token in UNARY:
            return f"{UNARY[token]}({self.argument()})"
        if token in STRETCHY:
            return f"stretch({STRETCHY[token]})^({self.argument()})"
        if token == r"\frac":
            return f"frac({self.argument()}, {self.argument()})"
        if token == r"\overset":
            above = self.argument()
            return f"stretch({self.argument()})^({above})"
        if token in (r"\mathrm", r"\text"):
            return f"upright({self.argument()})"
        if token == r"\left":
            opening = SYMBOLS[self.next()]
            inside = self.sequence(stop=(r"\right",))
            return f"lr({opening} {inside} {SYMBOLS[self.next()]})"
        if token == r"\begin{cases}":
            inside = self.sequence(stop=(r"\end{cases}",))
            rows = ", ".join(row.strip() for row in inside.split("LINEBREAK"))
            return f"display(cases({rows}))"
        if token == "\\\\":
            return "LINEBREAK"
        raise FormulaError(f"Unknown LaTeX {token} in the formula {self.latex!r}.", hint="Add it to samples/latex.py.")
