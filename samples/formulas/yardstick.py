"""A yardstick to measure against: the package latex-ocr-junia, in an environment of its own, on cut-out formulas.

The package states no licence and needs PyTorch, so it is never a dependency: `make_environment` installs it when asked.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from wholepage.errors import WholepageError

PACKAGES = ("torch==2.13.0", "latex-ocr-junia==0.1.3")
INSTALL_LIMIT_S, READ_LIMIT_S = 1800, 3600
WORKER = """
import json, sys, time
from pathlib import Path
import torch
from latex_ocr_junia import predict
from latex_ocr_junia.data import load_and_preprocess_image
folder = Path(sys.argv[1])
tokenizer = predict.LatexTokenizer.load(predict.ASSETS_DIR / "tokenizer.json")
config = predict.load_model_config(predict.ASSETS_DIR / "model_config.json")
model = predict.build_model(config)
predict.load_checkpoint(model, predict.ASSETS_DIR / "best.pt", device=torch.device("cpu"))
model.eval()
texts, spent = [], 0.0
with torch.no_grad():
    for file in sorted(folder.glob("*.png")):
        start = time.perf_counter()
        image = load_and_preprocess_image(file, config.image_height, config.image_width, channels=1)
        ids = model.generate(images=image.unsqueeze(0), bos_token_id=tokenizer.bos_id, eos_token_id=tokenizer.eos_id,
            max_length=config.max_length, beam_size=3, length_penalty=0.6, no_repeat_ngram_size=0)
        texts.append(tokenizer.decode(ids[0].numpy()))
        spent += time.perf_counter() - start
(folder / "out.json").write_text(json.dumps({"texts": texts, "seconds": spent}), encoding="utf-8")
"""
_BODY = r"\s*\\begin\s*\{(?:array\}\s*\{[lcr ]*|matrix)\}(.*?)\\end\s*\{(?:array|matrix)\}\s*\\right\s*"
ARRAYS = tuple(  # what the yardstick writes for the environments of our canonical LaTeX
    (re.compile(rf"\\left\s*{left}{_BODY}{right}", re.DOTALL), name)
    for left, right, name in (
        (r"\\\{", r"\.", "cases"),
        (r"\(", r"\)", "pmatrix"),
        (r"\[", r"\]", "bmatrix"),
        (r"\|", r"\|", "vmatrix"),
    )
)


class YardstickError(WholepageError):
    """The yardstick could not be installed or run."""

    default_code = "samples.yardstick"


def make_environment(folder: Path) -> Path:
    """The Python of the yardstick's environment in `folder`; made and filled at the first call."""
    python = folder / "bin" / "python"
    if not python.is_file():
        _run([sys.executable, "-m", "venv", str(folder)], INSTALL_LIMIT_S)
    known = subprocess.run([str(python), "-c", "import latex_ocr_junia"], capture_output=True, check=False)
    if known.returncode:
        _run([str(python), "-m", "pip", "install", "-q", *PACKAGES], INSTALL_LIMIT_S)
    return python


def read_with_yardstick(images: Sequence[NDArray[np.uint8]], folder: Path) -> tuple[list[str], float]:
    """LaTeX of each RGB image, and the seconds that one takes with the model loaded.

    Raises:
        YardstickError: it cannot be installed in `folder`, or fails.
    """
    python = make_environment(folder)
    with tempfile.TemporaryDirectory(prefix="wholepage-yardstick-") as name:
        for number, image in enumerate(images):
            cv2.imwrite(f"{name}/{number:05d}.png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
        _run([str(python), "-c", WORKER, name], READ_LIMIT_S)
        out = json.loads((Path(name) / "out.json").read_text(encoding="utf-8"))
    return [as_canonical(text) for text in out["texts"]], float(out["seconds"]) / max(1, len(images))


def as_canonical(latex: str) -> str:
    r"""The yardstick's LaTeX with our order of scripts (`x_1^2`) and our environments, so that only meaning counts."""
    latex = re.sub(r"\\(?:begin|end)\s*\{equation\*?\}", "", latex)
    for pattern, name in ARRAYS:
        latex = pattern.sub(rf"\\begin{{{name}}}\1\\end{{{name}}}", latex)
    latex = re.sub(r"\\operatorname\s*\*?\s*\{([a-z ]+)\}", lambda m: "\\" + m.group(1).replace(" ", ""), latex)
    group = r"\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\s{}\\]"
    return re.sub(rf"\^\s*({group})\s*_\s*({group})", r"_\2^\1", latex)


def _run(command: list[str], limit_s: float) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["OMP_WAIT_POLICY"] = "PASSIVE"  # on a busy machine spinning threads make it a hundred times slower
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, env=environment, check=False)
    if done.returncode:
        hint = "Run it by hand; the package index must be reachable."
        raise YardstickError(f"{Path(command[0]).name} failed: {done.stderr[-600:]}", hint=hint)
