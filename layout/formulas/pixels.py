"""Symbols and shapes of formulas read from the page's pixels: the second source of the structure analyser.

Bars, radicals, arrows and tall brackets are found in a sharp mask; the pieces of fractions are cut out and read on
their own, lines are read without them; then each character gets the ink it is made of, its size and its baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from layout.formulas.glyph_reader import glyph_reader
from layout.formulas.pixels_bars import MIN_TOTAL, Fraction, find_fractions
from layout.formulas.pixels_case import shows_no_size
from layout.formulas.pixels_colons import with_colons
from layout.formulas.pixels_cut import Region, clean_crop, crop_of
from layout.formulas.pixels_glyphs import Ink, read_few
from layout.formulas.pixels_ink import sharp_mask, without_specks
from layout.formulas.pixels_levels import Level
from layout.formulas.pixels_lines import Look, refine
from layout.formulas.pixels_lone import small_sign
from layout.formulas.pixels_long import find_long_signs
from layout.formulas.pixels_markup import without_markup
from layout.formulas.pixels_plain import lines_of_words, without_signs_in
from layout.formulas.pixels_rows import fractions_in_rows
from layout.formulas.pixels_scripts import Script, find_scripts, put_scripts
from layout.formulas.pixels_sketch import Sketch, draw_sketch, in_text, regions_of, snapped, text_em
from layout.formulas.pixels_tall import settle_bounds, settle_signs, tall_segments
from layout.formulas.shapes import Shape
from layout.ocr import Image, OcrEngine, Recognised
from layout.scanned import MIN_CONFIDENCE, MIN_STRAY_CONFIDENCE, Straight, segment_from_ocr
from layout.segments import Segment, is_wide
from wholepage.boxes import Box

MIN_SMALL_PIECE = 0.6  # the same for those of a fraction that may as well be an ideograph
MIN_PIECE = 0.4  # confidence below which a piece of a fraction was not read: then it is no fraction
STROKE, SOFT_STROKE = 0.13, 0.2  # em, height of a stroke of a minus or equals sign, and of one that is soft
PAIR_STROKE = 0.17  # em; two level strokes of one width right under one another are nothing else
WHOLE = 0.8  # of a fraction that lies in a part of another one
MIN_SCRIPT = 0.5  # the same for a script that is read again
JOINED = 0.6  # em; an operator stands so close to the fraction before it
SURE_STROKE = 0.6  # confidence of an ideograph above which what lies over it is a stroke of it
PIECE_SIZE, SCRIPT_SIZE = 0.8, 0.7  # usual font size of a fraction's piece and of a script in sizes of the line


@dataclass(frozen=True)
class PixelReading:
    """What was read from a page's pixels, in the frame in which text is level."""

    segments: list[Segment]
    shapes: list[Shape]


def read_pixels(page: Straight, boxes: Sequence[Box], strays: Sequence[Box], engine: OcrEngine) -> PixelReading:
    """Read the lines in `boxes` and the letters in `strays` (page px) with the formulas in them."""
    em = text_em(page, boxes)
    mask, labels = without_specks(sharp_mask(page.gray), em)
    signs = find_long_signs(labels, em)
    bars = [s.box.grow(2.0) for s in signs]

    def kept(found: Sequence[Fraction]) -> list[Fraction]:
        free = [f for f in found if not any(b.holds(f.bar.cx, f.bar.cy) for b in bars)]
        return [f for f in free if in_text(f, [*boxes, *strays], em)]

    fractions = kept(find_fractions(mask, labels, em, page.enlarged))
    sketch = draw_sketch(mask, fractions, em, signs, page.gray)
    if sketch.rows:
        fractions = kept(fractions_in_rows(mask, labels, sketch.rows, fractions, em))
        sketch = draw_sketch(mask, fractions, em, signs, page.gray)
    words = lines_of_words(sketch, boxes, [crop_of(page.image, _padded(b, page)) for b in boxes], engine)
    sketch = without_signs_in(sketch, words)
    fractions = list(sketch.fractions)
    regions = regions_of(sketch, boxes, strays)
    known: dict[bytes, Recognised] = {}
    results = _recognise(page, sketch, regions, engine, known)
    refused = _refused(fractions, regions, results, MIN_TOTAL * em)
    if refused:
        sketch = draw_sketch(mask, [f for n, f in enumerate(fractions) if n not in refused], em, signs, page.gray)
        sketch = without_signs_in(sketch, words)
        regions = regions_of(sketch, boxes, strays)
        results = _recognise(page, sketch, regions, engine, known)
    regions = [_without_marks(sketch, page, r, read) for r, read in zip(regions, results, strict=True)]
    results = _recognise(page, sketch, regions, engine, known)
    segments = _segments(page, sketch, regions, results, engine)
    return PixelReading(segments, _shapes(sketch, segments))


def _cut(region: Region, page: Straight) -> Box:
    return _padded(region.box, page)


def _padded(box: Box, page: Straight) -> Box:
    height, width = page.gray.shape
    return box.grow(0.14 * page.em, 0.10 * page.em).clip(width, height)


def _recognise(
    page: Straight,
    sketch: Sketch,
    regions: Sequence[Region],
    engine: OcrEngine,
    known: dict[bytes, Recognised],
) -> list[Recognised]:
    """Read all regions in one batch; what was read before is taken from `known`, by its pixels."""
    pictures = [_picture(page, sketch, r) for r in regions]
    keys = [repr(p.shape).encode() + p.tobytes() for p in pictures]
    todo = [n for n, key in enumerate(keys) if key not in known]
    for n, result in zip(todo, engine.recognise([pictures[n] for n in todo]), strict=True):
        region, known[keys[n]] = regions[n], without_markup(result)
        if not region.plain and not region.stray and region.parts:
            ink = Ink(sketch.strokes, region.parts)
            known[keys[n]] = read_few(known[keys[n]], ink, _cut(region, page), glyph_reader(), sketch.em)
    return [known[key] for key in keys]


def _picture(page: Straight, sketch: Sketch, region: Region) -> Image:
    cut = _cut(region, page)
    if region.plain:
        return crop_of(page.image, cut)
    return clean_crop(page.image, sketch.mask, sketch.strokes, cut, region.parts)


def _refused(
    fractions: Sequence[Fraction], regions: Sequence[Region], results: Sequence[Recognised], torn: float
) -> set[int]:
    """Numbers of the fractions of which a piece could not be read.

    One less than `torn` px high may be an ideograph cut in two: its pieces are hardly read as letters.
    """
    parts = [part for f in fractions for part in (f.above, f.below)]
    small = {n for n, f in enumerate(fractions) if f.hull.height < torn}
    small -= {n for n in small if any(part.holds(fractions[n].bar.cx, fractions[n].bar.cy) for part in parts)}
    pieces: dict[int, list[bool]] = {}
    for region, result in zip(regions, results, strict=True):
        if region.owner is not None and region.owner >= 0:
            text = result.text.strip()
            # A fraction of one ideograph over another is a torn ideograph.
            least = MIN_SMALL_PIECE if region.owner in small else MIN_PIECE
            good = bool(text) and result.confidence >= least and not (len(text) == 1 and is_wide(text))
            pieces.setdefault(region.owner, []).append(good)
    refused = {n for n, good in pieces.items() if not all(good)}
    whole = [f.hull for n, f in enumerate(fractions) if n not in refused and len(pieces.get(n, ())) == 2]
    for n, fraction in enumerate(fractions):
        inner = [sum(h.covered_by(part) > WHOLE for h in whole) for part in (fraction.above, fraction.below)]
        # A part that is nothing but a fraction has no piece of its own.
        if n not in refused and len(pieces.get(n, ())) + sum(map(bool, inner)) < 2:
            refused.add(n)
    return refused


def _without_marks(sketch: Sketch, page: Straight, region: Region, read: Recognised) -> Region:
    """The region without the hats and lines over its letters, which make the recogniser see other letters.

    `read` is what it saw with them: where it saw an ideograph, the mark is a stroke of that one.
    """
    found = [i for i in region.parts if i in sketch.overlines or i in sketch.hats]
    if not found:
        return region
    cut = _cut(region, page)
    seen = [
        (cut.x0 + (a + b) / 2 * cut.width, char)
        for char, (a, b), sure in zip(read.text, read.spans, read.char_confidence, strict=True)
        if not char.isspace() and (sure >= SURE_STROKE or not is_wide(char))
    ]
    gone = set()
    for index in found:
        box = sketch.strokes.box(index)
        nearest = min(seen, key=lambda pair: abs(pair[0] - box.cx), default=(0.0, ""))
        if not (nearest[1] and is_wide(nearest[1]) and abs(nearest[0] - box.cx) < 0.6 * sketch.em):
            gone.add(index)
    kept = [i for i in region.parts if i not in gone]
    if not gone or not kept:
        return region
    return snapped(replace(region, parts=kept, plain=False), sketch.strokes, sketch.em)


def _segments(
    page: Straight, sketch: Sketch, regions: Sequence[Region], results: Sequence[Recognised], engine: OcrEngine
) -> list[Segment]:
    look = Look(page.gray, sketch.strokes, glyph_reader())
    out: list[Segment] = []
    levels: list[Level] = []
    scripts: list[list[Script]] = []
    pieces: set[int] = set()
    bounds: set[int] = set()
    sizes: dict[int, float] = {}  # of fractions, from the piece that shows it
    for region, read in sorted(zip(regions, results, strict=True), key=lambda pair: shows_no_size(pair[1].text)):
        cut, result = _cut(region, page), read
        sign = _sign_of(sketch, region, page.enlarged) or small_sign(sketch, region)
        if sign:
            result = Recognised(sign, 0.9, ((0.2, 0.8),), (0.9,))
        segment = segment_from_ocr(result, cut, region.box)
        floor = MIN_STRAY_CONFIDENCE if region.stray and not _joins(sketch, region.box) else MIN_CONFIDENCE
        if segment is None or segment.confidence < floor:
            continue
        hint = None if region.owner is None else sizes.get(region.owner, PIECE_SIZE * sketch.em)
        if region.owner is None and len(read.text.strip()) == 1:
            hint = _size_around(region.box, out, levels, sketch.em)
        boxes = sketch.strokes.boxes
        # A line over a letter is no part of it; over an ideograph it is one, and the letters beside it do not mind.
        letters = [i for i in region.parts if i not in sketch.overlines and i not in sketch.hats]
        segment, main = refine(
            segment, result, cut, letters, look, sketch.em, hint=hint, foot=region.foot, holes=not region.plain
        )
        segment = replace(segment, glyphs=tuple(with_colons(segment.glyphs, boxes[letters], main)))
        scripts.extend(find_scripts(len(out), segment, region.parts, boxes, main))
        out.append(segment)
        levels.append(main)
        if region.owner is not None:
            (pieces if region.owner >= 0 else bounds).add(len(out) - 1)
        if region.owner is not None:
            sizes.setdefault(region.owner, main.size)
    _read_scripts(page, sketch, engine, look, scripts, out, levels)
    signs = [(sketch.strokes.box(index), char) for index, char in (*sketch.fences, *sketch.operators)]
    signs += [(s.box, s.char) for s in sketch.long_signs]
    out = settle_bounds(out, levels, bounds, sketch.em)
    out, levels = settle_signs(signs, out, levels, sketch.em, pieces)
    return tall_segments(signs, out, levels, sketch.em, pieces)


def _joins(sketch: Sketch, box: Box) -> bool:
    """Whether a letter or sign stands in the line of a fraction or a tall bracket, right beside it."""
    fences = [sketch.strokes.box(i) for i, _ in sketch.fences]
    parts = [(f.hull, f.bar.cy) for f in sketch.fractions] + [(b, b.cy) for b in fences]
    near = [y for hull, y in parts if max(box.x0 - hull.x1, hull.x0 - box.x1) <= JOINED * sketch.em]
    return any(abs(box.cy - y) <= 0.25 * sketch.em for y in near)


def _sign_of(sketch: Sketch, region: Region, soft: bool = False) -> str:
    """The minus or equals sign that a region with one or two level strokes alone is: there is nothing to read.

    On `soft` pages, which were enlarged, strokes are thick, and those of an equals sign may be one.
    """
    em, boxes = sketch.em, [sketch.strokes.box(i) for i in region.parts]
    high = SOFT_STROKE if soft else STROKE
    if len(boxes) == 1 and region.beside and soft and high * em < boxes[0].height <= 0.42 * em:
        return "=" if 1.2 * boxes[0].height <= boxes[0].width <= 1.1 * em else ""
    most = max(high, PAIR_STROKE) if len(boxes) == 2 else high
    if not all(b.height <= most * em and 0.4 * b.width > STROKE * em for b in boxes):
        return ""
    if len(boxes) == 1 and region.beside:
        return "−"
    if len(boxes) != 2 or region.box.width > em or region.box.height > (0.6 if soft else 0.5) * em:
        return ""
    off = max(abs(boxes[0].x0 - boxes[1].x0), abs(boxes[0].x1 - boxes[1].x1))
    return "=" if off <= (0.14 if soft else 0.1) * em else ""


def _size_around(box: Box, lines: Sequence[Segment], levels: Sequence[Level], em: float) -> float | None:
    """Median font size of what was read near a lone letter, px; None when there is nothing."""
    near = box.grow(6 * em, 2 * em)
    sizes = [v.size for s, v in zip(lines, levels, strict=True) if s.box.overlap(near) > 0 and v.size > 0.75 * em]
    return median(sizes) if sizes else None


def _read_scripts(
    page: Straight,
    sketch: Sketch,
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
                hint = SCRIPT_SIZE * levels[line].size
                read.append(refine(segment, result, cut, area.parts, look, sketch.em, hint=hint)[0])
        if len(read) == len(areas):
            box = Box.hull(a.box for a in areas)
            lines[line] = put_scripts(lines[line], box, levels[line], read)


def _shapes(sketch: Sketch, segments: Sequence[Segment]) -> list[Shape]:
    bars = [Shape("bar", f.bar) for f in sketch.fractions]
    wide = [g.box for s in segments for g in s.glyphs if is_wide(g.text)]
    over = [sketch.strokes.box(i) for i in sketch.arrows]
    # Strokes of an ideograph may look like an arrow or a radical.
    drawn = [r for r in sketch.radicals if not any(r.box.covered_by(w) > 0.7 for w in wide)]
    roots = [Shape("radical", r.box, r.content_x) for r in drawn]
    arrows = [Shape("arrow", b) for b in over if not any(b.covered_by(w) > 0.5 for w in wide)]
    latin = [g.box for s in segments for g in s.glyphs if g.text.isalnum() and not is_wide(g.text)]
    for kind, found in (("bar", sketch.overlines), ("hat", sketch.hats)):
        for box in (sketch.strokes.box(i) for i in found):
            # Right below it stands a letter that was read as one.
            near = [b for b in latin if -3 <= b.y0 - box.y1 <= 0.3 * sketch.em]
            if any(b.x_overlap(box) > 0.5 * min(b.width, box.width) for b in near):
                bars.append(Shape(kind, box))  # type: ignore[arg-type]
    return [*bars, *roots, *arrows]
