"""Run folders, bad input and broken surroundings of `wholepage score`: clear messages, right codes, nothing lost."""

import errno
import json
import shutil
import sqlite3

import pytest
import typer
from judge_standin import Standin, verdicts
from scoring_material import attempt, make_paper, simple_mark, write_attempts
from typer.testing import CliRunner

from scoring.commands import register
from scoring.judges_client import ClientOptions, Endpoint
from scoring.profiles import load_profile
from scoring.run import RunOptions, score_run
from scoring.run_folder import RunFolderError, hold
from wholepage.workspace import Workspace

APP = typer.Typer()
register(APP)
RIGHT = attempt("p1/1.1", "\\boxed{B}")


@pytest.fixture
def workspace(tmp_path):
    space = Workspace(tmp_path / "ws").create()
    make_paper(space, "p1", "First paper")
    return space


def score(tmp_path, path, *more):
    command = ["run", str(path), "-o", str(tmp_path / "run"), "--workspace", str(tmp_path / "ws"), "--jobs", "1", *more]
    return CliRunner().invoke(APP, command)


def contents(run):
    return {p.name: p.read_bytes() for p in run.iterdir() if p.is_file()}


@pytest.mark.usefixtures("workspace")
class TestNothingToScore:
    def test_an_empty_file_is_an_error_and_an_earlier_run_stays(self, tmp_path):
        assert score(tmp_path, write_attempts(tmp_path / "a.jsonl", [RIGHT])).exit_code == 0
        before = contents(tmp_path / "run")
        empty = tmp_path / "empty.jsonl"
        empty.write_text("\n")
        result = score(tmp_path, empty)
        assert result.exit_code == 4
        assert "empty.jsonl" in result.output
        assert "the file is empty" in result.output
        assert contents(tmp_path / "run") == before

    def test_lines_without_one_to_score_are_all_named(self, tmp_path):
        path = write_attempts(tmp_path / "a.jsonl", [attempt("p9/1.1", "B"), attempt("p1/7.7", "B"), {"mode": "x"}])
        path.write_text(path.read_text() + '[1]\n"text"\n{"paper_id": oops\n')
        result = score(tmp_path, path)
        assert result.exit_code == 4
        text = " ".join(result.output.split())
        for line, said in (
            (1, "no paper p9 in the workspace"),
            (2, "the paper p1 has no question 7.7"),
            (3, "paper_id: Field required"),
            (4, "the line is not a JSON object"),
            (5, "the line is not a JSON object"),
            (6, "not JSON"),
        ):
            assert f"line {line}: {said}" in text
        assert not (tmp_path / "run" / "run.json").exists()

    def test_some_bad_lines_are_set_aside_word_for_word(self, tmp_path):
        path = write_attempts(tmp_path / "a.jsonl", [RIGHT, attempt("p9/1.1", "B")])
        result = score(tmp_path, path)
        assert result.exit_code == 3
        assert "What to do next" in result.output
        rejected = [json.loads(line) for line in (tmp_path / "run" / "rejected.jsonl").read_text().splitlines()]
        assert [(r["line"], r["code"]) for r in rejected] == [(2, "attempt.unknown_question")]
        assert json.loads(rejected[0]["text"]) == attempt("p9/1.1", "B")


class TestFolder:
    def test_a_file_in_the_folders_place(self, tmp_path, workspace):
        (tmp_path / "run").write_text("mine")
        result = score(tmp_path, write_attempts(tmp_path / "a.jsonl", [RIGHT]))
        assert result.exit_code == 1
        assert "is a file" in result.output
        assert (tmp_path / "run").read_text() == "mine"

    def test_two_runs_at_once(self, tmp_path, workspace):
        path = write_attempts(tmp_path / "a.jsonl", [RIGHT])
        with hold(tmp_path / "run"):
            result = score(tmp_path, path)
            assert result.exit_code == 1
            assert "Another `wholepage score run`" in result.output
            assert "Wait for it" in result.output
        assert score(tmp_path, path).exit_code == 0

    def test_a_full_disk_leaves_the_earlier_results(self, tmp_path, workspace, monkeypatch):
        path = write_attempts(tmp_path / "a.jsonl", [RIGHT])
        assert score(tmp_path, path).exit_code == 0
        before = contents(tmp_path / "run")

        def full(path, text):
            if path.name == "issues.jsonl":
                raise OSError(errno.ENOSPC, "No space left on device")
            path.write_text(text)

        monkeypatch.setattr("scoring.run.write_text", full)
        result = score(tmp_path, write_attempts(tmp_path / "a.jsonl", [RIGHT | {"response": "\\boxed{C}"}]))
        assert result.exit_code == 1
        assert "No space left" in result.output
        assert contents(tmp_path / "run") == before
        assert not list((tmp_path / "run").glob(".new-*"))

    def test_killed_between_two_files_the_run_does_not_look_finished(self, tmp_path, workspace, monkeypatch):
        path = write_attempts(tmp_path / "a.jsonl", [RIGHT])
        assert score(tmp_path, path).exit_code == 0

        class Killed(BaseException):
            pass

        from pathlib import Path

        real, moved = Path.replace, []

        def dying(self, target):
            if ".new-" in str(self.parent) and ".tmp" not in self.name:
                moved.append(self.name)
                if len(moved) == 3:
                    raise Killed
            return real(self, target)

        monkeypatch.setattr(Path, "replace", dying)
        with pytest.raises(Killed):
            score_run([path], workspace, tmp_path / "run", RunOptions(load_profile()))
        monkeypatch.undo()
        report = CliRunner().invoke(APP, ["report", str(tmp_path / "run")])
        assert report.exit_code == 4
        assert score(tmp_path, path).exit_code == 0
        assert CliRunner().invoke(APP, ["report", str(tmp_path / "run")]).exit_code == 0

    def test_leftovers_of_a_killed_run_go(self, tmp_path, workspace):
        (tmp_path / "run" / ".new-abc").mkdir(parents=True)
        assert score(tmp_path, write_attempts(tmp_path / "a.jsonl", [RIGHT])).exit_code == 0
        assert not list((tmp_path / "run").glob(".new-*"))

    def test_a_folder_that_cannot_be_made(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(RunFolderError, match="Cannot write into the run folder"), hold(tmp_path / "file" / "run"):
            pass

    def test_a_full_disk_while_judges_answer_keeps_their_replies(self, tmp_path, workspace, monkeypatch):
        from scoring.judges_cache import ReplyCache
        from wholepage.errors import WorkspaceError

        monkeypatch.setattr("scoring.marking.mark", simple_mark)
        path = write_attempts(tmp_path / "a.jsonl", [attempt("p1/1.4", f"Proof {n}.") for n in range(1)])
        with Standin(lambda call, _: verdicts(call)) as server:
            judge = Endpoint("judge", server.url)
            options = RunOptions(load_profile(), judges=(judge,), client=ClientOptions(timeout=5, tries=1))
            real = ReplyCache.insert

            def full(self, row):
                raise sqlite3.OperationalError("database or disk is full")

            monkeypatch.setattr(ReplyCache, "insert", full)
            with pytest.raises(WorkspaceError, match="disk is full"):
                score_run([path], workspace, tmp_path / "run", options)
            monkeypatch.setattr(ReplyCache, "insert", real)
            result = score_run([path], workspace, tmp_path / "run", options)
        assert result.scores[0].status == "marked"


class TestDamagedRun:
    @pytest.fixture
    def finished(self, tmp_path, workspace):
        assert score(tmp_path, write_attempts(tmp_path / "a.jsonl", [RIGHT])).exit_code == 0
        return tmp_path / "run"

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("run.json", "{}"),
            ("run.json", "[1]"),
            ("summary.json", '{"schema": "wholepage/score-summary@1"}'),
            ("summary.json", "[]"),
            ("issues.jsonl", "{bad\n"),
            ("questions.jsonl", ""),
            ("scores.jsonl", ""),
            ("scores.jsonl", "x\n"),
        ],
    )
    def test_a_report_of_it_says_which_file(self, finished, name, text):
        (finished / name).write_text(text)
        result = CliRunner().invoke(APP, ["report", str(finished)])
        assert result.exit_code == 4, result.output
        assert name in result.output.replace("\n", "")
        assert "Run `wholepage score run" in " ".join(result.output.split())
        assert "pydantic" not in result.output
        assert not (finished / "report.html").exists()

    def test_without_pages_the_report_says_so(self, finished):
        shutil.rmtree(finished.parent / "ws")
        assert CliRunner().invoke(APP, ["report", str(finished)]).exit_code == 0


@pytest.mark.usefixtures("workspace")
class TestPrices:
    @pytest.mark.parametrize(
        "text",
        ["taker: {input: null, output: 2}", "taker: {input: 1}", "- 1", "taker: 3", "taker: {input: -1, output: 2}",
         "taker: {input: .nan, output: 2}", "taker: {input: cheap, output: 2}"],
    )  # fmt: skip
    def test_a_price_that_is_not_known_is_never_nothing(self, tmp_path, text):
        prices = tmp_path / "prices.yaml"
        prices.write_text(text)
        result = score(tmp_path, write_attempts(tmp_path / "a.jsonl", [RIGHT]), "--prices", str(prices))
        assert result.exit_code == 2
        assert "prices.yaml" in result.output.replace("\n", "").replace("│", "").replace(" ", "")


@pytest.mark.usefixtures("workspace")
class TestWhatNobodyCanMark:
    """An empty answer to a question without key would otherwise be the only answer that counts."""

    @pytest.mark.parametrize("changes", [
        {"response": ""}, {"response": "I'm sorry, but I can't help with that."},
        {"response": "", "finish_reason": "refusal"},
        {"response": "so far", "finish_reason": "length"},
    ])  # fmt: skip
    @pytest.mark.parametrize(("question", "status"), [("p1/1.5", "undecided"), ("p1/1.4", "undecided"),
                                                      ("p1/1.1", "marked")])  # fmt: skip
    def test_without_judges(self, tmp_path, workspace, monkeypatch, changes, question, status):
        monkeypatch.setattr("scoring.marking.mark", simple_mark)
        path = write_attempts(tmp_path / "a.jsonl", [attempt(question, "") | changes])
        result = score_run([path], workspace, tmp_path / "run", RunOptions(load_profile()))
        [got] = result.scores
        assert got.status == status
        if status == "marked":
            assert (got.verdict, got.no_answer) == ("wrong", True)
        elif changes.get("finish_reason") != "length":
            assert got.no_answer
            assert "nobody could mark" in got.reason

    def test_where_a_judge_may_mark_a_refusal_is_wrong(self, tmp_path, workspace, monkeypatch):
        monkeypatch.setattr("scoring.marking.mark", simple_mark)
        refusal = "I'm sorry, but I can't help with that."
        records = [attempt("p1/1.4", refusal), attempt("p1/1.4", refusal, model="judge"), attempt("p1/1.5", refusal)]
        path = write_attempts(tmp_path / "a.jsonl", records)
        with Standin(lambda call, _: verdicts(call)) as server:
            options = RunOptions(load_profile(), judges=(Endpoint("judge", server.url),))
            result = score_run([path], workspace, tmp_path / "run", options)
        seen = {(s.question_id, s.model): s.status for s in result.scores}
        assert seen == {
            ("p1/1.4", "taker"): "marked",
            ("p1/1.4", "judge"): "undecided",
            ("p1/1.5", "taker"): "undecided",
        }
        assert server.calls == []
