"""Segments from an image: detection, a straight frame, boxes snapped to ink, recognition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from layout.curl import find_curl, flattened
from layout.enlarge import growth
from layout.frames import Frame
from layout.ink import Ink, estimate_em, find_ink
from layout.ocr import Image, OcrEngine, Recognised
from layout.plates import find_plates, without_plates
from layout.segments import Segment, segment_of
from layout.skew import skew_of
from layout.types import Glyph
from wholepage.boxes import Box

DETECTION_EM = 16.0  # px a font size should have for detection: below 12 small pieces are lost, above costs time
MIN_CONFIDENCE = 0.3  # below this a crop is not text
MIN_STRAY_CONFIDENCE = 0.8  # the same for ink that the detector did not take for text
MAX_SKEW = 8.0  # degrees
MAX_PASSES = 2  # in which curl is taken out: what a strong one hides shows in the second
JOINED_EM, JOINED_INK = 1.0, 0.45  # least width of letters that run into a frame, and the share of it that is inked
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Straight:
    """A page enlarged and turned so that its text is large enough and its lines are level.

    `frame` maps its pixels to those of the stored page; strokes of an `enlarged` page are wide and soft.
    """

    image: Image
    gray: NDArray[np.uint8]
    ink: Ink
    frame: Frame
    skew: float  # degrees, clockwise positive in image coordinates
    em: float
    quads: tuple[NDArray[np.float64], ...]  # detected lines, 4×2, in pixels of `image`
    enlarged: bool = False


def straighten(image: Image, dpi: float, engine: OcrEngine, photo: bool = False) -> Straight:
    """Enlarge small text on `image` (H×W×3 RGB), turn plates to black on white, detect the lines and level them.

    In a `photo`, ink is only what is about as dark as the print.
    """
    import cv2

    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    across, down = growth(gray, dpi)
    back = np.diag([1 / across, 1 / down, 1.0])
    if (across, down) != (1.0, 1.0):
        image = cv2.resize(image, None, fx=across, fy=down, interpolation=cv2.INTER_CUBIC)
        gray, dpi = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), dpi * across
    ink = find_ink(gray, dpi, photo)
    em = estimate_em(ink, dpi)
    plates = find_plates(gray, em)
    if plates:
        image = without_plates(image, plates)
        gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        ink = find_ink(gray, dpi, photo)
    scale = min(max(DETECTION_EM / em, 0.3), 2.0)
    quads = engine.detect(image, scale)
    skew = skew_of(quads, ink.mask)
    height, width = gray.shape
    if abs(skew) < 0.04 or abs(skew) > MAX_SKEW:
        page = Straight(image, gray, ink, Frame(back), 0.0, em, tuple(quads), across > 1)
        return _flat(page, dpi, scale, engine, photo)
    forward = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0), [0.0, 0.0, 1.0]])
    paper = tuple(int(v) for v in np.median(image[::16, ::16].reshape(-1, 3), axis=0))
    turned = cv2.warpAffine(image, forward[:2], (width, height), flags=cv2.INTER_LINEAR, borderValue=paper)
    # The recogniser reads softened letters as well; the parts of formulas are told apart by sharper edges.
    gray = cv2.warpAffine(gray, forward[:2], (width, height), flags=cv2.INTER_CUBIC, borderValue=int(np.mean(paper)))
    mapped = tuple(_through(quad, forward) for quad in quads)
    frame = Frame(back @ np.linalg.inv(forward))
    page = Straight(turned, gray, find_ink(gray, dpi, photo), frame, skew, em, mapped, across > 1)
    return _flat(page, dpi, scale, engine, photo)


def _flat(page: Straight, dpi: float, scale: float, engine: OcrEngine, photo: bool) -> Straight:
    """The level page with the curl of its lines taken out, if there is any; its lines are detected anew."""
    total, flat = None, page
    for _ in range(MAX_PASSES):
        curl = find_curl(flat.quads, flat.ink.mask, flat.em)
        if curl is None:
            break
        total = curl if total is None else total + curl
        image, gray = flattened(page.image, total), flattened(page.gray, total)
        quads = tuple(engine.detect(image, scale))
        flat = replace(page, image=image, gray=gray, ink=find_ink(gray, dpi, photo), quads=quads)
    return replace(flat, frame=replace(page.frame, curl=total))


def _through(points: NDArray[np.float64], matrix: Matrix) -> NDArray[np.float64]:
    result: NDArray[np.float64] = points @ matrix[:2, :2].T + matrix[:2, 2]
    return result


def line_boxes(page: Straight) -> tuple[list[Box], list[Box]]:
    """Boxes of the detected lines, snapped to the ink they hold, and boxes for letters that detection missed."""
    rough = [Box.of((*q.min(axis=0), *q.max(axis=0))) for q in page.quads]
    comps = page.ink.boxes
    sizes = comps[:, 2:] - comps[:, :2]
    letter = (sizes[:, 1] <= 1.7 * page.em) & (sizes[:, 0] <= 3.0 * page.em)
    cx, cy = (comps[:, 0] + comps[:, 2]) / 2, (comps[:, 1] + comps[:, 3]) / 2
    owner = np.full(len(comps), -1)
    snapped: list[Box] = []
    for box in sorted(rough, key=lambda b: b.area):
        inner = box.grow(0, -0.12 * box.height)
        hit = letter & (owner < 0)
        hit &= (cx >= inner.x0) & (cx <= inner.x1) & (cy >= inner.y0) & (cy <= inner.y1)
        if hit.any():
            owner[hit] = len(snapped)
            own = comps[hit]
            hull = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
            own_box = _inside(hull, box.grow(0.3 * page.em, 0.15 * page.em))
            snapped.append(_with_joined(own_box, inner, page.ink.mask, page.em))
        else:
            snapped.append(box)
            owner[(cx >= box.x0) & (cx <= box.x1) & (cy >= box.y0) & (cy <= box.y1)] = len(snapped) - 1
    stray = letter & (owner < 0) & (sizes[:, 1] >= 0.3 * page.em)
    out = _extend(snapped, [Box.of(row) for row in comps[stray]], page.em)
    return out[: len(snapped)], [b for b in out[len(snapped) :] if b.height >= 0.45 * page.em]


def _with_joined(box: Box, rough: Box, mask: NDArray[np.uint8], em: float) -> Box:
    """The snapped box with letters at its ends that run into a frame's line and so are no components of their own.

    `rough` is where the line was detected; there must be as much ink as in text.
    """
    top, foot = round(rough.y0 + 0.25 * rough.height), round(rough.y1 - 0.25 * rough.height)
    sides = ((rough.x0, box.x0), (box.x1, rough.x1))
    found = []
    for x0, x1 in sides:
        inked = np.flatnonzero((mask[top:foot, max(round(x0), 0) : round(x1)] > 0).any(axis=0))
        text = x1 - x0 >= JOINED_EM * em and len(inked) >= JOINED_INK * (x1 - x0)
        found.append((x0 + float(inked[0]), x0 + float(inked[-1]) + 1) if text else (box.x0, box.x1))
    return Box(min(box.x0, found[0][0]), box.y0, max(box.x1, found[1][1]), box.y1)


def _inside(box: Box, limit: Box) -> Box:
    return box.intersection(limit) or box


def _extend(lines: list[Box], strays: list[Box], em: float) -> list[Box]:
    """Give letters at the ends of lines to those lines; level neighbours among the others become lines of their own."""
    out = list(lines)
    alone: list[Box] = []
    for stray in sorted(strays, key=lambda b: b.x0):
        best = None
        for index, line in enumerate(out):
            gap = max(line.x0 - stray.x1, stray.x0 - line.x1)
            level = line.y_overlap(stray) >= 0.7 * min(stray.height, line.height)
            level = level and line.union(stray).height <= 1.15 * line.height
            if level and -0.5 * em <= gap <= 0.6 * em and line.height >= 0.6 * em and (best is None or gap < best[0]):
                best = (gap, index)
        if best is None:
            alone.append(stray)
        else:
            out[best[1]] = out[best[1]].union(stray)
    for stray in alone:
        for index in range(len(lines), len(out)):
            if out[index].grow(0.8 * em, 0).y_overlap(stray) > 0.5 * stray.height and (
                stray.x0 - out[index].x1 < 0.8 * em
            ):
                out[index] = out[index].union(stray)
                break
        else:
            out.append(stray)
    return out


def read_segments(
    page: Straight, boxes: Sequence[Box], engine: OcrEngine, floor: float = MIN_CONFIDENCE
) -> list[Segment]:
    """Recognise the lines in `boxes` (pixels of the straight page). Crops read with less than `floor` are left out."""
    height, width = page.gray.shape
    margin_x, margin_y = 0.14 * page.em, 0.10 * page.em
    cuts = [box.grow(margin_x, margin_y).clip(width, height) for box in boxes]
    crops = [page.image[int(b.y0) : math.ceil(b.y1), int(b.x0) : math.ceil(b.x1)] for b in cuts]
    segments = []
    for box, cut, result in zip(boxes, cuts, engine.recognise(crops), strict=True):
        segment = segment_from_ocr(result, cut, box)
        if segment is not None and segment.confidence >= floor:
            segments.append(segment)
    return segments


def segment_from_ocr(result: Recognised, cut: Box, box: Box) -> Segment | None:
    """Segment with character boxes: a character reaches from halfway to its neighbours, as CTC peaks are narrow."""
    if not result.text.strip():
        return None
    centres = [cut.x0 + (a + b) / 2 * cut.width for a, b in result.spans]
    em = box.height / 0.95
    glyphs = []
    for i, char in enumerate(result.text):
        left = (centres[i - 1] + centres[i]) / 2 if i else min(box.x0, centres[i])
        right = (centres[i] + centres[i + 1]) / 2 if i + 1 < len(centres) else max(box.x1, centres[i])
        reach = 0.65 * em
        area = Box.of((max(left, centres[i] - reach), box.y0, min(right, centres[i] + reach), box.y1))
        glyphs.append(Glyph(char, area, em, "", result.char_confidence[i]))
    segment = segment_of(glyphs, em, result.confidence, "ocr")
    return Segment(segment.glyphs, box, em, segment.confidence, "ocr")
