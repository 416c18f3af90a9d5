"""The contract as models: names, order, round trips, and that unknown fields survive."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from wholepage.records import SCHEMA_ID, Coverage, Figure, Issue, Option, Page, Paper, Part, Question, Source

PAPER_KEYS = [
    "schema", "id", "title", "subject", "language", "level", "released", "source", "pages", "questions", "resources",
    "coverage", "issues", "produced_by",
]  # fmt: skip
QUESTION_KEYS = [
    "id", "number", "section", "type", "points", "stem", "options", "parts", "answer", "solution", "figures", "regions",
    "material", "knowledge_points", "difficulty", "tags", "status", "confidence", "evidence", "issues",
]  # fmt: skip


def make_paper(**fields: object) -> Paper:
    source = Source(file="a.pdf", sha256="0" * 64, bytes=1, pages=1, kind="digital")
    page = Page(number=1, image="pages/001.png", width=1654, height=2339, dpi=200, kind="digital")
    question = Question(
        id="p/1.7",
        number="7",
        type="multiple_choice",
        stem="若 $x>1$，则 ![](figures/p001-f1.png)",
        options=[Option(label="A", text="甲", figure="p001-f1")],
        parts=[Part(label="(1)", text="证明", parts=[Part(label="①", text="充分性")])],
        figures=[Figure(id="p001-f1", file="figures/p001-f1.png", page=1, bbox=(0, 0, 10, 10.5), placement="option:A")],
        issues=[Issue(code="options.incomplete", severity="error", field="options", message="only A")],
    )
    return Paper.model_validate(
        {"id": "p", "source": source, "pages": [page], "questions": [question], "coverage": Coverage(), **fields}
    )


def test_keys_in_the_order_of_the_contract() -> None:
    data = make_paper().model_dump(mode="json", by_alias=True)
    assert list(data) == PAPER_KEYS
    assert list(data["questions"][0]) == QUESTION_KEYS
    assert data["schema"] == SCHEMA_ID == "wholepage/paper@1"
    assert data["questions"][0]["figures"][0]["bbox"] == [0, 0, 10, 10.5]


def test_round_trip() -> None:
    paper = make_paper(released="2026-06-07")
    text = json.dumps(paper.model_dump(mode="json", by_alias=True), ensure_ascii=False)
    again = Paper.model_validate_json(text)
    assert again == paper
    assert again.questions[0].parts[0].parts[0].label == "①"
    assert str(again.released) == "2026-06-07"


def test_fields_of_a_newer_program_survive() -> None:
    data = make_paper().model_dump(mode="json", by_alias=True)
    data["mood"] = "hopeful"
    data["questions"][0]["rubric"] = [{"step": 1}]
    data["pages"][0]["skew"] = 0.4
    again = Paper.model_validate(data).model_dump(mode="json", by_alias=True)
    assert again["mood"] == "hopeful"
    assert again["questions"][0]["rubric"] == [{"step": 1}]
    assert again["pages"][0]["skew"] == 0.4


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("questions", 0, "type"), "essay"),
        (("questions", 0, "confidence"), 1.5),
        (("questions", 0, "answer"), "A"),
        (("questions", 0, "status"), "maybe"),
        (("questions", 0, "figures", 0, "bbox"), [1, 2, 3]),
        (("questions", 0, "issues", 0, "severity"), "fatal"),
        (("pages", 0, "number"), 0),
        (("pages", 0, "kind"), "fax"),
        (("source", "kind"), "papyrus"),
        (("released",), "yesterday"),
    ],
)
def test_wrong_values_are_refused(path: tuple[str | int, ...], value: object) -> None:
    data = make_paper().model_dump(mode="json", by_alias=True)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(ValidationError) as caught:
        Paper.model_validate(data)
    assert caught.value.errors()[0]["loc"][: len(path)] == path


def test_assignments_are_checked() -> None:
    question = make_paper().questions[0]
    with pytest.raises(ValidationError):
        question.type = "essay"  # type: ignore[assignment]


def test_issues_of_paper_and_questions() -> None:
    paper = make_paper(issues=[Issue(code="number.gap", message="3 is missing")])
    assert [i.code for i in paper.all_issues()] == ["number.gap", "options.incomplete"]
    assert paper.has_errors()
    paper.questions[0].issues = []
    assert not paper.has_errors()


def test_schema_names_every_field_of_the_contract() -> None:
    schema = Paper.model_json_schema(by_alias=True)
    assert list(schema["properties"]) == PAPER_KEYS
    assert list(schema["$defs"]["Question"]["properties"]) == QUESTION_KEYS
