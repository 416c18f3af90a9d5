"""Questions whose number was not read: where one number is missing and its options are there, the question is."""

from __future__ import annotations

from collections.abc import Sequence

from parse_templates.flow import FlowLine, whole
from parse_templates.numbering import Candidate
from parse_templates.options import option_runs
from parse_templates.template import Template

PARAGRAPH_GAP = 2.5  # line heights between what stands above a question and the question
INFERRED = -1.0  # weight that marks a candidate without a printed number


def fill_gaps(
    flow: Sequence[FlowLine], chain: Sequence[Candidate], stops: Sequence[int], end: int, template: Template
) -> list[Candidate]:
    """The chain with a candidate for each single missing number that the option sets of its neighbours prove.

    `stops` are flow indices that no question reaches across (headings); `end` is where the questions end.
    """
    if not chain:
        return []
    out: list[Candidate] = []
    if chain[0].number == 2:
        out.extend(_before_first(flow, chain, stops, end, template))
    for n, candidate in enumerate(chain):
        out.append(candidate)
        following = chain[n + 1] if n + 1 < len(chain) else None
        if following is None or following.number != candidate.number + 2:
            continue
        if any(candidate.line < s <= following.line for s in stops):
            continue
        start = _after_options(flow, candidate.line, following.line, template)
        if start is not None:
            out.append(_inferred(candidate.number + 1, start, flow))
    return out


def _inferred(number: int, line: int, flow: Sequence[FlowLine]) -> Candidate:
    return Candidate(line, number, str(number), 0, INFERRED, flow[line].indent)


def _runs(flow: Sequence[FlowLine], start: int, stop: int, template: Template) -> list[tuple[int, int]]:
    """First and last flow index of each full set of options between two lines."""
    return [(start + a, start + b) for a, b in option_runs([whole(x) for x in flow[start:stop]], template)]


def _after_options(flow: Sequence[FlowLine], start: int, stop: int, template: Template) -> int | None:
    """The line behind the first of two option sets where the missing question begins."""
    runs = _runs(flow, start, stop, template)
    if len(runs) != 2:
        return None
    (_, last), (first, _) = runs
    between = flow[last + 1 : first + 1]
    # The last option may run on over further lines, which stand further in than a question begins.
    edge = min((x.indent for x in between), default=0.0)
    return next((x.index for x in between if x.indent <= edge + 0.5 and x.index < first), None)


def _before_first(
    flow: Sequence[FlowLine], chain: Sequence[Candidate], stops: Sequence[int], end: int, template: Template
) -> list[Candidate]:
    """Question 1 above a question 2 that has options, when a full set of options stands there too."""
    second = chain[0]
    begin = max((s + 1 for s in stops if s < second.line), default=0)
    above = _runs(flow, begin, second.line, template)
    until = chain[1].line if len(chain) > 1 else end
    if len(above) != 1 or not _runs(flow, second.line, until, template):
        return []
    start = above[0][0]
    while start - 1 >= begin:
        upper, lower = flow[start - 1], flow[start]
        apart = lower.box.y0 - upper.box.y1 > PARAGRAPH_GAP * max(lower.box.height, 1.0)
        if upper.page != lower.page or upper.column != lower.column or apart:
            break
        start -= 1
    return [_inferred(1, start, flow)] if start < above[0][0] else []


def is_inferred(candidate: Candidate) -> bool:
    """Whether no number was read for a candidate."""
    return candidate.end == 0 and candidate.weight == INFERRED


__all__ = ["fill_gaps", "is_inferred"]
