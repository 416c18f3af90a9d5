"""The page stage: one page of a source to a stored image and a layout. Runs in this process or in a worker.

Each page leaves three files: `pages/NNN.png`, `work/layout/NNN.json` and `work/read/NNN.json`. The last is written
after the others and tells that the page is done.
"""

from __future__ import annotations

import os
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ingest.sources import PageRef
from wholepage.errors import MissingExtraError, PageError, WholepageError, WorkspaceError, is_interrupt
from wholepage.records import Issue, Page
from wholepage.settings import Settings
from wholepage.workspace import write_bytes, write_text

if TYPE_CHECKING:
    from ingest.render import PageReader, RawPage
    from layout.ocr import OcrEngine
    from layout.types import TextLayer

MIN_LAYER_GLYPHS = 40  # below this a text layer does not settle which way is up


@dataclass(frozen=True, slots=True)
class PagePaths:
    """Where the files of one page go. `base` is the paper's folder, or `work/answers` in it for a key file."""

    base: Path
    number: int

    @property
    def image(self) -> Path:
        """The stored page image."""
        return self.base / "pages" / f"{self.number:03d}.png"

    @property
    def layout(self) -> Path:
        """The page's layout as JSON."""
        return self._work / "layout" / f"{self.number:03d}.json"

    @property
    def outcome(self) -> Path:
        """What was read, as `PageOutcome`."""
        return self._work / "read" / f"{self.number:03d}.json"

    @property
    def trace(self) -> Path:
        """The traceback of an unexpected error."""
        return self._work / "read" / f"{self.number:03d}.error.txt"

    @property
    def slow(self) -> Path:
        """Where a worker stood that gave the page up for lack of time."""
        return self._work / "read" / f"{self.number:03d}.slow.txt"

    @property
    def _work(self) -> Path:
        return self.base if self.base.parent.name == "work" else self.base / "work"


@dataclass(frozen=True, slots=True)
class PageTask:
    """Everything a worker needs to read one page."""

    ref: PageRef
    paths: PagePaths
    settings: Settings
    threads: int
    fingerprint: str


class PageOutcome(BaseModel):
    """What became of one page. `layout` is False when there is none to parse; then `issues` says why."""

    fingerprint: str
    page: Page
    layout: bool
    issues: list[Issue] = Field(default_factory=list)
    engine: dict[str, str] = Field(default_factory=dict)
    seconds: float = 0.0

    @property
    def error(self) -> Issue | None:
        """The issue that kept the page from being read, if any."""
        return next((i for i in self.issues if i.code in ("page.unreadable", "page.too_large")), None)


_reader: PageReader | None = None


def read_page(task: PageTask) -> PageOutcome:
    """Read one page and write its files.

    A page that cannot be read gives an outcome with an issue, not an exception.

    Raises:
        WorkspaceError: its files cannot be written; that is no fault of the page.
        SourceError: the document can no longer be opened.
        MissingExtraError: the installation lacks a model.
    """
    started = time.perf_counter()
    number = task.paths.number
    try:
        outcome = _read(task)
    except (WorkspaceError, MissingExtraError):
        raise
    except PageError as error:
        outcome = failed_page(task, error.message, error.code)
    except WholepageError:
        raise
    except MemoryError:
        outcome = failed_page(task, f"Page {number} does not fit into memory.")
    except Exception as error:  # a defect in one page's data must not cost the other pages
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        write_text(task.paths.trace, traceback.format_exc())
        outcome = failed_page(task, f"Page {number} could not be read ({type(error).__name__}: {error}).")
    outcome.seconds = round(time.perf_counter() - started, 3)
    write_bytes(task.paths.outcome, outcome.model_dump_json(indent=1).encode("utf-8", "replace"))
    return outcome


def failed_page(task: PageTask, message: str, code: str = "page.unreadable") -> PageOutcome:
    """Outcome of a page that was not read. An image that was stored before the failure is kept."""
    number = task.paths.number
    image, width, height = None, 0, 0
    if task.paths.image.exists():
        from ingest.render import read_page_image

        try:
            height, width = read_page_image(task.paths.image).shape[:2]
            image = f"pages/{number:03d}.png"
        except PageError:
            image = None
    page = Page(number=number, image=image, width=width, height=height, dpi=task.settings.dpi, kind="scanned")
    issue = Issue(code=code, severity="error", message=message, page=number)
    return PageOutcome(fingerprint=task.fingerprint, page=page, layout=False, issues=[issue])


def load_outcome(paths: PagePaths, fingerprint: str) -> PageOutcome | None:
    """The outcome of an earlier run, if it was made from the same inputs and its files are all there."""
    try:
        outcome = PageOutcome.model_validate_json(paths.outcome.read_bytes())
    except (OSError, ValueError):
        return None
    complete = paths.image.exists() and paths.layout.exists()
    return outcome if outcome.fingerprint == fingerprint and outcome.layout and complete else None


def _read(task: PageTask) -> PageOutcome:
    import cv2

    from ingest.camera import estimate_perspective, estimate_skew, looks_like_photo
    from ingest.orientation import turn_image
    from ingest.render import write_page
    from layout.formulas.recognizers import plugged_recognizer
    from layout.ocr import get_engine
    from layout.page import PageInput, analyse_page
    from layout.types import save_layout

    paths = task.paths
    # The old image stays until the new one replaces it: the paper.json of an earlier run shows it.
    for stale in (paths.outcome, paths.trace):
        stale.unlink(missing_ok=True)
    cv2.setNumThreads(task.threads)
    engine = get_engine(threads=task.threads)
    formulas = plugged_recognizer(task.settings.formula_engine, task.settings.formula_model, task.threads)
    with _page_reader(task.settings).read(task.ref, paths.number) as raw:
        turn, text = _orient(raw, engine)
        image = turn_image(raw.image, turn)
        write_page(image, paths.image)
        settled = text is not None and text.trust == "trusted"
        photo = not settled and looks_like_photo(image, raw.camera)
        layout = analyse_page(PageInput(paths.number, image, raw.dpi, turn, text, photo), engine, formulas)
        layout = replace(layout, turn=turn)
        save_layout(layout, paths.layout)
        extra: dict[str, Any] = {}
        if layout.kind in ("scanned", "photo"):
            extra["skew"] = estimate_skew(image[:, :, 1])
        if layout.kind == "photo":
            matrix = estimate_perspective(image)
            extra["perspective"] = None if matrix is None else matrix.round(6).tolist()
        page = Page(
            number=paths.number,
            image=f"pages/{paths.number:03d}.png",
            width=layout.width,
            height=layout.height,
            dpi=raw.dpi,
            kind=layout.kind,
            turn=turn,
            **extra,
        )
        return PageOutcome(
            fingerprint=task.fingerprint,
            page=page,
            layout=True,
            issues=list(raw.issues),
            engine={**layout.engine, "ocr": getattr(engine, "version", engine.name)},
        )


def _orient(raw: RawPage, engine: OcrEngine) -> tuple[int, TextLayer | None]:
    """Quarter turns, and the text layer judged in that frame."""
    from ingest.orientation import image_turn, text_turn, turn_image
    from ingest.textlayer import read_text_layer
    from ingest.trust import judge_text_layer

    layer, verdict = None, None
    if raw.pdf is not None:
        layer = read_text_layer(raw.pdf, raw.dpi, 0)
        if len(layer.glyphs) >= max(MIN_LAYER_GLYPHS, len(layer.turned)):
            return 0, judge_text_layer(layer, raw.image, engine)
        verdict = text_turn(raw.pdf)

    def readability(crops: Any) -> list[float]:
        # A short reading of a long crop means that the crop was cut across lines.
        return [
            r.confidence * min(1.0, len(r.text) / (0.9 * max(c.shape[1] / c.shape[0], 1.0)))
            for r, c in zip(engine.recognise(crops), crops, strict=True)
        ]

    verdict = verdict or image_turn(raw.image, readability)
    if raw.pdf is not None and verdict.turn:
        layer = read_text_layer(raw.pdf, raw.dpi, verdict.turn)
    if layer is not None and (layer.glyphs or layer.turned):
        layer = judge_text_layer(layer, turn_image(raw.image, verdict.turn), engine)
    return verdict.turn, layer


def _page_reader(settings: Settings) -> PageReader:
    """One reader a process, so that a document is opened once and not for each of its pages."""
    global _reader  # noqa: PLW0603
    from ingest.render import PageReader

    if _reader is None:
        _reader = PageReader(settings)
    return _reader


def close_reader() -> None:
    """Close the document that this process holds open."""
    global _reader  # noqa: PLW0603
    if _reader is not None:
        _reader.close()
    _reader = None


def ocr_threads(settings: Settings, jobs: int) -> int:
    """OCR threads of one worker: as set, else the cores shared out among `jobs`."""
    return settings.threads or max(1, available_cores() // jobs)


def available_cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1
