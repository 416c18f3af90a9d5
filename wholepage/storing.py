"""Copies of what was received: `source/` of a paper, and `quarantine/` for what could not be read."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingest.names import is_junk, safe_name
from ingest.sources import Source, SourceFile
from wholepage.errors import SourceError, WholepageError, WorkspaceError
from wholepage.workspace import Workspace, copy_file, sha256_file, write_json

NOT_COPIED = frozenset({"file.too_large", "file.not_found"})
ERROR_SUFFIX = ".error.json"


def store_source(source: Source, folder: Path) -> Source:
    """Copy the source's files to `folder` byte for byte and return the source read from there.

    A file whose bytes are there already, under whatever name, is not copied again.

    Raises:
        SourceError: a file changed while it was copied.
        WorkspaceError: the copy cannot be written.
    """
    present = {sha256_file(p): p for p in _files(folder) if p.stat().st_size in {f.bytes for f in source.files}}
    for file in source.files:
        if file.sha256 not in present:
            present[file.sha256] = _store(file, folder)
    return source.relocated(present)


def _store(file: SourceFile, folder: Path) -> Path:
    target = folder / safe_name(file.name)
    if target.exists():
        target = folder / safe_name(f"{target.stem}~{file.sha256[:8]}{target.suffix}")
    try:
        copy_file(file.path, target)
    except FileNotFoundError as error:
        raise SourceError(f"{file.name} went away while it was read.", hint="Run the command again.") from error
    if sha256_file(target) != file.sha256:
        target.unlink()
        raise SourceError(
            f"{file.name} changed while it was read.",
            hint="Wait until it is complete, then run the command again.",
            code="file.changed",
        )
    return target


def _files(folder: Path) -> list[Path]:
    return (
        [p for p in sorted(folder.iterdir()) if p.is_file() and not p.name.startswith(".")] if folder.is_dir() else []
    )


@dataclass(frozen=True, slots=True)
class Quarantined:
    """An entry of the quarantine: the copy (absent when it was too large or unreadable) and its error file."""

    copy: Path
    report: Path
    sha256: str | None


def quarantine(workspace: Workspace, path: Path, error: WholepageError, detail: str = "") -> Quarantined | None:
    """Keep a file that could not be read, with NAME.error.json beside it; None when there is no such file.

    Distinct files of one name get distinct entries; the same bytes again renew their entry. Of a folder, the files
    directly in it are copied.
    """
    if not path.exists():
        return None
    sha256 = _digest(path)
    entry = _entry(workspace.quarantine, safe_name(path.name), sha256)
    kept = error.code not in NOT_COPIED and not entry.copy.exists()
    if kept:
        kept = _copy(path, entry.copy)
    write_json(
        entry.report,
        {
            "file": path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
            "sha256": sha256,
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "copied": entry.copy.exists(),
            **({"detail": detail} if detail else {}),
        },
    )
    return entry


def release(workspace: Workspace, sha256s: Sequence[str]) -> None:
    """Remove the quarantine entries of these bytes, which have been read after all."""
    for report, sha256 in _reports(workspace.quarantine):
        if sha256 in sha256s:
            copy = report.with_name(report.name.removesuffix(ERROR_SUFFIX))
            if copy.is_dir():
                shutil.rmtree(copy, ignore_errors=True)
            else:
                copy.unlink(missing_ok=True)
            report.unlink(missing_ok=True)


def _entry(folder: Path, name: str, sha256: str | None) -> Quarantined:
    """The entry that holds these bytes already, or a free name."""
    known = {report.name: digest for report, digest in _reports(folder)}
    plain = Path(name)
    digits = (sha256 or "unread")[:8]
    for candidate in (name, safe_name(f"{plain.stem}~{digits}{plain.suffix}")):
        report = candidate + ERROR_SUFFIX
        taken = report in known or (folder / candidate).exists()
        if not taken or (sha256 is not None and known.get(report) == sha256):
            return Quarantined(folder / candidate, folder / report, sha256)
    return Quarantined(folder / candidate, folder / report, sha256)


def _reports(folder: Path) -> Iterator[tuple[Path, str | None]]:
    for report in sorted(folder.glob("*" + ERROR_SUFFIX)):
        with contextlib.suppress(OSError, ValueError):
            data = json.loads(report.read_text(encoding="utf-8"))
            yield report, data.get("sha256") if isinstance(data, dict) else None


def _digest(path: Path) -> str | None:
    with contextlib.suppress(OSError):
        return sha256_file(path) if path.is_file() else None
    return None


def _copy(path: Path, target: Path) -> bool:
    try:
        if path.is_file():
            copy_file(path, target)
        else:
            for member in _files(path):
                if not is_junk(member.name):
                    copy_file(member, target / safe_name(member.name))
    except WorkspaceError as error:
        if isinstance(error.__cause__, PermissionError):  # the file itself cannot be read: the report says so
            return False
        raise
    return True
