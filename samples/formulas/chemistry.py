"""Formulas of school chemistry and of nuclear physics, one function a kind.

Substances are written as in `2H2`, `SO4^2-`, `H2O(l)`, `O2↑`: coefficient, formula, charge, state, gas or precipitate.
"""

from __future__ import annotations

import re
from random import Random

from samples.formulas.expressions import digit, number, row
from samples.formulas.tree import Arrow, Frac, Letters, Node, PreScript, Row, Script, Sym, Text, Upright

_SALTS = """
H2O CO2 H2SO4 NaOH CaCO3 Fe2O3 NH3 HCl KMnO4 Al2O3 Na2CO3 CH4 C2H5OH MnO2 CuSO4 AgNO3 SO2 H2O2 NaHCO3 BaSO4
Ca(OH)2 Al2(SO4)3 NH4Cl C6H12O6 CH3COOH O2 N2 Fe3O4 K2Cr2O7 Mg(OH)2 FeCl3 ZnO SiO2 P2O5 HNO3 KClO3 C2H4 NO2
"""
SALTS = tuple(_SALTS.split())
_IONS = """
Na^+ Cl^- OH^- SO4^2- CO3^2- NH4^+ Fe^3+ Cu^2+ MnO4^- HCO3^- Al^3+ NO3^- PO4^3- H^+ Ca^2+ Cr2O7^2- Fe^2+
SO3^2- S^2- Ba^2+ Zn^2+ Ag^+ HSO4^- ClO^- SiO3^2- Mg^2+ [Cu(NH3)4]^2+
"""
IONS = tuple(_IONS.split())
HYDRATES = ("CuSO4", 5), ("Na2CO3", 10), ("FeSO4", 7), ("CaSO4", 2), ("NH3", 1), ("MgCl2", 6)
UNDER_CONDITIONS = (
    ("2H2 + O2", "点燃", "2H2O"),
    ("2KMnO4", "△", "K2MnO4 + MnO2 + O2↑"),
    ("CaCO3", "高温", "CaO + CO2↑"),
    ("N2 + 3H2", "催化剂", "2NH3"),
    ("2H2O2", "MnO2", "2H2O + O2↑"),
    ("2SO2 + O2", "催化剂", "2SO3"),
    ("3Fe + 2O2", "点燃", "Fe3O4"),
    ("4P + 5O2", "点燃", "2P2O5"),
    ("2KClO3", "MnO2", "2KCl + 3O2↑"),
    ("2H2O", "通电", "2H2↑ + O2↑"),
    ("CH4 + 2O2", "点燃", "CO2 + 2H2O"),
    ("Fe2O3 + 3CO", "高温", "2Fe + 3CO2"),
    ("CuO + H2", "△", "Cu + H2O"),
    ("2NaHCO3", "△", "Na2CO3 + H2O + CO2↑"),
    ("2NaCl + 2H2O", "电解", "2NaOH + H2↑ + Cl2↑"),
    ("4NH3 + 5O2", "催化剂", "4NO + 6H2O"),
    ("C2H5OH", "浓硫酸", "C2H4↑ + H2O"),
    ("C + 2H2SO4(浓)", "△", "CO2↑ + 2SO2↑ + 2H2O"),
)
PLAIN = (
    "Fe + CuSO4 = FeSO4 + Cu",
    "BaCl2 + Na2SO4 = BaSO4↓ + 2NaCl",
    "Zn + H2SO4 = ZnSO4 + H2↑",
    "CO2 + Ca(OH)2 = CaCO3↓ + H2O",
    "NaHCO3 + HCl = NaCl + H2O + CO2↑",
    "2Na + 2H2O = 2NaOH + H2↑",
    "Ba^2+ + SO4^2- = BaSO4↓",
    "CO3^2- + 2H^+ = CO2↑ + H2O",
    "Fe + 2Fe^3+ = 3Fe^2+",
    "Cl2 + 2Br^- = 2Cl^- + Br2",
    "2Al + 2OH^- + 6H2O = 2[Al(OH)4]^- + 3H2↑",
    "MnO4^- + 5Fe^2+ + 8H^+ = Mn^2+ + 5Fe^3+ + 4H2O",
    "Cu + 4HNO3 = Cu(NO3)2 + 2NO2↑ + 2H2O",
    "Ag^+ + Cl^- = AgCl↓",
    "SO2 + 2H2S = 3S↓ + 2H2O",
    "HCl + NaOH = NaCl + H2O",
)
REVERSIBLE = (
    "N2O4(g) ⇌ 2NO2(g)",
    "2HI(g) ⇌ H2(g) + I2(g)",
    "N2(g) + 3H2(g) ⇌ 2NH3(g)",
    "H2O ⇌ H^+ + OH^-",
    "CH3COOH ⇌ CH3COO^- + H^+",
    "HF ⇌ H^+ + F^-",
    "NH3·H2O ⇌ NH4^+ + OH^-",
    "CO3^2- + H2O ⇌ HCO3^- + OH^-",
    "AgCl(s) ⇌ Ag^+(aq) + Cl^-(aq)",
    "CO(g) + H2O(g) ⇌ CO2(g) + H2(g)",
    "2SO2(g) + O2(g) ⇌ 2SO3(g)",
    "Fe^3+ + 3H2O ⇌ Fe(OH)3 + 3H^+",
)
_NUCLIDES = "14-6-C 235-92-U 238-92-U 131-53-I 60-27-Co 18-8-O 3-1-H 90-38-Sr 226-88-Ra 32-15-P 40-19-K 137-55-Cs"
NUCLIDES = tuple(_NUCLIDES.split())
NUCLEAR = (
    "14-7-N 4-2-He 17-8-O 1-1-H",
    "235-92-U 1-0-n 144-56-Ba 89-36-Kr",
    "2-1-H 3-1-H 4-2-He 1-0-n",
    "27-13-Al 4-2-He 30-15-P 1-0-n",
    "9-4-Be 4-2-He 12-6-C 1-0-n",
)
TERM = re.compile(r"(\d*)(.+?)(?:\^([0-9]*[+-]))?(?:\((aq|[glsl浓稀])\))?([↑↓]?)")
MARKS: dict[str, tuple[Node, ...]] = {"": (), "↑": (Sym(r"\uparrow"),), "↓": (Sym(r"\downarrow"),)}


def substance(text: str) -> Node:
    r"""A formula such as `Al2(SO4)3`, `SO4^2-` or `H2O(l)` as one upright group."""
    _, formula, charge, state, _ = _term(text)
    items: list[Node] = []
    for char in formula:
        if char.isdigit():
            last = items.pop()
            if isinstance(last, Script) and isinstance(last.sub, Sym):
                items.append(Script(last.base, sub=Sym(last.sub.sign + char)))
            else:
                items.append(Script(last, sub=Sym(char)))
        elif char.islower() and isinstance(items[-1], Letters):
            items[-1] = Letters(items[-1].text + char)
        else:
            items.append(Sym(char) if char in "()[]" else Letters(char))
    if charge:
        last = items.pop()
        base, sub = (last.base, last.sub) if isinstance(last, Script) else (last, None)
        items.append(Script(base, sub=sub, sup=row(*charge)))
    if state:
        items += [Sym("("), Letters(state) if state.isascii() else Text(state), Sym(")")]
    return Upright(Row(tuple(items)) if len(items) > 1 else items[0])


def _term(text: str) -> tuple[str, str, str, str, str]:
    match = TERM.fullmatch(text)
    if match is None:
        raise ValueError(f"not a substance: {text}")
    count, formula, charge, state, mark = (group or "" for group in match.groups())
    return count, formula, charge, state, mark


def side(text: str) -> Node:
    """One side of an equation: `2KCl + 3O2↑`."""
    out: list[Node | str] = []
    for part in text.split(" + "):
        count, *_, mark = _term(part)
        bare = part.removeprefix(count).removesuffix(mark)
        first, *water = bare.split("·")
        out += ["+", *((count,) if count else ()), substance(first)]
        out += [item for w in water for item in (r"\cdot", substance(w))]
        out += MARKS[mark]
    return row(*out[1:])


def compound(r: Random) -> Node:
    """A single substance, hydrate or ion, with its concentration now and then."""
    if r.random() < 0.4:
        ion = substance(r.choice(IONS))
        return row("c", "(", ion, ")") if r.random() < 0.4 else ion
    if r.random() < 0.2:
        salt, water = r.choice(HYDRATES)
        return row(substance(salt), r"\cdot", *((str(water),) if water > 1 else ()), substance("H2O"))
    return substance(r.choice(SALTS))


def reaction(r: Random) -> Node:
    """An equation with its condition over the arrow or the long equals sign."""
    left, condition, right = r.choice(UNDER_CONDITIONS)
    above: Node = Text(condition)
    if condition.isascii():
        above = substance(condition)
    elif condition == "△":
        above = Sym(r"\triangle")
    below = Text(r.choice(("高温高压", "加热"))) if condition == "催化剂" and r.random() < 0.6 else None
    sign = r.choice((r"\xrightarrow", r"\xrightarrow", r"\xlongequal"))
    return row(side(left), Arrow(sign, above, below), side(right))


def plain_reaction(r: Random) -> Node:
    """An equation with an equals sign, gas and precipitate arrows."""
    left, right = r.choice(PLAIN).split(" = ")
    return row(side(left), r.choice(("=", "=", r"\to")), side(right))


def equilibrium(r: Random) -> Node:
    """A reversible reaction, or an equilibrium constant."""
    if r.random() < 0.3:
        name = r.choice(("a", "b", "w", "sp"))
        acid, base = r.choice((("HA", "A^-"), ("HF", "F^-"), ("HCN", "CN^-"), ("H2CO3", "HCO3^-"), ("H2S", "HS^-")))
        conc = [row("c", "(", substance(s), ")") for s in ("H^+", base, acid)]
        left = Script(Sym("K"), sub=Upright(Letters(name)))
        return row(left, "=", Frac(row(conc[0], r"\cdot", conc[1]), conc[2]))
    if r.random() < 0.15:
        return row(r"\Delta", "H", "=", r.choice("+-"), number(r), Upright(row(Letters("kJ"), "/", Letters("mol"))))
    left_side, right_side = r.choice(REVERSIBLE).split(" ⇌ ")
    return row(side(left_side), r"\rightleftharpoons", side(right_side))


def half_reaction(r: Random) -> Node:
    """An electrode reaction with electrons."""
    electron = Upright(Script(Letters("e"), sup=Sym("-")))
    metal, charge = r.choice(("Fe 2", "Fe 3", "Cu 2", "Zn 2", "Al 3", "Pb 2", "Mg 2", "Mn 2")).split(" ")
    ion = substance(f"{metal}^{charge}+")
    if r.random() < 0.35:
        return row(substance(metal), "-", charge, electron, "=", ion)
    if r.random() < 0.35:
        return row(side("O2 + 2H2O"), "+", "4", electron, "=", side("4OH^-"))
    return row(ion, "+", charge, electron, "=", substance(metal))


def _nuclide(entry: str) -> Node:
    mass, charge, element = entry.split("-")
    return PreScript(Sym(charge), Sym(mass), Upright(Letters(element)))


def isotope(r: Random) -> Node:
    """A nuclide or a nuclear reaction."""
    if r.random() < 0.5:
        mass, charge, element = r.choice(NUCLIDES).split("-")
        single = PreScript(Sym(charge) if r.random() < 0.7 else None, Sym(mass), Upright(Letters(element)))
        return row(digit(r), single) if r.random() < 0.2 else single
    first, second, third, last = map(_nuclide, r.choice(NUCLEAR).split())
    return row(first, "+", second, r.choice(("=", r"\to")), third, "+", last)
