"""Whether a dropped file or folder is complete: nothing about it changes any more, and its end looks like an end."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ingest.names import is_junk, is_partial

PATIENCE = 10.0  # a file without a proper end waits this many times longer: a stalled copy, or a damaged file
MAX_FILES = 20_000  # files of one folder that are looked at

# First bytes of a kind, and what must stand in the last so many bytes of it.
_ENDS = (
    (b"%PDF-", b"%%EOF", 2048),
    (b"PK\x03\x04", b"PK\x05\x06", 66_000),
    (b"\x89PNG", b"IEND", 64),
    (b"\xff\xd8\xff", b"\xff\xd9", 2048),
)

Signature = tuple[tuple[str, int, int], ...]  # name, size, mtime in ns of each file


def signature(path: Path) -> Signature | None:
    """What changes when `path` is still being written; None when it is gone or a download inside it is running."""
    try:
        if not path.is_dir():
            stat = path.stat()
            return ((path.name, stat.st_size, stat.st_mtime_ns),)
        found = []
        for file in _files(path):
            if is_partial(file.name):
                return None
            stat = file.stat()
            found.append((str(file.relative_to(path)), stat.st_size, stat.st_mtime_ns))
        return tuple(sorted(found))
    except OSError:
        return None


def looks_complete(path: Path) -> bool:
    """Whether the file, or every file of the folder, can be opened and ends as its kind should. Unknown kinds do."""
    try:
        return all(_ends_well(file) for file in (_files(path) if path.is_dir() else [path]))
    except OSError:
        return False


def _files(folder: Path) -> list[Path]:
    files = [p for p in folder.iterdir() if p.is_file() and not is_junk(p.name)]
    return files[:MAX_FILES]


def _ends_well(path: Path) -> bool:
    with path.open("rb") as handle:
        head = handle.read(12)
        size = handle.seek(0, os.SEEK_END)
        handle.seek(max(0, size - 66_000))
        tail = handle.read()
    for start, end, reach in _ENDS:
        if head.startswith(start):
            return end in tail[-reach:]
    if head.startswith(b"RIFF"):
        return size >= int.from_bytes(head[4:8], "little") + 8
    return any(tail[-4096:])  # an empty file, or space that was reserved first: zeros up to the end


@dataclass
class _Watched:
    signature: Signature
    since: float
    complete: bool = False


class Settling:
    """Remembers since when each path has been unchanged. Times are in seconds of one monotonic clock.

    Args:
        seconds: how long a path must stay unchanged.
        trust_clock: count the time since the last change that the file system states, so that old files need no wait.
    """

    def __init__(self, seconds: float, trust_clock: bool = False) -> None:
        self._seconds = seconds
        self._trust_clock = trust_clock and os.name == "posix"
        self._watched: dict[Path, _Watched] = {}

    def settled(self, path: Path, now: float) -> Signature | None:
        """The path's signature once it is complete, else None."""
        current = signature(path)
        if not current:
            self._watched.pop(path, None)
            return None
        known = self._watched.get(path)
        if known is None or known.signature != current:
            age = _age(path) if known is None and self._trust_clock else 0.0
            known = self._watched[path] = _Watched(current, now - age)
        quiet = now - known.since
        if quiet < self._seconds:
            return None
        known.complete = known.complete or quiet >= PATIENCE * self._seconds or looks_complete(path)
        return current if known.complete else None

    def forget(self, present: set[Path]) -> None:
        """Drop what is known of paths that are not in `present`."""
        self._watched = {p: w for p, w in self._watched.items() if p in present}


def _age(path: Path) -> float:
    """Seconds since the inode last changed. That time, unlike mtime, is not set back by copying or unpacking."""
    try:
        newest = max(p.stat().st_ctime for p in ([path, *_files(path)] if path.is_dir() else [path]))
    except OSError:
        return 0.0
    return max(0.0, time.time() - newest)
