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
MAX_SIDE = 16_000  # pixels; WebP ends at 16383
GREY_SPREAD = 24  # of 255 between the channels of a pixel: below it everywhere, a page is stored without colour
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
    """Width in pixels and JPEG quality (0–100) of page images; `reduced` when the paper is so long that both fell."""

    width: int
    quality: int
    reduced: bool


def page_scale(pages: int) -> PageScale:
    """Width and quality for a paper of `pages` pages, so that the file stays below about 20 MB.

    On A4 text pages the steps give about 110, 80, 60 and 40 kB a page.
    """
    for limit, width, quality in ((16, 1300, 52), (48, 1150, 42), (120, 1000, 34)):
        if pages <= limit:
            return PageScale(width, quality, reduced=width < 1300)
    return PageScale(820, 28, reduced=True)


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
            path, width, height = self._checked(file)
            wide = min(MAX_WIDE, math.sqrt(width / height) * 1.15) if width > 1.1 * height else 1.0
            return _encode_page(path.read_bytes(), round(self.scale.width * wide), self.scale.quality)
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

    def _checked(self, file: str) -> tuple[Path, int, int]:
        """Path, width and height of a picture that may be decoded. Raises OSError or ValueError with a short reason."""
        root = self.folder.resolve()
        path = (root / file).resolve()  # a null byte raises ValueError, a name that is too long OSError
        if not path.is_relative_to(root):
            raise ValueError("outside the paper's folder")
        if not path.is_file():
            raise FileNotFoundError("file not found")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # MAX_PIXELS decides
            with Image.open(path, formats=FORMATS) as image:  # reads the header only
                width, height = image.size
        if width * height > MAX_PIXELS:
            raise ValueError(f"{width}×{height} pixels are too many")
        return path, width, height

    def _open(self, file: str) -> Image.Image:
        """The decoded picture, upright, in RGB."""
        path, _, _ = self._checked(file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as image:
                return _flatten(ImageOps.exif_transpose(image))


def _flatten(image: Image.Image) -> Image.Image:
    """RGB; transparency on white, as paper is."""
    if image.has_transparency_data:
        with_alpha = image.convert("RGBA")
        ground = Image.new("RGBA", with_alpha.size, "white")
        ground.alpha_composite(with_alpha)
        return ground.convert("RGB")
    return image.convert("RGB")


def _encode_page(data: bytes, width: int, quality: int) -> Picture:
    """A page scaled down to `width` (never up) as JPEG, grey where the page has no colour.

    OpenCV and JPEG take 0.07 to 0.15 s of processor time for an A4 page of 200 dpi, Pillow and WebP 0.28 s, for
    files of the same size; a preview is written for each paper that is ingested.
    """
    import cv2
    import numpy as np

    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ValueError("damaged image") from error
    if image is None:
        raise ValueError("damaged image")
    sample = image[::5, ::5].astype(np.int16)
    if int(np.ptp(sample, axis=2).max()) <= GREY_SPREAD:
        image = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    high, wide = image.shape[:2]
    factor = min(1.0, width / wide, MAX_SIDE / high)
    if factor < 1:
        size = (max(1, round(wide * factor)), max(1, round(high * factor)))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    done, buffer = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_OPTIMIZE, 1])
    if not done:
        raise ValueError("the page cannot be encoded")
    encoded = buffer.tobytes()
    uri = "data:image/jpeg;base64," + base64.b64encode(encoded).decode("ascii")
    return Picture(uri, image.shape[1], image.shape[0], len(encoded))


def _encode(image: Image.Image, width: int, quality: int) -> Picture:
    """A figure scaled down to `width` (never up) as WebP."""
    if image.width > width:
        height = max(1, round(image.height * width / image.width))
        image = image.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)
    if max(image.size) > MAX_SIDE:
        image.thumbnail((MAX_SIDE, MAX_SIDE))
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
