"""Formulas of substances from page images, whose letters are told to be upright by what they spell."""

from __future__ import annotations

import pytest

from layout.formulas.chemistry import with_substances
from layout.formulas.latex import to_latex
from layout.formulas.tree import Frac, Node, Row, Script, Sym


def row(*items: str | Node, style: str = "") -> Node:
    out: list[Node] = []
    for item in items:
        out.extend([Sym(c, style if c.isalpha() else "") for c in item] if isinstance(item, str) else [item])  # type: ignore[arg-type]
    return Row(tuple(out))


def sub(base: str, low: str = "", high: str = "", style: str = "") -> Script:
    return Script(Sym(base, style), row(low) if low else None, row(high) if high else None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "latex"),
    [
        (row("Na", sub("S", ""), sub("O", "4")), r"\mathrm{NaSO_4}"),
        (row("C", sub("O", "3", "2−")), r"\mathrm{CO}_3^{2-}"),
        (row(sub("H", high="+")), r"\mathrm{H^+}"),
        (row(sub("H", "2"), "O"), r"\mathrm{H_2O}"),
        (row("2Fe+6", sub("H", high="+"), "="), r"2\mathrm{Fe}+6\mathrm{H^+}="),
    ],
)
def test_substances_are_upright(node: Node, latex: str) -> None:
    assert to_latex(with_substances(node)) == latex


@pytest.mark.parametrize(
    "node",
    [
        row("A", sub("B", "1")), row("BC"), row("x+y"), row(sub("S", "1"), "=", sub("S", "2")), row("PV=nRT"),
        Frac(row("N"), row("O")), row(sub("V", "2", style="italic"), "=", sub("C", "3", style="italic")),
        row("α", sub("O", "2")), row("B", sub("C", "1")),
    ],
)  # fmt: skip
def test_other_formulas_stay_as_they_are(node: Node) -> None:
    assert with_substances(node) == node
