"""Which components of ink each recognised character is made of: a monotone alignment by position, width and height."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_ink import SCALE, Mask
from layout.formulas.pixels_metrics import Metrics, metrics
from layout.segments import is_wide
from wholepage.boxes import Box

MAX_PARTS = 4  # components of one character that is no ideograph: % has three
MAX_WIDE_PARTS = 9
NO_INK = 2.2  # cost of a character without ink
SHARED = 0.7  # cost of two characters that touch
TORN, APART = 0.9, 0.02  # cost of a letter in two pieces side by side, more than this share of an em apart
REACH = 1.3  # em; a character's ink is not further from where it was read
SCALES = ((1.0, 0.0), (1.22, 0.05), (0.82, 0.08), (0.7, 0.05), (0.5, 0.15))
Boxes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Placed:
    """One character of a crop with the hull of its ink, or None where no ink was found for it (white space).

    `clipped` tells that its tail runs into a fraction's bar and was cut off with it.
    """

    char: str
    confidence: float
    centre: float
    box: Box | None
    clipped: bool = False


def align(
    chars: Sequence[str], centres: Sequence[float], parts: Boxes, em: float, mask: Mask | None = None
) -> list[Box | None]:
    """Hull of the components that belong to each character.

    Args:
        chars: characters from left to right, white space among them.
        centres: where the recogniser saw each, page px.
        parts: N×4 boxes of components, page px.
        em: font size of the crop's main text, px.
        mask: the page's sharp mask; with it characters that touch get their own ink's height.
    """
    found: list[Box | None] = [None] * len(chars)
    visible = [i for i, c in enumerate(chars) if not c.isspace()]
    if not visible or not len(parts):
        return found
    parts = with_dots_joined(parts, em)
    ordered = parts[np.argsort((parts[:, 0] + parts[:, 2]) / 2, kind="stable")]
    solver = _Alignment([chars[i] for i in visible], [centres[i] for i in visible], ordered, em, mask)
    for index, hull in solver.solve():
        found[visible[index]] = hull
    return found


def with_dots_joined(parts: Boxes, em: float) -> Boxes:
    """Components of one sign joined: a dot over its stem or another dot, a stroke over or under what is as wide."""
    rows = [row.tolist() for row in parts]
    rows.sort(key=lambda r: r[0])
    out: list[list[float]] = []
    for row in rows:
        for other in reversed(out[-6:]):
            if _one_sign(row, other, em):
                other[:] = [
                    min(row[0], other[0]), min(row[1], other[1]), max(row[2], other[2]), max(row[3], other[3])
                ]  # fmt: skip
                break
        else:
            out.append(row)
    return np.array(out)


def _one_sign(a: list[float], b: list[float], em: float) -> bool:
    upper, lower = (a, b) if a[1] <= b[1] else (b, a)
    gap = lower[1] - upper[3]
    if not -0.03 * em <= gap <= 0.34 * em or lower[3] - upper[1] > 0.95 * em:
        return False
    widths = (a[2] - a[0], b[2] - b[0])
    heights = (a[3] - a[1], b[3] - b[1])
    common = min(a[2], b[2]) - max(a[0], b[0])
    dots = [w <= 0.2 * em and h <= 0.2 * em for w, h in zip(widths, heights, strict=True)]
    if all(dots):
        return common >= 0.5 * min(widths)
    if any(dots):  # the dot of i and j stands over the stem, that of ; and ! under or over it
        return max(widths) <= 0.36 * em and common >= 0.6 * min(widths) and gap <= 0.25 * em
    strokes = [h <= 0.13 * em and w >= 2.2 * h for w, h in zip(widths, heights, strict=True)]
    return any(strokes) and common >= 0.75 * max(widths) and gap <= 0.26 * em


class _Alignment:
    """Dynamic programme over characters and components, both from left to right."""

    def __init__(self, chars: list[str], centres: list[float], parts: Boxes, em: float, mask: Mask | None) -> None:
        self.mask = mask
        self.chars, self.centres, self.parts, self.em = chars, centres, parts, em
        self.forms = [metrics(c) for c in chars]
        self.middles = (parts[:, 0] + parts[:, 2]) / 2
        sizes = (parts[:, 2:] - parts[:, :2]) / em
        self.skip = 0.08 + 3.5 * np.minimum(sizes[:, 0] * sizes[:, 1] + 0.3 * sizes.max(axis=1), 1.0)

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
        apart, right = 0.0, -math.inf
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
            if k > j and part[0] - right > APART * self.em and self.chars[i].isalnum() and not wide:
                apart += TORN  # letters do not fall apart into pieces side by side
            right = max(right, part[2])
            cost = base + self._fit(self.forms[i], centre, hull) + 0.06 * (k - j) + apart
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
            end = box.x1 if start + offset + 1 == stop else self._valley(box, x + box.width * form.width / total)
            out.append((start + offset, self._tight(Box.of((x, box.y0, max(end, x), box.y1)))))
            x = max(end, x)
        return out[::-1]

    def _window(self, box: Box) -> Mask | None:
        if self.mask is None:
            return None
        return self.mask[
            int(box.y0 * SCALE) : math.ceil(box.y1 * SCALE), int(box.x0 * SCALE) : math.ceil(box.x1 * SCALE)
        ]

    def _valley(self, box: Box, x: float) -> float:
        """The column with the least ink near `x`: where two characters touch."""
        reach = 0.18 * box.width
        window = self._window(Box(max(x - reach, box.x0), box.y0, min(x + reach, box.x1), box.y1))
        if window is None or not window.size:
            return x
        columns = window.sum(axis=0) + 0.5 * np.abs(np.arange(window.shape[1]) - window.shape[1] / 2)
        return max(x - reach, box.x0) + (float(columns.argmin()) + 0.5) / SCALE

    def _tight(self, box: Box) -> Box:
        """The box without empty rows at its top and bottom."""
        window = self._window(box)
        if window is None or not window.any():
            return box
        rows = np.flatnonzero(window.sum(axis=1) >= 2)
        if not rows.size:
            return box
        top = int(box.y0 * SCALE)
        return Box(box.x0, (top + rows[0]) / SCALE, box.x1, (top + rows[-1] + 1) / SCALE)
