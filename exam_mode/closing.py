"""Close the connections of a model at the end of an evaluation, in the event loop that opened them."""

from __future__ import annotations

from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.model import Model

TO_CLOSE: list[Model] = []


@hooks(name="wholepage/close_models", description="Closes the connections of an exam's taker.")
class CloseModels(Hooks):
    """inspect-ai leaves connections of models to the garbage collector, when their event loop is gone."""

    def enabled(self) -> bool:
        """Only while an exam runs."""
        return bool(TO_CLOSE)

    async def on_run_end(self, data: RunEnd) -> None:
        """The evaluation is over."""
        while TO_CLOSE:
            await TO_CLOSE.pop().api.aclose()
