"""The line that installs an extra names the folder that wholepage came from."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest

from wholepage import extras


@pytest.mark.parametrize(
    ("recorded", "line"),
    [
        (None, "pip install 'wholepage[exam,score]'"),  # from a package index
        (
            {"url": "file:///home/a/wholepage", "dir_info": {"editable": True}},
            "pip install -e '/home/a/wholepage[exam,score]'",
        ),
        ({"url": "file:///home/my%20papers", "dir_info": {}}, "pip install '/home/my papers[exam,score]'"),
        ({"url": "https://example.org/w.whl", "archive_info": {}}, "pip install 'wholepage[exam,score]'"),
    ],
)
def test_install_line(monkeypatch: pytest.MonkeyPatch, recorded: dict[str, object] | None, line: str) -> None:
    text = None if recorded is None else json.dumps(recorded)
    monkeypatch.setattr(extras, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
    assert extras.install_command("exam,score") == line


def test_install_line_without_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> object:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", absent)
    assert extras.install_command("vlm") == "pip install 'wholepage[vlm]'"
