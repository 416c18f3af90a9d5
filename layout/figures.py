"""Figures: ink that no text, table or rule explains, with the lettering that belongs to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.ink import Ink
from layout.lettering import LABEL_WIDTH_EM, Found, absorb_labels, dissolve_overlaps, join_panels, with_captions
from layout.segments import Segment
from wholepage.boxes import Box

MIN_SIDE_EM = 1.6
SPECK_EM = 0.2  # ink that is smaller joins no two figures: dotted lines, grain
REACH_EM = 0.6  # ink within twice this distance is one figure
EDGE_REACH_EM, CROSSING = 2.5, 4  # how far text runs on both sides of a background's edge, and how many lines do
MAX_PAGE_SHARE = 0.5  # of the page; a larger drawing is the page itself: its edge in a photo, a frame, a background


def text_ink(ink: Ink, boxes: Sequence[Box]) -> NDArray[np.bool_]:
    """For each component whether text explains it: its centre lies in a text box that is not much lower than it."""
    comps = ink.boxes
    cx, cy = (comps[:, 0] + comps[:, 2]) / 2, (comps[:, 1] + comps[:, 3]) / 2
    height, width = comps[:, 3] - comps[:, 1], comps[:, 2] - comps[:, 0]
    explained = np.zeros(len(comps), dtype=bool)
    for box in boxes:
        area = box.grow(0.12 * box.height)
        explained |= (
            (cx >= area.x0)
            & (cx <= area.x1)
            & (cy >= area.y0)
            & (cy <= area.y1)
            & (height <= 1.6 * box.height)
            & (width <= 1.2 * area.width)
        )
        # Brackets that grow, and radical signs, are taller than the row they stand in, but narrow.
        level = np.minimum(comps[:, 3], box.y1) - np.maximum(comps[:, 1], box.y0)
        explained |= (
            (cx >= area.x0)
            & (cx <= area.x1)
            & (level >= 0.6 * box.height)
            & (width <= 0.7 * box.height)
            & (height <= 4 * box.height)
        )
    return explained


def find_figures(
    ink: Ink,
    segments: Sequence[Segment],
    pictures: Sequence[Box],
    occupied: Sequence[Box],
    em: float,
) -> tuple[list[Found], float]:
    """Figures of a page and its residual ink.

    Args:
        ink: of the page.
        segments: all text; those near a figure become its labels.
        pictures: images placed by the PDF.
        occupied: tables and other areas that are explained already.
        em: font size of the page in px.

    Returns:
        The figures and the share (0–1) of ink that remains unexplained.
    """
    page = ink.mask.shape
    pictures = [p for p in _placed(pictures, page, em) if not _lies_under_text(p, segments, em)]
    explained = text_ink(ink, [s.box for s in segments])
    comps = ink.boxes
    areas = ink.stats[:, 4].astype(np.float64)
    for box in (*occupied, *pictures):
        explained |= _inside(comps, box.grow(0.2 * em))
    groups = _groups(comps[~explained & ~_page_sized(comps, page) & ~_cut_off(comps, page, em)], page, em)
    groups = [g for g in groups if g.area < MAX_PAGE_SHARE * page[0] * page[1]]
    hulls = _merge([*((g, False) for g in groups), *((p, True) for p in pictures)], em)
    long_text = [s.box for s in segments if s.box.width > LABEL_WIDTH_EM * em]
    hulls = [(b, p) for b, p in hulls if p or not (_is_frame(b, long_text) or _is_inline(b, segments, em))]
    found: list[Found] = []
    for box, picture in hulls:
        grown, labels = absorb_labels(box, segments, em, long_text)
        found.append(Found(grown, labels, (), picture))
    found = dissolve_overlaps(found)
    found = join_panels([with_captions(f, segments, em) for f in found], segments, em)
    for figure in found:
        explained |= _inside(comps, figure.box.grow(0.3 * em))
    thin = (comps[:, 2] - comps[:, 0] > 1.2 * em) & (comps[:, 3] - comps[:, 1] < 0.3 * em)
    thin |= (comps[:, 3] - comps[:, 1] > 1.2 * em) & (comps[:, 2] - comps[:, 0] < 0.3 * em)
    left = float(areas[~explained & ~thin].sum())
    return found, left / max(1.0, float(areas.sum()))


def _page_sized(comps: NDArray[np.float64], page: tuple[int, ...]) -> NDArray[np.bool_]:
    """Components as long as most of the page: paper edges on a desk, frames, seal lines."""
    result: NDArray[np.bool_] = (comps[:, 2] - comps[:, 0] > 0.6 * page[1]) | (
        comps[:, 3] - comps[:, 1] > 0.6 * page[0]
    )
    return result


def _cut_off(comps: NDArray[np.float64], page: tuple[int, ...], em: float) -> NDArray[np.bool_]:
    """Narrow components at the picture's edge: shadows, and what a neighbouring page shows."""
    near = (comps[:, :2] <= 1).any(axis=1) | (comps[:, 2] >= page[1] - 1) | (comps[:, 3] >= page[0] - 1)
    result: NDArray[np.bool_] = near & ((comps[:, 2:] - comps[:, :2]).min(axis=1) < em)
    return result


def _lies_under_text(picture: Box, segments: Sequence[Segment], em: float) -> bool:
    """Whether lines of text run across the edges of a placed picture: a watermark or another background."""
    reach = EDGE_REACH_EM * em
    crossing = 0
    for box in (s.box for s in segments):
        if picture.y0 < box.cy < picture.y1:
            edges = (picture.x0, picture.x1)
            crossing += any(box.x0 < edge - reach and box.x1 > edge + reach for edge in edges)
    return crossing >= CROSSING


def _placed(pictures: Sequence[Box], page: tuple[int, ...], em: float) -> list[Box]:
    """Pictures that can be figures: not the page's background, not as small as a letter; strips joined."""
    height, width = page[:2]
    boxes = [p for p in pictures if p.width < 0.9 * width or p.height < 0.9 * height]
    merged = True
    while merged:
        merged = False
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                strip = a.grow(0.15 * em).intersection(b) and (
                    a.x_overlap(b) > 0.9 * max(a.width, b.width) or a.y_overlap(b) > 0.9 * max(a.height, b.height)
                )
                if strip or a.covered_by(b) > 0.8 or b.covered_by(a) > 0.8:
                    boxes = [x for x in boxes if x is not a and x is not b] + [a.union(b)]
                    merged = True
                    break
            if merged:
                break
    return [b for b in boxes if min(b.width, b.height) >= MIN_SIDE_EM * em]


def _inside(comps: NDArray[np.float64], box: Box) -> NDArray[np.bool_]:
    cx, cy = (comps[:, 0] + comps[:, 2]) / 2, (comps[:, 1] + comps[:, 3]) / 2
    result: NDArray[np.bool_] = (cx >= box.x0) & (cx <= box.x1) & (cy >= box.y0) & (cy <= box.y1)
    return result


def _groups(comps: NDArray[np.float64], page: tuple[int, ...], em: float) -> list[Box]:
    """Hulls of clusters of unexplained ink that are large enough and hold more than specks."""
    import cv2

    height, width = page[:2]
    quarter = 4  # px a cell of the coarse canvas: clustering needs no more precision
    canvas = np.zeros((height // quarter + 2, width // quarter + 2), np.uint8)
    specks = (comps[:, 2:] - comps[:, :2]).max(axis=1, initial=0.0) < SPECK_EM * em
    for x0, y0, x1, y1 in comps[~specks]:
        low = min(x1 - x0, y1 - y0)
        # A large hollow shape must not swallow text that stands inside its box: draw its outline only.
        thick = 1 if low > 4 * em else -1
        corner = (int(x0) // quarter, int(y0) // quarter), (int(x1) // quarter, int(y1) // quarter)
        cv2.rectangle(canvas, *corner, 255, thick)
    reach = max(1, round(REACH_EM * em / quarter))
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (2 * reach + 1, 2 * reach + 1))
    _, labels = cv2.connectedComponents(cv2.dilate(canvas, kernel), connectivity=8)
    groups: dict[int, list[int]] = {}
    for index, (x0, y0, x1, y1) in enumerate(comps):
        cell = labels[int(y0 + y1) // 2 // quarter, int(x0 + x1) // 2 // quarter]
        if not cell:
            cell = labels[int(y0) // quarter, int(x0) // quarter]
        if cell or not specks[index]:
            groups.setdefault(int(cell), []).append(index)
    hulls = []
    for members in groups.values():
        own = comps[members]
        hull = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
        sides = (own[:, 2:] - own[:, :2]).max(axis=1)
        # Rules alone are blanks or separators; a figure has other strokes too.
        rule = (own[:, 2:] - own[:, :2]).min(axis=1) < 0.2 * em
        drawn = (sides.max() >= 1.5 * em and bool((~rule | (sides < em)).any())) or (sides >= 0.5 * em).sum() >= 8
        if min(hull.width, hull.height) >= MIN_SIDE_EM * em and drawn:
            hulls.append(hull)
    return hulls


def _merge(items: list[tuple[Box, bool]], em: float) -> list[tuple[Box, bool]]:
    """Join hulls that overlap."""
    out: list[tuple[Box, bool]] = []
    for box, picture in sorted(items, key=lambda item: -item[0].area):
        for index, (other, other_picture) in enumerate(out):
            if box.covered_by(other.grow(0.3 * em)) > 0.3:
                out[index] = (other.union(box), other_picture or picture)
                break
        else:
            out.append((box, picture))
    return out


def _is_frame(box: Box, long_text: Sequence[Box]) -> bool:
    """Whether the hull is a frame around running text: at least two long lines fill most of its width."""
    inside = [t for t in long_text if t.covered_by(box) > 0.9 and t.width > 0.6 * box.width]
    return len(inside) >= 2


def _is_inline(box: Box, segments: Sequence[Segment], em: float) -> bool:
    """Whether the hull is a part of a line, such as a tall bracket or a blank: low, and text goes on beside it."""
    if box.height > 3.2 * em or box.width > 14 * em:
        return False
    for segment in segments:
        gap = max(box.x0 - segment.box.x1, segment.box.x0 - box.x1)
        level = box.y0 - 0.2 * em <= segment.band.cy <= box.y1 + 0.2 * em
        if level and -0.5 * em <= gap < 0.7 * em and len(segment.glyphs) >= 3 and segment.em > 0.8 * em:
            return True
    return False
