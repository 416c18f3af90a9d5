"""A unit is one thing to ask: a question in one mode, of one model, in one epoch, under one budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from exam_mode.budgets import Budget
from exam_mode.selection import Selection

Kind = Literal["answer", "probe"]


@dataclass(frozen=True, slots=True)
class Unit:
    """`questions` holds one id; in `mock_exam` all ids of the paper, which are answered in one conversation."""

    kind: Kind
    mode: str
    model: str
    paper_id: str
    questions: tuple[str, ...]
    epoch: int
    budget: Budget | None
    needs_figure: bool = False

    @property
    def key(self) -> str:
        """What makes the unit unique in a run; stable over restarts."""
        about = self.questions[0] if self.mode != "mock_exam" else self.paper_id
        cap = self.budget.tokens if self.budget else "none"
        return f"{self.kind}|{self.mode}|{self.model}|{about}|{self.epoch}|{cap}"


def make_units(
    selection: Selection,
    models: Sequence[str],
    modes: Sequence[str],
    budgets: dict[str, tuple[Budget | None, ...]],
    epochs: int,
    probe: bool = False,
) -> Iterator[Unit]:
    """All units in the order in which they are asked.

    With `epochs` 0 each question gives one unit of epoch 0: its epochs are then inspect-ai's own.
    By model, mode and budget; within these the questions of a paper stand together and the epochs of a question too,
    so that the same pages follow each other and prefix caches hit. Probes follow the answers of `image_only`.
    """
    for model in models:
        for mode in modes:
            for budget in budgets[model]:
                yield from _answers(selection, model, mode, budget, epochs)
        if probe and "image_only" in modes:
            for p in selection.asked("image_only"):
                yield Unit("probe", "image_only", model, p.paper_id, (p.question_id,), 1, None, p.needs_figure)


def _answers(selection: Selection, model: str, mode: str, budget: Budget | None, epochs: int) -> Iterator[Unit]:
    picked = selection.asked(mode)
    if mode == "mock_exam":
        papers = list(dict.fromkeys(p.paper_id for p in picked))
        for paper in papers:
            ids = tuple(p.question_id for p in picked if p.paper_id == paper)
            for epoch in _epochs(epochs):
                yield Unit("answer", mode, model, paper, ids, epoch, budget)
        return
    for p in picked:
        for epoch in _epochs(epochs):
            yield Unit("answer", mode, model, p.paper_id, (p.question_id,), epoch, budget, p.needs_figure)


def _epochs(count: int) -> range:
    return range(1, count + 1) if count else range(1)
