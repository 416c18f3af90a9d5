"""Many papers in a row: open each, ingest it, quarantine what cannot be read, and go on."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ingest.pairing import Pair
from ingest.sources import Source, open_source
from wholepage.errors import ExitCode, SourceError, WholepageError, WorkspaceError, is_interrupt
from wholepage.ledger import Ledger
from wholepage.pipeline import IngestOptions, PaperResult, ingest_source
from wholepage.pool import PagePool
from wholepage.storing import quarantine, release
from wholepage.workspace import Workspace, sha256_file


class Reporter(Protocol):
    """Hears of what goes on, to show it."""

    def start(self, path: Path) -> None:
        """A paper begins."""

    def page(self, done: int, total: int) -> None:
        """Pages of the current paper are done."""

    def finish(self, result: PaperResult) -> None:
        """A paper is done or has failed."""


class SilentReporter:
    """Shows nothing."""

    def start(self, path: Path) -> None:
        """Nothing."""

    def page(self, done: int, total: int) -> None:
        """Nothing."""

    def finish(self, result: PaperResult) -> None:
        """Nothing."""


class Batch:
    """Ingests papers one after the other with one ledger and one pool of workers. Use as a context manager.

    Raises:
        WorkspaceError: the workspace or its ledger cannot be used.
        TemplateError: the template named in the options does not exist or does not validate.
    """

    def __init__(self, workspace: Workspace, options: IngestOptions, reporter: Reporter | None = None) -> None:
        _check_template(options.template)
        self.workspace = workspace.create()
        self.options = options
        self.reporter = reporter or SilentReporter()
        self.ledger = Ledger(workspace.database)
        self._pool = PagePool(options.settings.jobs)

    def __enter__(self) -> Batch:
        self._pool.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._pool.__exit__(kind, error, None)
        self.ledger.close()
        if self.options.reader is not None:
            self.options.reader.close()

    def ingest(self, pair: Pair) -> PaperResult:
        """One paper. What is wrong with the file is in the result; what is wrong with the workspace is raised."""
        self.reporter.start(pair.paper)
        started = time.perf_counter()
        try:
            result = self._ingest(pair)
        except WorkspaceError:
            raise
        except WholepageError as error:
            result = self._failed(pair.paper, error, started)
        except Exception as error:  # a defect met in one file must not cost the other files
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            said = WholepageError(
                f"{pair.paper.name} met a defect of the program ({type(error).__name__}: {error}).",
                hint="The details are in its .error.json in quarantine/; please report them.",
                code="internal.error",
            )
            result = self._failed(pair.paper, said, started, traceback.format_exc())
        self.reporter.finish(result)
        return result

    def _ingest(self, pair: Pair) -> PaperResult:
        options = replace(self.options, answers=pair.answers or self.options.answers)
        source = open_source(pair.paper, options.password, options.settings)
        self._note(source, "seen")
        result = ingest_source(
            source, self.workspace, options, ledger=self.ledger, pool=self._pool, progress=self.reporter.page
        )
        self._note(source, "done")
        if pair.answers is not None:
            for file in _files_of(pair.answers):
                self.ledger.see_file(sha256_file(file), file, "done", source.paper_id)
        release(self.workspace, source.sha256s)
        return result

    def _note(self, source: Source, state: str) -> None:
        for file in source.files:
            self.ledger.see_file(file.sha256, file.path, state, source.paper_id)  # type: ignore[arg-type]

    def _failed(self, path: Path, error: WholepageError, started: float, detail: str = "") -> PaperResult:
        entry = quarantine(self.workspace, path, error, detail)
        if entry is not None and entry.sha256 is not None:
            self.ledger.see_file(entry.sha256, path, "failed")
        described = {"code": error.code, "message": error.message, "hint": error.hint}
        return PaperResult(None, path, "failed", seconds=time.perf_counter() - started, errors=True, error=described)


def _files_of(key: Path) -> list[Path]:
    """The key's file, or the files of a folder of pages; none when it has gone."""
    return sorted(p for p in (key.iterdir() if key.is_dir() else [key]) if p.is_file())


def exit_code(results: Sequence[PaperResult]) -> ExitCode:
    """0 all well; 3 papers with errors, or some files failed; 4 no file could be read; 1 nothing but defects."""
    failed = [r for r in results if r.status == "failed"]
    if results and len(failed) == len(results):
        internal = all(r.error and r.error["code"] == "internal.error" for r in failed)
        return ExitCode.FAILURE if internal else ExitCode.UNREADABLE
    return ExitCode.DOUBTS if any(r.errors for r in results) else ExitCode.OK


def _check_template(name: str) -> None:
    """Say that a template is wrong before pages are read, not after."""
    if name != "auto":
        from parse_templates.template_files import load_template

        load_template(name)


__all__ = ["Batch", "Reporter", "SilentReporter", "SourceError", "exit_code"]
