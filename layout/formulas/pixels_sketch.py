"""What is drawn on a page besides letters, found before anything is read, and the regions to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_bars import Fraction
from layout.formulas.pixels_cut import Region
from layout.formulas.pixels_ink import Mask, Strokes, find_strokes
from layout.formulas.pixels_long import LongSign, conditions_of
from layout.formulas.pixels_marks import bounds_of, find_hats, find_operators, find_orphans, find_overlines, limits_of
from layout.formulas.pixels_rows import Rows, cuts_between, find_rows, part_rows, part_tails
from layout.formulas.pixels_shapes import Radical, find_arrows, find_fences, find_radicals, index_of, release_radicands
from layout.scanned import Straight
from wholepage.boxes import Box

LATIN_SHARE = 0.48  # of tall components as wide as high, below which a page has no ideographs
MANY, MANY_OF_FEW, FEW_WIDE = 20, 4, 0.4  # tall components that tell, and share of few that are wide
LATIN_HEIGHT = 1.12  # font size in heights of a line of Latin letters, with a margin
CAPITAL = 0.74  # height of a Latin capital with its blur in font sizes; ink.estimate_em takes tall letters for 0.8
LINE_HEIGHT = 1.03  # height of a line's ink in font sizes
FEW = 0.83  # of `page.em`: font size where few lines tell it
TWO_ROWS, LEAST_ROW = 1.45, 0.4  # em: height of a box that may hold two rows, and of a letter in each of them
NAME = 2  # components, at least, of a name with something under it: two letters of lim may touch, an ideograph is none
MISSED, BESIDE_LINE = 2.0, 0.6  # em; width of a fraction that is not detected, and its gap to the line that it is in
FRAME = 2.0  # em; what reaches this much further than a box both ways is a frame around it
LARGE_TYPE = 0.85  # of a fraction's height: where ideographs around are as high, it is one of them


@dataclass(frozen=True)
class Sketch:
    """Everything drawn that matters to formulas, found before anything is read."""

    mask: Mask
    strokes: Strokes
    fractions: tuple[Fraction, ...]
    radicals: tuple[Radical, ...]
    arrows: tuple[int, ...]
    fences: tuple[tuple[int, str], ...]
    operators: tuple[tuple[int, str], ...]
    overlines: tuple[int, ...]
    hats: tuple[int, ...]
    rows: tuple[Rows, ...]
    long_signs: tuple[LongSign, ...]
    em: float

    @property
    def long_parts(self) -> list[int]:
        """Components that the long signs are made of."""
        return [int(i) for sign in self.long_signs for i in self.strokes.inside(sign.box.grow(1.0))]


def text_em(page: Straight, boxes: Sequence[Box]) -> float:
    """Font size of the page's text, px.

    Lines of ideographs are as high as the type; where most tall components are narrow the page is set in Latin
    letters, and `page.em`, which takes them for ideographs, is too small.
    """
    widths, heights = page.ink.stats[:, 2], page.ink.stats[:, 3]
    tall = (heights > 0.64 * page.em) & (heights < 0.96 * page.em)
    wide = float((widths[tall] > 0.8 * heights[tall]).mean()) if tall.any() else 1.0
    lines = [b.height for b in boxes if b.width > 6 * b.height]
    if wide < (LATIN_SHARE if tall.sum() >= MANY else FEW_WIDE) and tall.sum() >= MANY_OF_FEW:
        size = page.em * 0.8 / CAPITAL
        # A page with some ideographs was measured by those.
        return min(size, LATIN_HEIGHT * median(lines)) if len(lines) >= 3 else size
    if len(lines) < 3:
        lines = [b.height for b in boxes if b.width > 2.5 * b.height]
        return min(max(median(lines) / LINE_HEIGHT, FEW * page.em), page.em) if lines else page.em
    # Lines with formulas are higher than the type: the lower ones tell its size.
    return float(np.percentile(lines, 30)) / LINE_HEIGHT


def in_text(fraction: Fraction, boxes: Sequence[Box], em: float) -> bool:
    """Whether text was detected at a fraction's place, in lines that are not set in type as large as it is.

    A small fraction in the middle of a sentence may be missed: then the line ends right before it, or begins behind it.
    """
    hull, bar = fraction.hull, fraction.bar
    near = [b for b in boxes if b.overlap(hull) > 0]
    if not near and hull.width <= MISSED * em and hull.height >= hull.width:
        beside = [b for b in boxes if max(b.x0 - hull.x1, hull.x0 - b.x1) <= BESIDE_LINE * em]
        return any(b.width > 2 * b.height and abs(b.cy - bar.cy) <= 0.25 * em and b.height < 1.3 * em for b in beside)
    if not any(hull.holds(b.cx, b.cy) for b in near) and sum(b.overlap(hull) for b in near) < 0.3 * hull.area:
        return False
    return not any(
        b.height >= LARGE_TYPE * hull.height
        and b.height > 1.3 * em
        and b.width > 5 * b.height
        and hull.height < 1.05 * b.height
        and b.height > 1.9 * em
        for b in near
    )


def draw_sketch(
    mask: Mask,
    fractions: Sequence[Fraction],
    em: float,
    signs: Sequence[LongSign] = (),
    gray: NDArray[np.uint8] | None = None,
) -> Sketch:
    """Everything drawn that matters to formulas; `mask` is the sharp mask, `em` the font size in page px.

    `signs` are the long signs in it, `gray` the page that it was made of.
    """
    bars = [f.bar.grow(1.0, 0.5) for f in fractions]  # with their ragged edges
    strokes = find_strokes(mask, bars, em)
    cuts = cuts_between(strokes, find_rows(strokes, em, mask), em)
    if cuts:
        strokes = find_strokes(mask, [*bars, *cuts], em)
    radicals = find_radicals(strokes, em)
    if radicals:
        strokes = release_radicands(strokes, radicals)
    operators = find_operators(strokes, em)
    hats = find_hats(strokes, em)
    arrows = find_arrows(strokes, em, gray, hats)
    return Sketch(
        mask,
        strokes,
        tuple(fractions),
        tuple(radicals),
        tuple(arrows),
        tuple(f for f in find_fences(strokes, em) if f[0] not in {i for i, _ in operators}),
        tuple(operators),
        tuple(i for i in find_overlines(strokes, em) if i not in arrows),
        tuple(i for i in hats if i not in arrows),
        tuple(find_rows(strokes, em, mask)),
        tuple(signs),
        em,
    )


def regions_of(sketch: Sketch, boxes: Sequence[Box], strays: Sequence[Box]) -> list[Region]:
    """Pieces of fractions and lines, each with the components that it owns."""
    strokes, em = sketch.strokes, sketch.em
    pieces: list[Region] = []
    for n, f in enumerate(sketch.fractions):
        pieces += [Region(f.above, plain=False, owner=n, foot=f.bar.y0), Region(f.below, plain=False, owner=n)]
    lines = [Region(b) for b in boxes] + [Region(b, stray=True) for b in strays]
    drawn = {r.index for r in sketch.radicals} | set(sketch.arrows)
    drawn |= {i for i, _ in (*sketch.fences, *sketch.operators)} | set(sketch.long_parts)
    owner = _owners(strokes, [p.box.grow(1.0) for p in pieces], em)
    in_piece = owner >= 0
    line_owner = _owners(strokes, [r.box.grow(0.0, 0.1 * em) for r in lines], em)
    for index in range(len(strokes.boxes)):
        if in_piece[index]:
            if index not in drawn:
                pieces[owner[index]].parts.append(index)
            if line_owner[index] >= 0:
                lines[line_owner[index]].plain = False
        elif line_owner[index] >= 0:
            line = lines[line_owner[index]]
            if index in drawn:
                line.plain = False
            else:
                line.parts.append(index)
    _mark_cut(lines, [strokes.box(i) for i in drawn] + [f.bar for f in sketch.fractions])
    loose = [i for i in range(len(strokes.boxes)) if not in_piece[i] and line_owner[i] < 0 and i not in drawn]
    lines = part_tails(strokes, lines, [strokes.box(i) for i, char in sketch.fences if char == "{"], em)
    lines = part_rows(strokes, sketch.rows, lines, loose, em)
    rows = {i for line in lines for i in line.parts}
    extra = _extra(sketch, lines, [i for i in loose if i not in rows])
    apart = {i for region in extra for i in region.parts}  # an index or a bound is read once
    for piece in pieces:
        piece.parts = [i for i in piece.parts if i not in apart]
    lines = [row for r in lines if r.plain or r.parts for row in _rows(r, strokes, em)]
    lines = [part for r in lines for part in _without_bound(r, strokes, em)]
    kept = [snapped(r, strokes, em) for r in lines]
    return kept + [snapped(p, strokes, em) for p in [*pieces, *extra] if p.parts]


def _mark_cut(lines: Sequence[Region], drawn: Sequence[Box]) -> None:
    """What is drawn and reaches into a line, from outside too, is painted out of it."""
    for line in lines:
        line.plain &= not any(line.box.overlap(box) > 0 for box in drawn)


def _extra(sketch: Sketch, lines: Sequence[Region], loose: Sequence[int]) -> list[Region]:
    """Regions of their own for limits of large operators and for what stands beside formulas without a box."""
    strokes, em = sketch.strokes, sketch.em
    out: list[Region] = []
    taken: set[int] = set()
    pieces = [box for f in sketch.fractions for box in (f.above, f.below)]
    for index, char in sketch.operators:
        for parts in limits_of(strokes, index, em) if char != "∫" else bounds_of(strokes, index, pieces, em):
            out.append(Region(Box.hull(strokes.box(i) for i in parts), parts, plain=False, owner=-1 - index))
            taken.update(parts)
    for number, sign in enumerate(sketch.long_signs):
        for parts in conditions_of(strokes, sign.box, em):
            out.append(
                Region(
                    Box.hull(strokes.box(i) for i in parts), parts, plain=False, owner=-1 - len(strokes.boxes) - number
                )
            )
            taken.update(parts)
    for radical in sketch.radicals:
        if index_parts := [i for i in index_of(strokes, radical, em) if i not in taken]:
            out.append(Region(Box.hull(strokes.box(i) for i in index_parts), index_parts, plain=False))
            taken.update(index_parts)
    for line in lines:
        if taken.intersection(line.parts):
            line.parts = [i for i in line.parts if i not in taken]
            line.plain = False
    around = [f.hull for f in sketch.fractions] + [strokes.box(i) for i, _ in (*sketch.fences, *sketch.operators)]
    for parts in find_orphans(strokes, [i for i in loose if i not in taken], around, em):
        out.append(Region(Box.hull(strokes.box(i) for i in parts), parts, plain=False, beside=True))
    return out


def _rows(region: Region, strokes: Strokes, em: float) -> list[Region]:
    """The region, or one for each row where it holds letters above one another, as a column of a matrix does."""
    if region.box.height < TWO_ROWS * em:
        return [region]
    b = strokes.boxes
    rows: list[list[int]] = []
    foot = -1e9
    for index in sorted(region.parts, key=lambda i: float(b[i][1])):
        if b[index][1] >= foot:
            rows.append([])
        rows[-1].append(index)
        foot = max(foot, b[index][3])
    if len(rows) < 2 or any(max(b[i][3] - b[i][1] for i in row) < LEAST_ROW * em for row in rows):
        return [region]
    hulls = [Box.hull(strokes.box(i) for i in row) for row in rows]
    return [replace(region, box=box, parts=row, plain=False) for box, row in zip(hulls, rows, strict=True)]


def _without_bound(region: Region, strokes: Strokes, em: float) -> list[Region]:
    """The region, and apart from it the small print right below some of its letters: what stands under a lim."""
    b = strokes.boxes
    letters = [i for i in region.parts if b[i][3] - b[i][1] >= LEAST_ROW * em]
    if region.box.height < 1.1 * em or len(letters) < 3:
        return [region]
    base = median(float(b[i][3]) for i in letters)
    low = [i for i in region.parts if b[i][1] >= base - 0.06 * em and b[i][3] - b[i][1] <= 0.6 * em]
    if len(low) < 3:
        return [region]
    hull = Box.hull(strokes.box(i) for i in low)
    over = [
        i for i in letters if b[i][3] <= base + 0.1 * em and strokes.box(i).x_overlap(hull) > 0.5 * (b[i][2] - b[i][0])
    ]
    gaps = sorted((float(b[i][0]), float(b[i][2])) for i in low)
    apart = any(right[0] - left[1] > 0.3 * em for left, right in pairwise(gaps))
    if (
        apart
        or len(over) < NAME
        or Box.hull(strokes.box(i) for i in over).width < 0.6 * hull.width
        or hull.width > 4 * em
    ):
        return [region]
    kept = [i for i in region.parts if i not in low]
    return [replace(region, parts=kept, plain=False), Region(hull, low, plain=False)]


def _owners(strokes: Strokes, boxes: Sequence[Box], em: float) -> NDArray[np.intp]:
    """For each component the smallest of `boxes` that holds its centre, -1 for none.

    A table's frame has its centre in some box, too, and is no part of what stands there.
    """
    b = strokes.boxes
    owner: NDArray[np.intp] = np.full(len(b), -1)
    for n in sorted(range(len(boxes)), key=lambda k: -boxes[k].area):
        inside, box = strokes.inside(boxes[n]), boxes[n]
        frame = (b[inside, 2] - b[inside, 0] > box.width + FRAME * em) & (
            b[inside, 3] - b[inside, 1] > box.height + FRAME * em
        )
        owner[inside[~frame]] = n
    return owner


def snapped(region: Region, strokes: Strokes, em: float) -> Region:
    """A region from which something was cut, shrunk to what is left in it."""
    if region.plain or not region.parts:
        return region
    own = strokes.boxes[region.parts]
    hull = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
    if region.owner is None:
        hull = hull.intersection(region.box.grow(0.3 * em, 0.15 * em)) or region.box
    return replace(region, box=hull)
