"""Whether a text layer says what the page shows: cheap signs first, then a sample of spots read by OCR.

Fonts without a right map to Unicode, doubled glyphs and private-use codes make a text layer lie; image strips and
holes make it partial. The verdict is a field of the `TextLayer` and a reason in words.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from ingest.collapsed import restore_names
from ingest.nameless import is_nameless, name_letters
from ingest.unread import complete_text_layer
from layout.digital import digital_segments
from layout.ink import find_ink
from layout.ocr import OcrEngine
from layout.segments import Segment
from layout.types import Glyph, TextLayer
from wholepage.boxes import Box

SPOTS = 5  # segments compared with OCR on a page
SPOT_EM = 8.0  # width of a spot: enough to compare, cheap to read
MIN_SPOT_LETTERS = 5
AGREE = 0.6  # similarity below which a spot contradicts the text layer
LYING_SHARE = 0.4  # of the spots
BROKEN_SHARE = 0.06  # of the glyphs that are no characters at all
HOLE_SHARE = 0.35  # of the letter-like ink that no glyph explains, outside of pictures
MIN_HOLE_INK = 40  # letters


def judge_text_layer(text: TextLayer, image: NDArray[np.uint8], engine: OcrEngine) -> TextLayer:
    """`text` with its verdict. `image` is the stored page (H×W×3 RGB) that the boxes of `text` refer to."""
    text = name_letters(text, image, engine)
    reason = _broken_signs(text) or _contradictions(digital_segments(text.glyphs), image, engine)
    if reason:
        return replace(text, trust="lying", reason=reason)
    hole = _hole(text, image)
    if hole > HOLE_SHARE:
        return replace(
            text, trust="partial", reason=f"{hole:.0%} of the printed letters are missing from the text layer"
        )
    text = restore_names(complete_text_layer(text, image, engine), image, engine)
    return replace(text, trust="trusted", reason="")


def _broken_signs(text: TextLayer) -> str:
    """What is wrong with the codes and places of the glyphs alone; empty when nothing is."""
    visible = [g for g in text.glyphs if not g.text.isspace()]
    if not visible:
        return "the text layer holds no visible characters"
    broken = sum(is_nameless(g.text) for g in visible) / len(visible)
    if broken > BROKEN_SHARE:
        return f"{broken:.0%} of the text layer's characters have no Unicode meaning"
    if doubled := _doubled(visible):
        return f"letters are doubled in the text layer ({doubled})"
    if piled := _piled(visible):
        return f"{piled:.0%} of the characters stand on top of one another"
    return ""


def _doubled(glyphs: Sequence[Glyph]) -> str:
    """An example where most letters come twice in a row (tteexxtt), or an empty string."""
    text = "".join(g.text for g in glyphs)
    letters = [c for c in text if c.isalpha()]
    if len(letters) < 40:
        return ""
    pairs = sum(a == b for a, b in zip(letters[::2], letters[1::2], strict=False))
    shifted = sum(a == b for a, b in zip(letters[1::2], letters[2::2], strict=False))
    return text[:12] if max(pairs, shifted) > 0.7 * (len(letters) // 2) else ""


def _piled(glyphs: Sequence[Glyph]) -> float:
    """Share of glyphs that lie on a different glyph, when it is high; collapsed names look so. Else 0."""
    cells: Counter[tuple[int, int]] = Counter()
    for glyph in glyphs:
        step = max(glyph.size, 4.0) * 0.3
        cells[(int(glyph.box.cx / step), int(glyph.box.cy / step))] += 1
    share = sum(n - 1 for n in cells.values() if n > 1) / len(glyphs)
    return share if share > 0.25 else 0.0


def _contradictions(segments: Sequence[Segment], image: NDArray[np.uint8], engine: OcrEngine) -> str:
    """What OCR of a few spots says against the text layer; empty when they agree."""
    spots = _spots(segments)
    if not spots:
        return ""
    height, width = image.shape[:2]
    crops, expected = [], []
    for glyphs in spots:
        box = Box.hull(g.box for g in glyphs).grow(3, 2).clip(width, height)
        crop = image[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1]
        if min(crop.shape[:2]) >= 6:
            crops.append(crop)
            expected.append("".join(g.text for g in glyphs))
    read = engine.recognise(crops)
    wrong = [
        (want, got.text)
        for want, got in zip(expected, read, strict=True)
        if Levenshtein.normalized_similarity(comparable(want), comparable(got.text)) < AGREE
    ]
    if len(wrong) <= LYING_SHARE * len(crops):
        return ""
    want, got = wrong[0]
    return f"{len(wrong)} of {len(crops)} spots read otherwise than the text layer says ({want[:12]!r} is {got[:12]!r})"


def _spots(segments: Sequence[Segment]) -> list[list[Glyph]]:
    """Beginnings of segments to compare, spread over fonts and over the page."""
    fit = [s for s in segments if sum(not g.text.isspace() for g in s.glyphs) >= MIN_SPOT_LETTERS]
    by_font: dict[str, list[Segment]] = {}
    for segment in fit:
        font = Counter(g.font for g in segment.glyphs).most_common(1)[0][0]
        by_font.setdefault(font, []).append(segment)
    order: list[Segment] = []
    groups = sorted(by_font.values(), key=lambda g: -sum(len(s.glyphs) for s in g))
    for turn in range(SPOTS):
        for group in groups[:SPOTS]:
            index = turn * max(1, len(group) // SPOTS)
            if index < len(group) and group[index] not in order:
                order.append(group[index])
    spots = []
    for segment in order[:SPOTS]:
        limit = segment.box.x0 + SPOT_EM * segment.em
        spots.append([g for g in segment.glyphs if g.box.x1 <= limit and not (g.text.isspace() and g.text != " ")])
    return [s for s in spots if len(s) >= MIN_SPOT_LETTERS]


def comparable(text: str) -> str:
    """Text without what OCR and text layers legitimately write differently: width, spacing, punctuation, case."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in folded if unicodedata.category(c)[0] in "LNS")


def _hole(text: TextLayer, image: NDArray[np.uint8]) -> float:
    """Share of letter-like ink that neither glyphs, rules nor pictures explain."""
    import cv2

    ink = find_ink(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    sizes = sorted(g.size for g in text.glyphs if not g.text.isspace())
    em = sizes[len(sizes) // 2]
    comps = ink.boxes
    width, height = comps[:, 2] - comps[:, 0], comps[:, 3] - comps[:, 1]
    letters = (height > 0.45 * em) & (height < 1.2 * em) & (width > 0.25 * em) & (width < 1.3 * em)
    covered = np.zeros(image.shape[:2], dtype=bool)
    page = (image.shape[1], image.shape[0])
    for box in (*(g.box.grow(0.1 * em) for g in text.glyphs), *(g.box for g in text.turned)):
        _fill(covered, box, page)
    for picture in text.pictures:
        if picture.area < 0.5 * page[0] * page[1]:
            _fill(covered, picture, page)
    cx = np.clip(((comps[:, 0] + comps[:, 2]) / 2).astype(int), 0, page[0] - 1)
    cy = np.clip(((comps[:, 1] + comps[:, 3]) / 2).astype(int), 0, page[1] - 1)
    missing = letters & ~covered[cy, cx]
    if missing.sum() < MIN_HOLE_INK:
        return 0.0
    return float(missing.sum() / max(1, letters.sum()))


def _fill(covered: NDArray[np.bool_], box: Box, page: tuple[int, int]) -> None:
    b = box.clip(*page)
    covered[int(b.y0) : int(b.y1) + 1, int(b.x0) : int(b.x1) + 1] = True
