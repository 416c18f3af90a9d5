"""Takers without a model on all samples: the key scores 100, chance what chance gives."""

import math
from collections import defaultdict
from pathlib import Path

import pytest
from exam_samples import sample_workspace

from exam_mode.answers import key_answers
from exam_mode.attempts import write_attempts
from exam_mode.engine import Pace, run_exam
from exam_mode.runs import RunFolder, RunOptions
from exam_mode.selection import Choice, Papers, select
from scoring.bank import load_bank
from scoring.marking import chance_of
from scoring.profiles import load_profile
from scoring.run import RunOptions as ScoreOptions
from scoring.run import score_run
from scoring.scores import Score
from wholepage.workspace import Workspace

EPOCHS = 30
Z99 = 2.576  # 99 % interval: the draws are fixed, so this test either always holds or never
MODES = ("text_only", "captions", "text_image", "crop", "page_box", "image_only", "mock_exam")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """All samples, as their truth tells them."""
    return sample_workspace(tmp_path_factory.mktemp("samples"))


def _scores(workspace: Workspace, folder: Path, model: str, modes: tuple[str, ...], epochs: int = 1) -> list[Score]:
    choice = Choice(modes=modes, unverified=True, each_mode=True)
    run = RunFolder(folder)
    options = RunOptions(models=[model], modes=list(modes), epochs=epochs, captioner="baseline/first-option")
    run.create(workspace, options, choice, select(Papers(workspace), choice))
    assert run_exam(run, workspace, Pace()).complete
    write_attempts(run.calls, run.attempts)
    return score_run([run.attempts], workspace, run.path / "scores", ScoreOptions(profile=load_profile())).scores


def test_the_key_scores_100_in_every_form(workspace: Workspace, tmp_path: Path) -> None:
    scores = _scores(workspace, tmp_path / "run", "baseline/key", MODES)
    papers = Papers(workspace)
    marked: defaultdict[str, list[float | None]] = defaultdict(list)
    for score in scores:
        assert score.verdict in ("correct", "undecided"), (score.question_id, score.mode, score.response, score.reason)
        if score.verdict == "undecided":
            assert not key_answers(papers.item(score.question_id).question), (score.question_id, score.reason)
        else:
            marked[score.mode].append(score.fraction)
    assert set(marked) == set(MODES) and all(set(values) == {1.0} for values in marked.values())
    assert len(marked["text_image"]) >= 20


def test_chance_scores_what_chance_gives(workspace: Workspace, tmp_path: Path) -> None:
    scores = _scores(workspace, tmp_path / "run", "baseline/chance", ("text_image",), EPOCHS)
    bank, profile = load_bank(workspace), load_profile()
    expected, got, variance = 0.0, 0.0, 0.0
    for score in scores:
        chance = chance_of(bank.items[score.question_id], profile)
        if chance is None or score.fraction is None:
            continue
        expected += chance
        got += score.fraction
        variance += chance * (1 - chance)  # at most this for a fraction between 0 and 1
    assert expected > 0 and abs(got - expected) <= Z99 * math.sqrt(variance), (got, expected)


def test_chance_draws_anew_each_epoch_and_the_same_anywhere(workspace: Workspace) -> None:
    from exam_mode.answers import first_option, random_answer

    papers = Papers(workspace)
    items = [papers.item(p.question_id) for p in select(papers, Choice(modes=("text_image",), unverified=True)).picked]
    choice = next(item for item in items if item.question.type == "multiple_choice")
    draws = [random_answer(choice, epoch) for epoch in range(1, 200)]
    assert {tuple(d) for d in draws} == {(o.label,) for o in choice.question.options}
    assert draws == [random_answer(choice, epoch) for epoch in range(1, 200)]
    assert first_option(choice.question) == ["A"]
