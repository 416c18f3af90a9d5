"""Options whose letters were not read: ticked through by a pen, lost in a poor scan. The letters around them tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from layout.formulas.lines import WIDE_GAP
from parse_templates.flow import Piece
from parse_templates.marks import Mark

LETTERS = "ABCD"
ASKS = re.compile(r"(?:[（(]\s*[)）]?|[是:：?？])\s*[.。]?\s*$")  # a stem that options follow
SHORT_EM = 3.0  # line heights by which a line that nothing continues ends before the longest
LEFT_EM, RIGHT_EM = 1.2, 1.5  # line heights by which an option's text may begin left and right of its neighbour's


def with_lost_letters(chain: Sequence[Mark], found: Sequence[Mark], pieces: Sequence[Piece]) -> list[Mark]:
    """The marks of A to D with those that were not read, as marks without characters; `chain` where that is unclear.

    Args:
        chain: the marks taken for the options, maybe none.
        found: all marks of that style.
    """
    if len(chain) >= len(LETTERS):
        return list(chain)
    return _behind_gaps(chain, pieces) or _on_lines(found, pieces) or list(chain)


def _behind_gaps(chain: Sequence[Mark], pieces: Sequence[Piece]) -> list[Mark]:
    """(A) 5 cm   6 cm / (C) 7 cm   (D) 8 cm: the missing letter stands behind the one wide gap where it belongs."""
    labels = [m.label for m in chain]
    missing = [c for c in LETTERS if c not in labels]
    if len(chain) != len(LETTERS) - 1 or len(missing) != 1 or labels != sorted(labels) or labels[0] != "A":
        return []
    before = chain[LETTERS.index(missing[0]) - 1]
    text = pieces[before.piece].text
    behind = next((m.start for m in chain if m.piece == before.piece and m.start > before.start), len(text))
    inner = text[before.end : behind]
    gaps = list(re.finditer(rf"(?<=\S)\s*{WIDE_GAP}\s*(?=\S)", inner))
    if len(gaps) != 1:
        return []
    at = before.end + gaps[0].end()
    return sorted([*chain, Mark(before.piece, at, at, missing[0])], key=lambda m: m.label)


def _on_lines(found: Sequence[Mark], pieces: Sequence[Piece]) -> list[Mark]:
    """Four short lines one under another of which some begin with their letters."""
    anchors = {m.label: m for m in found if m.label in LETTERS and not pieces[m.piece].text[: m.start].strip()}
    first = min((m.piece - LETTERS.index(label) for label, m in anchors.items()), default=0)
    if first < 1 or first + len(LETTERS) > len(pieces) or not ASKS.search(pieces[first - 1].text):
        return []
    if any(m.piece != first + LETTERS.index(label) for label, m in anchors.items()):
        return []
    rows = pieces[first : first + len(LETTERS)]
    marks = [anchors.get(c) or _bare(c, first + n, rows[n].text) for n, c in enumerate(LETTERS)]
    longest = max(p.box.x1 for p in pieces[:first])
    return marks if _are_options(rows, next(iter(anchors.values())), marks, longest) else []


def _bare(letter: str, piece: int, text: str) -> Mark:
    """The mark of a line that begins with its letter without the dot, maybe taken for a variable; else an empty one."""
    match = re.match(rf"\s*(\$?){letter}\1\s*(?=[\u4e00-\u9fff])", text)
    return Mark(piece, match.start(), match.end(), letter) if match else Mark(piece, 0, 0, letter)


def _are_options(rows: Sequence[Piece], anchor: Mark, marks: Sequence[Mark], longest: float) -> bool:
    """Whether four lines are options: they begin where the one with the mark `anchor` does, and nothing goes on.

    `longest` is the right end of the stem's longest line.
    """
    if any(p.at.table is not None or WIDE_GAP in p.text.strip() for p in rows):
        return False
    high = sorted(_size(p) for p in rows)[1]
    known = rows[marks.index(anchor)]
    label, text = _start(known, anchor.start), _start(known, anchor.end)
    for piece, mark in zip(rows, marks, strict=True):
        begin = _start(piece, 0)
        fits = max(label, text - LEFT_EM * high) - 0.5 * high <= begin <= text + RIGHT_EM * high
        if mark.start == mark.end and not fits:
            return False
    return all(_end(p) <= longest - SHORT_EM * high for p in rows[:-1])


def _start(piece: Piece, character: int) -> float:
    """Left edge of the first visible character of a line from `character` on."""
    position = 0
    for glyph in piece.at.line.glyphs if piece.at.line is not None else ():
        if position >= character and not glyph.text.isspace():
            return glyph.box.x0
        position += len(glyph.text)
    return piece.box.x0


def _end(piece: Piece) -> float:
    glyphs = [g for g in piece.at.line.glyphs if not g.text.isspace()] if piece.at.line is not None else []
    return max((g.box.x1 for g in glyphs), default=piece.box.x1)


def _size(piece: Piece) -> float:
    sizes = sorted(g.size for g in piece.at.line.glyphs if g.size > 0) if piece.at.line is not None else []
    return sizes[len(sizes) // 2] if sizes else piece.box.height
