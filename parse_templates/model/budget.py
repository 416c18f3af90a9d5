"""Caps on tokens and money of a run: what a request may cost at most is set aside before it goes out."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from parse_templates.model.options import ModelOptions

IMAGE_TOKENS = 3000  # set aside for one page image
OVERHEAD = 64  # tokens of the wrapping of one request


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens sent and received, money, requests that got a reply."""

    sent: int
    received: int
    cost: float
    calls: int


class Budget:
    """Counts over all threads of a run."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._sent = self._received = self._calls = 0
        self._held: tuple[int, int] = (0, 0)

    def hold(self, sent: int, received: int) -> bool:
        """Set tokens aside for a request; False when a cap does not leave that much."""
        with self._lock:
            held = (self._held[0] + sent, self._held[1] + received)
            total = (self._sent + held[0], self._received + held[1])
            tokens, cost = sum(total), self._cost(*total)
            if (self._options.max_tokens and tokens > self._options.max_tokens) or (
                self._options.max_cost and cost > self._options.max_cost
            ):
                return False
            self._held = held
            return True

    def settle(self, held: tuple[int, int], used: tuple[int, int] | None) -> None:
        """Put what a request used in the place of what was set aside; None when there was no reply."""
        with self._lock:
            self._held = (self._held[0] - held[0], self._held[1] - held[1])
            if used is not None:
                self._sent += used[0]
                self._received += used[1]
                self._calls += 1

    @property
    def spent(self) -> Spent:
        """What was used so far."""
        with self._lock:
            return Spent(self._sent, self._received, self._cost(self._sent, self._received), self._calls)

    def _cost(self, sent: int, received: int) -> float:
        return (sent * self._options.price_in + received * self._options.price_out) / 1e6


def most_tokens(text: str, images: int = 0) -> int:
    """An upper estimate of a prompt's tokens: vocabularies of today need no more than one a character of any script."""
    return len(text) + IMAGE_TOKENS * images + OVERHEAD
