"""Workspace: ids from content, writes that are whole or not at all, references, locks."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_records import make_paper

from wholepage.errors import WorkspaceError
from wholepage.workspace import (
    Workspace,
    content_id,
    copy_file,
    sha256_file,
    write_atomic,
    write_bytes,
    write_json,
    write_text,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws").create()


class TestIds:
    def test_one_file(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"abc")
        digest = hashlib.sha256(b"abc").hexdigest()
        assert sha256_file(tmp_path / "a") == digest
        assert content_id([digest]) == digest[:16]

    def test_several_files_count_in_order(self) -> None:
        assert content_id(["a", "b"]) == content_id(iter(["a", "b"])) != content_id(["b", "a"])


class TestAtomicWrites:
    def test_text_with_lone_surrogates(self, tmp_path: Path) -> None:
        write_text(tmp_path / "a.txt", "x\ud800y")
        assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "x\ufffdy"

    def test_json_keeps_order_and_unicode(self, tmp_path: Path) -> None:
        write_json(tmp_path / "a.json", {"题": 1, "a": 2})
        text = (tmp_path / "a.json").read_text(encoding="utf-8")
        assert list(json.loads(text)) == ["题", "a"]
        assert "题" in text

    def test_a_full_disk_changes_nothing(self, tmp_path: Path) -> None:
        target = tmp_path / "paper.json"
        target.write_bytes(b"old")

        def fill(temporary: Path) -> None:
            temporary.write_bytes(b"half of the ne")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with pytest.raises(WorkspaceError) as caught:
            write_atomic(target, fill)
        assert caught.value.code == "workspace.write_failed"
        assert str(target) in caught.value.message
        assert "No space left" in caught.value.message
        assert target.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [target]

    def test_any_other_error_leaves_no_temporary_file(self, tmp_path: Path) -> None:
        def fail(temporary: Path) -> None:
            temporary.write_bytes(b"x")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            write_atomic(tmp_path / "a.png", fail)
        assert list(tmp_path.iterdir()) == []

    def test_temporary_name_keeps_the_suffix(self, tmp_path: Path) -> None:
        seen: list[Path] = []

        def note(temporary: Path) -> None:
            seen.append(temporary)

        write_atomic(tmp_path / ("x" * 200 + ".png"), note)
        assert seen[0].suffix == ".png"
        assert seen[0].parent == tmp_path

    def test_parent_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"")
        with pytest.raises(WorkspaceError):
            write_bytes(tmp_path / "a" / "b", b"x")

    def test_copy(self, tmp_path: Path) -> None:
        data = os.urandom(100_000)
        (tmp_path / "a").write_bytes(data)
        copy_file(tmp_path / "a", tmp_path / "deep" / "b")
        assert (tmp_path / "deep" / "b").read_bytes() == data


class TestPapers:
    def test_save_and_load(self, workspace: Workspace) -> None:
        paper = make_paper()
        path = workspace.save(paper)
        assert path == workspace.papers / "p" / "paper.json"
        assert workspace.load("p") == paper
        assert workspace.paper_ids() == ["p"]

    @pytest.mark.parametrize("paper_id", ["", "..", "../x", "a/b", "a\0b", ".", "a\nb"])
    def test_no_way_out_of_the_workspace(self, workspace: Workspace, paper_id: str) -> None:
        with pytest.raises(WorkspaceError, match="not a paper id"):
            workspace.paper_dir(paper_id)

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"{", "Cannot read"),
            (b"\xff\xfe", "Cannot read"),
            (b"[1]", "schema None"),
            (b'{"schema": "wholepage/paper@2"}', "wholepage/paper@2"),
            (b'{"schema": "wholepage/paper@1", "id": 7}', "does not follow the contract"),
        ],
    )
    def test_damaged_paper(self, workspace: Workspace, content: bytes, said: str) -> None:
        path = workspace.save(make_paper())
        path.write_bytes(content)
        with pytest.raises(WorkspaceError, match=said) as caught:
            workspace.load("p")
        assert str(path) in caught.value.message
        assert caught.value.hint
        assert path.read_bytes() == content

    def test_references(self, workspace: Workspace) -> None:
        for paper_id, name in (("abc1", "math.pdf"), ("abd2", "physics.pdf")):
            path = workspace.save(make_paper(id=paper_id))
            write_bytes(path.parent / "source" / name, b"x")
            assert workspace.find(paper_id) == workspace.find(paper_id[:3]) == workspace.find(name) == paper_id
            assert workspace.find(str(path)) == workspace.find(str(path.parent)) == paper_id
        with pytest.raises(WorkspaceError, match="More than one paper fits 'ab'"):
            workspace.find("ab")
        with pytest.raises(WorkspaceError, match="No paper fits 'zzz'"):
            workspace.find("zzz")

    def test_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(WorkspaceError, match="Cannot create the workspace") as caught:
            Workspace(tmp_path / "file" / "ws").create()
        assert "--workspace" in caught.value.hint


HOLDER = """
import sys
from pathlib import Path
from wholepage.workspace import Workspace
with Workspace(Path(sys.argv[1])).lock("p1") as mine:
    print(mine, flush=True)
    sys.stdin.readline()
"""


def test_lock_belongs_to_one_process_and_dies_with_it(workspace: Workspace) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(workspace.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with workspace.lock("p1") as mine:
            assert not mine
        with workspace.lock("p2") as other:
            assert other
        holder.kill()
    with workspace.lock("p1") as mine:
        assert mine
