"""Deterministic scans and phone photos of a PDF, each with the matrix that maps page points to its pixels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pymupdf
from numpy.typing import NDArray

SCAN_DPI = 200
SCAN_QUALITY = 48  # JPEG quality: legible, and small enough to keep in the repository
PHOTO_DPI = 220  # of the flat page before the camera sees it
PHOTO_SIZE = (1680, 2240)  # width, height in pixels
PHOTO_QUALITY = 72
CURL_PT = 3.0  # highest lift of the page's middle, in page points

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scan:
    """An image-only PDF; `matrices[i]` maps points of flat page i+1 to pixels at `SCAN_DPI`; `sizes` in pixels."""

    pdf: bytes
    matrices: tuple[Matrix, ...]
    sizes: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Photo:
    """A JPEG; `matrix` maps page points to its pixels, up to `deviation_px` where the page curls."""

    jpeg: bytes
    matrix: Matrix
    size: tuple[int, int]
    deviation_px: float


def make_scan(pdf: bytes, seed: int) -> Scan:
    """Grey scan of every page: skew of 0.3–1°, slight blur, uneven light, noise, dust, JPEG.

    The same `pdf` and `seed` give the same pictures.
    """
    rng = np.random.default_rng(seed)
    out, matrices, sizes = pymupdf.open(), [], []
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        for page in document:
            pix = page.get_pixmap(dpi=SCAN_DPI, colorspace=pymupdf.csGRAY)
            flat = np.frombuffer(pix.samples, np.uint8).reshape(pix.height, pix.stride)[:, : pix.width]
            image, turn = _scan_page(flat, rng)
            matrices.append(turn @ np.diag([SCAN_DPI / 72, SCAN_DPI / 72, 1.0]))
            sizes.append((pix.width, pix.height))
            new = out.new_page(width=page.rect.width, height=page.rect.height)
            new.insert_image(new.rect, stream=_jpeg(image, SCAN_QUALITY))
    out.set_metadata({})
    data = out.tobytes(garbage=3, no_new_id=True)
    out.close()
    return Scan(data, tuple(matrices), tuple(sizes))


def _scan_page(flat: Image, rng: np.random.Generator) -> tuple[Image, Matrix]:
    height, width = flat.shape
    angle = float(rng.uniform(0.3, 1.0)) * float(rng.choice([-1.0, 1.0]))
    turn = np.eye(3)
    turn[:2] = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    turn[:2, 2] += rng.uniform(-6, 6, 2)
    image = cv2.warpAffine(flat, turn[:2], (width, height), flags=cv2.INTER_CUBIC, borderValue=255)
    work = cv2.GaussianBlur(image, (0, 0), 0.6).astype(np.float32)
    light = np.linspace(1.0, float(rng.uniform(0.955, 0.985)), width, dtype=np.float32)
    work = (20 + work * (250 - 20) / 255) * light  # toner is not black, paper is not white
    for _ in range(int(rng.integers(20, 45))):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        cv2.circle(work, (x, y), int(rng.integers(0, 2)), float(rng.uniform(90, 190)), -1)
    work += rng.normal(0, 3.0, work.shape).astype(np.float32)
    return np.clip(work, 0, 255).astype(np.uint8), turn


def make_photo(pdf: bytes, page: int, seed: int) -> Photo:
    """Photo of the 1-based `page` on a desk: perspective, a slight curl, a shadow across, warm light, noise."""
    rng = np.random.default_rng(seed)
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        rect = document[page - 1].rect
        pix = document[page - 1].get_pixmap(dpi=PHOTO_DPI)
    flat = np.frombuffer(pix.samples, np.uint8).reshape(pix.height, pix.width, 3)
    matrix = _camera(rect.width, rect.height, rng)
    image, lift = _see(flat, matrix, (rect.width, rect.height), rng)
    image = _light(image, rng)
    scale = float(np.linalg.norm(matrix[:2, :2] @ np.array([0.0, 1.0])))
    return Photo(_jpeg(image[:, :, ::-1], PHOTO_QUALITY), matrix, PHOTO_SIZE, round(lift * scale * 1.3, 1))


def _camera(width_pt: float, height_pt: float, rng: np.random.Generator) -> Matrix:
    """Page points → photo pixels: a page seen slightly from below, turned a little."""
    w, h = PHOTO_SIZE
    jitter = rng.uniform(-0.012, 0.012, (4, 2))
    quad = np.array([[0.095, 0.06], [0.915, 0.05], [0.965, 0.955], [0.035, 0.94]]) + jitter
    corners = np.array([[0, 0], [width_pt, 0], [width_pt, height_pt], [0, height_pt]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners, (quad * (w, h)).astype(np.float32)), np.float64)


def _see(flat: Image, matrix: Matrix, page: tuple[float, float], rng: np.random.Generator) -> tuple[Image, float]:
    """The curled page on a dark desk, as the camera sees it, RGB; and the highest lift in points."""
    w, h = PHOTO_SIZE
    inverse = np.linalg.inv(matrix)
    u, v = np.meshgrid(np.arange(w, dtype=np.float64), np.arange(h, dtype=np.float64))
    x, y, d = (inverse[i, 0] * u + inverse[i, 1] * v + inverse[i, 2] for i in range(3))
    x, y = x / d, y / d
    lift = CURL_PT * float(rng.uniform(0.7, 1.0))
    y = y - lift * np.sin(np.pi * np.clip(x / page[0], 0, 1)) * (0.3 + 0.7 * np.clip(y / page[1], 0, 1))
    dots = PHOTO_DPI / 72
    seen = cv2.remap(flat, (x * dots).astype(np.float32), (y * dots).astype(np.float32), cv2.INTER_AREA)
    desk = np.array([96, 74, 56]) + cv2.GaussianBlur(rng.normal(0, 30, (h, w)), (0, 0), 9, sigmaY=1.2)[..., None] * 6
    inside = ((x > 0) & (x < page[0]) & (y > 0) & (y < page[1])).astype(np.float32)
    mask = cv2.GaussianBlur(inside, (0, 0), 0.8)[..., None]
    return np.clip(seen * mask + desk * (1 - mask), 0, 255).astype(np.uint8), lift


def _light(image: Image, rng: np.random.Generator) -> Image:
    h, w = image.shape[:2]
    u, v = np.meshgrid(np.linspace(0, 1, w), np.linspace(0, 1, h))
    edge = 0.62 + 0.1 * float(rng.uniform(-1, 1))
    shadow = 1 / (1 + np.exp(-(u + 0.45 * v - edge * 1.5) * 14))
    shade = (0.78 + 0.2 * (1 - v) - 0.05 * u) * (1 - 0.24 * shadow)
    work = cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float64) * shade[..., None] * np.array([1.0, 0.97, 0.90])
    work += rng.normal(0, 3.0, work.shape)
    return np.asarray(np.clip(work, 0, 255), np.uint8)


def _jpeg(image: Image, quality: int) -> bytes:
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_OPTIMIZE, 1])
    if not ok:
        raise ValueError("OpenCV could not write a JPEG")
    return bytes(data)
