"""What all units of a run share: papers, images, prices, limits and the call log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from exam_mode.calls import CallLog
from exam_mode.forms.base import Context
from exam_mode.guard import Guard
from exam_mode.images.store import MIN_TEXT, ImageStore, Limits
from exam_mode.images.table import image_rule
from exam_mode.prices import Price, PriceTable
from exam_mode.selection import Papers

if TYPE_CHECKING:
    from inspect_ai.model import Model


@dataclass(frozen=True, slots=True)
class Manner:
    """How questions are put; see `forms.base.Context` and `images.store.Limits`."""

    style: Literal["cot", "direct"] = "cot"
    pages: Literal["all", "own"] = "all"
    language: Literal["zh", "en"] | None = None
    min_text: float = MIN_TEXT
    tile: bool = False
    rules: Path | None = None
    captioner: str | None = None
    seed: int | None = None
    cache: bool = False
    probe_tokens: int = 2048
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Session:
    """One sitting. `calls` and `guard` are None when inspect-ai runs a task by itself: its own log is the record.

    `delivery` holds options of inspect-ai's `GenerateConfig` that tell how calls are made (retries, time-outs,
    connections) where no evaluation of inspect-ai sets them. Without `logged` nothing of a call is kept but its record.
    `helpers` are models other than the taker; they are closed with the session.
    """

    papers: Papers
    images: Path
    manner: Manner
    prices: PriceTable
    calls: CallLog | None = None
    guard: Guard | None = None
    captions: dict[str, str] = field(default_factory=dict)
    locks: dict[str, Any] = field(default_factory=dict)
    delivery: dict[str, Any] = field(default_factory=dict)
    logged: bool = True
    helpers: dict[str, Model] = field(default_factory=dict)
    _contexts: dict[str, Context] = field(default_factory=dict)

    def context(self, model: str) -> Context:
        """The context for requests to `model`, with images by its own rule."""
        if model not in self._contexts:
            manner = self.manner
            limits = Limits(image_rule(model, manner.rules), manner.min_text, manner.tile)
            store = ImageStore(self.images, limits)
            self._contexts[model] = Context(store, manner.style, manner.pages, manner.language)
        return self._contexts[model]

    def price(self, model: str) -> Price | None:
        """The model's price, if the table knows it."""
        return self.prices.price(model)
