"""From one opened source to a paper in the workspace: store, read pages, parse, write, clean up."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ingest.sources import Source, open_source
from wholepage.answering import reapply_keys
from wholepage.assemble import Reading, assemble, referenced_files
from wholepage.errors import SourceError, WorkspaceError
from wholepage.fingerprints import parse_fingerprint
from wholepage.ledger import Ledger
from wholepage.page_stage import PageStage, Progress, read_source
from wholepage.pool import PagePool
from wholepage.records import Issue, Paper
from wholepage.settings import Settings, load_settings
from wholepage.storing import quarantine, store_source
from wholepage.workspace import Workspace

if TYPE_CHECKING:
    from parse_templates.model.reader import ModelReader

Status = Literal["ok", "doubts", "failed", "cached", "duplicate", "waiting"]  # the last two: `watch` only
LOCK_POLL_SECONDS = 0.2
CRASHES_TO_ISOLATE = 1  # a page that was being read when an earlier run died is read apart


@dataclass(frozen=True)
class IngestOptions:
    """How to ingest. `answers` is the paper's key file; without it, the key of an earlier run is used again unless
    `forget_answers`. `force` reads everything anew. `reader` asks a model too; without it the rules parse alone."""

    template: str = "auto"
    answers: Path | None = None
    forget_answers: bool = False
    password: str | None = None
    force: bool = False
    settings: Settings = field(default_factory=load_settings)
    reader: ModelReader | None = None


@dataclass(frozen=True)
class PaperResult:
    """What became of one paper; `errors` tells whether anything is listed with severity error."""

    paper_id: str | None
    path: Path
    status: Status
    pages: int = 0
    questions: int = 0
    issues: int = 0
    seconds: float = 0.0
    errors: bool = False
    error: dict[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """The line that `--json` prints."""
        line: dict[str, Any] = {
            "paper_id": self.paper_id,
            "path": str(self.path).encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
            "status": self.status,
            "pages": self.pages,
            "questions": self.questions,
            "issues": self.issues,
            "seconds": round(self.seconds, 2),
        }
        return line | ({"error": self.error} if self.error else {})


def ingest_source(
    source: Source,
    workspace: Workspace,
    options: IngestOptions,
    *,
    ledger: Ledger | None = None,
    pool: PagePool | None = None,
    progress: Progress | None = None,
) -> PaperResult:
    """Make or renew the paper of `source`. Finished pages of an earlier, interrupted run are not read again.

    Args:
        ledger: an open ledger to use; by default the workspace's is opened.
        pool: workers to use; by default `options.settings.jobs` are started for this paper.
        progress: called with (pages done, pages in all).

    Raises:
        SourceError: no page could be read.
        WorkspaceError: the workspace cannot be written.
        TemplateError: the template does not exist or does not validate.
    """
    with contextlib.ExitStack() as stack:
        workspace.create()
        book = ledger or stack.enter_context(Ledger(workspace.database))
        workers = pool or stack.enter_context(PagePool(options.settings.jobs))
        stack.enter_context(hold(workspace, source.paper_id))
        return _Ingest(source, workspace, options, book, workers, progress or (lambda done, total: None)).run()


@contextlib.contextmanager
def hold(workspace: Workspace, paper_id: str) -> Iterator[None]:
    """Wait until no other process works on the paper, then keep it to ourselves."""
    while True:
        with workspace.lock(paper_id) as mine:
            if mine:
                yield
                return
        time.sleep(LOCK_POLL_SECONDS)


class _Ingest:
    """One run over one paper."""

    def __init__(
        self,
        source: Source,
        workspace: Workspace,
        options: IngestOptions,
        ledger: Ledger,
        pool: PagePool,
        progress: Progress,
    ) -> None:
        self.source, self.workspace, self.options = source, workspace, options
        self.ledger, self.pool, self.progress = ledger, pool, progress
        self.paper_id = source.paper_id
        self.folder = workspace.paper_dir(self.paper_id)
        self.started = time.perf_counter()
        self.key_issues: list[Issue] = []

    def run(self) -> PaperResult:
        """Store, read, parse, write."""
        if self.options.force:
            self.ledger.forget(self.paper_id)
        fresh = not (self.folder / "paper.json").exists()
        key_source = self._key()
        total = self.source.page_count + (key_source.page_count if key_source else 0)
        stored = store_source(self.source, self.folder / "source")
        paper = self._read(stored, self.folder, "page", 0, total)
        if not paper.readable:
            self._discard(fresh)
            raise _nothing_readable(paper)
        answers = None
        if key_source:
            key_stored = store_source(key_source, self.folder / "source")
            answers = self._read(
                key_stored, self.folder / "work" / "answers", "answers:page", len(paper.outcomes), total
            )
            if not answers.readable:
                self._key_failed(key_source.path, _nothing_readable(answers))
                answers = None
        return self._parse(paper, answers)

    def _key(self) -> Source | None:
        """The key file given, or the one that an earlier run used."""
        path = self.options.answers
        if path is None and not self.options.forget_answers:
            path = self._remembered_key()
        if path is None:
            return None
        try:
            key = open_source(path, self.options.password, self.options.settings)
        except SourceError as error:
            self._key_failed(path, error)
            return None
        return None if set(key.sha256s) & set(self.source.sha256s) else key

    def _remembered_key(self) -> Path | None:
        try:
            record = self.workspace.load(self.paper_id).source.model_extra or {}
        except WorkspaceError:
            return None
        stored = record.get("answers", {}).get("stored", [])
        path = self.folder / "source" / Path(stored[0]).name if len(stored) == 1 else None
        return path if path is not None and path.is_file() else None

    def _key_failed(self, path: Path, error: SourceError) -> None:
        """A key that cannot be read does not cost the paper, but it is an error of the paper."""
        quarantine(self.workspace, path, error)
        message = f"The answer key could not be used: {error.message} {error.hint}".strip()
        self.key_issues.append(Issue(code="answers.unreadable", severity="error", message=message))

    def _read(self, source: Source, base: Path, stage: str, before: int, total: int) -> Reading:
        options = self.options
        run = PageStage(self.paper_id, options.settings, self.ledger, self.pool, self.progress, options.force)
        return read_source(run, source, base, stage, before, total)

    def _parse(self, paper: Reading, answers: Reading | None) -> PaperResult:
        options = self.options
        fingerprint = parse_fingerprint(
            [[o.fingerprint, o.layout] for o in paper.outcomes],
            [[o.fingerprint, o.layout] for o in answers.outcomes] if answers else [i.message for i in self.key_issues],
            options.template,
            options.reader.describe() if options.reader else None,
        )
        preview = self.folder / "preview.html"
        if preview.exists() and self.ledger.is_done(self.paper_id, "parse", fingerprint):
            with contextlib.suppress(WorkspaceError):
                return self._result(self.workspace.load(self.paper_id), "cached")
        started = time.perf_counter()
        self.ledger.begin(self.paper_id, "parse", fingerprint)
        record = assemble(paper, answers, options.template, options.settings, options.reader)
        record.issues = [*record.issues, *self.key_issues]
        reapply_keys(self.workspace, record)
        self._check(record)
        self.workspace.save(record)
        self._write_preview(record)
        self._clean(record, paper, answers)
        # Where a model was of no use the next run asks again; what it answered is kept.
        failed = (record.produced_by.get("model") or {}).get("failed", 0)
        error = ("model.failed", f"{failed} windows got no usable reply.") if failed else None
        self.ledger.finish(self.paper_id, "parse", time.perf_counter() - started, error)
        return self._result(record, "doubts" if record.has_errors() else "ok")

    def _check(self, record: Paper) -> None:
        """All checks of the record; duplicates are looked for in this paper alone, others are `wholepage check`'s."""
        from parse_templates.checks_run import check_paper
        from wholepage.checking import duplicate_issues

        check_paper(record, self.folder, duplicate_issues([record]))

    def _write_preview(self, record: Paper) -> None:
        from review.preview import write_preview

        write_preview(self.workspace, record)

    def _result(self, record: Paper, status: Status) -> PaperResult:
        return PaperResult(
            self.paper_id,
            self.source.path,
            status,
            len(record.pages),
            len(record.questions),
            len(record.all_issues()),
            time.perf_counter() - self.started,
            record.has_errors(),
        )

    def _clean(self, record: Paper, paper: Reading, answers: Reading | None) -> None:
        """Remove what earlier runs left and the new record no longer names, now that the new files are in place."""
        named = referenced_files(record)
        for kind in ("figures", "pages"):
            for file in (self.folder / kind).glob("*"):
                if f"{kind}/{file.name}" not in named:
                    file.unlink(missing_ok=True)
        used = {f.path.name for r in (paper, answers) if r is not None for f in r.source.files}
        for file in (self.folder / "source").glob("*"):
            if file.name not in used:
                file.unlink(missing_ok=True)
        if answers is None:
            shutil.rmtree(self.folder / "work" / "answers", ignore_errors=True)

    def _discard(self, fresh: bool) -> None:
        """Leave no empty paper behind when nothing of a new file could be read."""
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)


def _nothing_readable(reading: Reading) -> SourceError:
    first = next((i.message for o in reading.outcomes for i in o.issues if i.severity == "error"), "")
    return SourceError(
        f"No page of {reading.source.name} could be read. {first}".strip(),
        hint="Open it in a viewer; if the pages show there, print it to a new PDF.",
        code="file.no_readable_pages",
    )
