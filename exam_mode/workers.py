"""Ask units with a fixed number of workers: one call of inspect-ai's model layer a unit, and no evaluation around it.

The model layer brings providers, retries, time-outs and the cache. An evaluation adds a transcript, a state and a log
entry for every sample, which take several times the processor time of the call and stay in memory; with `--logs` a
run has them all the same (`exam_mode.engine`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from exam_mode.asking import Asker, Prepared
from exam_mode.guard import RunStopped
from exam_mode.session import Session
from exam_mode.units import Unit

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from inspect_ai.model import Model

Ready = tuple[Unit, Prepared | None]
AHEAD = 16  # units that are ready and wait for a worker
PREPARERS = 2


def work(session: Session, taker: Model, units: Iterable[Unit], workers: int) -> bool:
    """Ask the units in their order, at most `workers` at once, until all were asked or the guard stops the run.

    A few units ahead of those that are asked, questions are read and page images made, so that no connection waits
    for them; no more is in memory at a time, however many units there are.

    Returns:
        whether Ctrl-C ended it.

    Raises:
        ExamError: an outcome cannot be written; other calls under way are given up and asked again in the next session.
    """
    try:
        anyio.run(_all, session, taker, iter(units), workers)
    except KeyboardInterrupt:
        return True
    except BaseExceptionGroup as group:
        raise _first(group) from group
    return False


async def _all(session: Session, taker: Model, units: Iterator[Unit], workers: int) -> None:
    asker = Asker(session, taker)
    put, take = anyio.create_memory_object_stream[Ready](AHEAD)
    # threads of their own: among those of anyio each would end up with memory for page images
    with ThreadPoolExecutor(PREPARERS, "prepare") as threads:
        async with _closing(session), taker, anyio.create_task_group() as group:
            with put, take:
                for _ in range(PREPARERS):
                    group.start_soon(_preparer, asker, units, put.clone(), threads)
                for _ in range(workers):
                    group.start_soon(_worker, asker, take.clone())


@asynccontextmanager
async def _closing(session: Session) -> AsyncIterator[None]:
    """Close the session's other models in the event loop that used them."""
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            while session.helpers:
                await session.helpers.popitem()[1].api.aclose()


async def _preparer(asker: Asker, units: Iterator[Unit], put: MemoryObjectSendStream[Ready], threads: Executor) -> None:
    """Prepare units from the iterator that all preparers share; they run in one event loop, so none is taken twice."""
    loop = asyncio.get_running_loop()
    async with put:
        for unit in units:
            prepared = await loop.run_in_executor(threads, asker.prepare, unit)
            try:
                await put.send((unit, prepared))
            except anyio.BrokenResourceError:  # no worker is left: the run was stopped
                return


async def _worker(asker: Asker, take: MemoryObjectReceiveStream[Ready]) -> None:
    async with take:
        async for unit, prepared in take:
            try:
                await asker.ask(unit, prepared)
            except RunStopped:
                return


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a group of groups; the others came from the same cause or from its clean-up."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
