"""samples.formulas: K-12 formulas as small trees, their canonical LaTeX, and pages that print them."""

from __future__ import annotations

from samples.formulas.constructs import constructs
from samples.formulas.grammar import KINDS, generate, generate_many
from samples.formulas.latex import to_latex
from samples.formulas.tree import Node
from samples.formulas.typst import to_typst

__all__ = ["KINDS", "Node", "constructs", "generate", "generate_many", "to_latex", "to_typst"]
