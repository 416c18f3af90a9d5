"""Short answers of a key, given to the parts of a question: by the parts' labels, or one for each blank in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parse_templates.draft import BLANK, Draft
from parse_templates.flow import Piece, text_of
from parse_templates.parts import PartPieces, all_pieces, split_parts
from parse_templates.solutions import answers_from, without_remarks
from parse_templates.template import Template

LONGEST = 120  # characters; a longer text behind a part's label is a worked solution


def says_nothing(text: str) -> bool:
    """略 and its kin: the key prints no answer."""
    return text.strip(" .．。;；（）()") in ("略", "证明略", "图略", "omitted")


def answers_by_parts(draft: Draft, pieces: Sequence[Piece], template: Template) -> bool:
    """Fill the parts' answers and the question's from a key's `pieces`; False when they do not fit the parts."""
    if not draft.parts or not pieces:
        return False
    if _by_labels(draft, pieces, template) or _by_blanks(draft, text_of(pieces)):
        draft.answer = [text for part in draft.parts for text in _all_answers(part)]
        draft.origin["answer"], draft.answer_pieces = "key", list(pieces)
        return True
    return False


def _by_labels(draft: Draft, pieces: Sequence[Piece], template: Template) -> bool:
    within = _cut_at_labels(text_of(pieces), [part.label for part in draft.parts])
    if within and all(len(text) <= LONGEST for text in within):
        for own, text in zip(draft.parts, within, strict=True):
            _answer(own, text)
        return True
    stem, given = split_parts(pieces, template)
    by_label = {part.label: part for part in given}
    if stem or not given or len(by_label) < len(given) or not set(by_label) <= {p.label for p in draft.parts}:
        return False
    answers = {}
    for label, part in by_label.items():
        kept, _ = without_remarks(list(_in_order(part)), template)
        answers[label] = text_of(kept)
    if any(len(text) > LONGEST for text in answers.values()):
        return False
    for own in draft.parts:
        _answer(own, answers.get(own.label, ""))
    return True


def _in_order(part: PartPieces) -> Iterator[Piece]:
    """All pieces of a part with the labels of its inner parts, so that the text is the printed one again."""
    yield from part.pieces
    for inner in part.parts:
        pieces = list(_in_order(inner))
        for piece in pieces[:1]:
            yield Piece(f"{inner.label} {piece.text}", piece.at, piece.box)
        yield from pieces[1:]


def _answer(own: PartPieces, text: str) -> None:
    """The answer of one part, or of its inner parts where their labels stand in `text`."""
    if not text or says_nothing(text):
        return
    inner = _cut_at_labels(text, [part.label for part in own.parts])
    if inner:
        for part, piece in zip(own.parts, inner, strict=True):
            _answer(part, piece)
        return
    own.answer = answers_from(text, False, sum(p.text.count(BLANK) for p in all_pieces(own)))


def _cut_at_labels(text: str, labels: Sequence[str]) -> list[str]:
    """The texts behind each of `labels`, which must all stand in `text` in order, the first at its start."""
    starts: list[tuple[int, int]] = []
    position = 0
    for label in labels:
        spelt = re.escape(label).replace(r"\(", "[(（]\\s*").replace(r"\)", "\\s*[)）]")
        match = re.compile(r"(?:^|(?<=[\s;；,，.。$]))\s*" + spelt).search(text, position)
        if match is None or (not starts and text[: match.start()].strip()):
            return []
        starts.append((match.start(), match.end()))
        position = match.end()
    ends = [start for start, _ in starts[1:]] + [len(text)]
    if not starts:
        return []
    return [text[begin:end].strip().rstrip(";；") for (_, begin), end in zip(starts, ends, strict=True)]


def _by_blanks(draft: Draft, text: str) -> bool:
    """A key without labels that names as many answers as the question has blanks: they are in the same order."""
    leaves = [leaf for part in draft.parts for leaf in _leaves(part)]
    blanks = [sum(p.text.count(BLANK) for p in leaf.pieces) for leaf in leaves]
    if sum(blanks) < 2 or any(p.text.count(BLANK) for p in draft.stem):
        return False
    answers = answers_from(text, False, sum(blanks))
    if len(answers) != sum(blanks):
        return False
    for leaf, count in zip(leaves, blanks, strict=True):
        leaf.answer, answers = answers[:count], answers[count:]
    return True


def _leaves(part: PartPieces) -> Iterator[PartPieces]:
    """The parts in reading order: those with text of their own, and the inner ones behind them."""
    yield part
    for inner in part.parts:
        yield from _leaves(inner)


def _all_answers(part: PartPieces) -> list[str]:
    return [*part.answer, *(text for inner in part.parts for text in _all_answers(inner))]
