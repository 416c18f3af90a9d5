"""Formula reading, measured on generated K-12 formulas in exam-like sheets.

usage: python benchmarks/formulas.py [--count 400] [--seed 1] [--fonts ncm,stix,...] [--variants digital,image,scan]
                                     [--yardstick DIR [--yardstick-count 60]] [--wrong N] [--pages DIR] [--json OUT]

The formulas are shared out among the fonts: math fonts set by typst (ncm, stix, dejavu, termes, pagella, latinmodern,
asana), `katex` (KaTeX in Chromium) and `mathtext-cm`, `mathtext-stix`, `mathtext-dejavuserif` (matplotlib), so far as
they are installed. Each sheet is read as the product reads a page: `digital` with its text layer, `image` from the
clean 200 dpi picture alone, `scan` from a picture turned up to 0.5°, blurred, noisy and through JPEG.
exact: share equal in normal form (samples/formulas/measure.py); same: share equal letter by letter but for blanks;
sim: mean similarity; none: share with no formula at its place; extra: formulas where none is. Then the page time, its
ratio to the same sheet with words for formulas, and the time that a formula adds. `--yardstick DIR` also reads the
first formulas, cut out of the clean image, with the package latex-ocr-junia in a virtual environment made in DIR.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

# The folder of this script holds ingest.py, which would hide the package of that name.
sys.path[:] = [p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent]

from layout.ocr import OcrEngine, RapidOcrEngine  # noqa: E402
from layout.page import analyse_page  # noqa: E402
from samples.formulas import trial  # noqa: E402
from samples.formulas.yardstick import read_with_yardstick  # noqa: E402
from wholepage.errors import WholepageError  # noqa: E402
from wholepage.workspace import write_bytes, write_json  # noqa: E402

YARDSTICK = "yardstick"
Groups = dict[str, dict[str, list[trial.Result]]]


def grouped(results: Iterable[trial.Result], names: str) -> Groups:
    """Results by group and variant; `names` is an attribute of Result (`constructs` puts one in several groups)."""
    out: Groups = defaultdict(lambda: defaultdict(list))
    for item in results:
        value = getattr(item, names)
        for name in (value or ("plain",)) if isinstance(value, tuple) else (value,):
            out[name][item.variant].append(item)
        out["ALL"][item.variant].append(item)
    return out


def print_groups(title: str, groups: Groups, columns: Sequence[str]) -> None:
    """One row a group: count, then exact and similarity for each column."""
    print(f"\n{title:24s} {'n':>4s} " + " ".join(f"{c + ' exact':>15s} {'sim':>6s}" for c in columns))
    for name in sorted(groups, key=lambda g: (g == "ALL", g)):
        cells = []
        for column in columns:
            rows = groups[name].get(column, [])
            exact = f"{fmean(r.outcome.exact for r in rows):15.3f}" if rows else f"{'-':>15s}"
            close = f"{fmean(r.outcome.similarity for r in rows):6.3f}" if rows else f"{'-':>6s}"
            cells.append(f"{exact} {close}")
        count = max(len(rows) for rows in groups[name].values())
        print(f"{name:24s} {count:4d} " + " ".join(cells))


def print_totals(results: Sequence[trial.Result], extra: dict[str, int]) -> None:
    print(f"\n{'variant':10s} {'n':>4s} {'exact':>6s} {'same':>6s} {'sim':>6s} {'none':>6s} {'extra':>5s}")
    for variant in dict.fromkeys(r.variant for r in results):
        rows = [r.outcome for r in results if r.variant == variant]
        columns = zip(*((o.exact, o.canonical, o.similarity, not o.found) for o in rows), strict=True)
        shares = " ".join(f"{fmean(values):6.3f}" for values in columns)
        print(f"{variant:10s} {len(rows):4d} {shares} {extra.get(variant, 0):5d}")


def print_times(timings: Sequence[trial.Timing]) -> None:
    print(
        f"\n{'time':10s} {'pages':>5s} {'s/page':>7s} {'words':>7s} {'ratio':>6s} {'+ms/page':>9s} {'+ms/formula':>11s}"
    )
    for variant in dict.fromkeys(t.variant for t in timings):
        part = [t for t in timings if t.variant == variant]
        pages, formulas = sum(t.pages for t in part), sum(t.formulas for t in part)
        spent, plain = sum(t.with_formulas for t in part), sum(t.with_words for t in part)
        more = 1000 * (spent - plain)
        values = (spent / pages, plain / pages, spent / plain, more / pages, more / formulas)
        print(f"{variant:10s} {pages:5d} " + " ".join(f"{v:9.3f}" for v in values))


def print_wrong(results: Sequence[trial.Result], count: int) -> None:
    for variant in dict.fromkeys(r.variant for r in results):
        wrong = [r for r in results if r.variant == variant and not r.outcome.exact]
        print(f"\nwrong, {variant}: {len(wrong)}")
        for r in wrong[:count]:
            print(f"  {r.font:12s} {r.place:8s} {r.true}\n  {'':12s} {'read':8s} {r.outcome.latex or '(none)'}")


def measure(args: argparse.Namespace) -> int:
    fonts = args.fonts.split(",") if args.fonts else trial.default_fonts()
    print(f"fonts: {', '.join(fonts)} (at hand: {', '.join(trial.fonts_at_hand())})")
    batches = [trial.make_batch(f, args.count // len(fonts), args.seed * 100 + n) for n, f in enumerate(fonts)]
    if args.pages:
        for batch in batches:
            write_bytes(args.pages / f"{batch.font}.pdf", batch.pages.pdf)
    engine = RapidOcrEngine()
    warm_up(batches[0], engine)
    results: list[trial.Result] = []
    timings: list[trial.Timing] = []
    extra: dict[str, int] = defaultdict(int)
    for variant in args.variants.split(","):
        for batch in batches:
            read, more, seconds = trial.read_batch(batch, variant, engine, args.seed)
            results += read
            extra[variant] += more
            timings.append(trial.time_batch(batch, variant, engine, seconds, args.seed))
    for batch in batches if args.yardstick else ():
        results += yardstick_results(batch, args.yardstick, args.yardstick_count // len(fonts), results)
    columns = list(dict.fromkeys(r.variant for r in results))
    if args.wrong:
        print_wrong(results, args.wrong)
    for title in ("constructs", "kind", "place", "font"):
        print_groups(title, grouped(results, title), columns)
    print_totals(results, extra)
    print_times(timings)
    if args.json:
        write_json(args.json, {"results": [asdict(r) for r in results], "timings": [asdict(t) for t in timings]})
    return 0


def yardstick_results(
    batch: trial.Batch, folder: Path, count: int, results: Sequence[trial.Result]
) -> list[trial.Result]:
    """What latex-ocr-junia makes of the first `count` formulas; prints how this project reads the same ones."""
    images = dict(list(trial.crops(batch).items())[:count])
    texts, seconds = read_with_yardstick(list(images.values()), folder)
    theirs = trial.judged(batch, YARDSTICK, dict(zip(images, texts, strict=True)))
    known = {r.true for r in theirs}
    ours = [r for r in results if (r.font, r.variant) == (batch.font, "image") and r.true in known]
    exact = [sum(r.outcome.exact for r in some) for some in (theirs, ours)]
    print(f"{batch.font}: of {len(theirs)} formulas exact: yardstick {exact[0]}, this project {exact[1]};", end=" ")
    print(f"the yardstick takes {1000 * seconds:.0f} ms each", flush=True)
    return theirs


def warm_up(batch: trial.Batch, engine: OcrEngine) -> None:
    """Read a page both ways, so that no timing holds the loading of models."""
    analyse_page(next(trial.shots(batch.words.pdf, "digital")).page, engine)
    analyse_page(next(trial.shots(batch.words.pdf, "image")).page, engine)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fonts", help="names with commas; default: four that are installed")
    parser.add_argument("--variants", default="digital,image,scan")
    parser.add_argument("--yardstick", type=Path, metavar="DIR")
    parser.add_argument("--yardstick-count", type=int, default=60, metavar="N", help="formulas that it reads")
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="print N wrong ones of each variant")
    parser.add_argument("--pages", type=Path, metavar="DIR", help="keep the PDFs there")
    parser.add_argument("--json", type=Path, metavar="OUT")
    args = parser.parse_args(argv)
    try:
        return measure(args)
    except WholepageError as error:
        print(f"Error: {error}", file=sys.stderr)
        return int(error.exit_code)


if __name__ == "__main__":
    sys.exit(main())
