"""Lines of words alone: what looks like a sign of mathematics in them is a stroke of an ideograph.

In large, bold or soft type strokes are as long and as free as bars of fractions. A line that reads well as it is, in
ideographs and punctuation, holds no formula, and no long word of Latin letters does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.pixels_sketch import Sketch
from layout.formulas.symbols import FUNCTIONS
from layout.ocr import Image, OcrEngine, Recognised
from layout.segments import is_wide
from wholepage.boxes import Box

LEAST_WORDS = 4  # characters
LONG_WORD = re.compile(r"[A-Z]?[a-z]{3,}")
ONE_ROW = 1.6  # em, height of a line without fractions
SURE_LETTER = 0.85  # confidence of each letter of such a word
SURE, SURE_EACH = 0.93, 0.75  # mean confidence of the line, least of an ideograph
PLAIN = frozenset(" ()（）[]【】,，.。:：;；、·-—《》“”?？!！")


def lines_of_words(sketch: Sketch, boxes: Sequence[Box], crops: Sequence[Image], engine: OcrEngine) -> list[Box]:
    """Boxes of those lines in `boxes`, with their pictures, that hold signs of the sketch and read as words; of other
    such lines, boxes of the long words."""
    signs = [f.hull for f in sketch.fractions] + [r.box for r in sketch.radicals] + [s.box for s in sketch.long_signs]
    held = [n for n, box in enumerate(boxes) if any(_inside(sign, box) for sign in signs)]
    out: list[Box] = []
    for n, read in zip(held, engine.recognise([crops[n] for n in held]), strict=True):
        if are_words(read):
            out.append(boxes[n])
        elif boxes[n].height <= ONE_ROW * sketch.em:
            out.extend(long_words(read, boxes[n]))
    return out


def long_words(read: Recognised, line: Box) -> list[Box]:
    """Boxes of the long words in `read`, the reading of a line, of whose letters each is sure."""
    if not len(read.spans) == len(read.char_confidence) == len(read.text):
        return []
    found = []
    for match in (m for m in LONG_WORD.finditer(read.text) if m[0] not in FUNCTIONS):
        first, last = match.start(), match.end() - 1
        if min(read.char_confidence[first : last + 1]) >= SURE_LETTER:
            x0, x1 = line.x0 + read.spans[first][0] * line.width, line.x0 + read.spans[last][1] * line.width
            found.append(Box(x0, line.y0, x1, line.y1))
    return found


def without_signs_in(sketch: Sketch, words: Sequence[Box]) -> Sketch:
    """The sketch without the signs found in lines of words."""

    def free(box: Box) -> bool:
        return not any(_inside(box, line) for line in words)

    return replace(
        sketch,
        fractions=tuple(f for f in sketch.fractions if free(f.hull)),
        radicals=tuple(r for r in sketch.radicals if free(r.box)),
        arrows=tuple(i for i in sketch.arrows if free(sketch.strokes.box(i))),
        fences=tuple(p for p in sketch.fences if free(sketch.strokes.box(p[0]))),
        operators=tuple(p for p in sketch.operators if free(sketch.strokes.box(p[0]))),
        overlines=tuple(i for i in sketch.overlines if free(sketch.strokes.box(i))),
        hats=tuple(i for i in sketch.hats if free(sketch.strokes.box(i))),
        long_signs=tuple(s for s in sketch.long_signs if free(s.box)),
    )


def _inside(sign: Box, line: Box) -> bool:
    return line.holds(sign.cx, sign.cy) and sign.height <= 1.25 * line.height


def are_words(read: Recognised) -> bool:
    """Whether a reading is sure and holds ideographs and punctuation alone."""
    each = read.char_confidence if len(read.char_confidence) == len(read.text) else [read.confidence] * len(read.text)
    letters = [(c, sure) for c, sure in zip(read.text, each, strict=True) if c not in PLAIN]
    if len(letters) < LEAST_WORDS or not all(is_wide(c) and c.isalpha() for c, _ in letters):
        return False
    sures = [sure for _, sure in letters]
    return sum(sures) / len(sures) >= SURE and min(sures) >= SURE_EACH
