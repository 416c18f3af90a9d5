"""Doubts about formulas: LaTeX that does not compile keeps its crop, what was read with little certainty is said."""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from layout.formulas.lines import FORMULA_FONT
from layout.formulas.soundness import compiles, strange
from parse_templates.draft import Draft
from parse_templates.flow import FlowLine, Piece
from parse_templates.parts import PartPieces
from wholepage.boxes import Box
from wholepage.records import BBox, Figure, Issue

CERTAIN = 0.75  # confidence of a formula's least certain character below which it is in doubt
SHOWN = 60  # characters of a formula in a message
FORMULA = re.compile(r"(?<!\\)\$((?:\\.|[^$\\])+)\$", re.S)


@dataclass(frozen=True, slots=True)
class Spot:
    """A formula at its place; `confidence` is 1 where the source does not tell, as in tables."""

    latex: str
    box: Box
    confidence: float
    key: int

    @property
    def broken(self) -> bool:
        """Whether its LaTeX does not compile."""
        return not compiles(self.latex)

    @property
    def uncertain(self) -> bool:
        """Whether it was read with little certainty, or holds what no formula holds."""
        return self.confidence < CERTAIN or bool(strange(self.latex))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a question with its pieces: what figures in it are placed at, what messages call it."""

    name: str
    placement: str
    words: str
    pieces: Sequence[Piece]


def without_formulas(text: str) -> str:
    """`text` with a blank for every formula."""
    return FORMULA.sub(" ", text)


def doubt_formulas(drafts: Sequence[Draft], flow: Sequence[FlowLine]) -> list[Issue]:
    """Give every draft the doubts on its formulas, and figures of those whose LaTeX does not compile.

    Args:
        drafts: questions whose figures are bound and whose other doubts are known.
        flow: all lines of the paper itself; a key of its own has pages of its own, of which no crops are made.

    Returns:
        Doubts on formulas that stand in no question, one a page and kind.
    """
    own = {id(line) for line in flow}
    numbers: Counter[int] = Counter()
    seen: set[int] = set()
    for draft in drafts:
        crops: list[Figure] = []
        for part in _fields(draft):
            found = [(p.at, s) for p in part.pieces for s in _spots(p.at) if p.box.grow(1).holds(s.box.cx, s.box.cy)]
            fresh = [(line, s) for line, s in found if s.key not in seen]
            seen.update(s.key for _, s in fresh)
            for line, spot in ((line, s) for line, s in fresh if s.broken):
                draft.issues.append(_broken(draft, part, line, spot, id(line) in own))
                if id(line) in own:
                    numbers[line.page] += 1
                    crops.append(_crop(line.page, numbers[line.page], spot, part.placement))
            doubtful = [(line, s) for line, s in fresh if s.uncertain and not s.broken]
            if doubtful:
                draft.issues.append(_uncertain(draft, part, doubtful, own))
        draft.figures[:0] = crops  # an option's own figure stays the last one, which the option names
    return _outside(flow, seen)


def _fields(draft: Draft) -> Iterator[_Field]:
    yield _Field("stem", "stem", "the stem", draft.stem)
    for label, pieces in draft.options:
        yield _Field("options", f"option:{label}", f"option {label}", pieces)
    yield from _parts(draft.parts)
    yield _Field("answer", "solution", "the answer", draft.answer_pieces)
    yield _Field("solution", "solution", "the solution", draft.solution)


def _parts(parts: Sequence[PartPieces]) -> Iterator[_Field]:
    for part in parts:
        yield _Field("parts", f"part:{part.label}", f"part {part.label}", part.pieces)
        yield from _parts(part.parts)


def _spots(line: FlowLine) -> list[Spot]:
    """The formulas of a line, or of the cells of a table, whose place is then the whole table."""
    if line.table is not None:
        cells = [html.unescape(m[1]) for m in FORMULA.finditer(line.text)]
        return [Spot(latex, line.box, 1.0, hash((id(line.table), latex))) for latex in cells]
    glyphs = line.line.glyphs if line.line is not None else ()
    return [
        Spot(g.text.strip().removeprefix("$").removesuffix("$"), g.box, g.confidence, id(g))
        for g in glyphs
        if g.font == FORMULA_FONT
    ]


def _broken(draft: Draft, part: _Field, line: FlowLine, spot: Spot, placed: bool) -> Issue:
    message = f"Question {draft.label}: a formula in {part.words} does not compile: {_cut(spot.latex)}"
    return Issue(
        code="formula.does_not_compile",
        severity="error",
        field=part.name,
        message=message,
        page=line.page if placed else None,
        bbox=_bbox(spot.box) if placed else None,
    )


def _uncertain(draft: Draft, part: _Field, found: Sequence[tuple[FlowLine, Spot]], own: set[int]) -> Issue:
    """One doubt a field, at the formula that is the least certain."""
    line, worst = min(found, key=lambda pair: pair[1].confidence)
    count = f"{len(found)} formulas" if len(found) > 1 else "a formula"
    verb = "were" if len(found) > 1 else "was"
    message = f"Question {draft.label}: {count} in {part.words} {verb} read with little certainty: {_shown(worst)}"
    placed = id(line) in own
    return Issue(
        code="formula.uncertain",
        field=part.name,
        message=message,
        page=line.page if placed else None,
        bbox=_bbox(worst.box) if placed else None,
    )


def _outside(flow: Sequence[FlowLine], seen: set[int]) -> list[Issue]:
    """Doubts of formulas in titles, headings and other text that belongs to no question."""
    groups: dict[tuple[int, bool], list[Spot]] = defaultdict(list)
    for line in flow:
        for spot in _spots(line):
            if spot.key not in seen and (spot.broken or spot.uncertain):
                groups[line.page, spot.broken].append(spot)
    issues = []
    for (page, broken), spots in sorted(groups.items()):
        worst = min(spots, key=lambda s: s.confidence)
        count = f"{len(spots)} formulas" if len(spots) > 1 else "a formula"
        if broken:
            said = f"{'do' if len(spots) > 1 else 'does'} not compile: {_cut(worst.latex)}"
        else:
            said = f"{'were' if len(spots) > 1 else 'was'} read with little certainty: {_shown(worst)}"
        issues.append(
            Issue(
                code="formula.does_not_compile" if broken else "formula.uncertain",
                severity="error" if broken else "warning",
                message=f"Page {page}: {count} outside of questions {said}",
                page=page,
                bbox=_bbox(worst.box),
            )
        )
    return issues


def _crop(page: int, number: int, spot: Spot, placement: str) -> Figure:
    return Figure(
        id=f"p{page}-e{number}",
        file=f"figures/p{page:03d}-e{number}.png",
        page=page,
        bbox=_bbox(spot.box.grow(4)),
        placement=placement,
    )


def _shown(spot: Spot) -> str:
    """The formula for a message: typeset when it is short."""
    return f"${spot.latex}$" if len(spot.latex) <= SHOWN else _cut(spot.latex)


def _cut(latex: str) -> str:
    return latex if len(latex) <= SHOWN else latex[:SHOWN] + " …"


def _bbox(box: Box) -> BBox:
    x0, y0, x1, y1 = box.as_list()
    return (x0, y0, x1, y1)
