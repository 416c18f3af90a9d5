"""The question that is being asked right now, for takers that are no models (baselines). Real providers never look."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from exam_mode.items import Item


@dataclass(frozen=True, slots=True)
class Asked:
    """Items of the unit in progress (several in a mock exam) and the epoch."""

    items: tuple[Item, ...]
    epoch: int = 1
    sheet: bool = False  # the answer is expected as an answer sheet in JSON


ASKED: ContextVar[Asked | None] = ContextVar("wholepage_asked", default=None)
