"""Templates: what a source's papers look like, as YAML data, validated before use.

A template states patterns and a prompt for a model, never code. `extends` inherits every field that the template does
not state itself; see template_files.py.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from parse_templates.worked import Example
from wholepage.records import QuestionType, ResourceType

PLAIN = frozenset({"name", "about", "extends", "section_name", "prompt", "examples", "means"})  # no patterns
MAX_PATTERN = 600  # characters; a longer pattern is not meant for people to read


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _with_groups(pattern: str, *names: str) -> str:
    """The pattern, if it has the groups that the program reads; ValueError if not."""
    for name in names:
        if f"(?P<{name}>" not in pattern:
            raise ValueError(f"pattern {pattern!r} has no group {name}, as in (?P<{name}>.+)")
    return pattern


class NumberStyle(_Model):
    """How a question's number is printed; the pattern has a group `n` and matches at the start of a line."""

    pattern: str
    weight: float = Field(3.0, description="Evidence that a match is a question's number; 1 is weak.")


class TypeRule(_Model):
    """Words in a section's heading (or a stem) that name a question type; the first rule that fits counts."""

    type: QuestionType
    words: list[str]
    means: str = Field("", description="What a model is told of the type; by default what it is everywhere.")


class PointRules(_Model):
    """Patterns with one group `p`, the marks."""

    question: list[str] = Field(default_factory=list, description="In the question's first line.")
    end: list[str] = Field(default_factory=list, description="At the end of a line of a question or part.")
    parts: str = Field("", description="In the question's head: groups `l`, a part's label, and `p`, its marks.")
    numbered: str = Field("", description="In a heading: groups `a`, `b` (may be absent) and `p` for numbers a to b.")
    each: list[str] = Field(default_factory=list, description="In a heading: marks of each question.")
    total: list[str] = Field(default_factory=list, description="In a heading: marks of the section.")
    count: list[str] = Field(default_factory=list, description="In a heading: number of questions.")


class SolutionMarks(_Model):
    """Patterns of the marks that introduce printed answers and solutions inside a question."""

    answer: list[str] = Field(default_factory=list)
    solution: list[str] = Field(default_factory=list)
    remark: str = Field("", description="Where a printed answer ends and a remark on it begins.")
    verdict: list[str] = Field(default_factory=list, description="With group `a`: letters named by the solution.")


class KeyRules(_Model):
    """Where and how an answer key is printed."""

    headings: list[str] = Field(default_factory=list)
    table_numbers: list[str] = Field(default_factory=list)
    table_answers: list[str] = Field(default_factory=list)
    steps: str = Field("", description="Marks of a single step at the end of a line, as ……3分; no part of an answer.")


class FieldRules(_Model):
    """Patterns with one group `v`, the value, for fields that only some sources print."""

    knowledge_points: list[str] = Field(default_factory=list)
    difficulty: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    source: list[str] = Field(default_factory=list, description="Where a question is taken from, as （2023·北京）.")

    @field_validator("*", mode="after")
    @classmethod
    def _have_a_value(cls, value: list[str]) -> list[str]:
        for pattern in value:
            _with_groups(pattern, "v")
        return value


class ItemRule(_Model):
    """A labelled item of a textbook; the pattern has groups `k`, its kind as printed, and `n`, its number."""

    type: ResourceType
    pattern: str

    @field_validator("pattern", mode="after")
    @classmethod
    def _has_groups(cls, value: str) -> str:
        return _with_groups(value, "k", "n")


class ChapterRules(_Model):
    """What a chapter of a textbook is made of."""

    section: str = Field(description="A numbered section heading: groups `n` and `t`, its number and title.")
    items: list[ItemRule] = Field(default_factory=list, description="Examples, activities and their like.")
    figure: str = Field("", description="A figure's caption, group `n`, its label.")
    exercises: str = Field("", description="The heading of a block of exercises.")
    spoken: str = Field("", description="Words of which headings have hardly any, and captions none behind the label.")

    @field_validator("section", mode="after")
    @classmethod
    def _has_groups(cls, value: str) -> str:
        return _with_groups(value, "n", "t")


class Template(_Model):
    """One template. All patterns are Python regular expressions."""

    name: str
    about: str = ""
    extends: str | None = None
    language: str = "zh"
    applies: list[str] = Field(default_factory=list, description="Marks of the source; each found speaks for it.")
    headings: list[str] = Field(default_factory=list, description="Section headings; groups `ord` and `rest`.")
    heading_words: str = Field("", description="What `rest` must contain; empty for anything.")
    section_name: str = Field("{rest}", description="How a section is called: {ord}, {rest} or both.")
    types: list[TypeRule] = Field(default_factory=list)
    type_ranges: str = Field("", description="In headings: groups `a`, `b` and `rule` for numbers a to b.")
    section_rules: str = Field("", description="In instructions: a section's name, group `ord`, before its rules.")
    directions: str = Field("", description="A line that opens directions for several questions.")
    directed: str = Field("(?!)", description="In directions: groups `a` and `b`, the numbers they are for.")
    numbers: list[NumberStyle] = Field(default_factory=list)
    label: str = Field("", description="A heading in brackets behind a question's number, as 【选修2：…】; group `t`.")
    options: list[str] = Field(default_factory=list, description="Option marks, group `l`; tried in order.")
    parts: list[str] = Field(default_factory=list, description="Part marks by level, group `l`.")
    parts_either_way: bool = Field(False, description="A later level of `parts` may stand around an earlier one.")
    alternatives: str = Field("", description="A line that parts two alternatives, of which one is answered.")
    points: PointRules = Field(default_factory=PointRules)
    solutions: SolutionMarks = Field(default_factory=SolutionMarks)
    key: KeyRules = Field(default_factory=KeyRules)
    fields: FieldRules = Field(default_factory=FieldRules)
    chapter: ChapterRules | None = Field(None, description="Of a textbook; papers have none.")
    instructions: list[str] = Field(default_factory=list, description="Headings of lists that are no questions.")
    closes: str = Field(
        "", description="A line that ends a question, as [Total: 11]; numbers may begin anew behind it."
    )
    furniture: list[str] = Field(default_factory=list, description="Lines that belong to no question.")
    captions: str = Field("", description="A caption: `fig`, the figure's label, `q` or `r`, its question's number.")
    names_figure: str = Field("", description="A stem that speaks of a figure by its label `fig`.")
    proof: str = Field("", description="What a task says that asks for a proof.")
    mentions_figure: str = Field("", description="What a stem says when it has a figure.")
    prompt: list[str] = Field(default_factory=list, description="Jinja blocks for the model, inherited ones first.")
    examples: list[Example] = Field(default_factory=list, description="Small worked examples for the model.")

    @field_validator("prompt", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @field_validator("*", mode="after")
    @classmethod
    def _patterns_compile(cls, value: Any, info: Any) -> Any:
        for pattern in _strings(value) if info.field_name not in PLAIN else ():
            if len(pattern) > MAX_PATTERN:
                raise ValueError(f"pattern of {len(pattern)} characters is longer than {MAX_PATTERN}")
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"pattern {pattern!r} is no regular expression: {error}") from error
        return value


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, BaseModel):
        return [s for name, item in value.__dict__.items() if name not in PLAIN for s in _strings(item)]
    if isinstance(value, list | tuple):
        return [s for item in value for s in _strings(item)]
    return []
