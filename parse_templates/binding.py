"""Which question a figure belongs to: the one in whose space it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from layout.types import FigureRegion, PageLayout
from parse_templates.captions import Caption, assign_captions, figures_named, find_captions
from parse_templates.draft import Draft
from parse_templates.flow import FlowLine
from parse_templates.parts import all_pieces
from parse_templates.template import Template
from wholepage.boxes import Box
from wholepage.records import Figure, Issue

REPEATED, SIZE_STEP, SMALL_STEPS = 4, 8.0, 12  # decoration: how often, px that sizes differ, steps of its longer side
AMBIGUOUS_SHARE = 0.35  # of the figure's height that may lie in another question's space without a doubt


@dataclass(frozen=True, slots=True)
class Owner:
    """What a flow line belongs to: a draft (None: a heading or title) and its place there."""

    draft: Draft | None
    place: str


@dataclass(frozen=True, slots=True)
class _Space:
    owner: Owner
    y0: float
    y1: float


def owners_of(drafts: Sequence[Draft], flow: Sequence[FlowLine]) -> dict[int, Owner]:
    """For each flow index its owner and place (stem, option:A, part:(1), solution)."""
    owners = {line.index: Owner(None, "") for line in flow}
    for draft in drafts:
        for line in draft.lines:
            owners[line.index] = Owner(draft, "stem")
        for label, pieces in draft.options:
            for piece in pieces:
                owners[piece.at.index] = Owner(draft, f"option:{label}")
        for part in draft.parts:
            for piece in part.pieces:
                owners[piece.at.index] = Owner(draft, f"part:{part.label}")
        for piece in (*draft.answer_pieces, *draft.solution):
            owners[piece.at.index] = Owner(draft, "solution")
    return owners


def bind_figures(
    layouts: Sequence[PageLayout], flow: Sequence[FlowLine], drafts: Sequence[Draft], template: Template
) -> list[Figure]:
    """Give each figure to a question; returns the figures that stand in no question's space."""
    owners = owners_of(drafts, flow)
    captions = find_captions(layouts, flow, template)
    named = {id(d): figures_named(_texts(d), template) for d in drafts}
    unused: list[Figure] = []
    for page in layouts:
        captioned = assign_captions(page, captions)
        for index, region in enumerate(page.figures):
            caption = captioned.get(index)
            figure = Figure(
                id=f"p{page.number}-f{index + 1}",
                file=f"figures/p{page.number:03d}-f{index + 1}.png",
                page=page.number,
                bbox=tuple(region.box.as_list()),
                caption=caption.text if caption else region.caption,
            )
            shares = _shares(region, page.number, flow, owners)
            draft = _referred(caption, shares, drafts, named, page.number) if caption else None
            draft = draft or _choose(region, shares, template, figure)
            if draft is None:
                unused.append(figure)
                continue
            figure.placement = _placement(region, page.number, draft, flow, owners)
            draft.figures.append(figure)
    return unused


def unassigned(figures: Sequence[Figure]) -> list[Issue]:
    """One `figure.unassigned` a page, at the largest of its figures that stand in no question's space.

    Small figures of one size that a page repeats are decoration, such as boxes to tick.
    """
    pages: dict[int, list[Figure]] = {}
    for figure in figures:
        pages.setdefault(figure.page, []).append(figure)
    issues = []
    for page, found in pages.items():
        alike = Counter(_size(f) for f in found)
        kept = [f for f in found if alike[_size(f)] < REPEATED or max(_size(f)) > SMALL_STEPS]
        if not kept:
            continue
        area = {f.id: Box.of(f.bbox).area for f in kept}
        largest = max(kept, key=lambda f: area[f.id])
        said = (
            f"Figure {kept[0].id} on page {page} stands"
            if len(kept) == 1
            else f"{len(kept)} figures on page {page} stand"
        )
        message = f"{said} in no question's space."
        issues.append(Issue(code="figure.unassigned", field="figures", message=message, page=page, bbox=largest.bbox))
    return issues


def _size(figure: Figure) -> tuple[int, int]:
    """Width and height in steps that hide the unevenness of a scan."""
    box = Box.of(figure.bbox)
    return round(box.width / SIZE_STEP), round(box.height / SIZE_STEP)


def _texts(draft: Draft) -> list[str]:
    return [draft.stem_text, *(p.text for part in draft.parts for p in all_pieces(part))]


def _referred(
    caption: Caption,
    shares: Sequence[tuple[float, Draft]],
    drafts: Sequence[Draft],
    named: dict[int, set[str]],
    page: int,
) -> Draft | None:
    """The question that a caption leads to: the one with the number it states, or one that speaks of its label.

    Labels begin anew in every question of some papers: the one in whose space the figure stands comes first, then
    the nearest on the same page or a neighbouring one.
    """
    if caption.question is not None:
        fitting = [d for d in drafts if d.number == caption.question]
    elif caption.figure is not None:
        fitting = [d for d in drafts if caption.figure in named[id(d)]]
    else:
        return None
    for _, draft in shares:
        if any(draft is d for d in fitting):
            return draft
    near = [d for d in fitting if any(abs(line.page - page) <= 1 for line in d.lines)]

    def away(draft: Draft) -> tuple[int, float]:
        return min((abs(x.page - page), abs(x.box.cy - caption.box.cy)) for x in draft.lines)

    return min(near, key=away, default=None)


def _shares(
    region: FigureRegion, page: int, flow: Sequence[FlowLine], owners: dict[int, Owner]
) -> list[tuple[float, Draft]]:
    """Share (0–1) of the figure's height in each question's space, largest first."""
    totals: dict[int, tuple[float, Draft]] = {}
    for space in _spaces(page, region.column, flow, owners):
        draft = space.owner.draft
        if draft is None:
            continue
        common = min(space.y1, region.box.y1) - max(space.y0, region.box.y0)
        if common > 0:
            share = common / max(region.box.height, 1.0)
            totals[id(draft)] = (totals.get(id(draft), (0.0, draft))[0] + share, draft)
    return sorted(totals.values(), key=lambda item: -item[0])


def _spaces(page: int, column: int, flow: Sequence[FlowLine], owners: dict[int, Owner]) -> list[_Space]:
    """Vertical spaces of the owners in one column; each reaches from its first line to the next owner's."""
    lines = [line for line in flow if line.page == page and line.column == column]
    before = [line for line in flow if (line.page, line.column) < (page, column)]
    continued = owners[before[-1].index] if before else Owner(None, "")
    spaces: list[_Space] = []
    top, current = float("-inf"), continued
    for line in lines:
        owner = owners[line.index]
        if owner.draft is not current.draft:
            spaces.append(_Space(current, top, line.box.y0))
            top, current = line.box.y0, owner
    spaces.append(_Space(current, top, float("inf")))
    return spaces


def _choose(
    region: FigureRegion, shares: list[tuple[float, Draft]], template: Template, figure: Figure
) -> Draft | None:
    """The owner of the figure; when two could be, the one that mentions a figure, with a doubt."""
    if not shares:
        return None
    best_share, best = shares[0]
    if len(shares) == 1:
        return best
    second_share, second = shares[1]
    mention = re.compile(template.mentions_figure) if template.mentions_figure else None
    if mention is not None and second_share >= 0.2:
        wants = bool(mention.search(second.stem_text)) and not second.figures
        if wants and not mention.search(best.stem_text):
            best, second, best_share, second_share = second, best, second_share, best_share
    if second_share > AMBIGUOUS_SHARE or best_share < second_share:
        best.issues.append(
            Issue(
                code="figure.ambiguous",
                field="figures",
                message=f"Figure {figure.id} stands between questions {best.label} and {second.label}.",
                page=figure.page,
                bbox=figure.bbox,
            )
        )
    return best


def _placement(
    region: FigureRegion, page: int, draft: Draft, flow: Sequence[FlowLine], owners: dict[int, Owner]
) -> str:
    """stem, option:X, part:(n) or solution: by the line beside or above the figure."""
    empty = {label for label, pieces in draft.options if not any(p.text.strip() for p in pieces)}
    if empty and len(empty) >= len(draft.options) - 1:
        nearest = _nearest_option(region.box, page, draft, flow)
        if nearest:
            return f"option:{nearest}"
    own = [line for line in flow if owners[line.index].draft is draft]
    above = [line for line in own if line.page == page and line.column == region.column and line.box.cy < region.box.cy]
    if not above:
        above = [line for line in own if (line.page, line.column) < (page, region.column)][-1:]
    place = owners[above[-1].index].place if above else "stem"
    return place if place == "solution" or place.startswith("part:") else "stem"


def _nearest_option(box: Box, page: int, draft: Draft, flow: Sequence[FlowLine]) -> str | None:
    """Label of the option whose printed letter is nearest to the figure."""
    best: tuple[float, str] | None = None
    for label, _ in draft.options:
        for line in draft.lines:
            if line.page != page or line.line is None:
                continue
            for glyph in line.line.glyphs:
                if glyph.text == label:
                    aside = min(abs(glyph.box.cx - box.x0), abs(glyph.box.cx - box.cx))
                    away = aside / 2 + max(box.y0 - glyph.box.cy, glyph.box.cy - box.y1, 0.0)
                    if best is None or away < best[0]:
                        best = (away, label)
    return best[1] if best else None
