"""Images for the model: opened from data URLs or files, brought to its grid once."""

from __future__ import annotations

import base64
import binascii
import io
from pathlib import Path
from typing import TYPE_CHECKING

from exam_mode.qwen_vl.errors import QwenModelError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_IMAGE_PIXELS = 200_000_000  # more is refused before it is decoded: a small file can claim any size


def open_image(source: str) -> Image:
    """Open a `data:image/…;base64,` URL or a file.

    Raises:
        QwenModelError: a web address, damaged data, or an image of more than MAX_IMAGE_PIXELS.
    """
    from PIL import Image as Pil

    name = source if len(source) < 200 else f"{source[:40]}… ({len(source)} characters)"
    try:
        image = Pil.open(io.BytesIO(_decoded(source)) if source.startswith("data:") else Path(source))
        if image.width * image.height > MAX_IMAGE_PIXELS:
            raise ValueError(f"{image.width}×{image.height} pixels are too many")
        image.load()
    except (OSError, ValueError, SyntaxError, Pil.DecompressionBombError) as error:
        raise QwenModelError(
            f"Cannot read the image {name}: {error}.",
            hint="Images are given as files or base64 data URLs; nothing is fetched from the web.",
            code="model.image",
        ) from error
    return image


def _decoded(source: str) -> bytes:
    head, comma, body = source.partition(",")
    if not comma or not head.endswith(";base64"):
        raise ValueError("the data URL is not base64")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the data URL is damaged ({error})") from error


def fit(image: Image, patch: int, merge: int, min_pixels: int | None, max_pixels: int | None) -> Image:
    """RGB image whose sides are multiples of `patch * merge`, by qwen-vl-utils' smart_resize.

    An image that already is one, and keeps the limits that are given, is left pixel for pixel as it is.

    Raises:
        QwenModelError: sides differ by more than a factor of 200, which the model does not take.
    """
    from qwen_vl_utils.vision_process import fetch_image, to_rgb

    factor = patch * merge
    size = image.width * image.height
    kept = (min_pixels is None or size >= min_pixels) and (max_pixels is None or size <= max_pixels)
    if kept and image.width % factor == 0 and image.height % factor == 0:
        plain: Image = to_rgb(image)
        return plain
    limits = {"min_pixels": min_pixels, "max_pixels": max_pixels}
    try:
        resized: Image = fetch_image(
            {"image": image, **{k: v for k, v in limits.items() if v is not None}}, image_patch_size=patch
        )
    except (ValueError, AssertionError) as error:
        raise QwenModelError(
            f"An image of {image.width}×{image.height} pixels does not fit the model: {error}.",
            hint="Cut it into parts, or change -M min_pixels= and max_pixels=.",
            code="model.image",
        ) from error
    return resized
