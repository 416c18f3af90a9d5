"""What each rule of a template catches on given pages: the workbench of who writes a template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from layout.types import PageLayout
from parse_templates.parser import ParsedPaper, parse_prepared, prepare
from parse_templates.template import Template

EXAMPLES = 3
LOOKED_FOR = (
    "applies", "headings", "numbers", "options", "parts", "points", "solutions", "key", "fields", "chapter",
    "alternatives", "closes", "instructions", "furniture", "captions", "mentions_figure",
)  # fmt: skip


@dataclass(frozen=True)
class Caught:
    """One pattern: the field that it stands in, how many lines it matches, and the first of them."""

    field: str
    pattern: str
    lines: int
    examples: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """As one object of `--json`."""
        return {"field": self.field, "pattern": self.pattern, "lines": self.lines, "examples": list(self.examples)}


def try_template(
    layouts: Sequence[PageLayout], template: str, answers: Sequence[PageLayout] = ()
) -> tuple[Template, list[Caught], ParsedPaper]:
    """The template used (`auto` picks one), what its patterns catch, and what the parser makes of the pages and those
    of a separate key.

    Raises TemplateError as `parse_paper` does.
    """
    prepared = prepare(layouts, template, answers)
    texts = [(f"p. {line.page}", line.text) for line in prepared.flow if line.table is None]
    texts += [(f"key p. {line.page}", line.text) for line in prepared.answers if line.table is None]
    found = [_caught(field, pattern, texts) for field, pattern in rules_of(prepared.template)]
    return prepared.template, found, parse_prepared(prepared)


def rules_of(template: Template) -> Iterator[tuple[str, str]]:
    """Every pattern of a template that is looked for in lines, with the name of its field."""
    data = template.model_dump()
    for name in LOOKED_FOR:
        yield from _named(name, data[name])


def _named(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if value:
            yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "type":
                continue  # of an item of a chapter: no pattern
            yield from _named(name if key == "pattern" else f"{name}.{key}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(name, inner)


def _caught(field: str, pattern: str, texts: Sequence[tuple[str, str]]) -> Caught:
    rule = re.compile(pattern)
    hits = [f"{page}: {text.strip()[:60]}" for page, text in texts if rule.search(text)]
    return Caught(field, pattern, len(hits), tuple(hits[:EXAMPLES]))
