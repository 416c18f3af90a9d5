"""The paper.json contract as pydantic models: what ingestion writes and review, exams and scoring read.

Field order is the order in the file. Unknown fields are kept (`extra="allow"`), so that a newer program's file
survives a round trip through an older one. Boxes are [x0, y0, x1, y1] in pixels of the stored page image.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
SCHEMA_ID = "wholepage/paper@1"

QuestionType = Literal[
    "multiple_choice", "multi_select", "true_false", "fill_in_blank", "open_ended", "proof", "unknown"
]
ResourceType = Literal["passage", "figure", "example", "activity", "exercise", "definition"]
SourceKind = Literal["digital", "scanned", "mixed", "photo"]
PageKind = Literal["digital", "scanned", "photo", "blank"]
Severity = Literal["error", "warning"]
BBox = tuple[float, float, float, float]


class Record(BaseModel):
    """Base of all records: unknown fields are kept, assignments are checked."""

    model_config = ConfigDict(extra="allow", validate_assignment=True, populate_by_name=True, serialize_by_alias=True)


class Issue(Record):
    """A doubt about a page, a question or the whole paper; docs/issues.md lists the codes."""

    code: str
    severity: Severity = "warning"
    field: str | None = Field(None, description="Field of the question that is in doubt, e.g. options or points.")
    message: str
    page: int | None = Field(None, description="1-based page, where the doubt has a place.")
    bbox: BBox | None = Field(None, description="Pixels of that page's stored image.")


class Source(Record):
    """The file as it was received."""

    file: str
    sha256: str
    bytes: int
    pages: int
    kind: SourceKind


class Page(Record):
    """One stored page image."""

    number: int = Field(ge=1)
    image: str | None = Field(description="Path below the paper's folder; null when the page could not be read.")
    width: int
    height: int
    dpi: float
    kind: PageKind
    turn: int = Field(0, description="Quarter turns clockwise that were applied to the page as received, 0–3.")


class Option(Record):
    """One printed option of a choice question."""

    label: str
    text: str
    figure: str | None = Field(None, description="id of the figure that stands for the option.")


class Part(Record):
    """A sub-question such as (1) or (a); parts may nest."""

    label: str
    text: str
    points: float | None = None
    answer: list[str] = Field(default_factory=list)
    solution: str = ""
    parts: list[Part] = Field(default_factory=list)


class Figure(Record):
    """A cropped figure. `placement`: stem, option:A, part:(2), solution or shared."""

    id: str
    file: str
    page: int
    bbox: BBox
    placement: str = "stem"
    caption: str | None = None


class Region(Record):
    """A box on one page that belongs to a question."""

    page: int
    bbox: BBox


class Evidence(Record):
    """Where a field was read, what stood there, and how close the final text is to it."""

    page: int | None = None
    bbox: BBox | None = None
    raw: str = ""
    similarity: float = Field(1.0, ge=0, le=1)
    confidence: float = Field(1.0, ge=0, le=1)
    origin: str = Field("", description="text_layer, ocr, heading, key …: the source that was believed.")


class Question(Record):
    """One question with everything that the page prints about it."""

    id: str
    number: str
    section: str | None = None
    type: QuestionType = "unknown"
    points: float | None = None
    stem: str = Field("", description="That of a question which begins with its first part is the text of this part.")
    options: list[Option] = Field(default_factory=list)
    parts: list[Part] = Field(default_factory=list)
    answer: list[str] = Field(default_factory=list)
    solution: str = ""
    figures: list[Figure] = Field(default_factory=list)
    regions: list[Region] = Field(default_factory=list)
    material: str | None = None
    knowledge_points: list[str] = Field(default_factory=list)
    difficulty: float | None = None
    tags: list[str] = Field(default_factory=list)
    status: Literal["unverified", "verified", "rejected"] = "unverified"
    confidence: float = Field(0.0, ge=0, le=1)
    evidence: dict[str, Evidence] = Field(default_factory=dict)
    issues: list[Issue] = Field(default_factory=list)

    @property
    def own_stem(self) -> str:
        """The stem, empty where it repeats the text of the part that the question begins with.

        For those who show or compare the parts as well.
        """
        first = _IMAGE.sub("", self.parts[0].text).strip() if self.parts else ""
        return "" if first and self.stem.strip() == first else self.stem


class Resource(Record):
    """A piece of a textbook: passage, figure, worked example, activity, exercise or definition."""

    id: str
    type: ResourceType
    chapter: str | None = None
    section: str | None = None
    subsection: str | None = None
    page: int
    bbox: BBox
    text: str
    file: str | None = None
    caption: str | None = None
    summary: str | None = None
    concepts: list[str] = Field(default_factory=list)


class SectionCoverage(Record):
    """What one section says it holds against what was found."""

    section: str | None
    expected: list[str] = Field(default_factory=list, description="Numbers expected from sequence and heading.")
    found: list[str] = Field(default_factory=list)
    gaps: list[str] = Field(default_factory=list)
    points_stated: float | None = None
    points_summed: float | None = None


class Coverage(Record):
    """How much of the printed paper the questions account for."""

    sections: list[SectionCoverage] = Field(default_factory=list)
    residual_ink: dict[str, float] = Field(
        default_factory=dict,
        description="Page number → share of ink that no text, figure, table or rule explains.",
    )


class Paper(Record):
    """The whole file, `papers/<id>/paper.json`."""

    schema_id: str = Field(SCHEMA_ID, alias="schema")
    id: str
    title: str | None = None
    subject: str | None = None
    language: str | None = None
    level: str | None = None
    released: date | None = None
    source: Source
    pages: list[Page] = Field(default_factory=list)
    questions: list[Question] = Field(default_factory=list)
    resources: list[Resource] = Field(default_factory=list)
    coverage: Coverage = Field(default_factory=Coverage)
    issues: list[Issue] = Field(default_factory=list)
    produced_by: dict[str, Any] = Field(default_factory=dict)

    def all_issues(self) -> list[Issue]:
        """Issues of the paper followed by those of its questions."""
        return [*self.issues, *(issue for question in self.questions for issue in question.issues)]

    def has_errors(self) -> bool:
        """Whether anything is listed with severity `error`."""
        return any(issue.severity == "error" for issue in self.all_issues())
