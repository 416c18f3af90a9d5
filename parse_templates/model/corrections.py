"""Slips of character recognition that a model proposes to mend: which are applied, and which a person must see.

A correction is applied when it is close, leaves formulas that compile, and changes no digit, sign, option letter or
unit; one that changes such a thing needs a second source that reads the same. What is not applied is an issue.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from layout.formulas.soundness import compiles
from parse_templates.draft import Draft
from parse_templates.flow import Piece, offset_in_line
from parse_templates.formulas import FORMULA
from parse_templates.model.lines import Book, Place
from parse_templates.model.reply import CorrectionReply
from parse_templates.parts import PartPieces

LONGEST = 24  # characters that one correction may replace
CLOSE = 0.5  # similarity (0-1) of the replaced characters
MOST_EDITS = 3
PROTECTED = re.compile(
    r"\d+(?:[.,]\d+)*|[-+−±×÷=≠<>≤≥≈~∼%‰°′″/^_√∞∈∉⊂⊆∪∩⊥∥∠]|\\[A-Za-z]+|(?<![A-Za-z])[A-Ha-h](?![A-Za-z])"
)
UNIT = re.compile(r"(?<=[\d}\s])\s*\$?\s*(?:\\mathrm\{[^}]*\}|[A-Za-zμΩ℃]+(?:[/·^²³⁻¹\d]*[A-Za-z]*)*)")
# Numerals in words, and words of which one slip turns a sentence round.
MEANING = re.compile(
    r"[零〇一二三四五六七八九十百千万亿两半倍不没无非未否错误对真假正负大小多少高低增减升降左右上下前后内外强弱快慢轻重长短]"
    r"|\bnot?\b|\bun|\bin(?=correct)|\bleast\b|\bmost\b|n't",
    re.I,
)
SecondSource = Callable[[Book, Place, str], str]  # who reads the new text at that place too; empty for nobody


@dataclass(frozen=True, slots=True)
class Correction:
    """A proposal at a place. `applied` says whether it is, `reason` why not, in words of our own, `confirmed` who read
    the same."""

    place: Place
    old: str
    new: str
    applied: bool
    reason: str = ""
    confirmed: str = ""


def judge_corrections(
    replies: Sequence[CorrectionReply], book: Book, second: SecondSource | None = None
) -> list[Correction]:
    """Decide about all proposals; of several for one place only the same one twice counts, others are refused."""
    out: dict[Place, Correction] = {}
    for reply in replies:
        end = reply.span.end if reply.span.end is not None else len(book.lines[reply.span.line].text)
        place = Place(reply.span.line, reply.span.start, end)
        if reply.from_ == reply.to:
            continue
        clash = next((c for p, c in out.items() if p.line == place.line and _overlap(p, place)), None)
        if clash is None:
            out[place] = _judge(place, reply.from_, reply.to, book, second)
        elif (clash.place, clash.new) != (place, reply.to):
            out[clash.place] = Correction(clash.place, clash.old, clash.new, False, "two corrections differ")
    return [out[p] for p in sorted(out)]


def _overlap(a: Place, b: Place) -> bool:
    return a.start < b.end and b.start < a.end


def _judge(place: Place, old: str, new: str, book: Book, second: SecondSource | None) -> Correction:
    line = book.lines[place.line]
    before, after = line.text, line.text[: place.start] + new + line.text[place.end :]
    if line.table is not None:
        return Correction(place, old, new, False, "tables are not corrected")
    if not new.strip() or not new.isprintable() or len(old) > LONGEST or not _close(old, new):
        return Correction(place, old, new, False, "too far")
    if not _sound(before, after):
        return Correction(place, old, new, False, "its formula would not compile")
    if protected(before) != protected(after):
        confirmed = second(book, place, new) if second is not None else ""
        reason = "" if confirmed else "it changes a digit, sign, letter or unit"
        return Correction(place, old, new, bool(confirmed), reason, confirmed)
    return Correction(place, old, new, True)


def _close(old: str, new: str) -> bool:
    """Few edits, and few for the length: a slip takes one character for another or joins two."""
    edits = Levenshtein.distance(old, new)
    return edits <= min(MOST_EDITS, max(1, round(len(old) * CLOSE)))


def _sound(before: str, after: str) -> bool:
    """As many formulas as before, all of which compile."""
    if before.count("$") != after.count("$") or ("<" in after and before.count("<") != after.count("<")):
        return False
    return all(compiles(m[1]) for m in FORMULA.finditer(after))


def protected(text: str) -> list[str]:
    """Everything in a line that a correction must not change on one source alone, in printed order."""
    same_width = unicodedata.normalize("NFKC", text)
    found = [(m.start(), m.group()) for p in (PROTECTED, UNIT, MEANING) for m in p.finditer(same_width)]
    return [item.strip() for _, item in sorted(found)]


@dataclass(frozen=True, slots=True)
class Mended:
    """A field in which corrections were applied: what was read there before, and the corrections."""

    raw: str
    corrections: list[Correction]


def mend(draft: Draft, corrections: Sequence[Correction], book: Book) -> dict[str, Mended]:
    """Apply corrections to the pieces of a draft's stem, options, parts and solution; answers stay as printed."""
    ids = {id(line): number for number, line in enumerate(book.lines)}
    out: dict[str, Mended] = {}
    groups: dict[str, list[list[Piece]]] = {
        "stem": [draft.stem],
        "options": [pieces for _, pieces in draft.options],
        "parts": list(_part_pieces(draft.parts)),
        "solution": [draft.solution],
    }
    for name, lists in groups.items():
        raw = "\n".join(p.text for pieces in lists for p in pieces)
        used: list[Correction] = []
        for pieces in lists:
            for index, piece in enumerate(pieces):
                text, found = _mended(piece, ids.get(id(piece.at), -1), corrections)
                if found:
                    pieces[index] = Piece(text, piece.at, piece.box)
                    used += found
        if used:
            out[name] = Mended(raw, used)
    return out


def _part_pieces(parts: Sequence[PartPieces]) -> Iterator[list[Piece]]:
    for part in parts:
        yield part.pieces
        yield from _part_pieces(part.parts)


def _mended(piece: Piece, line: int, corrections: Sequence[Correction]) -> tuple[str, list[Correction]]:
    inside = [c for c in corrections if c.applied and c.place.line == line]
    if not inside or piece.at.line is None:
        return piece.text, []
    offset, text, used = offset_in_line(piece), piece.text, []
    for item in sorted(inside, key=lambda c: c.place.start, reverse=True):
        start, end = item.place.start - offset, item.place.end - offset
        if start >= 0 and end <= len(piece.text) and piece.text[start:end] == item.old:
            text = text[:start] + item.new + text[end:]
            used.append(item)
    return text, used[::-1]
