"""Recognisers that read the picture of one formula, behind one small interface; the embedded reader is the default.

Others are plugged in by name: their LaTeX takes the place of the embedded reading on page images when it compiles
(`layout.formulas.rereading`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from layout.formulas.atoms import atom_of
from layout.formulas.folding import fold_segments
from layout.formulas.latex import to_latex
from layout.formulas.lines import formula_glyph
from layout.formulas.pixels import read_pixels
from layout.formulas.structure import items_of
from layout.formulas.tree import Grid, Row
from layout.ocr import Image, OcrEngine, get_engine
from layout.rows import group_rows
from layout.scanned import Straight, line_boxes, straighten
from wholepage.boxes import Box
from wholepage.errors import MissingExtraError, WholepageError, is_interrupt

EMBEDDED = "embedded"
DEFAULT_MODEL = "PP-FormulaNet_plus-M"
CROP_DPI = 200.0  # resolution that crops are taken to have
MARGIN = 24  # px of paper put around a crop, so that its ink touches no edge
BATCH = 8  # crops that a network reads at a time


@dataclass(frozen=True, slots=True)
class RecognisedFormula:
    """LaTeX of one crop, without dollar signs; `confidence` is 0–1, None when the recogniser does not tell."""

    latex: str
    confidence: float | None = None


class FormulaRecognizer(Protocol):
    """Reads crops that hold one formula each."""

    name: str
    version: str

    def recognise(self, crops: Sequence[Image]) -> list[RecognisedFormula]:
        """One result a crop, in order; an empty LaTeX where nothing was read. Crops are H×W×3 uint8, RGB."""
        ...


class EmbeddedRecognizer:
    """The reader of page images, used on crops: glyphs from the OCR engine, structure from geometry."""

    name = EMBEDDED

    def __init__(self, model: str = "", threads: int = 0) -> None:
        self._engine: OcrEngine = get_engine(threads=threads)
        self.version = getattr(self._engine, "version", self._engine.name)

    def recognise(self, crops: Sequence[Image]) -> list[RecognisedFormula]:
        """See `FormulaRecognizer.recognise`."""
        return [self._read(crop) for crop in crops]

    def _read(self, crop: Image) -> RecognisedFormula:
        import cv2

        paper = [int(v) for v in np.percentile(crop.reshape(-1, 3), 95, axis=0)]
        padded = cv2.copyMakeBorder(crop, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_CONSTANT, value=paper)
        page = straighten(np.asarray(padded, dtype=np.uint8), CROP_DPI, self._engine)
        boxes, strays = line_boxes(page)
        reading = read_pixels(page, boxes or _whole(page), strays, self._engine)
        rows = []
        for row in group_rows(fold_segments(reading.segments, reading.shapes)):
            atoms = [atom_of(g) for s in row.segments for g in s.glyphs if not g.text.isspace()]
            if atoms:
                rows.append(formula_glyph(items_of(atoms)))
        if not rows:
            return RecognisedFormula("", 0.0)
        nodes = [glyph.node or Row(()) for glyph in rows]
        node = nodes[0] if len(nodes) == 1 else Grid(tuple((n,) for n in nodes), "aligned")
        return RecognisedFormula(to_latex(node), sum(g.confidence for g in rows) / len(rows))


def _whole(page: Straight) -> list[Box]:
    """The hull of all ink as the only line."""
    parts = page.ink.boxes
    return [Box.of((*parts[:, :2].min(axis=0), *parts[:, 2:].max(axis=0)))] if len(parts) else []


class PpFormulaNet:
    """PP-FormulaNet (Apache-2.0) through PaddleOCR; the weights are fetched by PaddleOCR at the first use.

    Raises:
        MissingExtraError: PaddleOCR is not installed.
    """

    name = "pp-formulanet"

    def __init__(self, model: str = "", threads: int = 0) -> None:
        try:
            paddleocr = import_module("paddleocr")
        except ImportError as error:
            raise MissingExtraError.for_extra("paddle", error.name or "paddleocr") from error
        self._kind = paddleocr.FormulaRecognition
        self._model_name = model or DEFAULT_MODEL
        self._threads = threads
        self._model: Any = None
        self._failure = ""
        self.version = f"{self._model_name}, paddleocr {_version('paddleocr')}"

    def recognise(self, crops: Sequence[Image]) -> list[RecognisedFormula]:
        """See `FormulaRecognizer.recognise`. PaddleOCR takes arrays as BGR and gives no confidence."""
        if not crops:
            return []
        pictures = [np.ascontiguousarray(crop[:, :, ::-1]) for crop in crops]
        results = self._loaded().predict(pictures, batch_size=BATCH)
        return [RecognisedFormula(str(result["rec_formula"])) for result in results]

    def _loaded(self) -> Any:
        """The model. A failure is remembered, so that the next page does not wait for the same download again."""
        if self._failure:
            raise WholepageError(self._failure)
        if self._model is None:
            try:
                self._model = self._kind(model_name=self._model_name, **_options(self._threads))
            except Exception as error:
                if is_interrupt(error):
                    raise
                self._failure = f"{self._model_name} could not be loaded ({type(error).__name__}: {error})"
                raise WholepageError(self._failure) from error
        return self._model


def _options(threads: int) -> dict[str, Any]:
    """Options of PaddleOCR 3.7: paddlepaddle where it is installed, else the onnxruntime that is there anyway."""
    if find_spec("paddle") is not None:
        # oneDNN of paddlepaddle 3.3 fails on some processors.
        return {"enable_mkldnn": False, **({"cpu_threads": threads} if threads else {})}
    return {"engine": "onnxruntime", **({"engine_config": {"intra_op_num_threads": threads}} if threads else {})}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


# Name → what makes the recogniser from a model's name ("" for its default) and a number of threads (0: all cores).
RECOGNIZERS: dict[str, Callable[[str, int], FormulaRecognizer]] = {
    EMBEDDED: EmbeddedRecognizer,
    PpFormulaNet.name: PpFormulaNet,
}


@lru_cache(maxsize=4)
def get_recognizer(name: str = EMBEDDED, model: str = "", threads: int = 0) -> FormulaRecognizer:
    """The recogniser registered under `name`, made once a process.

    Raises:
        WholepageError: no recogniser has that name.
        MissingExtraError: what it needs is not installed.
    """
    if name not in RECOGNIZERS:
        known = ", ".join(sorted(RECOGNIZERS))
        raise WholepageError(f"There is no formula recogniser {name!r}.", hint=f"Choose one of: {known}.")
    return RECOGNIZERS[name](model, threads)


def plugged_recognizer(name: str, model: str = "", threads: int = 0) -> FormulaRecognizer | None:
    """The recogniser that reads formulas again, or None for the embedded one, which has read them already."""
    return None if name == EMBEDDED else get_recognizer(name, model, threads)
