"""Small papers drawn for the tests of sources, pipeline, watch and command line. Nothing needs a system font."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf

from layout.types import FigureRegion, PageLayout
from parse_templates.parser import ParsedPaper
from wholepage.boxes import Box
from wholepage.records import Coverage, Figure, Issue, Question, Region

ZH_LINES = [
    "一、选择题：本题共三小题，每小题五分，共十五分。",
    "1．已知集合中的元素都是正整数，则下列说法正确的是",
    "A．第一个选项的文字    B．第二个选项的文字",
    "C．第三个选项的文字    D．第四个选项的文字",
    "2．某物体做匀加速直线运动，初速度为零，则位移是",
    "A．二十米    B．三十米    C．四十米    D．五十米",
    "3．下列物质中属于纯净物的是，请选择最合适的一项",
    "A．空气    B．海水    C．蒸馏水    D．食盐水",
]
EN_LINES = [
    "Section A: answer all of the questions in this section.",
    "1. Which of these numbers is the largest prime below thirty?",
    "A. twenty one   B. twenty three   C. twenty seven   D. twenty nine",
    "2. A train leaves the station at noon and travels for two hours.",
    "Work out how far it has gone when its mean speed is known.",
    "3. Name the process by which green plants make their own food.",
]


def add_text(page: pymupdf.Page, lines: list[str], size: float = 12.0) -> None:
    """Write lines down the page, Chinese or Latin, twice over so that the page is reasonably full."""
    for i, line in enumerate(lines * 2):
        page.insert_text((60, 80 + i * size * 2.2), line, fontname="china-s", fontsize=size)


def make_pdf(path: Path, pages: int = 1, lines: list[str] | None = None, **save: Any) -> Path:
    """A PDF with text on each page; each page says which it is."""
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            page = document.new_page(width=595, height=842)
            add_text(page, [f"{path.stem[:20]} page {number} of {pages}", *(lines or ZH_LINES)])
        document.save(path, **save)
    return path


def page_image(lines: list[str] | None = None, dpi: int = 150) -> np.ndarray:
    """A page of text as H×W×3 RGB."""
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        add_text(page, lines or ZH_LINES)
        pixmap = page.get_pixmap(dpi=dpi, alpha=False)
        return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()


def save_image(path: Path, value: int = 255, size: tuple[int, int] = (80, 120), **save: Any) -> Path:
    """A small grey image whose shade tells pages apart."""
    from PIL import Image

    Image.new("L", size, value).save(path, **save)
    return path


def shuffled_layout(page: Any, engine: Any) -> PageLayout:
    """Stand-in for `layout.page.analyse_page`: a layout with one figure and no text."""
    height, width = page.image.shape[:2]
    figure = FigureRegion(Box(10, 10, min(60, width), min(60, height)))
    return PageLayout(page.number, width, height, page.dpi, "digital", page.turn, figures=(figure,))


def one_question(layouts: Any, template: str = "auto", answers: Any = (), paper_id: str = "paper") -> ParsedPaper:
    """Stand-in for `parse_templates.parser.parse_paper`: one question a page, answered when there is a key."""
    questions = []
    for layout in layouts:
        box = tuple(layout.figures[0].box.as_list())
        name = f"p{layout.number:03d}-f1"
        figure = Figure(id=name, file=f"figures/{name}.png", page=layout.number, bbox=box)
        questions.append(
            Question(
                id=f"{paper_id}/1.{layout.number}",
                number=str(layout.number),
                stem=f"Stem, 如图所示 ![](figures/{name}.png)",
                answer=["A"] if answers else [],
                figures=[figure],
                regions=[Region(page=layout.number, bbox=box)],
            )
        )
    return ParsedPaper(None, None, None, None, questions, Coverage(), [], "fake")


class FakeEngine:
    """An OCR engine that finds nothing."""

    name = "fake"

    def detect(self, image: Any, scale: float) -> list[Any]:
        return []

    def recognise(self, crops: Any) -> list[Any]:
        return []


def use_fakes(monkeypatch: Any) -> dict[str, list[int]]:
    """Replace reading and parsing by the stand-ins above; returns the page numbers that were analysed."""
    import ingest.orientation
    import ingest.trust
    import layout.ocr
    import layout.page
    import parse_templates.parser
    import review.preview

    seen: dict[str, list[int]] = {"pages": []}

    def analyse(page: Any, engine: Any, formulas: Any = None) -> PageLayout:
        seen["pages"].append(page.number)
        return shuffled_layout(page, engine)

    def preview(workspace: Any, paper: Any) -> Path:
        path = workspace.paper_dir(paper.id) / "preview.html"
        path.write_text(f"<!doctype html>{paper.id}", encoding="utf-8")
        return path

    monkeypatch.setattr(layout.ocr, "get_engine", lambda *_, **__: FakeEngine())
    monkeypatch.setattr(layout.page, "analyse_page", analyse)
    monkeypatch.setattr(ingest.trust, "judge_text_layer", lambda t, *_: dataclasses.replace(t, trust="trusted"))
    monkeypatch.setattr(ingest.orientation, "image_turn", lambda *_: ingest.orientation.Verdict(0, True))
    monkeypatch.setattr(parse_templates.parser, "parse_paper", one_question)
    monkeypatch.setattr(review.preview, "write_preview", preview)
    return seen


ERROR = Issue(code="number.too_many", severity="error", message="Two questions too many.")
