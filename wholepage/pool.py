"""Worker processes for pages. A worker that dies costs the page it was reading, and only after a second try.

A worker that reads one page for longer than the settings allow ends itself; such a page is not tried again.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for
from types import TracebackType

from wholepage.reading import PageOutcome, PageTask, close_reader, failed_page, read_page

Started = Callable[[PageTask], None]
Read = Callable[[PageTask], PageOutcome]


class PagePool:
    """Reads pages with `jobs` processes (1: in this process). Kept open over several papers, as starting is slow."""

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = max(1, jobs)
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> PagePool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        close_reader()
        self._shut(wait_for_workers=kind is None)

    def run(self, tasks: Iterable[PageTask], started: Started, isolate: frozenset[int]) -> Iterator[PageOutcome]:
        """Outcomes as pages finish, in any order.

        Args:
            tasks: pages to read; consumed as workers become free, never all at once.
            started: called in this process just before a page is handed out.
            isolate: numbers of pages that took an earlier run down with them: read in a process of their own.
        """
        risky: list[PageTask] = []

        def safe() -> Iterator[PageTask]:
            for task in tasks:
                if task.paths.number in isolate:
                    risky.append(task)
                else:
                    yield task

        if self.jobs == 1:
            for task in safe():
                started(task)
                yield read_page(task)
        else:
            yield from self._run_window(safe(), started)
        for task in risky:
            started(task)
            yield self._run_alone(task)

    def _run_window(self, tasks: Iterator[PageTask], started: Started) -> Iterator[PageOutcome]:
        """Keep `jobs` pages in flight; after a death read those that were in flight one by one."""
        flying: dict[Future[PageOutcome], PageTask] = {}
        exhausted = False
        while True:
            suspects: list[PageTask] = []
            while not exhausted and len(flying) < self.jobs:
                task = next(tasks, None)
                if task is None:
                    exhausted = True
                    break
                started(task)
                try:
                    flying[self._pool().submit(_read_in_time, read_page, task)] = task
                except BrokenProcessPool:
                    suspects.append(task)
                    break
            if not flying and not suspects:
                return
            done = wait(flying, return_when=FIRST_COMPLETED).done if flying else set()
            for future in done:
                task = flying.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    suspects.append(task)
            if suspects:
                suspects.extend(flying.values())
                flying.clear()
                self._shut(wait_for_workers=True)
                for task in sorted(suspects, key=lambda t: t.paths.number):
                    if (late := _given_up(task)) is not None:
                        yield late
                        continue
                    started(task)
                    yield self._run_alone(task)

    def _run_alone(self, task: PageTask) -> PageOutcome:
        with _executor(1) as alone:
            try:
                return alone.submit(_read_in_time, read_page, task).result()
            except BrokenProcessPool:
                number = task.paths.number
                return _given_up(task) or failed_page(
                    task, f"Page {number}: the process that read it died twice, perhaps for lack of memory."
                )

    def _pool(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = _executor(self.jobs)
        return self._executor

    def _shut(self, wait_for_workers: bool) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=wait_for_workers, cancel_futures=True)
            self._executor = None


def _read_in_time(read: Read, task: PageTask) -> PageOutcome:
    """Read a page in a worker, which ends where that takes too long: native code can be stopped in no other way.

    What it was doing then is in the page's `slow` file.
    """
    note = task.paths.slow
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        file = note.open("w", encoding="utf-8")
    except OSError:
        return read(task)  # which says what is wrong with the folder
    with file:
        # Its thread needs no interpreter lock, so that it runs whatever the page's code holds.
        faulthandler.dump_traceback_later(task.settings.page_seconds, exit=True, file=file)
        try:
            return read(task)
        finally:
            faulthandler.cancel_dump_traceback_later()
            note.unlink(missing_ok=True)


def _given_up(task: PageTask) -> PageOutcome | None:
    """The outcome of a page that a worker gave up for lack of time; None when that is not why the worker ended."""
    note, number = task.paths.slow, task.paths.number
    try:
        late = note.stat().st_size > 0
    except OSError:
        return None
    if not late:
        note.unlink(missing_ok=True)
        return None
    return failed_page(task, f"Page {number} was given up after {task.settings.page_seconds} s, see {note.name}.")


def _executor(jobs: int) -> ProcessPoolExecutor:
    # spawn: neither onnxruntime's threads nor MuPDF's state survive a fork
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker)


def _start_worker() -> None:
    """Ctrl-C reaches the whole process group, but the parent decides what it means; without a parent nobody would."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)  # the parent was killed: a worker would wait for its next page forever
