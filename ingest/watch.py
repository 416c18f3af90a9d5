"""A drop folder: which files in it are complete. What is done with them is the caller's business."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from ingest.discover import papers_in
from ingest.names import IMAGE_SUFFIXES, is_junk, is_partial, natural_key

UNFINISHED_PATIENCE = 5  # a file whose end is missing must rest this many times as long before it is taken as it is
POLL_SECONDS = 1.0  # file systems that report no changes (network drives) are looked at this often
TAIL_BYTES = 2048
_ENDINGS = {b"%PDF-": b"%%EOF", b"\xff\xd8\xff": b"\xff\xd9", b"\x89PNG": b"IEND", b"PK\x03\x04": b"PK\x05\x06"}

Signature = tuple[tuple[str, int, int], ...]


@dataclass(slots=True)
class _Resting:
    signature: Signature
    since: float


class Inbox:
    """Keeps an eye on a folder. `ready` returns each entry once its size and time have not changed for a while.

    An entry is a file directly in the folder, or a paper in a folder below it by the rule of `ingest.discover`: a
    folder of images, or each file of a folder that holds PDFs or zips. Downloads that say so by their name, hidden
    files and junk are passed over.
    """

    def __init__(self, folder: Path, settle_seconds: float = 2.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self._settle = settle_seconds
        self._clock = clock
        self._resting: dict[Path, _Resting] = {}
        self._taken: dict[Path, Signature] = {}

    def ready(self) -> list[Path]:
        """Entries that have become complete since the last call, naturally sorted.

        An entry that changes after it was returned is returned again once it rests.
        """
        now = self._clock()
        present = self._entries()
        for gone in (set(self._resting) | set(self._taken)) - set(present):
            self._resting.pop(gone, None)
            self._taken.pop(gone, None)
        out = []
        for path, signature in present.items():
            if self._taken.get(path) == signature:
                continue
            resting = self._resting.get(path)
            if resting is None or resting.signature != signature:
                self._resting[path] = resting = _Resting(signature, now)
            rest = self._settle if looks_complete(path) else self._settle * UNFINISHED_PATIENCE
            if now - resting.since >= rest and _opens(path):
                self._taken[path] = signature
                del self._resting[path]
                out.append(path)
        return sorted(out, key=lambda p: natural_key(p.name))

    def give_back(self, path: Path) -> None:
        """Return `path` again at the next occasion, because it could not be dealt with."""
        self._taken.pop(path, None)

    @property
    def waiting(self) -> bool:
        """Whether entries are there that are not complete yet."""
        return bool(self._resting)

    def entries(self) -> list[Path]:
        """All entries that are there now, complete or not."""
        return sorted(self._entries(), key=lambda p: natural_key(p.name))

    def _entries(self) -> dict[Path, Signature]:
        found: dict[Path, Signature] = {}
        for path in _papers(self.folder):
            signature = _signature(path)
            if signature:
                found[path] = signature
        return found


def _papers(folder: Path) -> list[Path]:
    """Paths that are one paper each. A folder that is away for a while (a share, a stick) counts as empty."""
    try:
        members = [p for p in folder.iterdir() if not is_junk(p.name) and not is_partial(p.name)]
    except OSError:
        return []
    papers = []
    for path in members:
        try:
            papers.extend(papers_in(path) if path.is_dir() else [path])
        except OSError:  # it went away while we looked
            continue
    return papers


def _signature(path: Path) -> Signature:
    """Names, sizes and times of a file, or of a folder's files when it holds images; empty for anything else."""
    try:
        if path.is_dir():
            files = [p for p in sorted(path.iterdir()) if p.is_file() and not is_junk(p.name)]
            if not any(p.suffix.casefold() in IMAGE_SUFFIXES or is_partial(p.name) for p in files):
                return ()
        else:
            files = [path] if path.is_file() else []
        return tuple((p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in files)
    except OSError:  # it went away while we looked
        return ()


def looks_complete(path: Path) -> bool:
    """Whether the end of a file, or of each image in a folder, is what its kind ends with; True for other kinds."""
    try:
        if path.is_dir():
            files = [p for p in path.iterdir() if p.is_file() and not is_junk(p.name)]
            return all(not is_partial(p.name) and looks_complete(p) for p in files)
        with path.open("rb") as handle:
            head = handle.read(8)
            size = handle.seek(0, 2)
            handle.seek(max(0, size - TAIL_BYTES))
            tail = handle.read()
    except OSError:
        return False
    endings = [end for start, end in _ENDINGS.items() if head.startswith(start)]
    return size > 0 and all(end in tail for end in endings)


def _opens(path: Path) -> bool:
    """Whether it can be opened now: on some systems a file being written is locked. Unreadable ones are let through
    after all, so that they are reported; only a lock is waited for."""
    if path.is_dir():
        return True
    try:
        with path.open("rb"):
            return True
    except PermissionError:
        return not _locked_by_writer()
    except OSError:
        return False


def _locked_by_writer() -> bool:
    import sys

    return sys.platform == "win32"


def watch_inbox(inbox: Inbox, once: bool, stop: Event | None = None) -> Iterator[list[Path]]:
    """Batches of complete entries as they come.

    Args:
        once: end when everything that is there has been returned, after waiting for incomplete entries.
        stop: ends the watch when set.
    """
    yielded = False
    for _ in _ticks(inbox, once, stop or Event()):
        batch = inbox.ready()
        if batch or not yielded:
            yielded = True
            yield batch
        if once and not inbox.waiting:
            return


def _ticks(inbox: Inbox, once: bool, stop: Event) -> Iterator[None]:
    """A tick at once, then whenever the folder changes or some time has passed."""
    import watchfiles

    yield None
    if once:
        while not stop.wait(0.05):
            yield None
        return
    for _ in watchfiles.watch(
        inbox.folder,
        watch_filter=None,
        debounce=200,
        step=50,
        stop_event=stop,
        rust_timeout=int(POLL_SECONDS * 1000),
        yield_on_timeout=True,
    ):
        yield None
