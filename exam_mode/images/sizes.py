"""The size in which a model takes an image, and what it costs in tokens. Pure arithmetic, no heavy imports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

MAX_RATIO = 200  # qwen-vl-utils refuses longer shapes


@dataclass(frozen=True, slots=True)
class ImageRule:
    """Limits of one family of models; all sizes in pixels. None means no limit."""

    resize: Literal["smart", "fit"] = "fit"
    factor: int = 28
    min_pixels: int = 3136
    max_pixels: int | None = None
    long_side: int | None = None
    short_side: int | None = None
    tokens: Literal["patch", "area", "tiles"] = "area"
    per: float = 784.0
    base: int = 0
    each: int = 0
    tile: int = 512
    boxes: Literal["grid", "pixels"] = "grid"
    window: int | None = None

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height to send for an image of `width` × `height`.

        Raises:
            ValueError: the image has no area or is more than 200 times as long as wide (smart only).
        """
        if width <= 0 or height <= 0:
            raise ValueError(f"an image of {width} × {height} pixels has no area")
        if self.resize == "smart":
            tall, wide = smart_resize(height, width, self.factor, self.min_pixels, self.max_pixels)
            return wide, tall
        return fit(width, height, self.long_side, self.short_side, self.max_pixels)

    def cost(self, width: int, height: int) -> int:
        """Tokens that an image of this (final) size costs, by the provider's published formula."""
        if self.tokens == "patch":
            return math.ceil(width / self.factor) * math.ceil(height / self.factor)
        if self.tokens == "tiles":
            return self.base + self.each * math.ceil(width / self.tile) * math.ceil(height / self.tile)
        return math.ceil(width * height / self.per)


def smart_resize(
    height: int, width: int, factor: int = 28, min_pixels: int = 3136, max_pixels: int | None = None
) -> tuple[int, int]:
    """Height and width as `qwen_vl_utils.smart_resize` gives them.

    Both become multiples of `factor`, the product lies between `min_pixels` and `max_pixels`, and the shape is kept
    as closely as that allows. Source: qwen-vl-utils 0.0.14, vision_process.py.

    Raises:
        ValueError: one side is more than 200 times the other.
    """
    ratio = max(height, width) / min(height, width)
    if ratio > MAX_RATIO:
        raise ValueError(f"one side is {ratio:.0f} times the other; at most {MAX_RATIO} is possible")
    tall = max(factor, round(height / factor) * factor)
    wide = max(factor, round(width / factor) * factor)
    if max_pixels is not None and tall * wide > max_pixels:
        beta = math.sqrt(height * width / max_pixels)
        tall = math.floor(height / beta / factor) * factor
        wide = math.floor(width / beta / factor) * factor
    elif tall * wide < min_pixels:
        beta = math.sqrt(min_pixels / (height * width))
        tall = math.ceil(height * beta / factor) * factor
        wide = math.ceil(width * beta / factor) * factor
    return max(tall, factor), max(wide, factor)


def fit(
    width: int, height: int, long_side: int | None, short_side: int | None, max_pixels: int | None
) -> tuple[int, int]:
    """The largest size of the same shape within the limits, never larger than given, at least 1 × 1."""
    scale = 1.0
    if long_side is not None:
        scale = min(scale, long_side / max(width, height))
    if short_side is not None:
        scale = min(scale, short_side / min(width, height))
    if max_pixels is not None:
        scale = min(scale, math.sqrt(max_pixels / (width * height)))
    return max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
