"""Corrections: applied when they are close and harmless, an issue in every other case."""

from __future__ import annotations

import json
from typing import Any

import pytest
from drawing import page
from model_standin import INVENTED, Answer, Call, Standin, honest
from test_model_parser import codes, content, dumped, options

from parse_templates.model.client import ModelClient
from parse_templates.model.corrections import judge_corrections, protected
from parse_templates.model.lines import Book
from parse_templates.model.reader import ModelReader, Pages
from parse_templates.model.reply import CorrectionReply, Span
from parse_templates.parser import ParsedPaper, parse_paper, prepare

LINES = [
    "1．下列关于细胞的叙迷，正确的是", "A．细抱壁有支持作用", "B．质量为5kg的物体", "C．速度为－3m/s", "D．不能分裂",
    "2．已知甲大于乙，则甲为A类", "3．若 a = 1，则甲是乙",
]  # fmt: skip


def propose(line: int, old: str, new: str) -> CorrectionReply:
    at = LINES[line].index(old)
    return CorrectionReply.model_validate(
        {"span": Span(line=line, start=at, end=at + len(old)), "from": old, "to": new, "reason": INVENTED}
    )


def book() -> Book:
    return Book(prepare([page(LINES)], "zh_exam"))


APPLIED = [(0, "叙迷", "叙述"), (1, "抱", "胞"), (6, "若", "设")]
REFUSED = {
    "a digit": (2, "5", "6"),
    "a digit lost": (2, "为5", "为"),
    "a unit": (2, "kg", "g"),
    "another unit": (3, "m/s", "km/s"),
    "a sign": (3, "－3", "3"),
    "a sign of inequality in words": (4, "不能", "能"),
    "right and wrong": (0, "正确", "错误"),
    "a letter": (5, "A类", "B类"),
    "a comparison": (6, "=", "≠"),
    "another text": (0, "细胞的叙迷", "植物的图像"),
    "an order": (0, "叙迷", INVENTED),
    "nothing": (0, "叙迷", ""),
    "a control character": (0, "叙迷", "叙\x07述"),
    "a formula that does not compile": (5, "甲", "$"),
    "markup": (5, "甲大", "<b大"),
}


@pytest.mark.parametrize(("line", "old", "new"), APPLIED)
def test_close_ones_are_applied(line: int, old: str, new: str) -> None:
    (judged,) = judge_corrections([propose(line, old, new)], book())
    assert judged.applied
    assert not judged.confirmed


@pytest.mark.parametrize("kind", REFUSED)
def test_others_are_not(kind: str) -> None:
    (judged,) = judge_corrections([propose(*REFUSED[kind])], book())
    assert not judged.applied
    assert judged.reason


def test_a_second_source_may_confirm_a_digit() -> None:
    asked: list[str] = []

    def second(_book: Book, _place: object, new: str) -> str:
        asked.append(new)
        return "somebody"

    (judged,) = judge_corrections([propose(2, "5", "6")], book(), second)
    assert judged.applied and judged.confirmed == "somebody"
    (judged,) = judge_corrections([propose(2, "5", "6")], book(), lambda *_: "")
    assert not judged.applied
    assert asked == ["6"]


def test_a_second_source_is_not_asked_about_another_text() -> None:
    def second(*_: object) -> str:
        raise AssertionError("asked")

    (judged,) = judge_corrections([propose(0, "叙迷", INVENTED)], book(), second)
    assert not judged.applied


def test_two_that_differ_are_both_refused() -> None:
    judged = judge_corrections([propose(1, "抱", "胞"), propose(1, "抱", "泡")], book())
    assert [c.applied for c in judged] == [False]


def test_what_is_protected() -> None:
    assert protected("质量为5kg，v=−3 m/s") == protected("质量是5kg，v=−3 m/s")
    assert protected("5kg") != protected("5g")
    assert protected(r"$x\le3$") != protected(r"$x\ge3$")
    assert protected("故选A") != protected("故选B")


def parse(changes: list[tuple[int, str, str]], mode: str = "both", second: Any = None) -> ParsedPaper:
    def script(call: Call, _n: int) -> Answer:
        if not call.lines:
            return Answer(json.dumps({"reading": second(call)}))
        reply = honest(call)
        reply["corrections"] = [propose(*c).model_dump(by_alias=True) for c in changes]
        return Answer(json.dumps(reply, ensure_ascii=False))

    with Standin(script) as server:
        client = ModelClient(options(server, second="other" if second else ""))
        try:
            return ModelReader(client, mode).parse(Pages([page(LINES)], template="zh_exam"))  # type: ignore[arg-type]
        finally:
            client.close()


@pytest.mark.parametrize("mode", ["model", "both"])
def test_a_mended_text_keeps_what_was_read(mode: str) -> None:
    parsed = parse(APPLIED[:2], mode)
    question = parsed.questions[0]
    assert question.stem == "下列关于细胞的叙述，正确的是"
    assert question.options[0].text == "细胞壁有支持作用"
    assert "叙迷" in question.evidence["stem"].raw
    assert question.evidence["stem"].similarity == pytest.approx(1 - 1 / 14, abs=0.01)
    assert [i.field for i in question.issues if i.code == "text.corrected"] == ["stem", "options"]
    assert INVENTED not in dumped(parsed)


def test_a_doubtful_one_is_an_issue_with_both_readings() -> None:
    parsed = parse([(2, "5", "6")])
    assert [content(q) for q in parsed.questions] == [
        content(q) for q in parse_paper([page(LINES)], "zh_exam").questions
    ]
    (issue,) = [i for i in parsed.issues if i.code == "correction.doubtful"]
    assert "'5'" in issue.message and "'6'" in issue.message


def test_a_far_one_is_not_even_repeated() -> None:
    parsed = parse([(0, "叙迷", INVENTED)])
    assert "correction.refused" in codes(parsed)
    assert INVENTED not in dumped(parsed)


def asked_lines(call: Call) -> tuple[str, str]:
    data = json.loads(call.body["messages"][1]["content"])
    return data["a"], data["b"]


@pytest.mark.parametrize("agrees", [True, False])
def test_a_second_model_decides_about_digits(agrees: bool) -> None:
    def second(call: Call) -> str:
        assert call.body["model"] == "other"
        a, b = asked_lines(call)
        new = "a" if "6kg" in a else "b"
        assert "6kg" in (a if new == "a" else b)
        return new if agrees else ("b" if new == "a" else "a")

    parsed = parse([(2, "5", "6")], second=second)
    text = parsed.questions[0].options[1].text
    assert text == ("质量为6kg的物体" if agrees else "质量为5kg的物体")


def test_corrections_of_another_text_than_the_page_s_are_shown_back() -> None:
    def wrong(call: Call, n: int) -> Answer:
        reply = honest(call)
        if n == 1:
            reply["corrections"] = [
                {"span": {"line": 0, "start": 2, "end": 4}, "from": "别的", "to": "其他", "reason": ""}
            ]
        return Answer(json.dumps(reply, ensure_ascii=False))

    with Standin(wrong) as server:
        client = ModelClient(options(server))
        parsed = ModelReader(client, "both").parse(Pages([page(LINES)], template="zh_exam"))
        client.close()
    assert "`from` is not what the span reads" in server.calls[1].said[1]["content"]
    assert parsed.produced_by["model"]["failed"] == 0
