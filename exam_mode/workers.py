"""Ask units with a fixed number of workers: one call of inspect-ai's model layer a unit, and no evaluation around it.

The model layer brings providers, retries, time-outs and the cache. An evaluation adds a transcript, a state and a log
entry for every sample, which take several times the processor time of the call and stay in memory; with `--logs` a
run has them all the same (`exam_mode.engine`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import anyio

from exam_mode.asking import Asker
from exam_mode.guard import RunStopped
from exam_mode.session import Session
from exam_mode.units import Unit

if TYPE_CHECKING:
    from inspect_ai.model import Model


def work(session: Session, taker: Model, units: Sequence[Unit], workers: int) -> bool:
    """Ask the units in their order, at most `workers` at once, until all were asked or the guard stops the run.

    Returns:
        whether Ctrl-C ended it.

    Raises:
        ExamError: an outcome cannot be written; other calls under way are given up and asked again in the next session.
    """
    try:
        anyio.run(_all, session, taker, iter(units), min(workers, len(units)))
    except KeyboardInterrupt:
        return True
    except BaseExceptionGroup as group:
        raise _first(group) from group
    return False


async def _all(session: Session, taker: Model, units: Iterator[Unit], workers: int) -> None:
    asker = Asker(session, taker)
    async with taker, anyio.create_task_group() as group:
        for _ in range(workers):
            group.start_soon(_worker, asker, units)


async def _worker(asker: Asker, units: Iterator[Unit]) -> None:
    """Take units from the iterator that all workers share; they run in one event loop, so none is taken twice."""
    for unit in units:
        try:
            await asker.ask(unit)
        except RunStopped:
            return


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a group of groups; the others came from the same cause or from its clean-up."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
