"""Drawn parts of formulas that are no characters: bars, radical signs, arrows over letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wholepage.boxes import Box

ShapeKind = Literal[
    "bar", "radical", "arrow", "hat", "dot", "tilde", "equals", "harpoons", "(", ")", "[", "]", "{", "}", "|"
]


@dataclass(frozen=True, slots=True)
class Shape:
    """One drawn part, boxes in pixels of the frame in which text is level.

    A `bar` is a fraction's bar, an overline or an underline: which of them, the structure analyser decides. A
    `radical`'s box covers the sign with its overline, `content_x` is the x at which the radicand begins (the sign
    itself lies left of it). `equals` and `harpoons` are drawn long signs, an `arrow` may be one too; brackets are
    named by themselves.
    """

    kind: ShapeKind
    box: Box
    content_x: float = 0.0
