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
    is_interrupt,
)
from wholepage.extras import install_command


@pytest.mark.parametrize("kind", [WholepageError, SourceError, PageError, TemplateError, WorkspaceError])
def test_survives_a_process_boundary(kind: type[WholepageError]) -> None:
    error = pickle.loads(pickle.dumps(kind("Page 3 is gone.", hint="Look for it.", code="page.gone")))
    assert type(error) is kind
    assert (error.message, error.hint, error.code) == ("Page 3 is gone.", "Look for it.", "page.gone")
    assert str(error) == "Page 3 is gone. Look for it."


def test_missing_extra_names_the_install_line() -> None:
    error = pickle.loads(pickle.dumps(MissingExtraError.for_extra("vlm", "torch")))
    assert "torch" in error.message
    assert install_command("vlm") in error.hint
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


class TestInterrupts:
    @staticmethod
    def chained(direct: bool) -> RuntimeError:
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as stop:
                if direct:
                    raise RuntimeError("a library in C returned with an exception set") from stop
                raise RuntimeError("clean-up failed") from None
        except RuntimeError as error:
            return error

    @pytest.mark.parametrize("direct", [True, False])
    def test_an_error_behind_which_stands_ctrl_c(self, direct: bool) -> None:
        assert is_interrupt(self.chained(direct))
        assert not is_interrupt(RuntimeError("just so"))

    @pytest.mark.parametrize("direct", [True, False])
    def test_neither_a_page_nor_a_paper_swallows_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, direct: bool
    ) -> None:
        from ingest.pairing import Pair
        from ingest.sources import PageRef
        from wholepage import batch, reading
        from wholepage.pipeline import IngestOptions
        from wholepage.settings import Settings
        from wholepage.workspace import Workspace

        def stop(*_: object, **__: object) -> None:
            raise self.chained(direct)

        monkeypatch.setattr(reading, "_read", stop)
        ref = PageRef("pdf", tmp_path / "a.pdf", 0)
        with pytest.raises(KeyboardInterrupt):
            reading.read_page(reading.PageTask(ref, reading.PagePaths(tmp_path, 1), Settings(), 1, "f"))
        monkeypatch.setattr(batch, "open_source", stop)
        (tmp_path / "a.pdf").write_bytes(b"x")
        with (
            batch.Batch(Workspace(tmp_path / "ws"), IngestOptions(settings=Settings())) as running,
            pytest.raises(KeyboardInterrupt),
        ):
            running.ingest(Pair(tmp_path / "a.pdf"))
