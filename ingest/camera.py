"""Small skew, perspective, and whether a page was photographed. Estimates only: the stored page stays as received."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MAX_SKEW = 5.0  # degrees searched either way
SKEW_SIDE = 2000  # px of the longer side; at 1200 the error doubles
SKEW_POINTS = 40_000
QUAD_SIDE = 640
MIN_EDGE_STEP = 18.0  # grey levels between page and background along each edge
TILES = 12


def estimate_skew(gray: NDArray[np.uint8]) -> float:
    """Slope of the text lines in degrees, −5…5; positive when they fall to the right (page turned clockwise).

    The angle under which the projection of the letters' lower edges is sharpest (Postl's criterion: largest sum of
    squared profile differences), searched coarse to fine. 0 when there is too little ink.

    Args:
        gray: H×W uint8, upright within the search range.
    """
    import cv2

    scale = min(1.0, SKEW_SIDE / max(gray.shape))
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else gray
    ink = cv2.adaptiveThreshold(small, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 41, 12)
    edge = (ink[:-1] == 1) & (ink[1:] == 0)
    ys, xs = np.nonzero(edge)
    if len(xs) < 200:
        return 0.0
    step = max(1, len(xs) // SKEW_POINTS)
    x, y = xs[::step].astype(np.float64), ys[::step].astype(np.float64)
    height = small.shape[0] + 2 * int(small.shape[1] * math.tan(math.radians(MAX_SKEW + 1))) + 4
    offset = small.shape[1] * math.tan(math.radians(MAX_SKEW + 1)) + 1

    def sharpness(degrees: float) -> float:
        rows = y - x * math.tan(math.radians(degrees)) + offset
        low = np.floor(rows).astype(np.int64)
        part = rows - low
        profile = np.bincount(low, 1 - part, height + 1) + np.bincount(low + 1, part, height + 1)
        profile = np.convolve(profile, np.ones(5) / 5, mode="same")  # glyphs do not end on one pixel row
        return float((np.diff(profile) ** 2).sum())

    best, reach = 0.0, MAX_SKEW
    for stride in (0.25, 0.05, 0.01):
        count = round(reach / stride)
        angles = [best + i * stride for i in range(-count, count + 1)]
        best = max(angles, key=lambda a: (sharpness(a), -abs(a)))
        reach = stride
    return round(float(np.clip(best, -MAX_SKEW, MAX_SKEW)), 2)


def estimate_perspective(rgb: NDArray[np.uint8]) -> NDArray[np.float64] | None:
    """3×3 homography from pixels of the photo to the page cut out and set square; None without clear evidence.

    A page is clear when it is one bright, convex quadrilateral on a darker ground, takes 25–97 % of the picture, and
    is brighter than the ground along every edge that lies inside the picture.

    Args:
        rgb: H×W×3 uint8.
    """
    import cv2

    height, width = rgb.shape[:2]
    scale = QUAD_SIDE / max(height, width)
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    gray = cv2.GaussianBlur(small.min(axis=2), (5, 5), 0)  # the weakest channel tells paper from coloured ground
    closed = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))  # text does not cut the page
    _, mask = cv2.threshold(closed, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    contour = max(contours, key=cv2.contourArea)
    quad = _quadrilateral(contour, small.shape[0] * small.shape[1])
    if quad is None or not _stands_out(closed, quad):
        return None
    corners = quad / scale
    across = (math.dist(corners[0], corners[1]) + math.dist(corners[3], corners[2])) / 2
    down = (math.dist(corners[0], corners[3]) + math.dist(corners[1], corners[2])) / 2
    target = np.array([[0, 0], [across, 0], [across, down], [0, down]], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), target), dtype=np.float64)


def _quadrilateral(contour: NDArray[np.int32], total: float) -> NDArray[np.float64] | None:
    """Corners from top left clockwise, or None when the contour is no page."""
    import cv2

    hull = cv2.convexHull(contour)
    area = float(cv2.contourArea(hull))
    if not 0.25 * total <= area <= 0.97 * total or cv2.contourArea(contour) < 0.93 * area:
        return None
    length = cv2.arcLength(hull, True)
    for tolerance in (0.01, 0.02, 0.03, 0.04, 0.06):
        points = cv2.approxPolyDP(hull, tolerance * length, True).reshape(-1, 2).astype(np.float64)
        if len(points) <= 4:
            break
    if len(points) != 4 or abs(cv2.contourArea(points.astype(np.float32)) - area) > 0.05 * area:
        return None
    centre = points.mean(axis=0)
    around = sorted(points.tolist(), key=lambda p: math.atan2(p[1] - centre[1], p[0] - centre[0]))
    first = min(range(4), key=lambda i: around[i][0] + around[i][1])
    return np.array(around[first:] + around[:first])


def _stands_out(gray: NDArray[np.uint8], quad: NDArray[np.float64]) -> bool:
    """Whether at least three edges lie inside the picture, each brighter inside than outside."""
    height, width = gray.shape
    centre = quad.mean(axis=0)
    seen = 0
    for i in range(4):
        a, b = quad[i], quad[(i + 1) % 4]
        points = a + np.linspace(0.1, 0.9, 17)[:, None] * (b - a)
        inward = centre - (a + b) / 2
        inward = inward / max(float(np.hypot(*inward)), 1e-6)
        inside, outside = points + 9 * inward, points - 9 * inward
        valid = (outside >= 0).all(axis=1) & (outside[:, 0] < width) & (outside[:, 1] < height)
        if valid.sum() < 6:
            continue
        step = [
            float(gray[int(q[1]), int(q[0])]) - float(gray[int(p[1]), int(p[0])])
            for p, q in zip(outside[valid], inside[valid], strict=True)
        ]
        if float(np.median(step)) < MIN_EDGE_STEP:
            return False
        seen += 1
    return seen >= 3


def looks_like_photo(rgb: NDArray[np.uint8], camera: bool = False) -> bool:
    """Whether a page was taken with a camera: EXIF says so, or the paper is unevenly lit or tinted.

    Args:
        rgb: H×W×3 uint8.
        camera: EXIF names a camera or an exposure.
    """
    import cv2

    small = cv2.resize(rgb, (TILES * 24, TILES * 24), interpolation=cv2.INTER_AREA)
    tiles = small.reshape(TILES, 24, TILES, 24, 3).swapaxes(1, 2).reshape(TILES * TILES, -1, 3).astype(np.float64)
    paper = np.percentile(tiles, 85, axis=1)  # the light part of each tile
    brightness = paper.mean(axis=1)
    inner = brightness.reshape(TILES, TILES)[1:-1, 1:-1].ravel()  # scanners leave dark edges
    spread = float(np.percentile(inner, 90) - np.percentile(inner, 10))
    middle = paper[brightness >= np.median(brightness)].mean(axis=0)
    tint = float(middle.max() - middle.min())
    if camera:
        return True
    return spread > 22 or (spread > 8 and tint > 14)
