"""Single characters told from their ink alone, by a small network that was trained on glyphs of many fonts.

`samples/glyphs` draws the glyphs and trains the network; the model that ships beside this module names its labels.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from layout.formulas.glyph_pictures import SIDE, Picture
from layout.ocr import session

MODEL = Path(__file__).with_name("glyphs.onnx")
LABELS_KEY = "labels"  # of the model's metadata: a JSON list; "" is what is no single character
BATCH = 256


class GlyphReader:
    """The network of `path`: `labels` are K characters, "" for what is none of them."""

    def __init__(self, path: Path = MODEL) -> None:
        self._session = session(path, 1)
        self.labels: tuple[str, ...] = tuple(json.loads(self._session.get_modelmeta().custom_metadata_map[LABELS_KEY]))
        self._input = self._session.get_inputs()[0].name

    def read(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """N×K probabilities of the labels for N pictures (`glyph_pictures.picture_of`)."""
        out = [np.zeros((0, len(self.labels)), np.float32)]
        for start in range(0, len(pictures), BATCH):
            batch = np.stack(pictures[start : start + BATCH]).reshape(-1, 1, SIDE, SIDE)
            scores = self._session.run(None, {self._input: batch})[0]
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            out.append((scores / scores.sum(axis=1, keepdims=True)).astype(np.float32))
        return np.concatenate(out)


@lru_cache(1)
def glyph_reader() -> GlyphReader:
    """The reader that ships with the package, loaded once a process."""
    return GlyphReader()
