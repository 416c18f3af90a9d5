"""OCR engines behind one small interface; RapidOCR's models (PP-OCRv6 small, Apache-2.0) are the default.

The models run on onnxruntime directly rather than through `rapidocr.RapidOCR`, because the layout stage needs what
that wrapper hides: the position of every character, batches that are sorted by width, and the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wholepage.errors import MissingExtraError, WholepageError

Image = NDArray[np.uint8]

REC_HEIGHT = 48  # input height of the recogniser, px
REC_STRIDE = 8  # horizontal px of the input per time step
BATCH_PIXELS = 48 * 4800  # input px of one recogniser batch: bounds memory, keeps the cores busy


@dataclass(frozen=True, slots=True)
class Recognised:
    """Text of one line crop. `spans` are each character's start and end as shares (0–1) of the crop's width."""

    text: str
    confidence: float
    spans: tuple[tuple[float, float], ...] = ()
    char_confidence: tuple[float, ...] = ()


class OcrEngine(Protocol):
    """Detection and recognition; images are H×W×3 uint8, RGB."""

    name: str

    def detect(self, image: Image, scale: float) -> list[NDArray[np.float64]]:
        """Text line quadrilaterals, each 4×2 (clockwise from top left) in pixels of `image`.

        `scale` shrinks or enlarges the image for detection; the result is mapped back.
        """
        ...

    def recognise(self, crops: Sequence[Image]) -> list[Recognised]:
        """One result a crop, in order."""
        ...


class RapidOcrEngine:
    """PP-OCRv6 small detection and recognition from the rapidocr package, on onnxruntime."""

    name = "rapidocr/PP-OCRv6-small"

    def __init__(self, threads: int = 0) -> None:
        import rapidocr

        models = Path(rapidocr.__file__).parent / "models"
        self._det = session(models / "PP-OCRv6_det_small.onnx", threads)
        self._rec = session(models / "PP-OCRv6_rec_small.onnx", threads)
        self._charset = _charset(self._rec)
        self.version = f"rapidocr {_version('rapidocr')}, onnxruntime {_version('onnxruntime')}"

    def detect(self, image: Image, scale: float) -> list[NDArray[np.float64]]:
        """See `OcrEngine.detect`. Uses rapidocr's own DB post-processing."""
        import cv2
        from rapidocr.ch_ppocr_det.utils import DBPostProcess

        height, width = image.shape[:2]
        size = tuple(max(32, round(v * scale / 32) * 32) for v in (width, height))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        blob = (small[:, :, ::-1].astype(np.float32) / 127.5 - 1.0).transpose(2, 0, 1)[None]
        probability = self._det.run(None, {self._det.get_inputs()[0].name: np.ascontiguousarray(blob)})[0]
        post = DBPostProcess(thresh=0.3, box_thresh=0.4, max_candidates=3000, unclip_ratio=1.5, use_dilation=True)
        boxes, _ = post(probability, (height, width))
        return [np.asarray(box, dtype=np.float64).reshape(4, 2) for box in boxes]

    def recognise(self, crops: Sequence[Image]) -> list[Recognised]:
        """See `OcrEngine.recognise`. Crops are batched by similar width, so that little padding is computed."""
        results: list[Recognised] = [Recognised("", 0.0)] * len(crops)
        sized = [(_input_width(c), i) for i, c in enumerate(crops) if min(c.shape[:2]) >= 2]
        sized.sort()
        while sized:
            count = 1
            while count < len(sized) and (count + 1) * sized[count][0] * REC_HEIGHT <= BATCH_PIXELS:
                if sized[count][0] > 1.25 * sized[0][0] + 64:
                    break
                count += 1
            batch, sized = sized[:count], sized[count:]
            for (_, index), result in zip(batch, self._run_batch([crops[i] for _, i in batch]), strict=True):
                results[index] = result
        return results

    def _run_batch(self, crops: Sequence[Image]) -> list[Recognised]:
        import cv2

        widths = [_input_width(c) for c in crops]
        blob = np.zeros((len(crops), 3, REC_HEIGHT, max(widths)), dtype=np.float32)
        for row, (crop, width) in enumerate(zip(crops, widths, strict=True)):
            resized = cv2.resize(crop, (width, REC_HEIGHT), interpolation=cv2.INTER_LINEAR)
            blob[row, :, :, :width] = (resized[:, :, ::-1].astype(np.float32) / 127.5 - 1.0).transpose(2, 0, 1)
        output = self._rec.run(None, {self._rec.get_inputs()[0].name: blob})[0]
        steps = output.shape[1]
        return [
            _ctc_decode(output[row], self._charset, width / max(widths) * steps) for row, width in enumerate(widths)
        ]


def _input_width(crop: Image) -> int:
    height, width = crop.shape[:2]
    return int(min(max(round(width * REC_HEIGHT / height), 16), 4000))


def _ctc_decode(probabilities: NDArray[np.float32], charset: Sequence[str], steps: float) -> Recognised:
    """Greedy CTC decoding: `probabilities` is T×C with class 0 the blank; `steps` of the T carry the crop."""
    best = probabilities.argmax(axis=1)
    score = probabilities.max(axis=1)
    text: list[str] = []
    spans: list[tuple[float, float]] = []
    confidence: list[float] = []
    previous = 0
    for t, label in enumerate(best):
        if label and label != previous:
            text.append(charset[label])
            spans.append((t / steps, (t + 1) / steps))
            confidence.append(float(score[t]))
        elif label and spans:
            spans[-1] = (spans[-1][0], (t + 1) / steps)
            confidence[-1] = max(confidence[-1], float(score[t]))
        previous = int(label)
    mean = float(np.mean(confidence)) if confidence else 0.0
    clipped = tuple((min(a, 1.0), min(b, 1.0)) for a, b in spans)
    return Recognised("".join(text), mean, clipped, tuple(confidence))


def _charset(session: Any) -> list[str]:
    listed = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    return ["", *listed, " "]


def session(path: Path, threads: int) -> Any:
    """An onnxruntime session of the model at `path` on `threads` cores, 0 for all."""
    import onnxruntime

    if not path.exists():
        raise MissingExtraError(
            f"The OCR model {path.name} is not in the installed rapidocr package.",
            hint="Install the release that carries it: pip install 'rapidocr>=3.10,<4'",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # waiting threads leave the cores to others
    options.enable_cpu_mem_arena = False  # widths vary from batch to batch: an arena keeps every size ever used
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


ENGINES: dict[str, Callable[[int], OcrEngine]] = {"rapidocr": RapidOcrEngine}


@lru_cache(maxsize=4)
def get_engine(name: str = "rapidocr", threads: int = 0) -> OcrEngine:
    """The engine registered under `name`, loaded once a process. `threads` 0 means all cores.

    Raises:
        WholepageError: no engine has that name.
    """
    if name not in ENGINES:
        raise WholepageError(f"There is no OCR engine {name!r}.", hint=f"Choose one of: {', '.join(sorted(ENGINES))}.")
    return ENGINES[name](threads)
