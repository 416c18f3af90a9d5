"""The run's own limits: a cap on tokens or money, and an end when nothing works. Asynchronous, one a run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from exam_mode.calls import Totals

FAILURES_IN_A_ROW = 20
UNCAPPED_OUTPUT = 4096  # tokens reserved for an answer without a budget


class RunStopped(Exception):  # noqa: N818 - control flow within a run, never shown
    """No further unit is asked in this session; the reason is in `Guard.stopped`."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits over the whole run, earlier sessions included; None is no limit. Money in the price table's currency."""

    tokens: int | None = None
    money: float | None = None


class Guard:
    """Lets a call go out only while the caps hold, counting calls under way at the most that they may cost.

    So a run with budgets never passes a cap by more than the error of the input estimate. `totals` is the run's
    account, kept by the call log.
    """

    def __init__(self, caps: Caps, totals: Totals) -> None:
        self.caps = caps
        self.totals = totals
        self.stopped: str | None = None
        self._tokens = 0
        self._money = 0.0
        self._under_way = 0
        self._row = 0
        self._changed = anyio.Condition()

    @asynccontextmanager
    async def call(self, tokens: int, money: float) -> AsyncIterator[None]:
        """Hold a place for a call that may cost up to `tokens` and `money`.

        Raises:
            RunStopped: a cap is reached or the run was stopped.
        """
        await self._enter(tokens, money)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._tokens -= tokens
                    self._money -= money
                    self._under_way -= 1
                    self._changed.notify_all()

    async def _enter(self, tokens: int, money: float) -> None:
        async with self._changed:
            while True:
                if self.stopped is not None:
                    raise RunStopped(self.stopped)
                over = self._over(tokens, money)
                if over is None:
                    self._tokens += tokens
                    self._money += money
                    self._under_way += 1
                    return
                if not self._under_way:
                    self.stopped = over
                    raise RunStopped(over)
                await self._changed.wait()

    def _over(self, tokens: int, money: float) -> str | None:
        spent = self.totals.input_tokens + self.totals.output_tokens
        if self.caps.tokens is not None and spent + self._tokens + tokens > self.caps.tokens:
            return f"the cap of {self.caps.tokens:,} tokens ({spent:,} used; the next call may need {tokens:,})"
        if self.caps.money is not None and self.totals.cost + self._money + money > self.caps.money:
            unit = self.totals.currency or ""
            return f"the cap of {self.caps.money:g} {unit} ({self.totals.cost:.4f} used)".replace("  ", " ")
        return None

    def note(self, error: str | None, fatal: bool = False) -> None:
        """Count an outcome. A run of failures, or one that would befall every call, stops the run."""
        self._row = 0 if error is None else self._row + 1
        if error is not None and self.stopped is None:
            if fatal:
                self.stopped = f"an error that every call would meet: {error}"
            elif self._row >= FAILURES_IN_A_ROW:
                self.stopped = f"{self._row} calls failed in a row, the last with: {error}"
