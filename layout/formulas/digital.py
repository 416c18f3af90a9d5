"""Drawn parts of formulas on a born-digital page: from the PDF's drawings, their true extent from the page image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.formulas.shapes import Shape
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

MAX_BAR_EM = 40.0
MIN_ROOT_EM, MAX_ROOT_EM = 0.45, 7.0
ARROW_EM = 0.5  # lower drawings are arrows, hats or braces
Mask = NDArray[np.uint8]
Ink = NDArray[np.bool_]


def digital_shapes(text: TextLayer, mask: Mask, em: float) -> list[Shape]:
    """Bars, radical signs and arrows of a page.

    Args:
        text: the page's text layer.
        mask: H×W, 255 where the page image has ink.
        em: the page's font size in px.
    """
    ink: Ink = mask > 0
    bars = [r for r in text.rules if r.width > 2.5 * max(r.height, 1.0) and r.width < MAX_BAR_EM * em]
    shapes = [Shape("bar", b) for b in bars]
    for glyph in text.glyphs:
        if glyph.text == "√":
            shape = _root_of_glyph(glyph, bars, ink)
            if shape is not None:
                shapes = [s for s in shapes if s.box is not shape[1]]
                shapes.append(shape[0])
    shapes.extend(s for p in text.paths if (s := _path_shape(p, text.glyphs, ink, em)) is not None)
    return shapes


def _root_of_glyph(glyph: Glyph, bars: Sequence[Box], ink: Ink) -> tuple[Shape, Box | None] | None:
    """A radical glyph with the overline that begins at its top right; None when nothing covers a radicand."""
    size, base = glyph.size, glyph.baseline if glyph.baseline is not None else glyph.box.y1
    fits = [
        b
        for b in bars
        if abs(b.x0 - glyph.box.x1) < 0.25 * size
        and base - 5 * size < b.cy < base - 0.3 * size
        and b.width > 0.2 * size
    ]
    if fits:
        bar = min(fits, key=lambda b: abs(b.x0 - glyph.box.x1) + 0.1 * abs(b.cy - base))
        box = Box(glyph.box.x0, bar.y0, bar.x1, max(base + 0.2 * size, bar.y1 + 0.5 * size))
        return Shape("radical", box, glyph.box.x1), bar
    height = ink.shape[0]
    top = max(0, int(base - 1.6 * size))
    for y in range(top, min(height, int(base - 0.4 * size))):
        end = _run_end(ink[y : y + 2], glyph.box.x1 - 0.1 * size, glyph.box.x1 + 0.1 * size)
        if end - glyph.box.x1 > 0.3 * size:
            return Shape("radical", Box(glyph.box.x0, float(y), end, base + 0.2 * size), glyph.box.x1), None
    return None


def _path_shape(path: Box, glyphs: Sequence[Glyph], ink: Ink, em: float) -> Shape | None:
    """What a small drawing is: a radical sign, an arrow over letters, or no part of a formula."""
    if path.height < ARROW_EM * em:
        if path.height < 0.12 * em:
            return None
        end = path.x1 if path.width < 4 * em else _row_end(path, ink, em)
        below = Box(path.x0, path.y1, end, path.y1 + 0.5 * em)
        if 0.25 * em < end - path.x0 < 8 * em and any(
            g.box.x_overlap(below) > 0.3 * g.box.width and 0 < (g.baseline or g.box.y1) - path.y1 < 1.2 * em
            for g in glyphs
        ):
            kind = "hat" if _peaked(Box(path.x0, path.y0, end, path.y1), ink) else "arrow"
            return Shape(kind, Box(path.x0, path.y0, end, path.y1))  # type: ignore[arg-type]
        return None
    if not MIN_ROOT_EM * em < path.height < MAX_ROOT_EM * em:
        return None
    return _root_of_path(path, ink, em)


def _hangs_under(glyph: Glyph, stretch: Box, em: float) -> bool:
    base = glyph.box.y1 if glyph.baseline is None else glyph.baseline
    return 0 < base - stretch.y0 < 1.2 * em and glyph.box.x_overlap(stretch) > 0.3 * glyph.box.width


def _root_of_path(path: Box, ink: Ink, em: float) -> Shape | None:
    """A radical: its top row of pixels is a straight stroke that starts right of the sign and runs to the end."""
    y = max(0, int(path.y0))
    band = np.asarray(ink[y : y + max(3, int(0.14 * em))].any(axis=0))
    x, stop = int(path.x0), min(ink.shape[1] - 1, int(path.x1) + 2)
    while x < stop and not band[x]:
        x += 1
    start = x
    while x < stop and band[x]:
        x += 1
    if x - start < 0.3 * em or start - path.x0 > 2.0 * em or start - path.x0 < 0.15 * em:
        return None
    return Shape("radical", Box(path.x0, path.y0, float(x), path.y1), float(start))


def _row_end(path: Box, ink: Ink, em: float) -> float:
    y0, y1 = max(0, int(path.y0)), int(path.y1) + 1
    return _run_end(ink[y0:y1], path.x0, path.x0 + 0.5 * em)


def _run_end(rows: Ink, low: float, high: float) -> float:
    """Right end of the run of ink that begins between x = `low` and `high`; `low` when there is none."""
    if rows.size == 0:
        return low
    run = np.asarray(rows.any(axis=0))
    x = max(0, int(low))
    limit = min(len(run) - 1, int(high) + 1)
    while x < limit and not run[x]:
        x += 1
    if not run[x]:
        return low
    while x < len(run) and run[x]:
        x += 1
    return float(x)


def _peaked(box: Box, ink: Ink) -> bool:
    """Whether the ink's upper edge peaks in the middle and falls to both ends: a hat."""
    area = ink[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
    if area.shape[0] < 3 or area.shape[1] < 6:
        return False
    tops = np.where(area.any(axis=0), area.argmax(axis=0), area.shape[0])
    third = len(tops) // 3
    return bool(
        tops[third:-third].min() + 0.5 * area.shape[0] < min(tops[: third // 2 + 1].min(), tops[-third // 2 :].min())
    )
