"""The job ledger: what is done is known, what is damaged is never overwritten, several processes may write."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from wholepage.errors import WorkspaceError
from wholepage.ledger import Ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wholepage.db"


class TestStages:
    def test_done_is_remembered_with_its_fingerprint(self, path: Path) -> None:
        with Ledger(path) as ledger:
            assert ledger.begin("p1", "page:1", "aaa") == 1
            assert not ledger.is_done("p1", "page:1", "aaa")
            ledger.finish("p1", "page:1", 1.23456)
        with Ledger(path) as ledger:
            assert ledger.is_done("p1", "page:1", "aaa")
            assert not ledger.is_done("p1", "page:1", "bbb")
            assert not ledger.is_done("p2", "page:1", "aaa")
            assert ledger.stages("p1")["page:1"].seconds == 1.235

    def test_attempts_count_with_one_fingerprint(self, path: Path) -> None:
        with Ledger(path) as ledger:
            assert [ledger.begin("p1", "page:1", "aaa") for _ in range(3)] == [1, 2, 3]
            assert ledger.begin("p1", "page:1", "bbb") == 1
            assert ledger.stages("p1")["page:1"].attempts == 1

    def test_a_new_start_clears_the_old_error(self, path: Path) -> None:
        with Ledger(path) as ledger:
            ledger.begin("p1", "parse", "aaa")
            ledger.finish("p1", "parse", 0.1, ("page.unreadable", "no"))
            failed = ledger.stages("p1")["parse"]
            assert (failed.state, failed.error_code, failed.error_message) == ("failed", "page.unreadable", "no")
            ledger.begin("p1", "parse", "aaa")
            again = ledger.stages("p1")["parse"]
            assert (again.state, again.error_code, again.error_message) == ("running", None, None)

    def test_finish_without_begin_is_an_error(self, path: Path) -> None:
        with Ledger(path) as ledger, pytest.raises(WorkspaceError, match="no stage 'page:9' of paper p1"):
            ledger.finish("p1", "page:9", 0.0)

    def test_forget(self, path: Path) -> None:
        with Ledger(path) as ledger:
            for stage in ("page:1", "page:2", "parse"):
                ledger.begin("p1", stage, "aaa")
            ledger.begin("p2", "parse", "aaa")
            ledger.forget("p1", ["page:1"])
            assert set(ledger.stages("p1")) == {"page:2", "parse"}
            ledger.forget("p1")
            assert ledger.stages("p1") == {}
            assert set(ledger.stages("p2")) == {"parse"}


class TestFiles:
    def test_same_bytes_under_another_name_are_seen_apart(self, path: Path) -> None:
        with Ledger(path) as ledger:
            ledger.see_file("s" * 64, Path("/in/a.pdf"), "seen")
            ledger.see_file("s" * 64, Path("/in/b.pdf"), "duplicate", "p1")
            ledger.see_file("s" * 64, Path("/in/a.pdf"), "done", "p1")
            seen = {f.name: (f.state, f.paper_id) for f in ledger.files(sha256="s" * 64)}
            assert seen == {"a.pdf": ("done", "p1"), "b.pdf": ("duplicate", "p1")}
            assert [f.path for f in ledger.files(name="b.pdf")] == ["/in/b.pdf"]

    @pytest.mark.parametrize(
        "name", ["a\nb'\".pdf", "-x; DROP TABLE files.pdf", os.fsdecode(b"\xff\xfe.pdf"), "é" * 100]
    )
    def test_hostile_names(self, path: Path, name: str) -> None:
        with Ledger(path) as ledger:
            ledger.see_file("s" * 64, Path("/in") / name, "seen")
            ledger.see_file("s" * 64, Path("/in") / name, "failed")
            assert [f.state for f in ledger.files()] == ["failed"]


class TestTrouble:
    def test_a_file_that_is_no_database_stays_as_it_is(self, path: Path) -> None:
        path.write_bytes(b"my holiday diary, not a database" * 100)
        with pytest.raises(WorkspaceError) as caught:
            Ledger(path)
        assert caught.value.code == "ledger.damaged"
        assert str(path) in caught.value.message
        assert path.read_bytes() == b"my holiday diary, not a database" * 100

    def test_a_ledger_damaged_in_the_middle(self, path: Path) -> None:
        with Ledger(path) as ledger:
            for page in range(200):
                ledger.begin("p1", f"page:{page}", "f" * 64)
        data = bytearray(path.read_bytes())
        data[100:] = os.urandom(len(data) - 100)
        path.write_bytes(bytes(data))
        with pytest.raises(WorkspaceError, match="cannot be used"), Ledger(path) as ledger:
            ledger.stages("p1")
        assert path.read_bytes() == bytes(data)

    def test_a_newer_version_is_refused_untouched(self, path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version=99")
        connection.execute("CREATE TABLE future (x)")
        connection.commit()
        connection.close()
        before = path.read_bytes()
        with pytest.raises(WorkspaceError, match="version 99") as caught:
            Ledger(path)
        assert caught.value.code == "ledger.newer"
        assert path.read_bytes() == before

    def test_a_folder_in_its_place(self, path: Path) -> None:
        path.mkdir()
        with pytest.raises(WorkspaceError) as caught:
            Ledger(path)
        assert caught.value.code == "ledger.unwritable"

    def test_locked_for_long(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("wholepage.ledger.BUSY_SECONDS", 0.1)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("PRAGMA journal_mode=WAL")
        holder.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(WorkspaceError) as caught:
                Ledger(path)
        finally:
            holder.close()
        assert caught.value.code == "ledger.locked"


def test_write_ahead_log(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.begin("p1", "parse", "aaa")
        connection = sqlite3.connect(path)
        try:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        finally:
            connection.close()


WRITER = """
import sys
from pathlib import Path
from wholepage.ledger import Ledger
with Ledger(Path(sys.argv[1])) as ledger:
    for page in range(40):
        ledger.begin("p1", f"page:{page}", "same")
        ledger.finish("p1", f"page:{page}", 0.0)
"""


def test_several_processes_lose_no_write(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) for _ in range(3)]
    assert [w.wait(timeout=120) for w in writers] == [0, 0, 0]
    with Ledger(path) as ledger:
        stages = ledger.stages("p1")
    assert len(stages) == 40
    assert {s.attempts for s in stages.values()} == {3}
