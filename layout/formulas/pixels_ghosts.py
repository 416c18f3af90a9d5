"""Characters that the recogniser saw where another one's ink is: the same digit twice, a letter in a wide one's end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_metrics import metrics

UNSURE, SURE = 0.62, 0.85  # confidence of a ghost, and of the character whose ink it shares
ROOM = 1.3  # of a character's usual width: more ink than this may be two characters
SCRAP = 0.2  # em; no letter or digit is lower


def without_ghosts(placed: Sequence[Placed], em: float) -> tuple[list[Placed], list[int]]:
    """The characters without ghosts, and the numbers of those that stay; `em` is the page's font size in px.

    A ghost is read with little certainty, and shares one component with a character that fills it alone, or has but a
    scrap of ink.
    """
    out = list(placed)
    gone: set[int] = set()
    for n, ghost in enumerate(placed):
        if ghost.box is None or ghost.confidence >= UNSURE or not ghost.char.isalnum():
            continue
        if ghost.char.isascii() and ghost.box.height < SCRAP * em:
            gone.add(n)
            continue
        for k in (n + 1, n - 1):
            owner = out[k] if 0 <= k < len(out) and k not in gone else None
            if owner is None or owner.box is None or owner.confidence < SURE or not owner.char.isalnum():
                continue
            split = abs((owner.box.x0 - ghost.box.x1) if k > n else (ghost.box.x0 - owner.box.x1)) < 0.01
            whole = owner.box.union(ghost.box)
            if split and whole.width <= ROOM * metrics(owner.char).width * em:
                out[k] = replace(owner, box=whole)
                gone.add(n)
                break
    kept = [n for n in range(len(placed)) if n not in gone]
    return [out[n] for n in kept], kept
