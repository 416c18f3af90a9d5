"""Letters that a text layer holds without a meaning, told by what is printed.

Word writes the italic letters of Cambria Math as halves of a code that lies beyond 16 bits, other programs leave out a
font's map to Unicode. The glyphs' places, sizes and numbers in the font are right all the same: glyphs of one number
are one letter. Several places of each are read by OCR in their line; the readings vote.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from layout.digital import digital_segments
from layout.formulas.atoms import is_math_font
from layout.ocr import OcrEngine, Recognised
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

MARK = "#glyph-"  # before a glyph's number, behind the name of its font
NUMBERED = re.compile(r"#glyph-(\d+)")
PLACES = 6  # of one glyph that are read
SPAN_EM = 8.0  # how much of its line is read with a glyph, either side
SHARED = 0.4  # of a glyph's box, when it stands on its neighbour
MAX_SHARE = 0.5  # of the characters: a layer that lacks more is not mended
ALPHABET = ascii_uppercase + ascii_lowercase
HOLE = ALPHABET.index("h")  # ℎ has a code of its own: fonts may lack its place in the row of letters
ROWS = (ALPHABET[:HOLE], ALPHABET[HOLE:], digits)  # what stands in a font in this order
MIN_ORDERED, ORDERED_SHARE = 4, 0.6  # glyphs that stand in alphabetical order, and their share of the votes
LEAST_VOTE, LEAST_SHARE = 0.5, 0.5
CAPITAL_EM = 0.57  # a letter that reaches higher above its baseline is a capital, of those that look alike
# TeX's fonts of tall brackets, their pieces and large operators: no letters, though a piece looks like a 1.
EXTENSION = re.compile(r"^(?:\w+\+)?(?:CMEX|LMMathExt|n?txex|pxex|rtxex|STIXSize)", re.I)
ALIKE = frozenset("cCoOsSuUvVwWxXzZ")
DOUBTED = 0.5  # confidence of a letter that only one reading vouches for

Key = tuple[str, str]


def is_nameless(text: str) -> bool:
    """Whether a character means nothing: a replacement or control character, a code for private use, half a code."""
    return any(c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cc", "Cs") for c in text)


def name_letters(text: TextLayer, image: NDArray[np.uint8], engine: OcrEngine) -> TextLayer:
    """`text` with letters and digits for glyphs without a meaning, where the readings of their places agree.

    `image` is the stored page (H×W×3 RGB). A letter's confidence is the share of the votes that it got. Glyphs that
    could not be told, and all when more than half of the layer is without meaning, stay as they are.
    """
    visible = [g for g in text.glyphs if not g.text.isspace()]
    nameless = [g for g, last, behind in _with_neighbours(visible) if _is_letter(g, last, behind)]
    if not nameless or len(nameless) > MAX_SHARE * len(visible):
        return text
    hidden = {id(g) for g in nameless}
    votes = _votes(text.glyphs, hidden, image, engine)
    ordered = {font: _in_order(font, votes) for font in {g.font.split(MARK)[0] for g in nameless}}
    glyphs = []
    for glyph in text.glyphs:
        letter, sure = "", 0.0
        if id(glyph) in hidden:
            known = ordered[glyph.font.split(MARK)[0]].get(_number(glyph))
            letter, sure = (known, 1.0) if known else _elected(votes.get(_key(glyph), Counter()), glyph, image)
        glyphs.append(_with(glyph, letter, sure) if letter else glyph)
    return replace(text, glyphs=tuple(glyphs))


def _with_neighbours(glyphs: Sequence[Glyph]) -> Iterator[tuple[Glyph, Glyph | None, Glyph | None]]:
    padded = (None, *glyphs, None)
    return zip(glyphs, padded[:-2], padded[2:], strict=True)


def _is_letter(glyph: Glyph, last: Glyph | None, behind: Glyph | None) -> bool:
    """Whether the glyph has no meaning, a letter's width and a place of its own.

    Tall brackets and accents, which stand on another character, are told elsewhere.
    """
    if (
        EXTENSION.search(glyph.font)
        or not is_nameless(glyph.text)
        or not 0.15 * glyph.size < glyph.box.width < 1.2 * glyph.size
    ):
        return False
    carriers = [o.box for o in (last, behind) if o is not None and o.text.isalnum()]  # no mark with room in its box
    return not any(glyph.box.covered_by(box) > SHARED for box in carriers)


def _key(glyph: Glyph) -> Key:
    return glyph.font, glyph.text


def _number(glyph: Glyph) -> int | None:
    found = NUMBERED.search(glyph.font)
    return int(found[1]) if found else None


def _with(glyph: Glyph, letter: str, sure: float) -> Glyph:
    font = glyph.font.split(MARK)[0]
    face = "#math-italic" if is_math_font(font) and letter.isalpha() and letter.isascii() else ""
    return replace(glyph, text=letter, font=font + face, confidence=sure)


def _votes(
    glyphs: Sequence[Glyph], hidden: set[int], image: NDArray[np.uint8], engine: OcrEngine
) -> dict[Key, Counter[str]]:
    """For each glyph of a font what the readings of its places say it is, weighed by their confidence."""
    read: Counter[Key] = Counter()
    runs: list[list[Glyph]] = []
    for segment in digital_segments(glyphs):
        for run in _runs([g for g in segment.glyphs if not g.text.isspace()], hidden):
            keys = {_key(g) for g in run if id(g) in hidden}
            if any(read[k] < PLACES for k in keys):
                read.update(keys)
                runs.append(run)
    votes: dict[Key, Counter[str]] = defaultdict(Counter)
    crops = [_crop(image, run) for run in runs]
    for run, got in zip(runs, engine.recognise(crops), strict=True):
        for glyph, letter, sure in _aligned(run, got, hidden):
            votes[_key(glyph)][letter] += sure  # type: ignore[assignment]  # a Counter of floats
    return votes


def _runs(glyphs: Sequence[Glyph], hidden: set[int]) -> Iterator[list[Glyph]]:
    """Stretches of a line round its nameless letters, those of one size: a script is read alone."""
    start = 0
    while start < len(glyphs):
        if id(glyphs[start]) not in hidden:
            start += 1
            continue
        first, size = glyphs[start], glyphs[start].size
        low, high = start, start + 1
        while low and _goes_on(glyphs[low - 1], size) and first.box.x0 - glyphs[low - 1].box.x0 < SPAN_EM * size:
            low -= 1
        while (
            high < len(glyphs) and _goes_on(glyphs[high], size) and glyphs[high].box.x1 - first.box.x0 < SPAN_EM * size
        ):
            high += 1
        yield list(glyphs[low:high])
        start = high


def _goes_on(glyph: Glyph, size: float) -> bool:
    return abs(glyph.size - size) < 0.1 * size


def _crop(image: NDArray[np.uint8], run: Sequence[Glyph]) -> NDArray[np.uint8]:
    size = run[0].size
    base = run[0].box.y1 if run[0].baseline is None else run[0].baseline
    hull = Box.hull(g.box for g in run)
    box = Box(hull.x0 - 2, base - 0.85 * size, hull.x1 + 2, base + 0.28 * size).clip(image.shape[1], image.shape[0])
    crop: NDArray[np.uint8] = image[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
    return crop


def _aligned(run: Sequence[Glyph], got: Recognised, hidden: set[int]) -> Iterator[tuple[Glyph, str, float]]:
    """Nameless glyphs of a run with the characters that stand at their places in the reading."""
    spelt = "".join("\ufffd" if id(g) in hidden else g.text[0] for g in run)
    sure = got.char_confidence if len(got.char_confidence) == len(got.text) else (got.confidence,) * len(got.text)
    kept = [(c, p) for c, p in zip(got.text, sure, strict=True) if not c.isspace()]
    said = "".join(c for c, _ in kept)
    for step in Levenshtein.opcodes(spelt, said):
        if step.tag != "replace" or step.src_end - step.src_start != step.dest_end - step.dest_start:
            continue
        for at, there in zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True):
            letter, p = kept[there]
            if spelt[at] == "\ufffd" and letter.isalnum():
                yield run[at], letter, p


def _in_order(font: str, votes: dict[Key, Counter[str]]) -> dict[int | None, str]:
    """Letters and digits of a font's glyphs by their numbers, where these follow the alphabet; else empty.

    A font may hold several alphabets: upright, italic, bold. Each begins at a number of its own.
    """
    own: dict[int, Counter[str]] = {}
    for (name, _), found in votes.items():
        marked = NUMBERED.search(name)
        if marked is not None and name.split(MARK)[0] == font:
            own[int(marked[1])] = found
    out: dict[int | None, str] = {}
    for row in ROWS:
        weights: Counter[int] = Counter()
        for number, found in own.items():
            for letter, weight in found.items():
                weights.update({number - place: weight for place in _places(letter, row)})
        for start, weight in weights.most_common():
            within = [n for n in own if start <= n < start + len(row)]
            told = [n for n in within if _places(own[n].most_common(1)[0][0], row) == [n - start]]
            total = sum(sum(own[n].values()) for n in within)
            fresh = not any(start + place in out for place in range(len(row)))
            if fresh and len(told) >= MIN_ORDERED and weight >= ORDERED_SHARE * total:
                out.update({start + place: letter for place, letter in enumerate(row)})
    return out


def _places(letter: str, row: str) -> list[int]:
    """Where a letter stands in a row of them; one that looks like its other case may be that."""
    either = {letter, letter.swapcase()} if letter in ALIKE else {letter}
    return [place for place, other in enumerate(row) if other in either][:1]


def _elected(votes: Counter[str], glyph: Glyph, image: NDArray[np.uint8]) -> tuple[str, float]:
    """The letter with most votes, and its share of them; ("", 0) when they do not agree or are too few."""
    if not votes:
        return "", 0.0
    cased: Counter[str] = Counter()
    for letter, weight in votes.items():
        cased[_cased(letter, glyph, image)] += weight
    letter, most = cased.most_common(1)[0]
    total = sum(cased.values())
    if most < LEAST_VOTE or most < LEAST_SHARE * total:
        return "", 0.0
    return letter, min(most / total, 0.97 if most > 1.5 else DOUBTED)


def _cased(letter: str, glyph: Glyph, image: NDArray[np.uint8]) -> str:
    """A letter whose cases look alike in the case that its height tells."""
    if letter not in ALIKE:
        return letter
    base = glyph.box.y1 if glyph.baseline is None else glyph.baseline
    box = Box(glyph.box.x0, base - 0.9 * glyph.size, glyph.box.x1, base).clip(image.shape[1], image.shape[0])
    area = image[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1].min(axis=2)
    dark = (area < 0.5 * (float(area.max()) + float(area.min()))).any(axis=1) if area.size else np.zeros(1, bool)
    rows = np.flatnonzero(dark)
    height = base - box.y0 - rows[0] if rows.size else 0.0
    return letter.upper() if height > CAPITAL_EM * glyph.size else letter.lower()
