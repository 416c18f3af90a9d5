"""Reasoning and answer told apart, with exact token counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

OPEN, CLOSE = "<think>", "</think>"


@dataclass(frozen=True)
class Split:
    """A reply in two parts; `tokens` counts the reasoning alone, without its tags."""

    answer: str
    reasoning: str
    tokens: int


def split_reasoning(ids: Sequence[int], decode: Callable[[Sequence[int]], str], opened: bool) -> Split:
    """Tell the reasoning at the beginning of a reply from its answer.

    Args:
        ids: generated tokens, without the end token and padding.
        decode: tokens to text.
        opened: whether the prompt itself ended with `<think>`, as templates of thinking models do.

    A reasoning that was cut off before `</think>` reaches to the end; its answer is empty. Tags count only at the
    beginning: an answer that quotes `<think>` later keeps it.
    """
    text = decode(ids)
    start = 0
    if not opened:
        start = len(text) - len(text.lstrip())
        if not text.startswith(OPEN, start):
            return Split(text, "", 0)
        start += len(OPEN)
    first = _tokens_until(ids, decode, start)
    end = text.find(CLOSE, start)
    if end < 0:
        return Split("", text[start:].strip(), len(ids) - first)
    last = _tokens_within(ids, decode, end)
    return Split(text[end + len(CLOSE) :].lstrip("\n"), text[start:end].strip(), max(0, last - first))


def _tokens_until(ids: Sequence[int], decode: Callable[[Sequence[int]], str], length: int) -> int:
    """Fewest tokens whose text has at least `length` characters."""
    low, high = 0, len(ids)
    while low < high:
        middle = (low + high) // 2
        if len(decode(ids[:middle])) >= length:
            high = middle
        else:
            low = middle + 1
    return low


def _tokens_within(ids: Sequence[int], decode: Callable[[Sequence[int]], str], length: int) -> int:
    """Most tokens whose text has at most `length` characters."""
    low, high = 0, len(ids)
    while low < high:
        middle = (low + high + 1) // 2
        if len(decode(ids[:middle])) <= length:
            low = middle
        else:
            high = middle - 1
    return low
