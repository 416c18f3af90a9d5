"""Statistics, with the working in comments; library results are checked against values found by hand."""

import math

import pytest

from scoring.stats import (
    bootstrap_interval,
    clustered_standard_error,
    estimate,
    macro_mean,
    mean,
    micro_mean,
    standard_error,
    wilson_interval,
)
from scoring.stats_epochs import EpochAnswer, majority_vote, pass_at_1, pass_at_k, self_consistency
from scoring.stats_items import chance_fraction, chance_level, item_statistics, point_biserial
from scoring.stats_paired import Answer, compare, holm, mcnemar_exact, wilcoxon_signed_rank, with_holm


class TestMeans:
    def test_standard_error(self):
        # 1, 0, 1, 1: mean 0.75, Σ(x - m)² = 3·0.0625 + 0.5625 = 0.75, s² = 0.75/3 = 0.25, SE = 0.5/2 = 0.25
        assert standard_error([1, 0, 1, 1]) == pytest.approx(0.25)
        assert standard_error([1]) is None

    def test_clustered_standard_error(self):
        # papers a = (1, 1), b = (0, 1), mean 0.75: sums of deviations a: 0.5, b: -0.5
        # √(2/1 · (0.25 + 0.25)) / 4 = √1 / 4 = 0.25
        assert clustered_standard_error([1, 1, 0, 1], ["a", "a", "b", "b"]) == pytest.approx(0.25)
        # paper a all right, b all wrong: sums ±1, √(2·(1 + 1))/4 = 0.5: twice what independence would say … 0.2887
        assert clustered_standard_error([1, 1, 0, 0], ["a", "a", "b", "b"]) == pytest.approx(0.5)
        assert standard_error([1, 1, 0, 0]) == pytest.approx(math.sqrt(1 / 3 / 4))
        assert clustered_standard_error([1, 0], ["a", "a"]) is None

    def test_macro_and_micro(self):
        # paper a: 1 of 1; paper b: 1 of 4. macro (1 + 0.25)/2 = 0.625; micro 2/5 = 0.4
        groups = {"a": [1.0], "b": [1.0, 0.0, 0.0, 0.0], "empty": []}
        assert macro_mean(groups) == 0.625
        assert micro_mean(groups) == 0.4
        assert mean([]) is None


class TestIntervals:
    def test_the_same_value_everywhere_is_not_certain(self):
        # three questions, each right in one epoch of three: resampling sees no spread, three questions prove little
        interval = bootstrap_interval([1 / 3] * 3, ["a", "a", "b"])
        assert interval.method == "wilson"
        # Wilson by hand, p = 1/3, n = 3, z = 1.96: (0.3333 + 0.6402) / 2.2805 ± 1.96 √(0.0741 + 0.1067) / 2.2805
        assert (interval.low, interval.high) == pytest.approx((0.0614, 0.7923), abs=2e-3)

    def test_wilson(self):
        # 10 of 10, z = 1.959964: centre (1 + z²/20)/(1 + z²/10) = 1.19207/1.38415 = 0.861232,
        # half width z·√(z²/400)/(1 + z²/10) = z²/20/1.38415 = 0.138768: low = 0.722464, high = 1
        low, high = wilson_interval(10, 10)
        assert low == pytest.approx(0.72246, abs=1e-5)
        assert high == pytest.approx(1)

    def test_all_right_has_a_width(self):
        interval = bootstrap_interval([1.0] * 10, ["a"] * 10)
        assert interval.method == "wilson"
        assert interval.low == pytest.approx(0.72246, abs=1e-5)

    def test_papers_are_resampled_whole(self):
        # 16 papers of 10 alike questions, 8 all right: n is 16, not 160: SE √(0.25/16) = 0.125, about 0.5 ± 0.245
        values = [float(p % 2) for p in range(16) for _ in range(10)]
        papers = [f"p{p}" for p in range(16) for _ in range(10)]
        interval = bootstrap_interval(values, papers)
        assert interval.unit == "paper"
        assert interval.low == pytest.approx(0.255, abs=0.07)
        assert interval.high == pytest.approx(0.745, abs=0.07)
        # the same answers as if independent: SE = √(0.25/160) = 0.0395, ± 0.078
        alone = bootstrap_interval(values, [str(i) for i in range(160)])
        assert alone.high - alone.low == pytest.approx(0.155, abs=0.02)

    def test_two_alike_papers_do_not_pretend_certainty(self):
        # both papers have half right: papers alone give no width; questions give SE √(0.25/20) = 0.11, ± 0.22
        values = [1.0, 0.0] * 10
        interval = bootstrap_interval(values, ["a"] * 10 + ["b"] * 10)
        assert interval.unit == "question"
        assert interval.high - interval.low == pytest.approx(0.44, abs=0.08)

    def test_same_data_same_interval(self):
        values, papers = [1.0, 0.0, 1.0, 1.0, 0.0], list("aabbc")
        assert bootstrap_interval(values, papers) == bootstrap_interval(values, papers)

    def test_estimate_of_nothing(self):
        result = estimate([], [])
        assert result.mean is None and result.interval is None and result.se is None


class TestPaired:
    def test_mcnemar(self):
        # 8 lost, 2 gained: p = 2 · (C(10,0) + C(10,1) + C(10,2)) / 2^10 = 2 · 56 / 1024 = 0.109375
        assert mcnemar_exact(8, 2) == pytest.approx(0.109375)
        # 6 and 0: 2 / 64 = 0.03125
        assert mcnemar_exact(6, 0) == pytest.approx(0.03125)
        assert mcnemar_exact(0, 0) == 1
        assert mcnemar_exact(3, 3) == 1

    def test_wilcoxon(self):
        # ranks of 0.1, 0.2, 0.3, 0.4, 0.5, all negative: W+ = 0, p = 2 / 2^5 = 0.0625
        assert wilcoxon_signed_rank([-0.1, -0.2, -0.3, -0.4, -0.5]) == pytest.approx(0.0625)
        # 0.1 positive: W+ = 1; sets of ranks with sum ≤ 1: {} and {1}: p = 2 · 2/32 = 0.125
        assert wilcoxon_signed_rank([0.1, -0.2, -0.3, -0.4, -0.5]) == pytest.approx(0.125)
        assert wilcoxon_signed_rank([0.0, 0.0]) is None

    def test_holm(self):
        # sorted 0.01, 0.03, 0.04: 3·0.01 = 0.03; max(0.03, 2·0.03) = 0.06; max(0.06, 0.04) = 0.06
        assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
        assert holm([]) == []

    def test_compare_uses_the_same_questions_only(self):
        # common q1 … q4; differences 0, -1, -1, +1 → mean -0.25; lost q2 q3, gained q4
        left = {f"q{i}": Answer(f, f == 1) for i, f in zip(range(1, 6), (1, 1, 1, 0, 1), strict=True)}
        right = {f"q{i}": Answer(f, f == 1) for i, f in zip(range(1, 5), (1, 0, 0, 1), strict=True)}
        result = compare("text_image", "image_only", left, right, dict.fromkeys(left, "a"))
        assert result.questions == 4
        assert result.difference == -0.25
        assert (result.lost, result.gained) == (("q2", "q3"), ("q4",))
        assert (result.both_right, result.both_wrong) == (1, 0)
        # 2 and 1: p = 2·(C(3,0) + C(3,1))/8 = 1
        assert result.mcnemar == pytest.approx(1)

    def test_no_common_question(self):
        result = compare("a", "b", {"q1": Answer(1, True)}, {"q2": Answer(1, True)}, {})
        assert result.questions == 0 and result.difference is None and result.mcnemar is None
        assert with_holm([result])[0].adjusted is None


class TestEpochs:
    def test_pass_at_k(self):
        # n 5, c 2, k 2: 1 - C(3,2)/C(5,2) = 1 - 3/10 = 0.7
        assert pass_at_k(5, 2, 2) == pytest.approx(0.7)
        # k 1 is the share right; k 4 with three wrong: at least one is right
        assert pass_at_k(5, 2, 1) == pytest.approx(0.4)
        assert pass_at_k(5, 2, 4) == 1
        assert pass_at_k(5, 0, 5) == 0
        assert pass_at_k(3, 1, 4) is None
        with pytest.raises(ValueError, match="pass@k"):
            pass_at_k(3, 4, 1)

    def test_votes(self):
        # answers 3, 3, 5, none; 3 is right: pass@1 2/4, majority right, consistency 2/4
        epochs = [EpochAnswer("3", True), EpochAnswer(" 3 ", True), EpochAnswer("5", False), EpochAnswer(None, False)]
        assert pass_at_1(epochs) == 0.5
        assert majority_vote(epochs) == 1
        assert self_consistency(epochs) == 0.5

    def test_forms_of_the_right_answer_are_one_class(self):
        # 1/2 and 0.5 are both right and outvote 3, 3 only together with a third form
        epochs = [EpochAnswer(t, True) for t in ("1/2", "0.5", "50%")] + [EpochAnswer("3", False)] * 2
        assert majority_vote(epochs) == 1
        assert self_consistency(epochs) == 0.6

    def test_tie_is_a_share(self):
        # one right, one wrong answer: 1/2
        assert majority_vote([EpochAnswer("3", True), EpochAnswer("4", False)]) == 0.5

    def test_no_answer_at_all(self):
        assert majority_vote([EpochAnswer(None, False)] * 3) == 0
        assert self_consistency([EpochAnswer(None, False)] * 3) == 0
        assert majority_vote([]) is None and self_consistency([]) is None and pass_at_1([]) is None


class TestItems:
    def test_point_biserial(self):
        # x = 1 1 0 0, y = 4 3 2 1: means 3.5 and 1.5, population sd √1.25, √(pq) = 0.5: 2/1.1180·0.5 = 0.894427
        assert point_biserial([True, True, False, False], [4, 3, 2, 1]) == pytest.approx(0.894427, abs=1e-6)
        assert point_biserial([True, True], [1, 0]) is None
        assert point_biserial([True, True, True], [1, 2, 3]) is None
        assert point_biserial([True, False, True], [1, 1, 1]) is None

    def test_item_statistics(self):
        # four takers, items a b c; the rest score of a: share right on b and c
        takers = {
            "t1": {"a": True, "b": True, "c": True},
            "t2": {"a": True, "b": True, "c": False},
            "t3": {"a": False, "b": False, "c": True},
            "t4": {"a": False, "b": False, "c": False},
        }
        items = {item.question: item for item in item_statistics(takers)}
        # a: rest 1, 0.5, 0.5, 0 against 1 1 0 0: means 0.75, 0.25, sd √0.125 = 0.353553: 0.5/0.353553·0.5 = 0.707107
        assert items["a"].discrimination == pytest.approx(0.707107, abs=1e-6)
        assert items["a"].difficulty == 0.5
        # c: rest (a, b): 1, 1, 0, 0 against 1 0 1 0: both means 0.5 → 0
        assert items["c"].discrimination == pytest.approx(0)
        assert items["a"].flag is None

    def test_flags(self):
        takers = {f"t{i}": {"easy": True, "dead": False, "odd": i < 2, "x": i > 1, "y": i > 1} for i in range(4)}
        flags = {item.question: item.flag for item in item_statistics(takers)}
        assert flags["easy"] == "trivial"
        assert flags["dead"] == "broken"
        # odd: right where x and y are wrong
        assert flags["odd"] == "negative"

    def test_chance(self):
        assert chance_fraction("multiple_choice", "ABCD", "B") == 0.25
        assert chance_fraction("multiple_choice", "", "B") is None
        assert chance_fraction("true_false", "", "对") == 0.5
        assert chance_fraction("fill_in_blank", "", "3") == 0
        # 15 non-empty sets of 4 letters; all or nothing: 1/15
        assert chance_fraction("multi_select", "ABCD", "AC") == pytest.approx(1 / 15)

        # half for a proper subset of AC: {A}, {C} → (1 + 0.5 + 0.5)/15 = 2/15
        def subset_half(letters):
            return 1.0 if letters == "AC" else 0.5 if set(letters) < set("AC") else 0.0

        assert chance_fraction("multi_select", "ABCD", "AC", subset_half) == pytest.approx(2 / 15)

    def test_chance_level_of_a_paper(self):
        # 0.25 of 4 points and 0 of 6: 1/10; by question (0.25 + 0)/2 = 0.125; the unknown one is left out
        level = chance_level([(0.25, 4), (0.0, 6), (None, 5)])
        assert level.points == pytest.approx(0.1)
        assert level.questions == pytest.approx(0.125)
        assert (level.known, level.unknown) == (2, 1)
