"""The preview of a paper: one HTML file that opens offline, the pages with their boxes beside the questions.

Page text is untrusted. The template escapes everything but the HTML that `review.markup` builds; besides, the file's
content security policy allows no network, no script but the one below and no style but the one sheet, both by hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from review.images import Missing, Pictures
from review.plain import visible
from review.preview_pages import MAX_BOXES, BoxView, PageView, page_boxes, page_issues, section_views
from review.preview_view import QuestionView, issue_view, question_view
from wholepage.records import Issue, Page, Paper
from wholepage.workspace import Workspace, write_text

ROOM = Path(__file__).parent
SOURCE_KINDS = {
    "digital": "Digital PDF",
    "scanned": "Scan",
    "mixed": "Digital and scanned pages",
    "photo": "Photo",
}
MAX_RESOURCES = 300


def write_preview(workspace: Workspace, paper: Paper) -> Path:
    """Write ``papers/<id>/preview.html`` and return its path.

    A page image or figure that is absent or damaged becomes a box that names it.

    Raises:
        WorkspaceError: the paper's id is none, or the file cannot be written.
    """
    folder = workspace.paper_dir(paper.id)
    path = folder / "preview.html"
    write_text(path, render_preview(paper, folder))
    return path


def render_preview(paper: Paper, folder: Path) -> str:
    """The preview as HTML; `folder` holds the paper's ``pages/`` and ``figures/``."""
    pictures = Pictures(folder, len(paper.pages))
    known = {page.number for page in paper.pages}
    questions = [question_view(i, question, pictures, known) for i, question in enumerate(paper.questions, 1)]
    pages = [_page(page, paper, questions, pictures) for page in paper.pages]
    style = Markup(_asset("preview.css") + _box_rules(pages))
    script = Markup(_asset("preview.js"))
    page: str = _template().render(
        paper=paper,
        title=visible(paper.title or paper.source.file)[:300],
        facts=_facts(paper),
        pages=pages,
        loose=[q for q in questions if q.page is None],
        known=known,
        questions=questions,
        sections=section_views(paper, questions),
        issues=[issue_view(i) for i in paper.issues if i.page not in known],
        counts=_counts(paper.all_issues()),
        doubtful=[q for q in questions if q.doubtful or q.worst],
        missing=pictures.missing,
        reduced=pictures.scale if pictures.scale.reduced else None,
        resources=[(r.type, r.page, visible(r.text[:300])) for r in paper.resources[:MAX_RESOURCES]],
        produced_by=visible(json.dumps(paper.produced_by, ensure_ascii=False, indent=2)[:20_000]),
        lang=_language(paper),
        style=style,
        script=script,
        policy=_policy(style, script),
    )
    return page


def _page(page: Page, paper: Paper, questions: list[QuestionView], pictures: Pictures) -> PageView:
    boxes = page_boxes(page, paper)
    return PageView(
        number=page.number,
        kind=page.kind,
        width=max(page.width, 1),
        height=max(page.height, 1),
        picture=pictures.page(page.image),
        boxes=boxes[:MAX_BOXES],
        hidden_boxes=max(0, len(boxes) - MAX_BOXES),
        issues=page_issues(page, paper),
        residual=paper.coverage.residual_ink.get(str(page.number)),
        questions=[q for q in questions if q.page == page.number],
    )


def _facts(paper: Paper) -> list[tuple[str, str]]:
    """Name and value of the header's facts; those that are not known are left out."""
    points = [q.points for q in paper.questions if q.points is not None]
    total = f"{sum(points):g}" if points else ""
    if points and len(points) < len(paper.questions):
        total += f" (from {len(points)} of {len(paper.questions)} questions)"
    facts = [
        ("Questions", str(len(paper.questions))),
        ("Pages", str(len(paper.pages))),
        ("Points", total),
        ("Subject", (paper.subject or "").capitalize()),
        ("Level", paper.level or ""),
        ("Language", paper.language or ""),
        ("Source", SOURCE_KINDS[paper.source.kind]),
        ("Released", paper.released.isoformat() if paper.released else ""),
    ]
    return [(name, visible(value)[:80]) for name, value in facts if value]


def _counts(issues: list[Issue]) -> dict[str, int]:
    return {severity: sum(i.severity == severity for i in issues) for severity in ("error", "warning")}


def _language(paper: Paper) -> str:
    """The paper's language as an HTML attribute: it picks the glyph forms of Chinese characters."""
    language = paper.language or ""
    plain = language.isascii() and language.replace("-", "").isalnum() and len(language) <= 20
    return language if plain else "und"


def _box_rules(pages: list[PageView]) -> str:
    """One rule a box in the style sheet, since the policy allows no style attributes."""
    rules = [f"#p{page.number}{{--ratio:{page.width / page.height:.4f}}}" for page in pages]
    rules += [_rule(box) for page in pages for box in page.boxes]
    return "\n".join(rules) + "\n"


def _rule(box: BoxView) -> str:
    return f"#{box.anchor}{{{box.style}}}"


def _policy(style: str, script: str) -> str:
    """The content security policy: data pictures, this style sheet, this script, and nothing else."""
    return (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", errors="replace")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


@lru_cache(maxsize=8)
def _asset(name: str) -> str:
    return (ROOM / "assets" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(ROOM / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.tests["missing"] = lambda value: isinstance(value, Missing)
    return environment.get_template("preview.html.j2")
