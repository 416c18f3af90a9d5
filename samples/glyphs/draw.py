"""Single characters as a page's sharp mask shows them: drawn in a font, blurred, with noise, clean or as a scan."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from layout.formulas.glyph_pictures import Picture, picture_of
from layout.formulas.pixels_ink import sharp_mask, without_specks
from samples.glyphs.classes import LATIN

FINE = 3  # times finer than the page, at which type is drawn
EM = (13.0, 44.0)  # px; type of 7 to 15 points at 144 to 200 dpi, and scripts
ENLARGED = 18.0  # em below which pages are read at twice their size
BRACKETS = "()[]{}|"
Gray = NDArray[np.uint8]


def draw_glyph(path: Path, text: str, rng: np.random.Generator) -> Picture | None:
    """The picture of `text` in the font at `path`, None when no ink is left."""
    em = float(np.exp(rng.uniform(*np.log(EM))))
    gray = _degraded(_printed(path, text, em, rng), rng)
    if em < ENLARGED:
        gray = np.asarray(cv2.resize(gray, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
        em *= 2
    mask, _ = without_specks(sharp_mask(gray), em)
    return picture_of(mask) if mask.any() else None


def draw_other(paths: tuple[Path, ...], ideographs: tuple[Path, ...], rng: np.random.Generator) -> Picture | None:
    """The picture of something that is no single character of the table: an ideograph, or letters that touch."""
    if ideographs and rng.random() < 0.6:
        return draw_glyph(ideographs[rng.integers(len(ideographs))], chr(int(rng.integers(0x4E00, 0x9FA5))), rng)
    pair = "".join(rng.choice(list(LATIN), 2))
    return draw_glyph(paths[rng.integers(len(paths))], pair, rng)


@lru_cache(256)
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), size)


def _printed(path: Path, text: str, em: float, rng: np.random.Generator) -> Gray:
    """Black on white at the page's resolution, a little sheared and stretched."""
    font = _font(path, round(em * FINE))
    x0, y0, x1, y1 = font.getbbox(text)
    pad = round(em * FINE * 0.35)
    canvas = Image.new("L", (int(x1 - x0) + 2 * pad, int(y1 - y0) + 2 * pad), 255)
    pen = ImageDraw.Draw(canvas)
    if len(text) == 2:  # letters that touch: the second is drawn into the first
        pen.text((pad - x0, pad - y0), text[0], font=font, fill=0)
        shift = font.getlength(text[0]) - 0.08 * em * FINE
        pen.text((pad - x0 + shift, pad - y0), text[1], font=font, fill=0)
    else:
        pen.text((pad - x0, pad - y0), text, font=font, fill=0)
    fine = np.asarray(canvas, np.uint8)
    height, width = fine.shape
    tall = float(rng.uniform(0.95, 1.7)) if text in BRACKETS else float(rng.uniform(0.93, 1.07))
    shear = float(rng.normal(0, 0.035))
    dx, dy = rng.uniform(0, FINE, 2)
    matrix = np.array([[1.0, shear, dx - shear * height / 2], [float(rng.normal(0, 0.006)), tall, dy]])
    fine = cv2.warpAffine(fine, matrix, (width, round(height * tall) + FINE), borderValue=255)
    size = (max(fine.shape[1] // FINE, 1), max(fine.shape[0] // FINE, 1))
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), np.uint8)


def _degraded(gray: Gray, rng: np.random.Generator) -> Gray:
    """A third stays as it is; the others are blurred, pale, noisy, and most of them went through a JPEG."""
    if rng.random() < 0.35:
        return gray
    work = np.asarray(cv2.GaussianBlur(gray, (0, 0), float(rng.uniform(0.3, 1.0))), np.float32)
    paper, ink = float(rng.uniform(215, 255)), float(rng.uniform(0, 90))
    noise = rng.normal(0, float(rng.uniform(0, 7)), work.shape)
    out: Gray = np.clip(ink + work * (paper - ink) / 255 + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 85))])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE), np.uint8)
    return out
