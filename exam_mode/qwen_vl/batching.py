"""A small queue: requests that agree in a key are handed over together, none waits longer than a limit."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class _Waiting(Generic[T, R]):
    item: T
    key: Hashable
    since: float
    future: Future[R]


class Batcher(Generic[T, R]):
    """One worker thread that runs `work` on batches, oldest request first.

    Args:
        work: a batch to results in the same order; what it raises goes to every request of the batch.
        key: requests with equal keys may share a batch.
        size: most requests in a batch.
        wait: seconds that the oldest request waits for others; 0 takes what is there.
    """

    def __init__(
        self, work: Callable[[Sequence[T]], Sequence[R]], key: Callable[[T], Hashable], size: int, wait: float
    ) -> None:
        self._work, self._key, self._size, self._wait = work, key, size, wait
        self._queue: deque[_Waiting[T, R]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def submit(self, item: T) -> Future[R]:
        """Queue a request. The future can be cancelled as long as its batch has not begun."""
        waiting: _Waiting[T, R] = _Waiting(item, self._key(item), time.monotonic(), Future())
        with self._changed:
            if self._closed:
                raise RuntimeError("the batch queue is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="qwen-vl", daemon=True)
                self._thread.start()
            self._queue.append(waiting)
            self._changed.notify()
        return waiting.future

    def close(self) -> None:
        """Cancel what waits, let a running batch finish, and end the thread."""
        with self._changed:
            self._closed = True
            for waiting in self._queue:
                waiting.future.cancel()
            self._queue.clear()
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            live = [w for w in batch if w.future.set_running_or_notify_cancel()]
            if not live:
                continue
            try:
                results = self._work([w.item for w in live])
                if len(results) != len(live):
                    raise RuntimeError(f"{len(results)} replies to {len(live)} requests")
            except BaseException as error:  # whatever it is, the callers must hear of it
                for waiting in live:
                    waiting.future.set_exception(error)
                continue
            for waiting, result in zip(live, results, strict=True):
                waiting.future.set_result(result)

    def _next(self) -> list[_Waiting[T, R]] | None:
        """The next batch; None when the queue is closed."""
        with self._changed:
            while not self._closed:
                if not self._queue:
                    self._changed.wait()
                    continue
                first = self._queue[0]
                alike = [w for w in self._queue if w.key == first.key][: self._size]
                left = first.since + self._wait - time.monotonic()
                if len(alike) >= self._size or left <= 0:
                    for waiting in alike:
                        self._queue.remove(waiting)
                    return alike
                self._changed.wait(left)
            return None
