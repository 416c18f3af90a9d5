"""Slope of a page from its ink."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from layout.skew import skew_of


def lines_of_print(degrees: float) -> NDArray[np.uint8]:
    """A page of dark dashes in rows, turned clockwise in image coordinates."""
    page = np.zeros((900, 1200), np.uint8)
    for y in range(100, 800, 40):
        for x in range(100, 1100, 24):
            page[y : y + 18, x : x + 14] = 255
    turn = cv2.getRotationMatrix2D((600, 450), -degrees, 1.0)
    return np.asarray(cv2.warpAffine(page, turn, (1200, 900)), np.uint8)


def box_of_line(degrees: float) -> NDArray[np.float64]:
    rise = 800 * np.tan(np.radians(degrees))
    return np.array([[200, 300], [1000, 300 + rise], [1000, 320 + rise], [200, 320]], dtype=np.float64)


@pytest.mark.parametrize("degrees", [-0.6, -0.15, 0.0, 0.45])
def test_slope_is_the_inks_where_the_detected_box_is_level(degrees: float) -> None:
    assert skew_of([box_of_line(0.0)], lines_of_print(degrees)) == pytest.approx(degrees, abs=0.05)


def test_guess_stands_where_the_ink_agrees() -> None:
    assert skew_of([box_of_line(0.41)], lines_of_print(0.45)) == pytest.approx(0.41, abs=1e-6)


def test_page_without_long_lines_is_level() -> None:
    assert skew_of([], lines_of_print(0.5)) == 0.0
