"""Arrows over letters that are set from characters: − and → in a row of their own, as TeX sets an overrightarrow."""

from __future__ import annotations

from collections.abc import Sequence

from layout.formulas.shapes import Shape
from layout.types import Glyph
from wholepage.boxes import Box

SHAFT, HEAD = frozenset("−-"), frozenset("→")
JOIN_EM, LEVEL_EM = 0.25, 0.12  # gap between pieces, difference of their baselines
LOW_EM, HIGH_EM = 0.2, 1.3  # how far the letters' baseline lies below the arrow's


def over_arrows(glyphs: Sequence[Glyph]) -> tuple[list[Glyph], list[Shape]]:
    """The glyphs without such arrows, and the arrows as shapes.

    An arrow has letters right under it and nothing beside it on its own baseline.
    """
    shapes: list[Shape] = []
    used: set[int] = set()
    for n, head in enumerate(glyphs):
        if head.text not in HEAD:
            continue
        run = _run(glyphs, n)
        if _free(glyphs, run) and (box := _over_letters(glyphs, run)) is not None:
            shapes.append(Shape("arrow", box))
            used.update(run)
    return [g for n, g in enumerate(glyphs) if n not in used], shapes


def _base(glyph: Glyph) -> float:
    return glyph.box.y1 if glyph.baseline is None else glyph.baseline


def _run(glyphs: Sequence[Glyph], head: int) -> list[int]:
    """Indices of the head and of the shaft's pieces left of it."""
    run = [head]
    size = glyphs[head].size
    left = glyphs[head].box.x0
    for n in sorted((k for k, g in enumerate(glyphs) if g.text in SHAFT), key=lambda k: -glyphs[k].box.x1):
        piece = glyphs[n]
        level = abs(_base(piece) - _base(glyphs[head])) < LEVEL_EM * size
        if level and piece.box.x0 < left and abs(piece.box.x1 - left) < JOIN_EM * size + 0.5 * piece.box.width:
            run.append(n)
            left = piece.box.x0
    return run


def _free(glyphs: Sequence[Glyph], run: Sequence[int]) -> bool:
    size, base = glyphs[run[0]].size, _base(glyphs[run[0]])
    box = Box.hull(glyphs[n].box for n in run)
    return not any(
        n not in run
        and not g.text.isspace()
        and abs(_base(g) - base) < LEVEL_EM * size
        and box.x0 - 0.6 * size < g.box.cx < box.x1 + 0.6 * size
        for n, g in enumerate(glyphs)
    )


def _over_letters(glyphs: Sequence[Glyph], run: Sequence[int]) -> Box | None:
    size, base = glyphs[run[0]].size, _base(glyphs[run[0]])
    hull = Box.hull(glyphs[n].box for n in run)
    under = [
        g
        for n, g in enumerate(glyphs)
        if n not in run
        and g.text.isalpha()
        and g.text.isascii()
        and LOW_EM * size < _base(g) - base < HIGH_EM * size
        and hull.x0 - 0.2 * size < g.box.cx < hull.x1 + 0.2 * size
    ]
    if not under:
        return None
    covered = Box.hull(g.box for g in under)
    if covered.x_overlap(hull) < 0.7 * hull.width:
        return None
    middle = base - 0.25 * size
    return Box(min(covered.x0, hull.x0), middle - 0.1 * size, max(covered.x1, hull.x1), middle + 0.1 * size)
