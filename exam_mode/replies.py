"""What a model said, taken out of inspect-ai's output, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exam_mode.budgets import Budget
from exam_mode.prices import Price

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply. Token counts are None when the provider did not say; `input_tokens` includes cached ones."""

    text: str = ""
    reasoning: str = ""
    finish_reason: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float = 0.0
    error: str | None = None

    @property
    def reasoning_in_output(self) -> bool:
        """False when the provider counts reasoning apart: more reasoning than output proves it."""
        return (self.reasoning_tokens or 0) <= (self.output_tokens or 0)

    @property
    def generated(self) -> int | None:
        """All tokens generated."""
        if self.output_tokens is None or self.reasoning_in_output:
            return self.output_tokens
        return self.output_tokens + (self.reasoning_tokens or 0)

    def cost(self, price: Price | None) -> float | None:
        """Money for the call; None when the price or a count is unknown."""
        if price is None or self.input_tokens is None or self.generated is None:
            return None
        return price.of(self.input_tokens, self.generated, self.cached_tokens or 0)

    def usage(self, images: int) -> dict[str, Any]:
        """`usage` of an attempt record."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cached_tokens": self.cached_tokens,
            "images": images,
            "reasoning_in_output": self.reasoning_in_output,
        }

    def within(self, budget: Budget | None) -> bool:
        """Whether the reply is known to keep the budget: only then was the cap really enforced."""
        return budget is None or (self.generated is not None and self.generated <= budget.tokens)


def read_output(output: ModelOutput, seconds: float) -> Reply:
    """The reply in an output of inspect-ai; one without a choice, or that only reports an error, is an error."""
    from inspect_ai._util.content import ContentReasoning

    usage = output.usage
    if not output.choices:
        return Reply(seconds=seconds, error=output.error or "the reply holds no choice")
    message, reason = output.choices[0].message, output.stop_reason
    if reason == "model_length" and not (usage and usage.output_tokens):
        said = output.error or message.text or "no text"
        return Reply(seconds=seconds, error=f"the request does not fit the model's context window: {said[:500]}")
    if output.error and not (usage and usage.output_tokens):
        return Reply(seconds=seconds, error=output.error[:500])
    content = [] if isinstance(message.content, str) else message.content
    thoughts = [c.summary or "" if c.redacted else c.reasoning for c in content if isinstance(c, ContentReasoning)]
    cached = usage.input_tokens_cache_read if usage else None
    return Reply(
        text=message.text,
        reasoning="\n".join(t for t in thoughts if t),
        finish_reason=reason,
        input_tokens=usage.input_tokens + (cached or 0) + (usage.input_tokens_cache_write or 0) if usage else None,
        cached_tokens=cached,
        output_tokens=usage.output_tokens if usage else None,
        reasoning_tokens=usage.reasoning_tokens if usage else None,
        seconds=seconds,
    )


def together(replies: Sequence[Reply]) -> Reply:
    """Replies of one conversation as one: counts added (unknown stays unknown), text and end of the last."""
    last = replies[-1]
    return Reply(
        text="\n\n".join(r.text for r in replies),
        reasoning="\n\n".join(r.reasoning for r in replies if r.reasoning),
        finish_reason=last.finish_reason,
        input_tokens=_sum([r.input_tokens for r in replies]),
        cached_tokens=_sum([r.cached_tokens for r in replies]),
        output_tokens=_sum([r.output_tokens for r in replies]),
        reasoning_tokens=_sum([r.reasoning_tokens for r in replies]),
        seconds=sum(r.seconds for r in replies),
        error=last.error,
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return sum(known) if len(known) == len(values) else None
