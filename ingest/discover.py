"""Which papers the given paths are: files, folders of many papers, folders that are one paper."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ingest.names import IMAGE_SUFFIXES, is_junk, is_partial, natural_key
from ingest.pairing import Pair, pair_files
from wholepage.errors import SourceError

DOCUMENT_SUFFIXES = frozenset({".pdf", ".zip"})


def find_papers(paths: Iterable[Path]) -> list[Pair]:
    """Papers with their keys, in the order of `paths`; the same file given twice counts once.

    A folder that holds a PDF or zip is a folder of papers, each file one; a folder with images only is one paper.
    Folders inside folders are looked into, hidden ones and links to folders are not.

    Raises:
        SourceError: `file.not_found` for a path that does not exist, `file.no_pages` for a folder without papers.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if not path.exists():
            raise SourceError(f"There is no {path}.", hint="Check the path.", code="file.not_found")
        members = papers_in(path) if path.is_dir() else [path]
        if not members:
            raise SourceError(
                f"The folder {path} holds no papers.",
                hint="It should hold PDF files, zips or page images (PNG, JPEG, WebP, TIFF).",
                code="file.no_pages",
            )
        for member in members:
            found.setdefault(member.resolve(), member)
    return pair_files(found.values())


def papers_in(folder: Path) -> list[Path]:
    """Paths in a folder that are one paper each, naturally sorted; the folder itself when it holds images only."""
    members = sorted(
        (p for p in folder.iterdir() if not is_junk(p.name) and not is_partial(p.name)),
        key=lambda p: natural_key(p.name),
    )
    files = [p for p in members if p.is_file()]
    documents = [p for p in files if p.suffix.casefold() in DOCUMENT_SUFFIXES]
    pictures = [p for p in files if p.suffix.casefold() in IMAGE_SUFFIXES]
    own = [p for p in files if p in documents or p in pictures] if documents else [folder] if pictures else []
    inner = [p for p in members if p.is_dir() and not p.is_symlink()]
    return [*own, *(paper for sub in inner for paper in papers_in(sub))]
