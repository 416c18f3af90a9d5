"""Alternatives: "(a) … OR (b) …" is one question of which one side is answered, and its marks count once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from parse_templates.flow import Piece
from parse_templates.parts import PartPieces, all_pieces
from parse_templates.template import Template


def without_dividers(pieces: Sequence[Piece], template: Template) -> tuple[list[Piece], list[Piece]]:
    """The pieces without the lines that say OR, and for each such line the piece behind it."""
    if not template.alternatives:
        return list(pieces), []
    pattern = re.compile(template.alternatives)
    kept: list[Piece] = []
    behind: list[Piece] = []
    open_divider = False
    for piece in pieces:
        if kept and piece.at.table is None and pattern.match(piece.text):
            open_divider = True
            continue
        if open_divider:
            behind.append(piece)
            open_divider = False
        kept.append(piece)
    return kept, behind


def mark_alternatives(parts: Sequence[PartPieces], behind: Sequence[Piece]) -> bool:
    """Mark the parts on both sides of each OR, and say whether a side was found for every one of them."""
    found = 0
    for piece in behind:
        pair = _sides(parts, piece)
        if pair is None:
            continue
        found += 1
        for part in pair:
            part.alternative = True
    return bool(behind) and found == len(behind)


def _sides(parts: Sequence[PartPieces], piece: Piece) -> tuple[PartPieces, PartPieces] | None:
    """The part that begins on the line of `piece`, and the one before it."""
    for before, part in pairwise(parts):
        first = next(all_pieces(part), None)
        if first is not None and first.at.index == piece.at.index:
            return before, part
    for part in parts:
        pair = _sides(part.parts, piece)
        if pair is not None:
            return pair
    return None


def total_points(parts: Sequence[PartPieces]) -> float:
    """Marks of all parts; of alternatives only the first that has some, and a part's own before those inside it."""
    total, counted = 0.0, False
    for part in parts:
        inner = total_points(part.parts)
        worth = part.points if part.points is not None else inner
        if not part.alternative:
            counted = False
            total += worth
        elif worth and not counted:
            counted = True
            total += worth
    return total
