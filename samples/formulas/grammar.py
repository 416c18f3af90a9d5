"""The generator: K-12 formulas of all kinds from a `random.Random`.

`generate` asks the generator object for every decision, so hypothesis can drive (and shrink) it through
`strategies.randoms(use_true_random=False)`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from samples.formulas import chemistry, physics
from samples.formulas import mathematics as maths
from samples.formulas.expressions import expression, fraction, logarithm, row, simple, trig
from samples.formulas.latex import to_latex
from samples.formulas.tree import Node

KINDS: dict[str, Callable[[Random], Node]] = {
    "equation": maths.equation,
    "expression": lambda r: expression(r, 1),
    "deep expression": lambda r: expression(r, 2),
    "fraction": fraction,
    "conic": maths.conic,
    "nested fraction": maths.nested_fraction,
    "nested script": maths.nested_script,
    "radical": maths.root_equation,
    "prime": maths.primes,
    "series": maths.series,
    "integral": maths.integral,
    "limit": maths.limit,
    "growing bracket": maths.growing,
    "absolute value": maths.modulus,
    "vector": maths.vectors,
    "overline": maths.overlines,
    "hat": maths.hats,
    "matrix": maths.matrix,
    "cases": maths.cases,
    "aligned": maths.aligned,
    "angle": maths.angles,
    "set": maths.sets,
    "interval": maths.intervals,
    "ratio": maths.ratio,
    "trigonometry": lambda r: row("y", "=", trig(r, r.choice((0, 1)))),
    "logarithm": lambda r: row(simple(r), "=", logarithm(r)),
    "chinese subscript": maths.chinese_script,
    "named quantity": physics.named,
    "quantity": physics.quantity,
    "law": physics.law,
    "compound": chemistry.compound,
    "reaction": chemistry.reaction,
    "plain reaction": chemistry.plain_reaction,
    "equilibrium": chemistry.equilibrium,
    "half reaction": chemistry.half_reaction,
    "isotope": chemistry.isotope,
}


def generate(r: Random, kind: str | None = None) -> Node:
    """One formula of `kind` (a key of `KINDS`), or of a kind drawn at random."""
    return KINDS[kind or r.choice(tuple(KINDS))](r)


def generate_many(count: int, seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> list[tuple[str, Node]]:
    """`count` formulas with their kinds, the kinds in turn; no LaTeX occurs twice unless a kind runs out of forms.

    The same arguments give the same formulas.
    """
    r = Random(seed)
    out: list[tuple[str, Node]] = []
    seen: set[str] = set()
    for i in range(count):
        kind = kinds[i % len(kinds)]
        for _ in range(20):
            formula = generate(r, kind)
            if to_latex(formula) not in seen:
                break
        seen.add(to_latex(formula))
        out.append((kind, formula))
    return out
