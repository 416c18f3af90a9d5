"""Letters that the recogniser takes for others of the same shape: small ones and capitals, p and P, g and 9.

What tells them apart is where the character beside them stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_metrics import metrics
from wholepage.boxes import Box

SAME_CASE = {low: low.upper() for low in "cosvwxzu"}  # letters whose capitals differ in size alone
UPPER = {high: low for low, high in SAME_CASE.items()}
HANGING = {"P": "p", "Y": "y", "9": "g", "8": "g"}  # read, and what it is where it hangs below the line
TRIANGLES = "△Δ∆▵"
IDEOGRAPHS = "\u2e80"  # the first of them
LOW_LETTER = 0.5  # height of letters without ascender and descender, font sizes
HANGS = 0.18  # of its height by which a hanging letter reaches below one on the line
LEVEL = 0.12  # of its height: tops and feet that differ less are level
INDEX_FALL = 0.22  # of its own height: the foot of an index is this much lower than a low letter's
NEXT_TO = 0.35  # of a letter's height: its index begins this close behind it


def triangles(placed: Sequence[Placed]) -> list[Placed]:
    """The characters with a triangle before three points as △, before one letter of a quantity as Δ."""
    out = list(placed)
    for n, p in enumerate(placed):
        if p.char not in TRIANGLES:
            continue
        behind = [q for q in placed[n + 1 : n + 8] if not q.char.isspace()]
        points = next((k for k, q in enumerate(behind) if not _is_point(q, p)), len(behind))
        letter = bool(behind) and behind[0].char.isalpha() and behind[0].char < IDEOGRAPHS
        if points >= 3:
            out[n] = replace(p, char="△")
        elif letter and points < 2:
            out[n] = replace(p, char="Δ")
    return out


def _is_point(q: Placed, triangle: Placed) -> bool:
    """Whether a character may name a corner: a capital as high as the sign."""
    capital = q.char.isascii() and q.char.isupper()
    return capital and (q.box is None or triangle.box is None or q.box.height >= 0.65 * triangle.box.height)


def hanging(placed: Sequence[Placed]) -> list[Placed]:
    """The characters with a P that hangs below a capital, a digit or a low letter beside it as a p, and so on."""
    out = list(placed)
    for n, p in enumerate(placed):
        if p.char not in HANGING or p.box is None:
            continue
        sides = [q.box for q in placed[max(n - 2, 0) : n + 3] if q is not p and _tells_line(q) and q.box is not None]
        lows = [q.box for q in placed[max(n - 2, 0) : n + 3] if _is_low(q) and q.box is not None]
        behind = placed[n + 1] if n + 1 < len(placed) else None
        if (
            any(_hangs_below(p.box, q) for q in sides)
            or any(_tops_level(p.box, q) for q in lows)
            or (p.char != "8" and behind is not None and _tells_line(behind) and _has_level_index(p.box, behind.box))
        ):
            out[n] = replace(p, char=HANGING[p.char])
    return out


def _tells_line(q: Placed) -> bool:
    """Whether a character is as high as a capital and stands on its line."""
    return q.char.isdigit() or (q.char.isascii() and q.char.isalpha() and q.char.isupper() and q.char not in "QJ")


def _is_low(q: Placed) -> bool:
    return q.char.isascii() and q.char.isalpha() and q.char in "acemnoruvwxz"


def _hangs_below(box: Box, other: Box) -> bool:
    alike = 0.85 <= box.height / other.height <= 1.18
    return alike and min(box.y0 - other.y0, box.y1 - other.y1) >= HANGS * box.height


def _tops_level(box: Box, low: Box) -> bool:
    lower = box.y1 - low.y1 >= HANGS * box.height
    return lower and abs(box.y0 - low.y0) <= LEVEL * box.height and 0.55 <= low.height / box.height <= 0.85


def _has_level_index(box: Box, index: Box | None) -> bool:
    """Whether the foot of an index right behind is level with the letter's: an index hangs as low as a tail does."""
    if index is None or not -0.1 * box.height <= index.x0 - box.x1 <= NEXT_TO * box.height:
        return False
    return 0.6 <= index.height / box.height <= 0.86 and abs(index.y1 - box.y1) <= LEVEL * box.height


def with_small(placed: Sequence[Placed]) -> tuple[list[Placed], set[int]]:
    """The characters with capitals that an index as high as they are follows made small, and the numbers of indices.

    A capital is higher than its index, a letter such as v is not.
    """
    out = list(placed)
    indices: set[int] = set()
    for n in range(len(placed) - 1):
        p = placed[n]
        behind = next((k for k in range(n + 1, len(placed)) if not placed[k].char.isspace()), None)
        if behind is None or p.box is None or not (p.char in SAME_CASE or p.char in UPPER):
            continue
        q = placed[behind]
        if q.box is None or not (q.char.isascii() and q.char.isalnum()) or not _is_index(p.box, q):
            continue
        out[n] = replace(p, char=UPPER.get(p.char, p.char))
        k = behind
        while k < len(placed) and (placed[k].box is None or _follows(p.box, q.box, placed[k].box)):
            indices.add(k)
            k += 1
    return out, indices


def _is_index(box: Box, q: Placed) -> bool:
    """Whether a character right behind a low letter is its index: as high as it, and clearly lower."""
    other = q.box
    assert other is not None
    if other.x0 - box.x1 > NEXT_TO * box.height or other.x0 < box.cx:
        return False
    low = metrics(q.char).height < LOW_LETTER
    ratio = other.height / box.height
    fits = 0.58 <= ratio <= 0.84 if low else 0.84 <= ratio <= 1.3
    return fits and other.y1 - box.y1 >= INDEX_FALL * box.height and other.y0 - box.y0 >= LEVEL * box.height


def _follows(box: Box, first: Box, other: Box | None) -> bool:
    """Whether another character of the index stands at the level of its first one."""
    if other is None:
        return False
    return other.y1 - box.y1 >= 0.5 * (first.y1 - box.y1) and other.height <= 1.3 * box.height and other.y0 > box.y0


def shows_no_size(text: str) -> bool:
    """Whether the letters of a piece look alike in both cases, so that their height does not tell the font's size."""
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and all(c in SAME_CASE or c in UPPER for c in letters)
