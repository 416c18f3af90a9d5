"""One page of a source as pixels, and page images on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ingest.images import load_image
from ingest.names import shown
from ingest.pdfs import open_pdf
from ingest.sources import PageRef
from ingest.zips import read_entry
from wholepage.boxes import POINTS_PER_INCH
from wholepage.errors import PageError
from wholepage.records import Issue
from wholepage.settings import Settings
from wholepage.workspace import write_bytes

if TYPE_CHECKING:
    import pymupdf

PNG_LEVEL = 1  # zlib level: scanned pages gain little from more, and writing must not slow reading down
GREY_TOLERANCE = 2  # largest difference between channels of a page without colour
MIN_DPI = 24.0
LARGEST_PAGE_IN = 18.0  # longer side; a scan that claims more was made with a wrong resolution
_BROKEN_SIGNS = (
    "cannot decode",
    "image",
    "jpx",
    "jbig2",
    "jpeg",
    "ccitt",
    "zlib",
    "lzw",
    "premature",
    "truncated",
    "may not be correct",
)


@dataclass(frozen=True)
class RawPage:
    """A page as received, before quarter turns.

    `image` is H×W×3 uint8 RGB with the PDF's /Rotate or the picture's EXIF orientation applied; `pdf` the open PDF
    page (valid while the reader is open), None for images; `camera` whether EXIF names a camera.
    """

    image: NDArray[np.uint8]
    dpi: float
    camera: bool = False
    issues: tuple[Issue, ...] = ()
    pdf: pymupdf.Page | None = None


class PageReader:
    """Reads pages one by one and keeps the document of the last page open, so that opening costs once a process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._document: pymupdf.Document | None = None
        self._opened: tuple[Path, str | None] | None = None

    @contextmanager
    def read(self, ref: PageRef, number: int) -> Iterator[RawPage]:
        """The page behind `ref`; `number` is its 1-based place in the paper, for messages.

        Raises:
            PageError: the page cannot be rendered or decoded.
        """
        if ref.kind == "image":
            yield _read_image(ref, number, self._settings)
            return
        page = self._pdf_page(ref, number)
        yield render_page(page, number, self._settings)

    def _pdf_page(self, ref: PageRef, number: int) -> pymupdf.Page:
        if self._document is None or self._opened != (ref.path, ref.password):
            self.close()
            self._document = open_pdf(ref.path, ref.name, ref.password)
            self._opened = (ref.path, ref.password)
        try:
            page = self._document.load_page(ref.index)
            # MuPDF shows a blank page where the page tree points at something else.
            is_page = self._document.xref_object(page.xref, compressed=True).startswith("<<")
        except Exception as error:
            raise _unreadable(number, str(error)) from error
        if not is_page:
            raise _unreadable(number, "the page object is damaged")
        return page

    def close(self) -> None:
        """Close the document that is open, if any."""
        if self._document is not None:
            self._document.close()
        self._document, self._opened = None, None


def render_page(page: pymupdf.Page, number: int, settings: Settings) -> RawPage:
    """Render a PDF page at `settings.dpi`, or lower where the page would exceed `max_page_pixels`.

    Raises:
        PageError: the page has no area, or MuPDF gives up on it.
    """
    import pymupdf

    try:
        dpi = _render_dpi(page, settings)
        pymupdf.TOOLS.reset_mupdf_warnings()
        zoom = dpi / POINTS_PER_INCH
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False)
        flat = np.frombuffer(pixmap.samples_mv, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
        image = flat[:, : 3 * pixmap.width].reshape(pixmap.height, pixmap.width, 3).copy()
        warned = str(pymupdf.TOOLS.mupdf_warnings())
    except PageError:
        raise
    except MemoryError as error:
        raise _unreadable(number, "not enough memory") from error
    except Exception as error:
        raise _unreadable(number, str(error)) from error
    issues = []
    if dpi < settings.dpi - 1:
        message = f"Page {number} is very large and was rendered at {dpi:.0f} instead of {settings.dpi} dpi."
        issues.append(Issue(code="page.downscaled", message=message, page=number))
    broken = [w for w in warned.splitlines() if any(word in w.casefold() for word in _BROKEN_SIGNS)]
    if broken:
        message = f"Page {number} holds data that could not be decoded ({shown(broken[0])}); something may be missing."
        issues.append(Issue(code="page.render_incomplete", message=message, page=number))
    return RawPage(image, dpi, False, tuple(issues), page)


def _render_dpi(page: pymupdf.Page, settings: Settings) -> float:
    width, height = page.rect.width / POINTS_PER_INCH, page.rect.height / POINTS_PER_INCH
    if not (width > 0 and height > 0):
        raise PageError("The page has no area.")
    dpi = float(settings.dpi)
    if max(width, height) > LARGEST_PAGE_IN:
        dpi = min(dpi, _picture_dpi(page) or dpi)
    if width * height * dpi * dpi > settings.max_page_pixels:
        dpi = float(int((settings.max_page_pixels / (width * height)) ** 0.5 * 10) / 10)
    if dpi < MIN_DPI:
        raise PageError(f"The page measures {width:.0f} × {height:.0f} inches.", hint="Print it to a smaller size.")
    return dpi


def _picture_dpi(page: pymupdf.Page) -> float | None:
    """Resolution of the one picture that fills the page, if there is one: more than it has cannot be rendered."""
    infos = page.get_image_info()
    if len(infos) != 1:
        return None
    x0, y0, x1, y1 = infos[0]["bbox"]
    if (x1 - x0) * (y1 - y0) < 0.9 * page.rect.width * page.rect.height:
        return None
    across = float(infos[0]["width"]) / max(float(x1 - x0), 1.0)
    down = float(infos[0]["height"]) / max(float(y1 - y0), 1.0)
    return max(across, down) * POINTS_PER_INCH


def _read_image(ref: PageRef, number: int, settings: Settings) -> RawPage:
    data: Path | bytes = ref.path
    if ref.entry >= 0:
        data = read_entry(ref.path, ref.entry, ref.password, settings)
    loaded = load_image(data, ref.index, settings.max_page_pixels, f"Page {number} ({shown(ref.name)})")
    issues: tuple[Issue, ...] = ()
    if loaded.shrunk < 0.99:
        message = f"Page {number} is very large and was reduced to {loaded.shrunk:.0%} of its width."
        issues = (Issue(code="page.downscaled", message=message, page=number),)
    return RawPage(loaded.pixels, loaded.dpi, loaded.camera, issues)


def _unreadable(number: int, reason: str) -> PageError:
    return PageError(
        f"Page {number} cannot be rendered ({shown(reason.strip()) or 'no reason given'}).",
        hint="Open the file in a viewer; if the page shows there, print it to a new PDF.",
    )


def is_grey(image: NDArray[np.uint8]) -> bool:
    """Whether no pixel of an H×W×3 image has a colour."""
    import cv2

    first, second, third = cv2.split(image)
    difference = cv2.max(cv2.absdiff(first, second), cv2.absdiff(second, third))
    return int(difference.max(initial=0)) <= GREY_TOLERANCE


def write_page(image: NDArray[np.uint8], path: Path) -> None:
    """Atomically write an H×W×3 RGB page as PNG: one channel when the page has no colour."""
    import cv2

    stored: Any = image[:, :, 1] if is_grey(image) else cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
    options = [cv2.IMWRITE_PNG_COMPRESSION, PNG_LEVEL]
    if hasattr(cv2, "IMWRITE_PNG_FILTER"):  # OpenCV ≥ 4.12: one fixed filter is three times as fast as choosing a row
        options += [cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_SUB]
    done, data = cv2.imencode(".png", np.ascontiguousarray(stored), options)
    if not done:
        raise PageError(f"The page image {path.name} could not be written as PNG.")
    write_bytes(path, data.tobytes())


def read_page_image(path: Path) -> NDArray[np.uint8]:
    """A stored page as H×W×3 RGB. Raises PageError when it is absent or damaged."""
    import cv2

    try:
        raw = np.fromfile(path, dtype=np.uint8)
        image = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    except OSError as error:
        raise PageError(f"Cannot read the page image {path}: {error}.", hint="Ingest the file again.") from error
    if image is None:
        raise PageError(f"The page image {path} is damaged.", hint="Ingest the file again.")
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), dtype=np.uint8)
