"""Stored papers for the tests of checks, later keys and tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wholepage.records import Coverage, Option, Page, Paper, Question, Region, SectionCoverage, Source
from wholepage.workspace import Workspace

FOUR = ("甲", "乙", "丙", "丁")


def question(
    number: str = "1", stem: str = "下列说法正确的是（ ）", section: str | None = "选择题", **more: Any
) -> Question:
    """A question; a choice with four options unless `type` says otherwise."""
    kind = more.pop("type", "multiple_choice")
    paper = more.pop("paper", "p1")
    index = more.pop("index", 1)
    options = more.pop("options", FOUR if kind in ("multiple_choice", "multi_select") else ())
    made = [Option(label="ABCDEFGH"[i], text=text) for i, text in enumerate(options)]
    return Question(
        id=f"{paper}/{index}.{number}", number=number, stem=stem, section=section, type=kind, options=made, **more
    )


def paper(*questions: Question, paper_id: str = "p1", **more: Any) -> Paper:
    """A paper with its coverage as the numbers have it."""
    sections: dict[str | None, list[str]] = {}
    for q in questions:
        sections.setdefault(q.section, []).append(q.number)
    covered = [SectionCoverage(section=s, expected=list(n), found=list(n)) for s, n in sections.items()]
    page = Page(number=1, image="pages/001.png", width=1654, height=2339, dpi=200, kind="digital")
    source = Source(file=f"{paper_id}.pdf", sha256=paper_id * 8, bytes=1, pages=1, kind="digital")
    fields: dict[str, Any] = {"language": "zh", "coverage": Coverage(sections=covered), "pages": [page]}
    return Paper(id=paper_id, source=source, questions=list(questions), **{**fields, **more})


def on_page(q: Question, number: int = 1) -> Question:
    """The question with a region on a page."""
    q.regions = [Region(page=number, bbox=(100, 100, 900, 300))]
    return q


def stored(root: Path, *papers: Paper) -> Workspace:
    """A workspace with these papers."""
    workspace = Workspace(root).create()
    for p in papers:
        workspace.save(p)
    return workspace


def codes(q: Question | Paper) -> list[str]:
    """Codes of the issues, sorted."""
    return sorted(i.code for i in q.issues)
