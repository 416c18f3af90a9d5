"""Scripts that the recogniser cannot read within their line: an index under an exponent, what was read badly.

Such scripts are cut out, read on their own and put in the place of what was read before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.pixels_levels import Level
from layout.formulas.pixels_metrics import metrics
from layout.formulas.pixels_size import SCRIPT
from layout.segments import Segment, is_wide
from layout.types import Glyph
from wholepage.boxes import Box

MAX_HEIGHT = 0.64  # of the line's size: higher ink is no script
DOT = 0.25  # of the font size: half a colon, smaller than a ring
TOO_HIGH = 1.25  # of its usual height: no character of the line is
UNSURE = 0.85  # confidence below which a script is read again
LEAST = (0.24, 0.27)  # width and height of a letter as a script, of the line's size
ROW_GAP = 0.22  # em between characters of one script
Boxes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Script:
    """Components of one script of a line: `parts` into the page's components, `box` their hull."""

    line: int
    parts: tuple[int, ...]
    box: Box


def find_scripts(line: int, segment: Segment, parts: Sequence[int], boxes: Boxes, main: Level) -> list[list[Script]]:
    """Groups of scripts to read again: each an upper and a lower one that overlap, or a single one read badly.

    Args:
        line: number of the line, kept in the result.
        parts: components of the line, indices into `boxes` (N×4, page px).
        main: level of the line's main text.
    """
    free = [i for i in parts if not _in_main(boxes[i], segment, main)]
    upper = [i for i in free if _is_upper(boxes[i], main)]
    lower = [i for i in free if _is_lower(boxes[i], main)]
    groups: list[list[Script]] = []
    used: set[int] = set()
    for u in upper:
        for low in lower:
            if u in used or low in used or not _above(boxes[u], boxes[low]):
                continue
            if all(_is_dot(boxes[i], main) for i in (u, low)):
                used.update((u, low))  # a colon
                continue
            rows = [_row(u, upper, boxes, main), _row(low, lower, boxes, main)]
            used.update(*rows)
            groups.append([_script(line, row, boxes) for row in rows])
    for row in (upper, lower):
        groups.extend([script] for script in _unsure(line, segment, [i for i in row if i not in used], boxes, main))
    return groups


def _in_main(part: NDArray[np.float64], segment: Segment, main: Level) -> bool:
    """Whether a component belongs to an ideograph or to a letter of the line's own size."""
    x = (part[0] + part[2]) / 2
    for glyph in segment.glyphs:
        if glyph.text.isspace() or glyph.size < SCRIPT * main.size:
            continue
        if is_wide(glyph.text) and glyph.box.x0 <= x <= glyph.box.x1:
            return True
        inside = part[0] - 1 <= glyph.box.cx <= part[2] + 1 and part[1] - 1 <= glyph.box.cy <= part[3] + 1
        # One that is far too high was read from an exponent and an index at once.
        high = glyph.box.height > TOO_HIGH * metrics(glyph.text).height * main.size
        if inside and glyph.text.isalnum() and glyph.confidence >= UNSURE and not high:
            return True
    return False


def _is_upper(part: NDArray[np.float64], main: Level) -> bool:
    size, base = main.size, main.baseline
    return bool(
        part[3] < base - 0.27 * size
        and part[3] - part[1] <= MAX_HEIGHT * size
        and part[1] > base - 1.3 * size
        and max(part[2] - part[0], part[3] - part[1]) >= 0.16 * size
    )


def _is_lower(part: NDArray[np.float64], main: Level) -> bool:
    size, base = main.size, main.baseline
    return bool(
        part[1] > base - 0.36 * size
        and base - 0.06 * size < part[3] < base + 0.6 * size
        and part[3] - part[1] <= MAX_HEIGHT * size
        and max(part[2] - part[0], part[3] - part[1]) >= 0.16 * size
    )


def _is_dot(part: NDArray[np.float64], main: Level) -> bool:
    return bool(max(part[2] - part[0], part[3] - part[1]) < DOT * main.size)


def _above(upper: NDArray[np.float64], lower: NDArray[np.float64]) -> bool:
    common = min(upper[2], lower[2]) - max(upper[0], lower[0])
    return bool(common >= 0.35 * min(upper[2] - upper[0], lower[2] - lower[0]) and upper[3] <= lower[1] + 2)


def _row(seed: int, row: Sequence[int], boxes: Boxes, main: Level) -> list[int]:
    """The components of `row` that stand beside `seed` and each other."""
    out = [seed]
    x0, x1 = boxes[seed][0], boxes[seed][2]
    for i in sorted(row, key=lambda k: boxes[k][0]):
        if i != seed and boxes[i][0] - x1 <= ROW_GAP * main.size and boxes[i][0] >= x0 - 1:
            out.append(i)
            x1 = max(x1, boxes[i][2])
    for i in sorted(row, key=lambda k: -boxes[k][2]):
        if i not in out and 0 <= x0 - boxes[i][2] <= ROW_GAP * main.size:
            out.append(i)
            x0 = min(x0, boxes[i][0])
    return out


def _script(line: int, row: Sequence[int], boxes: Boxes) -> Script:
    own = boxes[list(row)]
    hull = Box.of((own[:, 0].min(), own[:, 1].min(), own[:, 2].max(), own[:, 3].max()))
    return Script(line, tuple(sorted(row)), hull)


def _unsure(line: int, segment: Segment, row: Sequence[int], boxes: Boxes, main: Level) -> list[Script]:
    """Scripts of which a character was read with little confidence."""
    out: list[Script] = []
    done: set[int] = set()
    for i in row:
        if i in done:
            continue
        members = _row(i, [k for k in row if k not in done], boxes, main)
        done.update(members)
        script = _script(line, members, boxes)
        if len(members) == 1 and _is_dot(boxes[members[0]], main):
            continue
        inside = [g for g in _covered(segment, script.box, main) if g.size < SCRIPT * main.size]
        if (inside and min(g.confidence for g in inside) < UNSURE) or _unread(segment, script.box, main):
            out.append(script)
    return out


def _unread(segment: Segment, box: Box, main: Level) -> bool:
    """Whether no character was read from the ink in `box`, which is larger than a comma or a quotation mark."""
    large = min(box.width / LEAST[0], box.height / LEAST[1]) >= main.size
    return large and not any(g.box.overlap(box) > 0.2 * box.area and not g.text.isspace() for g in segment.glyphs)


def _covered(segment: Segment, box: Box, main: Level) -> list[Glyph]:
    """Glyphs of the line whose ink lies in the columns of a script and is no higher than one, main letters left out."""
    return [
        g
        for g in segment.glyphs
        if not g.text.isspace()
        and box.x0 - 1 <= g.box.cx <= box.x1 + 1
        and (g.size < SCRIPT * main.size or g.box.y_overlap(box) > 0.6 * g.box.height or g.box.height > main.size)
    ]


def put_scripts(segment: Segment, box: Box, main: Level, scripts: Sequence[Segment]) -> Segment:
    """The line with the glyphs in `box` replaced by those of `scripts`, lower ones first."""
    gone = {id(g) for g in _covered(segment, box, main)}
    new: list[Glyph] = []
    for script in sorted(scripts, key=lambda s: -s.box.cy):
        lowered = script.box.cy > main.baseline - 0.25 * main.size
        for glyph in script.glyphs:
            if glyph.text.isspace():
                continue
            base = main.baseline if glyph.baseline is None else glyph.baseline
            if lowered:  # a bar below may have cut off its foot
                base = max(base, main.baseline + 0.12 * main.size)
            new.append(replace(glyph, size=min(glyph.size, 0.84 * main.size), baseline=base))
    glyphs = list(segment.glyphs)
    at = next((n for n, g in enumerate(glyphs) if id(g) in gone), None)
    if at is None:
        at = sum(g.box.cx < box.x0 for g in glyphs)
    kept = [g for g in glyphs[:at] if id(g) not in gone], [g for g in glyphs[at:] if id(g) not in gone]
    return replace(segment, glyphs=(*kept[0], *new, *kept[1]))
