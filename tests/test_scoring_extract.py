"""Answer extraction: what is found, where, and what is passed over."""

from __future__ import annotations

import pytest

from scoring.extract import extract, split_answers, split_labels
from scoring.extract_boxes import boxes
from scoring.extract_choice import choose, letters_only
from scoring.extract_clean import clean, without_thinking
from scoring.rules.statement import readings


@pytest.mark.parametrize(
    ("response", "rest"),
    [
        ("<think>a</think>b", "b"),
        ("x<think>a</think>b", "xb"),
        ("<think>a", ""),
        ("a</think>b", "b"),
        ("<thinking>a</thinking>b<think>c</think>d", "bd"),
        ("<THINK>a</THINK>b", "b"),
        ("a < b and b > c", "a < b and b > c"),
        ("◁think▷a◁/think▷b", "b"),
    ],
)
def test_thinking_is_removed(response: str, rest: str) -> None:
    assert without_thinking(response) == rest


def test_boxes_with_nested_braces() -> None:
    found = boxes("a \\boxed{\\frac{\\sqrt{2}}{2}} b \\boxed {x_{1}} \\boxed{unclosed")
    assert [b.content for b in found] == ["\\frac{\\sqrt{2}}{2}", "x_{1}"]


@pytest.mark.parametrize(
    ("response", "count", "texts"),
    [
        ("\\boxed{1} then \\boxed{2} then \\boxed{3}", 1, ["3"]),
        ("\\boxed{1} then \\boxed{2} then \\boxed{3}", 2, ["2", "3"]),
        ("\\boxed{1;2}", 2, ["1", "2"]),
        ("(1) so $a=3$; (2) $b=4$", 2, ["so $a=3$", "$b=4$"]),
        ("第一空 5；第二空 未作答", 2, ["5", ""]),
        ("①$2$　②$2^{n}$", 2, ["$2$", "$2^{n}$"]),
        ("1. who\n2. where\n3. has been built", 3, ["who", "where", "has been built"]),
        ("\\boxed{F=\\boxed{9}} N", 1, ["F={9} N"]),
        ("$F=\\boxed{9}$ N", 1, ["9 N"]),
        ('{"answer": "7"}', 1, ["7"]),
        ("", 2, ["", ""]),
        ("\\boxed{}", 1, [""]),
    ],
)
def test_extracted_texts(response: str, count: int, texts: list[str]) -> None:
    assert [found.text for found in extract(response, count)] == texts


def test_the_last_statement_counts() -> None:
    assert extract("\\boxed{5}\n重新计算后，答案：8", 1)[0].text == "8"
    assert extract("答案：5\n再算一次。\n答案：8", 1)[0].text == "8"
    assert extract("答案：5\n\\boxed{8}", 1)[0].text == "8"


def test_where_is_kept() -> None:
    assert extract("\\boxed{5}", 1)[0].where == "box"
    assert extract("答案：5", 1)[0].where.startswith("after 答案")
    assert extract("so it is **5**", 1)[0].where == "bold at the end"
    weak = extract("因此 $x=5$。", 1)[0]
    assert weak.where == "concluding sentence" and not weak.strong


def test_unfinished_text_gives_no_answer() -> None:
    assert extract("由 $x+y=7$，接下来代入", 1)[0].text == ""
    assert clean("结果是 \\boxed{7").unfinished


@pytest.mark.parametrize(
    ("response", "letters"),
    [
        ("Answer: B. The author states that the Answer can be found in the last line.", "B"),
        ("A person must think first. The answer is C.", "C"),
        ("The answer is not B but C.", "C"),
        ("**C**\n\n解析：A 项口服无效；B、D 项与题意不符。", "C"),
        ("I don't know the answer to this question.", ""),
        ("\\boxed{\\text{A 或 D}}", "AD"),
        ("故选 BCD。", "BCD"),
        ("\\boxed{a}", "A"),
        ("A、C、D 均错误，B 正确。", "B"),
        ("Answer", ""),
    ],
)
def test_letters(response: str, letters: str) -> None:
    assert choose(clean(response)).letters == letters


def test_letters_only_refuses_words() -> None:
    assert letters_only("A and C") == "AC"
    assert letters_only("Bad") is None
    assert letters_only("A cat") is None


def test_json_and_fences() -> None:
    assert clean('```json\n{"answer": [1, 2]}\n```').answers == ("1", "2")
    assert clean('5\n{"verdict": "correct"}').text == "5"


def test_splitting() -> None:
    assert split_answers("6.9；69.8", 2) == ["6.9", "69.8"]
    assert split_answers("1；2；3", 2) is None
    assert split_answers("(1,2), [3,4]", 2) == ["(1,2)", "[3,4]"]
    assert split_labels("f(1)=2, f(2)=3", 2) is None


def test_readings_run_from_the_whole_to_the_end() -> None:
    found = readings("速度大小为 2 m/s（即 7.2 km/h）")
    assert found[0].startswith("速度大小为") and "2 m/s" in found
    assert not any(r.startswith("线粒体") for r in readings("不是线粒体"))
