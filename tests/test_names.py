"""What file names say: page order, junk, safe names, papers in folders, keys and their papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingest_papers import make_pdf, save_image

from ingest.discover import find_papers
from ingest.names import MAX_NAME_BYTES, is_junk, natural_key, safe_name, shown
from ingest.pairing import key_stem, pair_files
from wholepage.errors import SourceError


def test_papers_found_in_folders(tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for name in ("b.pdf", "a.pdf", "a-答案.pdf"):
        make_pdf(many / name)
    save_image(many / "photo.jpg")
    pictures = many / "pictures"
    pictures.mkdir()
    save_image(pictures / "1.png")
    (many / "loading.pdf.crdownload").write_bytes(b"x")
    found = [(p.paper.name, p.answers and p.answers.name) for p in find_papers([many, many / "a.pdf"])]
    assert found == [("a.pdf", "a-答案.pdf"), ("b.pdf", None), ("photo.jpg", None), ("pictures", None)]
    assert [p.paper for p in find_papers([pictures])] == [pictures]


def test_missing_and_barren_paths(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="There is no"):
        find_papers([tmp_path / "nope"])
    with pytest.raises(SourceError, match="holds no papers"):
        find_papers([tmp_path])


def test_natural_order() -> None:
    names = ["第十页.png", "第二十一页.png", "第二页.png", "第一页.png"]
    assert sorted(names, key=natural_key) == ["第一页.png", "第二页.png", "第十页.png", "第二十一页.png"]
    mixed = ["p10.png", "P2.png", "p１.png", "p2-1.png"]
    assert sorted(mixed, key=natural_key) == ["p１.png", "P2.png", "p2-1.png", "p10.png"]
    assert sorted(["b/1.png", "a10/1.png", "a9/2.png"], key=natural_key) == ["a9/2.png", "a10/1.png", "b/1.png"]


def test_junk() -> None:
    assert all(is_junk(n) for n in ("__MACOSX/a.png", "x/.DS_Store", "Thumbs.db", "desktop.ini", "~$a.docx", "a/._b"))
    assert not any(is_junk(n) for n in ("a.png", "x/y.png", "v1.2/a.png"))


@pytest.mark.parametrize(
    "name", ["a\nb.pdf", "..", ".hidden", "a/b\\c.pdf", "\x1b[31m.pdf", "试卷" * 100 + ".pdf", " "]
)
def test_safe_names(name: str) -> None:
    made = safe_name(name)
    assert len(made.encode()) <= MAX_NAME_BYTES
    assert not set(made) & set("\n\x1b/\\")
    assert not made.startswith(".")
    assert made


def test_long_names_stay_apart() -> None:
    one, two = safe_name("试" * 100 + "1.pdf"), safe_name("试" * 100 + "2.pdf")
    assert one != two
    assert one.endswith(".pdf")


def test_shown_names_carry_no_control_characters() -> None:
    assert shown("a\nb\x1b\u202e") == "a\\nb\\x1b\\u202e"


@pytest.mark.parametrize(
    ("key", "paper"),
    [
        ("X-答案.pdf", "X.pdf"),
        ("X_答案.pdf", "X.pdf"),
        ("X答案.pdf", "X.pdf"),
        ("X（答案）.pdf", "X.pdf"),
        ("X_参考答案.pdf", "X.pdf"),
        ("X参考答案及评分标准.pdf", "X.pdf"),
        ("X试题答案.pdf", "X试题.pdf"),
        ("X答案.pdf", "X题目版.pdf"),
        ("X_answers.pdf", "X.pdf"),
        ("X-key.pdf", "X.pdf"),
        ("X answer key.pdf", "X.pdf"),
        ("X mark scheme.pdf", "X.pdf"),
        ("X Mark Scheme.pdf", "X Question Paper.pdf"),
        ("0620_s23_ms_42.pdf", "0620_s23_qp_42.pdf"),
        ("X_答案.jpg", "X.pdf"),
    ],
)
def test_keys_find_their_papers(key: str, paper: str) -> None:
    files = [Path("d") / key, Path("d") / paper, Path("d/other.pdf")]
    pairs = {p.paper.name: p.answers and p.answers.name for p in pair_files(files)}
    assert pairs == {paper: key, "other.pdf": None}


@pytest.mark.parametrize(
    "name", ["X含答案.pdf", "X及答案.pdf", "X解析版.pdf", "monkey.pdf", "X.pdf", "turkey.pdf", "key.pdf"]
)
def test_papers_that_are_no_keys(name: str) -> None:
    assert key_stem(name) is None


def test_key_without_a_paper_is_kept_and_folders_do_not_mix() -> None:
    files = [Path("a/X_答案.pdf"), Path("b/X.pdf")]
    assert [(p.paper, p.answers) for p in pair_files(files)] == [(files[0], None), (files[1], None)]


def test_two_keys_for_one_paper_are_not_lost() -> None:
    files = [Path("X.pdf"), Path("X-key.pdf"), Path("X_答案.pdf")]
    pairs = pair_files(files)
    assert {p for pair in pairs for p in (pair.paper, pair.answers) if p} == set(files)
