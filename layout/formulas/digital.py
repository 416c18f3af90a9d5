"""Drawn parts of formulas on a born-digital page: from the PDF's drawings, their true extent from the page image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.formulas.shapes import Shape, ShapeKind
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

MAX_BAR_EM = 40.0
MIN_ROOT_EM, MAX_ROOT_EM = 0.45, 7.0
ARROW_EM = 0.5  # lower drawings are arrows, hats or braces
# Accents that fonts hold as characters of their own.
ACCENTS: dict[str, ShapeKind] = {
    "\u20d7": "arrow",
    "\u0302": "hat",
    "^": "hat",
    "\u02c6": "hat",
    "\u0304": "bar",
    "\u0305": "bar",
    "\u02c9": "bar",
    "\u00af": "bar",
    "\u203e": "bar",
    "\u0307": "dot",
    "\u02d9": "dot",
    "\u0303": "tilde",
    "\u02dc": "tilde",
}
Mask = NDArray[np.uint8]
Ink = NDArray[np.bool_]


def digital_shapes(text: TextLayer, mask: Mask, em: float, comps: NDArray[np.float64]) -> list[Shape]:
    """Bars, radical signs, arrows and accents of a page.

    Args:
        text: the page's text layer.
        mask: H×W, 255 where the page image has ink.
        em: the page's font size in px.
        comps: N×4, boxes of the ink's connected components.
    """
    ink: Ink = mask > 0
    bars = _free_bars(text.rules, em)
    shapes: list[Shape] = []
    roots = [r for b in bars if (r := _root_at(b, bars, comps, em)) is not None]
    used = {id(bar) for _, bar in roots}
    shapes.extend(shape for shape, _ in roots)
    for index, glyph in enumerate(text.glyphs):
        if glyph.text == "√" and not any(s.box.holds(glyph.box.cx, s.box.cy) for s in shapes):
            found = _root_of_glyph(glyph, [b for b in bars if id(b) not in used], ink)
            if found is not None:
                shapes.append(found[0])
                used.add(id(found[1]))
        elif glyph.text in ACCENTS:
            accent = _accent(glyph, text.glyphs[index - 1] if index else glyph, comps)
            if accent is not None:
                shapes.append(accent)
    shapes.extend(Shape("bar", b) for b in bars if id(b) not in used)
    shapes.extend(s for p in text.paths if (s := _path_shape(p, text.glyphs, ink, em)) is not None)
    return shapes


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


def _accent(glyph: Glyph, before: Glyph, comps: NDArray[np.float64]) -> Shape | None:
    """An accent that is a character of its own: where its ink really is, a text layer does not say.

    A combining mark comes behind the letter that it stands on.
    """
    size, base = glyph.size, glyph.box.y1 if glyph.baseline is None else glyph.baseline
    letter = before.box if glyph.box.width < 0.05 * size else glyph.box
    near = (comps[:, 3] < base - 0.3 * size) & (comps[:, 1] > base - 1.25 * size)
    near &= (comps[:, 3] - comps[:, 1] < 0.35 * size) & (comps[:, 2] > letter.x0 + 0.2 * letter.width)
    near &= comps[:, 0] < letter.x1 + 0.1 * size
    if not near.any():
        return None
    own = comps[near]
    off = np.abs((own[:, 0] + own[:, 2]) / 2 - letter.cx) - (own[:, 2] - own[:, 0]) / 2
    return Shape(ACCENTS[glyph.text], Box.of(own[np.argmin(off)]))


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
