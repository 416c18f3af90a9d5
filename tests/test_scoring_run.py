"""`wholepage score run` and `judges`: rules first, judges for the rest, resumable, nothing lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import typer
from judge_standin import Reply, Standin, verdicts
from scoring_material import attempt, make_paper, simple_mark, write_attempts
from typer.testing import CliRunner

from scoring.commands import register
from scoring.judges_client import ClientOptions, Endpoint, JudgeEndpointError
from scoring.marking import mark_all
from scoring.outcome import Gold
from scoring.profiles import load_profile
from scoring.run import RunOptions, score_run
from scoring.scores import RunError, read_manifest, read_questions, read_scores, read_summary
from wholepage.errors import WorkspaceError
from wholepage.workspace import Workspace

APP = typer.Typer()
register(APP)
COMMAND = "import typer; from scoring.commands import register; app = typer.Typer(); register(app); app()"
QUICK = ClientOptions(timeout=10, tries=2, pause=0.01)


@pytest.fixture
def workspace(tmp_path):
    space = Workspace(tmp_path / "ws").create()
    make_paper(space, "p1", "First paper")
    make_paper(space, "p2", "Second paper")
    return space


@pytest.fixture
def simple(monkeypatch):
    monkeypatch.setattr("scoring.marking.mark", simple_mark)


def run(tmp_path, workspace, records, profile="livek12-paper", **options):
    path = write_attempts(tmp_path / "attempts.jsonl", records)
    choice = RunOptions(load_profile(profile), client=QUICK, **options)
    result = score_run([path], workspace, tmp_path / "run", choice)
    return {(s.question_id, s.mode, s.model, s.epoch): s for s in result.scores}, result


def only(scores):
    [score] = scores.values()
    return score


@pytest.mark.usefixtures("simple")
class TestRules:
    def test_each_kind_of_attempt(self, tmp_path, workspace):
        records = [
            attempt("p1/1.1", "\\boxed{B}"),
            attempt("p1/1.2", "\\boxed{AC}"),
            attempt("p1/1.3", "\\boxed{2} \\boxed{8}"),
            attempt("p1/1.4", "By induction."),
            attempt("p1/1.5", "It depends."),
            attempt("p2/1.1", "", error="503"),
            attempt("p2/1.2", "", finish_reason="length"),
            attempt("p2/1.3", "nothing"),
            attempt("p2/1.4", "I'm sorry, I can't help with that."),
        ]
        scores, result = run(tmp_path, workspace, records)
        seen = {key[0]: (s.status, s.verdict, s.fraction, s.marks) for key, s in scores.items()}
        assert seen == {
            "p1/1.1": ("marked", "correct", 1, 4),
            "p1/1.2": ("marked", "partial", 0.5, 3),
            "p1/1.3": ("marked", "partial", 0.5, 2.5),
            "p1/1.4": ("undecided", "undecided", None, None),
            "p1/1.5": ("undecided", "undecided", None, None),
            "p2/1.1": ("error", None, None, None),
            "p2/1.2": ("marked", "wrong", 0, 0),
            "p2/1.3": ("marked", "wrong", 0, 0),
            "p2/1.4": ("undecided", "undecided", None, None),  # a proof that rules cannot mark, and no judge
        }
        assert all(s.profile == "livek12-paper@1" for s in scores.values())
        condition = result.summary["conditions"][0]
        # marked: 1 right of 5 (p1/1.1 … 1.3, p2/1.2, p2/1.3); undecided 3; error 1
        assert condition["accuracy"]["mean"] == pytest.approx(1 / 5)
        assert condition["verdicts"] == {"correct": 1, "partial": 2, "wrong": 2, "undecided": 3, "error": 1}
        # bounds over 8: 1/8 if all undecided are wrong, 4/8 if all are right
        assert condition["bounds"] == {"low": 1 / 8, "high": 4 / 8}
        # OCS: (4 + 3 + 2.5 + 0 + 0) / (4 + 6 + 5 + 6 + 5) = 9.5/26
        assert condition["exam"]["ocs"] == pytest.approx(950 / 26)
        # of nine attempts one was refused, one cut off, one failed
        assert condition["rates"]["refusal"] == pytest.approx(1 / 9)
        assert condition["rates"]["truncation"] == pytest.approx(1 / 9)
        assert condition["rates"]["error"] == pytest.approx(1 / 9)

    def test_files_can_be_read_again(self, tmp_path, workspace):
        run(tmp_path, workspace, [attempt("p1/1.1", "\\boxed{B}")])
        folder = tmp_path / "run"
        assert only({1: read_scores(folder)[0]}).verdict == "correct"
        assert read_manifest(folder).profile == "livek12-paper@1"
        assert read_summary(folder)["attempts"] == 1
        question = read_questions(folder)["p1/1.1"]
        assert question.answer == ["B"] and question.chance == 0.25

    def test_marking_twice_gives_the_same_bytes(self, tmp_path, workspace):
        records = [attempt(f"p{p}/1.{n}", "\\boxed{B}", epoch=e) for p in (1, 2) for n in (1, 2, 3) for e in (1, 2)]
        run(tmp_path, workspace, records)
        first = {p.name: p.read_bytes() for p in (tmp_path / "run").glob("*.json*")}
        run(tmp_path, workspace, records)
        assert first == {p.name: p.read_bytes() for p in (tmp_path / "run").glob("*.json*")}

    def test_profiles_re_mark_the_same_answers(self, tmp_path, workspace):
        # AC of ACD, worth 6 points: half of them is 3; the public code gives one point
        records = [attempt("p1/1.2", "\\boxed{AC}")]
        assert only(run(tmp_path, workspace, records)[0]).marks == 3
        score = only(run(tmp_path, workspace, records, "livek12-code")[0])
        assert (score.marks, score.profile) == (pytest.approx(1), "livek12-code@1")
        assert score.parts[0].fraction == pytest.approx(1 / 6)

    def test_bad_lines_are_kept_and_named(self, tmp_path, workspace):
        records = [attempt("p1/1.1", "\\boxed{B}"), attempt("p9/1.1", "?"), attempt("p1/1.1", "\\boxed{C}")]
        _, result = run(tmp_path, workspace, records)
        assert [i.code for i in result.attempts.issues] == ["attempt.unknown_question", "attempt.conflict"]
        rejected = (tmp_path / "run" / "rejected.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(json.loads(line)["text"]) for line in rejected] == records[1:]

    def test_an_unreadable_paper_is_an_issue(self, tmp_path, workspace):
        (workspace.paper_dir("p2") / "paper.json").write_text("{", encoding="utf-8")
        _, result = run(tmp_path, workspace, [attempt("p1/1.1", "\\boxed{B}"), attempt("p2/1.1", "\\boxed{B}")])
        assert sorted(i.code for i in result.attempts.issues) == ["attempt.unknown_question", "paper.unreadable"]

    def test_modes_are_compared_on_the_same_questions(self, tmp_path, workspace):
        records = [attempt(f"p{p}/1.1", "\\boxed{B}") for p in (1, 2)]
        records += [attempt(f"p{p}/1.1", f"\\boxed{{{x}}}", mode="image_only") for p, x in ((1, "C"), (2, "B"))]
        records += [attempt("p1/1.3", "\\boxed{2}\\boxed{7}", mode="image_only")]
        _, result = run(tmp_path, workspace, records)
        [row] = result.summary["comparisons"]["modes"]
        assert (row["first"]["mode"], row["second"]["mode"], row["questions"]) == ("text_image", "image_only", 2)
        assert (row["lost"], row["gained"], row["difference"]) == (["p1/1.1"], [], -0.5)

    def test_a_cap_that_was_only_asked_for_is_no_cap(self, tmp_path, workspace):
        asked = {"tokens": 64, "enforced": False}
        _, result = run(
            tmp_path, workspace, [attempt("p1/1.1", "\\boxed{B}", budget=asked), attempt("p2/1.1", "", budget=64)]
        )
        assert [c["budget_enforced"] for c in result.summary["conditions"]] == [False]
        # the curve at 64 holds the enforced attempt alone: 0 of 1
        [curve] = result.summary["budgets"]
        assert [(p["tokens"], p["accuracy"], p["known"], p["post_hoc"]) for p in curve["points"]] == [(64, 0, 1, False)]

    def test_costs_come_from_the_attempt_or_a_price(self, tmp_path, workspace):
        from scoring.efficiency import Price

        records = [
            attempt("p1/1.1", "\\boxed{B}", cost={"amount": 0.5, "currency": "CNY"}),
            attempt("p2/1.1", "\\boxed{B}"),
            attempt("p1/1.3", "\\boxed{2}", usage={}),
        ]
        scores, result = run(tmp_path, workspace, records, prices={"taker": Price(10, 20)})
        # 100 · 10 + 50 · 20 = 2000 per million = 0.002
        assert [(s.cost, s.currency) for s in scores.values()] == [(0.5, "CNY"), (None, "USD"), (0.002, "USD")]
        money = result.summary["conditions"][0]["efficiency"]["money_per_correct"]
        assert money["USD"] == {"value": pytest.approx(0.002), "known": 1, "unknown": 2}


@pytest.mark.usefixtures("simple")
class TestJudges:
    def test_only_undecided_parts_are_asked(self, tmp_path, workspace):
        records = [
            attempt("p1/1.1", "\\boxed{B}"),
            attempt("p1/1.3", "\\boxed{2} judge me"),
            attempt("p1/1.4", "Proof."),
        ]
        with Standin(
            lambda call, n: verdicts(call, "wrong" if "Proof" in call.data["response"] else "correct")
        ) as server:
            scores, _ = run(tmp_path, workspace, records, judges=(Endpoint("j", server.url),))
        asked = {call.data["response"]: call.data["parts"] for call in server.calls}
        assert asked == {
            "\\boxed{2} judge me": [{"id": "2", "official_answer": "7"}],
            "Proof.": [{"id": "1", "official_answer": "see the solution"}],
        }
        blank = scores["p1/1.3", "text_image", "taker", 1]
        assert (blank.verdict, blank.by, [p.by for p in blank.parts]) == (
            "correct",
            "rules+judges",
            ["rules", "judges"],
        )
        proof = scores["p1/1.4", "text_image", "taker", 1]
        assert (proof.verdict, proof.fraction, proof.by, proof.marks) == ("wrong", 0, "judges", 0)

    def test_a_rule_s_verdict_is_not_changed_by_a_judge(self, tmp_path, workspace):
        with Standin(lambda call, n: verdicts(call, "correct")) as server:
            scores, _ = run(
                tmp_path, workspace, [attempt("p1/1.3", "\\boxed{3} judge me")], judges=(Endpoint("j", server.url),)
            )
        # first blank wrong by rule, second right by the judge: 1/2
        assert (only(scores).verdict, only(scores).fraction) == ("partial", 0.5)

    def test_without_key_and_solution_nobody_is_asked(self, tmp_path, workspace):
        with Standin(lambda call, n: verdicts(call)) as server:
            scores, _ = run(
                tmp_path, workspace, [attempt("p1/1.5", "It depends.")], judges=(Endpoint("j", server.url),)
            )
        assert not server.calls
        assert only(scores).status == "undecided" and "no official answer" in only(scores).reason

    def test_a_half_decided_answer_without_judges_stays_undecided(self, tmp_path, workspace):
        scores, _ = run(tmp_path, workspace, [attempt("p1/1.3", "\\boxed{2} judge me")])
        assert (only(scores).status, only(scores).verdict, only(scores).fraction) == ("undecided", "undecided", None)
        assert [part.verdict for part in only(scores).parts] == ["correct", "undecided"]

    def test_an_answer_that_was_cut_off_is_wrong_not_undecided(self, tmp_path, workspace):
        cut = {"finish_reason": "length"}
        records = [
            attempt("p1/1.1", "judge me", **cut),
            attempt("p2/1.1", "judge me"),
            attempt("p1/1.3", "\\boxed{2} judge me", **cut),
            attempt("p1/1.4", "A proof that", **cut),
        ]
        scores, _ = run(tmp_path, workspace, records)
        # nothing reached: wrong; first blank right, second not reached: 1/2; half a proof, and not cut off: undecided
        assert [(s.question_id, s.verdict, s.fraction) for s in scores.values()] == [
            ("p1/1.1", "wrong", 0),
            ("p1/1.3", "partial", 0.5),
            ("p1/1.4", "undecided", None),
            ("p2/1.1", "undecided", None),
        ]
        assert scores["p1/1.1", "text_image", "taker", 1].parts[0].rule == "cut_off"

    def test_failed_judges_are_counted_and_no_mark(self, tmp_path, workspace):
        with Standin(lambda call, n: Reply("nonsense")) as server:
            scores, result = run(
                tmp_path, workspace, [attempt("p1/1.4", "Proof.")], judges=(Endpoint("j", server.url),)
            )
        assert (only(scores).status, only(scores).fraction) == ("undecided", None)
        assert result.summary["judges"]["errors"] == {"unreadable": 1}
        assert result.summary["judges"]["errors_by_judge"] == {"j": {"unreadable": 1}}
        assert result.summary["conditions"][0]["accuracy"]["mean"] is None

    def test_each_taker_has_its_own_panel(self, tmp_path, workspace):
        records = [attempt("p1/1.4", f"Proof by {m}.", model=m) for m in ("alpha", "vendor/beta-2026-01-01")]
        with Standin(lambda call, n: verdicts(call)) as server:
            judges = (Endpoint("alpha", server.url), Endpoint("beta", server.url))
            scores, _ = run(tmp_path, workspace, records, judges=judges)
        asked = sorted((call.model, call.data["response"]) for call in server.calls)
        assert asked == [("alpha", "Proof by vendor/beta-2026-01-01."), ("beta", "Proof by alpha.")]
        assert all(s.judges_asked == 1 for s in scores.values())

    def test_the_same_answer_from_two_modes_is_judged_once(self, tmp_path, workspace):
        records = [attempt("p1/1.4", "Same proof.", mode=m) for m in ("text_only", "text_image", "image_only")]

        def slowly(call, n):
            reply = verdicts(call)
            reply.delay = 0.2
            return reply

        with Standin(slowly) as server:
            scores, _ = run(tmp_path, workspace, records, judges=(Endpoint("j", server.url),), concurrency=3)
        assert len(server.calls) == 1 and all(s.verdict == "correct" for s in scores.values())

    def test_an_endpoint_that_is_not_there_stops_the_run(self, tmp_path, workspace):
        with pytest.raises(JudgeEndpointError):
            run(tmp_path, workspace, [attempt("p1/1.4", "Proof.")], judges=(Endpoint("j", "http://127.0.0.1:9/v1"),))
        with pytest.raises(RunError, match=r"run\.json"):
            read_manifest(tmp_path / "run")

    def test_critics_give_process_scores(self, tmp_path, workspace):
        def script(call, n):
            error = [{"kind": "CIE", "root": True, "quote": "q", "reason": "r"}]
            wrong = "slip" in call.data["response"]
            return Reply(json.dumps({"receipt": call.nonce, "errors": error if wrong else []}))

        records = [attempt("p1/1.1", "\\boxed{B}"), attempt("p1/1.2", "slip \\boxed{ACD}")]
        with Standin(script) as server:
            _, result = run(tmp_path, workspace, records, critics=(Endpoint("c", server.url),))
        exam = result.summary["conditions"][0]["exam"]
        # A: V 4, O 4, P 4: P·O/V 4, ES 4.  B: V 6, O 6, P 3: P·O/V 3, ES 0.5·3 + 0.5·6 = 4.5.  ΣV 10
        assert (exam["ocs"], exam["pes"], exam["oes"]) == (100, pytest.approx(70), pytest.approx(85))
        assert result.summary["conditions"][0]["process"]["kinds"] == {"CIE": 0.5, "LAE": 0, "DRE": 0}


class TestKilled:
    def test_killed_and_run_again(self, tmp_path):
        """After SIGKILL the same command asks for no reply that had arrived, and ends like an unbroken run."""
        space = Workspace(tmp_path / "ws").create()
        make_paper(space, "p1", proofs=20)
        path = write_attempts(tmp_path / "a.jsonl", [attempt(f"p1/1.{n}", f"My proof {n}.") for n in range(1, 21)])
        hold, release = threading.Event(), threading.Event()
        waiting = []

        def script(call, n):
            if hold.is_set() or (len(server.answered) >= 15 and not release.is_set()):
                hold.set()
                waiting.append(call)
                release.wait(60)
            number = int(call.data["response"].rstrip(".").split()[-1])
            return verdicts(call, "correct" if number % 3 else "wrong")

        with Standin(script) as server:
            process = subprocess.Popen(command(path, space, tmp_path / "run", 4), env=environment(server), text=True)
            deadline = time.monotonic() + 60
            while len(waiting) < 4 and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.02)
            assert len(waiting) == 4  # all four workers wait for a judge: what came before is in the store
            before = [call.key() for call in server.answered]
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert not (tmp_path / "run" / "run.json").exists()
            hold.clear()
            release.set()
            asked = len(server.calls)
            for folder in ("run", "clean"):
                done = subprocess.run(
                    command(path, space, tmp_path / folder, 4),
                    env=environment(server),
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stderr
                if folder == "run":
                    again = [call.key() for call in server.calls[asked:]]
        assert len(before) >= 15
        assert not set(before) & set(again), "a judge was asked for a reply that had arrived"
        assert len(again) == len(set(again)) == 40 - len(set(before))
        for name in ("scores.jsonl", "summary.json", "questions.jsonl"):
            assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "clean" / name).read_bytes()

    def test_ctrl_c_leaves_at_once_and_says_how_to_go_on(self, tmp_path):
        space = Workspace(tmp_path / "ws").create()
        make_paper(space, "p1", proofs=6)
        path = write_attempts(tmp_path / "a.jsonl", [attempt(f"p1/1.{n}", f"My proof {n}.") for n in range(1, 7)])
        release = threading.Event()

        def script(call, n):
            release.wait(60)
            return verdicts(call)

        with Standin(script) as server:
            process = subprocess.Popen(
                command(path, space, tmp_path / "run", 2), env=environment(server), text=True, stderr=subprocess.PIPE
            )
            deadline = time.monotonic() + 60
            while len(server.calls) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
            assert time.monotonic() - start < 10
            release.set()
        assert process.returncode == 130
        assert "same command again" in said


def command(path, space, folder, parallel):
    options = ["--judge", "judge-a", "--judge", "judge-b", "--parallel", str(parallel), "--jobs", "1"]
    return [
        sys.executable,
        "-c",
        COMMAND,
        "run",
        str(path),
        "--workspace",
        str(space.root),
        "-o",
        str(folder),
        *options,
    ]


def environment(server):
    return os.environ | {"WHOLEPAGE_JUDGE_BASE_URL": server.url, "WHOLEPAGE_JUDGE_API_KEY": "k"}


def test_several_processes_mark_alike():
    pairs = [(Gold("fill_in_blank", (str(n % 7),)), f"so \\boxed{{{n % 9}}} ({n})") for n in range(320)]
    assert mark_all(pairs, jobs=2) == mark_all(pairs, jobs=1)


def test_equal_answers_are_marked_once(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "scoring.marking.mark", lambda gold, response: seen.append(response) or simple_mark(gold, response)
    )
    gold = Gold("fill_in_blank", ("2",))
    outcomes = mark_all([(gold, "\\boxed{2}"), None, (gold, "\\boxed{2}"), (gold, "\\boxed{3}")])
    assert seen == ["\\boxed{2}", "\\boxed{3}"]
    assert [o and o.verdict for o in outcomes] == ["correct", None, "correct", "wrong"]


class TestCommands:
    def call(self, *args, **env):
        return CliRunner(env=env).invoke(APP, [str(a) for a in args])

    def test_run_with_the_real_rules(self, tmp_path, workspace):
        path = write_attempts(
            tmp_path / "a.jsonl", [attempt("p1/1.1", "故选 \\boxed{B}"), attempt("p2/1.1", "\\boxed{C}")]
        )
        result = self.call("run", path, "--workspace", workspace.root, "-o", tmp_path / "run", "--json", "--jobs", 1)
        assert result.exit_code == 0, result.output
        summary = json.loads(result.output)["summary"]
        assert summary["conditions"][0]["verdicts"] == {"correct": 1, "wrong": 1}

    def test_the_real_rules_on_answers_that_were_cut_off(self, tmp_path, workspace):
        records = [attempt(f"p1/1.{n}", "Let me think about", finish_reason="length") for n in (1, 2, 3)]
        path = write_attempts(tmp_path / "a.jsonl", records)
        result = self.call("run", path, "--workspace", workspace.root, "-o", tmp_path / "run", "--json", "--jobs", 1)
        assert json.loads(result.output)["summary"]["conditions"][0]["verdicts"] == {"wrong": 3}
        assert all(s.no_answer and s.extracted is None for s in read_scores(tmp_path / "run"))

    def test_doubts_have_their_own_exit_code(self, tmp_path, workspace):
        path = write_attempts(tmp_path / "a.jsonl", [attempt("p1/1.1", "B"), attempt("nowhere/1.1", "B")])
        result = self.call("run", path, "--workspace", workspace.root, "-o", tmp_path / "run", "--jobs", 1)
        assert result.exit_code == 3
        assert "line 2" in result.output and (tmp_path / "run" / "run.json").exists()

    def test_errors_say_what_to_do(self, tmp_path, workspace):
        path = write_attempts(tmp_path / "a.jsonl", [attempt("p1/1.1", "B")])
        base = ("run", path, "-o", tmp_path / "run", "--workspace", workspace.root)
        missing = self.call("run", tmp_path / "none.jsonl", "-o", tmp_path / "r", "--workspace", workspace.root)
        assert missing.exit_code == 4 and "none.jsonl" in missing.output
        assert self.call(*base, "--profile", "nope").exit_code == 2
        assert self.call(*base, "--alias", "x").exit_code == 2
        no_url = self.call(*base, "--judge", "m", WHOLEPAGE_JUDGE_BASE_URL="", OPENAI_BASE_URL="")
        assert no_url.exit_code == 1 and "WHOLEPAGE_JUDGE_BASE_URL" in no_url.output
        twice = self.call(
            *base, "--judge", "gpt-5", "--judge", "openai/gpt-5", WHOLEPAGE_JUDGE_BASE_URL="http://127.0.0.1:9/v1"
        )
        assert twice.exit_code == 2 and "same model" in twice.output

    def test_an_empty_workspace_is_an_error(self, tmp_path):
        path = write_attempts(tmp_path / "a.jsonl", [attempt("p1/1.1", "B")])
        with pytest.raises(WorkspaceError, match="no papers"):
            score_run([path], Workspace(tmp_path / "empty").create(), tmp_path / "run", RunOptions(load_profile()))

    def test_judges_against_recorded_verdicts(self, tmp_path):
        rows = [
            {"id": "1", "label": "correct", "verdicts": {"a": "correct", "b": "correct"}},
            {"id": "2", "label": "wrong", "verdicts": {"a": "wrong", "b": "correct"}},
            {"id": "3", "label": "partial", "verdicts": {"a": "partial", "b": None}},
            {"id": "3", "label": "wrong", "verdicts": {}},
        ]
        path = write_attempts(tmp_path / "labels.jsonl", rows)
        result = self.call("judges", path, "--json")
        assert result.exit_code == 3  # the id 3 comes twice
        data = json.loads(result.output)
        by_judge = {row["judge"]: row for row in data["judges"]}
        assert by_judge["a"]["accuracy"] == 1 and by_judge["a"]["kappa"] == 1
        assert by_judge["b"]["accuracy"] == 0.5 and by_judge["b"]["missing"] == 1
        assert by_judge["b"]["recall"] == {"correct": 1, "partial": None, "wrong": 0}
        assert data["fleiss_items"] == 2
        assert [i["line"] for i in data["issues"]] == [4]

    def test_judges_asked_now(self, tmp_path):
        rows = [
            {"id": str(n), "label": "correct" if n % 2 else "wrong", "question": "q", "official_answer": "2",
             "response": f"text {n}", "model": "taker"}
            for n in range(1, 5)
        ]  # fmt: skip
        path = write_attempts(tmp_path / "labels.jsonl", rows)

        def script(call, n):
            return verdicts(call, "correct" if call.data["response"] in {"text 1", "text 3", "text 4"} else "wrong")

        with Standin(script) as server:
            args = ("judges", path, "--judge", "a", "--json", "-o", tmp_path / "out.json")
            first = self.call(*args, WHOLEPAGE_JUDGE_BASE_URL=server.url)
            again = self.call(*args, WHOLEPAGE_JUDGE_BASE_URL=server.url)
            assert len(server.calls) == 4
        assert first.exit_code == 0 and first.output == again.output
        [row] = json.loads(first.output)["judges"]
        # right on 1, 2, 3 of 4; p_e: both correct 0.5·0.75 + both wrong 0.5·0.25 = 0.5; kappa = 0.25/0.5
        assert row["accuracy"] == 0.75 and row["kappa"] == pytest.approx(0.5)
        assert row["recall"] == {"correct": 1, "partial": None, "wrong": 0.5}
        assert json.loads((tmp_path / "out.json").read_text())["items"] == 4
