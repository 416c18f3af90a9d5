"""The report: one page that opens offline, shows hostile text as text, and agrees with its tables."""

import base64
import csv
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from scoring_material import attempt, make_paper, simple_mark, write_attempts

from scoring.profiles import load_profile
from scoring.report import write_report
from scoring.report_crops import Cropper
from scoring.report_gallery import cards, choose
from scoring.report_svg import heat_map, interval_bar, stacked_bar
from scoring.report_tables import COLUMNS, spreadsheet_safe
from scoring.report_text import formula, rich_text
from scoring.report_view import question_label, told_apart
from scoring.run import RunOptions, score_run
from scoring.scores import RunError, read_questions, read_scores, read_summary
from wholepage.workspace import Workspace

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><style>*{display:none}</style></div>{{ 7*7 }}"
MODES = ("text_only", "text_image", "image_only")


class Page(HTMLParser):
    """Tags with attributes, and whether every element that needs it is closed."""

    VOID = frozenset({"meta", "img", "br", "link", "input", "hr"})

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.unbalanced, self.text = [], [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        self.text += data


@pytest.fixture(autouse=True)
def simple(monkeypatch):
    monkeypatch.setattr("scoring.marking.mark", simple_mark)


@pytest.fixture
def scored(tmp_path):
    """A run with three modes, two models, two epochs, hostile text, bad lines, and its workspace."""
    space = Workspace(tmp_path / "ws").create()
    make_paper(space, "p1", "First paper")
    paper = make_paper(space, "p2", HOSTILE)
    paper.questions[0].stem = HOSTILE
    space.save(paper)
    records = []
    for number, model in enumerate(("alpha", HOSTILE)):
        for mode in MODES:
            for epoch in (1, 2):
                wrong = mode == "image_only" or number
                for p in (1, 2):
                    text = f"{HOSTILE} =1+1 \\boxed{{{'C' if wrong else 'B'}}}"
                    records.append(attempt(f"p{p}/1.1", text, model=model, mode=mode, epoch=epoch))
                    records.append(attempt(f"p{p}/1.3", "\\boxed{2}\\boxed{8}", model=model, mode=mode, epoch=epoch))
        records.append(attempt("p1/1.1", "cut", model=model, budget=64, finish_reason="length"))
        records.append(attempt("p1/1.2", "", model=model, error=HOSTILE))
        records.append(attempt("p1/1.4", "A proof.", model=model))
    records.append(attempt("p7/1.1", "?", model=HOSTILE))
    path = write_attempts(tmp_path / "attempts.jsonl", records)
    score_run([path], space, tmp_path / "run", RunOptions(load_profile()))
    return tmp_path / "run"


@pytest.fixture
def html(scored):
    return write_report(scored, scored)["html"].read_text(encoding="utf-8")


class TestLabels:
    def test_papers_of_one_title_are_told_apart(self, scored):
        questions = read_questions(scored)
        same = {name: q.model_copy(update={"paper_title": "Mock exam"}) for name, q in questions.items()}
        labels = {name: question_label(question) for name, question in told_apart(same).items()}
        assert labels["p1/1.1"] == "Mock exam #p1 · Section A 1"
        assert labels["p2/1.1"] == "Mock exam #p2 · Section A 1"
        one = {name: q for name, q in same.items() if q.paper_id == "p1"}
        assert question_label(told_apart(one)["p1/1.1"]) == "Mock exam · Section A 1"

    def test_reasons_of_judges_are_typeset_and_escaped(self, scored):
        score = next(s for s in read_scores(scored) if s.parts and s.verdict == "wrong")
        part = score.parts[0].model_copy(update={"reason": "<b>not</b> $\\frac{1}{2}$"})
        score = score.model_copy(update={"parts": [part]})
        [card] = cards({score.question_id: [score]}, read_questions(scored), Cropper(None))
        reason = str(card["answers"][0]["parts"][0]["reason"])
        assert "<mfrac>" in reason and "&lt;b&gt;not" in reason


class TestPage:
    def test_nothing_from_outside_and_no_script(self, html):
        page = Page(html)
        assert not page.unbalanced and not page.open
        names = {tag for tag, _ in page.tags}
        assert not names & {"script", "link", "iframe", "object", "embed", "form", "base"}
        for tag, attributes in page.tags:
            assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
            for name in ("src", "href"):
                assert attributes.get(name, "#").startswith(("#", "data:image/webp;base64,")), (tag, attributes)
        assert not re.search(r"url\(|@import|https?://", html)

    def test_the_policy_admits_this_style_sheet_only(self, html):
        [policy] = [a["content"] for t, a in Page(html).tags if a.get("http-equiv") == "Content-Security-Policy"]
        style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}'" in policy
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert html.count("<style>") == 1

    def test_hostile_text_is_shown_as_text(self, html):
        page = Page(html)
        assert HOSTILE in page.text  # word for word, template braces included
        assert "<script>alert" not in html and "onerror=alert" not in re.sub(r"&lt;.*?&gt;", "", html)

    def test_all_sections_are_there(self, html):
        ids = {a["id"] for _, a in Page(html).tags if "id" in a}
        assert {"results", "modes", "paired", "errors", "budget", "items", "gallery", "method"} <= ids
        anchors = {a["href"][1:] for t, a in Page(html).tags if t == "a"}
        assert anchors <= ids

    def test_numbers_agree_with_the_summary(self, scored, html):
        summary = read_summary(scored)
        text = Page(html).text
        row = next(c for c in summary["conditions"] if c["label"] == "alpha · text_image")
        # right on 1.1 twice a paper, half on 1.3: 4 of 8 fully right
        assert row["accuracy"]["mean"] == 0.5
        assert "50.0" in text and "livek12-paper@1" in text
        flipped = next(r for r in summary["comparisons"]["modes"] if r["first"]["model"] == "alpha" and r["lost"])
        assert flipped["lost"] == ["p1/1.1", "p2/1.1"]
        assert "1 line was set aside: 1 about unknown questions" in text and "p7" in text

    def test_the_first_section_says_what_came_out(self, html):
        page = Page(html)
        glance = " ".join(
            page.text[page.text.index("At a glance", 500) : page.text.rindex("Accuracy is the share")].split()
        )
        assert "Most answers right: alpha with text_image, 50.0 % (95 % interval" in glance
        assert "alpha, whole pages instead of text and pictures: −50.0 points" in glance
        assert "2 of 54 answers (4 %) are undecided" in glance
        assert "1 question has no mark at all: 1 for want of a judge" in glance

    def test_runs_under_a_budget_stand_apart(self, html):
        page = Page(html)
        ladder = page.text[page.text.index("Input forms side by side") :]
        assert "≤64" not in ladder[: ladder.index("Paired changes")]
        assert "Runs with a budget" in page.text

    def test_dark_and_light_use_the_same_names_of_colours(self, html):
        style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
        light = set(re.findall(r"(--[\w-]+):", style[: style.index("@media")]))
        dark = style[style.index("prefers-color-scheme: dark") :]
        assert light - set(re.findall(r"(--[\w-]+):", dark[: dark.index(".crop")])) == set()
        assert set(re.findall(r"var\((--[\w-]+)\)", style)) <= light

    def test_the_same_run_gives_the_same_page(self, scored, html):
        assert write_report(scored, scored)["html"].read_text(encoding="utf-8") == html

    def test_page_crops(self, scored, html, tmp_path):
        images = [a["src"] for t, a in Page(html).tags if t == "img"]
        assert images and all(src.startswith("data:image/webp;base64,UklGR") for src in images)
        alone = write_report(scored, tmp_path / "out", workspace=tmp_path / "nowhere")["html"].read_text(
            encoding="utf-8"
        )
        assert "<img" not in alone and "not at hand" in alone

    def test_empty_and_undecided_runs_have_a_page(self, tmp_path):
        space = Workspace(tmp_path / "ws").create()
        make_paper(space, "p1")
        for name, records in (
            ("open", [attempt("p1/1.4", "Proof.")]),
            ("error", [attempt("p1/1.1", "", error="x")]),
        ):
            path = write_attempts(tmp_path / f"{name}.jsonl", records)
            score_run([path], space, tmp_path / name, RunOptions(load_profile()))
            page = Page(write_report(tmp_path / name, tmp_path / name)["html"].read_text(encoding="utf-8"))
            assert not page.unbalanced and "Results" in page.text

    def test_an_unfinished_run_is_refused(self, scored):
        (scored / "run.json").unlink()
        with pytest.raises(RunError, match=r"run\.json"):
            write_report(scored, scored)

    def test_a_damaged_run_is_refused(self, scored):
        (scored / "scores.jsonl").write_text("{}\n", encoding="utf-8")
        with pytest.raises(RunError, match="line 1"):
            write_report(scored, scored)


class TestTables:
    def test_csv_parquet_and_json_hold_the_same_rows(self, scored):
        import pyarrow.parquet as pq

        files = write_report(scored, scored)
        scores = read_scores(scored)
        with files["csv"].open(encoding="utf-8-sig", newline="") as handle:
            rows = list(csv.DictReader(handle))
        table = pq.read_table(files["parquet"]).to_pylist()
        assert len(rows) == len(table) == len(scores)
        assert list(table[0]) == [name for name, _ in COLUMNS] == list(rows[0])
        for line, entry, score in zip(rows, table, scores, strict=True):
            assert entry["response"] == score.response and entry["model"] == score.model
            assert entry["fraction"] == score.fraction and entry["budget"] == score.budget
            assert line["question_id"] == score.question_id
            assert (line["fraction"] == "") == (score.fraction is None)
        data = json.loads(files["json"].read_text(encoding="utf-8"))
        assert data["summary"] == read_summary(scored) and data["manifest"]["profile"] == "livek12-paper@1"

    @pytest.mark.parametrize("text", ["=1+1", "+1", "-2", "@SUM(A1)", "\tx"])
    def test_no_cell_is_a_formula(self, text):
        assert spreadsheet_safe(text) == "'" + text

    def test_numbers_stay_numbers(self):
        assert spreadsheet_safe(-2.5) == -2.5 and spreadsheet_safe("B") == "B"


class TestText:
    def test_formulas_become_mathml(self):
        out = str(rich_text("so $x^2$ and \\(\\frac{1}{2}\\)\nthen"))
        assert out.count("<math") == 2 and "<msup>" in out and "<mfrac>" in out and "<br>" in out

    @pytest.mark.parametrize(
        "latex",
        [
            "\\href{javascript:alert(1)}{x}",
            "</math><script>alert(1)</script>",
            "\\text{<img src=x onerror=y>}",
            "\\frac{",
            "\\style{color:red}{x}",
        ],
    )
    def test_formulas_carry_nothing_active(self, latex):
        page = Page(formula(latex))
        assert not page.unbalanced
        for tag, attributes in page.tags:
            assert tag not in {"script", "img", "a", "style"}
            assert not {"href", "src", "style", "onerror"} & set(attributes)

    def test_text_that_hides_its_direction_is_made_visible(self):
        assert "\u202e" not in str(rich_text("abc\u202edef")) and "\ufffd" in str(rich_text("\x00"))

    def test_long_text_is_cut_and_says_so(self):
        assert "25 more characters" in str(rich_text("x" * 125, 100))

    def test_tables_and_figures_are_named(self):
        out = str(rich_text("<table><tr><td>a</td><td>b</td></tr></table> ![f](figures/x.png)"))
        assert "a | b" in out and "[figure]" in out and "<table" not in out


class TestCharts:
    def test_interval_bar(self):
        # 168 units wide: 0.5 → 84, 0.25 → 42, 0.75 → 126
        bar = str(interval_bar(0.5, 0.25, 0.75, 0.25))
        assert 'class="fill" x="0" y="6" width="84"' in bar
        assert 'd="M42 9H126M42 4V14M126 4V14"' in bar and 'class="chance" d="M42 1V17"' in bar

    def test_stacked_bar(self):
        # 600 units over 4 attempts: 450 and 150
        bar = str(stacked_bar([("correct", 3), ("partial", 0), ("wrong", 1)]))
        assert 'class="k-correct" x="0" y="1" width="450.00"' in bar
        assert 'class="k-wrong" x="450" y="1" width="150.00"' in bar and "k-partial" not in bar

    def test_names_are_escaped(self):
        assert "<b>" not in str(heat_map(["<b>"], ["q"], {(0, 0): 1.0}, ["<b>"]))


class TestGallery:
    def test_flipped_questions_come_first_and_the_limit_holds(self, scored):
        scores, summary = read_scores(scored), read_summary(scored)
        chosen = choose(scores, summary, 4)
        assert next(iter(chosen)) in {"p1/1.1", "p2/1.1"}
        assert sum(len(answers) for answers in chosen.values()) == 4
        assert all(s.verdict in {"wrong", "partial"} for answers in chosen.values() for s in answers)
        assert choose(scores, summary, 0) == {}

    def test_a_paper_cannot_point_outside_its_folder(self, scored, tmp_path):
        from PIL import Image

        space = Workspace(tmp_path / "ws")
        Image.new("L", (300, 400), 9).save(tmp_path / "secret.png")
        paper = space.load("p1")
        paper.pages[0].image = "../../../secret.png"
        space.save(paper)
        images, note = Cropper(space).crops(read_questions(scored)["p1/1.1"])
        assert images == [] and "cannot be read" in note

    def test_a_damaged_page_is_a_note(self, scored, tmp_path):
        space = Workspace(tmp_path / "ws")
        (space.paper_dir("p1") / "pages" / "001.png").write_bytes(b"not an image")
        images, note = Cropper(space).crops(read_questions(scored)["p1/1.1"])
        assert images == [] and "page 1" in note
