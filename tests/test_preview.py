"""review.preview: one offline HTML file, parsed as a browser would, and opened in Chromium where there is one."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from review.images import FIGURE_BUDGET, Missing, Picture, Pictures, page_scale
from review.preview import write_preview
from review.preview_pages import section_views
from review.preview_view import option_columns, question_view
from wholepage.errors import WorkspaceError
from wholepage.records import (
    Coverage,
    Evidence,
    Figure,
    Issue,
    Option,
    Page,
    Paper,
    Part,
    Question,
    Region,
    SectionCoverage,
    Source,
)
from wholepage.workspace import Workspace

VOID = {"meta", "img", "input", "br", "link", "hr", "mspace"}
ATTACKS = (
    "<script>document.title='owned'</script>",
    "</style></script></title><img src=x onerror=\"document.title='owned'\">",
    "[x](javascript:document.title='owned')",
    "$\\text{<img src=x onerror=document.title='owned'>}$ $\\href{javascript:1}{x}$ $x^2$",
    "<table><tr><td onclick=alert(1) style=color:red>c<svg onload=document.title='owned'></td></tr></table>",
    "\u202egnp.exe \x1b]0;owned\x07 \x00",
    '" onmouseover="document.title=\'owned\'" x="',
    "{{ 7*7 }}{% raw %} ${7*7}",
)


class Dom(HTMLParser):
    """Elements with attributes and text, ids, and whether tags nest properly."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.stack: list[str] = []
        self.crossed: list[str] = []
        self.text = ""
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.stack or self.stack.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] in self.raw:
            self.raw[self.stack[-1]].append(data)
        else:
            self.text += data

    def all(self, tag: str, klass: str = "") -> list[dict[str, str]]:
        return [a for t, a in self.elements if t == tag and (not klass or klass in a.get("class", "").split())]


def draw(path: Path, size: tuple[int, int], text: str = "page") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((size[0] // 4, size[1] // 4), text, fill="black")
    image.save(path)


def page(number: int, width: int = 800, height: int = 1000) -> Page:
    return Page(number=number, image=f"pages/{number:03}.png", width=width, height=height, dpi=100, kind="digital")


def question(number: str, **fields: object) -> Question:
    base: dict[str, object] = {
        "id": f"demo/1.{number}",
        "number": number,
        "section": "选择题",
        "type": "multiple_choice",
        "points": 5,
        "stem": f"题 {number}",
        "regions": [Region(page=1, bbox=(80, 100, 400, 200))],
        "confidence": 0.95,
    }
    return Question.model_validate({**base, **fields})


def paper(questions: list[Question], pages: list[Page] | None = None, **fields: object) -> Paper:
    base: dict[str, object] = {
        "id": "demo",
        "title": "期末考试",
        "subject": "math",
        "language": "zh",
        "source": Source(file="demo.pdf", sha256="0" * 64, bytes=1, pages=1, kind="scanned"),
        "pages": pages if pages is not None else [page(1)],
        "questions": questions,
    }
    return Paper.model_validate({**base, **fields})


def preview(tmp_path: Path, record: Paper) -> tuple[Path, str, Dom]:
    workspace = Workspace(tmp_path)
    folder = workspace.paper_dir(record.id)
    for item in record.pages:
        if item.image and not (folder / item.image).exists() and item.image.startswith("pages/0"):
            draw(folder / item.image, (item.width, item.height))
    path = write_preview(workspace, record)
    source = path.read_text(encoding="utf-8")
    return path, source, Dom(source)


def sha(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_one_self_contained_file(tmp_path: Path) -> None:
    path, source, dom = preview(tmp_path, paper([question("1")]))
    assert path == tmp_path / "papers" / "demo" / "preview.html"
    assert source.startswith("<!DOCTYPE html>")
    assert not dom.crossed and not dom.stack
    assert all(image["src"].startswith("data:image/") for image in dom.all("img"))
    assert not dom.all("link") and not re.search(r"url\(|@import|https?://", source)
    assert all(a["href"].startswith("#") for a in dom.all("a"))


def test_policy_allows_the_one_script_and_sheet_by_hash(tmp_path: Path) -> None:
    _, _, dom = preview(tmp_path, paper([question("1")]))
    policy = next(m["content"] for m in dom.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert len(dom.all("script")) == len(dom.all("style")) == 1
    assert f"script-src {sha(''.join(dom.raw['script']))};" in policy
    assert f"style-src {sha(''.join(dom.raw['style']))};" in policy
    assert not any("style" in attributes for _, attributes in dom.elements)


def test_boxes_and_questions_point_at_each_other(tmp_path: Path) -> None:
    figure = Figure(id="f1", file="figures/p001-f1.png", page=2, bbox=(10, 10, 110, 60))
    draw(tmp_path / "papers/demo/figures/p001-f1.png", (100, 50))
    crossing = question(
        "2",
        regions=[Region(page=1, bbox=(80, 800, 400, 990)), Region(page=2, bbox=(80, 50, 400, 150))],
        figures=[figure],
        stem="看 ![](figures/p001-f1.png)",
    )
    _, source, dom = preview(tmp_path, paper([question("1"), crossing], [page(1), page(2)]))
    ids = [a["id"] for _, a in dom.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in dom.all("a")} <= set(ids)
    regions = dom.all("a", "region")
    assert [(r["data-q"], r["href"]) for r in regions] == [("1", "#q1"), ("2", "#q2"), ("2", "#q2")]
    assert [n["href"] for n in dom.all("a", "number")] == ["#b1-1", "#b2-1"]
    assert len(dom.all("a", "figure")) == 1 and dom.all("a", "figure")[0]["data-q"] == "2"
    assert "#b1-1{left:10.000%;top:10.000%;width:40.000%;height:10.000%}" in source
    assert "also on p. 2" in dom.text


def test_question_is_typeset_with_everything_it_holds(tmp_path: Path) -> None:
    full = question(
        "7",
        type="open_ended",
        stem="设 $x^2=1$，则 ____",
        parts=[Part(label="(1)", text="求 $x$", points=4, answer=["$\\pm1$"], parts=[Part(label="①", text="内层")])],
        answer=["见上"],
        solution="因为 $x^2=1$\n\n<table><tr><td>甲</td></tr></table>",
        tags=["代数"],
    )
    _, _, dom = preview(tmp_path, paper([full]))
    for text in ("选择题", "Open-ended", "5 pts", "4 pts", "(1)", "①", "内层", "见上", "甲", "代数", "95 %"):
        assert text in dom.text
    assert len(dom.all("math")) == 4 and len(dom.all("msup")) == 2
    assert dom.all("span", "blank") and dom.all("details", "solution") and dom.all("td")


@pytest.mark.parametrize(
    ("texts", "columns"),
    [
        (["1", "2", "3", "4"], 4),
        (["一二三四五", "2", "3", "4"], 4),
        (["一二三四五六七八", "2", "3", "4"], 2),
        (["一二三四五六七八九十一二三四五", "2", "3", "4"], 1),
        (["a", "b", "c"], 1),
        (["![](figures/a.png)", "b", "c", "d"], 2),
        (["a\nb", "b", "c", "d"], 1),
        ([], 1),
    ],
)
def test_options_lie_as_their_length_allows(texts: list[str], columns: int) -> None:
    assert option_columns([Option(label=chr(65 + i), text=t) for i, t in enumerate(texts)]) == columns


def test_printed_answer_marks_its_options(tmp_path: Path) -> None:
    options = [Option(label=label, text=label.lower()) for label in "ABCD"]
    several = question("1", type="multi_select", options=options, answer=["AC"])
    _, _, dom = preview(tmp_path, paper([several, question("2", options=options, answer=["B"])]))
    assert ["key" in li.get("class", "") for li in dom.all("li")].count(True) == 3


def test_option_figures_and_figures_without_a_place_are_shown(tmp_path: Path) -> None:
    for name in ("a", "b"):
        draw(tmp_path / f"papers/demo/figures/{name}.png", (120, 80), name)
    figures = [
        Figure(id=name, file=f"figures/{name}.png", page=1, bbox=(1, 1, 50, 50), caption=f"图 {name}")
        for name in ("a", "b")
    ]
    chosen = question("1", figures=figures, options=[Option(label="A", text="", figure="a")])
    _, _, dom = preview(tmp_path, paper([chosen]))
    shown = [image.get("title") for image in dom.all("img")]
    assert shown.count("figures/a.png") == 1 and shown.count("figures/b.png") == 1
    assert "图 a" in dom.text and "图 b" in dom.text


def test_issues_stand_where_they_are(tmp_path: Path) -> None:
    doubtful = question(
        "3",
        confidence=0.5,
        evidence={"options": Evidence(confidence=0.5), "stem": Evidence(confidence=0.9)},
        issues=[Issue(code="options.incomplete", severity="error", message="only A $x$", page=1, bbox=(1, 1, 9, 9))],
    )
    record = paper(
        [question("1"), doubtful],
        coverage=Coverage(
            sections=[
                SectionCoverage(
                    section="选择题",
                    expected=["1", "2", "3"],
                    found=["1", "3"],
                    gaps=["2"],
                    points_stated=15,
                    points_summed=10,
                )
            ],
            residual_ink={"1": 0.034},
        ),
        issues=[
            Issue(code="number.gap", severity="error", message="2 is missing"),
            Issue(code="page.residual_ink", message="ink", page=1, bbox=(100, 100, 200, 200)),
        ],
    )
    _, source, dom = preview(tmp_path, record)
    overview, _, rest = source.partition('<main id="questions"')
    assert "2 is missing" in overview and "2 errors" in overview and "1 warning" in overview
    assert "2 found, 3 expected" in overview and "1 missing" in overview and "10 of 15 pts" in overview
    assert '<span title="not found">2</span>' in overview
    assert "page.residual_ink" in rest and "options.incomplete" in rest and "3.4 % ink unexplained" in dom.text
    assert len(dom.all("a", "issue")) == 2 and len(dom.all("a", "error")) == 1
    assert "Low confidence 50 % · options" in dom.text
    assert len(dom.all("article", "doubtful")) == 1


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_in_every_field_stays_text(tmp_path: Path, attack: str) -> None:
    _, source, dom = preview(tmp_path, hostile(attack))
    assert not dom.crossed and not dom.stack
    assert len(dom.all("script")) == len(dom.all("style")) == 1
    assert len(dom.all("img")) == 1 and not dom.all("svg")
    for _, attributes in dom.elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    assert not any(c in source for c in "\u202e\x1b\x07\x00")
    assert "49" not in dom.text  # no template inside the text is evaluated


def hostile(text: str) -> Paper:
    """A paper that holds `text` wherever text can stand."""
    everywhere = question(
        text[:40],
        id=text,
        section=text,
        stem=text,
        options=[Option(label=text, text=text, figure=text)],
        parts=[Part(label=text, text=text, answer=[text], solution=text)],
        answer=[text],
        solution=text,
        tags=[text],
        figures=[Figure(id=text, file=text, page=1, bbox=(0, 0, 10, 10), placement=text, caption=text)],
        evidence={text: Evidence(raw=text, confidence=0.1)},
        confidence=0.1,
        issues=[Issue(code=text, message=text, field=text, page=1, bbox=(0, 0, 10, 10))],
    )
    return paper(
        [everywhere],
        title=text,
        subject=text,
        language=text,
        level=text,
        source=Source(file=text, sha256=text, bytes=1, pages=1, kind="photo"),
        coverage=Coverage(sections=[SectionCoverage(section=text, expected=[text], found=[], gaps=[text])]),
        issues=[Issue(code=text, message=text), Issue(code=text, message=text, page=1)],
        produced_by={text: text},
        resources=[{"id": text, "type": "passage", "page": 1, "bbox": (0, 0, 1, 1), "text": text}],
    )


def test_sections_of_one_name_keep_their_own_questions() -> None:
    numbers = [("选择题", "1"), ("选择题", "2"), ("解答题", "3"), ("选择题", "1"), (None, "9")]
    record = paper([question(number, section=section) for section, number in numbers])
    for section, expected in (("选择题", ["1", "2"]), ("解答题", ["3"]), ("选择题", ["1"])):
        record.coverage.sections.append(SectionCoverage(section=section, expected=expected, found=expected))
    views = [question_view(i, q, Pictures(Path(), 1), {1}) for i, q in enumerate(record.questions, 1)]
    rows = section_views(record, views)
    assert [[n.question for n in row.numbers] for row in rows] == [[1, 2], [3], [4], [5]]
    assert [(row.name, row.found, row.expected) for row in rows[2:]] == [("选择题", 1, 1), ("", 1, None)]


def test_missing_and_bad_pictures_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "papers" / "demo"
    (folder / "pages").mkdir(parents=True)
    (folder / "pages" / "x2.png").write_bytes(b"no image")
    (tmp_path / "secret.png").write_bytes(b"secret")
    pages = [
        Page(number=1, image="pages/x1.png", width=10, height=10, dpi=100, kind="scanned"),
        Page(number=2, image="pages/x2.png", width=0, height=0, dpi=100, kind="scanned"),
        Page(number=3, image=None, width=0, height=0, dpi=0, kind="blank"),
    ]
    names = ["figures/gone.png", "../../secret.png", "/etc/passwd", "a\x00b.png", "x" * 290]
    lost = question(
        "1", stem=" ".join(f"![]({name})" for name in names), options=[Option(label="A", text="", figure="f9")]
    )
    _, _, dom = preview(tmp_path, paper([lost], pages))
    assert not dom.all("img") and len(dom.all("figure", "missing")) == len(names) + 1
    for text in ("pages/x1.png", "not a PNG", "Page 3 cannot be shown", "figures/gone.png", "outside the paper"):
        assert text in dom.text
    assert str(tmp_path) not in dom.text


def test_questions_without_a_known_page_are_shown(tmp_path: Path) -> None:
    nowhere = question("1", regions=[])
    beyond = question("2", regions=[Region(page=9, bbox=(float("nan"), 0, 1, 1))])
    _, _, dom = preview(tmp_path, paper([nowhere, beyond]))
    assert len(dom.all("article")) == 2 and "Without a place on a page" in dom.text
    ids = {a["id"] for _, a in dom.elements if "id" in a}
    assert {a["href"][1:] for a in dom.all("a")} <= ids


def test_empty_paper_and_bad_id(tmp_path: Path) -> None:
    _, _, dom = preview(tmp_path, paper([], [], title=None, language=None))
    assert "demo.pdf" in dom.text
    with pytest.raises(WorkspaceError):
        write_preview(Workspace(tmp_path), paper([], id="../x"))


def test_long_papers_embed_smaller_pages(tmp_path: Path) -> None:
    scales = [page_scale(n) for n in (4, 40, 100, 200, 2000)]
    assert scales[0].width == 1300 and not scales[0].reduced and scales[-1].reduced
    assert all(a.width >= b.width and a.quality >= b.quality for a, b in pairwise(scales))
    pages = [page(n, 400, 560) for n in range(1, 21)]
    _, _, dom = preview(tmp_path, paper([], pages))
    assert "This paper has 20 pages" in dom.text and "1150 pixels" in dom.text
    _, _, short = preview(tmp_path, paper([], pages[:3]))
    assert "This paper has" not in short.text


def test_pictures_scale_down_only_and_keep_a_budget(tmp_path: Path) -> None:
    draw(tmp_path / "a.png", (2400, 1200))
    draw(tmp_path / "b.png", (90, 40))
    Image.new("RGBA", (40, 40), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    pictures = Pictures(tmp_path, 1)
    big, small = pictures.figure("a.png"), pictures.figure("b.png")
    assert isinstance(big, Picture) and (big.width, big.height) == (900, 450)
    assert isinstance(small, Picture) and (small.width, small.height) == (90, 40)
    clear = pictures.figure("clear.png")
    assert isinstance(clear, Picture)
    data = tmp_path / "back.webp"
    data.write_bytes(base64.b64decode(clear.uri.partition(",")[2]))
    with Image.open(data) as image:
        assert image.convert("L").getextrema()[0] > 250  # nothing of the transparent picture turned black
    pictures.figure_bytes = FIGURE_BUDGET
    assert isinstance(pictures.figure("b.png"), Missing) and pictures.missing


def browser() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def dump(path: Path, profile: Path, fragment: str = "") -> str:
    """The document as the browser holds it after loading."""
    command = [
        *(browser() or "", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
        *("--disable-quic", "--disable-background-networking", "--disable-component-update"),
        *(f"--user-data-dir={profile}", "--dump-dom", path.as_uri() + fragment),
    ]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="needs Chromium or Chrome on PATH")
def test_browser_runs_nothing_hostile_and_sets_formulas(tmp_path: Path) -> None:
    path, _, _ = preview(tmp_path, hostile("\n".join(ATTACKS)))
    shown = dump(path, tmp_path / "profile", "#q1")
    title = re.search(r"<title>(.*?)</title>", shown, re.DOTALL)
    assert title and title[1] != "owned" and "&lt;script&gt;" in title[1]
    dom = Dom(shown)
    assert len(dom.all("math")) > 3 and len(dom.all("msup")) > 3 and len(dom.all("script")) == 1
    assert not [a for _, a in dom.elements if any(name.startswith("on") for name in a)]
    assert dom.all("html", "js")  # the one script of the preview did run


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="needs Chromium or Chrome on PATH")
def test_browser_highlights_both_ways(tmp_path: Path) -> None:
    _, source, _ = preview(tmp_path, paper([question("1"), question("2")]))
    act = """<script>
      var seen = [], hot = function () {
        return Array.from(document.querySelectorAll(".hot")).map(function (n) { return n.id || "chip"; }).join("+"); };
      var over = function (id) { document.getElementById(id).dispatchEvent(new Event("mouseover", {bubbles: true})); };
      over("b1-1"); seen.push(hot());
      over("q2"); seen.push(hot());
      over("top"); seen.push(hot() || "none");
      document.querySelector("#q1 a.number").click(); seen.push(hot(), document.activeElement.id);
      document.dispatchEvent(new KeyboardEvent("keydown", {key: "j"})); seen.push(hot());
      document.body.setAttribute("data-seen", seen.join(" "));
    </script>"""
    open_policy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", source)
    trial = tmp_path / "trial.html"
    trial.write_text(open_policy.replace("</body>", act + "</body>"), encoding="utf-8")
    body = Dom(dump(trial, tmp_path / "profile")).all("body")[0]
    assert body["data-seen"] == "chip+b1-1+q1 chip+b2-1+q2 none chip+b1-1+q1 b1-1 chip+b2-1+q2"


def test_filter_is_offered_when_it_can_help(tmp_path: Path) -> None:
    sure, doubtful = question("1"), question("2", confidence=0.5)
    for questions, offered in (([sure, doubtful], True), ([sure, sure], False), ([doubtful, doubtful], False)):
        _, source, _ = preview(tmp_path, paper(questions))
        assert ("Only the 1 of 2 questions with doubts" in source) == offered


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="needs Chromium or Chrome on PATH")
def test_browser_filters_questions_with_doubts(tmp_path: Path) -> None:
    pages = [page(1), page(2)]
    calm = question("3", regions=[Region(page=2, bbox=(80, 100, 400, 200))])
    _, source, _ = preview(tmp_path, paper([question("1"), question("2", confidence=0.5), calm], pages))
    act = """<script>
      var seen = [], only = document.getElementById("only"), shown = function () {
        return Array.from(document.querySelectorAll(".question, .row")).filter(function (n) {
          return n.getClientRects().length > 0; }).map(function (n) { return n.id; }).join("+"); };
      only.click(); seen.push(shown());
      document.dispatchEvent(new KeyboardEvent("keydown", {key: "j"}));
      seen.push(document.querySelector(".question.hot").id);
      document.querySelector(".numbers a[href='#q3']").click(); seen.push(shown(), only.checked);
      document.body.setAttribute("data-seen", seen.join(" "));
    </script>"""
    open_policy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", source)
    trial = tmp_path / "trial.html"
    trial.write_text(open_policy.replace("</body>", act + "</body>"), encoding="utf-8")
    body = Dom(dump(trial, tmp_path / "profile")).all("body")[0]
    assert body["data-seen"] == "page-1+q2 q2 page-1+q1+q2+page-2+q3 false"
