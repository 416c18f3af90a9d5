"""Formulas of school physics and chemistry, one function a kind."""

from __future__ import annotations

from random import Random

from samples.formulas.expressions import digit, expression, greek, number, row
from samples.formulas.tree import Arrow, Frac, Gap, Letters, Node, PreScript, Root, Row, Script, Sym, Text, Upright

UNITS = ("kg", "m", "cm", "N", "J", "Pa", "kPa", "W", "V", "A", "mol", "g", "L", "mL", "Hz", "kJ", "T", "C", "min")
SALTS = (
    "H2O", "CO2", "H2SO4", "NaOH", "CaCO3", "Fe2O3", "NH3", "HCl", "KMnO4", "Al2O3", "Na2CO3", "CH4", "C2H5OH",
    "MnO2", "CuSO4", "AgNO3", "SO2", "H2O2", "NaHCO3", "BaSO4", "Ca(OH)2", "Al2(SO4)3", "NH4Cl", "C6H12O6",
    "CH3COOH", "O2", "N2",
)  # fmt: skip
IONS = (
    ("Na", "+"), ("Cl", "-"), ("OH", "-"), ("SO4", "2-"), ("CO3", "2-"), ("NH4", "+"), ("Fe", "3+"), ("Cu", "2+"),
    ("MnO4", "-"), ("HCO3", "-"), ("Al", "3+"), ("NO3", "-"), ("PO4", "3-"), ("H", "+"), ("Ca", "2+"), ("Cr2O7", "2-"),
)  # fmt: skip
REACTIONS = (
    (("2", "H2", ""), ("1", "O2", ""), "点燃", ("2", "H2O", "")),
    (("2", "KMnO4", ""), None, "△", ("1", "K2MnO4", ""), ("1", "MnO2", ""), ("1", "O2", "u")),
    (("1", "CaCO3", ""), None, "高温", ("1", "CaO", ""), ("1", "CO2", "u")),
    (("1", "N2", ""), ("3", "H2", ""), "催化剂", ("2", "NH3", "")),
    (("2", "H2O2", ""), None, "MnO2", ("2", "H2O", ""), ("1", "O2", "u")),
    (("2", "SO2", ""), ("1", "O2", ""), "催化剂", ("2", "SO3", "")),
    (("3", "Fe", ""), ("2", "O2", ""), "点燃", ("1", "Fe3O4", "")),
)
PLAIN = (
    (("Fe", ""), ("CuSO4", ""), ("FeSO4", ""), ("Cu", "")),
    (("BaCl2", ""), ("Na2SO4", ""), ("BaSO4", "d"), ("2NaCl", "")),
    (("Zn", ""), ("H2SO4", ""), ("ZnSO4", ""), ("H2", "u")),
    (("CO2", ""), ("Ca(OH)2", ""), ("CaCO3", "d"), ("H2O", "")),
    (("NaHCO3", ""), ("HCl", ""), ("NaCl", ""), ("H2O", ""), ("CO2", "u")),
)
MARKS = {"": (), "u": (Sym(r"\uparrow"),), "d": (Sym(r"\downarrow"),)}


def species(text: str, charge: str = "", state: str = "") -> Node:
    r"""A formula such as `Al2(SO4)3` as one upright group; `charge` as printed (`2-`), `state` as `aq`."""
    items: list[Node] = []
    for char in text:
        if char.isdigit() and items:
            last = items.pop()
            if isinstance(last, Script) and isinstance(last.sub, Sym):
                items.append(Script(last.base, sub=Sym(last.sub.sign + char)))
            else:
                items.append(Script(last, sub=Sym(char)))
        elif char.islower() and isinstance(items[-1], Letters):
            items[-1] = Letters(items[-1].text + char)
        else:
            items.append(Sym(char) if char in "()" else Letters(char))
    if charge:
        sup = row(*charge)
        last = items.pop()
        items.append(Script(last.base, sub=last.sub, sup=sup) if isinstance(last, Script) else Script(last, sup=sup))
    if state:
        items += [Sym("("), Letters(state), Sym(")")]
    return Upright(Row(tuple(items)) if len(items) > 1 else items[0])


def compound(r: Random) -> Node:
    """A single substance or ion, with its concentration now and then."""
    if r.random() < 0.4:
        text, charge = r.choice(IONS)
        ion = species(text, charge)
        return row("c", "(", ion, ")") if r.random() < 0.4 else ion
    if r.random() < 0.2:
        return row(species("CuSO4"), r"\cdot", "5", species("H2O"))
    return species(r.choice(SALTS))


def _side(parts: list[tuple[str, str, str]]) -> Node:
    out: list[Node | str] = []
    for count, text, mark in parts:
        out += ["+", *(() if count == "1" else (count,)), species(text), *MARKS[mark]]
    return row(*out[1:])


def reaction(r: Random) -> Node:
    """An equation with its condition over the arrow or the long equals sign."""
    first, second, condition, *right = r.choice(REACTIONS)
    left = [p for p in (first, second) if p is not None]
    above: Node = (
        species(condition) if condition.isascii() else Sym(r"\triangle") if condition == "△" else Text(condition)
    )
    below = Text(r.choice(("高温高压", "加热"))) if condition == "催化剂" and r.random() < 0.6 else None
    sign = r.choice((r"\xrightarrow", r"\xrightarrow", r"\xlongequal"))
    return row(_side(left), Arrow(sign, above, below), _side([p for p in right if p is not None]))


def plain_reaction(r: Random) -> Node:
    """An equation with an equals sign, gas and precipitate arrows."""
    parts = r.choice(PLAIN)
    out: list[Node | str] = []
    for i, (text, mark) in enumerate(parts):
        count = text[0] if text[0].isdigit() else ""
        out += ["=" if i == 2 else "+", *count, species(text.removeprefix(count)), *MARKS[mark]]
    return row(*out[1:])


def equilibrium(r: Random) -> Node:
    """A reversible reaction, with states or as ions, or an equilibrium constant."""
    a, b = r.choice((("N2O4", "2NO2"), ("H2O", ""), ("CH3COOH", ""), ("HF", ""), ("2HI", "H2I2")))
    if b == "2NO2":
        return row(species("N2O4", "", "g"), r"\rightleftharpoons", "2", species("NO2", "", "g"))
    if b:
        return row(
            "2", species("HI", "", "g"), r"\rightleftharpoons", species("H2", "", "g"), "+", species("I2", "", "g")
        )
    if r.random() < 0.5:
        conc = [row("c", "(", s, ")") for s in (species("H", "+"), species("A", "-"), species("HA"))]
        return row(Script(Sym("K"), sub=Upright(Letters("a"))), "=", Frac(row(conc[0], r"\cdot", conc[1]), conc[2]))
    rest = {"H2O": ("OH", "-"), "CH3COOH": ("CH3COO", "-"), "HF": ("F", "-")}[a]
    return row(species(a), r"\rightleftharpoons", species("H", "+"), "+", species(*rest))


def half_reaction(r: Random) -> Node:
    """An ion equation with electrons."""
    n = r.choice("2345")
    metal = r.choice(("Fe", "Cu", "Zn", "Al", "Mn"))
    return row(species(metal, n + "+"), "+", n, Upright(Script(Letters("e"), sup=Sym("-"))), "=", species(metal))


def isotope(r: Random) -> Node:
    """A nuclide or a nuclear reaction."""
    if r.random() < 0.5:
        a, z, el = r.choice(
            ((14, 6, "C"), (235, 92, "U"), (238, 92, "U"), (131, 53, "I"), (60, 27, "Co"), (18, 8, "O"))
        )
        return PreScript(Sym(str(z)) if r.random() < 0.7 else None, Sym(str(a)), Upright(Letters(el)))
    one = [
        ((14, 7, "N"), (4, 2, "He"), (17, 8, "O"), (1, 1, "H")),
        ((235, 92, "U"), (1, 0, "n"), (144, 56, "Ba"), (89, 36, "Kr")),
    ]
    first, second, third, last = (PreScript(Sym(str(z)), Sym(str(m)), Upright(Letters(e))) for m, z, e in r.choice(one))
    return row(first, "+", second, r.choice(("=", r"\to")), third, "+", last)


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
