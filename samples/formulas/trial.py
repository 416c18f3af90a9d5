"""Trials of the formula reader: sheets in one font, read as the product reads pages, each formula judged by place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pymupdf
from numpy.typing import NDArray

from ingest.textlayer import read_text_layer
from ingest.trust import judge_text_layer
from layout.ocr import OcrEngine
from layout.page import PageInput, analyse_page
from samples.formulas.constructs import constructs
from samples.formulas.degrade import page_image, scan
from samples.formulas.grammar import generate_many
from samples.formulas.katex import katex_at_hand, katex_pages
from samples.formulas.latex import to_latex
from samples.formulas.marks import Mark, Pages
from samples.formulas.mathtext import FontSet, can_set, mathtext_at_hand, mathtext_pages
from samples.formulas.measure import Outcome, Wanted, found_formulas, judge, normal, pair
from samples.formulas.render import Style, families, plain_pages, typst_pages
from samples.formulas.sheets import Place, Sheet, compose
from samples.formulas.tree import Node
from samples.scans import SCAN_DPI
from wholepage.boxes import POINTS_PER_INCH, Box

Variant = Literal["digital", "image", "scan"]
MATHTEXT: dict[str, FontSet] = {
    "mathtext-cm": "cm",
    "mathtext-stix": "stix",
    "mathtext-dejavuserif": "dejavuserif",
}
FONTS_WISHED = ("ncm", "stix", "katex", "termes", "mathtext-cm", "dejavu", "mathtext-dejavuserif")
CROP_MARGIN = 6.0  # px around a formula that is cut out


@dataclass(frozen=True)
class Batch:
    """The formulas of one font with their kinds and places, set on sheets; `words` are the sheets without formulas."""

    font: str
    kinds: list[str]
    formulas: list[Node]
    places: dict[int, Place]
    pages: Pages
    words: Pages


@dataclass(frozen=True)
class Result:
    """What became of one true formula; `variant` is a `Variant` or the name of another reader."""

    font: str
    variant: str
    kind: str
    place: str
    constructs: tuple[str, ...]
    true: str
    outcome: Outcome


@dataclass(frozen=True)
class Timing:
    """Seconds for all pages of a font in one variant, with formulas and with words in their place."""

    font: str
    variant: Variant
    pages: int
    formulas: int
    with_formulas: float
    with_words: float


@dataclass(frozen=True)
class Shot:
    """One page ready to be read, and the 3×3 matrix from points of the PDF to its pixels."""

    page: PageInput
    matrix: NDArray[np.float64]


def fonts_at_hand() -> list[str]:
    """The fonts that this machine can set formulas in."""
    return [*families(), *(["katex"] if katex_at_hand() else []), *(MATHTEXT if mathtext_at_hand() else ())]


def default_fonts(count: int = 4) -> list[str]:
    """`count` of them, as unlike as can be had."""
    have = fonts_at_hand()
    return [font for font in FONTS_WISHED if font in have][:count]


def make_batch(font: str, count: int, seed: int) -> Batch:
    """`count` formulas in `font`, all kinds in turn (so far as the font's typesetter knows them), on sheets."""
    made = generate_many(count * 3, seed)
    fonts = MATHTEXT.get(font)
    if fonts is not None:
        made = [(kind, formula) for kind, formula in made if can_set(formula, fonts)]
    kinds, formulas = [kind for kind, _ in made[:count]], [formula for _, formula in made[:count]]
    sheets = compose(formulas, seed, chinese_share=0.0 if fonts else 0.5)
    words = [("term " * 20)[: max(3, len(normal(to_latex(f))) * 2 // 3)].strip() for f in formulas]
    plain = plain_pages(sheets, words, Style(font if font in families() else "ncm"))
    places = {i: place for sheet in sheets for i, place in sheet.places().items()}
    return Batch(font, kinds, formulas, places, set_sheets(font, sheets, formulas), plain)


def set_sheets(font: str, sheets: Sequence[Sheet], formulas: Sequence[Node]) -> Pages:
    """The sheets by the typesetter that `font` belongs to."""
    if font == "katex":
        return katex_pages(sheets, formulas)
    if font in MATHTEXT:
        return mathtext_pages(sheets, formulas, MATHTEXT[font])
    return typst_pages(sheets, formulas, Style(font))


def shots(pdf: bytes, variant: Variant, seed: int = 0) -> Iterator[Shot]:
    """Every page at 200 dpi: with its text layer, as a picture alone, or as a scan made with `seed`."""
    zoom = SCAN_DPI / POINTS_PER_INCH
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        for number, page in enumerate(document):
            image, matrix = page_image(page), np.diag([zoom, zoom, 1.0])
            if variant == "scan":
                scanned = scan(image, seed * 100 + number)
                image, matrix = scanned.image, scanned.matrix @ matrix
            text = read_text_layer(page, SCAN_DPI) if variant == "digital" else None
            yield Shot(PageInput(number + 1, image, SCAN_DPI, text=text), matrix)


def read_batch(batch: Batch, variant: Variant, engine: OcrEngine, seed: int = 0) -> tuple[list[Result], int, float]:
    """The results of all formulas, how many were found where none is, and the seconds for all pages."""
    results: list[Result] = []
    extra, spent = 0, 0.0
    for number, shot in enumerate(shots(batch.pages.pdf, variant, seed)):
        page = _judged(shot.page, engine)
        start = time.perf_counter()
        layout = analyse_page(page, engine)
        spent += time.perf_counter() - start
        marks = marks_of(batch, number)
        wanted = [Wanted(to_latex(batch.formulas[m.index]), place_of(m, shot)) for m in marks]
        outcomes, more = pair(wanted, found_formulas(layout))
        extra += more
        results += [result(batch, variant, m.index, o) for m, o in zip(marks, outcomes, strict=True)]
    return results, extra, spent


def _judged(page: PageInput, engine: OcrEngine) -> PageInput:
    """The page as the layout stage is given it: a text layer is judged and completed before."""
    return page if page.text is None else replace(page, text=judge_text_layer(page.text, page.image, engine))


def time_batch(batch: Batch, variant: Variant, engine: OcrEngine, with_formulas: float, seed: int = 0) -> Timing:
    """The timing of a batch that took `with_formulas` seconds: reads the same sheets without formulas beside it."""
    spent, pages = 0.0, 0
    for shot in shots(batch.words.pdf, variant, seed):
        start = time.perf_counter()
        analyse_page(shot.page, engine)
        spent += time.perf_counter() - start
        pages += 1
    return Timing(batch.font, variant, pages, len(batch.pages.marks), with_formulas, spent)


def crops(batch: Batch) -> dict[int, NDArray[np.uint8]]:
    """Each formula cut out of the clean 200 dpi pages, by index; H×W×3 RGB."""
    out: dict[int, NDArray[np.uint8]] = {}
    for number, shot in enumerate(shots(batch.pages.pdf, "image")):
        height, width = shot.page.image.shape[:2]
        for mark in marks_of(batch, number):
            box = place_of(mark, shot).grow(CROP_MARGIN).clip(width, height)
            out[mark.index] = shot.page.image[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)]
    return out


def judged(batch: Batch, reader: str, texts: dict[int, str]) -> list[Result]:
    """Results of another reader that gave `texts` by index."""
    return [result(batch, reader, i, judge(text, to_latex(batch.formulas[i]))) for i, text in texts.items()]


def marks_of(batch: Batch, page: int) -> list[Mark]:
    """The marks on one page, counted from 0."""
    return [mark for mark in batch.pages.marks if mark.page == page]


def place_of(mark: Mark, shot: Shot) -> Box:
    """Where a formula stands in the picture."""
    return Box.of(mark.box).through(shot.matrix)


def result(batch: Batch, variant: str, index: int, outcome: Outcome) -> Result:
    """The result of formula `index`."""
    formula = batch.formulas[index]
    names = tuple(sorted(constructs(formula)))
    return Result(batch.font, variant, batch.kinds[index], batch.places[index], names, to_latex(formula), outcome)
