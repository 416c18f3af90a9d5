"""What the preview shows of one page: its picture, the boxes on it, its issues, and coverage of the sections."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from review.images import Missing, Picture
from review.plain import visible
from review.preview_view import IssueView, QuestionView, issue_view
from wholepage.records import BBox, Issue, Page, Paper, Question, SectionCoverage

MAX_BOXES = 400  # on one page; an exam page has about ten


@dataclass(frozen=True, slots=True)
class BoxView:
    """A box on a page. `style` is a CSS rule body in percent of the page; `target` an anchor in this document."""

    anchor: str
    kind: str  # region, figure, issue
    question: int | None
    label: str
    title: str
    target: str
    style: str
    severity: str = ""


@dataclass(frozen=True, slots=True)
class PageView:
    """One page beside the questions that begin on it."""

    number: int
    kind: str
    width: int
    height: int
    picture: Picture | Missing
    boxes: list[BoxView]
    hidden_boxes: int
    issues: list[IssueView]
    residual: float | None
    questions: list[QuestionView]


@dataclass(frozen=True, slots=True)
class NumberView:
    """One number of a section: a link to its question, or a gap."""

    number: str
    question: int | None
    doubtful: bool


@dataclass(frozen=True, slots=True)
class SectionView:
    """Coverage of one section."""

    name: str
    numbers: list[NumberView]
    found: int
    expected: int | None
    gaps: int
    points_stated: float | None
    points_summed: float | None

    @property
    def complete(self) -> bool:
        """Whether just the expected numbers were found."""
        return not self.gaps and self.expected in (None, self.found)

    @property
    def points_differ(self) -> bool:
        """Whether the stated and the summed points are known and not the same."""
        stated, summed = self.points_stated, self.points_summed
        return stated is not None and summed is not None and abs(stated - summed) > 0.01


def place(bbox: BBox, page: Page) -> str:
    """CSS position of a box in percent of the page, cut at its edges; a box that is not finite covers nothing."""
    if page.width <= 0 or page.height <= 0 or not all(math.isfinite(v) for v in bbox):
        return "display:none"
    x0, x1 = sorted(min(max(v / page.width, 0.0), 1.0) for v in (bbox[0], bbox[2]))
    y0, y1 = sorted(min(max(v / page.height, 0.0), 1.0) for v in (bbox[1], bbox[3]))
    return f"left:{x0:.3%};top:{y0:.3%};width:{max(x1 - x0, 0.004):.3%};height:{max(y1 - y0, 0.003):.3%}"


def page_boxes(page: Page, paper: Paper) -> list[BoxView]:
    """Regions first, then figures, then issues, so that the smaller lie on top."""
    regions, figures, doubts = [], [], []
    for index, question in enumerate(paper.questions, 1):
        regions.extend(_regions(page, index, question))
        figures.extend(_figures(page, index, question))
        doubts.extend(_doubts(page, question.issues, f"q{index}", index))
    doubts.extend(_doubts(page, paper.issues, f"page-{page.number}-issues", None))
    return [*regions, *figures, *doubts]


def _regions(page: Page, index: int, question: Question) -> list[BoxView]:
    number = visible(question.number)[:20]
    return [
        BoxView(
            anchor=f"b{index}-{order}",
            kind="region",
            question=index,
            label=number if order == 1 else f"{number} ↩",
            title=f"Question {number}" + ("" if order == 1 else ", continued"),
            target=f"q{index}",
            style=place(region.bbox, page),
        )
        for order, region in enumerate(question.regions, 1)
        if region.page == page.number
    ]


def _figures(page: Page, index: int, question: Question) -> list[BoxView]:
    return [
        BoxView(
            anchor=f"f{index}-{order}",
            kind="figure",
            question=index,
            label="",
            title=visible(f"Figure of question {question.number} ({figure.placement})")[:120],
            target=f"q{index}",
            style=place(figure.bbox, page),
        )
        for order, figure in enumerate(question.figures, 1)
        if figure.page == page.number
    ]


def _doubts(page: Page, issues: Sequence[Issue], target: str, index: int | None) -> list[BoxView]:
    return [
        BoxView(
            anchor=f"i-{target}-{order}",
            kind="issue",
            question=index,
            label="!",
            title=visible(issue.message)[:200],
            target=target,
            style=place(issue.bbox, page),
            severity=issue.severity,
        )
        for order, issue in enumerate(issues, 1)
        if issue.page == page.number and issue.bbox is not None
    ]


def page_issues(page: Page, paper: Paper) -> list[IssueView]:
    """Issues of the paper that name this page."""
    return [issue_view(issue) for issue in paper.issues if issue.page == page.number]


def section_views(paper: Paper, questions: Sequence[QuestionView]) -> list[SectionView]:
    """One row a section: of the coverage where it is given, else of the questions."""
    pairs = zip(questions, paper.questions, strict=True)
    runs = [
        (name, [view for view, _ in group]) for name, group in groupby(pairs, key=lambda pair: pair[1].section or "")
    ]
    times = Counter(coverage.section or "" for coverage in paper.coverage.sections)
    rows = []
    for coverage in paper.coverage.sections:
        name = coverage.section or ""
        mine = [run for run in runs if run[0] == name]
        if times[name] > 1:  # the paper has several sections of this name: each takes its own run of questions
            mine = mine[:1]
        runs = [run for run in runs if not any(run is m for m in mine)]
        rows.append(_covered(coverage, [view for _, views in mine for view in views]))
    for name, views in runs:
        numbers = [_number(view) for view in views]
        rows.append(SectionView(visible(name), numbers, len(views), None, 0, None, None))
    return rows


def _covered(coverage: SectionCoverage, here: list[QuestionView]) -> SectionView:
    """Numbers in the expected order, each with the next question of that number among the section's, `here`."""
    numbers: list[NumberView] = []
    for number in dict.fromkeys([*coverage.expected, *coverage.found, *coverage.gaps]):
        hits = [view for view in here if view.number == visible(number)[:20]]
        numbers.extend(_number(view) for view in hits)
        for view in hits:
            here.remove(view)
        if not hits and number in (*coverage.gaps, *coverage.expected) and number not in coverage.found:
            numbers.append(NumberView(visible(number)[:20], None, False))
    numbers.extend(_number(view) for view in here)
    return SectionView(
        name=visible(coverage.section or ""),
        numbers=numbers,
        found=sum(n.question is not None for n in numbers),
        expected=len(coverage.expected) or None,
        gaps=len(coverage.gaps),
        points_stated=coverage.points_stated,
        points_summed=coverage.points_summed,
    )


def _number(view: QuestionView) -> NumberView:
    return NumberView(view.number, view.index, view.doubtful or bool(view.worst))
