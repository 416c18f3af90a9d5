"""Errors carry what a user needs, also across a process boundary, and each kind has its documented exit code."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from wholepage.errors import (
    ExitCode,
    MissingExtraError,
    PageError,
    SourceError,
    TemplateError,
    WholepageError,
    WorkspaceError,
)


@pytest.mark.parametrize("kind", [WholepageError, SourceError, PageError, TemplateError, WorkspaceError])
def test_survives_a_process_boundary(kind: type[WholepageError]) -> None:
    error = pickle.loads(pickle.dumps(kind("Page 3 is gone.", hint="Look for it.", code="page.gone")))
    assert type(error) is kind
    assert (error.message, error.hint, error.code) == ("Page 3 is gone.", "Look for it.", "page.gone")
    assert str(error) == "Page 3 is gone. Look for it."


def test_missing_extra_names_the_install_line() -> None:
    error = pickle.loads(pickle.dumps(MissingExtraError.for_extra("vlm", "torch")))
    assert "torch" in error.message
    assert "pip install 'wholepage[vlm]'" in error.hint
    assert error.code == "extra.missing"


def test_each_kind_has_a_code_of_its_own() -> None:
    kinds = [WholepageError, SourceError, PageError, TemplateError, WorkspaceError, MissingExtraError]
    codes = [kind("x").code for kind in kinds]
    assert len(set(codes)) == len(codes)


def test_exit_codes_are_those_of_the_documentation() -> None:
    assert {c.name: int(c) for c in ExitCode} == {
        "OK": 0,
        "FAILURE": 1,
        "USAGE": 2,
        "DOUBTS": 3,
        "UNREADABLE": 4,
        "INTERRUPTED": 130,
    }
    assert SourceError("x").exit_code is ExitCode.UNREADABLE
    assert TemplateError("x").exit_code is ExitCode.USAGE
    assert WorkspaceError("x").exit_code is ExitCode.FAILURE
    documented = (Path(__file__).parent.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    assert all(f"| {int(code)} |" in documented for code in ExitCode)
