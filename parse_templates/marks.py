"""A mark that opens an option or a part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark in piece `piece` at characters `start` to `end`; `label` is what it names, normalised."""

    piece: int
    start: int
    end: int
    label: str
