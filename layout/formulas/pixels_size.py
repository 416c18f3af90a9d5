"""Font size and baseline of each character from its ink: what is raised or lowered and smaller is a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_case import LOW_LETTER, SAME_CASE, UPPER
from layout.formulas.pixels_levels import BRACKETS, Level, is_firm, level_of_f, own_level
from layout.formulas.pixels_metrics import AXIS, metrics
from layout.formulas.symbols import FUNCTIONS
from layout.segments import is_wide

SCRIPT = 0.86  # of the line's size: what is smaller is a script
SHIFT = 0.13  # of the line's size: a baseline further off than this is another one
TYPICAL_SCRIPT = 0.7
DISPLACED = 0.12  # font sizes
WORD = 4
OLD_STYLE, DESCENT = 0.93, 0.4  # of the line's size: old-style digits are as large as others and hang so low
# Short words of English that no formula spells: their letters are no scripts, however they stand.
COMMON = frozenset(
    ["the", "and", "of", "for", "are", "that", "this", "is", "its", "has", "was", "with", "from", "not", "when", "what",
     "which", "each", "per", "by", "or", "if", "off", "out", "one", "two", "all", "can"]
)  # fmt: skip
FREE = "'′″\"°，。、；：？！“”…"  # marks that stand where they like


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
    if not is_firm(p):
        return False
    own = own_level(p)
    if p.char in "ij" and own.baseline - main.baseline < SHIFT * main.size:
        return False  # its dot may be lost
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
    if not is_firm(p):
        return p, None
    if p.char == "f" and p.box.height > 0.6 * main.size and -0.08 <= (p.box.y1 - main.baseline) / main.size <= 0.3:
        return p, main  # upright on the line or italic with a tail
    if p.char in SAME_CASE or p.char in UPPER:
        p = _cased(p, main)
    own = level_of_f(p.box, (main.baseline,)) if p.char == "f" and p.box is not None else own_level(p)
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
