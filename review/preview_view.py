"""What the preview shows of one question: safe HTML and plain words, ready for the template."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from markupsafe import Markup

from review.images import Missing, Picture, Pictures
from review.markup import line, rich, text_width
from review.plain import visible
from wholepage.records import Figure, Issue, Option, Part, Question

DOUBTFUL = 0.8  # confidence below this is marked
TYPE_NAMES = {
    "multiple_choice": "Single choice",
    "multi_select": "Multiple choice",
    "true_false": "True or false",
    "fill_in_blank": "Fill in the blank",
    "open_ended": "Open-ended",
    "proof": "Proof",
    "unknown": "Unknown type",
}
MAX_PART_DEPTH = 8
FIGURE_SCALE = 0.62  # CSS pixels a pixel of 200 dpi: figures keep their printed proportions, a little enlarged
# Widest option in half characters → options in one row. A row of the text column holds about 64.
_OPTION_ROWS = ((11, 4), (25, 2))
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\(([^()\n]{1,300})\)")


@dataclass(frozen=True, slots=True)
class IssueView:
    """One doubt in words."""

    severity: str
    code: str
    message: Markup
    field: str


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option; `key` when the printed answer names it."""

    label: str
    text: Markup
    key: bool


@dataclass(frozen=True, slots=True)
class PartView:
    """A sub-question with its own answer, solution and parts."""

    label: str
    points: str
    text: Markup
    answer: list[Markup]
    solution: Markup
    parts: list[PartView]


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One question; `index` counts from 1 through the paper and names its anchors."""

    index: int
    number: str
    section: str
    type: str
    points: str
    stem: Markup
    options: list[OptionView]
    columns: int
    parts: list[PartView]
    answer: list[Markup]
    solution: Markup
    loose: list[Markup]
    issues: list[IssueView]
    worst: str
    percent: int
    doubtful: bool
    weakest: str
    status: str
    tags: list[str]
    page: int | None
    others: list[int]
    box: str


def question_view(index: int, question: Question, pictures: Pictures, known: Set[int]) -> QuestionView:
    """Everything the template needs of `question`; `known` holds the numbers of the paper's pages."""
    figures = _Figures(question.figures, pictures)
    options = [_option(option, question, figures) for option in question.options]
    stem = rich(question.own_stem, figures.html)
    parts = [_part(part, figures, 1) for part in question.parts]
    solution = rich(question.solution, figures.html)
    issues = [issue_view(issue) for issue in question.issues]
    placed = [(order, r.page) for order, r in enumerate(question.regions, 1) if r.page in known]
    pages = list(dict.fromkeys(page for _, page in placed))
    return QuestionView(
        index=index,
        number=visible(question.number)[:20] or "?",
        section=visible(question.section or "")[:200],
        type=TYPE_NAMES[question.type],
        points=points_text(question.points),
        stem=stem,
        options=options,
        columns=option_columns(question.options),
        parts=parts,
        answer=[line(entry) for entry in question.answer[:100]],
        solution=solution,
        loose=figures.loose(),
        issues=issues,
        worst=worst(issues),
        percent=round(100 * question.confidence),
        doubtful=question.confidence < DOUBTFUL,
        weakest=_weakest(question),
        status=question.status,
        tags=[visible(tag)[:60] for tag in (*question.knowledge_points, *question.tags)][:12],
        page=pages[0] if pages else None,
        others=pages[1:],
        box=f"b{index}-{placed[0][0]}" if placed else "",
    )


def issue_view(issue: Issue) -> IssueView:
    """An issue with its message made safe; formulas in it are typeset."""
    message = line(issue.message, 600)
    return IssueView(issue.severity, visible(issue.code)[:60], message, visible(issue.field or "")[:60])


def worst(issues: Sequence[IssueView]) -> str:
    """`error`, `warning`, or nothing."""
    severities = {issue.severity for issue in issues}
    return next((s for s in ("error", "warning") if s in severities), "")


def points_text(points: float | None) -> str:
    """`5 pts`, or nothing when the points are not known."""
    return "" if points is None else f"{points:g} pt{'' if points == 1 else 's'}"


def option_columns(options: Sequence[Option]) -> int:
    """How many options stand in one row of a wide column: 4, 2 or 1, by the widest; pictures stand two by two."""
    if not options:
        return 1
    if any("<table" in o.text or "\n" in o.text.strip() for o in options):
        return 1
    if any(o.figure or "![" in o.text for o in options):
        return 2
    width = max(text_width(o.text) for o in options)
    return next((columns for limit, columns in _OPTION_ROWS if width <= limit and len(options) != 3), 1)


def figure_html(file: str, picture: Picture | Missing, caption: str = "") -> str:
    """A picture in the text, or a box that names the one that is missing."""
    name = html.escape(visible(file)[:200])
    said = f"<figcaption>{html.escape(visible(caption)[:300])}</figcaption>" if caption else ""
    if isinstance(picture, Missing):
        reason = html.escape(visible(picture.reason))
        return f'<figure class="missing"><p><b>Figure not shown</b><code>{name}</code>{reason}</p>{said}</figure>'
    alt = html.escape(visible(caption or f"Figure {file}")[:200])
    size = f'width="{round(picture.width * FIGURE_SCALE)}" height="{round(picture.height * FIGURE_SCALE)}"'
    return f'<figure><img src="{picture.uri}" {size} alt="{alt}" title="{name}">{said}</figure>'


class _Figures:
    """The figures of one question: which were shown, which are left for the end."""

    def __init__(self, figures: Sequence[Figure], pictures: Pictures) -> None:
        self.records = {figure.file: figure for figure in figures}
        self.by_id = {figure.id: figure for figure in figures}
        self.pictures = pictures
        self.shown: set[str] = set()

    def html(self, file: str) -> str:
        self.shown.add(file)
        record = self.records.get(file)
        return figure_html(file, self.pictures.figure(file), (record.caption or "") if record else "")

    def of_id(self, figure_id: str) -> str:
        record = self.by_id.get(figure_id)
        if record is None:
            return figure_html(figure_id, Missing(figure_id, "the question has no figure of this id"))
        return self.html(record.file)

    def loose(self) -> list[Markup]:
        """Figures that belong to the question and stand nowhere in its text."""
        return [Markup(self.html(file)) for file in self.records if file not in self.shown]


def _option(option: Option, question: Question, figures: _Figures) -> OptionView:
    text = rich(option.text, figures.html)
    record = figures.by_id.get(option.figure) if option.figure else None
    inline = {match[1].strip() for match in _IMAGE.finditer(option.text)}
    if option.figure and (record is None or record.file not in inline):
        text += Markup(figures.of_id(option.figure))
    letters = question.answer[0] if len(question.answer) == 1 else ""
    key = bool(option.label) and (option.label == letters or (letters.isalpha() and option.label in letters))
    return OptionView(visible(option.label)[:12], text, key and question.type in ("multiple_choice", "multi_select"))


def _part(part: Part, figures: _Figures, depth: int) -> PartView:
    inner = [_part(p, figures, depth + 1) for p in part.parts] if depth < MAX_PART_DEPTH else []
    left_out = Markup('<p class="cut">… more nested parts, in paper.json</p>' if part.parts and not inner else "")
    return PartView(
        label=visible(part.label)[:20],
        points=points_text(part.points),
        text=rich(part.text, figures.html) + left_out,
        answer=[line(entry) for entry in part.answer[:100]],
        solution=rich(part.solution, figures.html),
        parts=inner,
    )


def _weakest(question: Question) -> str:
    """Name of the field whose confidence is the lowest."""
    if not question.evidence:
        return ""
    name = min(question.evidence, key=lambda field: question.evidence[field].confidence)
    return visible(name)[:40]
