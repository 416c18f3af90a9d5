"""`wholepage watch`: the loop around the inbox, which survives files and workspaces that fail."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event

from ingest.watch import Inbox, watch_inbox
from wholepage.batch import Batch, Reporter, exit_code
from wholepage.console import print_error
from wholepage.errors import ExitCode, WorkspaceError
from wholepage.inbox import InboxWorker
from wholepage.pipeline import IngestOptions, PaperResult
from wholepage.workspace import Workspace

RETRY_SECONDS = 30.0  # after the workspace could not be written (full disk …)


def watch_folder(
    folder: Path,
    workspace: Workspace,
    options: IngestOptions,
    reporter: Reporter,
    once: bool,
    stop: Event | None = None,
) -> ExitCode:
    """Ingest what is dropped into `folder` until `stop` is set, or with `once` until nothing is left to do.

    Returns:
        The exit code for `once`: as `batch.exit_code`, 0 when there was nothing to do.

    Raises:
        WorkspaceError: the workspace cannot be used (with `once`, or at the start).
    """
    inbox = Inbox(folder.absolute(), options.settings.settle_seconds)
    ended = stop or Event()
    results: list[PaperResult] = []
    with Batch(workspace, options, reporter) as batch:
        worker = InboxWorker(inbox, batch)
        for ready in watch_inbox(inbox, once, ended):
            try:
                for result in worker.handle(ready):
                    if once:
                        results.append(result)
            except WorkspaceError as error:
                if once:
                    raise
                print_error(error, as_json=False)
                for path in ready:
                    inbox.give_back(path)
                _sleep(ended, RETRY_SECONDS)
    return exit_code([r for r in results if r.status not in ("duplicate", "waiting")])


def _sleep(ended: Event, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not ended.is_set() and time.monotonic() < end:
        ended.wait(0.2)
