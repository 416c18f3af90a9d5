"""Pictures of pages as people have them: small ones, squeezed ones, numbers on black plates, dotted dividers."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawing import DPI, PX, Sheet, body, page
from numpy.typing import NDArray

from layout.curl import POWERS, Curl
from layout.enlarge import growth
from layout.formulas.atoms import atom_of
from layout.formulas.latex import to_latex
from layout.formulas.limits import operators
from layout.formulas.pixels_align import Placed
from layout.formulas.pixels_plain import long_words
from layout.formulas.pixels_size import Level, place
from layout.formulas.pixels_words import boxes_of_words
from layout.formulas.tree import Row, Sym
from layout.frames import Frame
from layout.ocr import Recognised, get_engine
from layout.page import PageInput, analyse_page
from layout.plates import find_plates, without_plates
from layout.rulers import off_dotted_lines
from layout.scanned import straighten
from layout.segments import Segment, segment_of
from layout.types import Glyph
from parse_templates.parser import parse_paper
from wholepage.boxes import Box

EM = 30.0
WORDS = [
    "Name the gas that green plants give off by day and",
    "describe an experiment that shows it. State what you",
    "would see in the tube after one hour of bright light.",
]


def sheet_of_words(width: float = 420, height: float = 300) -> Sheet:
    drawn = Sheet(width, height)
    for n, text in enumerate([*WORDS, *WORDS]):
        drawn.page.insert_text((40, 60 + 22 * n), text, fontname="tiro", fontsize=10.5)
    return drawn


def shrunk(image: NDArray[np.uint8], across: float, down: float) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(image, None, fx=across, fy=down, interpolation=cv2.INTER_AREA), np.uint8)


def gray_of(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)


def test_a_small_picture_is_enlarged_and_its_boxes_are_those_of_the_picture() -> None:
    image = sheet_of_words().image()
    small = shrunk(image, 0.32, 0.32)
    across, down = growth(gray_of(small), DPI * 0.32)
    assert across == down > 2
    assert growth(gray_of(image), DPI) == (1.0, 1.0)
    layout = analyse_page(PageInput(1, small, DPI * 0.32), get_engine())
    assert (layout.width, layout.height) == (small.shape[1], small.shape[0])
    lines = body(layout)
    assert len(lines) == 6
    assert lines[0] == WORDS[0]
    first = layout.lines[0]
    assert first.box.iou(Box(40, 51, 262, 63).scale(0.32 * PX)) > 0.6
    assert 8 < first.glyphs[0].size < 14


def test_a_page_squeezed_into_a_square_is_stretched() -> None:
    image = sheet_of_words(420, 594).image()
    squeezed = shrunk(image, 640 / image.shape[1], 640 / image.shape[0])[:640, :640]
    across, down = growth(gray_of(squeezed), 640 / 5.8)
    assert down / across == pytest.approx(2**0.5)
    square = sheet_of_words(420, 420).image()
    across, down = growth(gray_of(square), DPI)
    assert down == across


def plate_page() -> tuple[NDArray[np.uint8], tuple[int, int, int, int]]:
    """A white number on a black field with a grey bar beside it, over a line of text."""
    image = np.full((400, 900, 3), 255, np.uint8)
    cv2.rectangle(image, (60, 60), (115, 98), (20, 20, 20), -1)
    cv2.rectangle(image, (116, 60), (700, 98), (210, 210, 210), -1)
    cv2.putText(image, "35", (70, 90), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (255, 255, 255), 2)
    cv2.putText(image, "What is the mass of the block", (70, 150), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
    return image, (60, 60, 116, 99)


def test_a_number_on_a_black_plate_is_read_and_the_bar_beside_it_is_no_blank() -> None:
    image, (x0, y0, x1, y1) = plate_page()
    (plate,) = find_plates(gray_of(image), EM)
    assert plate.box.iou(Box(x0, y0, x1, y1)) > 0.85
    assert plate.bar is not None
    assert plate.bar.x1 == pytest.approx(700, abs=4)
    layout = analyse_page(PageInput(1, image, DPI), get_engine())
    assert body(layout)[0] == "35"
    assert not layout.figures


def test_black_shapes_are_no_plates() -> None:
    image = np.full((400, 900, 3), 255, np.uint8)
    cv2.rectangle(image, (60, 60), (200, 98), (0, 0, 0), -1)  # a bar of a chart
    cv2.circle(image, (400, 100), 25, (0, 0, 0), -1)
    cv2.rectangle(image, (600, 60), (700, 98), (0, 0, 0), 2)  # a frame with a number
    cv2.putText(image, "35", (620, 90), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
    plates = find_plates(gray_of(image), EM)
    assert plates == []
    assert without_plates(image, plates) is image


def segment(text: str, x: float, y: float) -> Segment:
    glyphs = [Glyph(c, Box(x + 8 * i, y, x + 8 * i + 7, y + EM), EM, "", 0.9) for i, c in enumerate(text)]
    return segment_of(glyphs, EM, 0.9, "ocr")


def test_pieces_of_a_faint_dotted_divider_are_no_text() -> None:
    gray = np.full((900, 600), 255, np.uint8)
    for y in range(50, 850, 10):
        gray[y : y + 4, 300:304] = 235
    for y in range(60, 800, 60):
        gray[y : y + 20, 340:347] = 0  # a column of figures
    piece, number = segment("1", 298, 300), segment("1", 340, 300)
    assert off_dotted_lines([piece, number, segment("one", 298, 300)], gray, EM)[1:] == [segment("one", 298, 300)]
    assert off_dotted_lines([piece, number], gray, EM) == [number]


def test_a_sign_in_the_margin_is_no_figure() -> None:
    drawn = sheet_of_words(420, 594)
    drawn.drawing(300, 565, 330, 580)
    drawn.drawing(200, 250, 300, 350)
    drawn.text(312, 572, "NEXT", 6)
    layout = analyse_page(PageInput(1, drawn.image(), DPI), get_engine())
    (figure,) = layout.figures
    assert figure.box.iou(Box(200, 250, 300, 350).scale(PX)) > 0.8
    assert all("NEXT" not in text for text in body(layout))
    drawn.page.insert_text((40, 575), "B. is level with it", fontname="tiro", fontsize=10.5)
    assert len(analyse_page(PageInput(1, drawn.image(), DPI), get_engine()).figures) == 2


def test_a_frame_maps_boxes_back() -> None:
    frame = Frame(np.diag([0.5, 0.25, 1.0]))
    assert frame.box(Box(10, 20, 30, 60)) == Box(5, 5, 15, 15)
    assert frame.slim(Box(10, 20, 30, 60)) == Box(5, 5, 15, 15)
    assert not frame.is_stored
    assert Frame(np.eye(3)).is_stored


def placed(text: str, boxes: dict[int, Box] | None = None) -> list[Placed]:
    """Characters in a row on the line y = 130, each of the height that its form has in the font size."""
    out = []
    for n, char in enumerate(text):
        high = 0.68 if char.isdigit() or char in "thdb" else 0.44
        box = (boxes or {}).get(n, Box(20.0 * n, 130 - high * EM, 20.0 * n + 16, 130))
        out.append(Placed(char, 0.99, 20.0 * n + 8, None if char == " " else box))
    return out


def test_letters_of_a_common_word_are_no_scripts() -> None:
    main = Level(EM, 130.0)
    low = {2: Box(40, 128, 52, 136), 3: Box(60, 128, 72, 136)}  # the ink of letters that run into one another
    _, levels = place(placed(" the ", low), main)
    assert all(level is main for level in levels)
    _, levels = place(placed(" th1 ", {3: Box(60, 126, 68, 140)}), main)
    assert levels[3] is not main


def test_old_style_digits_are_no_scripts() -> None:
    main = Level(EM, 130.0)
    _, levels = place(placed("35", {1: Box(20, 116, 36, 116 + 0.68 * EM)}), main)
    assert levels[1] is main
    _, levels = place(placed("35", {1: Box(20, 125, 32, 125 + 0.48 * EM)}), main)
    assert levels[1] is not main


def test_letters_whose_ink_is_out_of_order_take_the_cells_they_were_seen_in() -> None:
    main = Level(EM, 130.0)
    glyphs = [Glyph(c, Box(20.0 * n, 105, 20.0 * n + 20, 130), EM) for n, c in enumerate("numeric")]
    good = placed("numeric")
    assert boxes_of_words(good, [main] * 7, main, glyphs) == {}
    torn = placed("numeric", {3: Box(90, 117, 100, 130), 4: Box(62, 117, 70, 130)})
    assert boxes_of_words(torn, [main] * 7, main, glyphs) == {n: g.box for n, g in enumerate(glyphs)}


def test_long_words_hold_no_fractions() -> None:
    text = "sin of vectors 3x"
    spans = tuple((n / len(text), (n + 1) / len(text)) for n in range(len(text)))
    read = Recognised(text, 0.99, spans, (0.99,) * len(text))
    (word,) = long_words(read, Box(0, 0, 170, 30))
    assert word == Box(70, 0, 140, 30)
    unsure = Recognised(text, 0.9, spans, (0.5,) * len(text))
    assert long_words(unsure, Box(0, 0, 170, 30)) == []


@pytest.mark.parametrize(("text", "found"), [("max", 1), ("maximum", 0), ("climax", 0), ("maxf", 1)])
def test_names_of_operators_inside_words_are_no_operators(text: str, found: int) -> None:
    atoms = [atom_of(Glyph(c, Box(16.0 * n, 110, 16.0 * n + 15, 130), EM, "", 0.9, 130.0)) for n, c in enumerate(text)]
    assert len(operators(atoms)) == found


def curled(image: NDArray[np.uint8], depth: float) -> NDArray[np.uint8]:
    """The page with its middle hanging down by `depth` px at the left and less to the right."""
    height, width = image.shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    sag = depth * np.sin(np.pi * x / width) * (1.2 - 0.5 * y / height)
    return np.asarray(
        cv2.remap(image, x, (y - sag).astype(np.float32), cv2.INTER_CUBIC, borderValue=(255,) * 3), np.uint8
    )


def test_a_curled_page_is_read_flat_and_its_boxes_are_those_of_the_stored_page() -> None:
    image = curled(sheet_of_words(420, 300).image(), 24.0)
    page = straighten(image, DPI, get_engine())
    assert page.frame.curl is not None
    layout = analyse_page(PageInput(1, image, DPI), get_engine())
    assert body(layout) == [*WORDS, *WORDS]
    first = layout.lines[0]
    assert first.box.y1 - first.box.y0 > 45  # the line hangs down by more than its height
    letters = [g for g in first.glyphs if not g.text.isspace()]
    middle = min(letters, key=lambda g: abs(g.box.cx - image.shape[1] / 2))
    assert middle.box.cy - letters[0].box.cy == pytest.approx(24.0 * 1.1 * (1 - np.sin(np.pi * 40 / 420)), abs=5)


def test_a_flat_page_stays_as_it_is() -> None:
    page = straighten(sheet_of_words().image(), DPI, get_engine())
    assert page.frame.is_stored


def test_two_surfaces_add_up() -> None:
    one, two = (Curl((w,) + (0.0,) * (len(POWERS) - 1), 100, 100) for w in (8.0, 2.0))
    x, y = np.array([0.0, 50.0, 100.0]), np.zeros(3)
    assert (one + two).rise(x, y) == pytest.approx([-5.0, 0.0, 5.0])


def test_a_radical_sign_without_a_line_stands_over_what_is_behind_it() -> None:
    def written(text: str) -> str:
        return to_latex(Row(tuple(Sym(c) for c in text)))

    assert written("4√26+1") == r"4\sqrt{26}+1"
    assert written("√x√3") == r"\sqrt{x}\sqrt{3}"
    assert written("√") == r"\surd"


def test_fractions_of_a_small_picture_are_read() -> None:
    sheet = sheet_of_words()
    sheet.page.draw_rect((30, 95, 400, 170), color=None, fill=(1, 1, 1))
    for x, top, foot in ((140, "x - 1", "3"), (200, "y - 2", "7")):
        sheet.page.insert_text((x, 120), top, fontname="tiit", fontsize=10.5)
        sheet.page.draw_line((x - 2, 125), (x + 26, 125), width=0.6)
        sheet.page.insert_text((x + 9, 137), foot, fontname="tiro", fontsize=10.5)
    for y in (123, 126.5):
        sheet.page.draw_line((179, y), (185, y), width=0.6)
    image = shrunk(sheet.image(), 0.34, 0.34)
    read = body(analyse_page(PageInput(1, image, DPI * 0.34), get_engine()))
    assert any(r"\frac{x-1}{3}=\frac{y-2}{7}" in text for text in read)


def test_a_centred_heading_with_its_marks_opens_a_section_and_states_what_each_question_is_worth() -> None:
    rows = [
        (900.0, "SECTION 2 (Maximum Marks: 24)"), (160.0, "Answer to each question is a number."),
        (160.0, "FullMarks\u2003: +3 If ONLY the correct number is entered."),
        (160.0, "Q.7 A block is at rest. Find its mass."), (160.0, "Q.8 A ball is thrown. Find its speed."),
    ]  # fmt: skip
    questions = parse_paper([page(rows)], "en_exam").questions
    assert [(q.number, q.section, q.points) for q in questions] == [("7", "Section 2", 3.0), ("8", "Section 2", 3.0)]
