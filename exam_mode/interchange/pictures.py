"""Images of records: decoded from the ways that JSON and datasets carry them, checked, never re-encoded."""

from __future__ import annotations

import base64
import binascii
import io
from pathlib import Path
from typing import Any

from exam_mode.interchange.items import MAX_IMAGE_BYTES, Picture, RecordError

_SUFFIXES = {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "GIF": ".gif", "BMP": ".bmp", "TIFF": ".tif"}
_MAX_PIXELS = 200_000_000


def pictures_of(value: Any, folder: Path, name: str) -> tuple[Picture, ...]:
    """Images of one field.

    Args:
        value: None, one image or a list of them. An image is bytes, base64, a data URL, a path below `folder`, or
            the `{"bytes", "path"}` object of Hugging Face datasets.

    Raises:
        RecordError: an image that is absent, damaged, too large, or a path outside `folder`.
    """
    if value is None or value == "":
        return ()
    entries = value if isinstance(value, (list, tuple)) else [value]
    return tuple(_picture(entry, folder, f"{name}[{i}]") for i, entry in enumerate(entries) if entry is not None)


def _picture(entry: Any, folder: Path, name: str) -> Picture:
    if isinstance(entry, dict):
        if entry.get("bytes"):
            return check_picture(_bytes(entry["bytes"], name), name)
        entry = entry.get("path")
    if isinstance(entry, bytes):
        return check_picture(entry, name)
    if not isinstance(entry, str) or not entry:
        raise RecordError(f"{name} is not an image but {type(entry).__name__}")
    if entry.startswith("data:") or (len(entry) > 200 and "." not in entry[-6:]):
        return check_picture(_bytes(entry.partition(",")[2] if entry.startswith("data:") else entry, name), name)
    path = (folder / entry).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise RecordError(f"{name} points outside {folder}: {entry:.80}")
    try:
        return check_picture(path.read_bytes(), name)
    except OSError as error:
        raise RecordError(f"{name}: cannot read {entry:.80}: {error.strerror or error}") from None


def _bytes(value: Any, name: str) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise RecordError(f"{name} is not base64") from None


def check_picture(data: bytes, name: str, caption: str | None = None) -> Picture:
    """A picture from encoded bytes. Raises RecordError when no image program could read them."""
    from PIL import Image

    if len(data) > MAX_IMAGE_BYTES:
        raise RecordError(f"{name} has {len(data)} bytes, more than {MAX_IMAGE_BYTES}")
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height, kind = image.width, image.height, image.format or ""
            if width * height > _MAX_PIXELS:
                raise RecordError(f"{name} has {width}×{height} pixels")
            image.verify()
    except RecordError:
        raise
    except Exception as error:  # decoders raise whatever they like on damaged data
        raise RecordError(f"{name} is not an image that can be read ({type(error).__name__})") from None
    if kind not in _SUFFIXES:
        raise RecordError(f"{name} is of the format {kind}, which browsers and models do not show")
    return Picture(data, _SUFFIXES[kind], width, height, caption)


def base64_text(data: bytes) -> str:
    """Bytes as base64 text."""
    return base64.b64encode(data).decode("ascii")
