"""The source of a sample paper: one YAML file with everything that is printed, and thereby its truth.

Texts are Markdown with LaTeX in `$…$`; `____` is a blank on the page and in the truth.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wholepage.errors import WholepageError
from wholepage.records import QuestionType

SOURCES = Path(__file__).parent / "sources"


class SourcePaperError(WholepageError):
    """A paper source in samples/sources that does not validate."""

    default_code = "samples.source"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Figure(_Strict):
    """A drawing of samples/typst/figures.typ by name; `raster` places it as a picture instead of vectors."""

    draw: str
    place: Literal["right", "below", "option", "solution"] = "below"
    caption: str | None = None
    raster: bool = False
    option: str | None = None  # label of the option that the figure stands for


class Table(_Strict):
    """A ruled table; the first row is its heading."""

    rows: list[list[str]]
    caption: str | None = None


class Part(_Strict):
    """A sub-question; `answer` holds what the key prints for it, `known_answer` what is right in any case."""

    label: str
    text: str
    points: float | None = None
    answer: list[str] = Field(default_factory=list)
    known_answer: list[str] = Field(default_factory=list)
    space: float = 0  # millimetres left free (or ruled) for the answer
    ruled: bool = False  # whether that space has dotted lines to write on
    parts: list[Part] = Field(default_factory=list)


class Question(_Strict):
    """One question. `answer` is printed somewhere on the paper; `known_answer` is right but not printed."""

    number: str
    stem: str
    points: float | None = None
    type: QuestionType | None = None
    options: dict[str, str] = Field(default_factory=dict)
    columns: int = 1
    figures: list[Figure] = Field(default_factory=list)
    table: Table | None = None
    after: str | None = None  # text printed below the table or figure, still part of the stem
    parts: list[Part] = Field(default_factory=list)
    answer: list[str] = Field(default_factory=list)
    known_answer: list[str] = Field(default_factory=list)
    solution: str = ""
    inline_key: bool = False  # print 【答案】 and 【解析】 right after the question
    space: float = 0


class Section(_Strict):
    """A section: its heading as printed, and the type and points that its rule gives to each question."""

    name: str
    heading: str
    note: str | None = None
    type: QuestionType
    points: float | None = None
    questions: list[Question]


class KeyTable(_Strict):
    """题号/答案 table of one section."""

    section: str
    per_row: int = 10


class Key(_Strict):
    """The key on the last page; `lines` are printed as they stand."""

    title: str
    tables: list[KeyTable] = Field(default_factory=list)
    blanks: list[str] = Field(default_factory=list, description="Sections whose answers are listed one a line.")
    solutions: list[str] = Field(default_factory=list, description="Sections whose solutions are printed in full.")
    lines: list[str] = Field(default_factory=list)


class PageSetup(_Strict):
    """Sizes in millimetres."""

    width: float = 210
    height: float = 297
    margin_x: float = 22
    margin_y: float = 22
    columns: int = 1
    gutter: float = 8
    seal: bool = False
    size: float = 10.5  # text size in points
    leading: float = 0.85  # em between lines


class PaperSource(_Strict):
    """A whole paper."""

    name: str
    title: list[str]
    subject: Literal["math", "physics", "chemistry", "biology", "geography", "science", "other"]
    language: Literal["zh", "en"]
    total_points: float
    page: PageSetup = Field(default_factory=PageSetup)
    header: str | None = None
    footer: str
    number_suffix: str = "."
    option_style: Literal["A.", "A．", "(A)"] = "A."
    blank_style: Literal["rule", "underscore"] = "rule"
    subtitle: str | None = None
    fields: str | None = None
    instructions_title: str | None = None
    instructions: list[str] = Field(default_factory=list)
    break_after_instructions: bool = False
    sections: list[Section]
    key: Key | None = None
    photo_pages: list[int] = Field(default_factory=list)
    seed: int


def load_source(path: Path) -> PaperSource:
    """Read one source file.

    Raises:
        SourcePaperError: the YAML is broken or a field is wrong; the message names file and field.
    """
    try:
        return PaperSource.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise SourcePaperError(f"Cannot read the paper source {path}: {error}", hint="Correct the file.") from error


def source_names() -> list[str]:
    """Names of all papers, sorted."""
    return sorted(path.stem for path in SOURCES.glob("*.yaml"))
