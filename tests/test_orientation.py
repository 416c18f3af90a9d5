"""Quarter turns, skew, perspective and photographs, on pages that are drawn here and turned by known amounts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pymupdf
import pytest
from ingest_papers import EN_LINES, ZH_LINES, page_image

from ingest.anglenet import upside_down_scores
from ingest.orientation import (
    Verdict,
    estimate_perspective,
    estimate_skew,
    image_turn,
    looks_like_photo,
    text_turn,
    turn_image,
)
from layout.ocr import get_engine


@pytest.fixture(scope="module")
def zh() -> np.ndarray:
    return page_image(ZH_LINES)


@pytest.fixture(scope="module")
def en() -> np.ndarray:
    return page_image(EN_LINES)


def readability(crops: Sequence[np.ndarray]) -> list[float]:
    return [r.confidence for r in get_engine(threads=1).recognise(crops)]


def rotated(image: np.ndarray, degrees: float) -> np.ndarray:
    """Turned clockwise by `degrees` about its centre, white around it."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
    return cv2.warpAffine(image, matrix, (width, height), borderValue=(255, 255, 255))


# --- quarter turns


def test_turn_image_is_clockwise_and_undone_by_the_rest() -> None:
    image = np.zeros((4, 6, 3), np.uint8)
    image[0, 0] = 255
    assert turn_image(image, 1)[0, 3].tolist() == [255] * 3  # top left goes to top right
    assert turn_image(image, 1).shape == (6, 4, 3)
    assert (turn_image(turn_image(image, 1), 3) == image).all()
    assert turn_image(image, 4) is image


@pytest.mark.parametrize("turned", [0, 1, 2, 3])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_image_is_set_upright(language: str, turned: int, request: pytest.FixtureRequest) -> None:
    page = turn_image(request.getfixturevalue(language), turned)
    assert image_turn(page, readability) == Verdict(-turned % 4, True)


@pytest.mark.parametrize("turned", [0, 1, 2, 3])
def test_skew_does_not_hide_the_turn(zh: np.ndarray, turned: int) -> None:
    assert image_turn(turn_image(rotated(zh, 3.0), turned), readability).turn == -turned % 4


@pytest.mark.parametrize("turned", [1, 2])
def test_noise_and_shade_do_not_hide_the_turn(en: np.ndarray, turned: int) -> None:
    rng = np.random.default_rng(7)
    shade = np.linspace(0.55, 1.0, en.shape[1])[None, :, None]
    noisy = np.clip(en * shade + rng.normal(0, 8, en.shape), 0, 255).astype(np.uint8)
    assert image_turn(turn_image(noisy, turned), readability).turn == -turned % 4


def test_columns_do_not_look_like_turned_lines() -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for column in (40, 310):
            for row in range(30):
                text = ZH_LINES[row % len(ZH_LINES)][:18]
                page.insert_text((column, 60 + 25 * row), text, fontname="china-s", fontsize=12)
        pixmap = page.get_pixmap(dpi=150, alpha=False)
        image = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()
    assert image_turn(image, readability).turn == 0


def test_vertical_text_is_not_laid_down() -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=842, height=595)
        for column in range(16):
            for row, char in enumerate((ZH_LINES[1] + ZH_LINES[4])[:26]):
                page.insert_text((60 + 45 * column, 60 + 18 * row), char, fontname="china-s", fontsize=16)
        pixmap = page.get_pixmap(dpi=150, alpha=False)
        image = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()
    assert image_turn(image, readability).turn == 0


@pytest.mark.parametrize("kind", ["white", "noise", "circle"])
def test_without_text_a_page_stays_as_it_is(kind: str) -> None:
    image = np.full((800, 600, 3), 255, np.uint8)
    if kind == "noise":
        image = np.random.default_rng(3).integers(0, 255, image.shape, dtype=np.uint8)
    if kind == "circle":
        cv2.circle(image, (300, 400), 200, (0, 0, 0), 4)
    assert image_turn(image, lambda crops: [0.2] * len(crops)).turn == 0


def test_a_turn_needs_a_better_reading(zh: np.ndarray) -> None:
    assert image_turn(turn_image(zh, 2), lambda crops: [0.9] * len(crops)) == Verdict(0, False)
    assert image_turn(turn_image(zh, 1), lambda crops: [0.3] * len(crops)) == Verdict(0, False)


def test_angle_classifier_tells_heads_from_feet(zh: np.ndarray) -> None:
    line = cv2.cvtColor(zh[150:185, 120:420], cv2.COLOR_RGB2GRAY)
    upright, reversed_ = upside_down_scores([line, turn_image(line, 2)])
    assert upright < 0.2
    assert reversed_ > 0.8
    assert upside_down_scores([]) == []


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("lying", [0, 90, 180, 270])
def test_text_layer_tells_the_turn(tmp_path: Path, rotate: int, lying: int) -> None:
    path = tmp_path / "x.pdf"
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=600)
        for i, line in enumerate(EN_LINES):
            point = {0: (50, 80 + 20 * i), 90: (80 + 20 * i, 550), 180: (550, 80 + 20 * i), 270: (80 + 20 * i, 50)}
            page.insert_text(point[lying], line, fontsize=11, rotate=lying)
        page.set_rotation(rotate)
        document.save(path)
    with pymupdf.open(path) as document:
        verdict = text_turn(document[0])
        assert verdict is not None
        assert verdict.clear
        pixmap = document[0].get_pixmap(dpi=130, alpha=False)
        shown = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()
    upright = turn_image(shown, verdict.turn)
    assert image_turn(upright, readability).turn == 0  # the pixels agree
    assert verdict.turn == (lying - rotate) // 90 % 4


def test_too_little_or_slanted_text_gives_no_verdict() -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((50, 50), "Scanned with a phone", fontsize=8)
        assert text_turn(page) is None
        turn = pymupdf.Matrix(45)
        for i in range(8):
            page.insert_text((80, 120 + 60 * i), "watermark " * 4, morph=(pymupdf.Point(80, 120 + 60 * i), turn))
        assert text_turn(page) is None


def test_half_upright_half_lying_text_is_not_clear() -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=600)
        for i, line in enumerate(EN_LINES):
            page.insert_text((50, 80 + 15 * i), line)
            page.insert_text((300 + 20 * i, 550), line, rotate=90)
        assert text_turn(page) == Verdict(0, False)


# --- skew


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("degrees", [-4.6, -2.0, -0.5, -0.1, 0.0, 0.3, 1.2, 3.3, 4.8])
def test_skew_to_a_tenth_of_a_degree(language: str, degrees: float, request: pytest.FixtureRequest) -> None:
    page = rotated(request.getfixturevalue(language), degrees)
    assert estimate_skew(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)) == pytest.approx(degrees, abs=0.1)


def test_skew_of_nothing_is_zero() -> None:
    assert estimate_skew(np.full((600, 400), 255, np.uint8)) == 0.0


# --- photographs


def photo(page: np.ndarray, corners: Sequence[tuple[float, float]], ground: int = 60) -> np.ndarray:
    """The page laid into a darker picture of 1200 × 1500 with these corners, clockwise from top left."""
    height, width = page.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, np.array(corners, np.float32))
    picture = np.full((1500, 1200, 3), ground, np.uint8)
    cv2.warpPerspective(page, matrix, (1200, 1500), dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
    return picture


CORNERS = [(120.0, 90.0), (1090.0, 160.0), (1040.0, 1400.0), (170.0, 1330.0)]


def test_perspective_maps_the_corners_to_a_rectangle(zh: np.ndarray) -> None:
    matrix = estimate_perspective(photo(zh, CORNERS))
    assert matrix is not None
    points = cv2.perspectiveTransform(np.array([CORNERS]), matrix)[0]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
    width, height = x1 - x0, y3 - y0
    assert height / width == pytest.approx(1.35, abs=0.1)
    tolerance = 0.012 * height
    for value, want in ((x0, 0), (y0, 0), (y1, 0), (x3, 0), (x2, x1), (y2, y3)):
        assert value == pytest.approx(want, abs=tolerance)


@pytest.mark.parametrize("ground", [242, 250])
def test_no_perspective_without_contrast(zh: np.ndarray, ground: int) -> None:
    assert estimate_perspective(photo(zh, CORNERS, ground)) is None


def test_no_perspective_when_the_page_fills_the_picture(zh: np.ndarray) -> None:
    assert estimate_perspective(zh) is None


def test_no_perspective_for_a_small_or_round_thing() -> None:
    picture = np.full((1000, 800, 3), 50, np.uint8)
    cv2.circle(picture, (400, 500), 350, (250, 250, 250), -1)
    assert estimate_perspective(picture) is None
    small = np.full((1000, 800, 3), 50, np.uint8)
    small[100:300, 100:250] = 240
    assert estimate_perspective(small) is None


def test_photo_is_told_by_shade_and_by_exif(zh: np.ndarray) -> None:
    assert not looks_like_photo(zh)
    assert looks_like_photo(zh, camera=True)
    shade = np.linspace(0.6, 1.0, zh.shape[0])[:, None, None]
    assert looks_like_photo((zh * shade).astype(np.uint8))
    tint = np.array([1.0, 0.96, 0.85])
    assert looks_like_photo((zh * np.linspace(0.93, 1.0, zh.shape[1])[None, :, None] * tint).astype(np.uint8))


def test_scan_with_noise_and_a_dark_edge_is_no_photo(zh: np.ndarray) -> None:
    rng = np.random.default_rng(5)
    scan = np.clip(zh.astype(np.float64) * 0.96 + rng.normal(0, 6, zh.shape), 0, 255).astype(np.uint8)
    scan[:, -25:] = 40
    assert not looks_like_photo(scan)


def test_evenly_tinted_paper_is_no_photo(zh: np.ndarray) -> None:
    assert not looks_like_photo((zh * np.array([1.0, 0.97, 0.9])).astype(np.uint8))


def test_page_with_a_dark_picture_is_no_photo(zh: np.ndarray) -> None:
    page = zh.copy()
    page[700:900, 200:600] = 60
    assert not looks_like_photo(page)
