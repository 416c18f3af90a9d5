"""Random expressions of school algebra: the parts that formulas of every subject are made of."""

from __future__ import annotations

from random import Random

from samples.formulas.latex import to_latex
from samples.formulas.tree import Accent, Big, Fence, Frac, Node, Root, Row, Script, Sym, Upright

LETTERS = tuple("abcdfghkmnpqrstuvxyz")
CAPITALS = tuple("ABCDEFGHLMNOPQRSTUVW")
GREEK = (r"\alpha", r"\beta", r"\gamma", r"\theta", r"\lambda", r"\mu", r"\omega", r"\varphi", r"\rho", r"\sigma")


def sym(sign: str) -> Sym:
    """A sign by its LaTeX."""
    return Sym(sign)


def row(*items: Node | str) -> Node:
    """The items side by side; strings are signs, rows are laid flat. A single item stays itself."""
    flat: list[Node] = []
    for item in items:
        node = Sym(item) if isinstance(item, str) else item
        flat.extend(node.items if isinstance(node, Row) else (node,))
    return flat[0] if len(flat) == 1 else Row(tuple(flat))


def paren(body: Node) -> Node:
    """`( body )`."""
    return Fence("(", body, ")")


def letter(r: Random) -> Node:
    """A small variable."""
    return Sym(r.choice(LETTERS))


def capital(r: Random) -> Node:
    """A capital: a point, a force, a set."""
    return Sym(r.choice(CAPITALS))


def greek(r: Random) -> Node:
    """A Greek letter."""
    return Sym(r.choice(GREEK))


def digit(r: Random) -> Node:
    """2 to 9."""
    return Sym(str(r.randint(2, 9)))


def number(r: Random) -> Node:
    """A whole number below a hundred, or a decimal."""
    if r.random() < 0.25:
        return Sym(f"{r.randint(0, 20)}.{r.randint(1, 99)}")
    return Sym(str(r.randint(1, 99)))


def power(r: Random, digits: bool = True) -> Node:
    """x², y^{10}, a^n, 2^{n+1}, x^{-1}; without `digits` the base is a letter."""
    base = digit(r) if digits and r.random() < 0.25 else letter(r)
    sup: Node = r.choice(
        (
            lambda: Sym("2"),
            lambda: Sym("3"),
            lambda: Sym(r.choice("nmkx")),
            lambda: Sym(str(r.randint(10, 20))),
            lambda: row(r.choice("nmk"), r.choice("+-"), str(r.randint(1, 3))),
            lambda: row("-", str(r.randint(1, 3))),
            lambda: row("2", r.choice("nmx")),
        )
    )()
    return Script(base, sup=sup)


def indexed(r: Random) -> Node:
    """x₁, a_n, S_{n+1}, F_{AB}."""
    base = r.choice((letter, letter, capital))(r)
    sub: Node = r.choice(
        (
            lambda: Sym(str(r.randint(0, 9))),
            lambda: Sym(str(r.randint(0, 3))),
            lambda: Sym(r.choice("nmkij")),
            lambda: row(r.choice("nmk"), r.choice("+-"), str(r.randint(1, 2))),
            lambda: row("2", r.choice("nk")),
            lambda: row(r.choice(CAPITALS[:6]), r.choice(CAPITALS[10:])),
        )
    )()
    return Script(base, sub=sub)


def both(r: Random) -> Node:
    """x₁², a_n^k."""
    base = r.choice((letter, capital))(r)
    return Script(base, sub=Sym(r.choice(("0", "1", "2", "n", "k"))), sup=Sym(r.choice(("2", "2", "3", "n"))))


def monomial(r: Random) -> Node:
    """3x², 2ab, \\lambda x."""
    head: tuple[Node, ...] = r.choice(((), (digit(r),), (greek(r),), (digit(r), letter(r))))
    tail = r.choice((letter, indexed, None, None))
    return row(*head, power(r, digits=False) if tail is None else tail(r))


def polynomial(r: Random, depth: int = 0) -> Node:
    """Two or three terms: x²-4x+3; never deeper than that, whatever `depth`."""
    parts: list[Node | str] = ["-"] if r.random() < 0.1 else []
    parts.append(monomial(r))
    for _ in range(r.choice((1, 1, 2))):
        parts += [r.choice("+-"), r.choice((monomial, monomial, number))(r)]
    return row(*parts)


def simple(r: Random) -> Node:
    """What fits in a small place: a letter, a number, a short term."""
    return r.choice((letter, letter, digit, number, monomial, greek))(r)


def fraction(r: Random, depth: int = 1) -> Node:
    """A fraction of expressions no deeper than `depth`."""
    return Frac(expression(r, depth - 1), expression(r, depth - 1))


def radical(r: Random, depth: int = 1) -> Node:
    """A square root, or now and then another."""
    index = Sym(r.choice(("3", "3", "4", "n"))) if r.random() < 0.2 else None
    return Root(expression(r, depth - 1), index)


def call(r: Random, depth: int = 1) -> Node:
    """f(x), g(x-1), f'(x), f^{-1}(x)."""
    name = Sym(r.choice("fgFh"))
    head: Node = name
    if r.random() < 0.25:
        head = Script(name, primes=r.choice((1, 1, 2)))
    elif r.random() < 0.1:
        head = Script(name, sup=row("-", "1"))
    inside = simple(r) if depth < 1 or r.random() < 0.6 else expression(r, depth - 1)
    return row(head, paren(inside))


def trig(r: Random, depth: int = 1) -> Node:
    """sin x, cos²θ, tan(x+π/6)."""
    name = Sym(r.choice((r"\sin", r"\cos", r"\tan")))
    head = Script(name, sup=Sym("2")) if r.random() < 0.25 else name
    if r.random() < 0.35:
        angle = Frac(Sym(r"\pi"), digit(r)) if depth > 0 else row("2", r"\pi")
        return row(head, paren(row(r.choice(("2", r"\omega")), "x", r.choice("+-"), angle)))
    return row(head, r.choice((Sym("x"), greek(r), row("2", greek(r)), row(digit(r), "x"))))


def logarithm(r: Random, depth: int = 1) -> Node:
    """ln x, lg 5, log₂(x+1)."""
    name = r.choice((r"\ln", r"\lg", r"\log"))
    head: Node = Script(Sym(r"\log"), sub=Sym(r.choice(("2", "3", "a")))) if name == r"\log" else Sym(name)
    return row(head, simple(r) if r.random() < 0.5 else paren(expression(r, depth - 1)))


def absolute(r: Random, depth: int = 1) -> Node:
    """|x-2|."""
    return Fence("|", expression(r, depth - 1), "|")


def bracketed(r: Random, depth: int = 1) -> Node:
    """(…)(…)ⁿ."""
    body = paren(expression(r, depth - 1))
    return Script(body, sup=Sym(r.choice(("2", "3", "n")))) if r.random() < 0.5 else body


def expression(r: Random, depth: int = 1) -> Node:
    """Any expression; fractions, radicals and brackets nest up to `depth`."""
    if depth <= 0:
        return r.choice((letter, number, digit, power, indexed, monomial, polynomial, polynomial))(r)
    kind = r.choice((polynomial, fraction, fraction, radical, call, trig, logarithm, absolute, bracketed))
    part = kind(r, depth)
    if r.random() < 0.5 or to_latex(part).startswith("-"):
        return part
    other = r.choice((letter, number, power, indexed))(r)
    return row(other, r.choice("+-"), part) if r.random() < 0.7 else row(part, r.choice("+-"), other)


def vector(r: Random) -> Node:
    """An arrow over one letter or over two points."""
    if r.random() < 0.5:
        return Accent(r"\vec", letter(r))
    return Accent(r"\overrightarrow", row(*r.sample("ABCDMNOP", 2)))


def summation(r: Random) -> Node:
    """A sum or product over its term."""
    k = r.choice("ikn")
    upper: Node = Sym(r.choice(("n", "n", "m", str(r.randint(5, 99)), r"\infty")))
    lower = row(k, "=", r.choice("0123"))
    term = r.choice((Script(Sym(r.choice("axb")), sub=Sym(k)), Script(Sym(k), sup=Sym("2")), Frac(Sym("1"), Sym(k))))
    return row(Big(r.choice((r"\sum", r"\sum", r"\sum", r"\prod")), lower, upper), term)


def differential(name: str) -> Node:
    """Upright d and the variable."""
    return row(Upright(Sym("d")), name)
