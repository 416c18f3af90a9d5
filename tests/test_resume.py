"""Runs that are killed, stopped, starved of disk or doubled: finished pages are kept, old results stay whole."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.pairing import Pair
from ingest.sources import open_source
from wholepage.batch import Batch
from wholepage.errors import WorkspaceError
from wholepage.ledger import Ledger
from wholepage.pipeline import IngestOptions, ingest_source
from wholepage.pool import PagePool
from wholepage.reading import PageOutcome, PagePaths, PageTask, failed_page
from wholepage.records import Page
from wholepage.settings import Settings
from wholepage.workspace import Workspace

TEXT = [
    "一、选择题：本题共 2 小题，每小题 5 分，共 10 分。在每小题给出的选项中，只有一项符合题目要求。",
    "1．下列各数中，最大的质数是",
    "A．21    B．23    C．25    D．27",
    "2．某物体做匀加速直线运动，初速度为零，则位移与时间的关系是",
    "A．正比    B．反比    C．平方    D．无关",
]
FINISHED = ("pages/{:03d}.png", "work/layout/{:03d}.json", "work/read/{:03d}.json")


def draw(path: Path, pages: int, mark: str = "") -> Path:
    """A digital paper; `mark` makes its bytes its own."""
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            page = document.new_page()
            for row, text in enumerate([*TEXT, f"第 {number} 页 {mark}"]):
                page.insert_text((50, 80 + 24 * row), text, fontname="china-s", fontsize=10.5)
        document.save(path)
    return path


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The many processes of these tests share compiled modules, also where nothing may be written beside the code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        yield


def command(workspace: Workspace, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "wholepage.cli", "ingest", *arguments, "--workspace", str(workspace.root), "--json"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def attempts(workspace: Workspace, paper_id: str) -> dict[str, int]:
    with Ledger(workspace.database) as ledger:
        return {name: stage.attempts for name, stage in ledger.stages(paper_id).items()}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_stopped_run_goes_on_where_it_stopped(
    tmp_path: Path, workspace: Workspace, number: signal.Signals, code: int
) -> None:
    pages = 16  # enough to be stopped in time on a busy machine
    pdf = draw(tmp_path / "paper.pdf", pages)
    paper_id = open_source(pdf).paper_id
    folder = workspace.paper_dir(paper_id)
    run = subprocess.Popen(command(workspace, str(pdf)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with run:
        deadline = time.monotonic() + 120
        while not (folder / "work/read/002.json").exists():
            assert run.poll() is None, run.stderr and run.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.005)
        run.send_signal(number)
        errors = run.communicate(timeout=120)[1].decode()
    assert run.returncode == code, errors
    assert not (folder / "paper.json").exists()
    done = [n for n in range(1, pages + 1) if (folder / FINISHED[2].format(n)).exists()]
    assert 2 <= len(done) < pages
    before = {f: (folder / f).stat().st_mtime_ns for n in done for f in (p.format(n) for p in FINISHED)}
    tries = attempts(workspace, paper_id)

    again = subprocess.run(command(workspace, str(pdf)), capture_output=True, check=False)
    assert again.returncode in (0, 3), again.stderr.decode()
    assert json.loads(again.stdout)["pages"] == pages
    after = attempts(workspace, paper_id)
    assert {n: after[f"page:{n}"] for n in done} == {n: tries[f"page:{n}"] for n in done} == dict.fromkeys(done, 1)
    assert {f: (folder / f).stat().st_mtime_ns for f in before} == before
    assert [p.number for p in workspace.load(paper_id).pages] == list(range(1, pages + 1))


def test_a_page_whose_files_are_gone_is_read_again(tmp_path: Path, workspace: Workspace) -> None:
    source = open_source(draw(tmp_path / "a.pdf", 2))
    options = IngestOptions(settings=Settings())
    ingest_source(source, workspace, options)
    (workspace.paper_dir(source.paper_id) / "pages/002.png").unlink()
    ingest_source(source, workspace, options)
    counted = attempts(workspace, source.paper_id)
    assert (counted["page:1"], counted["page:2"]) == (1, 2)
    assert (workspace.paper_dir(source.paper_id) / "pages/002.png").exists()


def test_a_full_disk_leaves_the_old_paper_whole(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_source(draw(tmp_path / "a.pdf", 1))
    options = IngestOptions(settings=Settings())
    ingest_source(source, workspace, options)
    folder = workspace.paper_dir(source.paper_id)
    kept = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and "work" not in p.parts}
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name.startswith(".paper-"):
            write(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(WorkspaceError, match=r"paper\.json: No space left"):
            ingest_source(source, workspace, IngestOptions(force=True, settings=Settings()))
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and "work" not in p.parts} == kept
    result = ingest_source(source, workspace, options)
    assert result.status == "ok"
    assert attempts(workspace, source.paper_id)["parse"] == 2


def test_two_commands_on_one_workspace(tmp_path: Path, workspace: Workspace) -> None:
    both = draw(tmp_path / "both.pdf", 2)
    other = draw(tmp_path / "other.pdf", 1, "另一份")
    runs = [
        subprocess.Popen(command(workspace, *files), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for files in ((str(both),), (str(both), str(other)))
    ]
    lines = []
    for run in runs:
        out, err = run.communicate(timeout=300)
        assert run.returncode == 0, err
        lines.append([json.loads(line) for line in out.splitlines()])
    assert sorted(line[0]["status"] for line in lines) == ["cached", "ok"]
    assert lines[1][1]["status"] == "ok"
    counted = attempts(workspace, lines[0][0]["paper_id"])
    assert counted == {"page:1": 1, "page:2": 1, "parse": 1}
    assert len(workspace.paper_ids()) == 2


def test_two_jobs_make_the_same_paper(tmp_path: Path) -> None:
    pdf = draw(tmp_path / "a.pdf", 3)
    made: list[dict[str, Any]] = []
    for jobs in (1, 2):
        store = Workspace(tmp_path / f"ws{jobs}")
        with Batch(store, IngestOptions(settings=Settings(jobs=jobs))) as batch:
            result = batch.ingest(Pair(pdf))
        assert result.status == "ok", result
        made.append(json.loads((store.paper_dir(str(result.paper_id)) / "paper.json").read_bytes()))
    assert made[0] == made[1]


def _read(task: PageTask) -> PageOutcome:
    """Stand-in for the page stage; runs in workers, which import this module. Page 2 kills the process."""
    number = task.paths.number
    fatal = task.paths.base / "fatal"
    if number == 2 and fatal.exists():
        if fatal.read_text() == "once":
            fatal.unlink()
        os._exit(9)
    page = Page(number=number, image=None, width=1, height=1, dpi=200, kind="blank")
    return PageOutcome(fingerprint=task.fingerprint, page=page, layout=True)


@pytest.mark.parametrize(("jobs", "isolate"), [(2, frozenset()), (1, frozenset({2}))])
@pytest.mark.parametrize(("fatal", "lost"), [("once", []), ("always", [2])])
def test_a_dead_worker_costs_its_page_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, isolate: frozenset[int], fatal: str, lost: list[int]
) -> None:
    if jobs == 1 and fatal == "once":
        lost = [2]  # its first death was in the run before
    monkeypatch.setattr("wholepage.pool.read_page", _read)
    (tmp_path / "fatal").write_text(fatal)
    source = open_source(draw(tmp_path / "a.pdf", 5))
    settings = Settings()
    tasks = [PageTask(source.page(n), PagePaths(tmp_path, n), settings, 1, "f") for n in range(1, 6)]
    begun: list[int] = []
    with PagePool(jobs) as pool:
        outcomes = list(pool.run(iter(tasks), lambda t: begun.append(t.paths.number), isolate))
    assert sorted(o.page.number for o in outcomes) == [1, 2, 3, 4, 5]
    assert [o.page.number for o in outcomes if not o.layout] == lost
    assert begun.count(2) == (2 if jobs == 2 else 1)
    assert set(begun) == {1, 2, 3, 4, 5}
    if lost:
        said = next(o for o in outcomes if not o.layout)
        assert said.error is not None
        assert (said.error.code, said.error.severity, said.error.page) == ("page.unreadable", "error", 2)


def _stuck(task: PageTask) -> PageOutcome:
    """Stand-in for the page stage: page 2 never ends."""
    while task.paths.number == 2 and not (task.paths.base / "mended").exists():
        time.sleep(0.1)
    page = Page(number=task.paths.number, image=None, width=1, height=1, dpi=200, kind="blank")
    return PageOutcome(fingerprint=task.fingerprint, page=page, layout=True)


@pytest.mark.parametrize(("jobs", "isolate"), [(2, frozenset()), (1, frozenset({2}))])
def test_a_page_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, isolate: frozenset[int]
) -> None:
    monkeypatch.setattr("wholepage.pool.read_page", _stuck)
    source = open_source(draw(tmp_path / "a.pdf", 4))
    tasks = [PageTask(source.page(n), PagePaths(tmp_path, n), Settings(page_seconds=2), 1, "f") for n in range(1, 5)]
    begun: list[int] = []
    with PagePool(jobs) as pool:
        outcomes = list(pool.run(iter(tasks), lambda t: begun.append(t.paths.number), isolate))
    assert sorted(o.page.number for o in outcomes) == [1, 2, 3, 4]
    (late,) = (o for o in outcomes if not o.layout)
    assert late.error is not None and "given up after 2 s" in late.error.message
    assert (late.page.number, begun.count(2)) == (2, 1)
    assert "_stuck" in tasks[1].paths.slow.read_text()
    (tmp_path / "mended").touch()  # the next run reads it
    with PagePool(2) as pool:
        (again,) = pool.run(iter(tasks[1:2]), begun.append, frozenset())  # type: ignore[arg-type]
    assert again.layout and not tasks[1].paths.slow.exists()


def test_a_failed_page_keeps_the_image_that_was_stored(tmp_path: Path) -> None:
    source = open_source(draw(tmp_path / "a.pdf", 1))
    task = PageTask(source.page(1), PagePaths(tmp_path, 1), Settings(), 1, "f")
    assert failed_page(task, "no").page.image is None
    pymupdf.open(source.path)[0].get_pixmap().save(tmp_path / "x.png")
    (tmp_path / "pages").mkdir()
    (tmp_path / "x.png").rename(tmp_path / "pages/001.png")
    kept = failed_page(task, "no").page
    assert (kept.image, kept.width) == ("pages/001.png", 595)


def test_workers_end_with_a_killed_parent(tmp_path: Path, workspace: Workspace) -> None:
    pdf = draw(tmp_path / "paper.pdf", 12)
    folder = workspace.paper_dir(open_source(pdf).paper_id)
    run = subprocess.Popen(command(workspace, str(pdf), "--jobs", "2"), stdout=subprocess.DEVNULL)
    with run:
        deadline = time.monotonic() + 120
        while not list(folder.glob("work/read/*.json")) and time.monotonic() < deadline:
            time.sleep(0.01)
        workers = _children(run.pid)
        run.kill()
    assert workers
    deadline = time.monotonic() + 60
    while any(_alive(w) for w in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [w for w in workers if _alive(w)]


def _children(pid: int) -> list[int]:
    psutil = pytest.importorskip("psutil")
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def _alive(pid: int) -> bool:
    psutil = pytest.importorskip("psutil")
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
