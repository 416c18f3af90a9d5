"""The watched folder from end to end: duplicates, keys before and after their papers, files and disks that fail."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ingest_papers import make_pdf, save_image, use_fakes

from wholepage.batch import SilentReporter
from wholepage.errors import ExitCode, WorkspaceError
from wholepage.pipeline import IngestOptions, PaperResult
from wholepage.settings import Settings
from wholepage.watching import watch_folder
from wholepage.workspace import Workspace

OPTIONS = IngestOptions(settings=Settings(settle_seconds=0.05))


class Recorder(SilentReporter):
    def __init__(self) -> None:
        self.results: list[PaperResult] = []

    def finish(self, result: PaperResult) -> None:
        self.results.append(result)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    return use_fakes(monkeypatch)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def once(inbox: Path, workspace: Workspace) -> tuple[list[tuple[str, str]], ExitCode]:
    recorder = Recorder()
    code = watch_folder(inbox, workspace, OPTIONS, recorder, once=True)
    return [(r.path.name, r.status) for r in recorder.results], code


def answers_of(workspace: Workspace) -> dict[str, list[str]]:
    papers = [workspace.load(i) for i in workspace.paper_ids()]
    return {p.source.file: p.questions[0].answer for p in papers}


def test_an_empty_inbox(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    assert once(inbox, workspace) == ([], 0)


def test_papers_are_taken_once(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    make_pdf(inbox / "b.pdf")
    make_pdf(inbox / "a.pdf")
    assert once(inbox, workspace) == ([("a.pdf", "ok"), ("b.pdf", "ok")], 0)
    assert once(inbox, workspace) == ([], 0)
    assert {p.name for p in inbox.iterdir()} == {"a.pdf", "b.pdf"}


def test_same_bytes_under_another_name(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(inbox / "a.pdf")
    once(inbox, workspace)
    (inbox / "copy.pdf").write_bytes(path.read_bytes())
    assert once(inbox, workspace) == ([("copy.pdf", "duplicate")], 0)
    assert once(inbox, workspace) == ([], 0)
    assert len(workspace.paper_ids()) == 1


def test_two_copies_at_once(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    (inbox / "b.pdf").write_bytes(make_pdf(inbox / "a.pdf").read_bytes())
    assert once(inbox, workspace) == ([("a.pdf", "ok"), ("b.pdf", "duplicate")], 0)


def test_a_paper_whose_folder_was_deleted_is_read_again(
    inbox: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    make_pdf(inbox / "a.pdf")
    once(inbox, workspace)
    [paper_id] = workspace.paper_ids()
    (workspace.paper_dir(paper_id) / "paper.json").unlink()
    assert once(inbox, workspace) == ([("a.pdf", "ok")], 0)


def test_paper_and_key_together(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    make_pdf(inbox / "卷.pdf")
    make_pdf(inbox / "卷-答案.pdf")
    assert once(inbox, workspace) == ([("卷.pdf", "ok")], 0)
    assert answers_of(workspace) == {"卷.pdf": ["A"]}
    assert once(inbox, workspace) == ([], 0)


def test_key_after_its_paper(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    make_pdf(inbox / "x.pdf")
    once(inbox, workspace)
    assert answers_of(workspace) == {"x.pdf": []}
    make_pdf(inbox / "x_answers.pdf")
    assert once(inbox, workspace) == ([("x.pdf", "ok")], 0)
    assert answers_of(workspace) == {"x.pdf": ["A"]}
    assert seen["pages"] == [1, 1]  # the paper's page was not read again
    assert once(inbox, workspace) == ([], 0)


def test_key_after_its_paper_has_left(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(inbox / "x.pdf")
    once(inbox, workspace)
    path.unlink()
    make_pdf(inbox / "x-key.pdf")
    assert [status for _, status in once(inbox, workspace)[0]] == ["ok"]
    assert answers_of(workspace) == {"x.pdf": ["A"]}


def test_key_before_its_paper_waits(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    make_pdf(inbox / "x 参考答案.pdf")
    assert once(inbox, workspace) == ([("x 参考答案.pdf", "waiting")], 0)
    assert not workspace.paper_ids()
    make_pdf(inbox / "x.pdf")
    assert once(inbox, workspace) == ([("x.pdf", "ok")], 0)
    assert answers_of(workspace) == {"x.pdf": ["A"]}


def test_a_second_key_does_not_replace_the_first(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    make_pdf(inbox / "x.pdf")
    make_pdf(inbox / "x-key.pdf", lines=["1. A"])
    once(inbox, workspace)
    make_pdf(inbox / "x_answers.pdf", lines=["1. B"])
    recorder = Recorder()
    watch_folder(inbox, workspace, OPTIONS, recorder, once=True)
    [result] = recorder.results
    assert (result.path.name, result.status) == ("x_answers.pdf", "waiting")
    assert result.error is not None
    assert "x-key.pdf" in result.error["message"]
    [paper_id] = workspace.paper_ids()
    extra = workspace.load(paper_id).source.model_extra or {}
    assert extra["answers"]["file"] == "x-key.pdf"
    (inbox / "x-key.pdf").unlink()
    assert once(inbox, workspace)[0] == [("x.pdf", "ok")]


def test_failing_files_do_not_stop_the_rest(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    (inbox / "a.pdf").write_bytes(b"%PDF-1.4 nothing %%EOF")
    (inbox / "b.txt").write_text("hello")
    make_pdf(inbox / "c.pdf")
    told, code = once(inbox, workspace)
    assert told == [("a.pdf", "failed"), ("b.txt", "failed"), ("c.pdf", "ok")]
    assert code == ExitCode.DOUBTS
    reports = sorted(p.name for p in workspace.quarantine.glob("*.error.json"))
    assert reports == ["a.pdf.error.json", "b.txt.error.json"]
    assert json.loads((workspace.quarantine / "b.txt.error.json").read_text())["code"] == "file.unknown_type"
    assert once(inbox, workspace)[1] == ExitCode.UNREADABLE  # still there, still unreadable


def test_a_folder_of_images_is_one_paper(inbox: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    folder = inbox / "scan"
    folder.mkdir()
    for number in (1, 2):
        save_image(folder / f"{number}.png", 100 * number)
    assert once(inbox, workspace) == ([("scan", "ok")], 0)
    assert once(inbox, workspace) == ([], 0)
    [paper_id] = workspace.paper_ids()
    assert len(workspace.load(paper_id).pages) == 2


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, "nothing happened in 30 seconds"
        time.sleep(0.02)


def test_the_watch_goes_on_after_failures_and_a_full_disk(
    inbox: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from wholepage import pipeline, watching

    monkeypatch.setattr(watching, "RETRY_SECONDS", 0.1)
    real = pipeline.assemble
    full = threading.Event()

    def assemble(*args, **kwargs):
        if full.is_set():
            full.clear()
            raise WorkspaceError("Cannot write: No space left on device.", hint="Make room.")
        return real(*args, **kwargs)

    monkeypatch.setattr(pipeline, "assemble", assemble)
    recorder, stop = Recorder(), threading.Event()
    thread = threading.Thread(target=watch_folder, args=(inbox, workspace, OPTIONS, recorder, False, stop))
    thread.start()
    try:
        (inbox / "bad.pdf").write_bytes(b"no pdf")
        wait_for(lambda: [r.status for r in recorder.results] == ["failed"])
        full.set()
        make_pdf(inbox / "good.pdf")
        wait_for(lambda: any(r.status == "ok" for r in recorder.results))
        assert not full.is_set()
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()


def test_with_once_a_full_disk_is_an_error(
    inbox: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from wholepage import pipeline

    def assemble(*args, **kwargs):
        raise WorkspaceError("No space left on device.")

    monkeypatch.setattr(pipeline, "assemble", assemble)
    make_pdf(inbox / "a.pdf")
    with pytest.raises(WorkspaceError):
        once(inbox, workspace)
