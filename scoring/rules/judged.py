"""What a rule says of one part, and what it may look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """equal True, False or None (open), the rule that said so, its reason, and the text that it read."""

    equal: bool | None
    rule: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else a rule may look at: the question's text and the response."""

    question: str = ""
    response: str = ""

    @property
    def text(self) -> str:
        """Both, shortened."""
        return f"{self.question[-2000:]}\n{self.response[-4000:]}"
