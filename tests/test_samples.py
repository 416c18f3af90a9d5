"""The committed samples agree with their sources, and can be made again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pymupdf
import pytest

from samples import Sample, list_samples, sample_dir
from samples.latex import FormulaError, to_typst
from samples.make import main, make_paper
from samples.measure import normalise
from samples.scans import make_photo, make_scan
from samples.source import SOURCES, SourcePaperError, load_source, source_names
from samples.truth import build_truth
from samples.typeset import FontMissingError, cjk_font, typeset
from wholepage.boxes import Box

NAMES = [s.name for s in list_samples()]
BY_NAME = {s.name: s for s in list_samples()}


def truth_of(name: str) -> dict[str, Any]:
    return json.loads(BY_NAME[name].truth.read_text(encoding="utf-8"))


def words(pdf: bytes | Path) -> list[str]:
    """Text of every page without spacing."""
    stream = pdf.read_bytes() if isinstance(pdf, Path) else pdf
    with pymupdf.open(stream=stream, filetype="pdf") as document:
        return ["".join(page.get_text().split()) for page in document]


def test_every_source_has_its_paper_and_all_stay_small() -> None:
    assert source_names() == NAMES and len(NAMES) >= 4
    for sample in list_samples():
        assert sample.pdf.is_file() and sample.scan.is_file()
    assert sum(len(s.photos) for s in list_samples()) >= 1
    assert sum(f.stat().st_size for f in sample_dir().iterdir()) < 8_000_000


@pytest.mark.parametrize("name", NAMES)
def test_number_is_printed_in_its_start_box(name: str) -> None:
    with pymupdf.open(BY_NAME[name].pdf) as document:
        for q in truth_of(name)["questions"]:
            box = pymupdf.Rect(Box.of(q["start_bbox"]).grow(1.5, 4).as_list())
            text = "".join(document[q["page"] - 1].get_text("text", clip=box).split())
            assert text.rstrip(".．") == q["number"], (q["section"], q["number"], text)


@pytest.mark.parametrize("name", NAMES)
def test_points_add_up_to_the_total(name: str) -> None:
    truth = truth_of(name)
    assert sum(q["points"] for q in truth["questions"]) == truth["total_points"]
    for q in truth["questions"]:
        parts = [p["points"] or sum(i["points"] for i in p["parts"]) for p in q["parts"] if p["points"] or p["parts"]]
        assert not parts or sum(parts) == q["points"]


@pytest.mark.parametrize("name", NAMES)
def test_right_answers_are_options_or_fill_the_blanks(name: str) -> None:
    for q in truth_of(name)["questions"]:
        if q["options"]:
            (letters,) = q["known_answer"]
            assert set(letters) <= set(q["options"])
            assert (len(letters) > 1) == (q["type"] == "multi_select")
        elif q["type"] == "fill_in_blank":
            assert q["stem"].count("____") == len(q["known_answer"])


@pytest.mark.parametrize("name", NAMES)
def test_figure_boxes_hold_ink_and_do_not_overlap(name: str) -> None:
    truth = truth_of(name)
    boxes = [(f["page"], Box.of(f["bbox"])) for q in truth["questions"] for f in q["figures"]]
    assert len(boxes) >= 3
    for i, (page, box) in enumerate(boxes):
        width, height = truth["page_sizes_pt"][page - 1]
        assert box.clip(width, height) == box and box.width > 40 and box.height > 30
        assert all(box.overlap(other) == 0 for p, other in boxes[i + 1 :] if p == page)
    with pymupdf.open(BY_NAME[name].pdf) as document:
        for page, box in boxes:
            grey = document[page - 1].get_pixmap(dpi=72, clip=pymupdf.Rect(box.as_list()), colorspace=pymupdf.csGRAY)
            assert 0.005 < float(np.mean(np.frombuffer(grey.samples, np.uint8) < 200)) < 0.6


@pytest.mark.parametrize("name", NAMES)
def test_scan_is_image_only_and_its_matrices_put_the_page_in_place(name: str) -> None:
    sample, truth = BY_NAME[name], truth_of(name)
    assert words(sample.scan) == [""] * len(truth["page_sizes_pt"])
    with pymupdf.open(sample.pdf) as flat, pymupdf.open(sample.scan) as scan:
        entry = truth["scan"]["pages"][0]
        image = scan.extract_image(scan[0].get_images()[0][0])
        assert (image["width"], image["height"], image["colorspace"]) == (entry["width"], entry["height"], 1)
        seen = cv2.imdecode(np.frombuffer(image["image"], np.uint8), cv2.IMREAD_GRAYSCALE)
        assert agreement(flat[0], seen, np.array(entry["homography"])) > 0.8
        skew = abs(np.degrees(np.arctan2(entry["homography"][1][0], entry["homography"][0][0])))
        assert 0.3 <= skew <= 1.0


@pytest.mark.parametrize("name", [n for n in NAMES if BY_NAME[n].photos])
def test_photo_matrix_puts_the_page_in_place(name: str) -> None:
    sample = BY_NAME[name]
    for entry in truth_of(name)["photos"]:
        seen = cv2.imread(str(sample.truth.parent / entry["file"]), cv2.IMREAD_GRAYSCALE)
        assert seen.shape == (entry["height"], entry["width"])
        with pymupdf.open(sample.pdf) as flat:
            assert agreement(flat[entry["page"] - 1], seen, np.array(entry["homography"]), blur=4.0) > 0.5


def agreement(page: pymupdf.Page, seen: np.ndarray, matrix: np.ndarray, blur: float = 2.0) -> float:
    """Correlation of the flat page with the picture mapped back onto it, both at 100 dpi without slow shading."""
    pix = page.get_pixmap(dpi=100, colorspace=pymupdf.csGRAY)
    flat = np.frombuffer(pix.samples, np.uint8).reshape(pix.height, pix.stride)[:, : pix.width].astype(np.float32)
    back = matrix @ np.diag([0.72, 0.72, 1.0])
    mapped = cv2.warpPerspective(seen, back, (pix.width, pix.height), flags=cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR)
    pair = []
    for image in (flat, mapped.astype(np.float32)):
        detail = cv2.GaussianBlur(image, (0, 0), blur) - cv2.GaussianBlur(image, (0, 0), 25)
        pair.append(detail[20:-20, 20:-20].ravel())
    return float(np.corrcoef(*pair)[0, 1])


def test_printed_key_says_what_the_truth_says() -> None:
    math = words(BY_NAME["zh-math-key"].pdf)[-1]
    letters = "".join(q["answer"][0] for q in truth_of("zh-math-key")["questions"][:8])
    assert "答案" + letters in math
    english = words(BY_NAME["en-science"].pdf)[-1]
    questions = truth_of("en-science")["questions"]
    assert "".join(q["answer"][0] for q in questions[:5]) in english
    for answer in (a for q in questions if q["section"] == "Section B" for a in q["answer"]):
        assert normalise(answer).split("\\")[0] in english
    numbers = Counter(q["number"] for q in questions)
    assert numbers["1"] == 2, "numbering restarts in Section B"


def test_physics_prints_no_key_and_chemistry_prints_answers_inline() -> None:
    assert all(q["answer"] == [] and q["known_answer"] for q in truth_of("zh-physics-a3")["questions"])
    assert "答案】" not in "".join(words(BY_NAME["zh-physics-a3"].pdf))
    chemistry = "".join(words(BY_NAME["zh-chemistry-inline"].pdf))
    for q in truth_of("zh-chemistry-inline")["questions"]:
        if q["options"]:
            assert f"【答案】{q['answer'][0]}【解析】" in chemistry


def rebuilt(name: str, out: Path) -> Sample:
    sample = make_paper(load_source(SOURCES / f"{name}.yaml"), out)
    assert sample.pdf.read_bytes().startswith(b"%PDF")
    return sample


def close(a: Any, b: Any) -> bool:
    """Equal JSON, numbers up to one unit (fonts' and renderers' rounding)."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= 1
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    return bool(a == b)


def test_english_paper_rebuilds_to_the_committed_text_and_truth(tmp_path: Path) -> None:
    sample = rebuilt("en-science", tmp_path)
    assert words(sample.pdf) == words(BY_NAME["en-science"].pdf)
    assert close(json.loads(sample.truth.read_text(encoding="utf-8")), truth_of("en-science"))


@pytest.mark.skipif(cjk_font() != "Noto Serif CJK SC", reason="the committed papers are set in Noto Serif CJK SC")
@pytest.mark.parametrize("name", [n for n in NAMES if n.startswith("zh-")])
def test_chinese_papers_rebuild_to_the_committed_text_and_boxes(name: str) -> None:
    paper = load_source(SOURCES / f"{name}.yaml")
    made = typeset(paper)
    assert words(made.pdf) == words(BY_NAME[name].pdf)
    fresh = build_truth(paper, made)
    assert close(json.loads(json.dumps(fresh)), {k: truth_of(name)[k] for k in fresh})


def test_without_a_chinese_font_the_error_says_what_to_install(monkeypatch, capsys, tmp_path: Path) -> None:
    monkeypatch.setattr("samples.typeset.cjk_font", lambda: None)
    with pytest.raises(FontMissingError, match="zh-math-key") as caught:
        typeset(load_source(SOURCES / "zh-math-key.yaml"))
    assert "fonts-noto-cjk" in caught.value.hint
    assert main(["--out", str(tmp_path), "--only", "zh-math-key"]) == 1
    assert "fonts-noto-cjk" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_scans_and_photos_are_deterministic() -> None:
    with pymupdf.open() as document:
        document.new_page(width=200, height=280).insert_text((30, 60), "1. Same seed, same scan")
        pdf = document.tobytes()
    assert make_scan(pdf, 5).pdf == make_scan(pdf, 5).pdf
    assert make_scan(pdf, 5).pdf != make_scan(pdf, 6).pdf
    assert make_photo(pdf, 1, 5).jpeg == make_photo(pdf, 1, 5).jpeg


def test_list_samples_reads_any_folder(tmp_path: Path) -> None:
    assert list_samples(tmp_path) == []
    (tmp_path / "x.truth.json").write_text("{}")
    (tmp_path / "x.photo-2.jpg").write_bytes(b"")
    (sample,) = list_samples(tmp_path)
    assert (sample.name, sample.pdf.name, [p.name for p in sample.photos]) == ("x", "x.pdf", ["x.photo-2.jpg"])


def test_broken_source_names_file_and_field(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("name: bad\nsections: 3\n", encoding="utf-8")
    with pytest.raises(SourcePaperError, match=r"bad\.yaml[\s\S]*sections"):
        load_source(path)


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        (r"\frac{1}{x_2}", "frac(1, x _(2))"),
        (r"\sqrt[3]{8}", "root(3, 8)"),
        (r"\left[0,\frac{\pi}{2}\right)", "lr(bracket.l 0 comma frac(pi, 2) paren.r)"),
        (r"\mathrm{H_2O}", "upright(H _(2) O)"),
        (r"0.3^2", "0.3 ^(2)"),
        (r"\overset{\text{高温}}{=}", 'stretch(eq)^(upright("高温"))'),
        (r"\begin{cases}1,&x\le 0 \\ 2\end{cases}", "display(cases(1 comma & x lt.eq.slant 0, 2))"),
    ],
)
def test_latex_becomes_typst(latex: str, typst: str) -> None:
    assert to_typst(latex) == typst


@pytest.mark.parametrize("latex", [r"\unknown{x}", r"\frac{1}{2", r"x}", r"x^"])
def test_bad_latex_is_an_error(latex: str) -> None:
    with pytest.raises(FormulaError):
        to_typst(latex)
