"""Mark schemes: answers under the labels of parts, "3(b)(ii)   condensation   1", in tables or in lines.

The rows of one question become one entry of the key. Where a number is printed for several questions, the parts that
an entry names tell which of them it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parse_templates.draft import Draft
from parse_templates.flow import FlowLine, Piece, whole
from parse_templates.parts import PartPieces, plain_label

LABEL = re.compile(r"(?P<n>\d{1,2})?\s*(?P<a>\(?[a-h]\)|(?<=\d)[a-h](?![a-z]))?\s*(?P<i>\((?:[ivx]+)\))?")
CELL = re.compile(r"^\s*(?:Q(?:uestion)?\.?\s*)?(?P<labels>(?:\d{0,2}\s*(?:\(?[a-h]\)?)?\s*(?:\([ivx]+\))?\s*)+)$")
LINE = re.compile(r"^\s*(?P<n>\d{1,2})\s*(?P<a>\([a-h]\))\s*(?P<i>\([ivx]+\))?[\s\u2003:.]+(?P<text>\S.*)$")
MARKS = re.compile(r"^\s*\[?\s*\d{1,2}\s*\]?\s*$")
BULLET = re.compile(r"\s*[•●▪]\s*")
LEAST_FIT = 0.5
LEAST_ROWS, LABELLED = 2, 0.5  # rows with parts' labels; their share of a table's rows

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """Answers of one question: paths of part labels, ("(a)", "(ii)"), with their texts."""

    number: int
    answers: tuple[tuple[Path, str], ...]
    pieces: tuple[Piece, ...]
    page: int

    @property
    def text(self) -> str:
        """All of it as one text, labels before their answers."""
        return " ".join(f"{''.join(path)} {text}" for path, text in self.answers)


def read_scheme(flow: Sequence[FlowLine]) -> tuple[list[Marked], set[int]]:
    """The questions of a mark scheme, and the indices of the lines and tables that they were read from."""
    rows: list[tuple[int, Path, str, FlowLine]] = []
    for line in flow:
        rows += [(*row, line) for row in (_table_rows(line) if line.table is not None else _line_row(line))]
    if sum(len(path) > 0 for _, path, _, _ in rows) < LEAST_ROWS:
        return [], set()
    blocks: list[list[tuple[int, Path, str, FlowLine]]] = []
    for row in rows:
        number, path, _, line = row
        last = blocks[-1] if blocks else []
        known = {p for _, p, _, _ in last}
        near = bool(last) and line.page - last[-1][3].page <= 1
        if last and last[-1][0] == number and path not in known and near and _behind(path, last[-1][1]):
            last.append(row)
        else:
            blocks.append([row])
    return [_marked(block) for block in blocks], {line.index for _, _, _, line in rows}


def _behind(path: Path, last: Path) -> bool:
    """Whether a label may follow another one in one question: letters do not go back."""
    return not path or not last or path[0] >= last[0]


def _marked(block: Sequence[tuple[int, Path, str, FlowLine]]) -> Marked:
    lines = list({line.index: line for _, _, _, line in block}.values())
    answers = tuple((path, text) for _, path, text, _ in block)
    return Marked(block[0][0], answers, tuple(whole(line) for line in lines), lines[0].page)


def _line_row(line: FlowLine) -> list[tuple[int, Path, str]]:
    match = LINE.match(line.text)
    if match is None:
        return []
    return [(int(match["n"]), _path(match["a"], match["i"]), _answer(re.split("\u2003", match["text"])))]


def _table_rows(line: FlowLine) -> list[tuple[int, Path, str]]:
    """Labelled rows of a table; a cell that spans rows may hold their labels one after another."""
    assert line.table is not None
    out: list[tuple[int, Path, str]] = []
    waiting: list[tuple[int, Path]] = []
    number, letter, labelled = 0, "", 0
    for row in line.table.rows:
        first, rest = (row[0] if row else ""), list(row[1:])
        for found, path in _labels(first):
            number = found or number
            letter = path[0] if path and not _is_roman(path[0]) else letter
            waiting.append((number, path if not path or not _is_roman(path[0]) else (letter, *path)))
            labelled += bool(path)
        text = _answer(rest)
        if not text:
            continue
        if waiting and waiting[0][0]:
            out.append((*waiting.pop(0), text))
        elif not first.strip() and out:
            out[-1] = (*out[-1][:2], f"{out[-1][2]}; {text}")
    return out if labelled >= LEAST_ROWS and labelled >= LABELLED * len(line.table.rows) else []


def _labels(cell: str) -> Iterator[tuple[int, Path]]:
    """Numbers (0 where none is printed) and paths that a cell holds, when it holds nothing else."""
    if not cell.strip() or CELL.match(cell) is None:
        return
    for match in LABEL.finditer(cell):
        if match[0].strip():
            yield int(match["n"] or 0), _path(match["a"], match["i"])


def _path(letter: str | None, roman: str | None) -> Path:
    return tuple(f"({label.strip('() ')})" for label in (letter, roman) if label)


def _is_roman(label: str) -> bool:
    return bool(re.fullmatch(r"\((?:[ivx]{2,}|[ivx])\)", label))


def _answer(cells: Sequence[str]) -> str:
    """The answer in a row's cells: without the column of marks, bullets as an enumeration."""
    kept = [c.strip() for c in cells if c.strip() and not MARKS.match(c)]
    return "; ".join(part for c in kept for part in BULLET.split(c) if part.strip())


def fits_parts(paths: Sequence[Path], parts: Sequence[PartPieces]) -> float:
    """How well an entry's labels are those of a question's parts: the share of both's that they have in common."""
    own: set[Path] = {(_plain(p.label),) for p in parts if not p.parts}
    own |= {(_plain(p.label), _plain(inner.label)) for p in parts for inner in p.parts}
    given = {tuple(map(_plain, path)) for path in paths if path}
    return len(given & own) / max(1, len(given | own))


def _plain(label: str) -> str:
    return plain_label(label).strip("()").lower()


def assigned(
    entries: Sequence[tuple[int, Sequence[Path]]], questions: Sequence[tuple[int, Sequence[PartPieces]]]
) -> list[int | None]:
    """For each entry (number, paths) the index of the question that it answers, None where that is not sure.

    A question takes the entry of its number whose labels are most like its parts, and an entry the question; what
    fits half or less is another question's of the same number, and what fits two alike is left.
    """
    fits = {
        (e, q): fits_parts(paths, parts)
        for e, (number, paths) in enumerate(entries)
        for q, (own, parts) in enumerate(questions)
        if number == own
    }
    out: list[int | None] = [None] * len(entries)
    for (e, q), fit in fits.items():
        rivals = [other for pair, other in fits.items() if (pair[0] == e) != (pair[1] == q)]
        if fit > LEAST_FIT and all(fit > other for other in rivals):
            out[e] = q
    return out


def answer_parts(draft: Draft, answers: Sequence[tuple[Path, str]]) -> list[str]:
    """Fill the parts' answers by their labels; texts of labels that the question does not have are handed back."""
    lost = []
    for path, text in answers:
        own = _part_at(draft.parts, path)
        if own is None:
            lost.append(f"{''.join(path)} {text}")
        elif text not in own.answer:
            own.answer = [*own.answer, text]
    draft.answer = [text for part in draft.parts for text in _all(part)]
    return lost


def _part_at(parts: Sequence[PartPieces], path: Path) -> PartPieces | None:
    """The part that a path names, or the deepest one on its way that has no inner parts."""
    own = next((p for p in parts if path and _plain(p.label) == _plain(path[0])), None)
    if own is None or len(path) == 1 or not own.parts:
        return own
    return _part_at(own.parts, path[1:])


def _all(part: PartPieces) -> list[str]:
    return [*part.answer, *(text for inner in part.parts for text in _all(inner))]
