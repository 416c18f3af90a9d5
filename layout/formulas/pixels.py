"""Symbols and shapes of formulas read from the page's pixels: the second source of the structure analyser.

Bars, radicals, arrows and tall brackets are found in a sharp mask; the pieces of fractions are cut out and read on
their own, lines are read without them; then each character gets the ink it is made of, its size and its baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_bars import Fraction, find_fractions
from layout.formulas.pixels_cut import Region, clean_crop, crop_of
from layout.formulas.pixels_ink import Mask, Strokes, find_strokes, sharp_mask, without_specks
from layout.formulas.pixels_lines import Look, refine
from layout.formulas.pixels_marks import find_hats, find_operators, find_orphans, find_overlines, limits_of
from layout.formulas.pixels_metrics import AXIS
from layout.formulas.pixels_scripts import Script, find_scripts, put_scripts
from layout.formulas.pixels_shapes import Radical, find_arrows, find_fences, find_radicals, release_radicands
from layout.formulas.pixels_size import SAME_CASE, UPPER, Level
from layout.formulas.shapes import Shape
from layout.ocr import Image, OcrEngine, Recognised
from layout.scanned import MIN_CONFIDENCE, MIN_STRAY_CONFIDENCE, Straight, segment_from_ocr
from layout.segments import Segment, is_wide
from layout.types import Glyph
from wholepage.boxes import Box

MIN_PIECE = 0.4  # confidence below which a piece of a fraction was not read: then it is no fraction
MIN_SCRIPT = 0.5  # the same for a script that is read again
PIECE_SIZE, SCRIPT_SIZE = 0.8, 0.7  # usual font size of a fraction's piece and of a script in sizes of the line
LATIN_SHARE = 0.35  # of tall components as wide as high, below which a page has no ideographs
ASCENDER = 0.69  # height of a Latin ascender in font sizes; ink.estimate_em takes tall letters for 0.8
LINE_HEIGHT = 1.03  # height of a line's ink in font sizes
LARGE_TYPE = 0.85  # of a fraction's height: where ideographs around are as high, it is one of them


@dataclass(frozen=True)
class PixelReading:
    """What was read from a page's pixels, in the frame in which text is level."""

    segments: list[Segment]
    shapes: list[Shape]


@dataclass(frozen=True)
class _Sketch:
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
    em: float


def read_pixels(page: Straight, boxes: Sequence[Box], strays: Sequence[Box], engine: OcrEngine) -> PixelReading:
    """Read the lines in `boxes` and the letters in `strays` (page px) with the formulas in them."""
    em = _text_em(page, boxes)
    mask, labels = without_specks(sharp_mask(page.gray), em)
    fractions = [f for f in find_fractions(mask, labels, em) if _in_text(f, [*boxes, *strays], em)]
    sketch = _sketch(mask, fractions, em)
    regions = _regions(sketch, boxes, strays)
    results = _recognise(page, sketch, regions, engine)
    refused = _refused(regions, results)
    if refused:
        read = {_key(r): result for r, result in zip(regions, results, strict=True) if r.plain}
        sketch = _sketch(mask, [f for n, f in enumerate(fractions) if n not in refused], em)
        regions = _regions(sketch, boxes, strays)
        results = _recognise(page, sketch, regions, engine, read)
    segments = _segments(page, sketch, regions, results, engine)
    return PixelReading(segments, _shapes(sketch, segments))


def _text_em(page: Straight, boxes: Sequence[Box]) -> float:
    """Font size of the page's text, px.

    Lines of ideographs are as high as the type; where most tall components are narrow the page is set in Latin
    letters, and `page.em`, which takes them for ideographs, is too small.
    """
    widths, heights = page.ink.stats[:, 2], page.ink.stats[:, 3]
    tall = (heights > 0.64 * page.em) & (heights < 0.96 * page.em)
    if tall.sum() >= 20 and float((widths[tall] > 0.8 * heights[tall]).mean()) < LATIN_SHARE:
        return page.em * 0.8 / ASCENDER
    lines = [b.height for b in boxes if b.width > 6 * b.height]
    if len(lines) < 3:
        lines = [b.height for b in boxes if b.width > 1.5 * b.height]
    if len(lines) < 3:
        return min(page.em, median(lines or [page.em]))
    # Lines with formulas are higher than the type: the lower ones tell its size.
    return float(np.percentile(lines, 30)) / LINE_HEIGHT


def _in_text(fraction: Fraction, boxes: Sequence[Box], em: float) -> bool:
    """Whether text was detected at a fraction's place, in lines that are not set in type as large as it is."""
    hull = fraction.hull
    near = [b for b in boxes if b.overlap(hull) > 0]
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


def _sketch(mask: Mask, fractions: Sequence[Fraction], em: float) -> _Sketch:
    strokes = find_strokes(mask, [f.bar.grow(1.0, 0.5) for f in fractions], em)  # with the bars' ragged edges
    radicals = find_radicals(strokes, em)
    if radicals:
        strokes = release_radicands(strokes, radicals)
    operators = find_operators(strokes, em)
    arrows = find_arrows(strokes, em)
    return _Sketch(
        mask,
        strokes,
        tuple(fractions),
        tuple(radicals),
        tuple(arrows),
        tuple(f for f in find_fences(strokes, em) if f[0] not in {i for i, _ in operators}),
        tuple(operators),
        tuple(find_overlines(strokes, em)),
        tuple(i for i in find_hats(strokes, em) if i not in arrows),
        em,
    )


def _regions(sketch: _Sketch, boxes: Sequence[Box], strays: Sequence[Box]) -> list[Region]:
    """Pieces of fractions and lines, each with the components that it owns."""
    strokes, em = sketch.strokes, sketch.em
    pieces = [Region(box, plain=False, owner=n) for n, f in enumerate(sketch.fractions) for box in (f.above, f.below)]
    lines = [Region(b) for b in boxes] + [Region(b, stray=True) for b in strays]
    drawn = {r.index for r in sketch.radicals} | set(sketch.arrows)
    drawn |= {i for i, _ in (*sketch.fences, *sketch.operators)}
    owner = _owners(strokes, [p.box.grow(1.0) for p in pieces], np.full(len(strokes.boxes), -1))
    in_piece = owner >= 0
    line_owner = _owners(strokes, [r.box.grow(0.0, 0.1 * em) for r in lines], np.full(len(strokes.boxes), -1))
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
    loose = [i for i in range(len(strokes.boxes)) if not in_piece[i] and line_owner[i] < 0 and i not in drawn]
    extra = _extra(sketch, lines, loose)
    kept = [_snapped(r, strokes, em) for r in lines if r.plain or r.parts]
    return kept + [_snapped(p, strokes, em) for p in [*pieces, *extra] if p.parts]


def _extra(sketch: _Sketch, lines: Sequence[Region], loose: Sequence[int]) -> list[Region]:
    """Regions of their own for limits of large operators and for what stands beside formulas without a box."""
    strokes, em = sketch.strokes, sketch.em
    out: list[Region] = []
    taken: set[int] = set()
    for index, char in sketch.operators:
        for parts in limits_of(strokes, index, em) if char != "∫" else []:
            out.append(Region(Box.hull(strokes.box(i) for i in parts), parts, plain=False, owner=-1 - index))
            taken.update(parts)
    for line in lines:
        if taken.intersection(line.parts):
            line.parts = [i for i in line.parts if i not in taken]
            line.plain = False
    around = [f.hull for f in sketch.fractions] + [strokes.box(i) for i, _ in (*sketch.fences, *sketch.operators)]
    for parts in find_orphans(strokes, [i for i in loose if i not in taken], around, em):
        out.append(Region(Box.hull(strokes.box(i) for i in parts), parts, plain=False, beside=True))
    return out


def _owners(strokes: Strokes, boxes: Sequence[Box], owner: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each component the smallest of `boxes` that holds its centre, -1 for none."""
    for n in sorted(range(len(boxes)), key=lambda k: -boxes[k].area):
        owner[strokes.inside(boxes[n])] = n
    return owner


def _snapped(region: Region, strokes: Strokes, em: float) -> Region:
    """A region from which something was cut, shrunk to what is left in it."""
    if region.plain or not region.parts:
        return region
    own = strokes.boxes[region.parts]
    hull = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
    if region.owner is None:
        hull = hull.intersection(region.box.grow(0.3 * em, 0.15 * em)) or region.box
    return replace(region, box=hull)


def _key(region: Region) -> tuple[float, ...]:
    return tuple(region.box.as_list())


def _cut(region: Region, page: Straight) -> Box:
    height, width = page.gray.shape
    return region.box.grow(0.14 * page.em, 0.10 * page.em).clip(width, height)


def _recognise(
    page: Straight,
    sketch: _Sketch,
    regions: Sequence[Region],
    engine: OcrEngine,
    known: dict[tuple[float, ...], Recognised] | None = None,
) -> list[Recognised]:
    """Read all regions in one batch; `known` are those read before, by their boxes."""
    known = known or {}
    out: list[Recognised | None] = [known.get(_key(r)) if r.plain else None for r in regions]
    todo = [n for n, result in enumerate(out) if result is None]
    for n, result in zip(todo, engine.recognise([_picture(page, sketch, regions[n]) for n in todo]), strict=True):
        out[n] = result
    return [r for r in out if r is not None]


def _picture(page: Straight, sketch: _Sketch, region: Region) -> Image:
    cut = _cut(region, page)
    if region.plain:
        return crop_of(page.image, cut)
    return clean_crop(page.image, sketch.mask, sketch.strokes, cut, region.parts)


def _refused(regions: Sequence[Region], results: Sequence[Recognised]) -> set[int]:
    """Numbers of the fractions of which a piece could not be read."""
    pieces: dict[int, list[bool]] = {}
    for region, result in zip(regions, results, strict=True):
        if region.owner is not None and region.owner >= 0:
            text = result.text.strip()
            # A fraction of one ideograph over another is a torn ideograph.
            good = bool(text) and result.confidence >= MIN_PIECE and not (len(text) == 1 and is_wide(text))
            pieces.setdefault(region.owner, []).append(good)
    return {n for n, good in pieces.items() if not all(good) or len(good) < 2}


def _segments(
    page: Straight, sketch: _Sketch, regions: Sequence[Region], results: Sequence[Recognised], engine: OcrEngine
) -> list[Segment]:
    look = Look(page.gray, sketch.strokes.mask)
    out: list[Segment] = []
    levels: list[Level] = []
    scripts: list[list[Script]] = []
    sizes: dict[int, float] = {}  # of fractions, from the piece that shows it
    for region, read in sorted(zip(regions, results, strict=True), key=lambda pair: _shows_no_size(pair[1].text)):
        cut, result = _cut(region, page), read
        if region.beside and len(region.parts) == 1 and region.box.height <= 0.13 * sketch.em < 0.4 * region.box.width:
            result = Recognised("−", 0.9, ((0.2, 0.8),), (0.9,))  # nothing to read: a lone stroke on the axis
        segment = segment_from_ocr(result, cut, region.box)
        floor = MIN_STRAY_CONFIDENCE if region.stray else MIN_CONFIDENCE
        if segment is None or segment.confidence < floor:
            continue
        hint = None if region.owner is None else sizes.get(region.owner, PIECE_SIZE * sketch.em)
        boxes = sketch.strokes.boxes
        # A line over a letter is no part of it; over an ideograph it is one, and the letters beside it do not mind.
        letters = [i for i in region.parts if i not in sketch.overlines and i not in sketch.hats]
        segment, main = refine(segment, result, cut, boxes[letters], look, sketch.em, hint, region.foot)
        scripts.extend(find_scripts(len(out), segment, region.parts, boxes, main))
        out.append(segment)
        levels.append(main)
        if region.owner is not None:
            sizes.setdefault(region.owner, main.size)
    _read_scripts(page, sketch, engine, look, scripts, out, levels)
    for index, char in (*sketch.fences, *sketch.operators):
        box = sketch.strokes.box(index)
        glyph = Glyph(char, box, sketch.em, "", 0.9, box.cy + AXIS * sketch.em)
        out.append(Segment((glyph,), box, sketch.em, 0.9, "ocr"))
    return out


def _shows_no_size(text: str) -> bool:
    """Whether the letters of a piece look alike in both cases, so that their height does not tell the font's size."""
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and all(c in SAME_CASE or c in UPPER for c in letters)


def _read_scripts(
    page: Straight,
    sketch: _Sketch,
    engine: OcrEngine,
    look: Look,
    groups: Sequence[Sequence[Script]],
    lines: list[Segment],
    levels: Sequence[Level],
) -> None:
    """Read the scripts of `groups` on their own and put them into their lines where that is more certain."""
    if not groups:
        return
    regions = [[Region(s.box, list(s.parts), plain=False) for s in group] for group in groups]
    flat = [r for group in regions for r in group]
    results = iter(engine.recognise([_picture(page, sketch, r) for r in flat]))
    for group, areas in zip(groups, regions, strict=True):
        line, read = group[0].line, []
        for area in areas:
            result, cut = next(results), _cut(area, page)
            segment = segment_from_ocr(result, cut, area.box)
            if segment is not None and segment.confidence >= MIN_SCRIPT:
                parts = sketch.strokes.boxes[area.parts]
                hint = SCRIPT_SIZE * levels[line].size
                read.append(refine(segment, result, cut, parts, look, sketch.em, hint)[0])
        if len(read) == len(areas):
            box = Box.hull(a.box for a in areas)
            lines[line] = put_scripts(lines[line], box, levels[line], read)


def _shapes(sketch: _Sketch, segments: Sequence[Segment]) -> list[Shape]:
    bars = [Shape("bar", f.bar) for f in sketch.fractions]
    roots = [Shape("radical", r.box, r.content_x) for r in sketch.radicals]
    wide = [g.box for s in segments for g in s.glyphs if is_wide(g.text)]
    over = [sketch.strokes.box(i) for i in sketch.arrows]
    # A stroke of an ideograph may look like an arrow.
    arrows = [Shape("arrow", b) for b in over if not any(b.covered_by(w) > 0.5 for w in wide)]
    latin = [g.box for s in segments for g in s.glyphs if g.text.isalnum() and not is_wide(g.text)]
    for kind, found in (("bar", sketch.overlines), ("hat", sketch.hats)):
        for box in (sketch.strokes.box(i) for i in found):
            # Right below it stands a letter that was read as one.
            if any(b.x_overlap(box) > 0.5 * b.width and -3 <= b.y0 - box.y1 <= 0.3 * sketch.em for b in latin):
                bars.append(Shape(kind, box))  # type: ignore[arg-type]
    return [*bars, *roots, *arrows]
