"""Length, budget and price figures, worked by hand."""

import math

import pytest

from scoring.efficiency import (
    LengthItem,
    Price,
    arl,
    capped_accuracy,
    mean_lengths,
    per_correct,
    post_hoc_accuracy,
    price_of,
)


def test_arl_of_the_paper():
    # right in 4096 tokens: 1 · (1 + 0.15 ln 1) = 1
    # right in 2048:        1 + 0.15 ln 2 = 1.103972
    # right in 8192:        1 - 0.15 ln 2 = 0.896028
    # wrong in 100:         0                              mean = 3 / 4 = 0.75
    items = [LengthItem(1, 4096, 4096), LengthItem(1, 2048, 4096), LengthItem(1, 8192, 4096), LengthItem(0, 100, 4096)]
    assert arl(items[1:2], 0.15).value == pytest.approx(1 + 0.15 * math.log(2))
    assert arl(items[1:2], 0.15).value == pytest.approx(1.103972, abs=1e-6)
    assert arl(items, 0.15).value == pytest.approx(0.75)


def test_arl_leaves_unknown_lengths_out():
    # only the first is known: 1. Neither a None nor a 0 is guessed, right or wrong.
    figure = arl(
        [LengthItem(1, 4096, 4096), LengthItem(1, None, 4096), LengthItem(0, None, 4096), LengthItem(1, 0, 4096)], 0.15
    )
    assert (figure.value, figure.known, figure.unknown) == (1, 1, 3)
    assert arl([LengthItem(1, None, 4096)], 0.15).value is None


def test_arl_of_the_code_uses_the_mean_length_of_all_models():
    # question a: lengths 1000 and 3000 → mean 2000; unknown does not count
    means = mean_lengths([("a", 1000), ("a", 3000), ("a", None), ("b", 500)])
    assert means == {"a": 2000, "b": 500}
    # right in 1000 against 2000: 1 + 0.1 ln 2 = 1.0693; right in 3000: 1 + 0.1 ln(2/3) = 0.9595; mean 1.0144
    value = arl([LengthItem(1, 1000, means["a"]), LengthItem(1, 3000, means["a"])], 0.1).value
    assert value == pytest.approx((1 + 0.1 * math.log(2) + 1 + 0.1 * math.log(2 / 3)) / 2)
    assert value == pytest.approx(1.0144, abs=1e-4)


def test_capped_accuracy_groups_by_cap():
    # cap 1024: 1 of 2; cap 4096: 2 of 2, and one undecided
    points = capped_accuracy([(1, 1024), (0, 1024), (1, 4096), (1, 4096), (None, 4096)])
    assert [(p.tokens, p.accuracy, p.known, p.unknown) for p in points] == [(1024, 0.5, 2, 0), (4096, 1, 2, 1)]
    assert not any(p.post_hoc for p in points)


def test_post_hoc_accuracy_counts_longer_answers_as_wrong():
    # known: right 500, right 3000, wrong 100; unknown: one
    # ≤1000: 1/3; ≤4000: 2/3
    points = post_hoc_accuracy([(1, 500), (1, 3000), (0, 100), (1, None)], [4000, 1000])
    assert [p.tokens for p in points] == [1000, 4000]
    assert [p.accuracy for p in points] == pytest.approx([1 / 3, 2 / 3])
    assert all(p.post_hoc and p.unknown == 1 and p.known == 3 for p in points)


def test_per_correct():
    # 100 + 300 tokens over one right answer = 400; the unknown one is counted, not guessed
    figure = per_correct([(True, 100), (False, 300), (True, None)])
    assert (figure.value, figure.known, figure.unknown) == (400, 2, 1)
    assert per_correct([(False, 10)]).value is None


def test_price():
    # 2000 in at 3 and 500 out at 15 per million: (6000 + 7500) / 1e6 = 0.0135
    assert price_of(Price(3, 15), 2000, 500, None) == pytest.approx(0.0135)
    # with a cache price, 1500 of the 2000 cached at 0.3: (500·3 + 1500·0.3 + 500·15) / 1e6 = 0.00945
    assert price_of(Price(3, 15, 0.3), 2000, 500, 1500) == pytest.approx(0.00945)
    assert price_of(Price(3, 15, 0.3), 2000, 500, None) is None
    assert price_of(Price(3, 15), None, 500, None) is None
    assert price_of(Price(3, 15), 2000, None, None) is None
