"""Segments of page images with the parts of formulas in them put together."""

from __future__ import annotations

from collections.abc import Sequence

from layout.formulas.atoms import FormulaGlyph
from layout.formulas.containers import assemble
from layout.formulas.shapes import Shape
from layout.formulas.tree import Root
from layout.segments import Segment, segment_of
from layout.types import Glyph


def fold_segments(segments: Sequence[Segment], shapes: Sequence[Shape]) -> list[Segment]:
    """Segments of an image with the parts of formulas in them folded; a composite joins the segment that it touches."""
    if not any(s.glyphs for s in segments):
        return list(segments)
    glyphs, _ = assemble([g for s in segments for g in s.glyphs], shapes)
    alive = {id(g) for g in glyphs}
    made = {(g.box.x0, g.box.y0, g.box.x1, g.box.y1): g for g in glyphs if isinstance(g, FormulaGlyph)}
    marked = [g for g in made.values() if g.marked or isinstance(g.node, Root)]
    out: list[Segment] = []
    for segment in segments:
        # A bracket that has grown stays with its exponent, a letter with its hat or root among the letters beside it.
        kept: list[Glyph] = []
        for glyph in segment.glyphs:
            if glyph.text.isspace() or id(glyph) in alive:
                kept.append(glyph)
                continue
            whole = made.pop((glyph.box.x0, glyph.box.y0, glyph.box.x1, glyph.box.y1), None)
            if whole is None and (whole := _marked(glyph, segment, marked)) is not None:
                whole = made.pop((whole.box.x0, whole.box.y0, whole.box.x1, whole.box.y1), None)
            if whole is not None:
                kept.append(whole)
        if len(kept) == len(segment.glyphs) and all(a is b for a, b in zip(kept, segment.glyphs, strict=True)):
            out.append(segment)
        elif any(not g.text.isspace() for g in kept):
            out.append(segment_of(kept, segment.em, segment.confidence, segment.origin, segment.bold))
    out.extend(Segment((g,), g.box, g.size, g.confidence, "ocr") for g in made.values())
    return out


def _marked(glyph: Glyph, segment: Segment, marked: Sequence[FormulaGlyph]) -> FormulaGlyph | None:
    """The root or the letter with a mark over it, on the segment's line, that a lost glyph of it became a part of."""
    for whole in marked:
        level = whole.baseline is not None and glyph.baseline is not None
        level = level and abs(whole.baseline - glyph.baseline) < 0.1 * glyph.size  # type: ignore[operator]
        if level and whole.box.holds(glyph.box.cx, glyph.box.cy) and whole.box.width < segment.box.width:
            return whole
    return None
