"""A second run through the same numbers: the answers without a heading, or the paper once more with its solutions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from parse_templates.flow import FlowLine
from parse_templates.keys import compact_entries
from parse_templates.numbering import Candidate
from parse_templates.sections import Heading
from parse_templates.solutions import letters

MIN_RUN = 3  # questions in a second run
SAME_NUMBERS = 0.7  # share of its numbers that the first run has too
MIN_EVIDENCE = 0.3  # mean evidence of a pair that the second is no question of its own
REPRINTED = 82.0  # similarity (0-100) of the first words
HEAD = 40  # characters compared
MARKS = re.compile(r"^\((?:本?小?题)?(?:满分|共)?\d{1,3}(?:分|marks?)\)")
ASKS = re.compile(r"____|[（(]\s*[)）]|[?？]")


def find_second_run(flow: Sequence[FlowLine], chain: Sequence[Candidate], headings: Sequence[Heading]) -> int | None:
    """Flow index at which the numbers of `chain` begin anew without new questions; None when they never do."""
    for i in range(1, len(chain)):
        first, second = chain[:i], chain[i:]
        if second[0].number > first[-1].number or second[0].label > first[-1].label > second[0].label[:1]:
            continue
        if _is_copy(flow, first, second, headings):
            return _begin(flow, first[-1].line, second[0].line, headings)
    return None


def _is_copy(
    flow: Sequence[FlowLine], first: Sequence[Candidate], second: Sequence[Candidate], headings: Sequence[Heading]
) -> bool:
    texts = _texts(flow, [*first, *second], headings)
    listed = [entry for c in second for entry in compact_entries(flow[c.line])]
    if len(second) < MIN_RUN and len(listed) < MIN_RUN:
        return False
    ours = {_key(c, headings): c for c in first}
    unique = len({c.number for c in first}) == len(first)
    evidence = []
    for candidate in second:
        same = ours.get(_key(candidate, headings))
        if same is None and unique:
            same = next((c for c in first if c.number == candidate.number), None)
        if same is not None:
            evidence.append(_evidence(texts[same.line], texts[candidate.line], flow[candidate.line]))
    if len(evidence) < SAME_NUMBERS * len(second):
        return False
    return sum(evidence) / len(evidence) >= MIN_EVIDENCE


def _evidence(question: str, again: str, line: FlowLine) -> float:
    """How much `again` looks like what follows on `question` instead of being another question (−0.5 to 1)."""
    if compact_entries(line) or letters(again):
        return 1.0
    if reprints(again, question):
        return 1.0
    ours, theirs = _plain(question), _plain(again)
    if ASKS.search(question) and not ASKS.search(again) and len(theirs) < 0.6 * len(ours):
        return 0.7
    if "(1)" in ours and theirs.startswith("(1)") and len(theirs) < 0.8 * len(ours):
        return 0.7
    return 0.3 if len(theirs) < 0.25 * len(ours) else -0.5


def reprints(text: str, question: str) -> bool:
    """Whether `text` begins as `question` does."""
    ours, theirs = _plain(question)[:HEAD], _plain(text)[: HEAD + 10]
    return min(len(ours), len(theirs)) >= 8 and fuzz.partial_ratio(ours, theirs) >= REPRINTED


def _plain(text: str) -> str:
    """Text without white space, blanks, the markup of formulas and the marks at its head."""
    bare = re.sub(r"\\[a-zA-Z]+|[\s_{}$^\\]+", "", text).translate(str.maketrans("（），．：", "(),.:"))
    return MARKS.sub("", bare)


def _key(candidate: Candidate, headings: Sequence[Heading]) -> tuple[str, int]:
    before = [h.order for h in headings if h.line <= candidate.line]
    return (before[-1] if before else "", candidate.number)


def _texts(flow: Sequence[FlowLine], chain: Sequence[Candidate], headings: Sequence[Heading]) -> dict[int, str]:
    """For each candidate's line the text up to the next one or the next heading."""
    stops = sorted({c.line for c in chain} | {h.line for h in headings} | {len(flow)})
    out = {}
    for candidate in chain:
        stop = next(s for s in stops if s > candidate.line)
        lines = flow[candidate.line : stop]
        out[candidate.line] = "".join([lines[0].text[candidate.end :], *(x.text for x in lines[1:] if not x.table)])
    return out


def _begin(flow: Sequence[FlowLine], last: int, first: int, headings: Sequence[Heading]) -> int:
    """First line of the second run: its headings and the titles over them come with it."""
    start = min((h.line for h in headings if last < h.line <= first), default=first)
    while start - 1 > last:
        above = flow[start - 1]
        title = above.table is None and len(above.text) <= 40 and (above.indent > 3 or above.bold)
        if above.page != flow[start].page or not title:
            break
        start -= 1
    return start
