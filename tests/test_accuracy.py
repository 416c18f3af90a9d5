"""The measure of parsed papers against truth, on cases computed by hand."""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from samples import list_samples
from samples.measure import Counts, answers_match, figure_hits, measure, normalise, options_match, pair_questions
from wholepage.boxes import Box

ROOT = Path(__file__).parent.parent


def question(number: str = "1", **more: Any) -> dict[str, Any]:
    base = {"number": number, "section": "A", "type": "multiple_choice", "points": 5, "stem": "abcd", "options": {}}
    return {**base, "answer": [], "figures": [], "page": 1, "parts": [], **more}


def truth(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"page_sizes_pt": [[100, 200]], "questions": list(questions)}


def parsed(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"pages": [{"number": 1, "width": 200, "height": 400}], "questions": list(questions)}


def as_parsed(q: dict[str, Any], scale: float = 2.0) -> dict[str, Any]:
    """The truth as a perfect parser would give it, boxes in pixels of `scale` a point."""
    out = copy.deepcopy(q)
    out["options"] = [{"label": k, "text": v} for k, v in q["options"].items()]
    out["figures"] = [{**f, "bbox": [v * scale for v in f["bbox"]], "placement": "stem"} for f in q["figures"]]
    out["parts"] = []  # the truth's stem holds the text of the parts
    return out


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"$\frac{1}{2}$", r"$\dfrac{1}{2}$"),
        (r"$x\leqslant 3$", "x≤3"),
        (r"$A\cup B$", "A ∪ B"),
        (r"$\mathrm{H_2O}$", "H₂O"),
        (r"$\mathrm{H_{2}O}$", "$\\mathrm{H}_2\\mathrm{O}$"),
        (r"$30^{\circ}$", "30°"),
        ("值为（　　）", "值为"),
        ("甲，乙。", "甲, 乙."),
        ("看图![](figures/a.png)。", "看图。"),
        ("<table><tr><td>1</td></tr></table>", "1"),
        (r"$\left(0,1\right)$", "(0,1)"),
        ("_____", "____"),
        (r"$20\%$", "20%"),
        (r"$x^2$", "x²"),
        (r"$2A\overset{\text{高温}}{=}B$", r"$2A\xlongequal{\text{高温}}B$"),
    ],
)
def test_same_text_in_two_spellings(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("$x^2$", "$x_2$"), ("$x^2$", "$x2$"), (r"$\to$", r"$\rightleftharpoons$"), ("是____", "是"), (r"$\{1\}$", "(1)")],
)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_perfect_paper() -> None:
    q = question(options={"A": "x", "B": "y"}, answer=["A"], figures=[{"page": 1, "bbox": [10, 10, 50, 50]}])
    counts = measure(truth(q), parsed(as_parsed(q)))
    assert counts == Counts(1, 1, 0, 1, 1, 1.0, 1, 1, 1, 1, 1, 1, 1)
    assert counts.rates() == {
        "found": 1.0,
        "extra": 0.0,
        "type": 1.0,
        "points": 1.0,
        "text": 1.0,
        "options": 1.0,
        "answers": 1.0,
        "figures": 1.0,
    }


def test_missing_question_counts_as_wrong_everywhere() -> None:
    one = question("1", options={"A": "x"}, answer=["A"], figures=[{"page": 1, "bbox": [0, 0, 9, 9]}])
    two = {**copy.deepcopy(one), "number": "2"}
    rates = measure(truth(one, two), parsed(as_parsed(one))).rates()
    assert [rates[k] for k in ("found", "type", "points", "text", "options", "answers")] == [0.5] * 6
    assert rates["figures"] == pytest.approx(2 / 3)  # precision 1, recall 1/2


def test_text_is_one_minus_the_normalised_distance() -> None:
    wrong = {**as_parsed(question()), "stem": "abxd"}
    assert measure(truth(question()), parsed(wrong)).text == pytest.approx(0.75)


def test_text_of_parts_counts_once() -> None:
    q = question(stem="abc\n(1) d\n(i) e")
    given = {**as_parsed(q), "stem": "abc"}
    given["parts"] = [{"label": "(1)", "text": "d", "parts": [{"label": "(i)", "text": "e"}]}]
    assert measure(truth(q), parsed(given)).text == 1.0


def test_extra_and_repeated_numbers() -> None:
    a, b = question("1", stem="photosynthesis"), question("1", stem="electric circuit", section="B")
    only_b = as_parsed(b)
    pairs, extra = pair_questions([a, b], [only_b])
    assert pairs == [None, only_b] and extra == 0
    pairs, extra = pair_questions([a, b], [as_parsed(b), as_parsed(a), as_parsed(question("3"))])
    assert [p["stem"] for p in pairs if p] == ["photosynthesis", "electric circuit"] and extra == 1


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ([("A", "one apple"), ("B", "two")], True),
        ([("B", "two"), ("A", "one apple")], False),
        ([("A", "one apple")], False),
        ([("A", "one apple"), ("B", "tow")], False),
        ([("A", "one apple"), ("B", "two"), ("C", "")], False),
    ],
)
def test_options_need_labels_and_texts(given: list[tuple[str, str]], right: bool) -> None:
    true = {"A": "one apple", "B": "two"}
    assert options_match(true, [{"label": k, "text": v} for k, v in given]) is right


def test_an_option_may_differ_by_a_tenth() -> None:
    true = {"A": "0123456789"}
    assert options_match(true, [{"label": "A", "text": "012345678x"}])
    assert not options_match(true, [{"label": "A", "text": "01234567xx"}])


@pytest.mark.parametrize(
    ("true", "given", "right"),
    [
        (["ACD"], ["ACD"], True),
        (["ACD"], ["ACDB"], False),
        (["$6$", "$3$"], ["6", "3."], True),
        (["6", "3"], ["3", "6"], False),
        (["6", "3"], ["6；3"], False),
        (["6"], [], False),
    ],
)
def test_answers_are_exact(true: list[str], given: list[str], right: bool) -> None:
    assert answers_match(true, given) is right


def test_figures_need_half_the_union_and_each_box_counts_once() -> None:
    true = [(1, Box(0, 0, 10, 10))]
    assert figure_hits(true, [(1, Box(0, 0, 10, 20))]) == 1  # IoU 100/200
    assert figure_hits(true, [(1, Box(0, 0, 10, 21))]) == 0
    assert figure_hits(true, [(2, Box(0, 0, 10, 10))]) == 0
    assert figure_hits(true * 2, [(1, Box(0, 0, 10, 10))]) == 1


def test_figure_at_another_question_is_no_hit() -> None:
    one, two = question("1", figures=[{"page": 1, "bbox": [10, 10, 50, 50]}]), question("2")
    got_one, got_two = as_parsed(one), as_parsed(two)
    got_one["figures"], got_two["figures"] = [], got_one["figures"]
    counts = measure(truth(one, two), parsed(got_one, got_two))
    assert (counts.figures, counts.figures_given, counts.figures_hit) == (1, 1, 0)
    assert counts.rates()["figures"] == 0.0


def test_scan_and_photo_boxes_go_through_their_matrices() -> None:
    matrix = [[2, 0, 30], [0, 2, 40], [0, 0, 1]]  # twice as large, moved by (30, 40)
    q = question(page=1, answer=["A"], figures=[{"page": 1, "bbox": [10, 10, 20, 20]}])
    known = truth(q, question("2", page=2))
    entry = {"page": 1, "width": 400, "height": 800, "homography": matrix}
    known["scan"], known["photos"] = {"pages": [entry]}, [entry]
    given = as_parsed(q)
    given["figures"][0]["bbox"] = [25, 30, 35, 40]  # (50, 60, 70, 80) on a page stored at half size
    paper = parsed(given)
    assert measure(known, paper, "scan").figures_hit == 1
    assert measure(known, paper).figures_hit == 0
    photo = measure(known, paper, "photo", 1)
    assert (photo.questions, photo.figures_hit, photo.with_answer) == (1, 1, 0)


def test_no_options_and_no_answers_have_no_rate() -> None:
    rates = measure(truth(question()), parsed(as_parsed(question()))).rates()
    assert rates["options"] is None and rates["answers"] is None and rates["figures"] is None


def test_counts_pool_by_addition() -> None:
    a = measure(truth(question()), parsed(as_parsed(question())))
    b = measure(truth(question()), parsed())
    assert (a + b).rates()["found"] == 0.5


@pytest.mark.parametrize("sample", list_samples(), ids=lambda s: s.name)
def test_a_perfect_parse_of_each_sample_scores_one(sample) -> None:
    known = json.loads(sample.truth.read_text(encoding="utf-8"))
    pages = [{"number": i + 1, "width": 2 * w, "height": 2 * h} for i, (w, h) in enumerate(known["page_sizes_pt"])]
    rates = measure(known, {"pages": pages, "questions": [as_parsed(q) for q in known["questions"]]}).rates()
    assert rates.pop("extra") == 0
    assert {v for v in rates.values() if v is not None} == {1.0}


def load_benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("wholepage_accuracy", ROOT / "benchmarks" / "accuracy.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def test_benchmark_prints_rows_for_given_pairs(tmp_path: Path, capsys) -> None:
    q = question(options={"A": "x"}, answer=["A"])
    (tmp_path / "t.json").write_text(json.dumps(truth(q, question("2"))))
    (tmp_path / "p.json").write_text(json.dumps(parsed(as_parsed(q))))
    out = tmp_path / "out.json"
    assert load_benchmark().main([str(tmp_path / "t.json"), str(tmp_path / "p.json"), "--json", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:4] == ["t.json", "2", "0.500", "0.000"] and lines[-1].startswith("all")
    assert json.loads(out.read_text())["t.json"]["answers"] == 1.0


def test_benchmark_marks_a_file_that_made_no_paper(tmp_path: Path, monkeypatch, capsys) -> None:
    benchmark = load_benchmark()
    monkeypatch.setattr(benchmark, "ingest", lambda file, workspace: None)
    assert benchmark.main(["--only", "en-science", "--workspace", str(tmp_path)]) == 1
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("en-science.pdf"))
    assert row.split()[1:4] == ["12", "0.000", "0.000"] and row.endswith("FAILED")
