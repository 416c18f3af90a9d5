"""What the layout room hands on: one typed `PageLayout` a page. Boxes are pixels of the stored page image."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from wholepage.boxes import Box
from wholepage.errors import WorkspaceError
from wholepage.records import PageKind
from wholepage.workspace import write_bytes

Origin = Literal["text_layer", "ocr"]
Role = Literal[
    "body",  # text that questions are made of
    "header",
    "footer",
    "page_number",
    "seal",  # the side strip beside the seal line (装订线) with its rotated text
    "watermark",
    "label",  # lettering inside a figure
    "caption",  # 图1, Figure 2: bound to a figure
    "table",  # text that lives in a ruled table
]


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character with its box; for OCR the box is interpolated from the recogniser's time steps.

    `size` is the font size in pixels of the stored page (0 when unknown), `font` the font's name, `baseline` the y of
    the writing line (text layer only).
    """

    text: str
    box: Box
    size: float = 0.0
    font: str = ""
    confidence: float = 1.0
    baseline: float | None = None


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What a PDF page says of itself, mapped to pixels of the stored page image.

    `glyphs` are the visible characters that run left to right, `turned` those that run another way (seal strips,
    slanted watermarks), `rules` thin drawn lines, `paths` boxes of other small drawings (radical signs, arrows over
    letters; their right end may lie too far out when the PDF clips them), `pictures` placed images. `trust` is the
    verdict on the glyphs: trusted, partial (text only on a part of what is printed) or lying; `reason` says why.
    """

    glyphs: tuple[Glyph, ...]
    turned: tuple[Glyph, ...] = ()
    rules: tuple[Box, ...] = ()
    pictures: tuple[Box, ...] = ()
    paths: tuple[Box, ...] = ()
    trust: Literal["unchecked", "trusted", "partial", "lying"] = "unchecked"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text within one column. `text` equals the glyphs' texts joined."""

    text: str
    box: Box
    glyphs: tuple[Glyph, ...]
    confidence: float
    origin: Origin
    role: Role = "body"
    column: int = 0
    bold: bool = False
    figure: int | None = None  # index into PageLayout.figures for labels and captions
    table: int | None = None  # index into PageLayout.tables


@dataclass(frozen=True, slots=True)
class FigureRegion:
    """Ink that no text explains, with its lettering; `caption` as printed, e.g. 图1."""

    box: Box
    caption: str | None = None
    column: int = 0
    kind: Literal["picture", "drawing", "table"] = "drawing"


@dataclass(frozen=True, slots=True)
class TableRegion:
    """A ruled table as HTML; `rows` are the cells' texts, spanned cells repeated as empty strings."""

    box: Box
    html: str
    rows: tuple[tuple[str, ...], ...]
    column: int = 0


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt of this stage; becomes an `Issue` of the paper."""

    code: str
    message: str
    severity: Literal["error", "warning"] = "warning"
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class PageLayout:
    """Everything read from one page, lines in reading order.

    `residual_ink` is the share (0–1) of the page's ink that no text, figure, table or rule explains.
    `engine` names what read the text, for `produced_by`.
    """

    number: int
    width: int
    height: int
    dpi: float
    kind: PageKind
    turn: int = 0
    lines: tuple[Line, ...] = ()
    figures: tuple[FigureRegion, ...] = ()
    tables: tuple[TableRegion, ...] = ()
    columns: tuple[Box, ...] = ()
    residual_ink: float = 0.0
    doubts: tuple[Doubt, ...] = ()
    engine: dict[str, str] = field(default_factory=dict)

    def with_lines(self, lines: tuple[Line, ...]) -> PageLayout:
        """The same page with other lines."""
        return replace(self, lines=lines)


_ADAPTER = TypeAdapter(PageLayout)


def save_layout(layout: PageLayout, path: Path) -> None:
    """Atomically write a layout as JSON."""
    write_bytes(path, _ADAPTER.dump_json(layout))


def load_layout(path: Path) -> PageLayout:
    """Read a layout written by `save_layout`. Raises WorkspaceError when the file is absent or damaged."""
    try:
        return _ADAPTER.validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"Cannot read the page layout {path}: {error}.", hint="Ingest the file again.") from error
