"""Plates: white letters in a black field, such as a question's number, and the grey bar that goes on beside it.

They are turned into black letters on paper, so that detection, recognition and ink see what they know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wholepage.boxes import Box

BLACK = 0.45  # of the paper's grey value; a black field is darker than that
FIELD = (0.75, 2.6)  # height of a plate in font sizes: one line of letters and its margin
LETTER = 0.35  # least height of the letters in font sizes
FULL = 0.5  # least share of a plate that is black
MIN_LETTERS, MAX_LETTERS = 0.02, 0.4  # share of a plate that its letters take
BAR = 0.97  # of the paper's grey value; a grey bar is darker
BAR_LENGTH = 3.0  # least length of a bar, in heights of the plate
EVEN = 0.9  # share of a plate's edge that is black
MAX_SOFT = 6  # px, the widest soft edge
LIGHTER = 90.0  # grey levels between a black field and its letters
EDGE = 2.0  # px, width of the soft edge within a field
SOFT = 0.16  # of a field's height, width of the soft edge around it
Gray = NDArray[np.uint8]


@dataclass(frozen=True)
class Plate:
    """A black field with white letters; `bar` is the grey bar beside it."""

    box: Box
    bar: Box | None


def find_plates(gray: Gray, em: float) -> list[Plate]:
    """Plates on H×W `gray` (uint8) of font size `em` (px)."""
    import cv2

    paper = _paper(gray)
    side = max(3, round(0.3 * em))
    black = (gray < BLACK * paper).astype(np.uint8)
    # Solid black is wider than strokes are thick; letters cut the field into pieces, which are joined again.
    solid = cv2.morphologyEx(black, cv2.MORPH_OPEN, np.ones((max(3, side // 2),) * 2, np.uint8))
    joined = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((1, 2 * side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8, ltype=cv2.CV_32S)
    plates = []
    for x, y, w, h, _ in stats[1:]:
        if not (FIELD[0] * em <= h <= FIELD[1] * em and w >= 0.8 * h):
            continue
        box = _without_soft_edge(black, int(x), int(y), int(x + w), int(y + h))
        if box is not None and _holds_letters(gray, box, em):
            plates.append(Plate(box, _bar_beside(gray, box, paper)))
    return plates


def _paper(gray: Gray) -> float:
    return float(np.percentile(gray[:: max(1, gray.shape[0] // 400), :: max(1, gray.shape[1] // 400)], 85))


def _without_soft_edge(black: Gray, x0: int, y0: int, x1: int, y1: int) -> Box | None:
    """The field within its soft edge; None when it is not black to its edges."""
    for _ in range(MAX_SOFT):
        field = black[y0:y1, x0:x1] > 0
        if min(field.shape) < 8:
            return None
        left, right, top, foot = field[:, 0].mean(), field[:, -1].mean(), field[0].mean(), field[-1].mean()
        if min(left, right, top, foot) >= EVEN:
            return Box(float(x0), float(y0), float(x1), float(y1)) if field.mean() >= FULL else None
        x0, x1 = x0 + int(left < EVEN), x1 - int(right < EVEN)
        y0, y1 = y0 + int(top < EVEN), y1 - int(foot < EVEN)
    return None


def _holds_letters(gray: Gray, box: Box, em: float) -> bool:
    """Whether a black field holds light pieces of the size of letters."""
    import cv2

    x0, y0, x1, y1 = _pixels(box)
    field = gray[y0:y1, x0:x1]
    dark, light = float(np.percentile(field, 20)), float(np.percentile(field, 99.5))
    if light - dark < LIGHTER:
        return False
    bright = (field > dark + 0.4 * (light - dark)).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(bright, connectivity=8, ltype=cv2.CV_32S)
    width, height = x1 - x0, y1 - y0
    inside = [s for s in stats[1:] if s[0] > 0 and s[1] > 0 and s[0] + s[2] < width and s[1] + s[3] < height]
    letters = [s for s in inside if s[3] >= LETTER * em and s[2] <= 1.5 * s[3]]
    share = sum(int(s[4]) for s in letters) / field.size
    others = len(inside) - len(letters)
    return bool(letters) and MIN_LETTERS <= share <= MAX_LETTERS and others <= 2 * len(letters) + 2


def _bar_beside(gray: Gray, plate: Box, paper: float) -> Box | None:
    """The even grey bar that begins at the plate's left or right edge and is as high as it."""
    y0, y1 = int(plate.y0 + 0.2 * plate.height), int(plate.y1 - 0.2 * plate.height)
    for step in (1, -1):
        start = int(plate.x1) + 3 if step > 0 else int(plate.x0) - 4
        if not 0 <= start < gray.shape[1]:
            continue
        row = np.median(gray[y0:y1], axis=0).astype(float)[start::step]
        level = float(np.median(row[: max(1, int(plate.height))]))
        if not BLACK * paper < level < BAR * paper:
            continue
        off = np.flatnonzero(np.abs(row - level) > 0.05 * paper)
        length = int(off[0]) if off.size else len(row)
        if length >= BAR_LENGTH * plate.height:
            left, right = sorted((start, start + step * length))
            top, foot = _rows_of_bar(gray[:, left:right], plate, paper)
            return Box(float(left), top, float(right), foot)
    return None


def _rows_of_bar(columns: Gray, plate: Box, paper: float) -> tuple[float, float]:
    """Top and foot of the bar in these columns of the page, its soft edges included."""
    reach = int(0.4 * plate.height)
    top, foot = max(int(plate.y0) - reach, 0), int(plate.y1) + reach
    rows = np.flatnonzero(np.median(columns[top:foot], axis=1) < BAR * paper)
    return float(top + rows[0]), float(top + rows[-1] + 1)


def without_plates(image: NDArray[np.uint8], plates: Sequence[Plate]) -> NDArray[np.uint8]:
    """H×W×3 `image` with the letters of the plates black on paper and the bars beside them blank."""
    if not plates:
        return image
    height, width = image.shape[:2]
    out = image.copy()
    paper = np.percentile(image.reshape(-1, 3)[::37], 85, axis=0)
    for plate in plates:
        for box in (plate.box, plate.bar):
            if box is not None:
                # The soft edge of the field is blank too.
                x0, y0, x1, y1 = _pixels(box.grow(SOFT * box.height).clip(width, height))
                out[y0:y1, x0:x1] = paper
        x0, y0, x1, y1 = _pixels(plate.box.grow(-EDGE))
        gray = image[y0:y1, x0:x1].mean(axis=2)
        dark, light = float(np.percentile(gray, 20)), float(gray.max(initial=1.0))
        shade = 1 - np.clip((gray - dark) / max(light - dark, 1.0), 0, 1)
        out[y0:y1, x0:x1] = (paper * shade[:, :, None]).astype(np.uint8)
    return out


def _pixels(box: Box) -> tuple[int, int, int, int]:
    return int(box.x0), int(box.y0), int(box.x1), int(box.y1)
