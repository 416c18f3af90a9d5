"""File names as people have them: page order, junk, and names that are safe to store and to print."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import PurePosixPath

MAX_NAME_BYTES = 180  # file systems allow 255; the rest is for temporary prefixes and `.error.json`
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"})
JUNK_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx", "ehthumbs.db", "icon\r"})
PARTIAL_SUFFIXES = frozenset({".part", ".partial", ".crdownload", ".download", ".tmp", ".opdownload", ".!ut", ".aria2"})
_CHINESE_NUMBER = re.compile(r"(?<=第)[一二三四五六七八九十百]+(?=[页張张面题題卷])")
_DIGIT = {c: i for i, c in enumerate("一二三四五六七八九", 1)}


def natural_key(name: str) -> tuple[tuple[object, ...], ...]:
    """Sort key under which page2 comes before page10 and 第二页 before 第十页, in folders too."""
    path = PurePosixPath(unicodedata.normalize("NFKC", name.replace("\\", "/")).casefold())
    parts = (*path.parent.parts, path.stem, path.suffix)
    return tuple(_split(_CHINESE_NUMBER.sub(lambda m: str(_chinese_value(m.group())), part)) for part in parts)


def _split(text: str) -> tuple[object, ...]:
    return tuple(int(t) if i % 2 else t for i, t in enumerate(re.split(r"([0-9]+)", text)))


def _chinese_value(text: str) -> int:
    """Value of a Chinese numeral below 1000, e.g. 二十一 → 21."""
    total, digit = 0, 0
    for char in text:
        if char in _DIGIT:
            digit = _DIGIT[char]
        else:
            total += (digit or 1) * {"十": 10, "百": 100}[char]
            digit = 0
    return total + digit


def is_junk(name: str) -> bool:
    """Whether a path inside a folder or archive is something that operating systems leave behind."""
    parts = [p for p in name.replace("\\", "/").split("/") if p]
    return any(p.startswith((".", "~$")) or p.casefold() in JUNK_NAMES for p in parts)


def is_partial(name: str) -> bool:
    """Whether the name says that a download is still running."""
    return PurePosixPath(name).suffix.casefold() in PARTIAL_SUFFIXES


def safe_name(name: str) -> str:
    """A file name to store under: no separators or control characters, not hidden, at most 180 bytes.

    Shortened names keep their beginning, their suffix and a digest of the whole, so that two stay apart.
    """
    cleaned = "".join("_" if unicodedata.category(c) in {"Cc", "Cf", "Cs"} or c in '/\\:*?"<>|' else c for c in name)
    cleaned = cleaned.strip(" ") or "file"
    if cleaned.startswith("."):
        cleaned = "_" + cleaned[1:]
    if len(cleaned.encode()) <= MAX_NAME_BYTES:
        return cleaned
    suffix = PurePosixPath(cleaned).suffix
    suffix = suffix if len(suffix.encode()) <= 16 else ""
    tail = "~" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8] + suffix
    head = cleaned.encode()[: MAX_NAME_BYTES - len(tail.encode())].decode("utf-8", "ignore")
    return head + tail


def shown(name: object) -> str:
    """A name for messages: control characters and lone surrogates are written as escapes, long names are cut."""
    text = "".join(
        c if unicodedata.category(c) not in {"Cc", "Cf", "Cs"} else c.encode("unicode_escape").decode()
        for c in str(name)
    )
    return text if len(text) <= 200 else text[:140] + "…" + text[-50:]
