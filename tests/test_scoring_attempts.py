"""Reading attempt files: nothing is lost, and every bad line is named."""

import json

import pytest

from scoring.attempts import Attempt, AttemptFileError, Usage, read_attempts


def record(**changes):
    base = {
        "schema": "wholepage/attempt@1",
        "paper_id": "p1",
        "question_id": "p1/1.1",
        "mode": "text_only",
        "model": "m",
        "response": "\\boxed{A}",
    }
    return base | changes


def write(path, *lines):
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), encoding="utf-8")
    return path


def test_good_lines_keep_order_source_and_unknown_fields(tmp_path):
    path = write(tmp_path / "a.jsonl", record(), "", record(question_id="1.2", extra={"seed": 7}))
    result = read_attempts([path])
    assert [a.full_question_id() for a in result.attempts] == ["p1/1.1", "p1/1.2"]
    assert [s.line for s in result.sources] == [1, 3]
    assert result.attempts[1].model_dump()["extra"] == {"seed": 7}
    assert not result.issues and not result.rejected


def test_the_same_question_twice_as_short_and_full_id_is_a_duplicate(tmp_path):
    path = write(tmp_path / "a.jsonl", record(), record(question_id="1.1", response="other"))
    assert [i.code for i in read_attempts([path]).issues] == ["attempt.conflict"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"schema": "wholepage/attempt@1", "paper', "attempt.damaged"),
        ("[1, 2]", "attempt.invalid"),
        (json.dumps(record(schema="wholepage/attempt@9")), "attempt.invalid"),
        (json.dumps(record(epoch=0)), "attempt.invalid"),
        (json.dumps(record(usage={"output_tokens": -5})), "attempt.invalid"),
        (json.dumps(record(seconds=float("nan"))), "attempt.invalid"),
        (json.dumps(record(budget={"tokens": 0})), "attempt.invalid"),
        (json.dumps(record(question_id="p1/9.9")), "attempt.unknown_question"),
        ("[" * 100_000, "attempt.damaged"),
    ],
)
def test_bad_lines_are_named_and_kept(tmp_path, line, code):
    path = write(tmp_path / "a.jsonl", record(), line, record(epoch=2))
    result = read_attempts([path], questions={"p1/1.1"})
    assert len(result.attempts) == 2
    [issue] = result.issues
    assert (issue.code, issue.severity, issue.line, issue.file) == (code, "error", 2, str(path))
    assert f"{path}, line 2" in issue.message
    assert result.rejected == [{"file": str(path), "line": 2, "code": code, "text": line}]


def test_a_line_that_is_not_utf8(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(record()).encode() + b"\n\xff\xfe\n")
    result = read_attempts([path])
    assert [i.code for i in result.issues] == ["attempt.not_utf8"]
    assert len(result.attempts) == 1


def test_a_cut_last_line_is_explained(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record()) + "\n" + json.dumps(record(epoch=2))[:40], encoding="utf-8")
    [issue] = read_attempts([path]).issues
    assert "no line end" in issue.message


def test_an_overlong_line_is_skipped_and_the_rest_read(tmp_path, monkeypatch):
    monkeypatch.setattr("scoring.attempts.MAX_LINE_BYTES", 400)
    path = write(tmp_path / "a.jsonl", record(), record(epoch=2, response="x" * 1500), record(epoch=3))
    result = read_attempts([path])
    assert [a.epoch for a in result.attempts] == [1, 3]
    assert [(i.code, i.line) for i in result.issues] == [("attempt.too_long", 2)]


def test_duplicates_over_files(tmp_path):
    one = write(tmp_path / "a.jsonl", record())
    two = write(tmp_path / "b.jsonl", record(), record(response="\\boxed{B}"), record(budget=1024))
    result = read_attempts([one, two])
    # the same line again is a warning, another answer to the same key an error, another budget no duplicate
    assert [(i.code, i.severity, i.line) for i in result.issues] == [
        ("attempt.duplicate", "warning", 1),
        ("attempt.conflict", "error", 2),
    ]
    assert [a.response for a in result.attempts] == ["\\boxed{A}", "\\boxed{A}"]
    assert len(result.rejected) == 2 and result.lines == 4


def test_rejected_questions_are_set_aside(tmp_path):
    path = write(tmp_path / "a.jsonl", record())
    result = read_attempts([path], {"p1/1.1"}, {"p1/1.1"})
    assert not result.attempts
    assert [(i.code, i.severity) for i in result.issues] == [("attempt.rejected_question", "warning")]


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(AttemptFileError, match=r"nowhere\.jsonl"):
        read_attempts([tmp_path / "nowhere.jsonl"])


class TestUsage:
    def test_unknown_is_not_zero(self):
        assert Usage().generated is None
        assert Usage(reasoning_tokens=5).generated is None
        assert Usage(output_tokens=0).generated == 0

    def test_reasoning_is_always_counted(self):
        assert Usage(output_tokens=100, reasoning_tokens=80).generated == 100
        assert Usage(output_tokens=20, reasoning_tokens=80, reasoning_in_output=False).generated == 100
        assert Usage(output_tokens=20, reasoning_in_output=False).generated is None

    def test_a_contradiction_is_unknown_and_named(self, tmp_path):
        path = write(tmp_path / "a.jsonl", record(usage={"output_tokens": 5, "reasoning_tokens": 80}))
        result = read_attempts([path])
        assert result.attempts[0].usage.generated is None
        assert [i.code for i in result.issues] == ["attempt.usage_inconsistent"]


class TestKinds:
    @pytest.mark.parametrize(
        ("text", "refused"),
        [
            ("I'm sorry, but I can't help with that.", True),
            ("抱歉，我无法回答这个问题。", True),
            ("I cannot answer this question.", True),
            ("I cannot see a simple way, so let x = 2. \\boxed{2}", False),
            ("Sorry for the long solution: 2 + 2 = 4.", False),
            ("不能确定，故选 D", False),
            ("x" * 700 + " I'm sorry, I can't", False),
        ],
    )
    def test_refusals(self, text, refused):
        assert Attempt.model_validate(record(response=text)).refused is refused

    def test_finish_reasons(self):
        assert Attempt.model_validate(record(finish_reason="content_filter")).refused
        assert Attempt.model_validate(record(finish_reason="length")).truncated
        assert not Attempt.model_validate(record(finish_reason="stop")).truncated

    def test_a_bare_number_is_a_budget(self):
        assert Attempt.model_validate(record(budget=2048)).budget.tokens == 2048
        assert Attempt.model_validate(record(budget={"tokens": 99, "enforced": False})).budget.enforced is False
