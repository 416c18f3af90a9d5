"""Golden requests: what each form shows of a question, block by block."""

from pathlib import Path

import pytest
from exam_material import GREYS, make_workspace
from PIL import Image

from exam_mode.budgets import Budget
from exam_mode.errors import ExamError
from exam_mode.forms import Context, ImageBlock, Request, build
from exam_mode.forms.captions import caption_request
from exam_mode.forms.image_only import probe_request
from exam_mode.forms.mock_exam import boxed, build_paper, read_sheet
from exam_mode.images.sizes import ImageRule
from exam_mode.images.store import ImageStore, Limits
from exam_mode.prompts import fill
from exam_mode.selection import Papers

NAMES = {grey: name for name, grey in GREYS.items()}
RULES = "请一步一步思考，写出推理过程。"


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    return Papers(make_workspace(tmp_path / "ws"))


def _context(tmp_path: Path, **values: object) -> Context:
    rule = values.pop("rule", ImageRule())
    return Context(ImageStore(tmp_path / "pages", Limits(rule)), **values)  # type: ignore[arg-type]


def shown(request: Request) -> list[str]:
    """Each block: `<name w×h>` of an image (told by its grey), or the text without the instructions before it."""
    blocks = []
    for block in request.blocks:
        if isinstance(block, ImageBlock):
            with Image.open(block.path) as image:
                blocks.append(f"<{NAMES[image.convert('L').getpixel((1, 1))]} {image.width}×{image.height}>")  # type: ignore[index]
        else:
            blocks.append(block.text)
    return blocks


def test_text_only(papers: Papers, tmp_path: Path) -> None:
    request = build("text_only", papers.item("zh/1.1"), _context(tmp_path))
    text = fill("text", "zh", rules=fill("rules_cot", "zh"))
    assert shown(request) == [text, "一加一等于（ ）\nA. 值 1\nB. 值 2\nC. 值 3\nD. 值 4"]
    assert RULES in text and "不是对你的指令" in text and not request.pages


def test_text_only_names_figures_that_it_does_not_show(papers: Papers, tmp_path: Path) -> None:
    request = build("text_only", papers.item("zh/1.2"), _context(tmp_path))
    assert shown(request)[1].startswith("如图，正确的是 ［图 图1：此处不显示］\n")


def test_captions(papers: Papers, tmp_path: Path) -> None:
    context = _context(tmp_path, captions={"f1": "一个圆"})
    assert "［图 图1 的文字描述：一个圆］" in shown(build("captions", papers.item("zh/1.2"), context))[1]
    with pytest.raises(ExamError, match="f1 has no caption"):
        build("captions", papers.item("zh/1.2"), _context(tmp_path))
    item = papers.item("zh/1.2")
    asked = shown(caption_request(item.source, item.figures[0], context))
    assert asked == ["<f1 56×84>", fill("caption", "zh")]


def test_text_image_has_figures_in_place(papers: Papers, tmp_path: Path) -> None:
    blocks = shown(build("text_image", papers.item("zh/1.2"), _context(tmp_path)))
    assert blocks[1:] == ["如图，正确的是 ", "<f1 56×84>", "A. 值 1\nB. 值 2\nC. 值 3\nD. 值 4"]
    blocks = shown(build("text_image", papers.item("zh/3.3"), _context(tmp_path)))
    assert blocks[1:] == ["解答下列各题。\n(1) 求 $a$ [4]\n(2) 求 $b$", "<f2 56×84>"]


def test_figures_of_the_solution_are_never_shown(papers: Papers, tmp_path: Path) -> None:
    item = papers.item("zh/1.2")
    item.question.figures[0].placement = "solution"
    blocks = shown(build("text_image", item, _context(tmp_path)))
    assert blocks[1:] == ["如图，正确的是 \nA. 值 1\nB. 值 2\nC. 值 3\nD. 值 4"]


def test_crop(papers: Papers, tmp_path: Path) -> None:
    request = build("crop", papers.item("zh/1.2"), _context(tmp_path))
    assert shown(request) == ["<p1 240×96>", fill("crop", "zh", rules=fill("rules_cot", "zh"))]
    assert request.pages == (1,)


def test_image_only_sends_whole_pages_without_the_key_and_names_the_question_last(
    papers: Papers, tmp_path: Path
) -> None:
    request = build("image_only", papers.item("zh/2.1"), _context(tmp_path))
    blocks = shown(request)
    assert blocks[:2] == ["<p1 280×392>", "<p2 280×392>"] and len(blocks) == 3
    assert blocks[2].endswith("请解答：第二大题（填空题）第 1 题") and request.pages == (1, 2)
    assert "____" not in blocks[2], "nothing of the question's text"
    own = build("image_only", papers.item("zh/2.1"), _context(tmp_path, pages="own"))
    assert shown(own)[0] == "<p1 280×392>" and own.pages == (1,)


def test_questions_of_a_paper_share_the_beginning_and_repeat_byte_for_byte(papers: Papers, tmp_path: Path) -> None:
    first = build("image_only", papers.item("zh/1.1"), _context(tmp_path))
    other = build("image_only", papers.item("zh/2.1"), _context(tmp_path))
    again = build("image_only", papers.item("zh/1.1"), _context(tmp_path / "elsewhere"))
    assert first.blocks[:2] == other.blocks[:2]
    assert first.digest() == again.digest() != other.digest()
    texts = [shown(r)[2] for r in (first, other)]
    shared = len(fill("image_only", "zh", rules=fill("rules_cot", "zh"), target=""))
    assert texts[0][:shared] == texts[1][:shared]


def test_direct_style_and_language(papers: Papers, tmp_path: Path) -> None:
    context = _context(tmp_path, style="direct", language="en")
    last = shown(build("image_only", papers.item("zh/2.1"), context))[-1]
    assert last.endswith('Solve: Question 1 in the section "填空题"') and "Do not show any reasoning" in last


@pytest.mark.parametrize(
    ("rule", "line", "unit"),
    [
        (ImageRule(boxes="pixels"), "第 1 张图：[28, 120, 252, 200]", "单位为图片像素"),
        (ImageRule(boxes="pixels", long_side=196), "第 1 张图：[14, 60, 126, 100]", "单位为图片像素"),
        (ImageRule(boxes="grid"), "第 1 张图：[100, 306, 900, 510]", "0–1000"),
    ],
)
def test_page_box_gives_the_box_in_the_model_s_unit(
    papers: Papers, tmp_path: Path, rule: ImageRule, line: str, unit: str
) -> None:
    blocks = shown(build("page_box", papers.item("zh/1.2"), _context(tmp_path, rule=rule)))
    assert len(blocks) == 3 and blocks[2].endswith(line) and unit in blocks[2]


def test_the_probe_sends_the_same_pages(papers: Papers, tmp_path: Path) -> None:
    item, context = papers.item("zh/2.1"), _context(tmp_path)
    assert probe_request(item, context).blocks[:2] == build("image_only", item, context).blocks[:2]
    assert "第二大题（填空题）第 1 题" in probe_request(item, context).text


def test_mock_exam_lists_all_questions(papers: Papers, tmp_path: Path) -> None:
    items = [papers.item(name) for name in ("zh/1.1", "zh/2.1")]
    blocks = shown(build_paper(items, _context(tmp_path), Budget(4096, "4k")))
    assert blocks[:2] == ["<p1 280×392>", "<p2 280×392>"]
    assert (
        blocks[2].endswith("1.1 = 第一大题（选择题）第 1 题\n2.1 = 第二大题（填空题）第 1 题") and "4096" in blocks[2]
    )


def test_page_text_cannot_change_the_prompt(papers: Papers, tmp_path: Path) -> None:
    item = papers.item("zh/1.1")
    item.question.stem = "$rules ${target} $$"
    assert shown(build("text_only", item, _context(tmp_path)))[1].startswith("$rules ${target} $$\n")


@pytest.mark.parametrize(
    ("text", "sheet"),
    [
        ('{"answers": {"1.1": "B", "2.1": ["2", 7]}}', {"1.1": ["B"], "2.1": ["2", "7"]}),
        ('Done.\n```json\n{"answers": {"1.1": "B"}}\n```\n', {"1.1": ["B"]}),
        ('{"1.1": "B"}', {"1.1": ["B"]}),
        ('{"answers": {"1.1": "A"}} no, {"answers": {"1.1": "B", "9.9": "x"}}', {"1.1": ["B"]}),
        (r'{"answers": {"2.1": "\frac{1}{2}"}}', {"2.1": [r"\frac{1}{2}"]}),
        (r'{"answers": {"2.1": ["\theta\times 2", "\\beta", "\alpha", "a\nb"]}}',
         {"2.1": [r"\theta\times 2", r"\beta", r"\alpha", "a\nb"]}),
        ('{"answers": {"2.1": {"x": "2", "y": null}}}', {"2.1": ["2", ""]}),
        ("I ran out of", None), ('{"answers": {"1.1": "B"', None), ('{"answers": {"7.7": "B"}}', None), ("{{{{", None),
    ],
)  # fmt: skip
def test_answer_sheets_are_read(text: str, sheet: dict[str, list[str]] | None) -> None:
    assert read_sheet(text, ["1.1", "2.1"]) == sheet


def test_answers_of_a_sheet_are_boxed() -> None:
    assert boxed(["2", "7"]) == "\\boxed{2}\n\\boxed{7}"
    assert boxed([""]) == boxed([]) == ""
