"""Pictures of a paper as data URIs, small enough for one HTML file, and never from outside the paper's folder."""

from __future__ import annotations

import base64
import io
import math
import warnings
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

FORMATS = ("PNG", "JPEG", "WEBP")  # what ingestion writes; anything else is not opened
MAX_PIXELS = 120_000_000  # a stored page of 200 dpi has 4–9 million; above this a file is an attack or an accident
MAX_FIGURE_WIDTH = 900
FIGURE_QUALITY = 78
FIGURE_BUDGET = 16_000_000  # bytes of figures in one preview; figures beyond it are named, not embedded
MAX_WIDE = 1.35  # a landscape sheet holds two columns: it gets more pixels across
WEBP_EFFORT = 2  # 0–6; on exam pages 2 takes half the time of the default 4 and gives 4 % more bytes


@dataclass(frozen=True, slots=True)
class Picture:
    """One embedded picture: a data URI, its size in pixels as embedded, and its encoded bytes."""

    uri: str
    width: int
    height: int
    size: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A picture that cannot be shown: the file's name as the paper gives it, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageScale:
    """Width in pixels and WebP quality (0–100) of page images; `reduced` when the paper is so long that both fell."""

    width: int
    quality: int
    reduced: bool


def page_scale(pages: int) -> PageScale:
    """Width and quality for a paper of `pages` pages, so that the file stays below about 20 MB.

    On text pages at 200 dpi the steps give about 100, 75, 55 and 40 kB a page.
    """
    for limit, width, quality in ((16, 1300, 58), (48, 1150, 45), (120, 1000, 35)):
        if pages <= limit:
            return PageScale(width, quality, reduced=width < 1300)
    return PageScale(820, 30, reduced=True)


class Pictures:
    """Reads pictures below one paper's folder and keeps the count of the bytes embedded."""

    def __init__(self, folder: Path, pages: int) -> None:
        self.folder = folder
        self.scale = page_scale(pages)
        self.figure_bytes = 0
        self.missing: list[Missing] = []
        self._figures: dict[str, Picture] = {}

    def page(self, file: str | None) -> Picture | Missing:
        """One page image; `file` is relative to the paper's folder, None for a page that could not be read."""
        if file is None:
            return self._note(Missing("", "the page could not be read"))
        try:
            image = self._open(file)
            wide = min(MAX_WIDE, math.sqrt(max(1.0, image.width / image.height)) * 1.15) if _landscape(image) else 1.0
            return _encode(image, round(self.scale.width * wide), self.scale.quality)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            return self._note(Missing(file, _reason(error)))

    def figure(self, file: str) -> Picture | Missing:
        """One figure. A figure shown twice is embedded twice, and all count towards `FIGURE_BUDGET`."""
        try:
            picture = self._figures.get(file) or _encode(self._open(file), MAX_FIGURE_WIDTH, FIGURE_QUALITY)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            return self._note(Missing(file, _reason(error)))
        if self.figure_bytes + picture.size > FIGURE_BUDGET:
            return self._note(Missing(file, "not embedded, the preview holds as many pictures as it may"))
        self._figures[file] = picture
        self.figure_bytes += picture.size
        return picture

    def _note(self, missing: Missing) -> Missing:
        if missing not in self.missing:
            self.missing.append(missing)
        return missing

    def _open(self, file: str) -> Image.Image:
        """The decoded picture, upright, in grey or RGB. Raises OSError or ValueError with a short reason."""
        root = self.folder.resolve()
        path = (root / file).resolve()  # a null byte raises ValueError, a name that is too long OSError
        if not path.is_relative_to(root):
            raise ValueError("outside the paper's folder")
        if not path.is_file():
            raise FileNotFoundError("file not found")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # MAX_PIXELS decides, below
            with Image.open(path, formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise ValueError(f"{image.width}×{image.height} pixels are too many")
                upright = ImageOps.exif_transpose(image)
                return _flatten(upright)


def _landscape(image: Image.Image) -> bool:
    return image.width > 1.1 * image.height


def _flatten(image: Image.Image) -> Image.Image:
    """Grey or RGB; transparency on white, as paper is."""
    if image.has_transparency_data:
        with_alpha = image.convert("RGBA")
        ground = Image.new("RGBA", with_alpha.size, "white")
        ground.alpha_composite(with_alpha)
        return ground.convert("RGB")
    return image.convert("RGB")


def _encode(image: Image.Image, width: int, quality: int) -> Picture:
    """Scale down to `width` (never up) and encode as WebP, or as PNG where that is smaller, as in line art."""
    if image.width > width:
        height = max(1, round(image.height * width / image.width))
        image = image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)
    if max(image.size) > 16_000:  # WebP ends at 16383 pixels a side
        image.thumbnail((16_000, 16_000))
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=quality, method=WEBP_EFFORT)
    data = buffer.getvalue()
    uri = "data:image/webp;base64," + base64.b64encode(data).decode("ascii")
    return Picture(uri, image.width, image.height, len(data))


def _reason(error: BaseException) -> str:
    """Words for the reader without paths of this machine."""
    if isinstance(error, FileNotFoundError):
        return "file not found"
    if isinstance(error, UnidentifiedImageError):
        return "not a PNG, JPEG or WebP image"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror or 'damaged image'})"
    return str(error) if isinstance(error, ValueError) and len(str(error)) < 80 else "damaged image"
