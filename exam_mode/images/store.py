"""Image files for a model, made once and kept under the hash of their bytes, so that every request sends the same.

A run's messages and logs name these files; they never hold image data.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from exam_mode.errors import ImageError
from exam_mode.images.legible import text_height
from exam_mode.images.sizes import ImageRule
from wholepage.boxes import Box
from wholepage.workspace import copy_file, sha256_file, write_bytes, write_json

if TYPE_CHECKING:
    from PIL.Image import Image

MIN_TEXT = 10.0  # pixels: below that strokes of Chinese characters run together
MAX_TILES = 64
OVERLAP = 0.06  # of a tile's side, so that no line of text is cut in both tiles
COMPRESSION = 6
LOCKS = 64
DIGESTS = 1024  # files whose hash is remembered
VERSION = 1  # raise when the same input gives other bytes


@dataclass(frozen=True, slots=True)
class Sent:
    """One image file. `tile` is (index, count) when the page is sent in pieces; `scale` sent / stored pixels."""

    path: Path
    sha256: str
    width: int
    height: int
    scale_x: float = 1.0
    scale_y: float = 1.0
    left: float = 0.0
    top: float = 0.0
    tile: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What the images must satisfy: the model's rule, the least legible text height in pixels, tiling allowed."""

    rule: ImageRule
    min_text: float = MIN_TEXT
    tile: bool = False


class ImageStore:
    """Images below `folder` (`<sha256, 16 digits>.png`); `index/` remembers what was made from what."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits
        # images that share a lock only wait for each other; one lock an image would be kept for every page of a run
        self._locks = [threading.Lock() for _ in range(LOCKS)]
        self._digest_of = lru_cache(maxsize=DIGESTS)(_digest)

    def page(self, paper: Path, number: int, image: Path, box: Box | None = None) -> list[Sent]:
        """The page's image (or the part in `box`, stored-image pixels) as one file, or several when it is tiled.

        Raises:
            ImageError: unreadable, or text would be too small and tiling was not asked for.
        """
        return self._made(image, paper, number, box, True)

    def figure(self, image: Path) -> Sent:
        """A figure's file in the model's size; no check of text height, since figures hold little text."""
        return self._made(image, image.parent, 0, None, False)[0]

    def _made(self, image: Path, paper: Path, number: int, box: Box | None, check: bool) -> list[Sent]:
        limits = self.limits
        spec = [VERSION, self._digest(image), box.as_list(2) if box else None, check, asdict(limits.rule)]
        key = json.dumps([*spec, limits.min_text, limits.tile], sort_keys=True)
        name = hashlib.sha256(key.encode()).hexdigest()[:24]
        with self._locks[int(name[:8], 16) % LOCKS]:
            entry = self.folder / "index" / f"{name}.json"
            known = self._known(entry)
            if known is not None:
                return known
            picture = _open(image)
            cut = picture if box is None else picture.crop(_whole(box, picture.width, picture.height))
            pieces = list(self._pieces(cut, picture, paper, number, image)) if check else [(cut, 0.0, 0.0)]
            if len(pieces) == 1 and cut is picture and (same := self._as_it_is(picture, image)) is not None:
                sent = [same]
            else:
                sent = [self._save(p, x, y, (i, len(pieces)), image) for i, (p, x, y) in enumerate(pieces, 1)]
            write_json(entry, [asdict(s) | {"path": s.path.name} for s in sent])
            return sent

    def _measured(self, image: Path, paper: Path, number: int, box: Box | None, check: bool) -> list[Sent]:
        """What `_made` would give, without hashes and without writing."""
        picture = _open(image)
        cut = picture if box is None else picture.crop(_whole(box, picture.width, picture.height))
        pieces = list(self._pieces(cut, picture, paper, number, image)) if check else [(cut, 0.0, 0.0)]
        sent = []
        for index, (piece, left, top) in enumerate(pieces, start=1):
            width, height = self._size(piece, image)
            scales = (width / piece.width, height / piece.height)
            tile = (index, len(pieces)) if len(pieces) > 1 else None
            sent.append(Sent(image, "", width, height, *scales, left, top, tile))
        return sent

    def _size(self, picture: Image, source: Path) -> tuple[int, int]:
        try:
            return self.limits.rule.size(picture.width, picture.height)
        except ValueError as error:
            raise ImageError(f"{source}: {error}.", hint="Check the page in the preview.") from error

    def _digest(self, image: Path) -> str:
        try:
            stat = image.stat()
            return self._digest_of(image, stat.st_size, stat.st_mtime_ns)
        except OSError as error:
            raise _unreadable(image, error) from error

    def _known(self, entry: Path) -> list[Sent] | None:
        try:
            rows = json.loads(entry.read_text(encoding="utf-8"))
            sent = [
                Sent(**(r | {"path": self.folder / r["path"], "tile": r["tile"] and tuple(r["tile"])})) for r in rows
            ]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return sent if all(s.path.is_file() for s in sent) else None

    def _pieces(
        self, cut: Image, whole: Image, paper: Path, number: int, path: Path
    ) -> Iterator[tuple[Image, float, float]]:
        """The picture as it is, or tiles in which text stays legible, with the left and top of each."""
        import numpy as np

        limits = self.limits
        height = text_height(paper, number, lambda: np.asarray(whole if whole.mode == "L" else whole.convert("L")))
        scale = _scale(limits.rule, cut.width, cut.height, path)
        if height is None or height * scale >= limits.min_text:
            yield cut, 0.0, 0.0
            return
        if not limits.tile:
            raise ImageError(
                f"{path}: text is {height:.0f} px tall on the page and would be {height * scale:.1f} px in the image "
                f"that the model takes, below {limits.min_text:g} px.",
                hint="Send it in tiles with --tile, raise the limits with --image-rules FILE, or lower --min-text.",
                code="exam.text_too_small",
            )
        yield from _tiles(cut, limits.rule, limits.min_text / height, path)

    def _as_it_is(self, picture: Image, source: Path) -> Sent | None:
        """The stored PNG byte for byte, when the model takes its size."""
        size = picture.size
        if source.suffix.lower() != ".png" or self._size(picture, source) != size:
            return None
        digest = self._digest(source)
        path = self.folder / f"{digest[:16]}.png"
        if not path.exists():
            copy_file(source, path)
        return Sent(path, digest, *size)

    def _save(self, picture: Image, left: float, top: float, tile: tuple[int, int], source: Path) -> Sent:
        from PIL import Image as Pillow

        width, height = self._size(picture, source)
        fx, fy = width / picture.width, height / picture.height
        if (width, height) != picture.size:
            picture = picture.resize((width, height), Pillow.Resampling.LANCZOS)
        buffer = io.BytesIO()
        picture.save(buffer, "PNG", compress_level=COMPRESSION)
        data = buffer.getvalue()
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder / f"{digest[:16]}.png"
        if not path.exists():
            write_bytes(path, data)
        return Sent(path, digest, width, height, fx, fy, left, top, tile if tile[1] > 1 else None)


def _digest(path: Path, _size: int, _mtime: int) -> str:
    """SHA-256 of a file; size and time are there for the cache around it."""
    return sha256_file(path)


def _open(path: Path) -> Image:
    from PIL import Image as Pillow

    try:
        with Pillow.open(path) as picture:
            picture.load()
            mode = "L" if picture.mode in ("1", "L", "LA") else "RGB"
            return picture if picture.mode == mode else picture.convert(mode)
    except (OSError, ValueError, Pillow.DecompressionBombError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> ImageError:
    return ImageError(f"Cannot read the image {path}: {error}.", hint="Ingest the source file again.")


def _whole(box: Box, width: int, height: int) -> tuple[int, int, int, int]:
    """Pixels that the box touches, at least one in each direction."""
    inside = box.clip(width, height)
    x0, y0 = min(int(inside.x0), width - 1), min(int(inside.y0), height - 1)
    return x0, y0, max(x0 + 1, min(width, -int(-inside.x1 // 1))), max(y0 + 1, min(height, -int(-inside.y1 // 1)))


def _scale(rule: ImageRule, width: int, height: int, path: Path) -> float:
    try:
        wide, tall = rule.size(width, height)
    except ValueError as error:
        raise ImageError(f"{path}: {error}.", hint="Check the page in the preview.") from error
    return min(wide / width, tall / height)


def _tiles(cut: Image, rule: ImageRule, needed: float, path: Path) -> Iterator[tuple[Image, float, float]]:
    """The fewest overlapping tiles, row by row, that are scaled by at least `needed`."""
    grids = sorted(
        ((c, r) for c in range(1, 9) for r in range(1, 9) if c * r <= MAX_TILES), key=lambda g: (g[0] * g[1], g[0])
    )
    for columns, rows in grids:
        boxes = list(_grid(cut.width, cut.height, columns, rows))
        x0, y0, x1, y1 = boxes[0]
        if _scale(rule, x1 - x0, y1 - y0, path) >= needed:
            for box in boxes:
                yield cut.crop(box), float(box[0]), float(box[1])
            return
    raise ImageError(
        f"{path}: even {MAX_TILES} tiles would not make the text legible.",
        hint="Lower --min-text or raise the limits.",
        code="exam.text_too_small",
    )


def _grid(width: int, height: int, columns: int, rows: int) -> Iterator[tuple[int, int, int, int]]:
    """Boxes of equal size that cover the image; neighbours share `OVERLAP` of a side."""
    wide = min(width, round(width / columns * (1 + OVERLAP * (columns > 1))))
    tall = min(height, round(height / rows * (1 + OVERLAP * (rows > 1))))
    for r in range(rows):
        y = 0 if rows == 1 else round(r * (height - tall) / (rows - 1))
        for c in range(columns):
            x = 0 if columns == 1 else round(c * (width - wide) / (columns - 1))
            yield x, y, x + wide, y + tall
