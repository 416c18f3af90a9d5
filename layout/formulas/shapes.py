"""Drawn parts of formulas that are no characters: bars, radical signs, arrows over letters."""

from __future__ import annotations

from collections.abc import Sequence
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


def distinct(shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes without those that describe the same stroke: one drawn rule is found in the PDF and in its image."""
    kept: list[Shape] = []
    for shape in shapes:
        b = shape.box
        same = (
            k
            for k in kept
            if k.kind == shape.kind
            and b.x_overlap(k.box) > 0.8 * min(b.width, k.box.width)
            and abs(b.cy - k.box.cy) < 2
        )
        if next(same, None) is None:
            kept.append(shape)
    return kept


def extent(shape: Shape) -> float:
    """What is narrower is made first; a radical in a numerator comes before the fraction's bar below it."""
    return shape.box.x1 - shape.content_x + 2 if shape.kind == "radical" and shape.content_x else shape.box.width
