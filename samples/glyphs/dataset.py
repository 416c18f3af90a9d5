"""Many pictures of each character, drawn in all fonts at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from layout.formulas.glyph_pictures import SIDE
from samples.glyphs.classes import DIGITS, GREEK, LABELS, LATIN, OTHER
from samples.glyphs.draw import draw_glyph, draw_other
from samples.glyphs.fonts import fonts, ideograph_fonts

OTHERS = 8  # times as many pictures of what is no character


@dataclass(frozen=True)
class Glyphs:
    """`pictures` N×SIDE×SIDE uint8 (0 paper, 255 ink), `labels` N into `LABELS`, `families` N names of fonts."""

    pictures: NDArray[np.uint8]
    labels: NDArray[np.int64]
    families: NDArray[np.str_]

    def where(self, keep: NDArray[np.bool_]) -> Glyphs:
        """The rows that `keep` (N) marks."""
        return Glyphs(self.pictures[keep], self.labels[keep], self.families[keep])

    def save(self, path: Path) -> None:
        """Write them to `path` (.npz)."""
        draft = path.with_name(f".{path.name}.tmp.npz")
        np.savez_compressed(draft, pictures=self.pictures, labels=self.labels, families=self.families)
        draft.replace(path)

    @classmethod
    def load(cls, path: Path) -> Glyphs:
        """What `save` wrote."""
        with np.load(path) as saved:
            return cls(saved["pictures"], saved["labels"], saved["families"])


def joined(groups: Sequence[Glyphs]) -> Glyphs | None:
    """All rows of all groups, None without any."""
    if not groups:
        return None
    return Glyphs(
        np.concatenate([g.pictures for g in groups]),
        np.concatenate([g.labels for g in groups]),
        np.concatenate([g.families for g in groups]),
    )


def draw_glyphs(each: int, seed: int, labels: tuple[str, ...] = LABELS) -> Glyphs:
    """`each` pictures of every character in `labels`, twice as many of letters and digits.

    Fonts are drawn by family, so that a family of many files does not count more. The same seed, number and fonts give
    the same pictures.
    """
    rng = np.random.default_rng(seed)
    by_label: dict[str, dict[str, list[tuple[Path, str]]]] = defaultdict(lambda: defaultdict(list))
    for font in fonts():
        for form in font.forms:
            by_label[form.label][font.family].append((font.path, form.char))
    paths = tuple(f.path for f in fonts() if len(f.forms) > len(LATIN))
    rows: list[tuple[NDArray[np.uint8], int, str]] = []
    for label in labels:
        families = by_label[label]
        names = sorted(families)
        count = each * (OTHERS if label == OTHER else 2 if label in DIGITS + LATIN + GREEK else 1)
        for _ in range(count if names or label == OTHER else 0):
            if label == OTHER:
                family, picture = "", draw_other(paths, ideograph_fonts(), rng)
            else:
                family = names[rng.integers(len(names))]
                path, char = families[family][rng.integers(len(families[family]))]
                picture = draw_glyph(path, char, rng)
            if picture is not None:
                rows.append(((picture * 255).astype(np.uint8), LABELS.index(label), family))
    pictures = np.array([r[0] for r in rows], np.uint8).reshape(-1, SIDE, SIDE)
    return Glyphs(pictures, np.array([r[1] for r in rows]), np.array([r[2] for r in rows]))
