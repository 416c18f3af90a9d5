"""Zip archives of page images, read in place: nothing is ever unpacked to disk."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ingest.names import is_junk, natural_key, shown
from wholepage.errors import PageError, SourceError
from wholepage.settings import Settings

MAX_RATIO = 300  # packed : unpacked; a white uncompressed scan reaches 100–200
RATIO_FLOOR = 20_000_000  # bytes below which the ratio does not matter
_UTF8_FLAG, _ENCRYPTED_FLAG = 0x800, 0x1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file in an archive; `index` is its place in the directory, since names may repeat."""

    index: int
    name: str
    size: int


def list_entries(path: Path, name: str, password: str | None, settings: Settings) -> list[Entry]:
    """Files of an archive in page order, junk left out.

    Raises:
        SourceError: damaged, encrypted without the right password, unsafe paths, or larger than the limits.
    """
    with open_zip(path, name) as archive:
        infos = archive.infolist()
        if len(infos) > 4 * settings.max_pages:
            raise _unsafe(name, f"holds {len(infos)} files")
        entries = []
        total = 0
        for index, info in enumerate(infos):
            entry = Entry(index, _decoded(info), info.file_size)
            _refuse_outside(entry.name, name)
            if info.is_dir() or is_junk(entry.name):
                continue
            total += info.file_size
            _refuse_bomb(info, total, name, settings)
            entries.append(entry)
        encrypted = [infos[e.index] for e in entries if infos[e.index].flag_bits & _ENCRYPTED_FLAG]
        if encrypted:
            _check_password(archive, encrypted[0], name, password)
    return sorted(entries, key=lambda e: natural_key(e.name))


@contextmanager
def open_zip(path: Path, name: str) -> Iterator[zipfile.ZipFile]:
    """The archive, or SourceError `file.damaged`."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise SourceError(
            f"{shown(name)} is a damaged zip: {error}.",
            hint="Download it again, or unpack it with another program and give the folder.",
            code="file.damaged",
        ) from error
    with archive:
        yield archive


def read_entry(path: Path, index: int, password: str | None, settings: Settings) -> bytes:
    """Bytes of the entry at `index`. Raises PageError when it cannot be unpacked."""
    with open_zip(path, path.name) as archive:
        info = archive.infolist()[index]
        name = shown(_decoded(info))
        try:
            with archive.open(info, pwd=password.encode() if password else None) as handle:
                data = handle.read(settings.max_image_bytes + 1)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error) as error:
            message = f"{name} in {shown(path.name)} cannot be unpacked: {error}."
            raise PageError(message, hint="Pack the pages again.") from error
    if len(data) > settings.max_image_bytes:
        raise PageError(f"{name} unpacks to more than {settings.max_image_bytes:,} bytes.", hint="Make it smaller.")
    return data


def _decoded(info: zipfile.ZipInfo) -> str:
    """The entry's name; archives made by Chinese Windows carry GBK without saying so."""
    if info.flag_bits & _UTF8_FLAG:
        return info.filename
    try:
        raw = info.filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.filename


def _refuse_outside(entry: str, name: str) -> None:
    posix = entry.replace("\\", "/")
    if posix.startswith("/") or ".." in PurePosixPath(posix).parts or (len(posix) > 1 and posix[1] == ":"):
        raise _unsafe(name, f"has an entry that points outside itself ({shown(entry)})")


def _refuse_bomb(info: zipfile.ZipInfo, total: int, name: str, settings: Settings) -> None:
    packed = max(info.compress_size, 1)
    if info.file_size > settings.max_image_bytes:
        raise _unsafe(name, f"has an entry that unpacks to {info.file_size:,} bytes")
    if info.file_size > RATIO_FLOOR and info.file_size / packed > MAX_RATIO:
        raise _unsafe(name, f"has an entry that unpacks to {info.file_size // packed} times its size")
    if total > settings.max_source_bytes:
        raise _unsafe(name, f"unpacks to more than {settings.max_source_bytes:,} bytes")


def _unsafe(name: str, what: str) -> SourceError:
    return SourceError(
        f"{shown(name)} {what} and was not read.",
        hint="If you trust it, unpack it yourself and give the folder.",
        code="file.unsafe_archive",
    )


def _check_password(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, password: str | None) -> None:
    said = "needs a password" if password is None else "is not opened by this password"
    hint = "Give it with --password."
    try:
        with archive.open(info, pwd=password.encode() if password else None) as handle:
            handle.read(1)
    except NotImplementedError as error:
        said, hint = "is encrypted in a way that is not read", "Unpack it yourself and give the folder."
        raise SourceError(f"{shown(name)} {said}.", hint=hint, code="file.encrypted") from error
    except (RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise SourceError(f"{shown(name)} {said}.", hint=hint, code="file.encrypted") from error
