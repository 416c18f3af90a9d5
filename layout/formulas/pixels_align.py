"""Which components of ink each recognised character is made of: a monotone alignment by position, width and height."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_metrics import Metrics, metrics
from layout.segments import is_wide
from wholepage.boxes import Box

MAX_PARTS = 4  # components of one character that is no ideograph: % has three
MAX_WIDE_PARTS = 9
NO_INK = 2.2  # cost of a character without ink
SHARED = 0.7  # cost of two characters that touch
REACH = 1.3  # em; a character's ink is not further from where it was read
SCALES = ((1.0, 0.0), (1.22, 0.05), (0.82, 0.08), (0.7, 0.05), (0.5, 0.15))
Boxes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Placed:
    """One character of a crop with the hull of its ink, or None where no ink was found for it (white space)."""

    char: str
    confidence: float
    centre: float
    box: Box | None


def align(chars: Sequence[str], centres: Sequence[float], parts: Boxes, em: float) -> list[Box | None]:
    """Hull of the components that belong to each character.

    Args:
        chars: characters from left to right, white space among them.
        centres: where the recogniser saw each, page px.
        parts: N×4 boxes of components, page px.
        em: font size of the crop's main text, px.
    """
    found: list[Box | None] = [None] * len(chars)
    visible = [i for i, c in enumerate(chars) if not c.isspace()]
    if not visible or not len(parts):
        return found
    order = np.argsort((parts[:, 0] + parts[:, 2]) / 2, kind="stable")
    ordered = parts[order]
    for index, hull in _Alignment([chars[i] for i in visible], [centres[i] for i in visible], ordered, em).solve():
        found[visible[index]] = hull
    return found


class _Alignment:
    """Dynamic programme over characters and components, both from left to right."""

    def __init__(self, chars: list[str], centres: list[float], parts: Boxes, em: float) -> None:
        self.chars, self.centres, self.parts, self.em = chars, centres, parts, em
        self.forms = [metrics(c) for c in chars]
        self.middles = (parts[:, 0] + parts[:, 2]) / 2
        sizes = (parts[:, 2:] - parts[:, :2]) / em
        self.skip = 0.35 + 2.5 * np.minimum(sizes[:, 0] * sizes[:, 1] + 0.3 * sizes.max(axis=1), 1.0)

    def solve(self) -> list[tuple[int, Box]]:
        n, m = len(self.chars), len(self.parts)
        best = np.full((n + 1, m + 1), math.inf)
        back: dict[tuple[int, int], tuple[int, int, str]] = {}
        best[0, 0] = 0.0

        def offer(i: int, j: int, cost: float, source: tuple[int, int, str]) -> None:
            if cost < best[i, j]:
                best[i, j] = cost
                back[i, j] = source

        for i in range(n + 1):
            for j in range(m + 1):
                base = best[i, j]
                if not math.isfinite(base):
                    continue
                if j < m and (i == n or self.middles[j] < self.centres[i] + REACH * self.em):
                    offer(i, j + 1, base + self.skip[j], (i, j, "skip"))
                if i < n:
                    offer(i + 1, j, base + NO_INK, (i, j, "none"))
                    self._take(i, j, base, offer)
        return self._trace(back, n, m)

    def _take(self, i: int, j: int, base: float, offer: object) -> None:
        centre, wide = self.centres[i], is_wide(self.chars[i])
        hull: list[float] | None = None
        for k in range(j, min(j + (MAX_WIDE_PARTS if wide else MAX_PARTS), len(self.parts))):
            if abs(self.middles[k] - centre) > REACH * self.em:
                break
            part = self.parts[k]
            hull = (
                part.tolist()
                if hull is None
                else [min(hull[0], part[0]), min(hull[1], part[1]), max(hull[2], part[2]), max(hull[3], part[3])]
            )
            if hull[2] - hull[0] > 1.3 * self.em and k > j:
                break
            cost = base + self._fit(self.forms[i], centre, hull) + 0.06 * (k - j)
            offer(i + 1, k + 1, cost, (i, j, "own"))  # type: ignore[operator]
        self._share(i, j, base, offer)

    def _share(self, i: int, j: int, base: float, offer: object) -> None:
        """Two or three characters that touch and so are one component."""
        if j >= len(self.parts):
            return
        hull = self.parts[j].tolist()
        for count in (2, 3):
            if i + count > len(self.chars):
                return
            forms = self.forms[i : i + count]
            width = sum(f.width for f in forms) + 0.05 * (count - 1)
            joined = Metrics(width, max(f.top for f in forms), min(f.bottom for f in forms))
            centre = (self.centres[i] + self.centres[i + count - 1]) / 2
            if abs(self.middles[j] - centre) < REACH * self.em:
                cost = base + self._fit(joined, centre, hull) + SHARED * (count - 1)
                offer(i + count, j + 1, cost, (i, j, "share"))  # type: ignore[operator]

    def _fit(self, form: Metrics, centre: float, hull: list[float]) -> float:
        em = self.em
        off = ((hull[0] + hull[2]) / 2 - centre) / em
        width, height = max((hull[2] - hull[0]) / em, 0.09), max((hull[3] - hull[1]) / em, 0.09)
        shape = min(
            penalty
            + 1.5 * math.log(width / max(form.width * scale, 0.09)) ** 2
            + 2.0 * math.log(height / max(form.height * scale, 0.09)) ** 2
            for scale, penalty in SCALES
        )
        return 5.0 * off * off + min(shape, 4.0)

    def _trace(self, back: dict[tuple[int, int], tuple[int, int, str]], n: int, m: int) -> list[tuple[int, Box]]:
        out: list[tuple[int, Box]] = []
        i, j = n, m
        while (i, j) != (0, 0):
            a, b, how = back[i, j]
            if how == "own":
                rows = self.parts[b:j]
                out.append((a, Box.of((rows[:, 0].min(), rows[:, 1].min(), rows[:, 2].max(), rows[:, 3].max()))))
            elif how == "share":
                out.extend(self._split(a, i, Box.of(self.parts[b])))
            i, j = a, b
        return out[::-1]

    def _split(self, start: int, stop: int, box: Box) -> list[tuple[int, Box]]:
        """The component cut between its characters in proportion to their widths, rightmost first."""
        forms = self.forms[start:stop]
        total = sum(f.width for f in forms)
        out, x = [], box.x0
        for offset, form in enumerate(forms):
            end = x + box.width * form.width / total
            out.append((start + offset, Box(x, box.y0, min(end, box.x1), box.y1)))
            x = end
        return out[::-1]
