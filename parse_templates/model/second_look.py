"""A second reading of the page by the OCR engine, for corrections of digits, signs, letters and units.

The span is cut out of the stored page image with a few of its neighbours, larger and with margins of several widths, so
that the recogniser meets it at other scales than when the line was read. It agrees when every such view reads what the
correction says; what cannot be cut out or read is no agreement.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from parse_templates.model.cache import ReplyFiles
from parse_templates.model.client import ChatReply
from parse_templates.model.lines import Book, Place
from wholepage.boxes import Box
from wholepage.errors import WholepageError

if TYPE_CHECKING:
    from layout.ocr import Image, OcrEngine
    from layout.types import Glyph

MARGINS = (0.08, 0.35)  # white around the cut, in heights of the line: the letters fill more or less of a view
ENLARGED = 2.0  # how much larger a view is made before it is read
NEIGHBOURS = 5  # characters on each side that are cut out too
MOST_LOOKS = 60  # spans of one paper
DASHES = dict.fromkeys(map(ord, "‐‑‒–—−ー一"), "-")


class SecondLook:
    """Reads spans again. The engine is loaded when the first span needs it; what it read is kept by content.

    Args:
        files: where readings are kept.
        images: page images by page number.
        engine: gives the engine.
    """

    name = "a second reading of the page"

    def __init__(
        self, files: ReplyFiles, images: Mapping[int, Path] | None, engine: Callable[[], OcrEngine] | None = None
    ) -> None:
        self.files, self.images = files, images or {}
        self._engine = engine
        self._looks = 0

    def __call__(self, book: Book, place: Place, new: str) -> bool:
        """Whether all views read `new` at that place, and none what stands there now."""
        line = book.lines[place.line]
        path = self.images.get(line.page) if place.line < book.count else None
        if path is None or line.line is None or line.text != line.line.text or self._looks >= MOST_LOOKS:
            return False
        around = _around(line.line.glyphs, place)
        if around is None:
            return False
        before, inside, after = around
        self._looks += 1
        texts = self._read(path, Box.hull([g.box for g in (*before, *inside, *after)]))
        context = _letter(before[-1:]), _letter(after[:1])
        wanted, refuted = (f"{context[0]}{_plain(t)}{context[1]}" for t in (new, book.text(place)))
        return bool(texts) and all(wanted in text and refuted not in text for text in texts)

    def _read(self, path: Path, box: Box) -> list[str]:
        """What the views of a part of a page read; empty when the page or the engine cannot be used."""
        from ingest.render import read_page_image

        try:
            views = [_view(read_page_image(path), box, margin) for margin in MARGINS]
            key = hashlib.sha256(_reader().encode() + b"".join(v.tobytes() for v in views)).hexdigest()
            stored = self.files.get(key)
            if stored is not None:
                return [str(text) for text in json.loads(stored.text)]
            texts = [_plain(found.text) for found in self._get().recognise(views)]
        except (WholepageError, ValueError):
            return []
        self.files.put(key, ChatReply(json.dumps(texts), False))
        return texts

    def _get(self) -> OcrEngine:
        if self._engine is None:
            from layout.ocr import get_engine

            return get_engine()
        return self._engine()


def _around(glyphs: Sequence[Glyph], place: Place) -> tuple[list[Glyph], list[Glyph], list[Glyph]] | None:
    """Glyphs of a place and of its neighbours up to a formula or a wide gap. None when the place is no run of letters:
    a formula is one glyph of several characters."""
    at, inside, before, after = 0, [], [], []
    for glyph in glyphs:
        start, at = at, at + len(glyph.text)
        if at <= place.start:
            before.append(glyph)
        elif start >= place.end:
            after.append(glyph)
        else:
            inside.append(glyph)
    if not inside or any(len(g.text) != 1 for g in inside):
        return None
    return _nearest(before[::-1])[::-1], inside, _nearest(after)


def _nearest(glyphs: Sequence[Glyph]) -> list[Glyph]:
    out: list[Glyph] = []
    for glyph in glyphs[:NEIGHBOURS]:
        if len(glyph.text) != 1 or glyph.text == "\u2003":
            break
        out.append(glyph)
    return out


def _letter(glyphs: Sequence[Glyph]) -> str:
    """A neighbour that can be told for certain: punctuation is read now in one width, now in another, or not at all."""
    text = _plain("".join(g.text for g in glyphs))
    return text if text.isalnum() else ""


def _view(image: Image, box: Box, margin: float) -> Image:
    """A part of a page, enlarged. Raises ValueError when nothing of it lies on the page."""
    import cv2

    height, width = image.shape[:2]
    wide = box.grow(margin * box.height).clip(width, height)
    crop = image[int(wide.y0) : int(-(-wide.y1 // 1)), int(wide.x0) : int(-(-wide.x1 // 1))]
    if min(crop.shape[:2]) < 4:
        raise ValueError("nothing of the span lies on the page")
    view: Image = cv2.resize(crop, None, fx=ENLARGED, fy=ENLARGED, interpolation=cv2.INTER_CUBIC)
    return view


def _plain(text: str) -> str:
    """Text without spaces, in one width, with one dash."""
    same = unicodedata.normalize("NFKC", text).translate(DASHES)
    return "".join(c for c in same if not c.isspace())


def _reader() -> str:
    """Which engine reads, so that readings of another one are not taken for its own."""
    try:
        return f"rapidocr {version('rapidocr')}"
    except PackageNotFoundError:
        return "no rapidocr"
