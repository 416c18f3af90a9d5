"""Images for models: sizes by each model's rule, legible text, tiles, the same bytes each time."""

from pathlib import Path

import pytest
from exam_material import draw_lines
from PIL import Image

from exam_mode.errors import ExamOptionError, ImageError
from exam_mode.images.legible import text_height
from exam_mode.images.sizes import ImageRule, fit, smart_resize
from exam_mode.images.store import ImageStore, Limits
from exam_mode.images.table import image_rule
from wholepage.boxes import Box

# Values of qwen_vl_utils.smart_resize 0.0.14: (height, width, factor, min_pixels, max_pixels) -> (height, width)
SMART = [
    ((2339, 1654, 28, 3136, 12845056), (2352, 1652)),
    ((2339, 1654, 32, 65536, 16777216), (2336, 1664)),
    ((2339, 1654, 28, 3136, 1003520), (1176, 840)),
    ((10, 10, 28, 3136, 12845056), (56, 56)),
    ((100, 1000, 32, 65536, 16777216), (96, 992)),
    ((3508, 4961, 28, 3136, 12845056), (2996, 4256)),
]


@pytest.mark.parametrize(("given", "expected"), SMART)
def test_smart_resize_follows_qwen(given: tuple[int, int, int, int, int], expected: tuple[int, int]) -> None:
    height, width, factor, least, most = given
    result = smart_resize(height, width, factor, least, most)
    assert result == expected
    assert result[0] % factor == result[1] % factor == 0 and least <= result[0] * result[1] <= most


def test_smart_resize_is_the_one_of_qwen_vl_utils() -> None:
    try:
        from qwen_vl_utils import vision_process as vision
    except (ImportError, RuntimeError) as error:  # RuntimeError: torch and torchvision do not fit together
        pytest.skip(f"qwen_vl_utils cannot be imported: {error}")
    for height, width in ((2339, 1654), (17, 3000), (4961, 3508), (300, 301)):
        for factor, least, most in ((28, 3136, 1003520), (32, 65536, 16777216)):
            theirs = vision.smart_resize(height, width, factor=factor, min_pixels=least, max_pixels=most)
            assert smart_resize(height, width, factor, least, most) == theirs


def test_impossible_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="200"):
        smart_resize(10, 2100)
    with pytest.raises(ValueError, match="no area"):
        ImageRule().size(0, 10)


def test_fit_never_enlarges() -> None:
    assert fit(100, 50, 2048, 768, None) == (100, 50)
    assert fit(1654, 2339, 1568, None, None) == (1108, 1568)
    assert fit(1654, 2339, 2048, 768, None) == (768, 1086)
    width, height = fit(4000, 3000, None, None, 1_000_000)
    assert width * height <= 1_000_000 and abs(width / height - 4 / 3) < 0.01


@pytest.mark.parametrize(
    ("model", "page", "tokens"),
    [
        ("openai-api/vllm/Qwen2.5-VL-7B-Instruct", (1652, 2352), 59 * 84),
        ("qwen-vl/Qwen/Qwen3-VL-8B-Instruct", (1664, 2336), 52 * 73),
        ("openai/gpt-4o", (768, 1086), 85 + 170 * 2 * 3),
        ("anthropic/claude-sonnet-4-5", (918, 1298), 1589),
    ],
)
def test_rules_of_known_models(model: str, page: tuple[int, int], tokens: int) -> None:
    rule = image_rule(model)
    assert rule.size(1654, 2339) == page
    assert rule.cost(*page) == tokens


def test_own_rules_come_first_and_bad_ones_are_named(tmp_path: Path) -> None:
    own = tmp_path / "rules.yaml"
    own.write_text('- {match: ["openai/*"], long_side: 500}\n', encoding="utf-8")
    assert image_rule("openai/gpt-4o", own).size(1000, 500) == (500, 250)
    assert image_rule("anthropic/claude-x", own).long_side == 1568
    own.write_text('- {match: ["x"], long_size: 5}\n', encoding="utf-8")
    with pytest.raises(ExamOptionError, match="long_size"):
        image_rule("x", own)
    with pytest.raises(ExamOptionError, match=r"none\.yaml"):
        image_rule("x", tmp_path / "none.yaml")


def _store(folder: Path, tile: bool = False, min_text: float = 10, **rule: object) -> ImageStore:
    return ImageStore(folder / "pages", Limits(ImageRule(**rule), min_text, tile))  # type: ignore[arg-type]


def test_the_same_page_gives_the_same_file_in_every_store(tmp_path: Path) -> None:
    page = tmp_path / "page.png"
    draw_lines(page, (1000, 1400), 30)
    first = _store(tmp_path / "a", long_side=800).page(tmp_path, 1, page)
    again = _store(tmp_path / "a", long_side=800).page(tmp_path, 1, page)
    other = _store(tmp_path / "b", long_side=800).page(tmp_path, 1, page)
    assert first == again and first[0].sha256 == other[0].sha256
    assert (first[0].width, first[0].height) == (571, 800) and first[0].path.name == f"{first[0].sha256[:16]}.png"
    with Image.open(first[0].path) as sent:
        assert sent.size == (571, 800)


def test_a_page_that_needs_no_change_is_sent_byte_for_byte(tmp_path: Path) -> None:
    page = tmp_path / "page.png"
    draw_lines(page, (1000, 1400), 30)
    sent = _store(tmp_path / "a").page(tmp_path, 1, page)[0]
    assert sent.path.read_bytes() == page.read_bytes()


def test_text_height_is_measured_on_the_page(tmp_path: Path) -> None:
    import numpy as np

    page = tmp_path / "page.png"
    draw_lines(page, (1000, 1400), 24)
    with Image.open(page) as image:
        pixels = np.asarray(image)
    assert text_height(tmp_path, 1, lambda: pixels) == pytest.approx(24, abs=1)
    assert text_height(tmp_path, 1, lambda: np.full((50, 50), 255, np.uint8)) is None


def test_text_that_would_be_too_small_is_an_error_or_tiles(tmp_path: Path) -> None:
    page = tmp_path / "page.png"
    draw_lines(page, (1000, 1400), 20)
    with pytest.raises(ImageError, match=r"20 px tall .* 5\.7 px") as error:
        _store(tmp_path / "a", long_side=400).page(tmp_path, 1, page)
    assert "--tile" in error.value.hint
    tiles = _store(tmp_path / "b", tile=True, long_side=400).page(tmp_path, 1, page)
    assert len(tiles) == 4 and [t.tile for t in tiles] == [(i, 4) for i in range(1, 5)]
    assert all(t.scale_y * 20 >= 10 and t.width <= 400 and t.height <= 400 for t in tiles)
    right = max(t.left + t.width / t.scale_x for t in tiles)
    bottom = max(t.top + t.height / t.scale_y for t in tiles)
    assert (round(right), round(bottom)) == (1000, 1400)


def test_crops_and_bad_images(tmp_path: Path) -> None:
    page = tmp_path / "page.png"
    Image.new("RGB", (300, 200), (10, 20, 30)).save(page)
    store = _store(tmp_path / "a")
    sent = store.page(tmp_path, 1, page, Box(280.5, -10, 900, 50))[0]
    assert (sent.width, sent.height) == (20, 50)
    page.write_bytes(b"no image")
    with pytest.raises(ImageError, match=r"page\.png"):
        store.page(tmp_path, 1, page)
    with pytest.raises(ImageError, match=r"none\.png"):
        store.figure(tmp_path / "none.png")
