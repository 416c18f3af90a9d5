"""The LaTeX writer: one canonical form for one meaning, and what counts as well formed."""

from __future__ import annotations

import pytest

from layout.formulas.latex import parses, to_latex
from layout.formulas.tree import Arrow, Frac, Grid, Node, Over, Root, Row, Script, Style, Sym


def row(*items: Node | str) -> Node:
    """Italic letters and other signs from strings, nodes as they are."""
    out: list[Node] = []
    for item in items:
        out.extend([Sym(c, "italic" if c.isalpha() else "") for c in item] if isinstance(item, str) else [item])
    return out[0] if len(out) == 1 else Row(tuple(out))


def up(text: str, style: Style = "upright") -> list[Node]:
    return [Sym(c, style) for c in text]


def sup(base: Node, text: str) -> Node:
    return Script(base, None, row(text))


U = {c: Sym(c, "upright") for c in "ABCFHNOSdegmos"}

CASES: list[tuple[str, Node, str]] = [
    ("one token has no braces", sup(Sym("x", "italic"), "2"), "x^2"),
    ("several tokens have", sup(Sym("x", "italic"), "10"), "x^{10}"),
    ("sub before sup", Script(Sym("x", "italic"), Sym("1"), Sym("2")), "x_1^2"),
    ("prime", row(sup(Sym("f", "italic"), "′"), "(x)"), r"f^\prime(x)"),
    ("two primes", sup(Sym("f", "italic"), "′′"), r"f^{\prime\prime}"),
    ("fraction", Frac(row("a"), row("b")), r"\frac{a}{b}"),
    ("root with index", Root(row("x"), Sym("3")), r"\sqrt[3]{x}"),
    ("command before a letter", row("α", "x"), r"\alpha x"),
    ("command before a digit", row("α", "2"), r"\alpha2"),
    ("function", row(*up("sin"), "x"), r"\sin x"),
    ("unit", Row((*up("m"), Sym("/"), sup(U["s"], "2"))), r"\mathrm{m/s^2}"),
    ("unit with a product", Row((*up("g"), Sym("·"), *up("mo"), sup(Sym("l", "upright"), "−1"))),
     r"\mathrm{g\cdot mol}^{-1}"),
    ("substance", Row((Script(U["H"], Sym("2")), U["O"])), r"\mathrm{H_2O}"),
    ("charge of one token", Row((*up("O"), sup(U["H"], "−"))), r"\mathrm{OH^-}"),
    ("no braces in mathrm", Row((*up("F"), sup(U["e"], "3+"))), r"\mathrm{Fe}^{3+}"),
    ("group in a substance", Row((*up("Ca"), Sym("("), *up("OH"), Script(Sym(")"), Sym("2")))), r"\mathrm{Ca(OH)_2}"),
    ("state", Row((*up("HC"), *up("l"), Sym("("), *up("g"), Sym(")"))), r"\mathrm{HCl(g)}"),
    ("complex ion", Row((Sym("["), *up("A"), *up("g"), sup(Sym("]"), "+"))), r"\mathrm{[Ag]^+}"),
    ("brackets of a variable", row("c", "(", *up("HA"), ")"), r"c(\mathrm{HA})"),
    ("degree Celsius", row("2", sup(Sym("5"), "°"), *up("C")), r"25^\circ\mathrm{C}"),
    ("set", row("{", "x", "|", "x", ">", "0", "}"), r"\{x\mid x>0\}"),
    ("absolute value", row("(", "|", "x", "|", ")"), "(|x|)"),
    ("brackets grow", row("(", Frac(row("a"), row("b")), ")"), r"\left(\frac{a}{b}\right)"),
    ("half-open interval grows", row("[", Frac(row("1"), row("3")), ",", "2", ")"), r"\left[\frac{1}{3},2\right)"),
    ("brackets of a line do not grow", row("(", "x", ")"), "(x)"),
    ("vector of one letter", Over(row("a"), "vec"), r"\vec{a}"),
    ("cases", Grid(((row("x"), row("y")), (row("1"), row("2"))), "cases"),
     r"\begin{cases} x & y \\ 1 & 2 \end{cases}"),
    ("arrow", Arrow(row("△"), None), r"\xrightarrow{\triangle}"),
    ("long equals sign", Arrow(Row((Sym("点"), Sym("燃"))), None, "xlongequal"), r"\xlongequal{\text{点燃}}"),
    ("text as subscript", Script(Sym("v", "italic"), Sym("物")), r"v_{\text{物}}"),
    ("isotope", Row((Script(None, row("92"), row("235")), *up("U"))), r"{}_{92}^{235}\mathrm{U}"),
    ("bold set", Sym("R", "bold"), r"\mathbf{R}"),
    ("double-struck set", Sym("R", "double"), r"\mathbb{R}"),
]  # fmt: skip


@pytest.mark.parametrize(("node", "latex"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_canonical_form(node: Node, latex: str) -> None:
    assert to_latex(node) == latex


@pytest.mark.parametrize("latex", [c[2] for c in CASES], ids=[c[0] for c in CASES])
def test_what_is_written_parses(latex: str) -> None:
    assert parses(latex)


@pytest.mark.parametrize("latex", [r"\frac{a}{b", "x^{2", r"\left(\frac{a}{b})", r"\begin{cases} x", "}{"])
def test_what_is_broken_does_not_parse(latex: str) -> None:
    assert not parses(latex)
