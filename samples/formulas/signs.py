r"""The signs that the formulas use: LaTeX command → typst name and the construct that it counts as."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """How typst writes a sign, and its row in tables of figures ("" when it is in no table)."""

    typst: str
    construct: str = ""


def _group(construct: str, pairs: dict[str, str]) -> dict[str, Sign]:
    return {latex: Sign(typst, construct) for latex, typst in pairs.items()}


SIGNS: dict[str, Sign] = {
    **_group(
        "greek",
        {
            r"\alpha": "alpha",
            r"\beta": "beta",
            r"\gamma": "gamma",
            r"\delta": "delta",
            r"\varepsilon": "epsilon",
            r"\eta": "eta",
            r"\theta": "theta",
            r"\lambda": "lambda",
            r"\mu": "mu",
            r"\nu": "nu",
            r"\pi": "pi",
            r"\rho": "rho",
            r"\sigma": "sigma",
            r"\tau": "tau",
            r"\varphi": "phi.alt",
            r"\omega": "omega",
            r"\Delta": "Delta",
            r"\Omega": "Omega",
            r"\Phi": "Phi",
        },
    ),
    **_group(
        "function",
        {
            r"\sin": "sin",
            r"\cos": "cos",
            r"\tan": "tan",
            r"\ln": "ln",
            r"\lg": "lg",
            r"\log": "log",
            r"\cot": "cot",
            r"\arcsin": "arcsin",
        },
    ),
    **_group(
        "set sign",
        {
            r"\in": "in",
            r"\notin": "in.not",
            r"\cap": "inter",
            r"\cup": "union",
            r"\subset": "subset",
            r"\subseteq": "subset.eq",
            r"\emptyset": "emptyset",
            r"\mid": "divides",
            r"\forall": "forall",
            r"\exists": "exists",
        },
    ),
    **_group(
        "relation",
        {
            r"\le": "lt.eq",
            r"\ge": "gt.eq",
            r"\ne": "eq.not",
            r"\approx": "approx",
            r"\perp": "perp",
            r"\parallel": "parallel",
            r"\sim": "tilde.op",
            r"\cong": "tilde.equiv",
            r"\equiv": "equiv",
            r"\because": "because",
            r"\therefore": "therefore",
        },
    ),
    **_group(
        "arrow",
        {
            r"\to": "arrow.r",
            r"\rightleftharpoons": "harpoons.rtlb",
            r"\uparrow": "arrow.t",
            r"\downarrow": "arrow.b",
            r"\Rightarrow": "arrow.r.double",
            r"\Leftrightarrow": "arrow.l.r.double",
        },
    ),
    **_group(
        "",
        {
            r"\times": "times",
            r"\div": "div",
            r"\pm": "plus.minus",
            r"\mp": "minus.plus",
            r"\cdot": "dot.op",
            r"\cdots": "dots.h.c",
            r"\ldots": "dots.h",
            r"\infty": "infinity",
            r"\%": "percent",
            "-": "minus",
            "+": "plus",
            "=": "eq",
            "<": "lt",
            ">": "gt",
            ",": "comma",
            ";": "semi",
            ":": "colon",
            "/": "slash",
            "!": "excl",
            "(": "paren.l",
            ")": "paren.r",
            "[": "bracket.l",
            "]": "bracket.r",
        },
    ),
    **_group("geometry sign", {r"\angle": "angle", r"\triangle": 'class("normal", triangle.stroked.t)'}),
    r"^\circ": Sign("degree", "degree"),
    r"\mathbf{R}": Sign("upright(bold(R))", "number set"),
    r"\mathbf{N}": Sign("upright(bold(N))", "number set"),
    r"\mathbf{Z}": Sign("upright(bold(Z))", "number set"),
    r"\mathbb{R}": Sign("RR", "number set"),
    r"\mathbb{Z}": Sign("ZZ", "number set"),
}

OPERATORS: dict[str, Sign] = {
    r"\sum": Sign("sum", "sum or product"),
    r"\prod": Sign("product", "sum or product"),
    r"\int": Sign("integral", "integral"),
    r"\lim": Sign("lim", "limit"),
    r"\max": Sign("max", "limit"),
    r"\min": Sign("min", "limit"),
}

FENCES: dict[str, str] = {
    "(": "paren.l",
    ")": "paren.r",
    "[": "bracket.l",
    "]": "bracket.r",
    "|": "bar.v",
    r"\{": "brace.l",
    r"\}": "brace.r",
}

ACCENTS: dict[str, Sign] = {
    r"\vec": Sign("arrow", "vector"),
    r"\overrightarrow": Sign("arrow", "vector"),
    r"\overline": Sign("overline", "overline"),
    r"\bar": Sign("overline", "overline"),
    r"\hat": Sign("hat", "hat"),
    r"\dot": Sign("dot", "hat"),
}

LONG_EQUAL = r"\xlongequal"  # drawn as two lines, since few math fonts stretch an equals sign
ARROWS: dict[str, str] = {
    r"\xrightarrow": "stretch(arrow.r, size: #(100% + 1em))",
    r"\xrightleftharpoons": "stretch(harpoons.rtlb, size: #(100% + 1em))",
}
