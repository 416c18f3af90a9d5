"""Parts: finding their labels inside a question, level by level, and the marks that they end on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from parse_templates.flow import Piece, cut
from parse_templates.marks import Mark
from parse_templates.options import cut_at
from parse_templates.template import Template

HALF_READ = re.compile(r"^\s*(?P<l>[2-9])\s*[)）](?=\s*[^\s\d])")
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩"
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")
SENTENCE_END = "。；;.:：?？!！)）]】,，"
PLAIN_MARKS = re.compile(r"\[|mark|point|分", re.I)


@dataclass(slots=True)
class PartPieces:
    """A part with its printed label, its pieces, marks, answer and nested parts.

    `alternative` parts stand on the two sides of an OR.
    """

    label: str
    pieces: list[Piece]
    parts: list[PartPieces] = field(default_factory=list)
    points: float | None = None
    answer: list[str] = field(default_factory=list)
    alternative: bool = False


def all_pieces(part: PartPieces) -> Iterator[Piece]:
    """Pieces of a part and of the parts inside it."""
    yield from part.pieces
    for inner in part.parts:
        yield from all_pieces(inner)


def split_parts(
    pieces: Sequence[Piece], template: Template, behind: Sequence[Piece] = ()
) -> tuple[list[Piece], list[PartPieces]]:
    """Stem pieces and the parts of a question, nested by the template's levels. `behind` are pieces that stand behind
    an OR: a label may be printed again there."""
    patterns = [re.compile(p) for p in template.parts]
    again = frozenset(p.at.index for p in behind)
    levels = [(p, split) for p in patterns if (split := _split_level(pieces, p, again))[1]]
    if not levels:
        return list(pieces), []
    if template.parts_either_way:
        outer = next((level for level in levels[1:] if _surrounds(level[1][1], levels[0][1][1])), levels[0])
    else:
        outer = levels[0]
    own, (stem, parts) = outer
    others = patterns if template.parts_either_way else patterns[patterns.index(own) + 1 :]
    for part in parts:
        for deeper in others:
            if deeper is own:
                continue
            inner, nested = _split_level(part.pieces, deeper, again)
            if nested:
                part.pieces, part.parts = inner, [_without_label(n, part.label) for n in nested]
                break
    return stem, parts


def _surrounds(outer: Sequence[PartPieces], inner: Sequence[PartPieces]) -> bool:
    """Whether all of `inner` begin inside one part of `outer`."""
    starts = [part.pieces[0] for part in inner if part.pieces]
    if len(starts) < len(inner):
        return False
    for part in outer:
        lines = {p.at.index for p in part.pieces}
        if all(p.at.index in lines for p in starts):
            first = part.pieces[0]
            return (first.at.index, first.box.x0) <= (starts[0].at.index, starts[0].box.x0)
    return False


def _without_label(part: PartPieces, label: str) -> PartPieces:
    """A nested part without the outer label printed again behind it: "(iii) (a) … OR (iii) (b) …"."""
    if part.pieces and plain_label(part.pieces[-1].text.strip()) == label:
        part.pieces = part.pieces[:-1]
    return part


def _split_level(
    pieces: Sequence[Piece], pattern: re.Pattern[str], again: frozenset[int] = frozenset()
) -> tuple[list[Piece], list[PartPieces]]:
    marks: list[Mark] = []
    for index, piece in enumerate(pieces):
        if piece.at.table is not None:
            continue
        for match in pattern.finditer(piece.text):
            before = piece.text[: match.start()].rstrip()
            at_start = not before
            if at_start or before[-1] in SENTENCE_END or piece.text[match.start() - 1] == "\u2003":
                marks.append(Mark(index, match.start(), match.end(), match["l"]))
    if marks and marks[0].label.isdigit():
        marks = sorted([*marks, *_half_read(pieces, marks)], key=lambda m: (m.piece, m.start))
    chain = _sequence(marks, pieces, again)
    if len(chain) < 2:
        return list(pieces), []
    stem, groups = cut_at(pieces, chain)
    texts = [pieces[m.piece].text[m.start : m.end].strip() for m in chain]
    return stem, [PartPieces(plain_label(t), group) for t, group in zip(texts, groups, strict=True)]


def _half_read(pieces: Sequence[Piece], marks: Sequence[Mark]) -> list[Mark]:
    """Marks at the beginnings of lines behind (1) that lost their opening bracket: 2) …"""
    first = next((m.piece for m in marks if m.label == "1"), len(pieces))
    known = {m.label for m in marks}
    out = []
    for index in range(first + 1, len(pieces)):
        match = HALF_READ.match(pieces[index].text)
        if match and pieces[index].at.table is None and match["l"] not in known:
            out.append(Mark(index, match.start(), match.end(), match["l"]))
    return out


def plain_label(text: str) -> str:
    """A part's label with ASCII brackets, both of them, and without spaces."""
    label = text.translate(str.maketrans("（）", "()")).replace(" ", "")
    return f"({label}" if label.endswith(")") and label[:-1].isdigit() else label


def _sequence(marks: Sequence[Mark], pieces: Sequence[Piece], again: frozenset[int] = frozenset()) -> list[Mark]:
    """Marks 1, 2, 3 … (or a, b … or i, ii … or ①, ② …) from the first mark of value 1 that begins a line. On the flow
    lines `again`, which stand behind an OR, the mark before may be printed once more."""
    for start, mark in enumerate(marks):
        if part_rank(mark.label) != 1 or pieces[mark.piece].text[: mark.start].strip():
            continue
        chain, expected = [mark], 2
        for later in marks[start + 1 :]:
            if part_rank(later.label) == expected:
                chain.append(later)
                expected += 1
            elif part_rank(later.label) == expected - 1 and _opens_line(later, pieces, again):
                chain.append(later)
        if len(chain) >= 2:
            return chain
    return []


def _opens_line(mark: Mark, pieces: Sequence[Piece], lines: frozenset[int]) -> bool:
    """Whether a mark begins one of the lines and text of its own, not the label of a part inside it: "(iii) (b) …"."""
    text = pieces[mark.piece].text
    behind = text[mark.end :].strip()
    opens = pieces[mark.piece].at.index in lines and not text[: mark.start].strip()
    return opens and bool(behind) and behind[0] not in "(（["


def part_rank(label: str) -> int:
    """Position of a part label in its sequence, from 1; 0 when it is none."""
    if label.isascii() and label.isdigit():
        return int(label)
    if label in CIRCLED:
        return CIRCLED.index(label) + 1
    if label.lower() in ROMAN and (label.islower() or label.isupper()):
        return ROMAN.index(label.lower()) + 1
    return ord(label) - ord("a") + 1 if len(label) == 1 and label.isascii() and label.islower() else 0


def trailing_points(pieces: list[Piece], patterns: Iterable[str], plainly: bool = False) -> float | None:
    """Marks printed at the end of the last pieces, which are removed from the text; None when there are none.

    With `plainly` a number in round brackets alone, as "equation (3)", is no marks.
    """
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        if piece.at.table is not None:
            continue
        for pattern in patterns:
            match = re.search(pattern, piece.text)
            if match and not (plainly and not PLAIN_MARKS.search(match.group())):
                rest = cut(piece, 0, match.start())
                pieces[index : index + 1] = [rest] if rest.text.strip() else []
                return float(match["p"])
        return None
    return None
