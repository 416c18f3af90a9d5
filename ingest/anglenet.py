"""RapidOCR's angle classifier (PP-OCR mobile v2.0 cls, Apache-2.0): does a line of text stand on its head?

Run on onnxruntime directly, because rapidocr's own class brings its whole configuration with it. Input and output
as in `rapidocr.ch_ppocr_cls`: 3×48×192, values −1…1, padded with 0; two classes, 0° and 180°.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wholepage.errors import MissingExtraError

HEIGHT, WIDTH = 48, 192
MODEL = "ch_ppocr_mobile_v2.0_cls_mobile.onnx"


def upside_down_scores(crops: Sequence[NDArray[np.uint8]]) -> list[float]:
    """Probability (0–1) for each grey H×W line crop that it is turned by 180°."""
    if not crops:
        return []
    session = _session()
    batch = np.stack([_prepared(crop) for crop in crops])
    output = session.run(None, {session.get_inputs()[0].name: batch})[0]
    return [float(row[1]) for row in output]


def _prepared(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    import cv2

    width = int(min(WIDTH, max(1, np.ceil(HEIGHT * crop.shape[1] / crop.shape[0]))))
    resized = cv2.resize(crop, (width, HEIGHT), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    padded = np.zeros((3, HEIGHT, WIDTH), dtype=np.float32)
    padded[:, :, :width] = resized / 127.5 - 1.0
    return padded


@lru_cache(maxsize=1)
def _session() -> Any:
    import onnxruntime
    import rapidocr

    path = Path(rapidocr.__file__).parent / "models" / MODEL
    if not path.exists():
        raise MissingExtraError(
            f"The angle model {MODEL} is not in the installed rapidocr package.",
            hint="Install the release that carries it: pip install 'rapidocr>=3.10,<4'",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
