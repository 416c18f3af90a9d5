"""The frame in which a page is read: enlarged, turned and flattened; and the way back to the stored page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layout.curl import Curl
from wholepage.boxes import Box

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """Maps pixels of the frame that is read to those of the stored page.

    `back` is the 3×3 map of the turned page to the stored one, `curl` what was taken out of the turned page before
    it was read, None where nothing was.
    """

    back: Matrix
    curl: Curl | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the frame is the stored page itself."""
        return self.curl is None and bool(np.allclose(self.back, np.eye(3)))

    @property
    def scale(self) -> float:
        """Height of one pixel of the frame in pixels of the stored page."""
        return float(np.hypot(self.back[0, 1], self.back[1, 1]))

    def box(self, box: Box) -> Box:
        """Hull of the box on the stored page."""
        return self._curled(box).through(self.back)

    def slim(self, box: Box) -> Box:
        """The box on the stored page with its own height: the hull of a long level box is tall when turned back."""
        mapped = self.box(box)
        half = box.height * self.scale / 2
        return Box(mapped.x0, mapped.cy - half, mapped.x1, mapped.cy + half)

    def _curled(self, box: Box) -> Box:
        if self.curl is None:
            return box
        x = np.linspace(box.x0, box.x1, 9)
        top, foot = (y + self.curl.rise(x, np.full_like(x, y)) for y in (box.y0, box.y1))
        return Box(box.x0, float(top.min()), box.x1, float(foot.max()))
