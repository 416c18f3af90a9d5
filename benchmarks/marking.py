"""How well and how fast rules mark: python benchmarks/marking.py [PAIRS.jsonl]

A line of PAIRS holds id, kind, type, gold, response, expect (correct, partial, wrong, undecided; `reject` asks only
that the answer is not accepted), fraction, options. Without a file, the invented answers of the tests are marked.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

# this folder stands first on the path of a script, and its scoring.py would hide the package of that name
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

from scoring.answers_command import Pair, mark_lines, read_lines  # noqa: E402
from scoring.outcome import Outcome, mark  # noqa: E402

BUILT_IN = Path(__file__).resolve().parent.parent / "tests" / "test_scoring_outcome_cases.jsonl"
SHOWN = 20


def measure(path: Path) -> tuple[list[tuple[Pair, Outcome]], list[float], int]:
    """Marked pairs, seconds of each in a second pass without start-up costs, and lines that could not be read."""
    lines = list(read_lines(path))
    marked = list(mark_lines(lines))
    pairs = [(m.pair, m.outcome) for m in marked if m.pair is not None and m.outcome is not None]
    _forget()
    seconds = []
    for pair, _ in pairs:
        start = time.perf_counter()
        mark(pair.official(), pair.response)
        seconds.append(time.perf_counter() - start)
    return pairs, seconds, len(marked) - len(pairs)


def _forget() -> None:
    """Empty the caches of texts, so that the second pass works as the first."""
    from scoring.rules import chem, chem_equation, expr, fallback, normalise, part_chem, read, statement

    for cached in (
        chem.read_formula, chem_equation.read_equation, expr.parse, fallback.expressions_equal, normalise.tidy,
        normalise.plain, part_chem._formulas, read.read, statement.readings,
    ):  # fmt: skip
        cached.cache_clear()


def right_fraction(pair: Pair, outcome: Outcome) -> bool:
    """Whether a partial answer got exactly its share."""
    return outcome.fraction is not None and pair.fraction is not None and abs(outcome.fraction - pair.fraction) < 5e-4


def figures(pairs: list[tuple[Pair, Outcome]], seconds: list[float]) -> dict[str, Any]:
    """The figures by which rules are judged."""

    def share(expected: str, good: list[bool]) -> str:
        return f"{sum(good)}/{len(good)} = {sum(good) / len(good):.4f}" if good else f"no pair expects {expected}"

    by: dict[str, list[tuple[Pair, Outcome]]] = defaultdict(list)
    for pair, outcome in pairs:
        by[pair.expect or "?"].append((pair, outcome))
    not_right = [(p, o) for name in ("wrong", "partial", "undecided", "reject") for p, o in by[name]]
    return {
        "pairs": len(pairs),
        "wrong accepts": sum(o.verdict == "correct" for _, o in not_right),
        "correct accepted": share("correct", [o.verdict == "correct" for _, o in by["correct"]]),
        "correct marked wrong": sum(o.verdict in ("wrong", "partial") for _, o in by["correct"]),
        "partial fractions right": share("partial", [right_fraction(p, o) for p, o in by["partial"]]),
        "undecided handed over": share("undecided", [o.verdict == "undecided" for _, o in by["undecided"]]),
        "wrong marked wrong": share("wrong", [o.verdict == "wrong" for _, o in by["wrong"]]),
        "median ms an answer": round(1000 * statistics.median(seconds), 3) if seconds else None,
        "95th percentile ms": round(1000 * sorted(seconds)[int(0.95 * (len(seconds) - 1))], 3) if seconds else None,
        "answers a second": round(len(seconds) / sum(seconds)) if seconds else None,
    }


def agrees(pair: Pair, outcome: Outcome) -> bool:
    """Whether the outcome is what the pair expects."""
    if pair.expect == "reject":
        return outcome.verdict in ("wrong", "undecided")
    return outcome.verdict == pair.expect and (pair.expect != "partial" or right_fraction(pair, outcome))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="?", type=Path, default=BUILT_IN)
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--all", action="store_true", help="show every pair that differs from its label")
    arguments = parser.parse_args()
    pairs, seconds, unreadable = measure(arguments.pairs)
    result = figures(pairs, seconds) | {"lines not readable": unreadable}
    if arguments.json:
        print(json.dumps(result, ensure_ascii=False, indent=1))
        return
    for name, value in result.items():
        print(f"{name:26} {value}")
    print("verdicts", dict(Counter(o.verdict for _, o in pairs)))
    differing = [(p, o) for p, o in pairs if p.expect and not agrees(p, o)]
    for pair, outcome in differing if arguments.all else differing[:SHOWN]:
        print(
            f"{pair.id} {pair.kind}: expected {pair.expect}, got {outcome.verdict} ({outcome.rule}: {outcome.reason})"
        )


if __name__ == "__main__":
    main()
