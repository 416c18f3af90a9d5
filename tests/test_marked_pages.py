"""Pages that were written on or photographed: rings, ticks, grain, edges, and options whose letters are lost."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawing import DPI, PX, Sheet, page

from layout.figures import find_figures
from layout.ink import find_ink
from layout.lettering import Found
from layout.marks import figures_of, is_beside_footer, is_drawn_over
from layout.ocr import get_engine
from layout.page import PageInput, analyse_page
from layout.rulers import without_edge_strokes
from layout.segments import Segment, segment_of
from layout.types import Glyph
from parse_templates.parser import parse_paper
from wholepage.boxes import Box

EM = 30.0


def segment(text: str, x: float, y: float, step: float = 15.0) -> Segment:
    glyphs = [Glyph(c, Box(x + step * n, y, x + step * n + step - 2, y + EM), EM, "", 0.95) for n, c in enumerate(text)]
    return segment_of(glyphs, EM, 0.95, "ocr")


def found(*box: float) -> Found:
    return Found(Box.of(box), (), (), False)


def test_a_ring_round_a_number_and_strokes_across_lines_are_no_figures() -> None:
    lines = [
        segment("8.", 70, 40),
        segment("a line of text that goes on", 120, 40),
        segment("and another one here", 70, 90),
    ]
    assert is_drawn_over(found(40, 10, 115, 85), lines, EM)
    assert is_drawn_over(found(200, 50, 330, 110), lines, EM)  # over both lines
    assert not is_drawn_over(found(40, 130, 240, 300), lines, EM)  # below them
    assert not is_drawn_over(found(560, 20, 680, 140), lines, EM)  # beside them
    alone = [segment("8.", 70, 40)]
    assert not is_drawn_over(found(40, 10, 115, 85), alone, EM)  # a number in a drawing


def test_a_code_beside_the_footer_is_no_figure() -> None:
    lines = [segment("5 | Page P.T.O.", 200, 1960), segment("what the question asks for", 200, 1000)]
    assert is_beside_footer(found(900, 1930, 980, 2010), lines, 2200, EM)
    assert not is_beside_footer(found(900, 1500, 980, 1580), lines, 2200, EM)
    assert not is_beside_footer(found(900, 1700, 1200, 2010), lines, 2200, EM)


def test_a_page_with_a_ringed_number_keeps_the_number_and_is_flagged() -> None:
    drawn = Sheet(420, 300)
    drawn.lines(60, 60, ["8．下列关于光合作用的说法正确的是（　　）", "A．只在夜间进行　　　　B．需要二氧化碳"], 24)
    drawn.page.draw_oval((54, 44, 78, 68), width=1.2)
    layout = analyse_page(PageInput(1, drawn.image(), DPI), get_engine())
    assert not layout.figures
    assert next(x.text for x in layout.lines if x.role == "body").startswith("8")


def test_grain_and_what_shines_through_are_no_ink_in_a_photo() -> None:
    gray = np.full((600, 900), 200, np.uint8)
    for n, text in enumerate(["state the mass", "of the second block", "and its speed"]):
        cv2.putText(gray, text, (60, 80 + 80 * n), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 40, 3)
    print_only = int((find_ink(gray, DPI).mask > 0).sum())
    cv2.putText(gray, "from the back", (60, 400), cv2.FONT_HERSHEY_SIMPLEX, 1.0, 160, 3)
    gray[450:560:9, 60:800:9] = 165
    assert int((find_ink(gray, DPI).mask > 0).sum()) > 1.1 * print_only
    assert int((find_ink(gray, DPI, strong=True).mask > 0).sum()) == pytest.approx(print_only, rel=0.02)


def test_specks_join_no_figures() -> None:
    drawn = Sheet(420, 300)
    drawn.drawing(60, 60, 120, 120)
    drawn.drawing(260, 60, 320, 120)
    for x in range(122, 260, 4):
        drawn.page.draw_rect((x, 90, x + 1, 91), color=None, fill=(0, 0, 0))
    gray = np.asarray(cv2.cvtColor(drawn.image(), cv2.COLOR_RGB2GRAY), np.uint8)
    figures, _ = find_figures(find_ink(gray, DPI), [], [], [], 10.5 * PX)
    assert len(figures) == 2


def test_strokes_of_a_photos_edge_are_no_text() -> None:
    lines = [segment("|", 890, 40, 8.0), segment("the mass of a block|", 603, 90), segment("|x| is even", 300, 140)]
    kept = without_edge_strokes(lines, 900, EM)
    assert [s.text for s in kept] == ["the mass of a block", "|x| is even"]


STEM = "8．下列关于直升机的说法中，与题目所给的条件相符合而且正确的是（"
LOST = ((60.0, "B．电阻等于五"), (100.0, "最长的时间"), (100.0, "化学能的过程"))


def options_of(*rows: tuple[float, str]) -> tuple[list[str], list[str], set[str]]:
    """Labels and texts of the options of one question and the codes of its doubts."""
    (question,) = parse_paper([page([(60, STEM), *rows])], "zh_exam").questions
    return [o.label for o in question.options], [o.text for o in question.options], {i.code for i in question.issues}


def test_letters_that_were_ticked_through_follow_from_the_lines() -> None:
    labels, texts, codes = options_of(
        (100, "储存的电荷"), (60, "B．电阻等于五"), (100, "最长的时间"), (100, "化学能的过程")
    )
    assert labels == ["A", "B", "C", "D"]
    assert texts == ["储存的电荷", "电阻等于五", "最长的时间", "化学能的过程"]
    assert "options.inferred" in codes


@pytest.mark.parametrize("first", ["A储存的电荷", "$A$储存的电荷", "$A$ 储存的电荷"])
def test_a_letter_whose_dot_was_ticked_through_is_a_label(first: str) -> None:
    labels, texts, codes = options_of((60, first), *LOST)
    assert labels == ["A", "B", "C", "D"]
    assert texts[0] == "储存的电荷" and "options.inferred" in codes


def test_lines_that_go_on_or_stand_elsewhere_are_no_options_without_letters() -> None:
    full = "这一行一直写到了右边的边缘所以下一行是它的继续而不是别的选项吧"
    assert options_of((100, full), *LOST)[0] != list("ABCD")
    assert options_of((300, "储存的电荷"), *LOST)[0] != list("ABCD")


def test_a_lost_letter_stands_behind_the_wide_gap() -> None:
    labels, texts, codes = options_of((60, "A．甲\u2003\u2003\u2003乙"), (60, "C．丙\u2003\u2003\u2003D．丁"))
    assert labels == ["A", "B", "C", "D"]
    assert texts == ["甲", "乙", "丙", "丁"]
    assert "options.inferred" in codes


def test_options_with_all_their_letters_raise_no_doubt() -> None:
    labels, _, codes = options_of((60, "A．甲\u2003\u2003B．乙"), (60, "C．丙\u2003\u2003D．丁"))
    assert labels == ["A", "B", "C", "D"]
    assert "options.inferred" not in codes


def test_a_part_whose_opening_bracket_was_not_read_is_a_part() -> None:
    texts = ["7．一物块静止在水平面上，求：", "（1）物块受到的支持力；", "2）物块的质量；", "（3）物块的重力。"]
    (question,) = parse_paper([page(texts)], "zh_exam").questions
    assert [p.label for p in question.parts] == ["(1)", "(2)", "(3)"]
    alone = ["7．一物块静止在水平面上，下列说法：", "2）物块的质量是三千克；", "求物块的重力。"]
    (question,) = parse_paper([page(alone)], "zh_exam").questions
    assert question.parts == []


def test_the_lettering_of_figures_at_the_foot_counts_no_pages() -> None:
    """Four graphs as options stand low on the page, each with a 0 where its axes meet."""
    graphs = [found(x, 1900, x + 160, 2050) for x in (200, 500, 800, 1100)]
    lettered = [segment("0", x + 10, 1990) for x in (200, 500, 800, 1100)]
    kept, _, signs = figures_of(graphs, lettered, "scanned", (1654, 2200), EM)
    assert kept == graphs and not signs
