"""A second look at single characters: the recogniser reads lines of text, and in formulas it errs on single signs.

What the glyph reader is sure of and the recogniser's character does not fit replaces that character; ink beside
formula characters that no character was read from becomes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from layout.formulas.glyph_pictures import Picture, picture_of
from layout.formulas.glyph_reader import GlyphReader
from layout.formulas.pixels_align import Placed, with_dots_joined
from layout.formulas.pixels_ink import SCALE, Strokes
from layout.ocr import Recognised
from layout.segments import is_wide
from wholepage.boxes import Box

SURE = 0.85  # probability of another character at which it replaces the one read
SURER = 0.94  # the same where the recogniser was certain
CERTAIN = 0.95  # confidence of the recogniser
DENIED = 0.01  # probability of the character read, at most, for it to be replaced
NEW = 0.8  # probability of a character that is put where none was read
FEW, MOST_PARTS = 3, 6  # characters of a region that the glyph reader reads, and components that they are made of
WORD = 4  # small letters in a row that make a word, of which the recogniser knows more than the ink shows
INSIDE = 0.8  # of a component's box in that of its character
CUT = 2.0  # px
LEAST = 0.22  # em: width or height of ink that may be a character of its own
APART = 0.62  # em from an ideograph's centre: nearer ink is a stroke of it

# What is printed alike but for size or place: which it is, the recogniser and the rules of size tell.
ALIKE = (
    "cC", "oO0°∘○", "sS", "vV", "iι", "wW", "xX×", "zZ", "Kκ", "φϕ", "εϵ", "lI1|/∣ι", "Δ△∆", "Λ∧", "Σ∑", "Π∏", "ϵ∈",
    "−-–—_", "∼~∽", "≅≌", "μµ", "∥‖", "⊥⟂", "∅Ø", "=＝", "<＜", ">＞", "(（", ")）", "[［", "]］", "+＋",
)  # fmt: skip
MARKS = frozenset(".,:;′″'\"°*−-|/\\!?·()[]{}←↑")  # their place says what they are; the recogniser reads them well
RARE = frozenset("ικυςϖϑ")  # letters that school books hardly use: a damaged one of another kind is likelier
FAINT = frozenset(".,:;′″'\"°*−-|!·")  # too little ink to be told alone
STROKES = frozenset("−-|l1I/\\()[].,:;′″'*°!")  # strokes of ideographs look like these


@dataclass(frozen=True)
class Ink:
    """The components of one region: `parts` are their numbers in `strokes`."""

    strokes: Strokes
    parts: Sequence[int]

    @property
    def boxes(self) -> NDArray[np.float64]:
        """N×4, page px."""
        return self.strokes.boxes[list(self.parts)]

    def within(self, box: Box) -> list[int]:
        """Numbers of the components that lie in `box` (page px)."""
        b = self.boxes
        width = np.minimum(b[:, 2], box.x1 + 0.5) - np.maximum(b[:, 0], box.x0 - 0.5)
        height = np.minimum(b[:, 3], box.y1 + 0.5) - np.maximum(b[:, 1], box.y0 - 0.5)
        area = np.maximum((b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1]), 0.25)
        share = np.maximum(width, 0) * np.maximum(height, 0) / area
        return [self.parts[int(n)] for n in np.flatnonzero(share >= INSIDE)]

    def picture(self, members: Sequence[int]) -> Picture:
        """What the glyph reader sees of components."""
        b = self.strokes.boxes[list(members)]
        x0, y0 = (int(v * SCALE) for v in b[:, :2].min(axis=0))
        x1, y1 = (int(v * SCALE) for v in b[:, 2:].max(axis=0))
        window = self.strokes.labels[y0:y1, x0:x1]
        return picture_of(np.isin(window, self.strokes.ids[list(members)]).view(np.uint8))


def second_look(
    placed: Sequence[Placed], ink: Ink, reader: GlyphReader, em: float, foot: float | None = None
) -> tuple[list[Placed], list[int | None]]:
    """The characters of a line with those replaced and added that the glyph reader is sure of.

    Beside them the number that each had in `placed`, None for those added. `em` is the font size in page px, `foot` the
    y of the bar that the line stands on: what reaches it may have been cut off with it, as a 0 that then looks like ∩.
    """
    whole = ink if foot is None else Ink(ink.strokes, [i for i in ink.parts if ink.strokes.boxes[i][3] < foot - CUT])
    return _completed(_corrected(placed, whole, reader), whole, reader, em)


def read_few(read: Recognised, ink: Ink, cut: Box, reader: GlyphReader, em: float) -> Recognised:
    """What a region of few characters says: `read`, or what the glyph reader is sure of where that is not alike.

    The recogniser was made for lines: of a lone character it may see none or two. `cut` is the crop's box, page px.
    """
    if not 1 <= len(ink.parts) <= MOST_PARTS:
        return read
    rows = [Box.of(row) for row in with_dots_joined(ink.boxes, em)]
    rows.sort(key=lambda b: b.cx)
    groups = [ink.within(box) for box in rows]
    flat = any(max(b.width, b.height) < LEAST * em for b in rows)
    if len(rows) > FEW or flat or not all(groups) or any(is_wide(c) for c in read.text):
        return read
    scores = reader.read([ink.picture(members) for members in groups])
    found = [(reader.labels[int(row.argmax())], float(row.max())) for row in scores]
    seen = [c for c in read.text if not c.isspace() and c not in FAINT]
    labels = [label for label, _ in found if label not in FAINT]
    alike = len(seen) == len(labels) and all(label in _alike(c) for c, label in zip(seen, labels, strict=True))
    fewer = len(labels) < len(seen) and read.confidence >= CERTAIN
    if alike or fewer or any(not label or label in FAINT or sure < SURER for label, sure in found):
        return read
    spans = tuple(((b.x0 - cut.x0) / cut.width, (b.x1 - cut.x0) / cut.width) for b in rows)
    sure = tuple(min(p, 0.9) for _, p in found)
    return Recognised("".join(label for label, _ in found), sum(sure) / len(sure), spans, sure)


def _corrected(placed: Sequence[Placed], ink: Ink, reader: GlyphReader) -> list[Placed]:
    out = list(placed)
    asked: list[tuple[int, Picture]] = []
    words = _in_words(placed)
    for n, p in enumerate(placed):
        if p.box is None or p.clipped or n in words or is_wide(p.char) or p.char in MARKS:
            continue
        members = ink.within(p.box)
        if members and _fills(p.box, ink, members):
            asked.append((n, ink.picture(members)))
    scores = reader.read([picture for _, picture in asked])
    for (n, _), row in zip(asked, scores, strict=True):
        label, read = reader.labels[int(row.argmax())], placed[n]
        same, other = _alike(read.char), _alike(label)
        sure = sum(float(v) for x, v in zip(reader.labels, row, strict=True) if x in other)
        if label in same and sure >= SURE:  # two readers agree
            out[n] = replace(read, confidence=max(read.confidence, min(sure, 0.95)))
        if not label or label in MARKS or label in RARE or label in same:
            continue
        own = sum(float(v) for x, v in zip(reader.labels, row, strict=True) if x in same)
        if sure >= (SURER if read.confidence >= CERTAIN else SURE) and own <= DENIED:
            out[n] = replace(read, char=label, confidence=min(sure, 0.95))
    return out


def _fills(box: Box, ink: Ink, members: Sequence[int]) -> bool:
    """Whether the components make up the whole box, so that no piece of the character is missing."""
    hull = Box.hull(ink.strokes.box(i) for i in members)
    return hull.width >= 0.85 * box.width and hull.height >= 0.85 * box.height


@lru_cache(1024)
def _alike(char: str) -> frozenset[str]:
    """The character and those that are printed like it."""
    return frozenset({char}.union(*(group for group in ALIKE if char and char in group)))


def _in_words(placed: Sequence[Placed]) -> set[int]:
    """Numbers of letters in rows of `WORD` and more small ones."""
    out: set[int] = set()
    start = 0
    for stop in range(len(placed) + 1):
        if stop == len(placed) or not (placed[stop].char.isascii() and placed[stop].char.isalpha()):
            if sum(p.char.islower() for p in placed[start:stop]) >= WORD:
                out.update(range(start, stop))
            start = stop + 1
    return out


def _completed(
    placed: Sequence[Placed], ink: Ink, reader: GlyphReader, em: float
) -> tuple[list[Placed], list[int | None]]:
    """The characters with those put in that ink was left over of."""
    free = list(_left_over(placed, ink, em))
    out = list(placed)
    sources: list[int | None] = list(range(len(placed)))
    scores = reader.read([ink.picture(members) for members, _ in free])
    for (_, box), row in zip(free, scores, strict=True):
        best = int(row.argmax())
        label, sure = reader.labels[best], float(row[best])
        if not label or sure < NEW or label in STROKES or label in RARE:
            continue
        at = next((n for n, p in enumerate(out) if p.centre > box.cx), len(out))
        out.insert(at, Placed(label, min(sure, 0.9), box.cx, box))
        sources.insert(at, None)
    return out, sources


def _left_over(placed: Sequence[Placed], ink: Ink, em: float) -> Iterator[tuple[list[int], Box]]:
    """Components, those of one sign together, that no character was read from, apart from ideographs."""
    parts = list(ink.parts)
    if not parts:
        return
    boxes = [p.box for p in placed if p.box is not None]
    wide = [p.centre for p in placed if is_wide(p.char)]
    for row in with_dots_joined(ink.boxes, em):
        box = Box.of(row)
        if max(box.width, box.height) < LEAST * em or box.height > 1.2 * em:
            continue
        if any(b.overlap(box) > 0.25 * box.area for b in boxes) or any(abs(x - box.cx) < APART * em for x in wide):
            continue
        members = ink.within(box)
        if members:
            yield members, box
