"""Templates: what a source's papers look like, as YAML data, validated before use.

A template states patterns, never code. `extends` inherits every field that the template does not state itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from wholepage.errors import TemplateError
from wholepage.records import QuestionType

FOLDER = Path(__file__).parent / "templates"
MAX_PATTERN = 600  # characters; a longer pattern is not meant for people to read


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NumberStyle(_Model):
    """How a question's number is printed; the pattern has a group `n` and matches at the start of a line."""

    pattern: str
    weight: float = Field(3.0, description="Evidence that a match is a question's number; 1 is weak.")


class TypeRule(_Model):
    """Words in a section's heading (or a stem) that name a question type; the first rule that fits counts."""

    type: QuestionType
    words: list[str]


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


class FieldRules(_Model):
    """Patterns with one group `v`, the value, for fields that only some sources print."""

    knowledge_points: list[str] = Field(default_factory=list)
    difficulty: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)

    @field_validator("*", mode="after")
    @classmethod
    def _have_a_value(cls, value: list[str]) -> list[str]:
        for pattern in value:
            if "(?P<v>" not in pattern:
                raise ValueError(f"pattern {pattern!r} has no group v, as in (?P<v>.+)")
        return value


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
    instructions: list[str] = Field(default_factory=list, description="Headings of lists that are no questions.")
    closes: str = Field(
        "", description="A line that ends a question, as [Total: 11]; numbers may begin anew behind it."
    )
    furniture: list[str] = Field(default_factory=list, description="Lines that belong to no question.")
    captions: str = Field("", description="A caption: `fig`, the figure's label, `q` or `r`, its question's number.")
    names_figure: str = Field("", description="A stem that speaks of a figure by its label `fig`.")
    proof: str = Field("", description="What a task says that asks for a proof.")
    mentions_figure: str = Field("", description="What a stem says when it has a figure.")

    @field_validator("*", mode="after")
    @classmethod
    def _patterns_compile(cls, value: Any, info: Any) -> Any:
        for pattern in _strings(value) if info.field_name not in ("name", "about", "extends", "section_name") else ():
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
        return [s for item in value.__dict__.values() for s in _strings(item)]
    if isinstance(value, list | tuple):
        return [s for item in value for s in _strings(item)]
    return []


def template_names(folder: Path = FOLDER) -> list[str]:
    """Names of the templates that ship, sorted."""
    return sorted(p.stem for p in folder.glob("*.yaml"))


@lru_cache(maxsize=64)
def load_template(name: str, folder: Path = FOLDER) -> Template:
    """The template called `name`, or the one in the file `name` if that is a path to a YAML file.

    Raises:
        TemplateError: there is no such template, or it does not validate.
    """
    path = Path(name) if name.endswith((".yaml", ".yml")) else folder / f"{name}.yaml"
    data = _merged(path, folder, ())
    try:
        return Template.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TemplateError(f"Template {path.name}: {where}: {first['msg']}.", hint="Mend that field.") from error


def _merged(path: Path, folder: Path, seen: tuple[str, ...]) -> dict[str, Any]:
    if path.stem in seen:
        raise TemplateError(
            f"Template {path.stem} extends itself through {' → '.join(seen)}.", hint="Break the circle."
        )
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        known = ", ".join(template_names(folder))
        raise TemplateError(
            f"There is no template {path.stem!r}.", hint=f"Choose one of {known}, auto, or give a .yaml file."
        ) from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise TemplateError(f"Cannot read template {path}: {error}", hint="It must be UTF-8 YAML.") from error
    if not isinstance(data, dict):
        raise TemplateError(f"Template {path} holds no fields.", hint="See docs/templates.md for an example.")
    if base := data.get("extends"):
        data = {**_merged(folder / f"{base}.yaml", folder, (*seen, path.stem)), **data}
    return data


def to_yaml(template: Template) -> str:
    """The template with all inherited fields, without empty ones."""
    data = {k: v for k, v in template.model_dump(exclude={"extends"}).items() if v not in ("", [], {})}
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=110)


STARTER = """\
name: {name}
about: Say in a line which papers this is for.
extends: {base}
# applies: what only this source prints; each that is found speaks for the template when `auto` chooses.
# applies: ['【考点】']
# numbers: how a question's number is printed (group n, from the start of a line) and how sure it is (3: very).
# numbers:
#   - {{pattern: '^\\s*第\\s*(?P<n>\\d{{1,2}})\\s*题', weight: 3}}
# headings: lines that begin a section (groups ord and rest).
# options, parts: their marks (group l).
# solutions: marks before printed answers and solutions.
# solutions:
#   answer: ['^\\s*答[:：]']
#   solution: ['^\\s*解[:：]']
# key: where the answer key begins.
# key: {{headings: ['^\\s*参考答案']}}
# fields: what else the source prints (group v).
# fields: {{knowledge_points: ['【考点】(?P<v>[^【]+)']}}
"""


def starter(name: str, base: Template) -> str:
    """A template to start from: it inherits from `base`; what it may state stands there as comments."""
    return STARTER.format(name=name, base=base.name)
