"""From what the user names on the command line to one path per paper.

A folder that holds a PDF or a zip is a folder of many papers, each file one. A folder whose readable files are all
images is one paper. Folders inside folders follow the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.names import IMAGE_SUFFIXES, is_junk, is_partial, natural_key
from ingest.sniff import HEAD_BYTES, sniff
from wholepage.errors import SourceError

WORKSPACE_MARK = "wholepage.db"  # a workspace inside the folder holds copies of papers, not papers


@dataclass
class Survey:
    """`papers` has one path per paper; `ignored` are files inside folders that are of no readable kind."""

    papers: list[Path] = field(default_factory=list)
    ignored: list[Path] = field(default_factory=list)
    seen: set[Path] = field(default_factory=set, repr=False)

    def add(self, path: Path) -> None:
        """Add a paper once, whatever ways lead to it."""
        real = path.resolve()
        if real not in self.seen:
            self.seen.add(real)
            self.papers.append(path)


def expand(paths: Sequence[Path]) -> list[Path]:
    """One path per paper, files of a folder in natural order; see `survey`."""
    return survey(paths).papers


def survey(paths: Sequence[Path]) -> Survey:
    """What the given files and folders hold.

    A path that does not exist, or a folder without anything readable, stays in the list: `open_source` says why it
    is no paper.
    """
    found = Survey()
    for path in paths:
        if not path.is_dir():
            found.add(path)
            continue
        inside = Survey()
        _walk(path, inside, set())
        for paper in inside.papers or [path]:
            found.add(paper)
        found.ignored.extend(p for p in inside.ignored if p not in found.ignored)
    return found


def holds_documents(folder: Path) -> bool:
    """Whether a PDF or zip lies directly in `folder`: then it is no folder of page images."""
    return any(_kind(p) in ("pdf", "zip") for p in _members(folder))


def _walk(folder: Path, found: Survey, above: set[Path]) -> None:
    real = folder.resolve()
    if real in above or _is_workspace(folder):  # a link that leads back up would never end
        return
    try:
        members = _members(folder)
    except OSError:
        found.add(folder)  # opening it names the reason
        return
    files = [p for p in members if p.is_file()]
    kinds = {p: _kind(p) for p in files}
    found.ignored.extend(p for p in files if kinds[p] is None)
    readable = [p for p in files if kinds[p] is not None]
    if readable and all(kinds[p] == "image" for p in readable):
        found.add(folder)
    else:
        for path in readable:
            found.add(path)
    for path in members:
        if path.is_dir():
            _walk(path, found, above | {real})


def _is_workspace(folder: Path) -> bool:
    return (folder / WORKSPACE_MARK).exists()


def _members(folder: Path) -> list[Path]:
    names = [p for p in folder.iterdir() if not is_junk(p.name) and not is_partial(p.name)]
    return sorted(names, key=lambda p: natural_key(p.name))


def _kind(path: Path) -> str | None:
    """pdf, zip, image or None: by suffix, and by content where the name has none."""
    suffix = path.suffix.casefold()
    if suffix in IMAGE_SUFFIXES:
        return "image"
    if suffix in {".pdf", ".zip"}:
        return suffix[1:]
    if suffix or not path.is_file():
        return None
    try:
        with path.open("rb") as handle:
            return sniff(handle.read(HEAD_BYTES), path.name)
    except (OSError, SourceError):
        return None
