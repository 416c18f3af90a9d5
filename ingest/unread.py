"""What is printed but missing from a text layer that is right otherwise: numbers drawn as pictures or outlines; and
what is in it but not printed: characters without ink."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from layout.formulas.grown import HANGING_FONT
from layout.ink import Ink, find_ink
from layout.ocr import OcrEngine
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

NUMBER = re.compile(r"^\d{1,2}[.．、]?$")
LOW, HIGH, WIDE = 0.45, 0.95, 1.1  # height and width of a digit in font sizes
JOIN_EM = 0.6  # digits of one number stand at most so far apart
EDGE_EM = 4.0  # a number begins at most so far right of the text's left edge
CLEAR_EM = 1.0  # free space right and left of a number that stands alone
MIN_CONFIDENCE = 0.75
MAX_NUMBERS = 30  # on a page; more is no numbering
CONTRAST = 24  # grey levels between paper and the faintest print
HUGE = 3.0  # times the usual font size


def complete_text_layer(text: TextLayer, image: NDArray[np.uint8], engine: OcrEngine) -> TextLayer:
    """The text layer without characters that are not printed, and with numbers that OCR finds where it has none.

    `image` is the stored page (H×W×3 RGB). Numbers are only looked for near the left edge of the text, where those of
    questions stand; their glyphs carry the font name "ocr" and the confidence of the reading.
    """
    import cv2

    visible = [g for g in text.glyphs if not g.text.isspace()]
    if not visible:
        return text
    em = median(g.size for g in visible)
    ink = find_ink(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    printed = tuple(g for g in text.glyphs if g.text.isspace() or _is_printed(g, ink, image, em))
    spots = _number_spots(ink, printed, text.pictures, em)
    if not spots or len(spots) > MAX_NUMBERS:
        return replace(text, glyphs=printed)
    crops = [_crop(image, spot) for spot in spots]
    found: list[Glyph] = []
    for spot, got in zip(spots, engine.recognise(crops), strict=True):
        label = got.text.strip()
        if NUMBER.match(label) and got.confidence >= MIN_CONFIDENCE:
            found.extend(_glyphs(label, spot, em, got.confidence))
    return replace(text, glyphs=(*printed, *found))


def _is_printed(glyph: Glyph, ink: Ink, image: NDArray[np.uint8], em: float) -> bool:
    """Whether anything is to be seen where the character should stand, and of its size when it claims to be huge."""
    height, width = ink.mask.shape
    # A combining mark has no width of its own: its ink stands over the letter before or behind it.
    aside = 0.6 * glyph.size if glyph.box.width < 0.05 * glyph.size else 0.0
    box = glyph.box.grow(aside, 0)
    if HANGING_FONT.search(glyph.font):  # its signs hang below their baseline
        box = Box(box.x0, box.y0, box.x1, box.y1 + 1.5 * glyph.size)
    box = box.clip(width, height)
    area = image[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1].reshape(-1, 3)
    if not area.size or int((area.max(axis=0).astype(int) - area.min(axis=0)).max()) < CONTRAST:
        return False
    if glyph.size < HUGE * em:
        return True
    boxes = ink.boxes
    inside = (boxes[:, 0] >= box.x0 - 2) & (boxes[:, 2] <= box.x1 + 2)
    inside &= (boxes[:, 1] >= box.y0 - 2) & (boxes[:, 3] <= box.y1 + 2)
    tall = boxes[inside][:, 3] - boxes[inside][:, 1]
    return bool(tall.size and tall.max() > 0.3 * glyph.size)


def _number_spots(ink: Ink, glyphs: Sequence[Glyph], pictures: Sequence[Box], em: float) -> list[Box]:
    """Boxes of groups of one or two digit-like components near the left edge that no glyph explains."""
    visible = [g.box for g in glyphs if not g.text.isspace()]
    starts = sorted(b.x0 for b in visible)
    left = starts[len(starts) // 20]
    height, width = ink.mask.shape
    covered = np.zeros((height, width), dtype=bool)
    for box in (*visible, *(p for p in pictures if p.area < 0.5 * height * width)):
        b = box.clip(width, height)
        covered[int(b.y0) : int(b.y1) + 1, int(b.x0) : int(b.x1) + 1] = True
    small = [Box(*map(float, row)) for row in ink.boxes if row[3] - row[1] < 2 * em and row[2] - row[0] < 2 * em]
    free = [b for b in small if not covered[min(int(b.cy), height - 1), min(int(b.cx), width - 1)]]
    digits = [b for b in free if LOW * em < b.height < HIGH * em and 0.08 * em < b.width < WIDE * em]
    near = [b for b in digits if left - EDGE_EM * em < b.x0 < left + EDGE_EM * em]
    return [group for group in _grouped(near, em) if _stands_alone(group, [*free, *visible], em)]


def _grouped(boxes: Sequence[Box], em: float) -> list[Box]:
    groups: list[Box] = []
    for box in sorted(boxes, key=lambda b: b.x0):
        for i, group in enumerate(groups):
            level = group.y_overlap(box) > 0.6 * min(group.height, box.height)
            if level and box.x0 - group.x1 < JOIN_EM * em:
                groups[i] = group.union(box)
                break
        else:
            groups.append(box)
    return [g for g in groups if g.width < 2.2 * em]


def _stands_alone(group: Box, others: Sequence[Box], em: float) -> bool:
    """Whether nothing else stands level with a number and close to it, as it would in a drawing or a formula.

    What is taller and reaches over it is a piece of the frame around it.
    """
    around = group.grow(CLEAR_EM * em, 0)
    beside = [b for b in others if b.covered_by(group.grow(1)) < 0.9 and around.intersection(b)]
    level = [b for b in beside if b.y_overlap(group) > 0.3 * min(b.height, group.height)]
    frame = [b for b in level if b.height > 1.3 * group.height and b.y0 < group.y0 - 2]
    return not [b for b in level if max(b.width, b.height) > 0.25 * em and b not in frame]


def _crop(image: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    b = box.grow(5, 3).clip(image.shape[1], image.shape[0])
    crop: NDArray[np.uint8] = image[int(b.y0) : int(b.y1) + 1, int(b.x0) : int(b.x1) + 1]
    return crop


def _glyphs(label: str, box: Box, em: float, confidence: float) -> list[Glyph]:
    step = box.width / len(label)
    out = []
    for i, char in enumerate(label):
        spot = Box(box.x0 + i * step, box.y1 - 0.88 * em, box.x0 + (i + 1) * step, box.y1 + 0.22 * em)
        out.append(Glyph(char, spot, em, "ocr", confidence, box.y1))
    return out
