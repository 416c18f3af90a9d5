"""A workspace of all samples, built from their truth: what ingesting them would give, in seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
from PIL import Image

from samples import Sample, list_samples
from wholepage.records import Figure, Option, Page, Paper, Part, Question, Region, Source
from wholepage.workspace import Workspace

SCALE = 150 / 72  # pixels a point


def sample_workspace(root: Path) -> Workspace:
    """Every sample as a paper with page images, figure crops and every answer that the truth knows."""
    workspace = Workspace(root).create()
    for sample in list_samples():
        workspace.save(_paper(workspace, sample))
    return workspace


def _paper(workspace: Workspace, sample: Sample) -> Paper:
    truth = json.loads(sample.truth.read_text(encoding="utf-8"))
    folder = workspace.paper_dir(sample.name)
    for name in ("pages", "figures"):
        (folder / name).mkdir(parents=True)
    with pymupdf.open(sample.pdf) as document:
        images = [_drawn(page) for page in document]
    pages = []
    for number, image in enumerate(images, start=1):
        image.save(folder / "pages" / f"{number:03d}.png")
        size = {"width": image.width, "height": image.height}
        pages.append(Page(number=number, image=f"pages/{number:03d}.png", **size, dpi=72 * SCALE, kind="digital"))
    sections = list(dict.fromkeys(q["section"] for q in truth["questions"]))
    questions = [
        _question(f"{sample.name}/{sections.index(q['section']) + 1}.{q['number']}", q, images, folder)
        for q in truth["questions"]
    ]
    source = Source(file=sample.pdf.name, sha256="0" * 64, bytes=1, pages=len(pages), kind="digital")
    about = {name: truth[name] for name in ("title", "subject", "language")}
    return Paper(id=sample.name, source=source, pages=pages, questions=questions, **about)


def _drawn(page: pymupdf.Page) -> Image.Image:
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(SCALE, SCALE), colorspace=pymupdf.csGRAY)
    return Image.frombytes("L", (drawn.width, drawn.height), drawn.samples)


def _question(name: str, truth: dict[str, Any], images: list[Image.Image], folder: Path) -> Question:
    figures = [_figure(name, k, f, images, folder) for k, f in enumerate(truth["figures"], start=1)]
    files = {figure.placement: figure.file for figure in figures}
    options = [Option(label=x, text=t, figure=files.get(f"option:{x}")) for x, t in truth["options"].items()]
    _, top, _, bottom = (v * SCALE for v in truth["start_bbox"])
    width = images[truth["page"] - 1].width
    return Question(
        id=name,
        **{key: truth[key] for key in ("number", "section", "type", "points", "stem", "solution")},
        options=options,
        parts=[Part(**part) for part in truth["parts"]],
        answer=truth["answer"] or truth["known_answer"],
        figures=figures,
        regions=[Region(page=truth["page"], bbox=(0, max(0, top - 10), width, bottom + 60))],
    )


def _figure(question: str, number: int, truth: dict[str, Any], images: list[Image.Image], folder: Path) -> Figure:
    name = f"{question.rpartition('/')[2]}-{number}"
    x0, y0, x1, y1 = (v * SCALE for v in truth["bbox"])
    images[truth["page"] - 1].crop((int(x0), int(y0), int(x1), int(y1))).save(folder / "figures" / f"{name}.png")
    about = {"placement": truth["placement"], "caption": truth.get("caption")}
    return Figure(id=name, file=f"figures/{name}.png", page=truth["page"], bbox=(x0, y0, x1, y1), **about)
