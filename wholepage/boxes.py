"""One box class for every room: pixels of the stored page image, page points, and the 0–1000 grid.

A `Box` carries no unit of its own. By convention every box in the program is in pixels of the stored page image,
origin top left, unless a name says otherwise (`..._pt`, `..._grid`); the conversions below are the only places
where units change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

POINTS_PER_INCH = 72.0
GRID = 1000.0


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned rectangle [x0, x1] × [y0, y1], y growing downwards.

    Raises:
        ValueError: if x1 < x0 or y1 < y0.
    """

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        if self.x1 < self.x0 or self.y1 < self.y0:
            raise ValueError(f"a box needs x0 <= x1 and y0 <= y1, got {self.as_list()}")

    @classmethod
    def of(cls, values: Iterable[float]) -> Box:
        """Box from any four numbers in the order x0, y0, x1, y1; corners given the wrong way round are swapped."""
        x0, y0, x1, y1 = (float(v) for v in values)
        return cls(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    @classmethod
    def hull(cls, boxes: Iterable[Box]) -> Box:
        """Smallest box that holds all `boxes`. Raises ValueError when there is none."""
        items = list(boxes)
        if not items:
            raise ValueError("the hull of no boxes is undefined")
        return cls(
            min(b.x0 for b in items),
            min(b.y0 for b in items),
            max(b.x1 for b in items),
            max(b.y1 for b in items),
        )

    @property
    def width(self) -> float:
        """Horizontal extent."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Vertical extent."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Width times height."""
        return self.width * self.height

    @property
    def cx(self) -> float:
        """Horizontal centre."""
        return (self.x0 + self.x1) / 2

    @property
    def cy(self) -> float:
        """Vertical centre."""
        return (self.y0 + self.y1) / 2

    def as_list(self, digits: int = 1) -> list[float]:
        """[x0, y0, x1, y1] rounded for JSON."""
        return [round(v, digits) for v in (self.x0, self.y0, self.x1, self.y1)]

    def union(self, other: Box) -> Box:
        """Smallest box that holds both."""
        return Box.hull((self, other))

    def intersection(self, other: Box) -> Box | None:
        """The common part, or None when the boxes do not overlap."""
        x0, y0 = max(self.x0, other.x0), max(self.y0, other.y0)
        x1, y1 = min(self.x1, other.x1), min(self.y1, other.y1)
        return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None

    def overlap(self, other: Box) -> float:
        """Area in common."""
        common = self.intersection(other)
        return common.area if common else 0.0

    def iou(self, other: Box) -> float:
        """Intersection over union, 0–1."""
        common = self.overlap(other)
        total = self.area + other.area - common
        return common / total if total > 0 else 0.0

    def covered_by(self, other: Box) -> float:
        """Share of this box's area that lies in `other`, 0–1."""
        return self.overlap(other) / self.area if self.area > 0 else float(other.holds(self.cx, self.cy))

    def holds(self, x: float, y: float) -> bool:
        """Whether the point lies in the box, edges included."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def x_overlap(self, other: Box) -> float:
        """Length of the common horizontal extent, 0 when there is none."""
        return max(0.0, min(self.x1, other.x1) - max(self.x0, other.x0))

    def y_overlap(self, other: Box) -> float:
        """Length of the common vertical extent, 0 when there is none."""
        return max(0.0, min(self.y1, other.y1) - max(self.y0, other.y0))

    def grow(self, dx: float, dy: float | None = None) -> Box:
        """Box with `dx` added left and right and `dy` (default `dx`) above and below; negative values shrink."""
        dy = dx if dy is None else dy
        return Box.of((self.x0 - dx, self.y0 - dy, self.x1 + dx, self.y1 + dy))

    def shift(self, dx: float, dy: float) -> Box:
        """The box moved by (dx, dy)."""
        return Box(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    def scale(self, fx: float, fy: float | None = None) -> Box:
        """Coordinates multiplied by `fx` and `fy` (default `fx`)."""
        fy = fx if fy is None else fy
        return Box.of((self.x0 * fx, self.y0 * fy, self.x1 * fx, self.y1 * fy))

    def clip(self, width: float, height: float) -> Box:
        """The part inside a page of `width` × `height`; a box wholly outside collapses onto the edge."""
        x0, x1 = (min(max(v, 0.0), width) for v in (self.x0, self.x1))
        y0, y1 = (min(max(v, 0.0), height) for v in (self.y0, self.y1))
        return Box(x0, y0, x1, y1)

    def to_points(self, dpi: float) -> Box:
        """Pixels at `dpi` → PDF points (1/72 inch)."""
        return self.scale(POINTS_PER_INCH / dpi)

    def from_points(self, dpi: float) -> Box:
        """PDF points → pixels at `dpi`."""
        return self.scale(dpi / POINTS_PER_INCH)

    def to_grid(self, width: float, height: float) -> Box:
        """Pixels of a page of `width` × `height` → the 0–1000 grid that vision models use."""
        return self.scale(GRID / width, GRID / height)

    def from_grid(self, width: float, height: float) -> Box:
        """0–1000 grid → pixels of a page of `width` × `height`."""
        return self.scale(width / GRID, height / GRID)

    def through(self, matrix: NDArray[np.float64] | Sequence[Sequence[float]]) -> Box:
        """Hull of the box's corners mapped through a 3×3 homography (page transform)."""
        m = np.asarray(matrix, dtype=np.float64)
        corners = np.array(
            [[self.x0, self.x1, self.x1, self.x0], [self.y0, self.y0, self.y1, self.y1], [1.0, 1.0, 1.0, 1.0]]
        )
        x, y, w = m @ corners
        x, y = x / w, y / w
        return Box(float(x.min()), float(y.min()), float(x.max()), float(y.max()))
