"""Formulas of page images, read again by a recogniser that was plugged in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.foreign import canonical
from layout.formulas.lines import FORMULA_FONT
from layout.formulas.recognizers import FormulaRecognizer, RecognisedFormula
from layout.formulas.soundness import compiles, strange
from layout.ocr import Image
from layout.types import Doubt, Glyph, Line, PageLayout
from wholepage.errors import is_interrupt

MARGIN = 0.2  # of the font size, kept around a crop
AGREED = 0.95  # confidence at least where two readers of different make agree
MAX_REASON = 200  # characters of a failure's reason that are told


def reread(layout: PageLayout, image: Image, recogniser: FormulaRecognizer) -> PageLayout:
    """The page with the formulas that `recogniser` reads; where its LaTeX does not compile, the first reading stays.

    Args:
        layout: a page whose formulas were read from its pixels, boxes in pixels of `image`.
        image: H×W×3 RGB uint8, the frame in which the text is level.
        recogniser: gets all crops of the page at once. When it fails, nothing changes but for a doubt.
    """
    glyphs = [g for line in layout.lines if line.origin == "ocr" for g in line.glyphs if g.font == FORMULA_FONT]
    crops = [(g, crop) for g in glyphs if (crop := _crop(g, image)) is not None]
    if not crops:
        return layout
    try:
        results = recogniser.recognise([crop for _, crop in crops])
        if len(results) != len(crops):
            raise ValueError(f"{len(results)} results for {len(crops)} formulas")
    except Exception as error:  # whatever a plugged program does, the page has its first reading
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return replace(layout, doubts=(*layout.doubts, _failed(layout, recogniser, error, len(crops))))
    new = {id(g): _replaced(g, result) for (g, _), result in zip(crops, results, strict=True)}
    lines = tuple(_with_glyphs(line, [new.get(id(g), g) for g in line.glyphs]) for line in layout.lines)
    return replace(layout, lines=lines, engine={**layout.engine, "formulas": f"{recogniser.name} {recogniser.version}"})


def _crop(glyph: Glyph, image: Image) -> Image | None:
    height, width = image.shape[:2]
    box = glyph.box.grow(MARGIN * glyph.size).clip(width, height)
    crop = image[int(box.y0) : math.ceil(box.y1), int(box.x0) : math.ceil(box.x1)]
    return crop if min(crop.shape[:2]) >= 2 else None


def _replaced(glyph: Glyph, result: RecognisedFormula) -> Glyph:
    """The glyph with the new LaTeX if that compiles. Where the recogniser gives no confidence, the first one stays."""
    latex = canonical(result.latex)
    if latex is None or not compiles(latex) or strange(latex):
        return glyph
    text = f"${latex}$"
    confidence = glyph.confidence if result.confidence is None else min(max(result.confidence, 0.0), 1.0)
    if text == glyph.text:
        confidence = max(confidence, glyph.confidence, AGREED)
    return replace(glyph, text=text, confidence=confidence)


def _with_glyphs(line: Line, glyphs: Sequence[Glyph]) -> Line:
    if all(a is b for a, b in zip(line.glyphs, glyphs, strict=True)):
        return line
    return replace(line, text="".join(g.text for g in glyphs), glyphs=tuple(glyphs))


def _failed(layout: PageLayout, recogniser: FormulaRecognizer, error: Exception, count: int) -> Doubt:
    reason = f"{type(error).__name__}: {error}"[:MAX_REASON]
    message = (
        f"Page {layout.number}: {recogniser.name} failed ({reason}); {count} formulas stay as they were read first."
    )
    return Doubt("formula.engine_failed", message)
