"""Formulas of school mathematics, one function a kind."""

from __future__ import annotations

from random import Random

from samples.formulas.expressions import (
    absolute,
    call,
    capital,
    differential,
    digit,
    expression,
    fraction,
    greek,
    indexed,
    letter,
    monomial,
    number,
    paren,
    polynomial,
    power,
    radical,
    row,
    simple,
    summation,
    sym,
    trig,
    vector,
)
from samples.formulas.latex import to_latex
from samples.formulas.tree import Accent, Big, Fence, Frac, Grid, Node, Root, Row, Script, Sym, Text

RELATIONS = ("=", "=", "=", "<", ">", r"\le", r"\ge", r"\ne")


def equation(r: Random) -> Node:
    """Two expressions and a relation."""
    return row(expression(r, r.choice((0, 1))), r.choice(RELATIONS), expression(r, r.choice((0, 0, 1))))


def _square(name: str) -> Node:
    return Script(Sym(name), sup=Sym("2"))


def conic(r: Random) -> Node:
    """x²/a² + y²/b² = 1, y² = 2px, with its name and range."""
    name: tuple[str, ...] = r.choice(((), ("C", ":")))
    if r.random() < 0.4:
        tail = (paren(row("p", ">", "0")),) if r.random() < 0.5 else ()
        return row(*name, _square("y"), "=", *((("2"), "p") if tail else (str(r.randint(2, 12)),)), "x", *tail)
    under = (_square("a"), _square("b")) if r.random() < 0.5 else (Sym(str(r.randint(4, 25))), digit(r))
    sum_ = row(Frac(_square("x"), under[0]), r.choice("+-"), Frac(_square("y"), under[1]))
    tail = (paren(row("a", ">", "b", ">", "0")),) if under[0] == _square("a") else ()
    return row(*name, sum_, "=", "1", *tail)


def nested_fraction(r: Random) -> Node:
    """Fractions in fractions, under roots and in exponents."""
    inner = Frac(simple(r), simple(r))
    return r.choice(
        (
            lambda: Frac(row("1", r.choice("+-"), inner), row(simple(r), r.choice("+-"), Frac(Sym("1"), letter(r)))),
            lambda: Frac(inner, expression(r, 0)),
            lambda: Script(r.choice((letter, digit))(r), sup=Frac(digit(r), digit(r))),
            lambda: Script(Sym("e"), sup=row("-", Frac(Script(letter(r), sup=Sym("2")), digit(r)))),
            lambda: Root(inner),
            lambda: Frac(
                row("-", "b", r"\pm", Root(row(Script(Sym("b"), sup=Sym("2")), "-", "4", "a", "c"))), row("2", "a")
            ),
            lambda: Frac(Root(number(r)), digit(r)),
        )
    )()


def nested_script(r: Random) -> Node:
    """A script on a script: x_{n_k}, 2^{x^2}, e^{x_1}."""
    inner = r.choice(
        (
            Script(Sym(r.choice("xnk")), sup=Sym("2")),
            Script(Sym(r.choice("ni")), sub=Sym(r.choice("k12"))),
            row("-", Script(Sym("x"), sup=Sym("2"))),
        )
    )
    base = r.choice((letter, digit))(r)
    if isinstance(inner, Script) and inner.sub is not None and to_latex(base).isalpha():
        return row(Script(base, sub=inner), "=", simple(r))
    return row(Script(base, sup=inner), "=", number(r))


def root_equation(r: Random) -> Node:
    """Radicals, also nested, with a coefficient or an index."""
    part = radical(r, r.choice((1, 1, 2)))
    return row(*((letter(r), "=") if r.random() < 0.7 else ()), digit(r), part)


def primes(r: Random) -> Node:
    """f'(x) = …, f''(x) > 0, A'B'."""
    if r.random() < 0.3:
        a, b = r.sample("ABCD", 2)
        return row(Script(Sym(a), primes=1), Script(Sym(b), primes=1), "=", number(r))
    head = Script(Sym(r.choice("fgFy")), primes=r.choice((1, 1, 1, 2)))
    return row(head, paren(Sym("x")), r.choice(("=", ">", "<")), r.choice((polynomial, monomial, number))(r))


def series(r: Random) -> Node:
    """S_n = Σ …, with the sum written out now and then."""
    if r.random() < 0.35:
        a = r.choice("abx")
        terms = [Script(Sym(a), sub=Sym(k)) for k in ("1", "2", "n")]
        return row(Script(Sym("S"), sub=Sym("n")), "=", terms[0], "+", terms[1], "+", r"\cdots", "+", terms[2])
    return row(Script(Sym("S"), sub=Sym("n")), "=", summation(r)) if r.random() < 0.5 else summation(r)


def integral(r: Random) -> Node:
    """A definite or indefinite integral."""
    bounds = r.choice((None, ("0", "1"), ("0", r"\pi"), ("a", "b"), ("1", "e"), ("-1", "2")))
    if bounds is None:
        head = Big(r"\int")
    else:
        low = row("-", bounds[0][1:]) if bounds[0].startswith("-") else Sym(bounds[0])
        head = Big(r"\int", low, Sym(bounds[1]))
    body = r.choice((power, trig, call, lambda q: Frac(Sym("1"), Sym("x")), lambda q: paren(polynomial(q))))(r)
    return row(head, body, differential("x"), *(("=", number(r)) if r.random() < 0.5 else ()))


def limit(r: Random) -> Node:
    """A limit, a maximum or a minimum."""
    if r.random() < 0.25:
        return row(Big(r.choice((r"\max", r"\min"))), Fence(r"\{", row(letter(r), ",", monomial(r)), r"\}"))
    name, target = r.choice((("n", r"\infty"), ("x", "0"), ("x", r"\infty"), ("h", "0")))
    body = r.choice(
        (
            Frac(row(r"\sin", name), Sym(name)),
            Frac(row(name, "+", "1"), row("2", name)),
            Script(paren(row("1", "+", Frac(Sym("1"), Sym(name)))), sup=Sym(name)),
            Script(Sym("a"), sub=Sym(name)),
        )
    )
    return row(Big(r"\lim", row(name, r"\to", target)), body, "=", r.choice(("0", "1", "e", "2")))


def growing(r: Random) -> Node:
    """Brackets around fractions, with a power."""
    inner = row(r.choice((letter, number))(r), r.choice("+-"), fraction(r, 1))
    if r.random() < 0.3:
        return Fence("[", row(paren(row(inner, r.choice("+-"), digit(r))), r.choice("+-"), fraction(r)), "]")
    return Script(paren(r.choice((inner, fraction(r)))), sup=Sym(r.choice(("2", "3", "n"))))


def modulus(r: Random) -> Node:
    """|x-1|+|x+3| ≥ 6, |a|, |PF₁|."""
    if r.random() < 0.4:
        a = Fence("|", row(*r.sample("ABFMPQ", 2)), "|")
        b = Fence("|", row("P", Script(Sym("F"), sub=Sym("2"))), "|")
        return row(a, r.choice("=+"), b, *(() if r.random() < 0.5 else ("=", number(r))))
    return row(absolute(r, 1), r.choice("+-"), absolute(r, 1), r.choice((r"\ge", "<", "=")), digit(r))


def vectors(r: Random) -> Node:
    """Sums, products and lengths of vectors."""
    a, b = vector(r), vector(r)
    return r.choice(
        (
            lambda: row(a, r"\cdot", b, "=", digit(r)),
            lambda: row(Fence("|", a, "|"), "=", digit(r), ",", Fence("|", b, "|"), "=", Root(digit(r))),
            lambda: row(paren(row(digit(r), a, r.choice("+-"), b)), r"\cdot", b),
            lambda: row(a, "=", paren(row(digit(r), ",", "-", digit(r)))),
            lambda: row(a, r"\perp", b),
            lambda: row(a, "=", greek(r), b, "+", Frac(Sym("1"), digit(r)), vector(r)),
        )
    )()


def overlines(r: Random) -> Node:
    """Means, conjugates, complements, estimates."""
    return r.choice(
        (
            lambda: row(Accent(r"\bar", Sym("x")), "=", Frac(Sym("1"), Sym("n")), summation(r)),
            lambda: row(Accent(r"\overline", row(*r.sample("ABCD", 2))), "=", number(r)),
            lambda: row(Accent(r"\bar", Sym("z")), "=", digit(r), r.choice("+-"), digit(r), "i"),
            lambda: row("P", paren(Accent(r"\bar", capital(r))), "=", "1", "-", "P", paren(capital(r))),
        )
    )()


def hats(r: Random) -> Node:
    """A regression line."""
    y, a, b = (Accent(r"\hat", Sym(c)) for c in "yab")
    if r.random() < 0.3:
        return row(y, "=", b, "x", "+", a)
    if r.random() < 0.5:
        return row(y, "=", f"{r.randint(0, 9)}.{r.randint(1, 99)}", "x", r.choice("+-"), number(r))
    return row(a, "=", Accent(r"\bar", Sym("y")), "-", b, Accent(r"\bar", Sym("x")))


def matrix(r: Random) -> Node:
    """A matrix or determinant of two or three rows."""
    size = r.choice((2, 2, 3))
    cell = r.choice((digit, letter, indexed, lambda q: row("-", digit(q))))
    rows = tuple(tuple(r.choice((cell, digit))(r) for _ in range(size)) for _ in range(r.choice((size, 2))))
    kind = r.choice(("pmatrix", "bmatrix", "vmatrix")) if len(rows) == size else "pmatrix"
    grid = Grid(kind, rows)
    return row(grid, "=", number(r)) if kind == "vmatrix" else row(capital(r), "=", grid)


def cases(r: Random) -> Node:
    """A function by parts or a system."""
    if r.random() < 0.5:
        edge = str(r.randint(0, 3))
        rows = (
            (row(expression(r, 1), ","), row("x", r"\le", edge)),
            (row(expression(r, r.choice((0, 1))), ","), row("x", ">", edge)),
        )
        return row("f", paren(Sym("x")), "=", Grid("cases", rows))
    lines = [
        (row(digit(r), "x", r.choice("+-"), digit(r), "y", r.choice(RELATIONS), number(r)),)
        for _ in range(r.choice((2, 2, 3)))
    ]
    return Grid("cases", tuple(lines))


def aligned(r: Random) -> Node:
    """A calculation in lines, aligned at the equals sign."""
    first = (row("f", paren(Sym("x"))), row("=", expression(r, 1)))
    more = [(Row(()), row("=", expression(r, r.choice((0, 1))))) for _ in range(r.choice((1, 2)))]
    return Grid("aligned", (first, *more))


def angles(r: Random) -> Node:
    """Degrees, triangles, parallels."""
    a, b, c = r.sample("ABCDEFMN", 3)
    degrees = row(str(r.choice((30, 45, 60, 75, 90, 105, 120))), r"^\circ")
    return r.choice(
        (
            lambda: row(r"\angle", a, b, c, "=", degrees),
            lambda: row(r"\angle", a, "+", r"\angle", b, "=", degrees),
            lambda: row(a, b, r.choice((r"\perp", r"\parallel")), b, c),
            lambda: row(r"\triangle", a, b, c, r.choice((r"\sim", r"\cong")), r"\triangle", *r.sample("DEFPQR", 3)),
            lambda: row(r.choice((r"\sin", r"\cos", r"\tan")), degrees, "=", Frac(Root(digit(r)), digit(r))),
            lambda: row(r.choice((r"\because", r"\therefore")), r"\angle", "1", "=", r"\angle", "2"),
        )
    )()


def sets(r: Random) -> Node:
    """Sets by elements or by a condition, unions, membership."""
    members = row(*[x for n in r.sample(range(-3, 9), 3) for x in (",", *(("-", str(-n)) if n < 0 else (str(n),)))][1:])
    return r.choice(
        (
            lambda: row("A", "=", Fence(r"\{", members, r"\}")),
            lambda: row(
                "B",
                "=",
                Fence(
                    r"\{", row("x", r"\mid", expression(r, r.choice((0, 1))), r.choice(("<", r"\le", "=")), "0"), r"\}"
                ),
            ),
            lambda: row(
                "A", r.choice((r"\cap", r"\cup")), "B", "=", r.choice((sym(r"\emptyset"), Fence(r"\{", members, r"\}")))
            ),
            lambda: row(
                "x", r"\in", r.choice((r"\mathbf{R}", r"\mathbf{N}", r"\mathbf{Z}", r"\mathbb{R}", r"\mathbb{Z}"))
            ),
            lambda: row("A", r.choice((r"\subseteq", r"\subset")), "B"),
            lambda: row(
                r.choice((r"\forall", r"\exists")), "x", r"\in", r"\mathbf{R}", ",", expression(r, 0), ">", "0"
            ),
            lambda: Fence(r"\{", Script(Sym("a"), sub=Sym("n")), r"\}"),
        )
    )()


def intervals(r: Random) -> Node:
    """[-3,3], (0,+∞), with fractions as ends now and then."""
    low = r.choice(
        (lambda: row("-", r"\infty"), lambda: row("-", digit(r)), lambda: Sym("0"), lambda: Frac(Sym("1"), digit(r)))
    )()
    high = r.choice((row("+", r"\infty"), number(r), Root(digit(r))))
    left = "(" if r"\infty" in to_latex(low) else r.choice("([")
    right = ")" if r"\infty" in to_latex(high) else r.choice(")]")
    return row(*r.choice(((), ("x", r"\in"))), Fence(left, row(low, ",", high), right))


def ratio(r: Random) -> Node:
    """a:b = 2:3."""
    a, b = r.sample("abcmS", 2)
    return (
        row(a, ":", b, "=", digit(r), ":", digit(r))
        if r.random() < 0.6
        else row(digit(r), ":", digit(r), ":", digit(r))
    )


def chinese_script(r: Random) -> Node:
    """S_{阴影} = …, S_{底}h."""
    name, text = r.choice(
        (("S", "阴影"), ("V", "圆锥"), ("V", "球"), ("S", "侧"), ("S", "扇形"), ("y", "最大"), ("V", "长方体"))
    )
    value = r.choice((fraction, lambda q: row(number(q), r"\pi"), lambda q: row(Frac(Sym("1"), Sym("3")), "S", "h")))(r)
    return row(Script(Sym(name), sub=Text(text)), "=", value)
