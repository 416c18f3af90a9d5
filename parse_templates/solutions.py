"""Answers and solutions printed inside a question: 【答案】, 【解析】 and kin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parse_templates.flow import Piece, cut
from parse_templates.template import Template

LETTERS = re.compile(r"^\W*([A-H](?:[\s,，、]*[A-H]){0,7})(?![A-Za-z])\W*$")


@dataclass(frozen=True, slots=True)
class Inline:
    """What stands before the first answer mark, and behind it: the answer's and the solution's pieces."""

    question: list[Piece]
    answer: list[Piece]
    solution: list[Piece]


def split_solution(pieces: Sequence[Piece], template: Template) -> Inline:
    """Cut a question at its first answer or solution mark."""
    marks = template.solutions
    answer = [re.compile(p) for p in marks.answer]
    solution = [re.compile(p) for p in marks.solution]
    parts: dict[str, list[Piece]] = {"question": [], "answer": [], "solution": []}
    state = "question"
    for piece in pieces:
        position = 0
        for start, end, kind in _marks(piece, answer, solution):
            if start < position:
                continue
            parts[state].extend(_some(cut(piece, position, start)))
            # Only the first mark of the solution is taken off: 【分析】 and 【详解】 inside it are its own headings.
            position = start if kind == "solution" and state == "solution" else end
            state = kind
        rest = cut(piece, position) if position else piece
        parts[state].extend(_some(rest))
    return Inline(parts["question"], parts["answer"], parts["solution"])


def _marks(
    piece: Piece, answer: Sequence[re.Pattern[str]], solution: Sequence[re.Pattern[str]]
) -> list[tuple[int, int, str]]:
    if piece.at.table is not None:
        return []
    found = [(m.start(), m.end(), "answer") for p in answer for m in p.finditer(piece.text)]
    found += [(m.start(), m.end(), "solution") for p in solution for m in p.finditer(piece.text)]
    return sorted(found)


def _some(piece: Piece) -> list[Piece]:
    return [piece] if piece.text.strip() else []


def letters(text: str) -> str:
    """Option letters of an answer that is nothing but letters, sorted; empty when it is something else."""
    match = LETTERS.match(text.strip())
    return "".join(sorted(set(re.findall(r"[A-H]", match[1])))) if match else ""


def verdict(solution: str, template: Template) -> str:
    """Letters that the solution's last 故选 (or its kin) names, sorted; empty when it names none."""
    found = ""
    for pattern in template.solutions.verdict:
        for match in re.finditer(pattern, solution):
            found = "".join(sorted(set(match["a"])))
    return found


def answers_from(text: str, has_options: bool, blanks: int) -> list[str]:
    """The answer field from printed text: letters for choices, one entry a blank where they can be told apart."""
    text = text.strip()
    if not text:
        return []
    if has_options:
        # "B" and "B. because …" both name B; a text that names no letter is kept as printed.
        named = letters(text) or letters(re.split(r"[.．、:：;；。\s]", text, maxsplit=1)[0])
        return [named] if named else [text]
    text = text.rstrip("．。；，") or text
    if blanks > 1:
        for separator in (r"[;；\u2003]\s*", r"\s{2,}", r"[,，]\s*|\s+"):
            pieces = split_outside(text, separator)
            if len(pieces) == blanks and not any(re.search("[;；]", p) for p in pieces):
                return pieces
        return _by_groups(text, blanks) or [text]
    return [text]


def split_outside(text: str, separator: str) -> list[str]:
    """`text` cut at `separator`, not within brackets of a formula; a formula that is cut becomes two."""
    pieces, start, opened = [], 0, ""
    for match in re.finditer(separator, text):
        math = text[: match.start()].count("$") % 2 == 1
        inner = text[text.rfind("$", 0, match.start()) + 1 : match.start()] if math else ""
        if any(inner.count(a) > inner.count(b) for a, b in ("{}", "()", "[]")):
            continue
        pieces.append(opened + text[start : match.start()].strip() + ("$" if math else ""))
        start, opened = match.end(), "$" if math else ""
    pieces.append(opened + text[start:].strip())
    return [p for p in pieces if p.strip("$ ")]


def _by_groups(text: str, blanks: int) -> list[str]:
    """Answers such as "2,3;0,1" for three blanks: groups are parted by semicolons, and as many of the first of them as
    it takes by commas too. Empty when no such reading gives one entry a blank."""
    groups = split_outside(text, r"[;；]")
    for split in range(1, len(groups)):
        head = [p for group in groups[:split] for p in split_outside(group, r"[,，]")]
        if len(head) + len(groups) - split == blanks:
            return [*head, *groups[split:]]
    return []


def without_steps(pieces: Sequence[Piece], template: Template) -> list[Piece]:
    """The pieces without the marks of single steps (……3分) that a marking scheme prints at the ends of its lines."""
    if not template.key.steps:
        return list(pieces)
    pattern = re.compile(rf"(?:{template.key.steps})\s*$")
    out = []
    for piece in pieces:
        match = pattern.search(piece.text) if piece.at.table is None else None
        out += _some(cut(piece, 0, match.start())) if match else [piece]
    return out


def without_remarks(pieces: Sequence[Piece], template: Template) -> tuple[list[Piece], list[Piece]]:
    """The answer's pieces, and those from the first remark (注：, 提示：) on."""
    if not template.solutions.remark:
        return list(pieces), []
    pattern = re.compile(template.solutions.remark)
    for index, piece in enumerate(pieces):
        match = pattern.search(piece.text) if piece.at.table is None else None
        if match:
            before = [*pieces[:index], *_some(cut(piece, 0, match.start()))]
            return before, [cut(piece, match.start()), *pieces[index + 1 :]]
    return list(pieces), []
