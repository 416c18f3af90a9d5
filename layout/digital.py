"""Segments from a trusted text layer: glyphs on one baseline without a wide gap."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from layout.formulas.atoms import FormulaGlyph
from layout.segments import Segment, is_wide, segment_of
from layout.types import Glyph
from wholepage.boxes import Box

GAP_EM = 0.9  # a gap wider than this ends a segment
SPACE_EM = 0.22  # a gap wider than this between Latin glyphs is a space
BASELINE_EM = 0.12  # glyphs further apart vertically are not on one baseline
LOWEST, HIGHEST = -0.5, 0.85  # of a script's lower edge against its line's, in the line's font sizes
SCRIPT_RATIO = 0.84  # against the glyphs that a script stands at; scripts of scripts are hardly smaller
ORNAMENT = 4.0  # font sizes of the page; marks and signs as large are decoration
LEAST_RATIO = 0.36  # of scripts of scripts; what stands at a still larger letter is text beside an ornament
SIZE_RATIO = 0.8  # a smaller neighbour is a sub- or superscript, even on nearly the same baseline


def without_unseen(glyphs: Sequence[Glyph], mask: NDArray[np.uint8], em: float) -> list[Glyph]:
    """The glyphs without those that are no text: control characters that print nothing, and huge marks.

    `mask` (H×W) is not 0 where the page is inked; `em` is the font size of the page in px.
    """

    def unseen(glyph: Glyph) -> bool:
        if glyph.size > ORNAMENT * em and unicodedata.category(glyph.text[:1] or "A")[0] in "PSC":
            return not isinstance(glyph, FormulaGlyph)  # a question mark over several lines
        if not glyph.text or unicodedata.category(glyph.text[0]) != "Cc":
            return False
        box = glyph.box
        return not mask[max(int(box.y0), 0) : int(box.y1) + 1, max(round(box.x0), 0) : round(box.x1)].any()

    return [g for g in glyphs if not unseen(g)]


def digital_segments(glyphs: Sequence[Glyph]) -> list[Segment]:
    """Group `glyphs` by baseline and gap. Blank glyphs (spaces) never carry a segment on their own."""
    segments: list[Segment] = []
    for group in _baselines(glyphs):
        for run in _runs(group):
            visible = [g for g in run if not g.text.isspace()]
            if visible:
                em = median(g.size for g in visible)
                bold = sum(_is_bold(g) for g in visible) > len(visible) / 2
                segments.append(segment_of(_with_spaces(run), em, 1.0, "text_layer", bold))
    return _with_scripts(segments)


def _with_scripts(segments: Sequence[Segment]) -> list[Segment]:
    """Segments with sub- and superscripts taken into the segment whose glyphs they stand at, the smallest first.

    Alone, a script beside a figure would be taken for its lettering.
    """
    current = sorted(segments, key=lambda s: s.box.y0)
    for small in sorted(segments, key=lambda s: s.em):
        index = next((i for i, s in enumerate(current) if s.glyphs[0] is small.glyphs[0]), None)
        if index is None:
            continue
        script = current[index]
        hosts = [
            m for m in _around(current, index, 4.0 * script.em) if LEAST_RATIO * m.em < script.em < SCRIPT_RATIO * m.em
        ]
        fits = [(fit, m) for m in hosts if (fit := _fit(script, m)) > 0]
        if fits:
            best = max(fits, key=lambda pair: pair[0])[1]
            current = [s for s in current if s is not script and s is not best]
            current.append(_merged(best, script))
            current.sort(key=lambda s: s.box.y0)
    return current


def _fit(script: Segment, main: Segment) -> float:
    """How well a script belongs to a segment: its vertical overlap with the glyphs it stands at, 0 = not at all."""
    best = 0.0
    for glyph in main.glyphs:
        if glyph.text.isspace() or _distance(glyph.box, script.box) >= 0.3 * main.em:
            continue
        # Tall parts of formulas and brackets carry their scripts high above the line.
        tall = isinstance(glyph, FormulaGlyph)
        extent = glyph.box.grow(0, 0.5 * script.em) if tall else main.band
        shift = (main.band.y1 - script.band.y1) / main.em
        if tall and not glyph.box.grow(0, 0.1 * main.em).y0 < script.box.cy < glyph.box.y1 + 0.1 * main.em:
            continue
        if tall and glyph.box.x0 + 0.2 * main.em < script.box.cx < glyph.box.x1 - 0.2 * main.em:
            continue  # under or over it: of another row
        if not tall and not LOWEST < shift < HIGHEST:
            continue
        share = extent.y_overlap(script.band) / max(script.band.height, 1.0)
        best = max(best, share - _distance(glyph.box, script.box) / main.em)
    return best if best >= 0.1 else 0.0


def _around(order: Sequence[Segment], index: int, reach: float) -> Iterator[Segment]:
    """Segments that lie not further than `reach` above or below the one at `index` of `order` (sorted by top)."""
    box = order[index].box
    for at in range(index + 1, len(order)):
        if order[at].box.y0 > box.y1 + reach:
            break
        yield order[at]
    for at in range(index - 1, -1, -1):
        if order[at].box.y0 < box.y0 - 3 * reach:
            break
        if order[at].box.y1 > box.y0 - reach:
            yield order[at]


def _distance(a: Box, b: Box) -> float:
    return max(a.x0 - b.x1, b.x0 - a.x1, 0.0)


def _merged(main: Segment, script: Segment) -> Segment:
    glyphs = sorted([*main.glyphs, *script.glyphs], key=lambda g: g.box.x0)
    return segment_of(glyphs, main.em, main.confidence, main.origin, main.bold)


def _is_bold(glyph: Glyph) -> bool:
    name = glyph.font.lower()
    return "bold" in name or "black" in name or "heavy" in name or "simhei" in name


def _baselines(glyphs: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Glyphs whose baselines agree, in order of the baseline."""
    ordered = sorted(glyphs, key=lambda g: (g.baseline or g.box.y1, g.box.x0))
    group: list[Glyph] = []
    for glyph in ordered:
        last = group[-1] if group else None
        if last and abs(_base(glyph) - _base(last)) > BASELINE_EM * max(glyph.size, last.size):
            yield group
            group = []
        group.append(glyph)
    if group:
        yield group


def _base(glyph: Glyph) -> float:
    return glyph.box.y1 if glyph.baseline is None else glyph.baseline


def _runs(group: list[Glyph]) -> Iterator[list[Glyph]]:
    ordered = sorted(group, key=lambda g: g.box.x0)
    run: list[Glyph] = []
    for glyph in ordered:
        if run:
            last = run[-1]
            em = max(glyph.size, last.size)
            gap = glyph.box.x0 - max(g.box.x1 for g in run[-3:])
            both_visible = not glyph.text.isspace() and not last.text.isspace()
            resized = both_visible and min(glyph.size, last.size) < SIZE_RATIO * em
            if gap > GAP_EM * em or resized:
                yield run
                run = []
        run.append(glyph)
    if run:
        yield run


def _with_spaces(run: list[Glyph]) -> list[Glyph]:
    """Add a space glyph where Latin words stand apart without one in the text layer."""
    out = [run[0]]
    for last, glyph in pairwise(run):
        gap = glyph.box.x0 - last.box.x1
        blank = last.text.isspace() or glyph.text.isspace()
        wide = is_wide(last.text) or is_wide(glyph.text)
        if not blank and gap > (0.5 if wide else SPACE_EM) * max(last.size, glyph.size):
            box = type(glyph.box).of((last.box.x1, last.box.y0, glyph.box.x0, last.box.y1))
            out.append(Glyph(" ", box, last.size, last.font, 1.0, last.baseline))
        out.append(glyph)
    return out
