"""Opening PDF files, with the errors that users can act on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ingest.names import shown
from wholepage.errors import SourceError

if TYPE_CHECKING:
    import pymupdf


def open_pdf(path: Path, name: str, password: str | None) -> pymupdf.Document:
    """The document, unlocked.

    Raises:
        SourceError: `file.encrypted` (no or wrong password), `file.damaged`, or `file.no_pages`.
    """
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)  # MuPDF would write to stdout, which belongs to --json
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        document = pymupdf.open(path, filetype="pdf")
    except Exception as error:  # MuPDF's error classes differ from release to release
        raise _damaged(name, str(error)) from error
    try:
        _unlock(document, name, password)
        count = document.page_count
    except SourceError:
        document.close()
        raise
    except Exception as error:
        document.close()
        raise _damaged(name, str(error)) from error
    if count == 0:
        document.close()
        raise SourceError(f"{shown(name)} has no pages.", hint="Export or download it again.", code="file.no_pages")
    return document


def _unlock(document: pymupdf.Document, name: str, password: str | None) -> None:
    if not document.needs_pass:
        return
    if password is None:
        raise SourceError(
            f"{shown(name)} is encrypted and needs a password.", hint="Give it with --password.", code="file.encrypted"
        )
    if not document.authenticate(password):
        raise SourceError(
            f"{shown(name)} is not opened by this password.",
            hint="Check the password (capitals, spaces) and give it with --password.",
            code="file.encrypted",
        )


def _damaged(name: str, reason: str) -> SourceError:
    return SourceError(
        f"{shown(name)} is damaged and cannot be repaired ({shown(reason.strip()) or 'no reason given'}).",
        hint="Download or export the file again; if a viewer still opens it, print it to a new PDF.",
        code="file.damaged",
    )
