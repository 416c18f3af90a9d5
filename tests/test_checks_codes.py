"""The registry of issue codes, the documentation and the code that raises them agree."""

from __future__ import annotations

import re
from pathlib import Path

from parse_templates.checks_codes import BY_CODE, CODES, KEY_PREFIX, code_table

ROOT = Path(__file__).parents[1]
RAISED = re.compile(
    r"""(?:\bcode=|\bDoubt\(\s*|\bissue\(question,\s*)"([a-z_]+\.[a-z_]+)"(?:\s*,\s*severity="(\w+)")?"""
)
ERRORS = ("SourceError", "PageError", "WorkspaceError", "WholepageError", "MissingExtraError")


def test_no_code_is_listed_twice() -> None:
    assert len(BY_CODE) == len(CODES)


def test_the_documentation_lists_the_registry() -> None:
    assert code_table() in (ROOT / "docs" / "issues.md").read_text(encoding="utf-8")


def test_every_code_that_is_raised_is_registered() -> None:
    unknown: dict[str, str] = {}
    for room in ("ingest", "layout", "parse_templates", "wholepage", "exam_mode/interchange"):
        for file in (ROOT / room).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            for match in RAISED.finditer(text):
                code = match[1]
                before = text[max(0, match.start() - 400) : match.start()]
                inside = max((before.rfind(kind + "(") for kind in ("Issue", "Doubt", "issue")), default=-1)
                an_error = max(before.rfind(name) for name in ERRORS)
                if code not in BY_CODE and inside > an_error:
                    unknown[code] = file.name
    assert unknown == {}


def test_every_severity_is_the_registered_one() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "parse_templates").glob("checks_*.py"))
    said = re.findall(r'issue\(question, "([a-z_.]+)", "(\w+)"', text)
    assert len(said) > 15
    assert [(c, s) for c, s in said if BY_CODE[c].severity != s] == []


def test_the_prefix_of_keys_is_no_code_of_its_own() -> None:
    assert KEY_PREFIX.rstrip(".") not in BY_CODE
