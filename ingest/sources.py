"""Open a path as one paper: PDF, image, or a folder or zip of page images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from ingest.images import count_frames
from ingest.names import IMAGE_SUFFIXES, is_junk, natural_key, shown
from ingest.pdfs import open_pdf
from ingest.sniff import HEAD_BYTES, READABLE, sniff
from ingest.zips import Entry, list_entries, read_entry
from wholepage.errors import SourceError
from wholepage.records import Issue
from wholepage.settings import Settings, load_settings
from wholepage.workspace import content_id, sha256_file


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as received: where its bytes are now, the name it came with, its digest and size."""

    path: Path
    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class PageRef:
    """All that is needed to read one page in another process.

    `index` is the 0-based PDF page or TIFF frame, `entry` the place in a zip's directory or -1, `name` what the user
    knows the page's file by.
    """

    kind: Literal["pdf", "image"]
    path: Path
    index: int
    entry: int = -1
    name: str = ""
    password: str | None = None


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where one page of an image source lies: which file, which zip entry, which frame."""

    file: int
    frame: int = 0
    entry: int = -1
    name: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One paper as received. Opening it reads headers only; `page` tells how to get at each page."""

    kind: Literal["pdf", "images"]
    name: str
    path: Path
    files: tuple[SourceFile, ...]
    page_count: int
    slots: tuple[_Slot, ...] = ()
    issues: tuple[Issue, ...] = ()
    password: str | None = None

    @property
    def sha256s(self) -> tuple[str, ...]:
        """Digests of the files in page order."""
        return tuple(f.sha256 for f in self.files)

    @property
    def paper_id(self) -> str:
        """The same bytes give the same id on every machine."""
        return content_id(self.sha256s)

    @property
    def bytes(self) -> int:
        """Size of all files together."""
        return sum(f.bytes for f in self.files)

    def page(self, number: int) -> PageRef:
        """Reference to the 1-based page `number`."""
        if not 1 <= number <= self.page_count:
            raise IndexError(f"{self.name} has pages 1–{self.page_count}, not {number}")
        if self.kind == "pdf":
            return PageRef("pdf", self.files[0].path, number - 1, -1, self.files[0].name, self.password)
        slot = self.slots[number - 1]
        name = slot.name or self.files[slot.file].name
        return PageRef("image", self.files[slot.file].path, slot.frame, slot.entry, name, self.password)

    def relocated(self, paths: Mapping[str, Path]) -> Source:
        """The same source read from other copies: digest → path."""
        return replace(self, files=tuple(replace(f, path=paths[f.sha256]) for f in self.files))


def open_source(path: Path, password: str | None = None, settings: Settings | None = None) -> Source:
    """Open `path` as one paper.

    Raises:
        SourceError: codes file.not_found, file.unreadable, file.empty, file.too_large, file.unknown_type,
            file.damaged, file.encrypted, file.unsafe_archive, file.no_pages, file.too_many_pages.
    """
    limits = settings or load_settings()
    try:
        source = _open_folder(path, limits) if path.is_dir() else _open_file(path, password, limits)
    except FileNotFoundError as error:
        raise SourceError(f"There is no {shown(path)}.", hint="Check the path.", code="file.not_found") from error
    except OSError as error:
        message = f"{shown(path)} cannot be read: {error.strerror or error}."
        raise SourceError(message, hint="Check its permissions and the disk.", code="file.unreadable") from error
    if source.page_count > limits.max_pages:
        raise SourceError(
            f"{shown(source.name)} has {source.page_count} pages; the limit is {limits.max_pages}.",
            hint="Split it, or raise WHOLEPAGE_MAX_PAGES.",
            code="file.too_many_pages",
        )
    return source


def _open_file(path: Path, password: str | None, limits: Settings) -> Source:
    file = _receive(path, limits)
    with path.open("rb") as handle:
        kind = sniff(handle.read(HEAD_BYTES), path.name)
    if kind == "zip":
        return _open_zip(path, file, password, limits)
    if kind == "image":
        return Source("images", path.name, path, (file,), *_counted(_image_slots([file])))
    document = open_pdf(path, path.name, password)
    try:
        repaired = document.is_repaired
        count = document.page_count
        unlocked = password if document.needs_pass or document.is_encrypted or password else None
    finally:
        document.close()
    issues: tuple[Issue, ...] = ()
    if repaired:
        message = f"{shown(path.name)} was damaged and had to be repaired; compare its pages with the original."
        issues = (Issue(code="file.repaired", message=message),)
    return Source("pdf", path.name, path, (file,), count, (), issues, unlocked)


def _receive(path: Path, limits: Settings) -> SourceFile:
    if not path.is_file():
        path.stat()  # raises FileNotFoundError for what does not exist
        raise SourceError(f"{shown(path)} is neither a file nor a folder.", hint=READABLE, code="file.unknown_type")
    size = path.stat().st_size
    if size == 0:
        raise SourceError(f"{shown(path.name)} is empty (0 bytes).", hint="Get the file again.", code="file.empty")
    if size > limits.max_source_bytes:
        raise SourceError(
            f"{shown(path.name)} has {size:,} bytes; the limit is {limits.max_source_bytes:,}.",
            hint="Split it, or raise WHOLEPAGE_MAX_SOURCE_BYTES.",
            code="file.too_large",
        )
    return SourceFile(path, path.name, sha256_file(path), size)


def _open_folder(path: Path, limits: Settings) -> Source:
    members = sorted((p for p in path.iterdir() if not is_junk(p.name)), key=lambda p: natural_key(p.name))
    pictures = [p for p in members if p.is_file() and p.suffix.casefold() in IMAGE_SUFFIXES]
    skipped = [_skipped(p.name, path.name) for p in members if p not in pictures]
    if not pictures:
        raise _no_images(path.name)
    files, broken = [], []
    for picture in pictures:
        try:
            files.append(_receive(picture, limits))
        except SourceError as error:
            broken.append(Issue(code=error.code, severity="error", message=f"{error.message} The page is missing."))
    if not files:
        raise _no_images(path.name)
    total = sum(f.bytes for f in files)
    if total > limits.max_source_bytes:
        raise SourceError(
            f"The images in {shown(path.name)} have {total:,} bytes; the limit is {limits.max_source_bytes:,}.",
            hint="Split the folder, or raise WHOLEPAGE_MAX_SOURCE_BYTES.",
            code="file.too_large",
        )
    slots = _image_slots(files)
    return Source("images", path.name, path, tuple(files), *_counted(slots), (*skipped, *broken))


def _open_zip(path: Path, file: SourceFile, password: str | None, limits: Settings) -> Source:
    entries = list_entries(path, path.name, password, limits)
    names = {e.name for e in entries}
    if "[Content_Types].xml" in names or "mimetype" in names:
        hint = "Open it in its own program and save or print it as PDF."
        message = f"{shown(path.name)} is an office document or e-book."
        raise SourceError(message, hint=hint, code="file.unknown_type")
    pictures = [e for e in entries if PurePosixPath(e.name).suffix.casefold() in IMAGE_SUFFIXES]
    if not pictures:
        raise _no_images(path.name)
    skipped = tuple(_skipped(e.name, path.name) for e in entries if e not in pictures)
    slots = [slot for e in pictures for slot in _entry_slots(path, e, password, limits)]
    return Source("images", path.name, path, (file,), *_counted(slots), skipped, password)


def _entry_slots(path: Path, entry: Entry, password: str | None, limits: Settings) -> Iterable[_Slot]:
    frames = 1
    if PurePosixPath(entry.name).suffix.casefold() in {".tif", ".tiff"}:
        import io

        frames = count_frames(io.BytesIO(read_entry(path, entry.index, password, limits)))
    return (_Slot(0, frame, entry.index, _framed(entry.name, frame, frames)) for frame in range(frames))


def _image_slots(files: Sequence[SourceFile]) -> list[_Slot]:
    counts = [count_frames(f.path) for f in files]
    return [
        _Slot(i, frame, -1, _framed(files[i].name, frame, count))
        for i, count in enumerate(counts)
        for frame in range(count)
    ]


def _framed(name: str, frame: int, frames: int) -> str:
    return f"{name} (page {frame + 1})" if frames > 1 else name


def _counted(slots: Sequence[_Slot]) -> tuple[int, tuple[_Slot, ...]]:
    return len(slots), tuple(slots)


def _skipped(entry: str, name: str) -> Issue:
    """A PDF or zip among the images may hold pages of the paper: that is an error, other files are only mentioned."""
    document = PurePosixPath(entry).suffix.casefold() in {".pdf", ".zip"}
    return Issue(
        code="file.entry_skipped",
        severity="error" if document else "warning",
        message=f"{shown(entry)} in {shown(name)} is no page image and was not read.",
    )


def _no_images(name: str) -> SourceError:
    return SourceError(
        f"{shown(name)} holds no page images.",
        hint="Give a folder or zip of PNG, JPEG, WebP or TIFF pages; PDFs in a zip must be unpacked first.",
        code="file.no_pages",
    )
