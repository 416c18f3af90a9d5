"""Page images as H×W×3 RGB arrays, from every mode that scanners and phones write."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wholepage.errors import PageError

A4_WIDTH_IN, A4_HEIGHT_IN = 8.27, 11.69
PLAUSIBLE_DPI = (90.0, 1300.0)
PLAUSIBLE_INCHES = (4.5, 26.0)  # longer side of a page: from a small handout to A2
BOMB_FACTOR = (
    2  # a non-JPEG image is decoded whole before it can be made smaller: no more than this many times the limit
)
_EXIF_MAKE, _EXIF_MODEL, _EXIF_EXPOSURE, _EXIF_FNUMBER, _EXIF_IFD = 0x010F, 0x0110, 0x829A, 0x829D, 0x8769
_SCANNER_WORDS = ("scan", "mfp", "canoscan", "perfection", "workcentre", "bizhub", "imagerunner", "fujitsu")


@dataclass(frozen=True)
class LoadedImage:
    """`pixels` is H×W×3 uint8 RGB, upright after EXIF; `dpi` from metadata or estimated from the page's size.

    `camera` tells whether EXIF names a camera; `shrunk` is the factor (below 1) by which a huge image was reduced.
    """

    pixels: NDArray[np.uint8]
    dpi: float
    camera: bool = False
    shrunk: float = 1.0


def count_frames(file: Path | BinaryIO) -> int:
    """Number of pages in an image file; 1 when its header cannot be read (reading the page will say why)."""
    from PIL import Image

    try:
        with _quiet(), Image.open(file) as image:
            return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    except Exception:
        return 1


def load_image(data: Path | bytes, frame: int, max_pixels: int, name: str) -> LoadedImage:
    """Read one frame.

    Args:
        data: the file, or its bytes.
        frame: 0-based page of a multi-page TIFF.
        max_pixels: larger images are made smaller; what cannot be decoded safely is refused.
        name: what the user knows it by.

    Raises:
        PageError: damaged, truncated, or too large to decode.
    """
    from PIL import Image

    try:
        with _quiet(), Image.open(io.BytesIO(data) if isinstance(data, bytes) else data) as image:
            if frame:
                image.seek(frame)
            return _load(image, max_pixels, name)
    except PageError:
        raise
    except MemoryError as error:
        raise PageError(f"{name} does not fit into memory.", hint="Make the image smaller.") from error
    except Exception as error:  # decoders raise anything from SyntaxError to struct.error on damaged files
        raise PageError(
            f"{name} cannot be decoded: {str(error) or type(error).__name__}.",
            hint="Open it in an image viewer; if that fails too, scan or download it again.",
        ) from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Lift Pillow's own pixel limit, since ours is applied, and keep its warnings about odd metadata off stderr."""
    from PIL import Image

    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        Image.MAX_IMAGE_PIXELS = before


def _load(image: Any, max_pixels: int, name: str) -> LoadedImage:
    from PIL import Image, ImageOps

    camera = _is_camera(image)
    stated = image.info.get("dpi")
    full = image.width * image.height
    if full > max_pixels and image.format == "JPEG":
        factor = (max_pixels / full) ** 0.5
        image.draft(None, (max(1, int(image.width * factor / 2)), max(1, int(image.height * factor / 2))))
    if image.width * image.height > BOMB_FACTOR * max_pixels:
        raise PageError(
            f"{name} has {image.width} × {image.height} pixels; the limit is {max_pixels:,}.",
            hint="Make the image smaller, or raise WHOLEPAGE_MAX_PAGE_PIXELS.",
            code="page.too_large",
        )
    image.load()
    rgb = ImageOps.exif_transpose(to_rgb(image))
    if rgb.width * rgb.height > max_pixels:
        factor = (max_pixels / (rgb.width * rgb.height)) ** 0.5
        rgb.thumbnail((int(rgb.width * factor), int(rgb.height * factor)), Image.Resampling.BOX)
    shrunk = (rgb.width * rgb.height / full) ** 0.5
    dpi = _dpi(stated, rgb.width, rgb.height, shrunk)
    return LoadedImage(np.ascontiguousarray(np.asarray(rgb, dtype=np.uint8)), dpi, camera, min(shrunk, 1.0))


def to_rgb(image: Any) -> Any:
    """A Pillow image of any mode as RGB: transparency on white, 16 bit scaled to 8."""
    from PIL import Image

    exif = image.info.get("exif"), image.getexif()
    if image.mode.startswith("I") or image.mode == "F":
        out = Image.fromarray(_to_eight_bits(np.asarray(image))).convert("RGB")
    elif image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        out = Image.new("RGB", rgba.size, "white")
        out.paste(rgba, mask=rgba.getchannel("A"))
    else:
        out = image.convert("RGB")
    if exif[0] is not None and "exif" not in out.info:
        out.info["exif"] = exif[0]
    return out


def _to_eight_bits(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Scale by the depth that the largest value needs: 8, 12 (common for scanners) or 16 bits; floats by 1.0."""
    top = float(values.max(initial=0))
    if values.dtype.kind == "f":
        divisor = 1 / 255 if top <= 1.0 else top / 255
    else:
        divisor = 1.0 if top <= 255 else 4095 / 255 if top <= 4095 else 257.0
    return np.clip(values / divisor, 0, 255).astype(np.uint8)


def _is_camera(image: Any) -> bool:
    """Whether EXIF has an exposure, or names a maker or model that is no scanner."""
    exif = image.getexif()
    detail = exif.get_ifd(_EXIF_IFD) if exif else {}
    if any(tag in detail for tag in (_EXIF_EXPOSURE, _EXIF_FNUMBER)):
        return True
    named = f"{exif.get(_EXIF_MAKE, '')} {exif.get(_EXIF_MODEL, '')}".strip().casefold()
    return bool(named) and not any(word in named for word in _SCANNER_WORDS)


def _dpi(stated: Any, width: int, height: int, shrunk: float) -> float:
    try:
        value = float(max(stated)) * shrunk
    except (TypeError, ValueError, ZeroDivisionError):
        value = 0.0
    plausible = PLAUSIBLE_DPI[0] <= value <= PLAUSIBLE_DPI[1]
    if plausible and PLAUSIBLE_INCHES[0] <= max(width, height) / value <= PLAUSIBLE_INCHES[1]:
        return round(value, 2)
    return estimate_dpi(width, height)


def estimate_dpi(width: int, height: int) -> float:
    """Resolution if the image shows an A4 page, upright or lying; strips are taken to be A4 wide. At least 40."""
    across = A4_HEIGHT_IN if height < width <= 1.7 * height else A4_WIDTH_IN
    return round(max(width / across, 40.0), 2)
