"""Curl of a photographed page: by how much its lines of text rise and fall, taken from the ink of the lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Curl:
    """A smooth surface over the page; `terms` are (power of x, power of y, weight), in shares of `width`, `height`."""

    terms: tuple[tuple[int, int, float], ...]
    width: float
    height: float

    def rise(self, x: Array, y: Array) -> Array:
        """By how many pixels what stands at (x, y) of the flat page stands lower on the curled one."""
        u, v = x / self.width - 0.5, y / self.height - 0.5
        total: Array = np.zeros_like(u)
        for i, j, weight in self.terms:
            total = total + weight * u**i * v**j
        return total
