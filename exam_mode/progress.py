"""Progress of a run on the terminal: a bar with rate, tokens, money and time left; lines where it is no terminal."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from exam_mode.calls import CallLog, Totals
from wholepage.console import err

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

QUIET_SECONDS = 30.0  # between two lines where there is no terminal
REDRAW_SECONDS = 0.2


class RunProgress:
    """Shows a run. Use as a context and pass `update` to `run_exam`."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._console = err()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._start = time.monotonic()
        self._first: tuple[int, int] | None = None
        self._shown = self._start

    def __enter__(self) -> RunProgress:
        if self._console.is_terminal and not self._quiet:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, calls: CallLog, total: int) -> None:
        """One call has ended; `total` is the number of units of the run."""
        totals, now = calls.totals, time.monotonic()
        if self._first is None:
            self._first = (len(totals.done) - 1, totals.calls - 1)
        wait = REDRAW_SECONDS if self._bar is not None else QUIET_SECONDS
        if self._quiet or (now - self._shown < wait and len(totals.done) < total):
            return
        self._shown = now
        text = describe(totals, total, totals.calls - self._first[1], now - self._start)
        if self._bar is not None:
            if self._task is None:
                self._task = self._bar.add_task("", total=total)
            self._bar.update(self._task, completed=min(len(totals.done), total), description=text)
        else:
            self._console.print(f"{len(totals.done)}/{total} {text}", soft_wrap=True)


def describe(totals: Totals, total: int, calls: int, seconds: float) -> str:
    """Rate, tokens, money and time left as one line.

    Args:
        totals: the run's account.
        total: units of the run.
        calls: calls that ended in this session.
        seconds: how long the session has lasted.
    """
    rate = calls / seconds if seconds > 0 else 0.0
    parts = [f"{rate * 60:.0f}/min" if rate < 10 else f"{rate:.0f}/s"]
    parts.append(tokens_line(totals))
    if totals.currency is not None:
        unknown = f" + {totals.unpriced} unpriced" if totals.unpriced else ""
        parts.append(f"{totals.cost:.4g} {totals.currency}{unknown}")
    if totals.failed:
        parts.append(f"{len(totals.failed)} failed")
    left = max(0, total - len(totals.done) - len(totals.failed))
    if rate > 0 and left:
        parts.append(f"{duration(left / rate)} left")
    return " · ".join(parts)


def tokens_line(totals: Totals) -> str:
    """Tokens in, cached and out."""
    cached = f" ({short(totals.cached_tokens)} cached)"
    return f"{short(totals.input_tokens)} tokens in{cached}, {short(totals.output_tokens)} out"


def short(count: int) -> str:
    """12,345 as 12.3k."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def duration(seconds: float) -> str:
    """Hours, minutes and seconds: 1:02:03, 2:03, 45 s."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours}:{minutes:02d}:{rest:02d}"
    return f"{minutes}:{rest:02d}" if minutes else f"{rest} s"
