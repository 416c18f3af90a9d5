"""Options: finding their marks inside a question and cutting its pieces there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parse_templates.flow import Piece, cut
from parse_templates.lost_letters import with_lost_letters
from parse_templates.marks import Mark
from parse_templates.template import Template

FULL_LETTERS = {ord("Ａ") + i: chr(ord("A") + i) for i in range(8)}
BARE = re.compile(r"^[\s.．]*[A-H](?:[\s.．]+[A-H])*[\s.．]*$")
MIN_FULL = 4  # options that most questions have
MIN_ROW = 3  # letters without a dot that make options


def split_options(
    pieces: Sequence[Piece], template: Template, lower_case: bool
) -> tuple[list[Piece], list[tuple[str, list[Piece]]]]:
    """Stem pieces and options (label, pieces); no options when no chain of at least two marks begins with A."""
    best: list[Mark] = []
    printed = _letters(pieces, template)
    for pattern in template.options:
        small = "a-e" in pattern
        for strict in (True, False):
            marks = _find_marks(pieces, re.compile(pattern), strict)
            chain = _one_style(_letter_chain(marks, "a" if small else "A"), pieces)
            if small and not lower_case and not _in_rows(chain, pieces):
                continue
            if len(chain) > len(best) and _plausible(chain, pieces):
                best = chain
            if len(best) >= 4:
                break
        if len(best) >= 3:
            break
    if len(best) < MIN_ROW:
        best = _bare_row(pieces) or best
    best = with_lost_letters(best, printed, pieces)
    if not best:
        return list(pieces), []
    stem, groups = cut_at(pieces, best)
    found = [(mark.label.upper(), group) for mark, group in zip(best, groups, strict=True)]
    return stem, sorted(found, key=lambda item: item[0])


def _letters(pieces: Sequence[Piece], template: Template) -> list[Mark]:
    """Marks of capital letters at the beginnings of lines or behind white space, of the first style that has any."""
    for pattern in template.options:
        marks = [m for m in _find_marks(pieces, re.compile(pattern), strict=True) if m.label.isupper()]
        if marks:
            return marks
    return []


def lost_letters(options: Sequence[tuple[str, list[Piece]]], pieces: Sequence[Piece], template: Template) -> list[str]:
    """Letters of `options` that stand nowhere in `pieces`: they were not read."""
    printed = {m.label for p in template.options for m in _find_marks(pieces, re.compile(p), strict=False)}
    bare = {m.label for m in _bare_row(pieces)}
    return [label for label, _ in options if not {label, label.lower()} & (printed | bare)]


def option_runs(pieces: Sequence[Piece], template: Template) -> list[tuple[int, int]]:
    """First and last piece index of each full set of options (A to at least D) that stands in `pieces`."""
    best: list[tuple[int, int]] = []
    for pattern in template.options:
        marks = [m for m in _find_marks(pieces, re.compile(pattern), strict=True) if m.label.isupper()]
        runs: list[tuple[int, int]] = []
        run: list[Mark] = []
        for mark in marks:
            if mark.label == "A":
                run = [mark]
            elif run and ord(mark.label) == ord(run[-1].label) + 1:
                run.append(mark)
                if mark.label == "D":
                    runs.append((run[0].piece, mark.piece))
        if len(runs) > len(best):
            best = runs
    return best


def _bare_row(pieces: Sequence[Piece]) -> list[Mark]:
    """Letters without a dot on lines of their own, under or beside the drawings that are the options."""
    marks = [
        Mark(index, match.start(), match.end(), match.group())
        for index, piece in enumerate(pieces)
        if piece.at.table is None and BARE.match(piece.text)
        for match in re.finditer("[A-H]", piece.text)
    ]
    labels = "".join(m.label for m in marks)
    start = labels.rfind("A")
    chain = marks[start:] if start >= 0 else []
    expected = [chr(ord("A") + i) for i in range(len(chain))]
    return chain if len(chain) >= MIN_ROW and [m.label for m in chain] == expected else []


def _find_marks(pieces: Sequence[Piece], pattern: re.Pattern[str], strict: bool) -> list[Mark]:
    """Option marks; strict ones stand at the start of a line or behind white space."""
    marks = []
    for index, piece in enumerate(pieces):
        if piece.at.table is not None:
            continue
        for match in pattern.finditer(piece.text):
            before = piece.text[: match.start()]
            open_left = not before.strip() or before[-1].isspace() or before.rstrip().endswith(("____", "（ ）", "( )"))
            if open_left or (not strict and not (before[-1].isascii() and before[-1].isalpha())):
                marks.append(Mark(index, match.start(), match.end(), match["l"].translate(FULL_LETTERS)))
    return marks


def _letter_chain(marks: Sequence[Mark], first: str) -> list[Mark]:
    """The longest run of marks first, first+1, …; of equal runs the last. One missing letter is bridged.

    Options printed column by column arrive as A, C, B, D: then each letter once behind the last A is a chain too.
    """
    best: list[Mark] = []
    starts = [i for i, mark in enumerate(marks) if mark.label == first]
    for start in starts:
        chain, expected = [marks[start]], ord(first) + 1
        for mark in marks[start + 1 :]:
            code = ord(mark.label)
            later = [m.label for m in marks if (m.piece, m.start) > (mark.piece, mark.start)]
            bridged = code == expected + 1 and chr(expected) not in (*later, mark.label) and len(chain) >= 1
            if code == expected or bridged:
                chain.append(mark)
                expected = code + 1
        if len(chain) >= len(best) and len(chain) >= 2:
            best = chain
    if starts and len(best) < 4:
        tail = list(marks[starts[-1] :])
        labels = sorted(m.label for m in tail)
        if len(tail) > len(best) and len(tail) >= 4 and labels == [chr(ord(first) + i) for i in range(len(tail))]:
            return tail
    return best


def _in_rows(chain: Sequence[Mark], pieces: Sequence[Piece]) -> bool:
    """Small letters are options without being said to be when there are four and they stand side by side.

    Beside a tall formula the second row of two columns comes as two lines.
    """
    if len(chain) < MIN_FULL:
        return False
    if len({mark.piece for mark in chain}) <= len(chain) // 2:
        return True
    left, right = ([cut(pieces[m.piece], m.start, m.end).box for m in chain[n::2]] for n in (0, 1))
    columns = max(b.x0 for b in left) + 4 * max(b.height for b in left) < min(b.x0 for b in right)
    level = all(max(a.y0, b.y0) < min(a.y1, b.y1) for a, b in zip(left, right, strict=False))
    return columns and level


def _one_style(chain: list[Mark], pieces: Sequence[Piece]) -> list[Mark]:
    """Without a last mark inside a sentence ("E. coli") when the others begin lines or stand behind wide gaps."""

    def apart(mark: Mark) -> bool:
        before = pieces[mark.piece].text[: mark.start]
        return not before.strip() or before.endswith("\u2003")

    def in_words(mark: Mark) -> bool:
        before = pieces[mark.piece].text[: mark.start].rstrip()
        return len(chain) > MIN_FULL or before[-1:].isascii()

    while len(chain) > 3 and not apart(chain[-1]) and in_words(chain[-1]) and all(apart(m) for m in chain[:-1]):
        chain = chain[:-1]
    return chain


def _plausible(chain: Sequence[Mark], pieces: Sequence[Piece]) -> bool:
    """Two marks alone are options only when both begin a line; more need no such proof."""
    if len(chain) >= 3:
        return True
    return all(not pieces[m.piece].text[: m.start].strip() for m in chain)


def cut_at(pieces: Sequence[Piece], marks: Sequence[Mark]) -> tuple[list[Piece], list[list[Piece]]]:
    """Pieces before the first mark, and behind each mark up to the next in print."""
    order = sorted(range(len(marks)), key=lambda i: (marks[i].piece, marks[i].start))
    head = marks[order[0]]
    stem = [*pieces[: head.piece], *_some(cut(pieces[head.piece], 0, head.start))]
    groups: list[list[Piece]] = [[] for _ in marks]
    for rank, index in enumerate(order):
        mark = marks[index]
        last = marks[order[rank + 1]] if rank + 1 < len(order) else None
        group = groups[index]
        if last is not None and last.piece == mark.piece:
            group.extend(_some(cut(pieces[mark.piece], mark.end, last.start)))
            continue
        group.extend(_some(cut(pieces[mark.piece], mark.end)))
        stop = last.piece if last is not None else len(pieces)
        group.extend(pieces[mark.piece + 1 : stop])
        if last is not None:
            group.extend(_some(cut(pieces[last.piece], 0, last.start)))
    return stem, groups


def _some(piece: Piece) -> list[Piece]:
    return [piece] if piece.text.strip() else []
