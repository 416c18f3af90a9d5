"""What a PDF page draws: thin straight lines, and small drawings that may be signs of formulas."""

from __future__ import annotations

import numpy as np
import pymupdf
from numpy.typing import NDArray

from wholepage.boxes import Box

RULE_THICKNESS_PT = 2.5  # thicker bars are drawings, not rules
MIN_PATH_PT, MAX_PATH_PT = 1.0, 90.0  # heights of drawings that can be parts of formulas

Matrix = NDArray[np.float64]


def read_drawings(page: pymupdf.Page, matrix: Matrix, bounds: Box) -> tuple[tuple[Box, ...], tuple[Box, ...]]:
    """Thin straight lines, drawn as strokes or as filled bars, and the boxes of other small drawings."""
    rules: list[Box] = []
    paths: list[Box] = []
    for drawing in page.get_drawings():
        rect = drawing["rect"]
        # A small drawing with curves is a sign; the straight strokes in it are no rules.
        shaped = rect.height < MAX_PATH_PT and any(item[0] in ("c", "qu") for item in drawing["items"])
        for item in () if shaped else drawing["items"]:
            if item[0] == "l":
                box = Box.of((item[1].x, item[1].y, item[2].x, item[2].y))
            elif item[0] == "re":
                box = Box.of((item[1].x0, item[1].y0, item[1].x1, item[1].y1))
            else:
                shaped = True
                continue
            if min(box.width, box.height) <= RULE_THICKNESS_PT < max(box.width, box.height):
                mapped = box.through(matrix)
                if mapped.intersection(bounds.grow(1)) or bounds.holds(mapped.cx, mapped.cy):
                    rules.append(mapped.clip(bounds.x1, bounds.y1))
            else:
                shaped = True
        if shaped and MIN_PATH_PT < rect.height < MAX_PATH_PT:
            mapped = Box.of((rect.x0, rect.y0, rect.x1, rect.y1)).through(matrix)
            if mapped.intersection(bounds) is not None:
                paths.append(mapped.clip(bounds.x1, bounds.y1))
    return tuple(rules), tuple(paths)
