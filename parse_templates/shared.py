"""What is printed once for several questions: "Directions: In questions 19 and 20 … (A) … (D)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parse_templates.draft import Draft
from parse_templates.flow import FlowLine, text_of, whole
from parse_templates.numbering import Candidate
from parse_templates.options import split_options
from parse_templates.template import Template

MAX_LINES_TO_RANGE = 4  # the numbers stand in the first lines of the directions


@dataclass(frozen=True, slots=True)
class Directions:
    """Directions from flow line `line` on, up to the next question, for the questions `first` to `last`."""

    line: int
    first: int
    last: int


def find_directions(flow: Sequence[FlowLine], chain: Sequence[Candidate], template: Template) -> list[Directions]:
    """Directions for a range of numbers that begins with the next question."""
    if not template.directions:
        return []
    opens, numbers = re.compile(template.directions), re.compile(template.directed)
    starts = [c.line for c in chain]
    out = []
    for line in flow:
        if line.table is not None or line.index in starts or not opens.match(line.text):
            continue
        following = [c for c in chain if c.line > line.index]
        if not following:
            continue
        head = text_of(whole(x) for x in flow[line.index : line.index + MAX_LINES_TO_RANGE])
        match = numbers.search(head)
        if match and int(match["a"]) == following[0].number <= int(match["b"]):
            out.append(Directions(line.index, int(match["a"]), int(match["b"])))
    return out


def apply_directions(
    flow: Sequence[FlowLine],
    found: Sequence[Directions],
    drafts: Sequence[Draft],
    stops: Sequence[int],
    template: Template,
) -> None:
    """Give the options that stand in directions to those of their questions that have none of their own."""
    for directions in found:
        stop = next((s for s in sorted(stops) if s > directions.line), len(flow))
        lines = [whole(x) for x in flow[directions.line : stop]]
        _, options = split_options(lines, template, lower_case=True)  # directions have no parts
        if not options:
            continue
        for draft in drafts:
            if directions.first <= draft.number <= directions.last and not draft.options:
                draft.options = [(label, list(pieces)) for label, pieces in options]
                draft.origin["options"] = "shared"
                if draft.type in ("open_ended", "unknown", "fill_in_blank"):
                    draft.type = "multiple_choice"
