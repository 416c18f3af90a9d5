"""Quarter turns: which way a page must be turned so that its text stands upright.

A PDF page with enough text is judged by the direction in which its glyphs run. Other pages are judged by their
pixels in three steps: projection profiles tell whether text lines run across or down, the angle classifier of
RapidOCR votes whether they stand on their heads, and the recogniser confirms every turn by reading a few lines both
ways. Without clear evidence a page stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ingest.anglenet import upside_down_scores
from ingest.camera import estimate_perspective, estimate_skew, looks_like_photo

if TYPE_CHECKING:
    import pymupdf

Gray = NDArray[np.uint8]
Readability = Callable[[Sequence[NDArray[np.uint8]]], Sequence[float]]

MIN_GLYPHS = 40  # fewer say nothing about the page: stamps and "scanned with" lines
WORK_SIDE = 1400  # px of the longer side for the analysis
TILE = 140  # px at that size: small enough for a skew of 5° to leave the profiles sharp
CLEAR_AXIS = 0.25  # mean log ratio of the profile contrasts
CROPS = 12  # lines that vote
CROP_ASPECT = 4.0  # the classifier sees 192×48
MIN_READING, MIN_GAIN = 0.6, 0.12  # mean confidence that a turned page must reach, and by how much it must be better


@dataclass(frozen=True, slots=True)
class Verdict:
    """`turn` quarter turns clockwise make the page upright; `clear` is False when the evidence was too weak to say."""

    turn: int
    clear: bool


def turn_image(image: NDArray[np.uint8], turn: int) -> NDArray[np.uint8]:
    """The image turned clockwise by `turn` quarters, contiguous."""
    return np.ascontiguousarray(np.rot90(image, -turn % 4)) if turn % 4 else image


def text_turn(page: pymupdf.Page) -> Verdict | None:
    """Verdict from a PDF page's text, or None when it has too little to judge."""
    import pymupdf

    matrix = page.rotation_matrix
    counts = [0, 0, 0, 0]
    slanted = 0
    for block in page.get_text("dict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE)["blocks"]:
        for line in block.get("lines", ()):
            size = sum(len(span["text"].strip()) for span in line["spans"])
            x, y = line["dir"]
            dx, dy = matrix.a * x + matrix.c * y, matrix.b * x + matrix.d * y
            if min(abs(dx), abs(dy)) > 0.1:
                slanted += size
            elif abs(dx) > abs(dy):
                counts[0 if dx > 0 else 2] += size
            else:  # text running down the page (dy > 0) was turned clockwise: three more quarters set it right
                counts[3 if dy > 0 else 1] += size
    total = sum(counts)
    if total < MIN_GLYPHS or slanted > total:
        return None
    best = max(range(4), key=lambda t: counts[t])
    clear = counts[best] >= 0.7 * total
    return Verdict(best if clear else 0, clear)


def image_turn(image: NDArray[np.uint8], readability: Readability | None = None) -> Verdict:
    """Verdict from pixels.

    Args:
        image: H×W×3 RGB or H×W grey, uint8.
        readability: gives a confidence of 0–1 for each line crop (H×W×3 RGB); confirms turns where given.
    """
    import cv2

    gray = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    scale = min(1.0, WORK_SIDE / max(gray.shape))
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else gray
    ink = _text_ink(small)
    axis = _axis(ink)
    if axis is None:
        return Verdict(0, False)
    base = 0 if axis > 0 else 1
    level = turn_image(small, base)
    crops = _line_crops(level, turn_image(ink, base))
    if not crops:
        return Verdict(0, base == 0)
    votes = upside_down_scores(crops)
    flip = float(np.mean(votes))
    sure = abs(flip - 0.5) >= 0.2
    if base == 0 and sure and flip < 0.5:
        return Verdict(0, True)
    turn = (base + (2 if flip >= 0.5 else 0)) % 4
    if readability is None:
        return Verdict(turn if sure else 0, sure)
    return _confirm(base, crops, small, ink, readability)


def _confirm(
    base: int, crops: Sequence[Gray], small: Gray, ink: NDArray[np.uint8], readability: Readability
) -> Verdict:
    """Read a few lines both ways.

    Recognisers are trained on vertical Chinese text as well, whose characters lie anticlockwise once a column is
    laid down. So a page of vertical text reads well after three quarter turns, but also as it is; a page that was
    turned by mistake does not. One quarter turn needs no such check: characters lying clockwise are never read.
    """
    few = list(crops[: CROPS // 2])
    forward = _mean_reading(few, readability)
    backward = _mean_reading([turn_image(c, 2) for c in few], readability)
    best, other = max(forward, backward), min(forward, backward)
    turn = base if forward >= backward else (base + 2) % 4
    if turn == 3:
        across = _line_crops(small, ink)[: CROPS // 2]
        down = [_row_of_cells(turn_image(crop, 3)) for crop in few]
        other = max(other, _mean_reading(down, readability), _mean_reading(across, readability) if across else 0.0)
    if best < MIN_READING or best < other + MIN_GAIN:
        return Verdict(0, False)
    return Verdict(turn, True)


def _row_of_cells(column: Gray) -> Gray:
    """A column of characters set side by side, so that vertical text can be read: cut where rows hold no ink."""
    import cv2

    width = column.shape[1]
    _, ink = cv2.threshold(column, 0, 1, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    filled = ink.any(axis=1)
    cells: list[Gray] = []
    start = 0
    for y in range(1, column.shape[0] + 1):
        gap = y == column.shape[0] or (filled[y - 1] and not filled[y])
        if gap and (y - start >= 0.7 * width or y == column.shape[0]):
            cells.append(cv2.resize(column[start:y], (width, width), interpolation=cv2.INTER_AREA))
            start = y
    return np.ascontiguousarray(np.hstack(cells))


def _mean_reading(crops: Sequence[Gray], readability: Readability) -> float:
    rgb = [np.repeat(c[:, :, None], 3, axis=2) for c in crops]
    return float(np.mean(list(readability(rgb))))


def _text_ink(gray: Gray) -> NDArray[np.uint8]:
    """Ink (1) of letter size: rules, pictures and specks taken away."""
    import cv2

    block = 41
    ink = cv2.adaptiveThreshold(gray, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, 12)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    if count <= 1:
        return np.zeros_like(ink)
    width, height, area = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_AREA]
    keep = (np.maximum(width, height) <= 60) & (area >= 4)
    keep[0] = False
    letters: NDArray[np.uint8] = keep.astype(np.uint8)[labels]
    return letters


def _axis(ink: NDArray[np.uint8]) -> float | None:
    """Positive: lines run across; negative: down; None: no telling. Mean log ratio of row to column contrast."""
    height, width = ink.shape
    votes, weights = [], []
    for y in range(0, max(height - TILE // 2, 1), TILE // 2):
        for x in range(0, max(width - TILE // 2, 1), TILE // 2):
            tile = ink[y : y + TILE, x : x + TILE]
            filled = float(tile.sum())
            if not 0.015 * TILE * TILE <= filled <= 0.45 * TILE * TILE:
                continue
            rows, columns = _contrast(tile.sum(axis=1)), _contrast(tile.sum(axis=0))
            votes.append(float(np.clip(np.log((rows + 0.05) / (columns + 0.05)), -2, 2)))
            weights.append(filled)
    if not votes:
        return None
    mean = float(np.average(votes, weights=weights))
    return mean if abs(mean) >= CLEAR_AXIS else None


def _contrast(profile: NDArray[np.uint64]) -> float:
    """How much neighbouring rows differ, relative to their mean: gaps between lines are wider than between letters."""
    values = profile.astype(np.float64)
    smooth = np.convolve(values, np.ones(5) / 5, mode="valid")
    mean = float(smooth.mean())
    return float(smooth.var()) / (mean * mean) if mean > 0 else 0.0


def _line_crops(gray: Gray, ink: NDArray[np.uint8]) -> list[Gray]:
    """Up to `CROPS` pieces of well-inked lines of aspect 4:1, from all over the page."""
    import cv2

    joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, 25), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    pieces: list[tuple[float, int, int, int, int]] = []
    for x, y, w, h, _ in stats[1:count]:
        if not (8 <= h <= 70 and w >= 2.5 * h):
            continue
        step = int(h * CROP_ASPECT)
        for left in range(x, x + w - min(step, w) + 1, step):
            right = min(left + step, x + w)
            filled = float(ink[y : y + h, left:right].mean())
            if 0.08 <= filled <= 0.6:
                pieces.append((float(right - left) * min(h, 30) * min(filled, 0.3), left, y, right, y + h))
    pieces.sort(key=lambda p: (-p[0], p[2], p[1]))
    best = pieces[: 4 * CROPS]
    chosen = best[:: max(1, len(best) // CROPS)][:CROPS]
    margin = 2
    return [gray[max(t - margin, 0) : b + margin, max(left - margin, 0) : r + margin] for _, left, t, r, b in chosen]


__all__ = [
    "Verdict",
    "estimate_perspective",
    "estimate_skew",
    "image_turn",
    "looks_like_photo",
    "text_turn",
    "turn_image",
]
