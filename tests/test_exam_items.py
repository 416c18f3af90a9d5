"""Which questions an exam asks: fitness for a form, pages that show answers, the common set, names."""

from pathlib import Path

import pytest
from exam_material import make_workspace

from exam_mode.errors import ExamError, ExamOptionError
from exam_mode.fitness import MODES, unfit
from exam_mode.forms.naming import chinese_number, printed_name
from exam_mode.items import ExamPaper, Item
from exam_mode.selection import Choice, Papers, select
from wholepage.workspace import Workspace


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    return Papers(make_workspace(tmp_path / "ws"))


def test_pages_that_show_answers_are_known(papers: Papers) -> None:
    assert papers.get("zh").key_pages == {3}
    assert [p.number for p in papers.get("zh").question_pages] == [1, 2]
    assert papers.get("en").key_pages == {1}


def test_a_key_in_a_file_of_its_own_hides_no_page_of_the_paper(papers: Papers) -> None:
    paper = papers.get("zh").paper.model_copy(deep=True)
    paper.source = paper.source.model_copy(update={"answers": {"file": "key.pdf"}})
    assert ExamPaper(paper, Path()).key_pages == frozenset()


def test_a_solution_that_runs_on_hides_the_next_page_too(papers: Papers) -> None:
    paper = papers.get("zh").paper.model_copy(deep=True)
    paper.pages.append(paper.pages[2].model_copy(update={"number": 4}))
    assert ExamPaper(paper, Path()).key_pages == {3, 4}


@pytest.mark.parametrize(
    ("question", "mode", "reason"),
    [
        ("zh/1.1", "text_only", None), ("zh/1.2", "text_only", "needs_figure"), ("zh/3.3", "text_only", "needs_figure"),
        ("zh/1.2", "text_image", None), ("zh/1.2", "image_only", None), ("en/1.13", "text_only", None),
        ("en/1.13", "image_only", "answer_on_page"), ("en/1.13", "crop", "answer_on_page"),
        ("en/1.13", "page_box", "answer_on_page"), ("zh/1.1", "crop", None),
    ],
)  # fmt: skip
def test_fitness(papers: Papers, question: str, mode: str, reason: str | None) -> None:
    assert unfit(papers.item(question), mode) == reason


def test_blind_asks_text_without_the_figure(papers: Papers) -> None:
    assert unfit(papers.item("zh/1.2"), "text_only", blind=True) is None


def test_what_is_missing_makes_unfit(papers: Papers) -> None:
    (papers.workspace.paper_dir("zh") / "figures" / "f1.png").unlink()
    item = papers.item("zh/1.2")
    assert unfit(item, "text_image") == "figure_missing"
    without = Item(item.source, item.question.model_copy(update={"regions": []}))
    assert {unfit(without, m) for m in ("crop", "page_box", "image_only", "mock_exam")} == {"no_region"}


def test_a_name_that_two_questions_share_is_no_name(papers: Papers) -> None:
    source = papers.get("zh")
    paper = source.paper.model_copy(deep=True)
    paper.questions.append(paper.questions[0].model_copy())
    assert unfit(Item(ExamPaper(paper, source.folder), paper.questions[0]), "image_only") == "not_nameable"


def test_the_same_set_is_asked_in_every_mode_and_the_rest_accounted_for(papers: Papers) -> None:
    result = select(papers, Choice(modes=("text_only", "text_image", "image_only")))
    assert [p.question_id for p in result.picked] == ["zh/1.1", "zh/2.1", "zh/3.4"]
    assert all(p.modes == ("text_only", "text_image", "image_only") for p in result.picked)
    assert result.seen == 7 and dict(result.left_out) == {"not fit for every mode": 4}
    assert dict(result.unfit["image_only"]) == {"answer_on_page": 2}
    each = select(papers, Choice(modes=("text_only", "text_image"), each_mode=True))
    assert (len(each.asked("text_only")), len(each.asked("text_image"))) == (5, 7)


def test_unverified_and_rejected_questions_are_refused(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "ws", verified=False)
    with pytest.raises(ExamError, match="7 not verified") as error:
        select(Papers(workspace), Choice(modes=("text_image",)))
    assert "--unverified" in error.value.hint
    paper = workspace.load("en")
    paper.questions[0].status = "rejected"
    workspace.save(paper)
    result = select(Papers(workspace), Choice(modes=("text_image",), unverified=True))
    assert "en/1.13" not in {p.question_id for p in result.picked} and len(result.picked) == 6


def test_filters_and_limit(papers: Papers) -> None:
    paper = papers.workspace.load("zh")
    paper.questions[0].tags = ["hard"]
    papers.workspace.save(paper)
    modes = ("text_image",)
    assert [p.question_id for p in select(papers, Choice(modes=modes, tags=("hard",))).picked] == ["zh/1.1"]
    assert {p.paper_id for p in select(papers, Choice(modes=modes, subjects=("physics",))).picked} == {"en"}
    assert {p.paper_id for p in select(papers, Choice(modes=modes, papers=("zh",))).picked} == {"zh"}
    drawn = [select(papers, Choice(modes=modes, limit=3, seed=s)).picked for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] and len(drawn[0]) == 3 and drawn[0] != drawn[2]
    assert [p.question_id for p in select(papers, Choice(modes=modes, limit=1)).picked] == ["en/1.13"]


def test_unknown_modes_and_papers_are_said(papers: Papers) -> None:
    with pytest.raises(ExamOptionError, match="image_onyl") as error:
        select(papers, Choice(modes=("image_onyl",)))
    assert all(mode in error.value.hint for mode in MODES)
    with pytest.raises(ExamError, match="no questions"):
        select(Papers(Workspace(papers.workspace.root / "none").create()), Choice())


def test_questions_without_a_key_are_left_out_unless_wanted(papers: Papers) -> None:
    paper = papers.workspace.load("zh")
    paper.questions[0].answer = []
    papers.workspace.save(paper)
    assert select(papers, Choice(modes=("text_only",))).left_out["no answer or solution known"] == 1
    chosen = select(papers, Choice(modes=("text_only",), without_key=True))
    assert "zh/1.1" in {p.question_id for p in chosen.picked}


def test_names_as_printed(papers: Papers) -> None:
    assert printed_name(papers.item("zh/2.1"), "zh") == "第二大题（填空题）第 1 题"
    assert printed_name(papers.item("en/1.13"), "en") == "Question 13 in Section B"
    assert printed_name(papers.item("zh/2.1"), "en") == 'Question 1 in the section "填空题"'
    bare = papers.item("en/1.13")
    bare.question.section = None
    assert (printed_name(bare, "en"), printed_name(bare, "zh")) == ("Question 13", "第 13 题")


@pytest.mark.parametrize(("value", "text"), [(1, "一"), (10, "十"), (12, "十二"), (35, "三十五"), (0, "0")])
def test_chinese_numbers(value: int, text: str) -> None:
    assert chinese_number(value) == text


def test_the_digest_tells_a_changed_question(papers: Papers) -> None:
    item = papers.item("zh/1.1")
    before = item.digest()
    item.question.stem += "。"
    assert item.digest() != before
