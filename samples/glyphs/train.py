"""Trains the reader of single glyphs that ships with `layout`: `python -m samples.glyphs.train`.

Needs `pip install 'wholepage[glyphs]'` and fonts: the more designs are at hand, the better (Debian: fonts-texgyre-math,
fonts-lmodern, fonts-oflb-asana-math, fonts-urw-base35, fonts-liberation, fonts-dejavu-extra, fonts-noto-cjk; KaTeX).
Prints how many glyphs of the families that were held out, or of fresh drawings of all, are told right.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layout.formulas.glyph_pictures import SIDE
from layout.formulas.glyph_reader import LABELS_KEY, MODEL
from samples.glyphs.classes import LABELS
from samples.glyphs.dataset import Glyphs, draw_glyphs, joined
from wholepage.errors import MissingExtraError

BATCH, RATE, DECAY, SMOOTHING = 256, 4e-3, 1e-2, 0.02
BENT = 0.04  # standard deviation of the affine change of a picture each time it is shown


def _network(torch: Any) -> Any:
    nn = torch.nn

    def block(inner: int, outer: int, kernel: int = 3, stride: int = 1) -> Any:
        convolution = nn.Conv2d(inner, outer, kernel, stride, kernel // 2, bias=False)
        return nn.Sequential(convolution, nn.BatchNorm2d(outer), nn.ReLU())

    side = SIDE // 8
    return nn.Sequential(
        *(block(1, 16, 5, 2), block(16, 32), nn.MaxPool2d(2), block(32, 64), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Dropout(0.1), nn.Linear(64 * side * side, 160), nn.ReLU(), nn.Dropout(0.1), nn.Linear(160, len(LABELS))),
    )


def train(glyphs: Glyphs, epochs: int, seed: int = 0) -> Any:
    """A network (torch module) fitted to `glyphs`: N×1×SIDE×SIDE pictures to N×len(LABELS) scores.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    torch = _torch()
    torch.manual_seed(seed)
    net = _network(torch)
    optimizer = torch.optim.AdamW(net.parameters(), RATE / 2, weight_decay=DECAY)
    pictures, labels = torch.from_numpy(glyphs.pictures), torch.from_numpy(glyphs.labels)
    rounds = max(len(labels) // BATCH, 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=epochs * rounds + 1)
    loss = torch.nn.CrossEntropyLoss(label_smoothing=SMOOTHING)
    for _ in range(epochs):
        net.train()
        order = torch.randperm(len(labels))
        for start in range(0, rounds * BATCH, BATCH):
            rows = order[start : start + BATCH]
            error = loss(net(_bent(torch, pictures[rows].float()[:, None] / 255)), labels[rows])
            optimizer.zero_grad()
            error.backward()
            optimizer.step()
            schedule.step()
    net.eval()
    return net


def _bent(torch: Any, batch: Any) -> Any:
    change = torch.eye(2, 3).repeat(len(batch), 1, 1) + BENT * torch.randn(len(batch), 2, 3)
    grid = torch.nn.functional.affine_grid(change, batch.shape, align_corners=False)
    return torch.nn.functional.grid_sample(batch, grid, align_corners=False)


def scores(net: Any, glyphs: Glyphs) -> NDArray[np.float32]:
    """N×len(LABELS) scores of the network for each picture."""
    torch = _torch()
    out = []
    with torch.no_grad():
        for start in range(0, len(glyphs.labels), BATCH):
            batch = torch.from_numpy(glyphs.pictures[start : start + BATCH]).float()[:, None] / 255
            out.append(net(batch).numpy())
    return np.concatenate(out)


def write_model(net: Any, path: Path) -> None:
    """The network as ONNX, its labels in the metadata; written to a temporary name and renamed."""
    torch = _torch()
    import onnx

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / path.name
        torch.onnx.export(
            net, (torch.zeros(1, 1, SIDE, SIDE),), str(draft), dynamo=False, input_names=["pictures"],
            output_names=["scores"], dynamic_axes={"pictures": {0: "n"}, "scores": {0: "n"}},
        )  # fmt: skip
        model = onnx.load(str(draft))
        onnx.helper.set_model_props(model, {LABELS_KEY: json.dumps(LABELS, ensure_ascii=False)})
        onnx.save(model, str(draft))
        draft.replace(path)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError.for_extra("glyphs", "torch") from error
    return torch


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=500, help="pictures of each character")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", nargs="*", default=[], help="families that are not trained on but judged")
    parser.add_argument("--drawn", nargs="*", type=Path, default=[], help="drawings saved before, in place of new ones")
    parser.add_argument("--save", type=Path, help="where to save the drawings (.npz)")
    parser.add_argument("--out", type=Path, default=MODEL, help="where the model goes")
    options = parser.parse_args(arguments)
    glyphs = joined([Glyphs.load(p) for p in options.drawn]) or draw_glyphs(options.each, options.seed)
    if options.save:
        glyphs.save(options.save)
    net = train(glyphs.where(~np.isin(glyphs.families, options.held_out)), options.epochs, options.seed)
    fresh = draw_glyphs(max(options.each // 20, 5), options.seed + 1)
    judged = fresh.where(np.isin(fresh.families, options.held_out)) if options.held_out else fresh
    right = scores(net, judged).argmax(axis=1) == judged.labels
    print(f"{len(judged.labels)} glyphs of {', '.join(options.held_out) or 'all fonts'}: {right.mean():.4f} told right")
    write_model(net, options.out)


if __name__ == "__main__":
    main()
