"""Accuracy of ingestion on the sample papers, measured against their truth.

usage: python benchmarks/accuracy.py [--workspace DIR] [--variant digital|scan|photo] [--only NAME] [--json OUT]
       python benchmarks/accuracy.py TRUTH.json PAPER.json [TRUTH.json PAPER.json ...]

Without pairs the samples are ingested with `wholepage ingest` into the workspace (default: a temporary one). A file
that yields no paper.json counts as nothing found, is marked FAILED, and makes the exit code 1.
Columns: found, type, points, text (mean similarity), options (labels exact, each text at least 0.9 similar) and
answers (exact) are shares of the true questions; extra is a count; figures is F1 at IoU 0.5, bound to the question.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samples import Sample, list_samples
from samples.measure import Counts, Variant, measure
from wholepage.workspace import content_id, sha256_file, write_json

COLUMNS = ("found", "extra", "type", "points", "text", "options", "answers", "figures")
LIMIT_S = 1800  # for one file


@dataclass(frozen=True)
class Row:
    """The counts of one file; `failed` when ingestion made no paper of it."""

    name: str
    counts: Counts
    failed: bool = False


def read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def ingest(file: Path, workspace: Path) -> dict[str, Any] | None:
    """The paper.json of `file`, or None when ingestion made none."""
    command = [sys.executable, "-m", "wholepage.cli", "ingest", str(file), "--workspace", str(workspace), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    paper = workspace / "papers" / content_id([sha256_file(file)]) / "paper.json"
    if not paper.is_file():
        print(f"{file.name}: no paper.json, exit code {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
        return None
    return read_json(paper)


def files_of(sample: Sample, truth: dict[str, Any], variant: Variant) -> Iterator[tuple[Path, int | None]]:
    """The files of one variant, with the page that a photo shows."""
    if variant == "digital":
        yield sample.pdf, None
    elif variant == "scan":
        yield sample.scan, None
    else:
        for photo in truth["photos"]:
            yield sample.truth.parent / photo["file"], int(photo["page"])


def measure_samples(samples: list[Sample], workspace: Path, variant: Variant) -> Iterator[Row]:
    empty: dict[str, Any] = {"questions": [], "pages": []}
    for sample in samples:
        truth = read_json(sample.truth)
        for file, photo_page in files_of(sample, truth, variant):
            paper = ingest(file, workspace)
            yield Row(file.name, measure(truth, paper or empty, variant, photo_page), paper is None)


def show(rows: list[Row]) -> None:
    print(f"{'':34s} {'n':>4s} " + " ".join(f"{c:>8s}" for c in COLUMNS))
    for row in [*rows, Row("all", sum((r.counts for r in rows), Counts()))]:
        rates = row.counts.rates()
        cells = ("       -" if rates[c] is None else f"{rates[c]:8.3f}" for c in COLUMNS)
        print(f"{row.name[:34]:34s} {row.counts.questions:4d} {' '.join(cells)}{'  FAILED' if row.failed else ''}")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", type=Path, metavar="TRUTH PAPER")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--variant", choices=("digital", "scan", "photo"), default="digital")
    parser.add_argument("--only", help="measure this sample alone")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    args = parser.parse_args(argv)
    if len(args.pairs) % 2:
        parser.error("give pairs: TRUTH.json PAPER.json")
    if args.pairs and args.variant == "photo":
        parser.error("pairs can be digital or scan; photos are measured by ingesting the samples")
    if args.pairs:
        couples = zip(args.pairs[::2], args.pairs[1::2], strict=True)
        rows = [Row(t.name, measure(read_json(t), read_json(p), args.variant)) for t, p in couples]
    else:
        samples = [s for s in list_samples() if args.only in (None, s.name)]
        if not samples:
            parser.error(f"no sample is named {args.only}")
        with tempfile.TemporaryDirectory(prefix="wholepage-accuracy-") as folder:
            rows = list(measure_samples(samples, args.workspace or Path(folder), args.variant))
    show(rows)
    if args.json:
        write_json(args.json, {row.name: {"n": row.counts.questions, **row.counts.rates()} for row in rows})
    return int(any(row.failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
