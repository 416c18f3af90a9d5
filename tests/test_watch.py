"""The drop folder: when a file counts as complete, and what wakes the watch."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from ingest.pairing import key_stem, pair_files
from ingest.watch import UNFINISHED_PATIENCE, Inbox, looks_complete, watch_inbox

PDF = b"%PDF-1.7\nbody\n%%EOF\n"
JPEG = b"\xff\xd8\xff\xe0body\xff\xd9"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inbox(tmp_path: Path, clock: Clock) -> Inbox:
    (tmp_path / "inbox").mkdir()
    return Inbox(tmp_path / "inbox", 2.0, clock)


def names(inbox: Inbox, clock: Clock, after: float) -> list[str]:
    clock.now += after
    return [str(p.relative_to(inbox.folder)) for p in inbox.ready()]


def test_a_file_is_ready_once_it_rests_and_only_once(inbox: Inbox, clock: Clock) -> None:
    (inbox.folder / "a.pdf").write_bytes(PDF)
    assert names(inbox, clock, 0) == []
    assert inbox.waiting
    assert names(inbox, clock, 1.9) == []
    assert names(inbox, clock, 0.2) == ["a.pdf"]
    assert names(inbox, clock, 50) == []
    assert not inbox.waiting


def test_a_growing_file_waits(inbox: Inbox, clock: Clock) -> None:
    path = inbox.folder / "a.pdf"
    for size in range(1, 8):
        path.write_bytes(PDF * size)
        assert names(inbox, clock, 1.5) == []
    assert names(inbox, clock, 2.1) == ["a.pdf"]


@pytest.mark.parametrize("data", [PDF[:-8], b"", b"PK\x03\x04 no directory yet", JPEG[:-2], b"\x89PNG\r\n\x1a\n half"])
def test_a_stalled_copy_is_given_more_time(inbox: Inbox, clock: Clock, data: bytes) -> None:
    path = inbox.folder / "a.bin"
    path.write_bytes(data)
    assert names(inbox, clock, 0) == []
    assert names(inbox, clock, 2.0 * UNFINISHED_PATIENCE - 0.1) == []
    assert names(inbox, clock, 0.2) == ["a.bin"]  # a damaged file is reported in the end


def test_a_changed_file_comes_again(inbox: Inbox, clock: Clock) -> None:
    path = inbox.folder / "a.pdf"
    path.write_bytes(PDF)
    names(inbox, clock, 0)
    assert names(inbox, clock, 3) == ["a.pdf"]
    path.write_bytes(PDF + PDF)
    assert names(inbox, clock, 0) == []
    assert names(inbox, clock, 3) == ["a.pdf"]
    path.unlink()
    assert names(inbox, clock, 1) == []
    path.write_bytes(PDF + PDF)
    names(inbox, clock, 0)
    assert names(inbox, clock, 3) == ["a.pdf"]


def test_what_could_not_be_dealt_with_comes_again(inbox: Inbox, clock: Clock) -> None:
    (inbox.folder / "a.pdf").write_bytes(PDF)
    names(inbox, clock, 0)
    assert names(inbox, clock, 3) == ["a.pdf"]
    inbox.give_back(inbox.folder / "a.pdf")
    assert names(inbox, clock, 0) == []
    assert names(inbox, clock, 3) == ["a.pdf"]


def test_downloads_hidden_files_and_junk_are_passed_over(inbox: Inbox, clock: Clock) -> None:
    for name in ("a.pdf.part", "b.pdf.crdownload", "c.tmp", ".d.pdf", "Thumbs.db", "~$letter.pdf", ".DS_Store"):
        (inbox.folder / name).write_bytes(PDF)
    (inbox.folder / "letter.doc").write_bytes(b"not readable, but somebody dropped it")
    names(inbox, clock, 0)
    assert names(inbox, clock, 60) == ["letter.doc"]


def test_a_finished_download_is_taken_under_its_real_name(inbox: Inbox, clock: Clock) -> None:
    part = inbox.folder / "a.pdf.crdownload"
    part.write_bytes(PDF)
    names(inbox, clock, 0)
    assert names(inbox, clock, 60) == []
    part.rename(inbox.folder / "a.pdf")
    names(inbox, clock, 0)
    assert names(inbox, clock, 3) == ["a.pdf"]


def test_a_folder_of_images_is_one_paper_once_it_stops_growing(inbox: Inbox, clock: Clock) -> None:
    folder = inbox.folder / "photos"
    folder.mkdir()
    assert names(inbox, clock, 0) == []
    assert not inbox.waiting  # nothing in it yet
    for number in (1, 2, 3):
        (folder / f"{number}.jpg").write_bytes(JPEG)
        assert names(inbox, clock, 1.5) == []
    (folder / "4.jpg").write_bytes(JPEG[:-2])
    assert names(inbox, clock, 0) == []
    assert names(inbox, clock, 3) == []
    (folder / "4.jpg").write_bytes(JPEG)
    assert names(inbox, clock, 0) == []
    assert names(inbox, clock, 3) == ["photos"]


def test_a_folder_of_papers_gives_each_of_them(inbox: Inbox, clock: Clock) -> None:
    (inbox.folder / "2024" / "p").mkdir(parents=True)
    for name in ("2024/b10.pdf", "2024/b9.pdf", "2024/c.zip", "2024/p/1.jpg", "2024/p/2.jpg"):
        (inbox.folder / name).write_bytes({"pdf": PDF, "zip": b"PK\x05\x06" + bytes(18), "jpg": JPEG}[name[-3:]])
    names(inbox, clock, 0)
    assert sorted(names(inbox, clock, 3)) == ["2024/b10.pdf", "2024/b9.pdf", "2024/c.zip", "2024/p"]


def test_an_inbox_that_goes_away_comes_back(inbox: Inbox, clock: Clock) -> None:
    away = inbox.folder.with_name("away")
    (inbox.folder / "a.pdf").write_bytes(PDF)
    inbox.folder.rename(away)
    assert names(inbox, clock, 5) == []
    away.rename(inbox.folder)
    names(inbox, clock, 0)
    assert names(inbox, clock, 3) == ["a.pdf"]


def test_ready_files_come_in_natural_order(inbox: Inbox, clock: Clock) -> None:
    for name in ("卷10.pdf", "卷9.pdf", "卷1.pdf"):
        (inbox.folder / name).write_bytes(PDF)
    names(inbox, clock, 0)
    assert names(inbox, clock, 3) == ["卷1.pdf", "卷9.pdf", "卷10.pdf"]


def test_the_last_bytes_tell_a_whole_file(tmp_path: Path) -> None:
    for number, (data, whole) in enumerate([(PDF, True), (PDF[:12], False), (JPEG, True), (b"II*\0 any", True)]):
        path = tmp_path / str(number)
        path.write_bytes(data)
        assert looks_complete(path) is whole, data
    assert not looks_complete(tmp_path / "gone")


def test_once_waits_for_what_is_there_and_ends(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(PDF)
    (tmp_path / "b.pdf").write_bytes(PDF[:12])
    timer = threading.Timer(0.3, lambda: (tmp_path / "b.pdf").write_bytes(PDF))
    timer.start()
    batches = list(watch_inbox(Inbox(tmp_path, 0.2), once=True))
    timer.join()
    assert [[p.name for p in batch] for batch in batches if batch] == [["a.pdf"], ["b.pdf"]]


def test_once_on_an_empty_folder_ends_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    assert [b for b in watch_inbox(Inbox(tmp_path, 5), once=True) if b] == []
    assert time.monotonic() - started < 2


def test_the_watch_sees_files_as_they_come_and_stops(tmp_path: Path) -> None:
    stop = threading.Event()
    seen: list[str] = []

    def drop() -> None:
        (tmp_path / "first.pdf").write_bytes(PDF)
        deadline = time.monotonic() + 15
        while "first.pdf" not in seen and time.monotonic() < deadline:
            time.sleep(0.02)
        (tmp_path / "new").write_bytes(PDF)
        os.replace(tmp_path / "new", tmp_path / "second.pdf")  # noqa: PTH105
        while "second.pdf" not in seen and time.monotonic() < deadline:
            time.sleep(0.02)
        stop.set()

    thread = threading.Thread(target=drop)
    thread.start()
    for batch in watch_inbox(Inbox(tmp_path, 0.1), once=False, stop=stop):
        seen.extend(p.name for p in batch)
    thread.join()
    assert seen[0] == "first.pdf"
    assert seen[-1] == "second.pdf"


@pytest.mark.parametrize(
    "name",
    [
        "2013中考_含简单答案.pdf",
        "X（附参考答案）.pdf",
        "X题目和标准答案.pdf",
        "X_无答案.pdf",
        "X with answers.pdf",
        "questions & answers.pdf",
        "X no answers.pdf",
    ],
)
def test_papers_that_carry_their_answers_never_wait_as_keys(name: str) -> None:
    assert key_stem(name) is None


def test_keys_are_told_apart() -> None:
    folder = [Path(n) for n in ("T (1).pdf", "T (2).pdf", "T (2) key.pdf", "T (1) key.pdf", "答案-卷1-12.pdf")]
    folder += [Path(n) for n in ("卷11-2.pdf", "卷1-12.pdf", "X.jpg", "X.pdf", "X_model answers (1).pdf")]
    pairs = {str(p.paper): str(p.answers) for p in pair_files(folder) if p.answers}
    assert pairs == {
        "T (1).pdf": "T (1) key.pdf",
        "T (2).pdf": "T (2) key.pdf",
        "卷1-12.pdf": "答案-卷1-12.pdf",
        "X.pdf": "X_model answers (1).pdf",
    }
