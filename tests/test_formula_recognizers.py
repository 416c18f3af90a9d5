"""Recognisers of formulas: the registry, PaddleOCR's calls with a stand-in, reading again, LaTeX of other programs."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from drawing import DPI, NoOcr, Sheet

from ingest.sources import PageRef, open_source
from layout.formulas.foreign import canonical
from layout.formulas.lines import FORMULA_FONT
from layout.formulas.recognizers import (
    DEFAULT_MODEL,
    RECOGNIZERS,
    FormulaRecognizer,
    PpFormulaNet,
    RecognisedFormula,
    get_recognizer,
    plugged_recognizer,
)
from layout.formulas.soundness import compiles
from layout.ocr import Image, get_engine
from layout.page import PageInput, analyse_page
from layout.types import Glyph, PageLayout
from samples.formulas import generate_many, to_latex
from wholepage.errors import MissingExtraError, WholepageError
from wholepage.extras import install_command
from wholepage.fingerprints import page_fingerprint
from wholepage.pipeline import IngestOptions, ingest_source
from wholepage.settings import Settings
from wholepage.workspace import Workspace

Answer = Callable[[int, Image], Any]


class StandIn:
    """The parts of PaddleOCR that are called; `answer` gives the LaTeX of a crop."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []
        self.asked: list[tuple[list[Image], int]] = []
        self.answer: Answer = lambda index, crop: rf"x ^ {{ {index} }}"
        self.broken: Exception | None = None

    def module(self) -> types.ModuleType:
        outer = self

        class FormulaRecognition:
            def __init__(self, *, model_name: str | None = None, **options: Any) -> None:
                outer.made.append({"model_name": model_name, **options})
                if outer.broken is not None:
                    raise outer.broken

            def predict(self, images: list[Image], *, batch_size: int) -> list[dict[str, Any]]:
                outer.asked.append((images, batch_size))
                return [{"rec_formula": outer.answer(i, image), "input_img": image} for i, image in enumerate(images)]

        module = types.ModuleType("paddleocr")
        module.FormulaRecognition = FormulaRecognition  # type: ignore[attr-defined]
        return module


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    get_recognizer.cache_clear()
    yield
    get_recognizer.cache_clear()


@pytest.fixture
def paddle(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setitem(sys.modules, "paddleocr", stand_in.module())
    monkeypatch.setattr("layout.formulas.recognizers.find_spec", lambda name: None)
    return stand_in


def sheet() -> Sheet:
    drawn = Sheet(width=420, height=200)
    drawn.page.insert_text((40, 60), "1. Find x when x = 2 and y = 3x + 1.", fontname="tiro", fontsize=11)
    drawn.page.insert_text((40, 90), "2. Find z when z = 5y.", fontname="tiro", fontsize=11)
    return drawn


@lru_cache(maxsize=1)
def first_reading() -> PageLayout:
    return analyse_page(PageInput(1, sheet().image(), DPI), get_engine())


def read_again(recogniser: FormulaRecognizer) -> PageLayout:
    return analyse_page(PageInput(1, sheet().image(), DPI), get_engine(), recogniser)


def formulas(layout: PageLayout) -> list[Glyph]:
    return [g for line in layout.lines for g in line.glyphs if g.font == FORMULA_FONT]


class Fixed:
    """A recogniser that answers with the same results each time."""

    name, version = "fixed", "1"

    def __init__(self, results: Sequence[RecognisedFormula] | Exception) -> None:
        self.results = results

    def recognise(self, crops: Sequence[Image]) -> list[RecognisedFormula]:
        if isinstance(self.results, Exception):
            raise self.results
        return list(self.results)


def test_unknown_names_are_told_with_those_there_are() -> None:
    with pytest.raises(WholepageError, match="nonsense") as told:
        get_recognizer("nonsense")
    assert "embedded" in told.value.hint and "pp-formulanet" in told.value.hint


def test_a_missing_package_is_told_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paddleocr", None)
    with pytest.raises(MissingExtraError) as told:
        get_recognizer("pp-formulanet")
    assert install_command("paddle") in told.value.hint


def test_the_embedded_one_reads_nothing_twice() -> None:
    assert plugged_recognizer("embedded") is None


def test_the_embedded_one_reads_crops() -> None:
    image = sheet().image()
    drawn = next(g for g in formulas(first_reading()) if "y" in g.text and "3" in g.text)
    box = drawn.box.grow(5)
    crop = image[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)]
    blank = np.full((40, 90, 3), 255, np.uint8)
    read, nothing = get_recognizer().recognise([crop, blank])
    assert read.latex == "y=3x+1" and (read.confidence or 0) > 0.8
    assert nothing == RecognisedFormula("", 0.0)


def test_paddle_is_called_as_it_wants_to_be(paddle: StandIn) -> None:
    recogniser = get_recognizer("pp-formulanet", "", 3)
    red = np.zeros((20, 30, 3), np.uint8)
    red[:, :, 0] = 255
    assert recogniser.recognise([]) == [] and paddle.made == []
    assert recogniser.recognise([red, red]) == [RecognisedFormula("x ^ { 0 }"), RecognisedFormula("x ^ { 1 }")]
    recogniser.recognise([red])
    threads = {"intra_op_num_threads": 3}
    assert paddle.made == [{"model_name": DEFAULT_MODEL, "engine": "onnxruntime", "engine_config": threads}]
    images, batch = paddle.asked[0]
    assert batch == 8 and images[0][0, 0].tolist() == [0, 0, 255]  # OpenCV's order
    assert images[0].flags["C_CONTIGUOUS"]
    assert DEFAULT_MODEL in recogniser.version


def test_another_model_is_named(paddle: StandIn) -> None:
    PpFormulaNet("PP-FormulaNet_plus-S").recognise([np.zeros((9, 9, 3), np.uint8)])
    assert paddle.made == [{"model_name": "PP-FormulaNet_plus-S", "engine": "onnxruntime"}]


def test_paddlepaddle_is_used_where_it_is(paddle: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layout.formulas.recognizers.find_spec", lambda name: name == "paddle")
    PpFormulaNet("", 2).recognise([np.zeros((9, 9, 3), np.uint8)])
    assert paddle.made == [{"model_name": DEFAULT_MODEL, "enable_mkldnn": False, "cpu_threads": 2}]


def test_a_model_that_does_not_load_is_tried_once(paddle: StandIn) -> None:
    paddle.broken = RuntimeError("no network")
    recogniser = get_recognizer("pp-formulanet")
    for _ in range(2):
        with pytest.raises(WholepageError, match="no network"):
            recogniser.recognise([np.zeros((9, 9, 3), np.uint8)])
    assert len(paddle.made) == 1


def test_formulas_of_page_images_are_read_again(paddle: StandIn) -> None:
    paddle.answer = lambda index, crop: rf"\left( \dfrac {{ {index} }} {{ x }} \right)"
    again = read_again(get_recognizer("pp-formulanet"))
    before, after = formulas(first_reading()), formulas(again)
    assert len(before) >= 3
    assert [g.text for g in after] == [rf"$\left(\frac{{{i}}}{{x}}\right)$" for i in range(len(before))]
    assert [g.box for g in after] == [g.box for g in before]
    assert all(line.text == "".join(g.text for g in line.glyphs) for line in again.lines)
    assert again.engine["formulas"].startswith("pp-formulanet ") and DEFAULT_MODEL in again.engine["formulas"]
    (images, _), *more = paddle.asked
    assert not more and len(images) == len(before)
    assert all(crop.shape[0] < 80 and (crop < 128).any() for crop in images)


BAD = [r"\frac { 1", "", "$$", "\\nosuchcommand x", "x^2^3", "\ue000", r"\text{<script>", "{" * 3000, "x$ and $y"]


@pytest.mark.parametrize("latex", BAD, ids=range(len(BAD)))
def test_what_does_not_compile_replaces_nothing(latex: str) -> None:
    count = len(formulas(first_reading()))
    again = read_again(Fixed([RecognisedFormula(latex, 1.0)] * count))
    assert again.lines == first_reading().lines
    assert again.doubts == first_reading().doubts


def test_confidence() -> None:
    before = formulas(first_reading())
    same = [RecognisedFormula(g.text.strip("$"), 0.3) for g in before]
    assert all(g.confidence >= 0.95 for g in formulas(read_again(Fixed(same))))
    other = formulas(read_again(Fixed([RecognisedFormula("a+b")] * len(before))))
    assert [g.confidence for g in other] == [g.confidence for g in before]
    unsure = formulas(read_again(Fixed([RecognisedFormula("a+b", 0.4)] * len(before))))
    assert {g.confidence for g in unsure} == {0.4}


FAILURES: list[Sequence[RecognisedFormula] | Exception] = [
    RuntimeError("out of memory"),
    MemoryError(),
    [],
    KeyError("x"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=range(len(FAILURES)))
def test_a_failure_is_a_doubt_and_the_first_reading_stays(failure: Sequence[RecognisedFormula] | Exception) -> None:
    again = read_again(Fixed(failure))
    assert again.lines == first_reading().lines
    assert "formulas" not in again.engine
    (doubt,) = [d for d in again.doubts if d.code == "formula.engine_failed"]
    assert doubt.severity == "warning" and "fixed" in doubt.message and "Page 1" in doubt.message


def test_text_layers_are_not_read_again() -> None:
    text_only = sheet().layout()
    drawn = sheet()
    from ingest.textlayer import read_text_layer

    page = PageInput(1, drawn.image(), DPI, text=read_text_layer(drawn.page, DPI))
    assert formulas(text_only) and analyse_page(page, NoOcr(), Fixed(RuntimeError("asked"))) == text_only


def test_interrupts_pass() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted = SystemError("cut short")
        interrupted.__cause__ = KeyboardInterrupt()
        read_again(Fixed(interrupted))


@pytest.mark.parametrize("good", [True, False], ids=["works", "fails"])
def test_a_paper_names_what_read_its_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: bool) -> None:
    class Reader:
        name, version = "mine", "7"

        def recognise(self, crops: Sequence[Image]) -> list[RecognisedFormula]:
            if not good:
                raise OSError("gone")
            return [RecognisedFormula("w_ { 1 }", 0.9)] * len(crops)

    monkeypatch.setitem(RECOGNIZERS, "mine", lambda model, threads: Reader())
    file = tmp_path / "scan.png"
    cv2.imwrite(str(file), sheet().image()[:, :, ::-1])
    settings = Settings(workspace=tmp_path / "ws", formula_engine="mine")
    workspace = Workspace(settings.workspace)
    result = ingest_source(open_source(file), workspace, IngestOptions(settings=settings))
    paper = workspace.load(result.paper_id or "")
    assert paper.produced_by["formulas"] == (["mine 7"] if good else ["embedded"])
    assert ("$w_1$" in paper.questions[0].stem) is good
    assert ("formula.engine_failed" in {i.code for i in paper.issues}) is not good


def test_another_recogniser_makes_pages_stale(tmp_path: Path) -> None:
    ref = PageRef("image", tmp_path / "scan.png", 0)
    prints = {
        page_fingerprint("0", ref, 1, Settings(formula_engine=engine, formula_model=model))
        for engine, model in (("embedded", ""), ("pp-formulanet", ""), ("pp-formulanet", "PP-FormulaNet_plus-S"))
    }
    assert len(prints) == 3


FOREIGN = {
    r"\dfrac { 1 } { 2 }": r"\frac{1}{2}",
    r"\frac12": r"\frac{1}{2}",
    r"x ^ { 2 } _ { 1 }": "x_1^2",
    r"\left( x + 1 \right)": "(x+1)",
    r"\left( \frac { 1 } { 2 } \right) ^ { 2 }": r"\left(\frac{1}{2}\right)^2",
    r"\left\{ \begin{array} { l } { x + y = 1 } \\ { x - y = 2 } \end{array} \right.": (
        r"\begin{cases} x+y=1 \\ x-y=2 \end{cases}"
    ),
    r"\left[ \begin{array}{cc} 1 & 2 \\ 3 & 4 \end{array} \right]": r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}",
    r"{ \mathrm { S O } } _ { 4 } ^ { 2 - }": r"\mathrm{SO}_4^{2-}",
    r"2 \mathrm { H } _ { 2 } \mathrm { O }": r"2\mathrm{H_2O}",
    r"10 \mathrm { ~ m / s } ^ { 2 }": r"10\mathrm{m/s^2}",
    r"{\rm kg}": r"\mathrm{kg}",
    r"3 0 ^ { \circ }": r"30^\circ",
    r"\operatorname { s i n } x": r"\sin x",
    r"\operatorname* { l i m } _ { x \rightarrow 0 }": r"\lim_{x\to0}",
    "f'(x)": r"f^\prime(x)",
    r"\stackrel{\text{高温}}{=}": r"\xlongequal{\text{高温}}",
    r"\overset{a}{\rightarrow}": r"\xrightarrow{a}",
    r"\overrightarrow { a }": r"\vec{a}",
    r"\vec { A B }": r"\overrightarrow{AB}",
    r"a \not\in B": r"a\notin B",
    r"$$ a \neq b $$": r"a\ne b",
    r"\sqrt [ 3 ] { x }": r"\sqrt[3]{x}",
    "加速度a": r"\text{加速度}a",
    "x−1": "x-1",
    r"a\tag{1}": "a",
}  # fmt: skip


@pytest.mark.parametrize(("latex", "expected"), FOREIGN.items(), ids=range(len(FOREIGN)))
def test_latex_of_other_programs(latex: str, expected: str) -> None:
    assert canonical(latex) == expected
    assert compiles(expected)
    assert canonical(expected) == expected


NONE = ["", "{x", "x}", r"\left(x", r"\sqrt[", r"\frac{1}", "a&b", r"\begin{array}{l} a", "x^", "{" * 200, "x" * 3001]


@pytest.mark.parametrize("latex", NONE, ids=range(len(NONE)))
def test_what_is_no_latex(latex: str) -> None:
    assert canonical(latex) is None


def test_canonical_formulas_stay_as_they_are() -> None:
    formulas = [to_latex(node) for _, node in generate_many(300, 5)]
    plain = [f for f in formulas if r"\begin" not in f]
    assert len(plain) > 200
    assert [f for f in plain if canonical(f) != f] == []
    grids = [canonical(f) for f in formulas if r"\begin" in f]
    assert grids and all(g and compiles(g) and canonical(g) == g for g in grids)
