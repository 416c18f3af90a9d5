"""What a file is, by its first bytes rather than its name."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

from ingest.names import shown
from wholepage.errors import SourceError

FileKind = Literal["pdf", "image", "zip"]
HEAD_BYTES = 1024
READABLE = "Readable are PDF, PNG, JPEG, WebP, TIFF, and a folder or zip of page images."

_OFFICE = "Open it in its own program and save or print it as PDF."
_CONVERT = "Convert it to JPEG, PNG or PDF."


def sniff(head: bytes, name: str) -> FileKind:
    """Kind of the file that begins with `head` (at least the first 1024 bytes of it).

    Raises:
        SourceError: `file.unknown_type` or `file.damaged`, with a hint that fits what the file is.
    """
    if head[:8] == b"\x89PNG\r\n\x1a\n" or head[:3] == b"\xff\xd8\xff":
        return "image"
    if head[:4] in (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"):
        return "image"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "zip"
    if b"%PDF-" in head[:HEAD_BYTES]:
        return "pdf"
    raise _unknown(head, name)


def _unknown(head: bytes, name: str) -> SourceError:
    said = shown(name)
    suffix = PurePosixPath(name).suffix.casefold()
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")):
        text, hint = "is a web page", "The download probably gave a login or error page: download the file again."
    elif head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        text, hint = "is an old Office document", _OFFICE
    elif head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"heif", b"avif"):
        text, hint = "is a HEIC or AVIF picture", _CONVERT
    elif head[:6] in (b"GIF87a", b"GIF89a") or head[:2] == b"BM" or start.startswith(b"<svg"):
        text, hint = "is a picture of a kind that is not read", _CONVERT
    elif head[:6] in (b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c") or head[:2] == b"\x1f\x8b":
        text, hint = "is an archive of a kind that is not read", "Unpack it, or pack the pages as zip."
    elif head[:3] == b"%!P":
        text, hint = "is PostScript", "Convert it to PDF, for example with ps2pdf."
    elif suffix in {".pdf", ".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".zip"}:
        message = f"{said} is named {suffix} but does not begin like one: it is damaged or something else."
        return SourceError(message, hint="Get the file again from where it came from.", code="file.damaged")
    else:
        text, hint = "is of a kind that is not known", READABLE
    return SourceError(f"{said} {text}.", hint=hint, code="file.unknown_type")
