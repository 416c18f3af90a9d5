"""Which lines begin a question: candidates by pattern, then the best chain of numbers over the whole flow.

A number at the start of a line proves little (years, list items, table rows). The chain that maximises evidence
minus the cost of gaps and restarts is found by dynamic programming over all candidates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parse_templates.flow import FlowLine
from parse_templates.template import Template

WINDOW = 120  # candidates looked back: bounds the work on very long files
GAP_COST = 1.2
MAX_GAP_COST = 3.5
CLOSED_COST = 1.0  # any other number behind a line that ends the question before it
RESTART_COST = 0.5  # back to 1 behind a section heading
LATE_START_COST, MAX_LATE_COST = 1.0, 2.5
JUMP_BACK_COST = 7.0  # a smaller number without a heading
INSTRUCTION_COST = 6.0
DOTTED = re.compile(r"\s*[.…·]{4,}\s*$")  # "1 ........." is a line to write on
INDENT_COST = 2.5  # a number set further in than the one before it is an item of a list
MAX_INDENT_STEP = 1.2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may begin question `label`; `end` is where its number ends in the line's text."""

    line: int
    number: int
    label: str
    end: int
    weight: float
    indent: float = 0.0


def find_candidates(flow: Sequence[FlowLine], template: Template, instructed: set[int]) -> list[Candidate]:
    """All lines whose beginning matches a number style; the strongest style counts."""
    styles = [(re.compile(style.pattern), style.weight) for style in template.numbers]
    out = []
    for line in flow:
        if line.table is not None:
            continue
        best: tuple[float, re.Match[str]] | None = None
        for pattern, weight in styles:
            match = pattern.match(line.text)
            if match and (best is None or weight > best[0]):
                best = (weight, match)
        if best is None:
            continue
        weight, match = best
        label = re.sub(r"\s+", "", match["n"])  # "1 3" is a 13 whose digits were set apart
        number = int(re.sub(r"\D", "", label))
        if number == 0 or DOTTED.match(line.text[match.end() :]):
            continue
        weight += _place_bonus(line) - (INSTRUCTION_COST if line.index in instructed else 0.0)
        out.append(Candidate(line.index, number, label, match.end(), weight, line.indent))
    return out


def _place_bonus(line: FlowLine) -> float:
    """Questions begin at the left edge of their column, or are outdented from it."""
    if line.indent <= 1.3:
        return 1.0
    return -0.5 if line.indent <= 3.0 else -2.5


def best_chain(
    candidates: Sequence[Candidate], headings: Sequence[int], closings: Sequence[int] = ()
) -> list[Candidate]:
    """The chain of candidates with the highest total evidence.

    `headings` are flow indices of section headings, `closings` of lines that end a question.
    """
    if not candidates:
        return []
    scores: list[float] = []
    back: list[int | None] = []
    for j, candidate in enumerate(candidates):
        best = candidate.weight - min(LATE_START_COST * (candidate.number - 1), MAX_LATE_COST)
        origin: int | None = None
        for i in range(max(0, j - WINDOW), j):
            cost = _step_cost(candidates[i], candidate, headings, closings)
            total = scores[i] + candidate.weight - cost
            if total > best:
                best, origin = total, i
        scores.append(best)
        back.append(origin)
    end: int | None = max(range(len(scores)), key=lambda i: scores[i])
    if end is not None and scores[end] <= 0:
        return []
    chain = []
    while end is not None:
        chain.append(candidates[end])
        end = back[end]
    return chain[::-1]


def _step_cost(a: Candidate, b: Candidate, headings: Sequence[int], closings: Sequence[int]) -> float:
    number = _number_cost(a, b, headings)
    if number > CLOSED_COST and any(a.line < c < b.line for c in closings):
        number = CLOSED_COST
    return number + (INDENT_COST if b.indent - a.indent > MAX_INDENT_STEP else 0.0)


def _number_cost(a: Candidate, b: Candidate, headings: Sequence[int]) -> float:
    step = b.number - a.number
    if step == 1:
        return 0.0
    if step == 0 and a.label != b.label and b.label > a.label:
        return 0.0  # 9a, 9b
    heading_between = any(a.line < h <= b.line for h in headings)
    if step > 1:
        cost = min(GAP_COST * (step - 1), MAX_GAP_COST)
        return cost * (0.6 if heading_between else 1.0)
    if heading_between:
        return RESTART_COST if b.number == 1 else 3.0
    return JUMP_BACK_COST
