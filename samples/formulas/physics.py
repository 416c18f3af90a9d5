"""Formulas of school physics, one function a kind."""

from __future__ import annotations

from random import Random

from samples.formulas.expressions import digit, expression, greek, number, row
from samples.formulas.tree import Frac, Gap, Letters, Node, Root, Script, Sym, Text, Upright

UNITS = ("kg", "m", "cm", "N", "J", "Pa", "kPa", "W", "V", "A", "mol", "g", "L", "mL", "Hz", "kJ", "T", "C", "min")


def quantity(r: Random) -> Node:
    """A quantity with its unit, and its name in front now and then."""
    name: tuple[str, ...] = r.choice(((), (r.choice("FmvtgUIR"), "="), (r"\rho", "=")))
    return row(*name, measure(r))


def measure(r: Random) -> Node:
    """A value with its unit: 9.8 m/s², 1.6×10^{-19} C, 25 ℃, 8 Ω."""
    unit: Node = r.choice(
        (
            lambda: Letters(r.choice(UNITS)),
            lambda: Letters(r.choice(UNITS)),
            lambda: row(Letters("m"), "/", Letters("s")),
            lambda: row(Letters("m"), "/", Script(Letters("s"), sup=Sym("2"))),
            lambda: row(Letters("kg"), "/", Script(Letters("m"), sup=Sym("3"))),
            lambda: row(Letters("mol"), "/", Letters("L")),
            lambda: row(Letters("g"), r"\cdot", Script(Letters("mol"), sup=row("-", "1"))),
            lambda: Script(Letters("cm"), sup=Sym("3")),
            lambda: row(r"^\circ", Letters("C")),
        )
    )()
    ohm: Node = Sym(r"\Omega") if r.random() < 0.1 else Upright(unit)
    value: Node = number(r)
    if r.random() < 0.4:
        sup = row(*(("-",) if r.random() < 0.5 else ()), str(r.randint(2, 23)))
        value = row(f"{r.randint(1, 9)}.{r.randint(1, 9)}", r"\times", Script(Sym("10"), sup=sup))
    return row(value, Gap(), ohm)


def named(r: Random) -> Node:
    """A physical quantity with words as its subscript: v_{物}, F_{浮}, E_k, v_{max}."""
    quantity_, text = r.choice(
        (
            ("F", "浮"),
            ("v", "物"),
            ("G", "排"),
            ("m", "总"),
            ("F", "万有引力"),
            ("R", "地"),
            ("a", "金"),
            ("V", "排"),
            ("W", "有用"),
            (r"\rho", "水"),
            ("p", "液"),
        )
    )
    left = Script(Sym(quantity_), sub=Text(text))
    if r.random() < 0.25:
        left = Script(Sym(r.choice("EvF")), sub=Upright(Letters(r.choice(("k", "p", "max", "min", "m")))))
    return row(left, r.choice(("=", "=", "<", ">")), r.choice((_term, lambda q: expression(q, 1), measure))(r))


def _term(r: Random) -> Node:
    water = Script(Sym(r"\rho"), sub=Text(r.choice(("水", "液", "物"))))
    return row(water, "g", Script(Sym("V"), sub=Text("排")))


def _index(name: str, index: str) -> Node:
    return Script(Sym(name), sub=Sym(index))


def _square(name: str) -> Node:
    return Script(Sym(name), sup=Sym("2"))


def law(r: Random) -> Node:
    """Laws as they stand in books, with fractions, indices and Greek letters."""
    return r.choice(
        (
            lambda: row("F", "=", "G", Frac(row(_index("m", "1"), _index("m", "2")), _square("r"))),
            lambda: row("x", "=", _index("v", "0"), "t", "+", Frac(Sym("1"), Sym("2")), "a", _square("t")),
            lambda: row(_square("v"), "-", Script(Sym("v"), sub=Sym("0"), sup=Sym("2")), "=", "2", "a", "x"),
            lambda: row("T", "=", "2", r"\pi", Root(Frac(Sym(r.choice("lLmr")), Sym(r.choice("gk"))))),
            lambda: row("E", "=", "n", Frac(row(r"\Delta", r"\Phi"), row(r"\Delta", "t"))),
            lambda: row(
                Frac(row(_index("p", "1"), _index("V", "1")), _index("T", "1")),
                "=",
                Frac(row(_index("p", "2"), _index("V", "2")), _index("T", "2")),
            ),
            lambda: row(Frac(Sym("1"), Sym("f")), "=", Frac(Sym("1"), Sym("u")), "+", Frac(Sym("1"), Sym("v"))),
            lambda: row("I", "=", Frac(Sym("E"), row("R", "+", "r"))),
            lambda: row(r"\lambda", "=", Frac(Sym("h"), row("m", "v"))),
            lambda: row(
                r.choice((r"\sin", r"\tan")), greek(r), "=", Frac(row("m", _square("v")), row("q", "B", digit(r)))
            ),
        )
    )()
