"""Coloured pens over print: kept out of the reading; what is printed in colour stays."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawing import DPI, Sheet

from layout.ocr import get_engine
from layout.page import PageInput, analyse_page
from layout.pen import without_pen

TEXTS = [f"{n}．下列说法中正确的是哪一项，请说明理由" for n in range(1, 9)]
RED, BLUE, GREEN = (214, 40, 44), (40, 70, 200), (30, 150, 60)
TINT = (255, 214, 150)


def printed() -> np.ndarray:  # type: ignore[type-arg]
    sheet = Sheet()
    sheet.lines(60, 100, TEXTS, step=40)
    return sheet.image()


def scrawl(image: np.ndarray, x: int, y: int, colour: tuple[int, int, int], seed: int, signs: int = 4) -> None:  # type: ignore[type-arg]
    """Uneven signs of a pen from (x, y) on."""
    random = np.random.default_rng(seed)
    for _ in range(signs):
        height = int(random.integers(24, 60))
        points = random.integers(0, height, (5, 2)) + np.array([x, y + int(random.integers(-18, 18))])
        cv2.polylines(image, [points.astype(np.int32)], False, colour, 4, cv2.LINE_AA)
        x += int(random.integers(35, 70))


@pytest.mark.parametrize("colour", [RED, BLUE, GREEN], ids=["red", "blue", "green"])
def test_marks_of_a_pen_are_taken_away_and_print_under_them_stays(colour: tuple[int, int, int]) -> None:
    clean = printed()
    marked = clean.copy()
    ink = clean.max(axis=2) < 128
    for n in range(4):
        scrawl(marked, 800, 300 + 180 * n, colour, n)
    below = ink.copy()
    y = 277  # a stroke right through the first line
    cv2.line(marked, (180, y), (700, y + 6), colour, 4, cv2.LINE_AA)
    marked[below] = clean[below]  # print shows through a pen's stroke
    penned = without_pen(marked, DPI)
    assert len(penned.marks) >= 5
    left = penned.image.max(axis=2) < 128
    assert (left & ~ink).sum() < 0.01 * ink.sum()
    assert (left & ink).sum() > 0.93 * ink.sum()


def test_a_highlight_goes_with_what_is_written_on_it() -> None:
    marked = printed()
    cv2.ellipse(marked, (900, 420), (70, 40), 0, 0, 360, TINT, -1)
    scrawl(marked, 860, 400, RED, 3, 2)
    scrawl(marked, 860, 800, RED, 4, 2)
    penned = without_pen(marked, DPI)
    assert penned.image[385:455, 835:965].min() > 200


def test_print_near_a_mark_that_took_a_little_of_its_colour_stays() -> None:
    marked = printed()
    scrawl(marked, 860, 400, RED, 3, 2)
    scrawl(marked, 860, 800, RED, 4, 2)
    cv2.line(marked, (850, 455), (950, 459), RED, 4, cv2.LINE_AA)
    cv2.circle(marked, (880, 480), 6, (214, 192, 196), 2, cv2.LINE_AA)  # a thin degree sign in a block of a JPEG
    penned = without_pen(marked, DPI)
    assert penned.marks
    assert (penned.image[472:489, 872:889].max(axis=2) < 225).sum() > 30


def test_text_printed_in_colour_stays() -> None:
    image = printed()
    coloured = np.where((image.max(axis=2) < 160)[..., None], np.uint8(RED), image)
    assert without_pen(coloured, DPI).marks == ()
    both = printed()
    rows = slice(560, 1200)  # half of the page in red
    both[rows] = np.where((both[rows].max(axis=2) < 160)[..., None], np.uint8(RED), both[rows])
    penned = without_pen(both, DPI)
    assert penned.marks == () and penned.image is both


def test_a_picture_in_colour_and_a_lamps_tint_are_no_pen() -> None:
    image = printed()
    y, x = np.mgrid[0:400, 0:400]
    image[1400:1800, 600:1000] = np.stack([200 + x // 8, 40 + y // 8, 60 + (x + y) // 16], axis=-1).astype(np.uint8)
    assert without_pen(image, DPI).marks == ()
    warm = (printed() * np.array([0.95, 0.8, 0.55])).astype(np.uint8)
    assert without_pen(warm, DPI).marks == ()


def test_a_page_with_handwriting_says_so_and_is_read_without_it() -> None:
    image = printed()
    for n in range(8):
        scrawl(image, 130 + 60 * n, 230 + 110 * n, RED, n, 2)
    for n, answer in enumerate("DCBA"):
        cv2.putText(image, answer, (120, 305 + 111 * n), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 1.6, RED, 4, cv2.LINE_AA)
    layout = analyse_page(PageInput(1, image, DPI), get_engine())
    (doubt,) = [d for d in layout.doubts if d.code == "page.handwriting"]
    assert doubt.box is not None and "Page 1" in doubt.message
    body = [line.text for line in layout.lines if line.role == "body"]
    assert [text[:2].replace(".", "．") for text in body] == [f"{n}．" for n in range(1, 9)]
