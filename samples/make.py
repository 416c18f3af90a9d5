"""Make the sample papers: `python -m samples.make [--out DIR] [--only NAME]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples import Sample, sample_dir
from samples.scans import SCAN_DPI, make_photo, make_scan
from samples.source import SOURCES, PaperSource, load_source, source_names
from samples.truth import build_truth
from samples.typeset import typeset
from wholepage.errors import WholepageError
from wholepage.workspace import write_bytes, write_json


def make_paper(paper: PaperSource, out: Path) -> Sample:
    """Write NAME.pdf, NAME.scan.pdf, NAME.photo-P.jpg and NAME.truth.json into `out`.

    Raises:
        FontMissingError: a Chinese paper without a Chinese font.
        MissingExtraError: the package typst is absent.
    """
    made = typeset(paper)
    truth = build_truth(paper, made)
    name = paper.name
    write_bytes(out / f"{name}.pdf", made.pdf)
    scan = make_scan(made.pdf, paper.seed)
    write_bytes(out / f"{name}.scan.pdf", scan.pdf)
    truth["scan"] = {
        "file": f"{name}.scan.pdf",
        "dpi": SCAN_DPI,
        "pages": [
            {"page": i + 1, "width": size[0], "height": size[1], "homography": _rows(matrix)}
            for i, (matrix, size) in enumerate(zip(scan.matrices, scan.sizes, strict=True))
        ],
    }
    truth["photos"] = [_photo(paper, made.pdf, page, out) for page in paper.photo_pages]
    write_json(out / f"{name}.truth.json", truth)
    photos = tuple(out / entry["file"] for entry in truth["photos"])
    return Sample(name, out / f"{name}.pdf", out / f"{name}.scan.pdf", photos, out / f"{name}.truth.json")


def _photo(paper: PaperSource, pdf: bytes, page: int, out: Path) -> dict[str, Any]:
    photo = make_photo(pdf, page, paper.seed * 100 + page)
    file = f"{paper.name}.photo-{page}.jpg"
    write_bytes(out / file, photo.jpeg)
    width, height = photo.size
    return {
        "file": file,
        "page": page,
        "width": width,
        "height": height,
        "homography": _rows(photo.matrix),
        "deviation_px": photo.deviation_px,
    }


def _rows(matrix: NDArray[np.float64]) -> list[list[float]]:
    return [[float(f"{v:.9g}") for v in row] for row in matrix]


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m samples.make", description=__doc__)
    parser.add_argument("--out", type=Path, default=sample_dir(), help="folder to write to (default: samples/papers)")
    parser.add_argument("--only", choices=source_names(), help="make this paper alone")
    args = parser.parse_args(argv)
    try:
        for name in [args.only] if args.only else source_names():
            sample = make_paper(load_source(SOURCES / f"{name}.yaml"), args.out)
            print(f"{name}: {sample.pdf}, scan, {len(sample.photos)} photo(s), truth")
    except WholepageError as error:
        print(f"Error: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
