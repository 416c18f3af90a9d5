"""Font size and writing line of a crop's main text, from the ink of its letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_case import SAME_CASE, UPPER, with_small
from layout.formulas.pixels_metrics import AXIS, metrics
from layout.segments import is_wide
from wholepage.boxes import Box

BRACKETS = "()[]{}|"
ALIKE = 0.16  # sizes this close are one
EXPONENT, X_HEIGHT = 0.72, 0.44  # size of an exponent and height of a low letter in sizes of the line
DOTLESS = 1.8  # height of an i in widths; without its dot it is lower
TOO_LARGE = 1.5  # of the page's font size: no letter of a line without ideographs is larger
STACKED = 1.4  # the same where letters of the page's size stand beside it


@dataclass(frozen=True, slots=True)
class Level:
    """Font size in px and y of the writing line."""

    size: float
    baseline: float


def main_level(placed: Sequence[Placed], em: float, bottom: float, hint: float | None = None) -> Level:
    """Level of a crop's main text: the largest size that several characters share.

    `em` is the page's font size, `bottom` the crop's lower edge, `hint` the size that a lone letter should have.
    """
    small, indices = with_small(placed)
    placed = [p for n, p in enumerate(small) if n not in indices]
    alike = [p for p in placed if p.char in SAME_CASE or p.char in UPPER]
    firm = [own_level(p) for p in placed if is_firm(p) and p not in alike and p.char != "f"]
    feet = [v.baseline for v in firm] + [p.box.y1 for p in alike if p.box is not None]
    firm += [level_of_f(p.box, feet, hint) for p in placed if p.char == "f" and p.box is not None and not p.clipped]
    if not firm and hint is not None:
        firm = [Level(hint, p.box.y0 + 0.44 * hint) for p in placed if p.clipped and p.box is not None]
    # A character read from an exponent and an index at once is as high as both.
    firm = [v for v in firm if v.size <= STACKED * em] or firm
    if (cut := _of_clipped(placed, firm)) is not None:
        return cut
    cased = _of_cased(placed, hint, firm, em)
    firm += [v for v in cased if v.size <= STACKED * em] if firm else cased
    if firm:
        return _largest_shared(firm)
    wide = [p.box.y1 for p in placed if p.box is not None and is_wide(p.char)]
    if any(is_wide(p.char) for p in placed):
        return Level(em, (median(wide) if wide else bottom) - 0.1 * em)
    size = hint or em
    brackets = [p.box for p in placed if p.box is not None and p.char in BRACKETS]
    if brackets:
        size = median(b.height for b in brackets)
        return Level(size, median(b.cy for b in brackets) + AXIS * size)
    signs = [p.box.cy for p in placed if p.box is not None and p.char in "+-−=×÷±<>≤≥→·—–"]
    if signs:
        return Level(size, median(signs) + AXIS * size)
    return Level(size, bottom - 0.1 * size)


def _of_clipped(placed: Sequence[Placed], firm: Sequence[Level]) -> Level | None:
    """Level of letters whose tails a bar has cut off, where all others are exponents of theirs."""
    tails = [p.box for p in placed if p.clipped and p.box is not None]
    if not tails or not firm or any(v.baseline > min(b.y1 - 0.3 * b.height for b in tails) for v in firm):
        return None
    size = median(v.size for v in firm) / EXPONENT
    return Level(size, median(b.y0 for b in tails) + X_HEIGHT * size)


def is_firm(placed: Placed) -> bool:
    """Whether the character's ink tells its font size and writing line."""
    sure = placed.box is not None and metrics(placed.char).firm
    return sure and placed.char not in BRACKETS and not placed.clipped


def own_level(placed: Placed) -> Level:
    """Level of a character from its own ink; it must have a box."""
    form, box = metrics(placed.char), placed.box
    assert box is not None
    if placed.char == "f":
        return level_of_f(box, ())
    size = box.height / form.height
    if placed.char == "i" and box.height < DOTLESS * box.width:  # the dot of a small one is no more than a speck
        size = box.height / X_HEIGHT
    return Level(size, box.y1 + form.bottom * size)


def level_of_f(box: Box, feet: Sequence[float], size: float | None = None) -> Level:
    """Level of an f: the italic one descends and is as high as a bracket, the upright one stands on the line.

    Which one it is, the writing lines of letters beside it tell (`feet`, px), or the `size` that it should have, else
    its width.
    """
    italic = Level(box.height / 0.86, box.y1 - 0.22 * box.height)
    upright = Level(box.height / 0.69, box.y1)
    if feet:
        return min((italic, upright), key=lambda v: min(abs(v.baseline - y) for y in feet))
    if size is not None:
        return min((italic, upright), key=lambda v: abs(v.size - size))
    return italic if box.height > 1.6 * box.width else upright


def _of_cased(placed: Sequence[Placed], hint: float | None, firm: Sequence[Level], em: float) -> list[Level]:
    """Levels of letters that are the same in both cases.

    The case that fits the size of a firm letter on the same line counts, then the one read, then that fitting `hint`.
    """
    out = []
    largest = max((v.size for v in firm), default=0.0)
    for p in placed:
        if p.box is None or not (p.char in SAME_CASE or p.char in UPPER):
            continue
        low, high = p.box.height / 0.44, p.box.height / 0.68
        beside = [v.size for v in firm if abs(v.baseline - p.box.y1) < 0.08 * v.size]
        read = low if p.char in SAME_CASE else high
        if beside:
            out.append(Level(low if abs(low - beside[0]) < abs(high - beside[0]) else high, p.box.y1))
        elif firm and low > 1.08 * largest and 0.55 * largest <= high <= 0.85 * largest:
            continue  # a script read in the wrong case
        elif hint is None and low > TOO_LARGE * em >= high:
            out.append(Level(high, p.box.y1))
        elif hint is None or (len(placed) > 1 and 0.7 * hint <= read <= 1.5 * hint):
            out.append(Level(read, p.box.y1))
        else:
            out.append(Level(low if max(low / hint, hint / low) < max(high / hint, hint / high) else high, p.box.y1))
    return out


def _largest_shared(levels: Sequence[Level]) -> Level:
    ordered = sorted((v.size for v in levels), reverse=True)
    need = max(1, round(0.3 * len(ordered)))  # a letter read in the wrong case looks half as large again
    for top in ordered:
        group = [v for v in levels if (1 - 1.2 * ALIKE) * top <= v.size <= top]
        if len(group) >= need:
            group = _on_one_line(group)
            size = median(v.size for v in group)
            return Level(size, median(v.baseline for v in group if abs(v.size - size) <= ALIKE * size))
    return levels[0]


def _on_one_line(group: Sequence[Level]) -> list[Level]:
    """Those of about one size that stand on the line of most of them; of as many, those that are larger."""
    best: list[Level] = []
    for level in sorted(group, key=lambda v: -v.size):
        same = [v for v in group if abs(v.baseline - level.baseline) < 0.1 * level.size]
        if len(same) > len(best):
            best = same
    return best
