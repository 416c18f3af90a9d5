"""An invented workspace for the exam tests: a Chinese paper with a key page, an English one with its key inline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from wholepage.records import Evidence, Figure, Option, Page, Paper, Part, Question, Region, Source
from wholepage.workspace import Workspace

PAGE = (280, 392)  # multiples of 28: smart_resize of factor 28 leaves them as they are
GREYS = {"p1": 210, "p2": 220, "p3": 230, "f1": 120, "f2": 140}  # the grey of each image tells which one arrived


def make_workspace(root: Path, verified: bool = True) -> Workspace:
    """Papers `zh` (five questions, key on page 3) and `en` (two questions, answers printed below each)."""
    workspace = Workspace(root).create()
    for paper in (_chinese(workspace), _english(workspace)):
        for question in paper.questions:
            question.status = "verified" if verified else "unverified"
        workspace.save(paper)
    return workspace


def _chinese(workspace: Workspace) -> Paper:
    folder = workspace.paper_dir("zh")
    _images(folder, {"pages/001.png": "p1", "pages/002.png": "p2", "pages/003.png": "p3"}, PAGE)
    _images(folder, {"figures/f1.png": "f1", "figures/f2.png": "f2"}, (56, 84))
    options = [Option(label=x, text=f"值 {i}") for i, x in enumerate("ABCD", 1)]
    questions = [
        _question("zh/1.1", "1", "选择题", "multiple_choice", (1, 20), stem="一加一等于（ ）",
                  options=options, answer=["B"]),
        _question(
            "zh/1.2", "2", "选择题", "multi_select", (1, 120), stem="如图，正确的是 ![](figures/f1.png)",
            options=options,
            answer=["ACD"], figures=[_figure("f1", 1, "stem", "图1")],
        ),
        _question("zh/2.1", "1", "填空题", "fill_in_blank", (1, 250), stem="$x=$ ____，$y=$ ____", answer=["2", "7"]),
        _question(
            "zh/3.3", "3", "解答题", "open_ended", (2, 20), stem="解答下列各题。", answer=[],
            parts=[Part(label="(1)", text="求 $a$", points=4, answer=["3"]),
                   Part(label="(2)", text="求 $b$", answer=["5"])],
            figures=[_figure("f2", 2, "part:(2)", None)],
        ),
        _question("zh/3.4", "4", "解答题", "proof", (2, 200), stem="证明：略。", answer=[], solution="由归纳法得证。"),
    ]  # fmt: skip
    for question in questions:
        question.evidence = {"answer": Evidence(page=3, bbox=(20, 20, 200, 40))}
    return Paper(
        id="zh", title="测试卷", subject="math", language="zh", source=_source("zh.pdf", 3),
        pages=[_page(n) for n in (1, 2, 3)], questions=questions,
    )  # fmt: skip


def _english(workspace: Workspace) -> Paper:
    _images(workspace.paper_dir("en"), {"pages/001.png": "p1"}, PAGE)
    questions = [
        _question("en/1.13", "13", "Section B", "multiple_choice", (1, 20), stem="Which?",
                  options=[Option(label=x, text=x.lower()) for x in "AB"], answer=["A"]),
        _question("en/1.14", "14", "Section B", "fill_in_blank", (1, 120), stem="1 + 1 = ____", answer=["2"]),
    ]  # fmt: skip
    for question in questions:
        box = question.regions[0].bbox
        question.evidence = {"answer": Evidence(page=1, bbox=(box[0], box[3] - 20, box[2], box[3]))}
    return Paper(
        id="en", title="Test", subject="physics", language="en", source=_source("en.pdf", 1), pages=[_page(1)],
        questions=questions,
    )  # fmt: skip


def _question(name: str, number: str, section: str, kind: str, at: tuple[int, int], **values: Any) -> Question:
    region = Region(page=at[0], bbox=(28, at[1], 252, at[1] + 80))
    return Question(id=name, number=number, section=section, type=kind, points=5, regions=[region], **values)  # type: ignore[arg-type]


def _figure(name: str, page: int, placement: str, caption: str | None) -> Figure:
    file = f"figures/{name}.png"
    return Figure(id=name, file=file, page=page, bbox=(30, 30, 86, 114), placement=placement, caption=caption)


def _page(number: int) -> Page:
    return Page(
        number=number, image=f"pages/{number:03d}.png", width=PAGE[0], height=PAGE[1], dpi=100, kind="scanned"
    )  # fmt: skip


def _source(name: str, pages: int) -> Source:
    return Source(file=name, sha256="0" * 64, bytes=1, pages=pages, kind="scanned")


def _images(folder: Path, names: dict[str, str], size: tuple[int, int]) -> None:
    for name, key in names.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", size, GREYS[key]).save(path)


def draw_lines(path: Path, size: tuple[int, int], height: int, lines: int = 20) -> None:
    """A page image with rows of letter-like bars `height` pixels tall."""
    image = Image.new("L", size, 255)
    draw = ImageDraw.Draw(image)
    for row in range(lines):
        for column in range(20):
            x, y = 20 + column * height * 2, 20 + row * height * 2
            draw.rectangle((x, y, x + height // 2, y + height - 1), fill=0)
    image.save(path)
