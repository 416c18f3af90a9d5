"""Which lettering and which drawings make one figure."""

from __future__ import annotations

import pytest

from layout.lettering import Found, absorb_labels, join_panels
from layout.segments import Segment
from layout.types import Glyph
from wholepage.boxes import Box

EM = 30.0


def text(content: str, x0: float, y0: float, x1: float, y1: float) -> Segment:
    """A line of `content` with its letters spread evenly over the box."""
    step = (x1 - x0) / len(content)
    glyphs = tuple(Glyph(c, Box(x0 + n * step, y0, x0 + (n + 1) * step, y1), EM, "") for n, c in enumerate(content))
    return Segment(glyphs, Box(x0, y0, x1, y1), EM, 0.5, "ocr")


def drawing(x0: float, x1: float, y0: float = 100.0, captions: tuple[int, ...] = (), picture: bool = False) -> Found:
    return Found(Box(x0, y0, x1, 200.0), (), captions, picture)


def test_panels_beside_each_other_are_one_figure() -> None:
    joined = join_panels([drawing(0, 140), drawing(180, 320)], [], EM)
    assert [f.box for f in joined] == [Box(0, 100, 320, 200)]


@pytest.mark.parametrize(
    ("other", "between"),
    [
        (drawing(220, 360), None),  # far apart
        (drawing(180, 320, y0=150.0), None),  # of another height
        (drawing(180, 320, captions=(0,)), None),
        (drawing(180, 320, picture=True), None),
        (drawing(180, 320), text("B.", 150, 140, 170, 160)),  # the mark of an option
        (drawing(180, 320), text("second", 90, 205, 200, 225)),  # a line below
    ],
)
def test_drawings_of_their_own_stay_apart(other: Found, between: Segment | None) -> None:
    assert len(join_panels([drawing(0, 140), other], [between] if between else [], EM)) == 2


def test_three_in_a_row_are_options() -> None:
    row = [drawing(0, 140), drawing(180, 320), drawing(360, 500)]
    assert join_panels(row, [], EM) == row


def test_sparse_lettering_belongs_to_its_drawing_and_running_text_does_not() -> None:
    box = Box(100, 100, 210, 170)
    sparse, line = text("per", 180, 115, 390, 140), text("letters in a row", 180, 115, 390, 140)
    assert absorb_labels(box, [sparse], EM, [])[0] == Box(100, 100, 390, 170)
    assert absorb_labels(box, [line], EM, [])[0] == box
