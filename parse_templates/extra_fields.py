"""Fields beyond the standard ones that a source prints in its questions: knowledge points, difficulty, tags, source."""

from __future__ import annotations

import re

from parse_templates.draft import Draft
from parse_templates.template import Template
from wholepage.records import Question

BETWEEN = re.compile(r"\s*[;；、,，|/]\s*|\s{2,}")


def add_fields(record: Question, draft: Draft, template: Template) -> None:
    """Fill `knowledge_points`, `difficulty`, `tags` and `source` of a record from the question's and the key's text.

    A difficulty must be a number from 0 to 1, or a share in per cent; other words are kept as a tag. A record has the
    field `source` where a line says what the question was taken from.
    """
    rules = template.fields
    text = "\n".join([*(line.text for line in draft.lines), draft.solution_text])
    record.knowledge_points = _listed(rules.knowledge_points, text)
    record.tags = _listed(rules.tags, text)
    for said in _found(rules.difficulty, text):
        number = re.fullmatch(r"(0?\.\d+|[01](?:\.0+)?|\d{1,3}%)", said)
        if number is None:
            record.tags.append(said)
        else:
            value = float(said.rstrip("%")) / (100 if said.endswith("%") else 1)
            record.difficulty = value if 0 <= value <= 1 else None
        break
    for said in _found(rules.source, text):
        record.source = said  # type: ignore[attr-defined]
        break


def _found(patterns: list[str], text: str) -> list[str]:
    return [m["v"].strip() for p in patterns for m in re.finditer(p, text) if m["v"].strip()]


def _listed(patterns: list[str], text: str) -> list[str]:
    values = [v.strip(" .。．") for said in _found(patterns, text) for v in BETWEEN.split(said)]
    return list(dict.fromkeys(v for v in values if v))
