"""Over the wire: what a server gets, what becomes of its replies, budgets, caps, failures, captions, probes."""

import base64
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from exam_material import make_workspace
from exam_runs import MODEL, QUICK, attempts_of, calls_of, go_on, logs_text, new_run, sit
from exam_standin import Action, Picture, Seen, Standin, always

from exam_mode.attempts import transcriptions, write_attempts
from exam_mode.calls import Call
from exam_mode.engine import Pace
from exam_mode.errors import ExamError
from exam_mode.forms import ImageBlock, TextBlock, build
from exam_mode.forms.image_only import probe_request
from exam_mode.forms.mock_exam import build_paper
from exam_mode.guard import Caps
from exam_mode.prices import load_prices
from exam_mode.runs import RunFolder
from exam_mode.selection import Papers
from exam_mode.session import Manner, Session
from scoring.attempts import read_attempts
from wholepage.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("STANDIN_API_KEY", "none")
    return make_workspace(tmp_path / "ws")


def _wire(blocks: tuple[TextBlock | ImageBlock, ...]) -> tuple[object, ...]:
    return tuple(b.text if isinstance(b, TextBlock) else (b.sha256, b.width, b.height) for b in blocks)


def _arrived(seen: Seen) -> tuple[object, ...]:
    return tuple((b.sha256, b.width, b.height) if isinstance(b, Picture) else b for b in seen.blocks)


def test_every_form_sends_exactly_what_it_should(workspace: Workspace, tmp_path: Path) -> None:
    modes = "text_only,text_image,crop,page_box,image_only,mock_exam"
    with Standin() as server:
        run = sit(workspace, tmp_path / "run", server.url, modes, each_mode=True, budgets=["512"], probe=True)
    papers = Papers(workspace)
    context = Session(papers, run.images, Manner(), load_prices()).context(MODEL)
    expected: Counter[tuple[object, ...]] = Counter()
    for picked in run.load().questions:
        item = papers.item(picked["question_id"])
        for mode in picked["modes"]:
            if mode != "mock_exam":
                expected[_wire(build(mode, item, context).blocks)] += 1
        if "image_only" in picked["modes"]:
            expected[_wire(probe_request(item, context).blocks)] += 1
    items = [papers.item(f"zh/{n}") for n in ("1.1", "1.2", "2.1", "3.3", "3.4")]
    from exam_mode.budgets import Budget

    sheet = _wire(build_paper(items, context, Budget(512, "512")).blocks)
    sent = Counter(_arrived(seen) for seen in server.seen if seen.messages == 1)
    assert sent == expected + Counter({sheet: 1})
    assert not server.problems
    assert {seen.model for seen in server.seen} == {"taker"}
    last = [seen for seen in server.seen if seen.messages > 1]  # the sheet is asked for once more: {A} is none
    assert len(last) == 1 and last[0].max_tokens == 502


def test_logs_and_records_name_images_and_hold_none(workspace: Workspace, tmp_path: Path) -> None:
    with Standin() as server:
        run = sit(workspace, tmp_path / "run", server.url, "text_image,image_only", replace(QUICK, logs=True))
        unlogged = sit(workspace, tmp_path / "unlogged", server.url, "text_image,image_only")
    assert not unlogged.logs.exists()
    assert sorted(_lasting(c) for c in calls_of(run)) == sorted(_lasting(c) for c in calls_of(unlogged))
    text = logs_text(run)
    names = {path.name for path in run.images.glob("*.png")}
    assert names and all(name in text for name in names)
    for path in run.images.glob("*.png"):
        payload = base64.b64encode(path.read_bytes()).decode()
        assert payload[:200] not in text and payload[-200:] not in text
        assert payload[:200] not in run.calls.read_text()
    image_only = next(c for c in calls_of(run) if c.mode == "image_only")
    assert [f"{sha[:16]}.png" for sha in image_only.images] == _ordered(run, image_only.images)


def _lasting(call: Call) -> tuple[object, ...]:
    """What two sessions of the same units have in common."""
    return call.unit, call.request, tuple(call.images), call.output_tokens, tuple(a["response"] for a in call.attempts)


def _ordered(run: RunFolder, digests: list[str]) -> list[str]:
    from wholepage.workspace import sha256_file

    found = {sha256_file(p): p.name for p in run.images.glob("*.png")}
    return [found[d] for d in digests]


def test_budgets_cap_generation_and_truncation_is_an_attempt(workspace: Workspace, tmp_path: Path) -> None:
    def script(seen: Seen, _n: int) -> Action:
        cap = seen.max_tokens or 0
        return Action("thinking", finish="length", output_tokens=cap, reasoning="hm", reasoning_tokens=cap // 2)

    with Standin(script) as server:
        run = sit(workspace, tmp_path / "run", server.url, "text_only", budgets=["1k,10%"], window=20000)
    attempts = attempts_of(run)
    assert Counter(seen.max_tokens for seen in server.seen) == {1024: 5, 2000: 5}
    assert {a["finish_reason"] for a in attempts} == {"max_tokens"} and all(a["error"] is None for a in attempts)
    assert {(a["budget"]["tokens"], a["budget"]["requested"], a["budget"]["enforced"]) for a in attempts} == {
        (1024, "1k", True), (2000, "10%", True),
    }  # fmt: skip
    usage = attempts[0]["usage"]
    assert usage["output_tokens"] == 1024 and usage["reasoning_tokens"] == 512 and attempts[0]["reasoning"] == "hm"


def test_a_server_that_ignores_the_cap_is_not_called_capped(workspace: Workspace, tmp_path: Path) -> None:
    with Standin(always(Action(output_tokens=900))) as server:
        run = sit(workspace, tmp_path / "run", server.url, "text_only", budgets=["512"])
    assert {a["budget"]["enforced"] for a in attempts_of(run)} == {False}
    with Standin(always(Action(usage=False))) as server:
        run = sit(workspace, tmp_path / "run2", server.url, "text_only", budgets=["512"])
    assert {a["budget"]["enforced"] for a in attempts_of(run)} == {False}
    assert attempts_of(run)[0]["usage"]["output_tokens"] is None


def test_failures_are_retried_or_counted_and_asked_again_later(workspace: Workspace, tmp_path: Path) -> None:
    trouble = {
        "en/1.13": Action(kind="status", status=429), "en/1.14": Action(kind="status", status=500),
        "zh/1.1": Action(kind="drop"), "zh/1.2": Action(kind="garbage"), "zh/2.1": Action(kind="empty"),
        "zh/3.3": Action(delay=30), "zh/3.4": Action(kind="status", status=400),
    }  # fmt: skip
    papers = Papers(workspace)
    stems = {papers.item(name).question.stem[:4]: action for name, action in trouble.items()}

    def once(seen: Seen, n: int) -> Action:
        hit = next(action for stem, action in stems.items() if stem in seen.text)
        return hit if n == 0 else Action()

    with Standin(once) as server:
        pace = Pace(connections=8, tries=3, timeout=2)
        run = new_run(workspace, tmp_path / "run", server.url, "text_image")
        first = go_on(workspace, run, pace)
        failed = {c.attempts[0]["question_id"]: c.error or "" for c in calls_of(run) if not c.ok}
        # dropped connections, 429, 500 and time-outs are retried; what a second try cannot mend is counted
        assert set(failed) <= {"zh/1.2", "zh/2.1", "zh/3.4"} and "zh/3.4" in failed and first.failed == len(failed)
        assert all(error for error in failed.values())
        written = write_attempts(run.calls, run.attempts)
        assert (written.answered, written.failed) == (7 - len(failed), len(failed))
        assert go_on(workspace, run, pace).complete
    written = write_attempts(run.calls, run.attempts)
    assert (written.answered, written.failed) == (7, 0)
    read = read_attempts([run.attempts])
    assert not read.issues and len(read.attempts) == 7


def test_a_wrong_key_stops_the_run_at_once(workspace: Workspace, tmp_path: Path) -> None:
    with Standin(always(Action(kind="status", status=401))) as server:
        run = new_run(workspace, tmp_path / "run", server.url, "text_image", epochs=20)
        ended = go_on(workspace, run, replace(QUICK, connections=2))
    assert ended.stopped is not None and "every call would meet" in ended.stopped
    assert len(server.seen) < 10 and ended.done == 0


def test_a_server_that_is_down_stops_the_run(workspace: Workspace, tmp_path: Path) -> None:
    with Standin(always(Action(kind="status", status=400))) as server:
        run = new_run(workspace, tmp_path / "run", server.url, "text_image", epochs=20)
        ended = go_on(workspace, run)
    assert ended.stopped is not None and "calls failed in a row" in ended.stopped
    assert 20 <= ended.failed < 40


def test_a_cap_stops_cleanly_and_the_run_goes_on(workspace: Workspace, tmp_path: Path) -> None:
    with Standin(always(Action(output_tokens=500))) as server:
        run = new_run(workspace, tmp_path / "run", server.url, "text_only", budgets=["500"], epochs=4)
        ended = go_on(workspace, run, replace(QUICK, caps=Caps(tokens=6000)))
        assert ended.stopped is not None and "cap of 6,000 tokens" in ended.stopped and not ended.failed
        used = sum((c.input_tokens or 0) + (c.output_tokens or 0) for c in calls_of(run))
        assert 3000 < used <= 6000 and len(server.seen) == ended.done
        assert go_on(workspace, run).complete
    assert len(server.seen) == 20 == len({c.unit for c in calls_of(run)})


def test_money_is_counted_with_cached_tokens_apart(workspace: Workspace, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text('"openai-api/standin/*": {input: 100, output: 1000, cached_input: 10, currency: EUR}\n')
    with Standin(always(Action(output_tokens=100))) as server:
        run = new_run(
            workspace, tmp_path / "run", server.url, "image_only", prices=str(prices), budgets=["150"], epochs=9
        )
        ended = go_on(workspace, run, Pace(connections=1, caps=Caps(money=2.5)))
    assert ended.stopped is not None and "cap of 2.5 EUR" in ended.stopped
    for call in calls_of(run):
        fresh = (call.input_tokens or 0) - (call.cached_tokens or 0)
        expected = (fresh * 100 + (call.cached_tokens or 0) * 10 + 100 * 1000) / 1e6
        assert call.cost == pytest.approx(expected) and call.currency == "EUR"
        assert call.attempts[0]["cost"] == {"amount": pytest.approx(expected), "currency": "EUR"}
    assert any(call.cached_tokens for call in calls_of(run))


def test_epochs_get_seeds_and_attempts_of_their_own(workspace: Workspace, tmp_path: Path) -> None:
    with Standin() as server:
        run = sit(workspace, tmp_path / "run", server.url, "text_only", epochs=3, seed=7, limit=2)
    assert Counter(seen.seed for seen in server.seen) == {7: 2, 8: 2, 9: 2}
    assert Counter(a["epoch"] for a in attempts_of(run)) == {1: 2, 2: 2, 3: 2}


def test_captions_are_made_once_and_shown(workspace: Workspace, tmp_path: Path) -> None:
    def script(seen: Seen, _n: int) -> Action:
        return Action(f"picture of {seen.pictures[0].width}") if seen.pictures else Action()

    with Standin(script) as server:
        named = "openai-api/standin/describer"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STANDIN_BASE_URL", server.url)
            run = sit(workspace, tmp_path / "run", server.url, "captions", captioner=named, epochs=2)
    described = [seen for seen in server.seen if seen.pictures]
    assert len(described) == 2 and {seen.model for seen in described} == {"describer"}
    asked = [seen for seen in server.seen if "picture of 56" in seen.text]
    assert len(asked) == 4 and not any(seen.pictures for seen in asked)
    assert len([c for c in calls_of(run) if c.kind == "caption"]) == 2


def test_probes_are_calls_of_their_own(workspace: Workspace, tmp_path: Path) -> None:
    def script(seen: Seen, _n: int) -> Action:
        return Action("抄写的题") if "NOT FOUND" in seen.text else Action("\\boxed{D}")

    with Standin(script) as server:
        run = sit(workspace, tmp_path / "run", server.url, "image_only", probe=True, epochs=2)
    assert transcriptions(run.calls) == {(MODEL, f"zh/{n}"): "抄写的题" for n in ("1.1", "1.2", "2.1", "3.3", "3.4")}
    assert write_attempts(run.calls, run.attempts).answered == 10


def test_a_mock_exam_gives_an_attempt_a_question(workspace: Workspace, tmp_path: Path) -> None:
    sheet = 'I begin with 2.1. {"answers": {"1.1": "B", "2.1": ["2", "7"], "3.3": ["3", "5"]}}'
    with Standin(always(Action(sheet, output_tokens=300))) as server:
        run = sit(workspace, tmp_path / "run", server.url, "mock_exam", budgets=["2000"])
    answers = {a["question_id"]: a["response"] for a in attempts_of(run)}
    assert len(server.seen) == 1 and server.seen[0].max_tokens == 2000
    assert answers == {
        "zh/1.1": "\\boxed{B}", "zh/1.2": "", "zh/2.1": "\\boxed{2}\n\\boxed{7}", "zh/3.3": "\\boxed{3}\n\\boxed{5}",
        "zh/3.4": "",
    }  # fmt: skip
    assert attempts_of(run)[0]["conversation"]["usage"]["output_tokens"] == 300
    write_attempts(run.calls, run.attempts)
    assert len(read_attempts([run.attempts]).attempts) == 5


def test_a_changed_question_and_a_second_process_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    with Standin() as server:
        run = new_run(workspace, tmp_path / "run", server.url, "text_only")
        with run.lock(), pytest.raises(ExamError, match="Another process"):
            go_on(workspace, run)
        paper = workspace.load("zh")
        paper.questions[0].stem += "?"
        workspace.save(paper)
        ended = go_on(workspace, run)
    assert ended.failed == 1 and ended.done == 4
    assert next(c.error for c in calls_of(run) if not c.ok).startswith("Question zh/1.1 was changed")


def test_a_model_that_cannot_be_set_up_is_said(workspace: Workspace, tmp_path: Path) -> None:
    run = new_run(workspace, tmp_path / "run", "http://127.0.0.1:1", "text_only", models=["openai-api/nokey/x"])
    with pytest.raises(ExamError, match="openai-api/nokey/x"):
        go_on(workspace, run)
    run = new_run(workspace, tmp_path / "run2", "http://127.0.0.1:1", "text_only", models=["nobody/x"])
    with pytest.raises(ExamError, match="nobody/x"):
        go_on(workspace, run)
