"""Tall brackets that a writer draws instead of typing them, told apart by the ink of their drawings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout.formulas.shapes import Shape, ShapeKind
from wholepage.boxes import Box

Ink = NDArray[np.bool_]
LEAST_EM, WIDEST_EM, BAR_EM = 1.5, 0.85, 0.16
PARTNERS: dict[ShapeKind, ShapeKind] = {"(": ")", "[": "]", "|": "|", ")": "(", "]": "["}
FURTHEST_EM = 24.0  # between a bracket and its partner


def drawn_brackets(paths: Sequence[Box], ink: Ink, em: float) -> list[Shape]:
    """Brackets among a page's small drawings; round and square ones and bars only in pairs of one height."""
    found = [Shape(kind, p) for p in paths if (kind := _kind(p, ink, em)) is not None]
    return [s for s in found if s.kind in ("{", "}") or any(_fits(s, o, em) for o in found)]


def _fits(shape: Shape, other: Shape, em: float) -> bool:
    same = abs(shape.box.y0 - other.box.y0) < 0.2 * em and abs(shape.box.y1 - other.box.y1) < 0.2 * em
    apart = abs(shape.box.cx - other.box.cx)
    return other.kind == PARTNERS[shape.kind] and same and 0.5 * em < apart < FURTHEST_EM * em


def _kind(path: Box, ink: Ink, em: float) -> ShapeKind | None:
    """Which bracket a drawing is, from where its stroke runs at the ends, at the quarters and in the middle."""
    if path.height < LEAST_EM * em or path.width > WIDEST_EM * em:
        return None
    area = ink[max(0, int(path.y0)) : int(path.y1) + 1, max(0, int(path.x0)) : int(path.x1) + 2]
    if not area.size or not area.any(axis=1).mean() > 0.95:
        return None
    return "|" if path.width < BAR_EM * em else bent_kind(area)


def bent_kind(area: Ink) -> ShapeKind | None:
    """Which bracket the ink is, from its crop (H×W); None for what is none."""
    width = area.shape[1]
    end, eighth, quarter, middle = (_stroke(area, at) / width for at in (0.02, 0.14, 0.27, 0.5))
    # A brace runs straight before its point, a round bracket bends all the way.
    straight = abs(eighth - quarter) < 0.5 * abs(quarter - middle) and abs(quarter - middle) > 0.08
    if abs(quarter - middle) > 0.25 or straight:
        return "{" if middle < quarter else "}"
    if abs(end - middle) < 0.12:
        return None
    curved = abs(eighth - middle) > 0.06
    if middle < end:
        return "(" if curved else "["
    return ")" if curved else "]"


def _stroke(area: Ink, at: float) -> float:
    """Mean x of the ink at a height, the share `at` from the top and from the bottom alike."""
    rows = max(1, round(0.015 * len(area)))
    y = round(at * (len(area) - 1))
    parts = (area[max(0, y - rows) : y + rows + 1], area[len(area) - 1 - y - rows : len(area) - y + rows])
    columns = np.concatenate([np.nonzero(part)[1] for part in parts])
    return float(columns.mean()) if columns.size else 0.0
