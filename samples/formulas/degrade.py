"""Pages as an office scanner at 200 dpi gives them, with the matrix from the clean image to the scan."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pymupdf
from numpy.typing import NDArray

from samples.scans import SCAN_DPI

LARGEST_TURN = 0.5  # degrees
QUALITY = (45, 75)  # JPEG
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Scanned:
    """`image` is H×W×3 RGB; `matrix` (3×3) maps pixels of the clean image to its pixels."""

    image: Image
    matrix: NDArray[np.float64]


def page_image(page: pymupdf.Page, dpi: int = SCAN_DPI) -> Image:
    """The page as H×W×3 RGB."""
    pix = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csRGB, alpha=False)
    flat = np.frombuffer(pix.samples, np.uint8).reshape(pix.height, pix.stride)[:, : pix.width * 3]
    return np.ascontiguousarray(flat.reshape(pix.height, pix.width, 3))


def scan(image: Image, seed: int) -> Scanned:
    """`image` turned by up to half a degree, blurred, unevenly lit, with noise and dust, through a grey JPEG.

    The same image and seed give the same scan.
    """
    rng = np.random.default_rng(seed)
    height, width = image.shape[:2]
    matrix = np.eye(3)
    matrix[:2] = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(-LARGEST_TURN, LARGEST_TURN)), 1.0)
    matrix[:2, 2] += rng.uniform(-5, 5, 2)
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    turned = cv2.warpAffine(grey, matrix[:2], (width, height), flags=cv2.INTER_CUBIC, borderValue=255)
    work = cv2.GaussianBlur(turned, (0, 0), float(rng.uniform(0.4, 0.8))).astype(np.float32)
    work = (25 + work * (248 - 25) / 255) * _light(height, width, rng)
    for _ in range(int(rng.integers(10, 40))):
        centre = (int(rng.integers(0, width)), int(rng.integers(0, height)))
        cv2.circle(work, centre, int(rng.integers(0, 2)), float(rng.uniform(90, 190)), -1)
    work += rng.normal(0, float(rng.uniform(2, 5)), work.shape).astype(np.float32)
    grey = np.clip(work, 0, 255).astype(np.uint8)
    quality = int(rng.integers(*QUALITY))
    done, data = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError("OpenCV could not write a JPEG")
    return Scanned(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR_RGB), np.uint8), matrix)


def _light(height: int, width: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Brightness (0–1) of the lamp over the sheet: a plane and the fold's shadow along one edge."""
    across = np.linspace(1.0, float(rng.uniform(0.93, 1.0)), width, dtype=np.float32)[None, :]
    along = np.linspace(1.0, float(rng.uniform(0.95, 1.0)), height, dtype=np.float32)[:, None]
    edge = np.exp(-np.arange(width, dtype=np.float32) / (0.03 * width)) * np.float32(rng.uniform(0.0, 0.25))
    return np.asarray(across * along * (1 - edge[None, :]), np.float32)
