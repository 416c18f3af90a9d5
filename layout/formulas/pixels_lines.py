"""Glyphs with ink box, size and baseline from the recognised text of a crop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from layout.formulas.glyph_reader import GlyphReader
from layout.formulas.pixels_align import Placed, align
from layout.formulas.pixels_blanks import MARKS, with_points, without_false_blanks
from layout.formulas.pixels_case import hanging, triangles
from layout.formulas.pixels_dots import with_dots
from layout.formulas.pixels_ghosts import without_ghosts
from layout.formulas.pixels_glyphs import Ink, second_look
from layout.formulas.pixels_ink import Mask, Strokes
from layout.formulas.pixels_levels import Level, main_level
from layout.formulas.pixels_size import place
from layout.formulas.pixels_slant import faces
from layout.formulas.pixels_wide import with_indices
from layout.formulas.pixels_words import boxes_of_words
from layout.formulas.symbols import FUNCTIONS
from layout.ocr import Recognised
from layout.segments import Segment, is_wide
from layout.types import Glyph
from wholepage.boxes import Box

# Raised and lowered characters as plain ones: their place says what they are.
PLAIN = str.maketrans("µ∆⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "μΔ0123456789+−=()n0123456789+−=()")
NUMBER_SETS = {"ℝ": "R", "ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℂ": "C"}
DESCENDING = "gpqyjβγημρφχψξζ"
DOTS = ".·…⋯"
DASHES = "—–―-"
# A function's name read with another first character, before what it is taken of.
NAME = re.compile(
    r"(?<![A-Za-z0-9.\0])[1I|](?=(?:og|im)(?![a-z])|g *[(\[√0-9a-z\u0391-\u03c9|](?![a-z]{2})|n *[(|√\u03b1-\u03c9])"
)
LYING = 1.25  # of its height: an 8 that is wider lies on its side
MAX_WORD = 3  # letters; variables stand together in threes at most
EDGE_EM = 0.58  # ink within this distance of an ideograph's centre is its own


@dataclass(frozen=True)
class Look:
    """A page's pixels: `gray` H×W, `strokes` the components of its sharp mask; `reader` reads single glyphs."""

    gray: NDArray[np.uint8]
    strokes: Strokes
    reader: GlyphReader

    @property
    def mask(self) -> Mask:
        """The sharp mask."""
        return self.strokes.mask


def refine(
    segment: Segment,
    result: Recognised,
    cut: Box,
    letters: Sequence[int],
    page: Look,
    em: float,
    *,
    hint: float | None = None,
    foot: float | None = None,
    holes: bool = False,
) -> tuple[Segment, Level]:
    """The segment with each glyph's ink box, font size and baseline, and the level of its main text.

    Args:
        segment: as `scanned.segment_from_ocr` makes it from `result`.
        cut: the crop's box, page px.
        letters: numbers of the components that the crop holds.
        page: the page's pixels.
        em: the page's font size in px; `hint` that of this crop, where something else tells it.
        foot: y of the bar that the crop stands on, if any.
        holes: parts were cut out of the crop; of two commas side by side the recogniser made one up there.
    """
    segment = replace(segment, glyphs=tuple(replace(g, text=g.text.translate(PLAIN)) for g in segment.glyphs))
    chars = [g.text for g in segment.glyphs]
    skipped = len(result.text) - len(result.text.lstrip())
    spans = result.spans[skipped : skipped + len(chars)]
    centres = [cut.x0 + (a + b) / 2 * cut.width for a, b in spans]
    if holes and (gone := _doubled(segment.glyphs)):
        kept = [n for n in range(len(chars)) if n not in gone]
        segment = replace(segment, glyphs=tuple(segment.glyphs[n] for n in kept))
        chars, centres = [chars[n] for n in kept], [centres[n] for n in kept]
    ink = Ink(page.strokes, letters)
    boxes: list[Box | None] = [None] * len(chars)
    for start, stop in _islands(chars):
        found = _align_island(chars, centres, start, stop, ink.boxes, em, page.mask)
        boxes[start:stop] = found
    placed = [Placed(c, g.confidence, x, b) for c, g, x, b in zip(chars, segment.glyphs, centres, boxes, strict=True)]
    placed, stay = without_ghosts(placed, em)
    segment = replace(segment, glyphs=tuple(segment.glyphs[n] for n in stay))
    placed, sources = second_look(placed, ink, page.reader, em, foot)
    segment = replace(segment, glyphs=tuple(_glyph(p, n, segment, em) for p, n in zip(placed, sources, strict=True)))
    if foot is not None:
        placed = [
            replace(p, clipped=p.char in DESCENDING and p.box is not None and p.box.y1 >= foot - 2.0) for p in placed
        ]
    placed = triangles(hanging(_as_signs(placed, em)))
    main = main_level(placed, em, segment.box.y1, hint)
    placed, levels = place(_with_minus(with_indices(placed, main, page.mask), main), main)
    placed = _with_names(placed, levels, main)
    glyphs = []
    cells = boxes_of_words(placed, levels, main, segment.glyphs)
    fonts = _fonts(placed, page.gray)
    for n, (glyph, p, level, font) in enumerate(zip(segment.glyphs, placed, levels, fonts, strict=True)):
        keep_cell = p.box is None or (is_wide(p.char) and level is main)
        box = glyph.box if keep_cell or p.box is None else cells.get(n, p.box)
        if holes and p.box is None and p.char in MARKS:  # its cell may lie over what was cut out
            box = Box(box.x1 - 0.1 * level.size, level.baseline - 0.1 * level.size, box.x1, level.baseline)
        text, face = (NUMBER_SETS[p.char], "double") if p.char in NUMBER_SETS else (p.char, font)
        glyphs.append(replace(glyph, text=text, box=box, size=level.size, baseline=level.baseline, font=face))
    glyphs = without_false_blanks(with_points(glyphs), main)
    return replace(segment, glyphs=tuple(with_dots(_with_dots_joined(glyphs, main), ink.boxes, main))), main


def _glyph(placed: Placed, source: int | None, segment: Segment, em: float) -> Glyph:
    if source is not None:
        return replace(segment.glyphs[source], confidence=placed.confidence)
    assert placed.box is not None
    return Glyph(placed.char, placed.box, em, "", placed.confidence, None)


def _doubled(glyphs: Sequence[Glyph]) -> set[int]:
    """Numbers of commas beside another one: the recogniser takes the end of a gap for a mark."""
    pairs = [n for n in range(1, len(glyphs)) if glyphs[n].text in MARKS and glyphs[n - 1].text in MARKS]
    return {min(n - 1, n, key=lambda k: glyphs[k].confidence) for n in pairs if glyphs[n].text not in DOTS}


def _with_dots_joined(glyphs: Sequence[Glyph], main: Level) -> list[Glyph]:
    """Full stops in a row at the height of the axis as one ⋯."""
    out: list[Glyph] = []
    n = 0
    while n < len(glyphs):
        stop = n
        while stop < len(glyphs) and glyphs[stop].text in DOTS:
            stop += 1
        if stop > n:
            hull = Box.hull(g.box for g in glyphs[n:stop])
            raised = hull.cy < main.baseline - 0.15 * main.size and hull.height < 0.3 * main.size
            if raised and hull.width >= 0.4 * main.size:
                out.append(replace(glyphs[n], text="⋯", box=hull))
                n = stop
                continue
        out.append(glyphs[n])
        n += 1
    return out


def _fonts(placed: Sequence[Placed], gray: NDArray[np.uint8]) -> list[str]:
    """`italic` for slanted letters, else an empty string. Long words are not looked at: they are no variables."""
    fonts = [""] * len(placed)
    n = 0
    while n < len(placed):
        stop = n
        while stop < len(placed) and _is_letter(placed[stop].char):
            stop += 1
        word = placed[n:stop]
        if word and (len(word) <= MAX_WORD or all(p.char.isupper() for p in word)):
            found = faces(gray, [p.char for p in word], [p.box for p in word])
            fonts[n:stop] = _agreed("".join(p.char for p in word), found)
        n = max(stop, n + 1)
    return fonts


def _agreed(word: str, found: Sequence[str]) -> list[str]:
    """Faces of a word's letters: names of functions are upright, and who cannot be told goes with its neighbours."""
    if word in FUNCTIONS:
        return [""] * len(word)
    slanted = "italic" in found and "upright" not in found
    return ["italic" if f == "italic" or slanted else "" for f in found]


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _as_signs(placed: Sequence[Placed], em: float) -> list[Placed]:
    """Ideographs that are signs: a small 十 or 一 that stands alone or beside formula characters; a lying 8."""
    out = list(placed)
    for n, p in enumerate(placed):
        if (
            p.char in '"”'
            and "".join(q.char for q in placed[n - 1 : n + 2])[2:] == "("
            and _is_letter(placed[n - 1].char)
        ):
            out[n] = replace(p, char="″")
        if p.char == "8" and p.box is not None and p.box.width > LYING * p.box.height:
            out[n] = replace(p, char="∞")
            continue
        sign = {"十": "+", "一": "−", "二": "="}.get(p.char)
        if sign is None or p.box is None or max(p.box.width, p.box.height) > 0.82 * em:
            continue
        sides = [q.char for q in (*placed[max(n - 1, 0) : n], *placed[n + 1 : n + 2]) if not q.char.isspace()]
        if not any(is_wide(c) for c in sides):
            out[n] = replace(p, char=sign)
    return out


def _with_minus(placed: Sequence[Placed], main: Level) -> list[Placed]:
    """Dashes as minus signs and upright strokes as bars where their place and length show that they are such."""
    out = list(placed)
    bars = [p.box for p in placed if p.char in "|∣" and p.box is not None]
    for n, p in enumerate(placed):
        if p.char == "_" and p.box is not None and p.box.y1 < main.baseline - 0.12 * main.size:
            out[n] = replace(p, char="−")  # no underscore stands above the line
        if p.char in "lI1" and p.box is not None and (_is_bar(p.box, main) or _like_bar(p.box, bars, main)):
            out[n] = replace(p, char="|")
        if p.char in DASHES and p.char != "-" and p.box is not None and p.box.width <= 0.8 * main.size:
            sides = [q.char for q in (*placed[max(n - 2, 0) : n], *placed[n + 1 : n + 3]) if not q.char.isspace()]
            if not any(is_wide(c) for c in sides):
                out[n] = replace(p, char="−")
    return out


def _is_bar(box: Box, main: Level) -> bool:
    """Whether a thin upright stroke is as high as a bracket and hangs below the line as no letter l does."""
    low = box.y1 - main.baseline >= 0.15 * main.size and box.y0 <= main.baseline - 0.68 * main.size
    return low and box.width <= 0.2 * main.size and box.height <= 1.25 * main.size


def _like_bar(box: Box, bars: Sequence[Box], main: Level) -> bool:
    """Whether a thin upright stroke begins and ends where a bar of the line does, below the writing line."""
    low = box.y1 - main.baseline >= 0.08 * main.size and box.width <= 0.2 * main.size
    near = 0.06 * main.size
    return low and any(max(abs(box.y0 - b.y0), abs(box.y1 - b.y1)) <= near for b in bars)


def _with_names(placed: Sequence[Placed], levels: Sequence[Level], main: Level) -> list[Placed]:
    """The digit or capital that begins `1g`, `1n`, `Iog` before an argument as the l of the function's name."""
    out = list(placed)
    text = "".join(p.char if level is main else "\0" for p, level in zip(placed, levels, strict=True))
    for match in NAME.finditer(text):
        first = out[match.start()]
        if first.box is None or not _is_bar(first.box, main):  # |n| begins with a bar
            out[match.start()] = replace(first, char="l")
    return out


def _islands(chars: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of characters that are no ideographs, each with the ideographs at its ends."""
    if len(chars) <= 2:
        yield 0, len(chars)
        return
    n = 0
    while n < len(chars):
        if not _is_latin(chars[n]):
            n += 1
            continue
        stop = n
        while stop < len(chars) and (_is_latin(chars[stop]) or (stop + 1 < len(chars) and _is_latin(chars[stop + 1]))):
            stop += 1
        start = max(n - 1, 0)
        stop = min(stop + 1, len(chars))
        if stop < len(chars) and chars[stop] in "、。，":  # its ink is not the ideograph's
            stop += 1
        yield start, stop
        n = stop


def _is_latin(char: str) -> bool:
    return not is_wide(char) and char not in "、。“”‘’《》【】"


def _align_island(
    chars: Sequence[str],
    centres: Sequence[float],
    start: int,
    stop: int,
    parts: NDArray[np.float64],
    em: float,
    mask: Mask,
) -> list[Box | None]:
    if not len(parts):
        return [None] * (stop - start)
    middles = (parts[:, 0] + parts[:, 2]) / 2
    low = centres[start] - EDGE_EM * em if start else -np.inf
    high = centres[stop - 1] + EDGE_EM * em if stop < len(chars) else np.inf
    inside = parts[(middles >= low) & (middles <= high)]
    return align(chars[start:stop], centres[start:stop], inside, em, mask)
