"""Font size and baseline of each character from its ink: what is raised or lowered and smaller is a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_metrics import AXIS, metrics
from layout.formulas.symbols import FUNCTIONS
from layout.segments import is_wide
from wholepage.boxes import Box

SAME_CASE = {low: low.upper() for low in "cosvwxzu"}  # letters whose capitals differ in size alone
UPPER = {high: low for low, high in SAME_CASE.items()}
BRACKETS = "()[]{}|"
SCRIPT = 0.86  # of the line's size: what is smaller is a script
SHIFT = 0.13  # of the line's size: a baseline further off than this is another one
ALIKE = 0.16  # sizes this close are one
TYPICAL_SCRIPT = 0.7
LOW_LETTER = 0.5  # height of letters without ascender and descender, font sizes
DISPLACED = 0.12  # font sizes
WORD = 4
OLD_STYLE, DESCENT = 0.93, 0.4  # of the line's size: old-style digits are as large as others and hang so low
# Short words of English that no formula spells: their letters are no scripts, however they stand.
COMMON = frozenset(
    ["the", "and", "of", "for", "are", "that", "this", "is", "its", "has", "was", "with", "from", "not", "when", "what",
     "which", "each", "per", "by", "or", "if"]
)  # fmt: skip
TOO_LARGE = 1.5  # of the page's font size: no letter of a line without ideographs is larger
FREE = "'′″\"°，。、；：？！“”…"  # marks that stand where they like


@dataclass(frozen=True, slots=True)
class Level:
    """Font size in px and y of the writing line."""

    size: float
    baseline: float


def main_level(placed: Sequence[Placed], em: float, bottom: float, hint: float | None = None) -> Level:
    """Level of a crop's main text: the largest size that several characters share.

    `em` is the page's font size, `bottom` the crop's lower edge, `hint` the size that a lone letter should have.
    """
    alike = [p for p in placed if p.char in SAME_CASE or p.char in UPPER]
    firm = [_own_level(p) for p in placed if _is_firm(p) and p not in alike and p.char != "f"]
    feet = [v.baseline for v in firm] + [p.box.y1 for p in alike if p.box is not None]
    firm += [_level_of_f(p.box, feet, hint) for p in placed if p.char == "f" and p.box is not None and not p.clipped]
    if not firm and hint is not None:
        firm = [Level(hint, p.box.y0 + 0.44 * hint) for p in placed if p.clipped and p.box is not None]
    firm += _of_cased(placed, hint, firm, em)
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


def _is_firm(placed: Placed) -> bool:
    sure = placed.box is not None and metrics(placed.char).firm
    return sure and placed.char not in BRACKETS and not placed.clipped


def _own_level(placed: Placed) -> Level:
    form, box = metrics(placed.char), placed.box
    assert box is not None
    if placed.char == "f":
        return _level_of_f(box, ())
    size = box.height / form.height
    return Level(size, box.y1 + form.bottom * size)


def _level_of_f(box: Box, feet: Sequence[float], size: float | None = None) -> Level:
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


def place(placed: Sequence[Placed], main: Level) -> tuple[list[Placed], list[Level]]:
    """Each character with its level; letters whose case the recogniser cannot know get it from their size."""
    chars = list(placed)
    levels: list[Level | None] = []
    words = _in_words(placed, main)
    for i, p in enumerate(chars):
        if i in words:
            levels.append(main)
            continue
        chars[i], level = _settle(p, main)
        levels.append(level)
    for i, p in enumerate(chars):
        if levels[i] is None:
            levels[i] = _from_neighbours(i, p, levels, main)
    sure = [v or main for v in levels]
    return _zeros(chars, sure, main), sure


def _zeros(placed: Sequence[Placed], levels: Sequence[Level], main: Level) -> list[Placed]:
    """What was read as the letter o but is a script as high as a digit, with no letter before it in the script: 0."""
    out = list(placed)
    for n, (p, level) in enumerate(zip(placed, levels, strict=True)):
        if p.char not in "oO" or p.box is None or level.size >= SCRIPT * main.size:
            continue
        before = n > 0 and levels[n - 1].size < SCRIPT * main.size and placed[n - 1].char.isalpha()
        if p.box.height >= 0.4 * main.size and not before:
            out[n] = replace(p, char="0")
    return out


def _in_words(placed: Sequence[Placed], main: Level) -> set[int]:
    """Letters of words, which are no scripts: four and more small ones, or fewer between blanks; names of functions."""
    out: set[int] = set()
    start = 0
    for stop in range(len(placed) + 1):
        if stop == len(placed) or not (placed[stop].char.isascii() and placed[stop].char.isalpha()):
            if "".join(p.char for p in placed[start:stop]).lower() in COMMON:
                out.update(range(start, stop))
                start = stop + 1
                continue
            run = _without_index(placed[start:stop], main)
            alone = (
                _blank(placed, start - 1)
                and _blank(placed, start + len(run))
                and not any(_leaves_line(p, main) for p in run)
            )
            small = sum(p.char.islower() for p in run)
            if small >= WORD or (small >= 2 and alone) or "".join(p.char for p in run) in FUNCTIONS:
                out.update(range(start, start + len(run)))
            start = stop + 1
    return out


def _without_index(run: Sequence[Placed], main: Level) -> Sequence[Placed]:
    """The letters without up to two at the end that stand lower than the others as a whole, as in t_n or log_a."""
    stop = len(run)
    while stop > 1 and len(run) - stop < 2 and _below(run[0], run[stop - 1], main):
        stop -= 1
    return run[:stop]


def _below(letter: Placed, other: Placed, main: Level) -> bool:
    """Whether `other`, no larger than `letter`, has its top and its foot lower."""
    if letter.box is None or other.box is None or "f" in (letter.char, other.char) or other.char in "ij":
        return False
    first, second = metrics(letter.char), metrics(other.char)
    foot = (other.box.y1 - letter.box.y1) / main.size + second.bottom - first.bottom
    top = (other.box.y0 - main.baseline) / main.size + second.top
    return min(foot, top) >= DISPLACED and other.box.height <= 0.97 * second.height * main.size


def _leaves_line(p: Placed, main: Level) -> bool:
    """Whether a letter is a script for sure: small, and well off the writing line or very small."""
    if not _is_firm(p) or p.char in "ij":  # their dots may be lost
        return False
    own = _own_level(p)
    if p.char in SAME_CASE and p.box is not None and abs(own.baseline - main.baseline) >= SHIFT * main.size:
        own = replace(own, size=min(own.size, p.box.height / 0.68))  # a capital read as a small letter
    off = abs(own.baseline - main.baseline)
    return own.size <= SCRIPT * main.size and (off >= 0.1 * main.size or own.size <= 0.75 * main.size)


def _blank(placed: Sequence[Placed], n: int) -> bool:
    return not 0 <= n < len(placed) or placed[n].char.isspace() or is_wide(placed[n].char)


def _settle(p: Placed, main: Level) -> tuple[Placed, Level | None]:  # noqa: PLR0911 - one rule a kind of sign
    """Level of a character that shows it by itself, None for a sign that depends on its neighbours."""
    if p.box is None or p.char in FREE:
        return p, main
    if is_wide(p.char):
        return p, _wide_level(p, main)
    if p.char in BRACKETS:
        return p, _bracket_level(p, main)
    if p.clipped:
        low = Level(TYPICAL_SCRIPT * main.size, main.baseline + 0.12 * main.size)
        return p, main if p.box.height > 0.4 * main.size else low
    if not _is_firm(p):
        return p, None
    if p.char == "f" and p.box.height > 0.6 * main.size and -0.08 <= (p.box.y1 - main.baseline) / main.size <= 0.3:
        return p, main  # upright on the line or italic with a tail
    if p.char in SAME_CASE or p.char in UPPER:
        p = _cased(p, main)
    own = _level_of_f(p.box, (main.baseline,)) if p.char == "f" and p.box is not None else _own_level(p)
    close = abs(own.baseline - main.baseline)
    if own.size >= SCRIPT * main.size and close <= 2 * SHIFT * main.size and not _displaced(p, main):
        return p, main
    if close <= 0.08 * main.size and own.size >= 0.78 * main.size:
        return p, main
    old_style = p.char.isdigit() and own.size >= OLD_STYLE * main.size and close <= DESCENT * main.size
    if own.size > 1.15 * main.size or old_style:
        return p, main
    if close <= 0.07 * main.size and p.char not in "0123456789" and own.size >= 0.72 * main.size:
        return p, main
    baseline = own.baseline
    if close <= 0.07 * main.size:  # small on the line: an index whose foot a bar has cut off
        baseline = main.baseline + 0.12 * main.size
    return p, Level(min(own.size, 0.84 * main.size), baseline)


def _displaced(p: Placed, main: Level) -> bool:
    """Whether a low letter's top and foot both lie well above or well below those of one on the line.

    Its height, a few pixels, tells its size badly.
    """
    form, box = metrics(p.char), p.box
    assert box is not None
    if form.height > LOW_LETTER:
        return False
    top = (box.y0 - main.baseline) / main.size + form.top
    foot = (box.y1 - main.baseline) / main.size + form.bottom
    return min(abs(top), abs(foot)) >= DISPLACED and top * foot > 0


def _cased(p: Placed, main: Level) -> Placed:
    """The letter in the case that its height calls for, where it stands on the main line."""
    assert p.box is not None
    on_line = abs(p.box.y1 - main.baseline) <= 0.1 * main.size
    ratio = p.box.height / main.size
    if on_line and p.char in SAME_CASE and ratio >= 0.60:
        return replace(p, char=SAME_CASE[p.char])
    if on_line and p.char in UPPER and ratio <= 0.50:
        return replace(p, char=UPPER[p.char])
    if not on_line and p.char in UPPER and ratio <= 0.40:
        return replace(p, char=UPPER[p.char])
    if abs(p.box.y1 - main.baseline) >= SHIFT * main.size and p.char in SAME_CASE and 0.42 <= ratio <= 0.6:
        return replace(p, char=SAME_CASE[p.char])
    return p


def _wide_level(p: Placed, main: Level) -> Level:
    """An ideograph is of the line unless it is small and hangs low or stands high."""
    box = p.box
    assert box is not None
    size = max(box.width, box.height) / 0.92
    low = box.y1 - main.baseline > 0.12 * main.size and box.y0 > main.baseline - 0.55 * main.size
    high = box.y1 < main.baseline - 0.2 * main.size and box.cy < main.baseline - 0.4 * main.size
    if size <= 0.86 * main.size and box.height > 0.35 * main.size and (low or high):
        return Level(size, box.y1 - 0.1 * size)
    return main


def _bracket_level(p: Placed, main: Level) -> Level | None:
    box = p.box
    assert box is not None
    if box.height < 0.3 * main.size:
        return main  # only a scrap of its ink was found
    if box.height >= 0.82 * main.size:
        return main if abs(box.cy - main.baseline + AXIS * main.size) < 0.3 * main.size else None
    return None


def _from_neighbours(i: int, p: Placed, levels: Sequence[Level | None], main: Level) -> Level:
    """A sign stands on the axis of the main line or of a script beside it, whichever is nearer to its ink."""
    box = p.box
    assert box is not None
    form = metrics(p.char)
    middle = (form.top + form.bottom) / 2

    def off(level: Level) -> float:
        return abs(box.cy - (level.baseline - middle * level.size)) / main.size

    scripts = [v for k in (i - 1, i + 1) if 0 <= k < len(levels) and (v := levels[k]) is not None and v is not main]
    best = min([main, *scripts], key=off)
    small = box.width <= 0.86 * form.width * main.size or box.height <= 0.86 * form.height * main.size
    if p.char in ",.;:∶!?" and (not scripts or box.y1 > main.baseline - 0.3 * main.size):
        return main
    if off(main) <= 0.13 and not (scripts and small and off(best) < off(main) - 0.06):
        return main
    if off(best) <= 0.17:
        return best
    size = TYPICAL_SCRIPT * main.size
    if not small:
        return main
    return Level(size, box.cy + middle * size)
