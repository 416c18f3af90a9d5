"""Near-duplicates: what is the same, what is a variant, what is neither; blocking finds what comparing all does."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest
from check_material import question

from parse_templates.duplicates import Entry, candidate_pairs, entries_of, find_matches, make_entry, pair_of

FILE = Path(__file__).parents[1] / "benchmarks" / "duplicates.py"
SPEC = importlib.util.spec_from_file_location("benchmark_duplicates", FILE)
assert SPEC is not None and SPEC.loader is not None
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

STEM = "一个质量为 2 kg 的木块静止在粗糙水平桌面上，现用水平拉力使它做匀速运动，则下列说法中成立的是（ ）"
OPTIONS = ("拉力大于摩擦力", "拉力等于摩擦力", "木块的惯性变大", "木块不受重力作用")


def entry(stem: str = STEM, options: tuple[str, ...] = OPTIONS, pictured: bool = False) -> Entry:
    return make_entry("q", stem, options, pictured)


def kind(a: Entry, b: Entry) -> str | None:
    match = pair_of(a, b)
    return match.kind if match else None


@pytest.mark.parametrize(
    "other",
    [
        entry(STEM.replace("，", ", ").replace("（ ）", "( )")),
        entry(options=OPTIONS[::-1]),
        entry(STEM.replace("木块静止", "木快静止").replace("做匀速", "作匀速")),
        entry(STEM.replace(" ", "")),
        entry(STEM.replace("一个质量为 2 kg", "一个质量为 $2\\,\\mathrm{kg}$")),
    ],
)
def test_slips_spacing_and_order_make_no_other_question(other: Entry) -> None:
    assert kind(entry(), other) == "duplicate"


@pytest.mark.parametrize(
    "other",
    [
        entry(STEM.replace("2 kg", "3 kg")),
        entry(STEM.replace("成立的是", "不能成立的是")),
        entry(options=("拉力大于摩擦力", "拉力等于摩擦力", "木块的惯性变大", "木块不受重力作用 5 N")),
    ],
)
def test_other_numbers_or_a_negation_make_a_variant(other: Entry) -> None:
    assert kind(entry(), other) == "variant"


def test_signs_in_formulas_count() -> None:
    text = "已知函数满足下面的等式 $x^2 {} 2x + 1 = 0$，求所有实数解并写出过程"
    assert kind(entry(text.replace("{}", "+"), ()), entry(text.replace("{}", "-"), ())) == "variant"


@pytest.mark.parametrize(
    "other",
    [
        entry("关于细胞的结构和功能，下列叙述中成立的是（ ）"),
        entry(options=("甲得一分", "乙得两分", "丙被罚下场", "丁没有参加")),
        entry(options=OPTIONS[:3]),
    ],
)
def test_other_questions_are_neither(other: Entry) -> None:
    assert kind(entry(), other) is None


def test_a_common_phrase_over_other_options_is_no_duplicate() -> None:
    a = entry("下列说法正确的是", ("铜是金属", "盐是酸", "水是碱", "铁是气体"))
    b = entry("下列说法正确的是", ("细胞有核", "酶是糖", "基因是脂", "病毒有壁"))
    assert kind(a, b) is None and find_matches([a, b]) == []


def test_short_questions_over_figures_are_not_compared() -> None:
    figured = [entry("求下图的面积", (), True), entry("求下图的面积", (), True)]
    assert find_matches(figured) == []
    assert [m.kind for m in find_matches([entry("计算 25×4", ()), entry("计算25 × 4", ())])] == ["duplicate"]


def test_many_copies_make_a_chain_and_not_all_pairs() -> None:
    matches = find_matches([entry()] * 500)
    assert [(m.first, m.second) for m in matches] == [(i, i + 1) for i in range(499)]


def test_a_copy_of_a_variant_is_joined_to_the_one_with_its_numbers() -> None:
    slip = STEM.replace("木块静止", "木快静止")
    matches = find_matches([entry(STEM.replace("2 kg", "7 kg")), entry(), entry(slip)])
    assert {(m.first, m.second, m.kind) for m in matches} == {(0, 1, "variant"), (1, 2, "duplicate")}


def test_questions_without_text_match_nothing() -> None:
    assert find_matches([entry("", ()), entry("", ()), entry("!?", ("", ""))]) == []
    assert candidate_pairs([]).shape == (0, 2) and find_matches([]) == []


def test_entries_of_records_hold_no_answer() -> None:
    a, b = entries_of([("a", question(answer=["A"])), ("b", question(answer=["B"], solution="因为"))])
    assert (a.stem, a.options, a.numbers) == (b.stem, b.options, b.numbers)


def test_blocking_finds_what_comparing_all_pairs_finds() -> None:
    texts, duplicates, variants = bench.build(600, random.Random(5))
    entries = [make_entry(str(i), *text) for i, text in enumerate(texts)]
    matches = find_matches(entries)
    found = {(m.first, m.second) for m in matches if m.kind == "duplicate"}
    assert found == bench.all_pairs(entries, 1)
    assert len(found & duplicates) >= 0.98 * len(duplicates) and found <= duplicates
    varied = {(m.first, m.second) for m in matches if m.kind == "variant"}
    assert len(varied & variants) >= 0.98 * len(variants)
