"""Agreement figures, worked by hand."""

import pytest

from scoring.judges_agreement import (
    cohen_kappa,
    fleiss_kappa,
    interval_distance,
    krippendorff_alpha,
    majority_label,
    rate,
)


def test_cohen():
    # 20 both yes, 5 yes/no, 10 no/yes, 15 both no: p_o = 35/50 = 0.7
    # yes: 25/50 and 30/50, p_e = 0.5·0.6 + 0.5·0.4 = 0.5; kappa = 0.2/0.5 = 0.4
    left = ["y"] * 25 + ["n"] * 25
    right = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(left, right) == pytest.approx(0.4)
    assert cohen_kappa(["y", "n"], ["y", "n"]) == 1
    assert cohen_kappa(["y", "y"], ["y", "y"]) is None
    assert cohen_kappa([], []) is None


ITEMS = [list("ccc"), list("ccw"), list("www"), list("cww")]


def test_fleiss():
    # agreement within items: 1, 1/3, 1, 1/3 → 2/3; p(c) = p(w) = 6/12: P_e = 0.5; kappa = (2/3 - 1/2)/(1/2) = 1/3
    assert fleiss_kappa(ITEMS) == pytest.approx(1 / 3)
    assert fleiss_kappa([]) is None
    assert fleiss_kappa([list("cc"), list("cc")]) is None
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([list("cc"), list("ccc")])


def test_krippendorff_nominal():
    # D_o: items 2 and 4 have 2·(2·1) = 4 unequal pairs each over (3 - 1): 2 + 2 = 4; 4/12 = 1/3
    # D_e: 2·6·6/(12·11) = 72/132 = 6/11; alpha = 1 - 11/18 = 7/18
    assert krippendorff_alpha(ITEMS) == pytest.approx(7 / 18)


def test_krippendorff_leaves_single_verdicts_out():
    assert krippendorff_alpha([*ITEMS, ["c"], []]) == pytest.approx(7 / 18)
    assert krippendorff_alpha([["c"], ["w"]]) is None
    assert krippendorff_alpha([["c", "c"], ["c", "c"]]) is None


def test_krippendorff_interval():
    # (1, 1), (1, 0.5), (0, 0): D_o = 2·0.25/1/6 = 1/12
    # values 1 ×3, 0.5 ×1, 0 ×2: D_e = 2·(3·0.25 + 6·1 + 2·0.25)/30 = 14.5/30; alpha = 1 - (1/12)·(30/14.5) = 0.827586
    items = [[1.0, 1.0], [1.0, 0.5], [0.0, 0.0]]
    assert krippendorff_alpha(items, interval_distance) == pytest.approx(0.827586, abs=1e-6)


def test_rate():
    # human correct twice (judge: correct, wrong), wrong once (judge wrong), partial once (judge failed)
    report = rate("j", [("correct", "correct"), ("correct", "wrong"), ("wrong", "wrong"), ("partial", None)])
    assert report.accuracy == pytest.approx(2 / 3)
    assert report.recall == {"correct": 0.5, "partial": None, "wrong": 1}
    assert (report.items, report.missing) == (3, 1)
    assert report.confusion["correct"] == {"correct": 1, "partial": 0, "wrong": 1, "undecided": 0}


def test_majority_label():
    assert majority_label(["correct", "correct", "wrong"]) == "correct"
    assert majority_label(["correct", "wrong"]) == "undecided"
    assert majority_label([]) is None
