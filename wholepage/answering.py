"""`wholepage answers`: keys that come after their paper are stored beside it, read like any page, and joined to it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wholepage.console import clean
from wholepage.errors import SourceError, WholepageError, WorkspaceError
from wholepage.records import Paper
from wholepage.settings import Settings
from wholepage.workspace import Workspace, copy_file, sha256_file

if TYPE_CHECKING:
    from parse_templates.later_keys import KeyReport
    from parse_templates.later_matching import LaterKey

STYLE = {"filled": "green", "confirmed": "green", "kept": "cyan", "conflict": "red", "unmatched": "yellow"}
DIGITS = 12  # of a key's digest in the names of its folders


@dataclass(frozen=True)
class KeyResult:
    """What became of one key file."""

    path: Path
    report: KeyReport | None = None
    error: WholepageError | None = None
    errors: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The line that `--json` prints."""
        line: dict[str, Any] = {"file": self.path.name}
        if self.report is not None:
            entries = [{"number": n, "outcome": o, "why": w} for n, o, w in self.report.lines]
            line |= {**self.report.counts(), "entries": entries}
        if self.error is not None:
            line["error"] = {"code": self.error.code, "message": self.error.message, "hint": self.error.hint}
        return line


def add_keys(
    workspace: Workspace,
    paper_id: str,
    files: Sequence[Path],
    settings: Settings,
    password: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[KeyResult]:
    """Read each key and join it to the paper. A key that cannot be read costs the others nothing.

    Raises:
        WorkspaceError: the paper does not exist or cannot be written.
    """
    from wholepage.pipeline import hold

    results = []
    with hold(workspace, paper_id):
        paper = workspace.load(paper_id)
        for path in files:
            try:
                key = _read(workspace, paper, path, settings, password, progress or (lambda done, total: None))
            except SourceError as error:
                results.append(KeyResult(path, error=error))
                continue
            results.append(KeyResult(path, _apply(workspace, paper, key)))
        _save(workspace, paper)
    return results


def reapply_keys(workspace: Workspace, fresh: Paper) -> None:
    """Join the keys that were added later to a paper that has just been parsed anew. Keys whose files have gone are
    listed as an issue."""
    from parse_templates.checks_context import template_of
    from parse_templates.key_files import is_key_file, read_key_file
    from parse_templates.later_keys import key_from_pages, key_from_rows
    from wholepage.records import Issue

    try:
        before = workspace.load(fresh.id)
    except WorkspaceError:
        return
    folder = workspace.paper_dir(fresh.id)
    for known in added_keys(before):
        stored = folder / "keys" / Path(str(known.get("stored"))).name
        try:
            if is_key_file(stored):
                key = key_from_rows(known["file"], known["sha256"], read_key_file(stored))
            else:
                layouts = _stored_layouts(folder / "work" / f"key-{known['sha256'][:DIGITS]}")
                key = key_from_pages(known["file"], known["sha256"], layouts, template_of(fresh, folder))
        except (WholepageError, KeyError) as error:
            message = f"The key {known.get('file')} that was added later could not be read again: {error}"
            fresh.issues = [*fresh.issues, Issue(code="answers.unreadable", severity="error", message=message)]
            continue
        _apply(workspace, fresh, key, stored.name)


def added_keys(paper: Paper) -> list[dict[str, Any]]:
    """The keys that were added to a paper after it was read: `file`, `sha256`, `stored` and counts of outcomes."""
    found = (paper.model_extra or {}).get("answer_keys") or []
    return [dict(k) for k in found if isinstance(k, dict)]


def _stored_layouts(base: Path) -> list[Any]:
    from layout.types import load_layout

    files = sorted((base / "layout").glob("*.json"))
    if not files:
        raise SourceError("its pages are not stored any more.", hint="Give the key again with `wholepage answers`.")
    return [load_layout(file) for file in files]


def _read(
    workspace: Workspace,
    paper: Paper,
    path: Path,
    settings: Settings,
    password: str | None,
    progress: Callable[[int, int], None],
) -> LaterKey:
    """Store a key file and read it: data as data, anything else through the page stages."""
    from parse_templates.checks_context import template_of
    from parse_templates.key_files import is_key_file, read_key_file
    from parse_templates.later_keys import key_from_pages, key_from_rows

    keys = workspace.paper_dir(paper.id) / "keys"
    if is_key_file(path):
        if not path.is_file():
            raise SourceError(f"There is no {path}.", hint="Check the path.", code="file.not_found")
        rows, digest = read_key_file(path), sha256_file(path)
        copy_file(path, keys / _stored_name(path, digest))
        return key_from_rows(path.name, digest, rows)
    layouts, digest, first = _read_pages(workspace, paper, path, settings, password, progress)
    if first != keys / _stored_name(path, digest) and first.suffix:
        copy_file(first, keys / _stored_name(path, digest))
    template = template_of(paper, workspace.paper_dir(paper.id))
    return key_from_pages(path.name, digest, layouts, template)


def _stored_name(path: Path, digest: str) -> str:
    from ingest.names import safe_name

    return safe_name(f"{digest[:DIGITS]}-{path.name}")


def _read_pages(
    workspace: Workspace,
    paper: Paper,
    path: Path,
    settings: Settings,
    password: str | None,
    progress: Callable[[int, int], None],
) -> tuple[list[Any], str, Path]:
    """Layouts of a key's pages, its digest, and its first file as stored."""
    import hashlib

    from ingest.sources import open_source
    from wholepage.ledger import Ledger
    from wholepage.page_stage import PageStage, read_source
    from wholepage.pool import PagePool
    from wholepage.storing import store_source

    source = open_source(path, password, settings)
    digests = source.sha256s
    digest = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    base = workspace.paper_dir(paper.id) / "work" / f"key-{digest[:DIGITS]}"
    stored = store_source(source, base / "source")
    with contextlib.ExitStack() as stack:
        ledger = stack.enter_context(Ledger(workspace.database))
        pool = stack.enter_context(PagePool(settings.jobs))
        run = PageStage(paper.id, settings, ledger, pool, progress)
        reading = read_source(run, stored, base, f"key-{digest[:DIGITS]}:page", 0, source.page_count)
    if not reading.readable:
        raise SourceError(
            f"No page of the key {path.name} could be read.",
            hint="Open it in a viewer; if the pages show there, print it to a new PDF.",
            code="file.no_readable_pages",
        )
    return reading.layouts(), digest, stored.files[0].path


def _apply(workspace: Workspace, paper: Paper, key: LaterKey, stored: str | None = None) -> KeyReport:
    """Join a key and keep in the record that it was."""
    from parse_templates.checks_context import template_of
    from parse_templates.later_keys import apply_later_key

    report = apply_later_key(paper, key, template_of(paper, workspace.paper_dir(paper.id)))
    name = stored or _stored_name(Path(key.file), key.sha256)
    entry = {"file": key.file, "sha256": key.sha256, "stored": name, **report.counts()}
    others = [k for k in added_keys(paper) if k.get("sha256") != key.sha256]
    paper.answer_keys = [*others, entry]  # type: ignore[attr-defined]
    return report


def _save(workspace: Workspace, paper: Paper) -> None:
    """Check the questions that changed, then write paper and preview."""
    from parse_templates.checks_run import check_paper
    from wholepage.checking import save_paper

    check_paper(paper, workspace.paper_dir(paper.id))
    save_paper(workspace, paper)


def render_keys(results: Sequence[KeyResult]) -> RenderableType:
    """A row a key, then its entries that need a look."""
    table = Table(box=None, pad_edge=False)
    for name in ("key", *STYLE):
        table.add_column(name, justify="left" if name == "key" else "right")
    details: list[Text] = []
    for result in results:
        shown = Text(clean(result.path.name).replace("\n", "\\n"))
        if result.report is None:
            table.add_row(shown, *[""] * len(STYLE))
            details.append(Text(f"{clean(result.path.name)}: {clean(result.error)}", "red"))
            continue
        counts = result.report.counts()
        table.add_row(shown, *(str(counts[k]) for k in STYLE))
        for number, outcome, why in result.report.lines:
            if outcome in ("conflict", "unmatched", "kept"):
                details.append(Text(f"{outcome:10}", STYLE[outcome]) + Text(clean(f"{number}: {why}")))
    return Group(table, *details)
