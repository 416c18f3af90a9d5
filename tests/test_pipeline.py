"""From a file to a paper in the workspace; reading and parsing are stood in for, everything around them is real.

(Killed, stopped and doubled runs: test_resume.)
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from ingest_papers import ERROR, make_pdf, save_image, use_fakes
from PIL import Image

from ingest.pairing import Pair
from ingest.sources import open_source
from wholepage.assemble import crop_figures
from wholepage.batch import Batch, exit_code
from wholepage.errors import ExitCode, SourceError, TemplateError, WholepageError, WorkspaceError
from wholepage.ledger import Ledger
from wholepage.pipeline import IngestOptions, PaperResult, ingest_source
from wholepage.records import Figure
from wholepage.settings import Settings
from wholepage.storing import quarantine, release
from wholepage.workspace import Workspace, sha256_file


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    return use_fakes(monkeypatch)


def ingest(path: Path, workspace: Workspace, **options: Any) -> PaperResult:
    return ingest_source(open_source(path, options.get("password")), workspace, IngestOptions(**options))


def run(workspace: Workspace, *pairs: Path | Pair, **options: Any) -> list[PaperResult]:
    with Batch(workspace, IngestOptions(**options)) as batch:
        return [batch.ingest(p if isinstance(p, Pair) else Pair(p)) for p in pairs]


def paper_json(workspace: Workspace, paper_id: str | None) -> dict[str, Any]:
    assert paper_id
    return json.loads((workspace.paper_dir(paper_id) / "paper.json").read_text(encoding="utf-8"))


def tree(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


# --- what a paper's folder holds


def test_a_paper_has_all_its_files(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(tmp_path / "exam.pdf", pages=2)
    progress: list[tuple[int, int]] = []
    source = open_source(path)
    result = ingest_source(source, workspace, IngestOptions(), progress=lambda *p: progress.append(p))
    assert (result.status, result.pages, result.questions, result.issues, result.errors) == ("ok", 2, 2, 0, False)
    folder = workspace.paper_dir(source.paper_id)
    assert tree(folder) - {".lock"} == {
        "source/exam.pdf",
        "pages/001.png",
        "pages/002.png",
        "figures/p001-f1.png",
        "figures/p002-f1.png",
        "work/layout/001.json",
        "work/layout/002.json",
        "work/read/001.json",
        "work/read/002.json",
        "paper.json",
        "preview.html",
    }
    assert (folder / "source/exam.pdf").read_bytes() == path.read_bytes()
    assert progress == [(0, 2), (1, 2), (2, 2)]
    data = paper_json(workspace, result.paper_id)
    assert data["source"] == {
        "file": "exam.pdf",
        "sha256": sha256_file(path),
        "bytes": path.stat().st_size,
        "pages": 2,
        "kind": "digital",
    }
    page = data["pages"][0]
    assert (page["number"], page["image"], page["width"], page["height"], page["dpi"]) == (
        1,
        "pages/001.png",
        1653,
        2339,
        200,
    )
    assert {"wholepage", "code", "libraries", "settings", "ocr"} <= set(data["produced_by"])
    with Image.open(folder / "figures/p001-f1.png") as crop:
        assert crop.size == (50, 50)


def test_the_same_file_makes_the_same_json(tmp_path: Path, seen: dict[str, list[int]]) -> None:
    path = make_pdf(tmp_path / "exam.pdf")
    texts = []
    for name in ("one", "two"):
        workspace = Workspace(tmp_path / name)
        result = ingest(path, workspace)
        texts.append((workspace.paper_dir(str(result.paper_id)) / "paper.json").read_bytes())
    assert texts[0] == texts[1]


def test_second_run_is_cached_and_reads_nothing(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    path = make_pdf(tmp_path / "exam.pdf", pages=3)
    ingest(path, workspace)
    before = {p: p.stat().st_mtime_ns for p in workspace.papers.rglob("*.*") if p.is_file()}
    again = ingest(path, workspace)
    assert (again.status, again.pages, again.questions) == ("cached", 3, 3)
    assert seen["pages"] == [1, 2, 3]
    assert {p: p.stat().st_mtime_ns for p in before if p.name != ".lock"} == {
        p: t for p, t in before.items() if p.name != ".lock"
    }
    copy = tmp_path / "same bytes.pdf"
    copy.write_bytes(path.read_bytes())
    assert ingest(copy, workspace).status == "cached"
    assert len(list((workspace.paper_dir(str(again.paper_id)) / "source").iterdir())) == 1


def test_a_document_is_opened_once_for_all_its_pages(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ingest import render

    opened: list[Path] = []
    real = render.open_pdf
    monkeypatch.setattr(render, "open_pdf", lambda path, *rest: opened.append(path) or real(path, *rest))
    ingest(make_pdf(tmp_path / "exam.pdf", pages=6), workspace)
    assert len(opened) == 1


def test_force_and_other_settings_read_anew(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(tmp_path / "exam.pdf")
    ingest(path, workspace)
    assert ingest(path, workspace, force=True).status == "ok"
    assert ingest(path, workspace, settings=Settings(dpi=150)).status == "ok"
    assert seen["pages"] == [1, 1, 1]
    assert ingest(path, workspace, settings=Settings(dpi=150), template="zh_exam").status == "ok"
    assert seen["pages"] == [1, 1, 1]  # another template parses again and reads nothing


def test_damaged_work_is_made_again(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(tmp_path / "exam.pdf", pages=2)
    result = ingest(path, workspace)
    folder = workspace.paper_dir(str(result.paper_id))
    (folder / "work/read/002.json").write_text("{half")
    (folder / "paper.json").write_text("{half")
    assert ingest(path, workspace).status == "ok"
    assert seen["pages"] == [1, 2, 2]


def test_what_an_earlier_run_left_goes_away(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(tmp_path / "exam.pdf")
    folder = workspace.paper_dir(str(ingest(path, workspace).paper_id))
    (folder / "figures/p009-f9.png").write_bytes(b"old")
    (folder / "pages/009.png").write_bytes(b"old")
    ingest(path, workspace, force=True)
    assert not {"figures/p009-f9.png", "pages/009.png"} & tree(folder)
    assert {"figures/p001-f1.png", "pages/001.png"} <= tree(folder)


def test_images_in_a_folder_keep_their_bytes_and_order(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    folder = tmp_path / "扫描"
    folder.mkdir()
    for number in (10, 9, 1):
        save_image(folder / f"{number}.png", number * 10)
    result = ingest(folder, workspace)
    data = paper_json(workspace, result.paper_id)
    assert [f["file"] for f in data["source"]["files"]] == ["1.png", "9.png", "10.png"]
    assert data["source"]["file"] == "扫描"
    assert data["source"]["sha256"].startswith(str(result.paper_id))
    stored = workspace.paper_dir(str(result.paper_id))
    assert (stored / "source/9.png").read_bytes() == (folder / "9.png").read_bytes()
    with Image.open(stored / "pages/003.png") as page:
        assert page.getpixel((5, 5)) == 100


# --- pages and files that fail


def break_page(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException) -> None:
    import layout.page

    good = layout.page.analyse_page

    def analyse(page: Any, engine: Any, formulas: Any = None) -> Any:
        if page.number == number:
            raise error
        return good(page, engine)

    monkeypatch.setattr(layout.page, "analyse_page", analyse)


@pytest.mark.parametrize("error", [RuntimeError("odd data"), MemoryError(), IndexError()])
def test_one_bad_page_costs_that_page(
    tmp_path: Path,
    workspace: Workspace,
    seen: dict[str, list[int]],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    break_page(monkeypatch, 2, error)
    result = ingest(make_pdf(tmp_path / "exam.pdf", pages=3), workspace)
    assert (result.status, result.pages, result.questions) == ("doubts", 3, 2)
    data = paper_json(workspace, result.paper_id)
    assert [(i["code"], i["severity"], i["page"]) for i in data["issues"]] == [("page.unreadable", "error", 2)]
    assert [p["number"] for p in data["pages"]] == [1, 2, 3]
    with Ledger(workspace.database) as ledger:
        stages = ledger.stages(str(result.paper_id))
    assert stages["page:2"].state == "failed"
    assert stages["page:2"].error_code == "page.unreadable"
    assert stages["page:3"].state == "done"


def test_bad_page_is_tried_again_next_time(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_pdf(tmp_path / "exam.pdf", pages=2)
    with monkeypatch.context() as patch:
        break_page(patch, 2, RuntimeError())
        assert ingest(path, workspace).status == "doubts"
        assert ingest(path, workspace).status == "cached"  # failed again the same way: nothing new to parse
    assert ingest(path, workspace).status == "ok"
    assert seen["pages"] == [1, 2]


def test_truncated_picture_among_pages_has_no_image(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    save_image(folder / "1.png")
    noise = np.random.default_rng(1).integers(0, 255, (300, 300), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "2.png")
    (folder / "2.png").write_bytes((folder / "2.png").read_bytes()[:4000])
    data = paper_json(workspace, ingest(folder, workspace).paper_id)
    assert [p["image"] for p in data["pages"]] == ["pages/001.png", None]
    assert "2.png" in data["issues"][0]["message"]


def test_no_readable_page_is_an_error_and_leaves_nothing(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    break_page(monkeypatch, 1, RuntimeError("odd data"))
    path = make_pdf(tmp_path / "exam.pdf")
    [result] = run(workspace, path)
    assert result.status == "failed"
    assert result.error is not None
    assert "odd data" in result.error["message"]
    assert not list(workspace.papers.iterdir())
    assert (workspace.quarantine / "exam.pdf").read_bytes() == path.read_bytes()


def test_blank_pages_are_an_error_of_the_paper(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import layout.page
    import parse_templates.parser
    from layout.types import PageLayout
    from parse_templates.parser import ParsedPaper
    from wholepage.records import Coverage

    monkeypatch.setattr(
        layout.page, "analyse_page", lambda p, *_: PageLayout(p.number, *p.image.shape[1::-1], p.dpi, "blank", p.turn)
    )
    nothing = ParsedPaper(None, None, None, None, [], Coverage(), [], "fake")
    monkeypatch.setattr(parse_templates.parser, "parse_paper", lambda *_, **__: nothing)
    with pymupdf.open() as document:
        document.new_page()
        document.save(tmp_path / "blank.pdf")
    result = ingest(tmp_path / "blank.pdf", workspace)
    assert result.errors
    assert [i["code"] for i in paper_json(workspace, result.paper_id)["issues"]] == ["pages.blank"]


def test_errors_of_the_paper_make_doubts_also_when_cached(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    import parse_templates.parser

    good = parse_templates.parser.parse_paper
    monkeypatch.setattr(
        parse_templates.parser, "parse_paper", lambda *a, **k: dataclasses.replace(good(*a, **k), issues=[ERROR])
    )
    path = make_pdf(tmp_path / "exam.pdf")
    first, second = run(workspace, path, path)
    assert (first.status, second.status) == ("doubts", "cached")
    assert second.errors
    assert exit_code([second]) == ExitCode.DOUBTS


def test_a_defect_costs_its_file_only(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import parse_templates.parser

    good = parse_templates.parser.parse_paper

    def parse(layouts: Any, **options: Any) -> Any:
        if len(layouts) == 2:
            raise KeyError("bug")
        return good(layouts, **options)

    monkeypatch.setattr(parse_templates.parser, "parse_paper", parse)
    results = run(workspace, make_pdf(tmp_path / "a.pdf", 2), make_pdf(tmp_path / "b.pdf", 1))
    assert [r.status for r in results] == ["failed", "ok"]
    report = json.loads((workspace.quarantine / "a.pdf.error.json").read_text(encoding="utf-8"))
    assert report["code"] == "internal.error"
    assert "KeyError" in report["detail"]
    assert exit_code(results) == ExitCode.DOUBTS
    assert exit_code(results[:1]) == ExitCode.FAILURE


def test_encrypted_pdf(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    path = make_pdf(tmp_path / "e.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="pw", owner_pw="x")
    [failed] = run(workspace, path)
    assert failed.error is not None
    assert failed.error["code"] == "file.encrypted"
    assert tree(workspace.quarantine) == {"e.pdf", "e.pdf.error.json"}
    [result] = run(workspace, path, password="pw")
    assert result.status == "ok"
    assert not tree(workspace.quarantine)  # read after all
    stored = workspace.paper_dir(str(result.paper_id))
    assert (stored / "source/e.pdf").read_bytes() == path.read_bytes()
    assert not any("pw" in p.read_text(errors="ignore").split('"') for p in stored.rglob("*.json"))


def test_unknown_template_is_told_before_anything_is_read(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(TemplateError):
        Batch(workspace, IngestOptions(template="klingon"))


def test_exit_codes() -> None:
    ok = PaperResult("a", Path("a"), "ok")
    doubts = PaperResult("b", Path("b"), "doubts", errors=True)
    failed = PaperResult(None, Path("c"), "failed", errors=True, error={"code": "file.empty"})
    assert exit_code([]) == 0
    assert exit_code([ok, ok]) == 0
    assert exit_code([ok, doubts]) == 3
    assert exit_code([ok, failed]) == 3
    assert exit_code([failed, failed]) == 4


# --- keys


def test_key_is_used_remembered_replaced_and_forgotten(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    paper = make_pdf(tmp_path / "exam.pdf")
    keys = [make_pdf(tmp_path / f"key{n}.pdf", lines=[f"1. {'AB'[n]}"]) for n in (0, 1)]

    def answers(**options: Any) -> tuple[str, list[str], set[str], str | None]:
        result = ingest(paper, workspace, **options)
        data = paper_json(workspace, result.paper_id)
        stored = {p.name for p in (workspace.paper_dir(str(result.paper_id)) / "source").iterdir()}
        named = data["source"].get("answers", {}).get("file")
        return result.status, data["questions"][0]["answer"], stored, named

    assert answers() == ("ok", [], {"exam.pdf"}, None)
    assert answers(answers=keys[0]) == ("ok", ["A"], {"exam.pdf", "key0.pdf"}, "key0.pdf")
    assert answers() == ("cached", ["A"], {"exam.pdf", "key0.pdf"}, "key0.pdf")
    assert answers(answers=keys[1]) == ("ok", ["A"], {"exam.pdf", "key1.pdf"}, "key1.pdf")
    assert answers(forget_answers=True) == ("ok", [], {"exam.pdf"}, None)
    assert seen["pages"] == [1, 1, 1]  # the paper once, each key once


def test_pages_of_a_key_are_counted_and_kept_apart(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    paper, key = make_pdf(tmp_path / "exam.pdf", 2), make_pdf(tmp_path / "key.pdf", 3)
    progress: list[tuple[int, int]] = []
    source = open_source(paper)
    result = ingest_source(
        source, workspace, IngestOptions(answers=key), progress=lambda done, total: progress.append((done, total))
    )
    assert result.pages == 2
    assert progress[-1] == (5, 5)
    files = tree(workspace.paper_dir(source.paper_id))
    assert {"work/answers/layout/003.json", "work/answers/pages/003.png"} <= files
    assert "pages/003.png" not in files
    with Ledger(workspace.database) as ledger:
        assert {"page:2", "answers:page:3", "parse"} <= set(ledger.stages(source.paper_id))


def test_unreadable_key_does_not_cost_the_paper(
    tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]
) -> None:
    key = tmp_path / "key.pdf"
    key.write_bytes(b"%PDF-1.4 broken")
    [result] = run(workspace, Pair(make_pdf(tmp_path / "exam.pdf"), key))
    assert result.status == "doubts"
    codes = [i["code"] for i in paper_json(workspace, result.paper_id)["issues"]]
    assert codes == ["answers.unreadable"]
    assert "key.pdf.error.json" in tree(workspace.quarantine)


def test_a_paper_is_not_its_own_key(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]]) -> None:
    paper = make_pdf(tmp_path / "exam.pdf")
    result = ingest(paper, workspace, answers=paper)
    assert "answers" not in paper_json(workspace, result.paper_id)["source"]


# --- hostile names


@pytest.mark.parametrize(
    "name",
    [
        "-rf.pdf",
        "two\nlines.pdf",
        "quote'\"`$(x).pdf",
        "[bold]markup[].pdf",
        "\x1b[31mred.pdf",
        "试卷" * 40 + ".pdf",
        unicodedata.normalize("NFD", "Prüfung é.pdf"),
        ".pdf",
        "CON.pdf",
    ],
)
def test_hostile_names(tmp_path: Path, workspace: Workspace, seen: dict[str, list[int]], name: str) -> None:
    path = tmp_path / name
    make_pdf(tmp_path / "x.pdf").rename(path)
    bad = tmp_path / "bad" / name
    bad.parent.mkdir()
    bad.write_bytes(b"nothing")
    good, failed = run(workspace, path, bad)
    assert good.status == "ok"
    assert paper_json(workspace, good.paper_id)["source"]["file"] == name
    [stored] = (workspace.paper_dir(str(good.paper_id)) / "source").iterdir()
    assert stored.read_bytes() == path.read_bytes()
    assert not set(stored.name) & set("\n\x1b")
    assert failed.status == "failed"
    assert json.loads(json.dumps(failed.as_json()))["path"] == str(bad)
    report = next(workspace.quarantine.glob("*.error.json"))
    assert json.loads(report.read_text(encoding="utf-8"))["file"] == name


# --- quarantine


def wrong(code: str = "file.damaged") -> WholepageError:
    return SourceError("It is broken.", hint="Mend it.", code=code)


def test_quarantine_keeps_distinct_files_of_one_name(tmp_path: Path, workspace: Workspace) -> None:
    workspace.create()
    for folder, content in (("a", b"one"), ("b", b"two"), ("c", b"one")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.pdf").write_bytes(content)
        quarantine(workspace, tmp_path / folder / "x.pdf", wrong())
    files = tree(workspace.quarantine)
    assert len(files) == 4
    copies = {p.read_bytes() for p in workspace.quarantine.iterdir() if not p.name.endswith(".error.json")}
    assert copies == {b"one", b"two"}
    report = json.loads((workspace.quarantine / "x.pdf.error.json").read_text(encoding="utf-8"))
    assert {"file", "sha256", "code", "message", "hint", "when"} <= set(report)
    release(workspace, [sha256_file(tmp_path / "b/x.pdf")])
    left = tree(workspace.quarantine)
    assert left == {"x.pdf", "x.pdf.error.json"}


def test_quarantine_of_what_cannot_or_must_not_be_copied(tmp_path: Path, workspace: Workspace) -> None:
    workspace.create()
    assert quarantine(workspace, tmp_path / "absent.pdf", wrong()) is None
    big = tmp_path / "big.pdf"
    big.write_bytes(b"x")
    quarantine(workspace, big, wrong("file.too_large"))
    assert tree(workspace.quarantine) == {"big.pdf.error.json"}


def test_quarantine_of_a_folder(tmp_path: Path, workspace: Workspace) -> None:
    folder = tmp_path / "scan"
    folder.mkdir()
    (folder / "1.png").write_bytes(b"broken")
    [result] = run(workspace, folder)
    assert result.status == "failed"
    assert tree(workspace.quarantine) == {"scan/1.png", "scan.error.json"}


# --- crops


def figure(name: str, bbox: tuple[float, float, float, float], page: int = 1) -> Figure:
    return Figure(id="f", file=name, page=page, bbox=bbox)


def test_crops_take_whole_pixels_and_stay_on_the_page(tmp_path: Path) -> None:
    save_image(tmp_path / "p.png", 90, (100, 200))
    (tmp_path / "pages").mkdir()
    (tmp_path / "p.png").rename(tmp_path / "pages/001.png")
    issues = crop_figures(
        [figure("figures/a.png", (10.6, 20.2, 30.1, 40.9)), figure("figures/b.png", (90, 190, 130, 260))], tmp_path
    )
    assert issues == []
    with Image.open(tmp_path / "figures/a.png") as a, Image.open(tmp_path / "figures/b.png") as b:
        assert a.size == (21, 21)
        assert b.size == (10, 10)


def test_crops_that_cannot_be_made_are_issues(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    save_image(tmp_path / "pages/001.png", 90, (100, 200))
    figures = [figure("figures/a.png", (300, 20, 310, 30)), figure("figures/b.png", (0, 0, 9, 9), page=7)]
    issues = crop_figures(figures, tmp_path)
    assert [(i.code, i.severity, i.page) for i in issues] == [
        ("figure.not_cropped", "error", 1),
        ("figure.not_cropped", "error", 7),
    ]


@pytest.mark.parametrize("name", ["../paper.json", "figures/../../x.png", "/etc/x.png", "pages/001.png", "figures/.."])
def test_crops_never_leave_their_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkspaceError, match="not in figures"):
        crop_figures([figure(name, (0, 0, 5, 5))], tmp_path)
