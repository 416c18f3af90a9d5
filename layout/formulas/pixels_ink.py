"""A sharp mask of printed strokes: letters that touch in the page's ink mask stand apart here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wholepage.boxes import Box

SCALE = 2  # the mask is finer than the page: gaps of one pixel between letter and bar become visible
CONTRAST = 0.27  # share of the way from paper to ink at which a sharpened pixel counts as ink
PAPER_NOISE = 60.0  # grey levels below the paper's at which ink begins for sure
MIN_AREA = 0.0072  # em²; smaller components are specks: the dot of a small i has 0.012
Mask = NDArray[np.uint8]


def sharp_mask(gray: NDArray[np.uint8]) -> Mask:
    """Mask (1 = ink) of H×W `gray` at `SCALE` times its size, sharpened so that close strokes do not merge."""
    import cv2

    height, width = gray.shape
    large = cv2.resize(gray, (width * SCALE, height * SCALE), interpolation=cv2.INTER_CUBIC)
    sharp = cv2.addWeighted(large, 2.5, cv2.GaussianBlur(large, (0, 0), 1.5 * SCALE), -1.5, 0)
    small = cv2.resize(gray, (max(width // 8, 1), max(height // 8, 1)), interpolation=cv2.INTER_AREA)
    paper = cv2.GaussianBlur(cv2.dilate(small, np.ones((9, 9), np.uint8)), (0, 0), 4)
    dark = _darkness(gray[::2, ::2])
    limit = (paper.astype(np.float32) - CONTRAST * np.maximum(paper - dark, 40.0)).clip(0, 255).astype(np.uint8)
    limit = cv2.resize(limit, (width * SCALE, height * SCALE), interpolation=cv2.INTER_LINEAR)
    mask: Mask = (sharp < limit).view(np.uint8)
    return mask


def _darkness(gray: NDArray[np.uint8]) -> float:
    """Grey value of full ink: the darker ones of the pixels that are no paper, however few those are."""
    flat = gray[gray < float(np.median(gray)) - PAPER_NOISE]
    return float(np.percentile(flat, 15)) if flat.size else 0.0


@dataclass(frozen=True)
class Components:
    """The 4-connected components of a mask: `labels` (0 is paper), and in row n of `boxes` (mask px) label n."""

    labels: NDArray[np.int32]
    boxes: NDArray[np.int32]

    def within(self, x0: int, y0: int, x1: int, y1: int) -> Components:
        """The window (mask px) with the labels as they are; boxes reach beyond it where components do."""
        return Components(self.labels[y0:y1, x0:x1], self.boxes - np.array([x0, y0, x0, y0], dtype=np.int32))


def without_specks(mask: Mask, em: float) -> tuple[Mask, Components]:
    """`mask` without specks, and its components (specks have the label 0)."""
    import cv2

    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
    lookup = np.arange(len(stats), dtype=np.int32)
    lookup[stats[:, 4] < MIN_AREA * (em * SCALE) ** 2] = 0
    kept: NDArray[np.int32] = lookup[labels]
    clean: Mask = (kept > 0).view(np.uint8)
    boxes = np.concatenate([stats[:, :2], stats[:, :2] + stats[:, 2:4]], axis=1).astype(np.int32)
    return clean, Components(kept, boxes)


@dataclass(frozen=True)
class Strokes:
    """Connected components of a sharp mask. `boxes` are N×4 in page px; row i belongs to label `ids[i]`."""

    mask: Mask
    labels: NDArray[np.int32]
    boxes: NDArray[np.float64]
    ids: NDArray[np.int32]
    areas: NDArray[np.float64]  # ink in page px²

    def box(self, index: int) -> Box:
        """Box of component `index`."""
        return Box.of(self.boxes[index])

    def inside(self, box: Box) -> NDArray[np.intp]:
        """Indices of components whose centre lies in `box`."""
        cx, cy = (self.boxes[:, 0] + self.boxes[:, 2]) / 2, (self.boxes[:, 1] + self.boxes[:, 3]) / 2
        return np.flatnonzero((cx >= box.x0) & (cx <= box.x1) & (cy >= box.y0) & (cy <= box.y1))

    def picture(self, index: int) -> Mask:
        """The component alone, cropped to its box, at the mask's scale (1 = ink)."""
        x0, y0, x1, y1 = (int(v * SCALE) for v in self.boxes[index])
        part: Mask = (self.labels[y0:y1, x0:x1] == self.ids[index]).view(np.uint8)
        return part


def find_strokes(mask: Mask, erased: list[Box], em: float) -> Strokes:
    """Components of `mask` without the boxes in `erased` (page px)."""
    import cv2

    kept = mask.copy()
    for box in erased:
        x0, y0, x1, y1 = (round(v * SCALE) for v in (box.x0, box.y0, box.x1, box.y1))
        kept[max(y0, 0) : y1, max(x0, 0) : x1] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(kept, connectivity=4, ltype=cv2.CV_32S)
    stats = stats[1:]
    keep = np.flatnonzero(stats[:, 4] >= MIN_AREA * (em * SCALE) ** 2)
    xywh = stats[keep, :4].astype(np.float64) / SCALE
    boxes = np.concatenate([xywh[:, :2], xywh[:, :2] + xywh[:, 2:]], axis=1)
    ids = (keep + 1).astype(np.int32)
    return Strokes(kept, labels.astype(np.int32, copy=False), boxes, ids, stats[keep, 4] / SCALE**2)
