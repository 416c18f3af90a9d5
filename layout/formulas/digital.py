"""Drawn parts of formulas on a born-digital page: from the PDF's drawings, their true extent from the page image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.accents import accent_shapes
from layout.formulas.atoms import ink_estimate
from layout.formulas.brackets import drawn_brackets
from layout.formulas.containers import assemble
from layout.formulas.longsigns import double_bars, long_sign
from layout.formulas.overarrows import over_arrows
from layout.formulas.shapes import Shape, ShapeKind
from layout.formulas.unnamed import named
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

MAX_BAR_EM = 40.0
MAX_ROOT_EM = 7.0
OCR_FONT = "ocr"  # of numbers that `ingest.unread` found
ARROW_EM = 0.5  # lower drawings are arrows, hats or braces
Mask = NDArray[np.uint8]
Ink = NDArray[np.bool_]


def folded(text: TextLayer, mask: Mask, em: float, comps: NDArray[np.float64]) -> list[Glyph]:
    """The glyphs of a page with the parts of its formulas folded into composites; arguments as for `digital_shapes`."""
    text = replace(text, glyphs=tuple(named(text.glyphs, mask > 0, comps)))
    glyphs, arrows = over_arrows(text.glyphs)
    text = replace(text, glyphs=tuple(glyphs))
    return assemble(text.glyphs, [*digital_shapes(text, mask, em, comps), *arrows], comps)[0]


def digital_shapes(text: TextLayer, mask: Mask, em: float, comps: NDArray[np.float64]) -> list[Shape]:
    """Bars, radical signs, arrows and accents of a page.

    Args:
        text: the page's text layer.
        mask: H×W, 255 where the page image has ink.
        em: the page's font size in px.
        comps: N×4, boxes of the ink's connected components.
    """
    ink: Ink = mask > 0
    bars = _free_bars(_undrawn(text.rules, text.paths), em)
    doubles = [*double_bars(bars, em), *double_bars(_inked_bars(text, comps, em), em)]
    bars = [b for b in bars if not any(b is u or b is w for _, u, w in doubles)]
    shapes: list[Shape] = [sign for sign, _, _ in doubles]
    roots = [r for b in bars if (r := _root_at(b, bars, comps, em)) is not None]
    used = {id(bar) for _, bar in roots}
    shapes.extend(shape for shape, _ in roots)
    for glyph in text.glyphs:
        if glyph.text == "√" and not any(s.box.holds(glyph.box.cx, s.box.cy) for s in shapes):
            found = _root_of_glyph(glyph, [b for b in bars if id(b) not in used], ink)
            if found is not None:
                shapes.append(found[0])
                used.add(id(found[1]))
    shapes.extend(accent_shapes(text.glyphs, comps, ink))
    shapes.extend(Shape("bar", b) for b in bars if id(b) not in used)
    # Numbers that are drawn were read by OCR already: their strokes are no signs.
    read = [g.box for g in text.glyphs if g.font == OCR_FONT]
    paths = [p for p in text.paths if not any(p.covered_by(b.grow(0.1 * em)) > 0.6 for b in read)]
    shapes.extend(drawn_brackets(paths, ink, em))
    shapes.extend(s for p in paths if (s := _path_shape(p, text.glyphs, ink, em)) is not None)
    return shapes


def _inked_bars(text: TextLayer, comps: NDArray[np.float64], em: float) -> list[Box]:
    """Long level strokes that neither a drawing nor a character accounts for: a sign stretched out of its place."""
    width, height = comps[:, 2] - comps[:, 0], comps[:, 3] - comps[:, 1]
    found = [Box.of(c) for c in comps[(width > em) & (width < MAX_ROOT_EM * em) & (height < 0.15 * em)]]
    known = [*text.rules, *text.paths, *text.pictures, *(g.box for g in text.glyphs if g.box.width < 3 * g.size)]
    known += [g.box.grow(1.5 * g.size, 0) for g in text.glyphs if g.text == "="]  # set wide from pieces of its own
    return [b for b in found if not any(k.grow(2).holds(b.cx, b.cy) for k in known)]


def _undrawn(rules: Sequence[Box], paths: Sequence[Box]) -> list[Box]:
    """Rules that are no edge of a drawing, whose outline may be given as strokes too."""
    return [
        r
        for r in rules
        if not any(
            p.y0 - 1 <= r.cy <= p.y1 + 1 and abs(p.x0 - r.x0) < 2 and abs(p.x1 - r.x1) < 8 and p.height < 30
            for p in paths
        )
    ]


def _free_bars(rules: Sequence[Box], em: float) -> list[Box]:
    """Horizontal strokes that meet no vertical one: those of tables and frames are no parts of formulas."""
    upright = [r for r in rules if r.height > 2.5 * max(r.width, 1.0) and r.height > 0.8 * em]

    def framed(bar: Box) -> bool:
        area = bar.grow(3)
        return any(u.x0 <= area.x1 and u.x1 >= area.x0 and u.y0 <= area.y1 and u.y1 >= area.y0 for u in upright)

    flat = [r for r in rules if r.width > 2.5 * max(r.height, 1.0) and r.width < MAX_BAR_EM * em]
    return [b for b in flat if not framed(b)]


def _root_at(bar: Box, bars: Sequence[Box], comps: NDArray[np.float64], em: float) -> tuple[Shape, Box] | None:
    """A radical sign whose ink runs into the left end of a bar and stands below it."""
    hit = (comps[:, 0] < bar.x0 - 0.2 * em) & (comps[:, 0] > bar.x0 - 1.6 * em)
    hit &= (comps[:, 2] >= bar.x1 - 3) & (comps[:, 3] > bar.y1 + 0.45 * em)
    hit &= (np.abs(comps[:, 1] - bar.y0) <= 3) & (comps[:, 2] <= bar.x1 + 0.8 * em)
    if not hit.any():
        return None
    own = comps[hit][0]
    # The sign may stand on a fraction's bar and run into it: the radicand ends there.
    under = [b.y0 for b in bars if b.x0 < bar.x0 - 2 and b.x1 > own[0] and bar.y1 + 0.4 * em < b.y0 < own[3]]
    bottom = min([float(own[3]), *under])
    return Shape("radical", Box(float(own[0]), bar.y0, bar.x1, bottom), bar.x0), bar


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
    """What a small drawing is: a radical sign, a long sign, an arrow over letters, or no part of a formula."""
    if ARROW_EM * em <= path.height < MAX_ROOT_EM * em:
        return _root_of_path(path, glyphs, ink, em) or long_sign(path, ink, em)
    sign = long_sign(path, ink, em)
    if sign is not None and (sign.kind != "arrow" or path.width > 4 * em):
        return sign
    return _small_mark(path, glyphs, ink, em) if 0.12 * em <= path.height < ARROW_EM * em else None


def _small_mark(path: Box, glyphs: Sequence[Glyph], ink: Ink, em: float) -> Shape | None:
    """A hat or an arrow with letters under it."""
    end = path.x1 if path.width < 4 * em else _row_end(path, ink, em)
    below = Box(path.x0, path.y1, end, path.y1 + 0.5 * em)
    if 0.25 * em < end - path.x0 < 8 * em and any(
        g.box.x_overlap(below) > 0.3 * g.box.width and 0 < (g.baseline or g.box.y1) - path.y1 < 1.2 * em for g in glyphs
    ):
        kind: ShapeKind = "hat" if _peaked(Box(path.x0, path.y0, end, path.y1), ink) else "arrow"
        return Shape(kind, Box(path.x0, path.y0, end, path.y1))
    return None


def _root_of_path(path: Box, glyphs: Sequence[Glyph], ink: Ink, em: float) -> Shape | None:
    """A radical: its top row of pixels is a straight stroke that starts right of the sign and runs to the end."""
    y = max(0, int(path.y0))
    band = np.asarray(ink[y : y + max(3, int(0.14 * em))].any(axis=0))
    low, high = int(path.x0), min(ink.shape[1] - 1, int(path.x1) + 2)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], band[low:high].astype(np.int8), [0]]))) + low
    start, x = max(zip(edges[::2], edges[1::2], strict=True), key=lambda run: run[1] - run[0], default=(low, low))
    if x - start < 0.3 * em or start - path.x0 > 2.0 * em or start - path.x0 < 0.15 * em:
        return None
    if _closed(Box(float(start), path.y0, path.x1, path.y1), glyphs, ink):
        return None
    return Shape("radical", Box(path.x0, path.y0, float(x), path.y1), float(start))


def _closed(box: Box, glyphs: Sequence[Glyph], ink: Ink) -> bool:
    """Whether a stroke runs along the right side too: a ring or a frame around a letter, no radical."""
    top, left = max(0, int(box.y0)), max(0, int(box.x0))
    area = ink[top : int(box.y1) + 1, left : int(box.x1) + 1].copy()
    rows, columns = area.shape
    if rows < 4 or columns < 4:
        return False
    for glyph in glyphs:
        if box.grow(2).holds(glyph.box.cx, box.cy) and glyph.box.y_overlap(box) > 0:
            own = ink_estimate(glyph, glyph.box.y1 if glyph.baseline is None else glyph.baseline).grow(1.5)
            area[max(0, int(own.y0) - top) : max(0, int(own.y1) + 1 - top), max(0, int(own.x0) - left) :][
                :, : int(own.width) + 2
            ] = False
    return bool(area[rows // 4 : 3 * rows // 4, -max(3, columns // 8) :].any(axis=1).mean() > 0.6)


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
