"""Names whose letters a text layer gives as one and the same: ∠CCC where ∠CMA is printed.

Some writers map the glyphs of a name to the code of its first letter. One code with two inks is a lie: such runs are
read by OCR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.atoms import is_math_font
from layout.ocr import OcrEngine, Recognised
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

ALIKE = 0.6  # intersection over union of two inks that are one letter
LEAST_CONFIDENCE = 0.6
DOUBTED = 0.5  # confidence of letters that lie and could not be read
GRID = 16  # cells a side in which two inks are compared


def restore_names(text: TextLayer, image: NDArray[np.uint8], engine: OcrEngine) -> TextLayer:
    """`text` with the letters that are printed where a run of one letter has different inks.

    `image` is the stored page (H×W×3 RGB). Letters that OCR cannot tell keep their code with a low confidence.
    """
    runs = [run for run in _runs(text.glyphs) if _differ([text.glyphs[n] for n in run], image)]
    if not runs:
        return text
    glyphs = list(text.glyphs)
    crops = [_crop(image, Box.hull(glyphs[n].box for n in run)) for run in runs]
    for run, got in zip(runs, engine.recognise(crops), strict=True):
        name = _letters(got)
        told = len(name) == len(run)
        for k, n in enumerate(run):
            letter, sure = (name[k], got.confidence) if told else (glyphs[n].text, DOUBTED)
            glyphs[n] = replace(glyphs[n], text=letter, confidence=sure)
    return replace(text, glyphs=tuple(glyphs))


def _letters(got: Recognised) -> str:
    """The Latin letters of a reading that OCR is sure of; what reaches in from beside the name is none."""
    sure = got.char_confidence if len(got.char_confidence) == len(got.text) else [got.confidence] * len(got.text)
    return "".join(
        c for c, p in zip(got.text, sure, strict=True) if c.isascii() and c.isalpha() and p >= LEAST_CONFIDENCE
    )


def _runs(glyphs: Sequence[Glyph]) -> list[list[int]]:
    """Indices of two or more neighbours with one code in a font for mathematics."""
    runs: list[list[int]] = []
    for n, glyph in enumerate(glyphs):
        if not (glyph.text.isascii() and glyph.text.isalpha() and is_math_font(glyph.font)):
            continue
        last = glyphs[runs[-1][-1]] if runs else None
        if last is not None and runs[-1][-1] == n - 1 and _follows(last, glyph):
            runs[-1].append(n)
        else:
            runs.append([n])
    return [run for run in runs if len(run) > 1]


def _follows(last: Glyph, glyph: Glyph) -> bool:
    level = abs(_base(last) - _base(glyph)) < 0.1 * glyph.size and last.font == glyph.font
    return last.text == glyph.text and level and abs(glyph.box.x0 - last.box.x1) < 0.3 * glyph.size


def _base(glyph: Glyph) -> float:
    return glyph.box.y1 if glyph.baseline is None else glyph.baseline


def _differ(run: Sequence[Glyph], image: NDArray[np.uint8]) -> bool:
    inks = [_ink(glyph, image) for glyph in run]
    first = inks[0]
    return any(_overlap(first, other) < ALIKE for other in inks[1:])


def _ink(glyph: Glyph, image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The letter's ink, cut to its extent and brought to GRID×GRID cells."""
    import cv2

    base, size = _base(glyph), glyph.size
    box = Box(glyph.box.x0, base - 0.8 * size, glyph.box.x1, base + 0.25 * size).clip(image.shape[1], image.shape[0])
    area = image[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1].min(axis=2)
    dark = area < 0.5 * (float(area.max()) + float(area.min())) if area.size else area > 0
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    if not rows.size:
        return np.zeros((GRID, GRID), dtype=bool)
    cut = dark[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.float32)
    result: NDArray[np.bool_] = cv2.resize(cut, (GRID, GRID), interpolation=cv2.INTER_AREA) > 0.4
    return result


def _overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    either = int((one | other).sum())
    return float((one & other).sum()) / either if either else 1.0


def _crop(image: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    b = Box(box.x0 - 3, box.y0 - 2, box.x1 + 3, box.y1 + 2).clip(image.shape[1], image.shape[0])
    crop: NDArray[np.uint8] = image[int(b.y0) : int(b.y1) + 1, int(b.x0) : int(b.x1) + 1]
    return crop
