"""The one Box class: units, set operations, transforms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wholepage.boxes import Box

coordinate = st.floats(-5_000, 5_000, allow_nan=False, allow_infinity=False)
boxes = st.tuples(coordinate, coordinate, coordinate, coordinate).map(Box.of)


def test_corners_the_wrong_way_round() -> None:
    assert Box.of((10, 40, 0, 20)) == Box(0, 20, 10, 40)
    with pytest.raises(ValueError, match="x0 <= x1"):
        Box(10, 0, 0, 5)


def test_no_hull_of_nothing() -> None:
    with pytest.raises(ValueError, match="no boxes"):
        Box.hull([])


@pytest.mark.parametrize(
    ("a", "b", "common", "iou"),
    [
        (Box(0, 0, 10, 10), Box(5, 5, 15, 15), Box(5, 5, 10, 10), 25 / 175),
        (Box(0, 0, 10, 10), Box(0, 0, 10, 10), Box(0, 0, 10, 10), 1.0),
        (Box(0, 0, 10, 10), Box(10, 0, 20, 10), None, 0.0),
        (Box(0, 0, 10, 10), Box(2, 2, 4, 4), Box(2, 2, 4, 4), 4 / 100),
        (Box(3, 3, 3, 3), Box(3, 3, 3, 3), None, 0.0),
    ],
)
def test_intersection_and_iou(a: Box, b: Box, common: Box | None, iou: float) -> None:
    assert a.intersection(b) == common
    assert b.intersection(a) == common
    assert a.iou(b) == pytest.approx(iou)


def test_covered_by_of_a_point_is_whether_it_lies_inside() -> None:
    assert Box(5, 5, 5, 5).covered_by(Box(0, 0, 10, 10)) == 1.0
    assert Box(50, 5, 50, 5).covered_by(Box(0, 0, 10, 10)) == 0.0


def test_extents() -> None:
    a, b = Box(0, 0, 10, 20), Box(8, 30, 12, 40)
    assert (a.x_overlap(b), a.y_overlap(b)) == (2, 0)
    assert (a.width, a.height, a.area, a.cx, a.cy) == (10, 20, 200, 5, 10)
    assert a.union(b) == Box(0, 0, 12, 40)


def test_one_inch() -> None:
    assert Box(0, 0, 200, 400).to_points(200) == Box(0, 0, 72, 144)
    assert Box(0, 0, 72, 144).from_points(200) == Box(0, 0, 200, 400)
    assert Box(100, 100, 200, 400).to_grid(1000, 2000) == Box(100, 50, 200, 200)


def test_clip_of_a_box_outside_lies_on_the_edge() -> None:
    assert Box(120, -30, 150, -10).clip(100, 100) == Box(100, 0, 100, 0)


def test_grow_negative_never_turns_inside_out() -> None:
    shrunk = Box(0, 0, 10, 10).grow(-8)
    assert shrunk.width >= 0
    assert shrunk.height >= 0


def test_as_list_is_rounded() -> None:
    assert Box(0.123, 1.26, 2.0, 3.99).as_list() == [0.1, 1.3, 2.0, 4.0]


def test_through_a_quarter_turn() -> None:
    clockwise = [[0, -1, 100], [1, 0, 0], [0, 0, 1]]  # of an image 100 high
    assert Box(10, 20, 30, 60).through(clockwise) == Box(40, 10, 80, 30)


def test_through_a_homography_holds_all_corners() -> None:
    matrix = np.array([[1.1, 0.05, 3], [0.02, 0.95, -2], [1e-4, 2e-4, 1]])
    box = Box(10, 20, 300, 400)
    mapped = box.through(matrix)
    for x, y in ((10, 20), (300, 20), (300, 400), (10, 400)):
        u, v, w = matrix @ np.array([x, y, 1.0])
        assert mapped.grow(1e-6).holds(u / w, v / w)


@given(boxes, boxes)
def test_set_laws(a: Box, b: Box) -> None:
    union = a.union(b)
    assert a.intersection(union) in (a, None)  # None: a box without area
    assert 0 <= a.iou(b) <= 1 + 1e-9
    assert a.iou(b) == pytest.approx(b.iou(a))
    assert a.overlap(b) <= min(a.area, b.area) * (1 + 1e-9) + 1e-9
    assert union.area >= max(a.area, b.area)


@given(boxes, st.floats(30, 1200))
def test_points_and_back(box: Box, dpi: float) -> None:
    back = box.to_points(dpi).from_points(dpi)
    assert all(
        math.isclose(p, q, rel_tol=1e-9, abs_tol=1e-6) for p, q in zip(box.as_list(9), back.as_list(9), strict=True)
    )


@given(boxes, st.integers(1, 10_000), st.integers(1, 10_000))
def test_grid_and_back(box: Box, width: int, height: int) -> None:
    back = box.to_grid(width, height).from_grid(width, height)
    assert all(
        math.isclose(p, q, rel_tol=1e-9, abs_tol=1e-6) for p, q in zip(box.as_list(9), back.as_list(9), strict=True)
    )
