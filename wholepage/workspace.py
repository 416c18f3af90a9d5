"""The workspace on disk: its folders, atomic writes and content ids."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wholepage.errors import WorkspaceError
from wholepage.records import SCHEMA_ID, Paper

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
ID_LENGTH = 16  # hex digits of SHA-256 kept in ids: 64 bits


def sha256_file(path: Path) -> str:
    """SHA-256 of a file's bytes as 64 hex digits, read in blocks."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def content_id(digests: Iterable[str]) -> str:
    """Paper id from the SHA-256 of its source file(s), in page order: the same bytes give the same id anywhere."""
    items = list(digests)
    joined = items[0] if len(items) == 1 else hashlib.sha256("\n".join(items).encode()).hexdigest()
    return joined[:ID_LENGTH]


def write_atomic(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file beside `path`, then rename it into place.

    The temporary name keeps the suffix, since image writers choose the format by it. On any error nothing at
    `path` changes and the temporary file is removed.

    Raises:
        WorkspaceError: the disk is full or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}-", suffix=f".tmp{path.suffix}")
        os.close(handle)
    except OSError as error:
        raise _write_failed(path, error) from error
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise _write_failed(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _write_failed(path: Path, error: OSError) -> WorkspaceError:
    return WorkspaceError(
        f"Cannot write {path}: {error.strerror or error}.",
        hint="Check free space and permissions, then run the same command again; finished work is kept.",
        code="workspace.write_failed",
    )


def write_bytes(path: Path, data: bytes) -> None:
    """Atomically write `data`."""

    def write(temporary: Path) -> None:
        temporary.write_bytes(data)

    write_atomic(path, write)


def write_text(path: Path, text: str) -> None:
    """Atomically write UTF-8 text. Lone surrogates, which damaged text layers hold, become U+FFFD."""
    write_bytes(path, _LONE_SURROGATE.sub("\ufffd", text).encode())


def write_json(path: Path, value: Any) -> None:
    """Atomically write JSON, UTF-8, keys in the order given."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def copy_file(source: Path, target: Path) -> None:
    """Atomically copy a file byte for byte."""

    def write(temporary: Path) -> None:
        shutil.copyfile(source, temporary)

    write_atomic(target, write)


class Workspace:
    """Paths and files of one workspace folder; see the contract for the tree."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def database(self) -> Path:
        """The SQLite ledger."""
        return self.root / "wholepage.db"

    @property
    def inbox(self) -> Path:
        """Where files are dropped for `watch`."""
        return self.root / "inbox"

    @property
    def quarantine(self) -> Path:
        """Files that could not be read, each with NAME.error.json beside it."""
        return self.root / "quarantine"

    @property
    def papers(self) -> Path:
        """Folder of all papers."""
        return self.root / "papers"

    def create(self) -> Workspace:
        """Make the folders. Raises WorkspaceError when that fails."""
        try:
            for folder in (self.inbox, self.quarantine, self.papers):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceError(
                f"Cannot create the workspace {self.root}: {error.strerror or error}.",
                hint="Choose another folder with --workspace DIR or WHOLEPAGE_WORKSPACE.",
            ) from error
        return self

    def paper_dir(self, paper_id: str) -> Path:
        """Folder of one paper. Raises WorkspaceError for an id that is not one (no path tricks)."""
        if not paper_id or not all(c.isalnum() or c in "-_" for c in paper_id):
            raise WorkspaceError(f"{paper_id!r} is not a paper id.", hint="`wholepage list` shows the ids.")
        return self.papers / paper_id

    def paper_ids(self) -> list[str]:
        """Ids of all papers that have a paper.json, sorted."""
        return sorted(p.parent.name for p in self.papers.glob("*/paper.json"))

    def find(self, reference: str) -> str:
        """Paper id for an id, an unambiguous beginning of one, a source file's name, or a paper folder or file.

        A file's name may stand with or without its suffix.

        Raises:
            WorkspaceError: nothing or more than one paper fits.
        """
        ids = self.paper_ids()
        if reference in ids:
            return reference
        path = Path(reference)
        if path.name == "paper.json" and path.parent.name in ids:
            return path.parent.name
        hits = [i for i in ids if i.startswith(reference)] or [
            i for i in ids if path.name in {n for p in (self.papers / i / "source").glob("*") for n in (p.name, p.stem)}
        ]
        if not hits and path.name in ids:
            hits = [path.name]
        if len(hits) == 1:
            return hits[0]
        said = "More than one paper fits" if hits else "No paper fits"
        raise WorkspaceError(f"{said} {reference!r} in {self.root}.", hint="`wholepage list` shows ids and files.")

    def load(self, paper_id: str) -> Paper:
        """Read and validate paper.json. Raises WorkspaceError when it is absent, damaged or of another schema."""
        path = self.paper_dir(paper_id) / "paper.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise WorkspaceError(f"There is no {path}.", hint="Ingest the file first.") from error
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"Cannot read {path}: {error}.", hint="Ingest the source file again.") from error
        if not isinstance(data, dict) or data.get("schema") != SCHEMA_ID:
            found = data.get("schema") if isinstance(data, dict) else None
            raise WorkspaceError(
                f"{path} has schema {found!r}; this program reads {SCHEMA_ID!r}.",
                hint="Use the program version that wrote it, or ingest the source file again.",
            )
        try:
            return Paper.model_validate(data)
        except ValidationError as error:
            raise WorkspaceError(
                f"{path} does not follow the contract: {error.errors()[0]['loc']} {error.errors()[0]['msg']}.",
                hint="`wholepage schema` prints the contract.",
            ) from error

    def save(self, paper: Paper) -> Path:
        """Atomically write the paper's paper.json and return its path."""
        path = self.paper_dir(paper.id) / "paper.json"
        write_json(path, paper.model_dump(mode="json", by_alias=True))
        return path

    @contextlib.contextmanager
    def lock(self, paper_id: str) -> Iterator[bool]:
        """Hold the paper for one process: yields False when another process holds it.

        An advisory lock (flock) that the system drops with the process, so a killed run never blocks the next.
        Where flock does not exist the lock is always granted.
        """
        try:
            import fcntl
        except ImportError:  # Windows
            yield True
            return
        folder = self.paper_dir(paper_id)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
                return
            yield True
