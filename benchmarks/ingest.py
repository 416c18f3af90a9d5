"""Time and memory of ingestion, as ratios to RapidOCR's default on the same page images in the same run.

usage: python benchmarks/ingest.py [--repeat N] [--long PAGES]

Pages come from the samples. Each case runs in a process of its own, models warmed by another page, everything that
`wholepage ingest` does included (reading, layout, parsing, crops, preview). The reference reads the same page images
with `rapidocr.RapidOCR()` as it comes. Prints seconds and ratio a page, and the peak memory of each process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# A script's own folder comes first on the path, where this file would hide the package `ingest`.
sys.path[:] = [p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent]

import pymupdf  # noqa: E402

from samples import list_samples  # noqa: E402

SCANNED_LIMIT, SCANNED_JOBS_LIMIT, DIGITAL_LIMIT, MEMORY_LIMIT_MB = 1.0, 0.75, 0.15, 1536


def collect(target: Path, scans: bool, pages: int, skip: int = 0) -> Path:
    """A PDF of `pages` sample pages, repeated as needed; `skip` leaves out the first ones."""
    sources = [pymupdf.open(s.scan if scans else s.pdf) for s in list_samples()]
    refs = [(d, i) for d in sources for i in range(len(d)) if d[i].rect.width < 700][skip:]
    out = pymupdf.open()
    for index in range(pages):
        document, page = refs[index % len(refs)]
        out.insert_pdf(document, from_page=page, to_page=page)
    out.save(target)
    return target


def ingest_case(pdf: Path, warm: Path, jobs: int) -> dict[str, float]:
    """Ingest `warm`, then time `pdf`. Runs in a child process."""
    from ingest.pairing import Pair
    from wholepage.batch import Batch
    from wholepage.pipeline import IngestOptions
    from wholepage.settings import Settings
    from wholepage.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder)).create()
        with Batch(workspace, IngestOptions(settings=Settings(jobs=jobs))) as batch:
            batch.ingest(Pair(warm))
            started = time.perf_counter()
            result = batch.ingest(Pair(pdf))
            seconds = time.perf_counter() - started
    own, children = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {"seconds": seconds, "pages": result.pages, "peak_mb": max(own, children)}


def reference_case(pdf: Path) -> dict[str, float]:
    """RapidOCR's default on the same pages, rendered beforehand. Runs in a child process."""
    import numpy as np
    from rapidocr import RapidOCR

    engine = RapidOCR(params={"Global.log_level": "error"})
    images = []
    with pymupdf.open(pdf) as document:
        for page in document:
            pixmap = page.get_pixmap(dpi=200, alpha=False)
            images.append(np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.h, pixmap.w, 3)[:, :, ::-1].copy())
    engine(images[0])
    started = time.perf_counter()
    for image in images:
        engine(image)
    return {"seconds": time.perf_counter() - started, "pages": len(images), "peak_mb": 0.0}


def child(*arguments: str) -> dict[str, float]:
    """Run one case in a fresh process."""
    command = [sys.executable, __file__, "--case", *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(output.splitlines()[-1]))


def per_page(runs: list[dict[str, float]]) -> float:
    """Median seconds a page."""
    return statistics.median(r["seconds"] / r["pages"] for r in runs)


def main() -> None:
    """Run all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--long", type=int, default=200, help="pages of the long digital file; 0 leaves it out")
    parser.add_argument("--case", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        kind, *rest = options.case
        result = (
            reference_case(Path(rest[0]))
            if kind == "reference"
            else ingest_case(Path(rest[0]), Path(rest[1]), int(rest[2]))
        )
        print(json.dumps(result))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one, ten = collect(folder / "one.pdf", True, 1), collect(folder / "ten.pdf", True, 10)
        warm_scan, warm = collect(folder / "ws.pdf", True, 2, 4), collect(folder / "w.pdf", False, 2, 4)
        digital = collect(folder / "digital.pdf", False, 10)
        runs: dict[str, list[dict[str, float]]] = {}
        for _ in range(options.repeat):  # cases alternate, so that a busy machine disturbs all alike
            runs.setdefault("RapidOCR default, 1 scan", []).append(child("reference", str(one)))
            runs.setdefault("scanned page alone", []).append(child("ingest", str(one), str(warm_scan), "1"))
        runs["RapidOCR default, 10 scans"] = [child("reference", str(ten))]
        runs["10-page scan, --jobs 2"] = [child("ingest", str(ten), str(warm_scan), "2")]
        runs["digital, 10 pages"] = [child("ingest", str(digital), str(warm), "1")]
        if options.long:
            long = collect(folder / "long.pdf", False, options.long)
            runs[f"digital, {options.long} pages"] = [child("ingest", str(long), str(warm), "1")]
    report(runs)


def report(runs: dict[str, list[dict[str, float]]]) -> None:
    """Print seconds, ratio, limit and memory a case."""
    one, ten = (per_page(runs[f"RapidOCR default, {n}"]) for n in ("1 scan", "10 scans"))
    limits = {"scanned page alone": (one, SCANNED_LIMIT), "10-page scan, --jobs 2": (ten, SCANNED_JOBS_LIMIT)}
    print(
        f"{'':32s} {'s/page':>8s} {'ratio':>7s} {'limit':>7s} {'peak MB':>8s}   ({multiprocessing.cpu_count()} cores)"
    )
    for name, results in runs.items():
        reference, limit = limits.get(name, (ten, DIGITAL_LIMIT if name.startswith("digital") else float("nan")))
        seconds, peak = per_page(results), max(r["peak_mb"] for r in results)
        print(f"{name:32s} {seconds:8.2f} {seconds / reference:7.2f} {limit:7.2f} {peak:8.0f}")
    print(f"memory limit a process: {MEMORY_LIMIT_MB} MB")


if __name__ == "__main__":
    main()
