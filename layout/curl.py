"""Curl and perspective of a photographed page: how its lines of text rise and fall, taken from the ink of the lines.

One smooth surface is fitted to all lines at once: each line has a height of its own, and what its ink departs from it
is a polynomial of the place on the page (least squares, with outliers weighed down; Huber 1964).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

POWERS = tuple((i, j) for i in (1, 2, 3, 4) for j in (0, 1, 2))  # of x and y
RIDGE = 1e-4  # keeps what hardly any line shows near zero
WINDOW_EM, STEP_EM = 3.0, 1.5  # width and distance of the pieces of a line whose middles are taken
LEAST_PIECES, LEAST_LINES = 4, 5
OUTLIER_EM = 0.08  # departures beyond this count less
WORTH_EM = 0.045  # a page whose lines depart less than this (root mean square) is flat
BETTER = 0.8  # of that must be left at most, else the surface explains nothing
MOST_EM = 3.0  # the surface rises and falls no more than that
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Curl:
    """A smooth surface over a page of `width` by `height` px; `weights` belong to `POWERS`."""

    weights: tuple[float, ...]
    width: float
    height: float

    def rise(self, x: Array, y: Array) -> Array:
        """By how many pixels what stands at (x, y) of the flat page stands lower on the curled one."""
        total: Array = _features(x / self.width - 0.5, y / self.height - 0.5) @ np.array(self.weights)
        return total

    def __add__(self, other: Curl) -> Curl:
        """Both surfaces, the other one found on the page from which this one was taken out."""
        weights = tuple(a + b for a, b in zip(self.weights, other.weights, strict=True))
        return Curl(weights, self.width, self.height)


def _features(u: Array, v: Array) -> Array:
    return np.stack([u**i * v**j for i, j in POWERS], axis=-1)


def find_curl(quads: Sequence[Array], ink: NDArray[np.uint8], em: float) -> Curl | None:
    """The surface of a page, None when its lines are level or follow none.

    Args:
        quads: detected lines, each 4×2, clockwise from the top left.
        ink: H×W mask, 255 where there is ink.
        em: font size in px.
    """
    height, width = ink.shape
    lines = [points for quad in quads if len(points := _middles(quad, ink, em)) >= LEAST_PIECES]
    if len(lines) < LEAST_LINES:
        return None
    x, y = np.concatenate(lines).T
    v = np.concatenate([np.full(len(p), p[:, 1].mean()) for p in lines])
    owner = np.repeat(np.arange(len(lines)), [len(p) for p in lines])
    features = _features(x / width - 0.5, v / height - 0.5)
    weight = np.ones(len(x))
    for _ in range(6):
        a, b = _without_means(features, owner, weight), _without_means(y[:, None], owner, weight)[:, 0]
        scaled = a * weight[:, None]
        solution = np.linalg.solve(scaled.T @ a + RIDGE * len(x) * np.eye(len(POWERS)), scaled.T @ b)
        rest = np.abs(b - a @ solution)
        weight = np.minimum(1.0, OUTLIER_EM * em / np.maximum(rest, 1e-6))
    before, after = (float(np.sqrt(np.average(r**2, weights=weight))) for r in (b, rest))
    curl = Curl(tuple(float(s) for s in solution), float(width), float(height))
    if before < WORTH_EM * em or after > BETTER * before or np.abs(curl.rise(x, v)).max() > MOST_EM * em:
        return None
    return curl


def _without_means(values: Array, owner: NDArray[np.intp], weight: Array) -> Array:
    """`values` (N×k) less the weighted mean of their line's."""
    total = np.bincount(owner, weight)
    means = np.stack([np.bincount(owner, weight * column) / total for column in values.T], axis=-1)
    result: Array = values - means[owner]
    return result


def _middles(quad: Array, ink: NDArray[np.uint8], em: float) -> Array:
    """Middles of the ink (x, y) in pieces of a detected line, N×2."""
    (x0, y0), (x1, y1) = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
    half = float(np.hypot(*(quad[3] - quad[0]))) / 2
    if x1 - x0 < WINDOW_EM * em or half > 1.2 * em:
        return np.zeros((0, 2))
    out = []
    for left in np.arange(x0, x1 - WINDOW_EM * em + 1, STEP_EM * em):
        right = left + WINDOW_EM * em
        middle = y0 + (y1 - y0) * ((left + right) / 2 - x0) / (x1 - x0)
        top = max(int(middle - half), 0)
        window = ink[top : int(middle + half) + 1, max(int(left), 0) : int(right)]
        rows = window.sum(axis=1, dtype=np.float64) / 255
        if rows.sum() >= 0.15 * em * em:
            out.append(((left + right) / 2, top + float(rows @ np.arange(len(rows))) / rows.sum()))
    return np.array(out).reshape(-1, 2)


def flattened(image: NDArray[np.uint8], curl: Curl) -> NDArray[np.uint8]:
    """H×W or H×W×3 `image` with the surface taken out."""
    import cv2

    height, width = image.shape[:2]
    y, x = np.mgrid[0:height:16, 0:width:16].astype(np.float64)
    rise = cv2.resize(curl.rise(x, y).astype(np.float32), None, fx=16, fy=16, interpolation=cv2.INTER_LINEAR)
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    lower = rows + rise[:height, :width]
    flat = cv2.remap(image, columns, lower, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)
