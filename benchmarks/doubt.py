"""Doubt: which share of the questions that have a wrong field say so themselves.

usage: doubt.py FACTS.json PAPER.json [FACTS.json PAPER.json ...]

FACTS.json lists a paper's questions as a person counted them: `number`, and where known `starts_with`, `type`,
`points`, `options` (labels), `answer`, `figures`, `parts` (numbers of them) and `page`; a field that is absent or
null is not checked. PAPER.json is what was parsed. A question is doubted when it carries an issue or a confidence
below 0.8; one that is missing, when the paper lists a gap or states that nothing was found. Beside the share of wrong
questions that are doubted the share of right ones that are is printed: doubting everything would be easy.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

SURE = 0.8  # confidence from which a question without issues is not doubted
SIMILAR = 80.0  # of 100: how alike the first words must be
PAPER_DOUBTS = ("number.gap", "questions.none", "page.unreadable", "number.too_many")

Record = dict[str, Any]


def plain(text: str) -> str:
    """Letters and digits only, in one width and case."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())


def pair(facts: Sequence[Record], found: Sequence[Record]) -> list[tuple[Record, Record | None]]:
    """Each listed question with the parsed one of its number; of several the one whose beginning is most alike."""
    free = list(found)
    out: list[tuple[Record, Record | None]] = []
    for fact in facts:
        same = [q for q in free if q["number"] == str(fact["number"])]
        start = plain(fact.get("starts_with") or "")
        best = max(same, key=lambda q: fuzz.partial_ratio(start, plain(q["stem"])[: len(start) + 8]), default=None)
        if best is not None:
            free.remove(best)
        out.append((fact, best))
    return out


def wrong_fields(fact: Record, question: Record) -> list[str]:
    """Names of the fields in which a question differs from what is printed."""
    start = plain(fact.get("starts_with") or "")
    shown = [f for f in question.get("figures", []) if f.get("placement") != "solution"]
    regions = question.get("regions") or []
    checks = {
        "stem": not start or fuzz.partial_ratio(start, plain(question["stem"])[: len(start) + 8]) >= SIMILAR,
        "type": not fact.get("type") or question["type"] == fact["type"],
        "points": fact.get("points") is None or question.get("points") == fact["points"],
        "options": fact.get("options") is None or [o["label"] for o in question["options"]] == fact["options"],
        "answer": not fact.get("answer")
        or [plain(a) for a in question["answer"]] == [plain(a) for a in fact["answer"]],
        "figures": fact.get("figures") is None or len(shown) == fact["figures"],
        "parts": fact.get("parts") is None or len(question.get("parts", [])) == fact["parts"],
        "page": fact.get("page") is None or not regions or regions[0]["page"] == fact["page"],
    }
    return [name for name, right in checks.items() if not right]


def doubted(question: Record) -> bool:
    """Whether a question carries an issue or a confidence below 0.8."""
    return bool(question.get("issues")) or float(question.get("confidence", 0.0)) < SURE


def measure(facts: Record, paper: Record) -> tuple[int, int, int, int, list[str]]:
    """Wrong questions, those of them doubted, right questions, those of them doubted, and lines on the undoubted."""
    wrong = caught = right = alarmed = 0
    silent: list[str] = []
    gaps = any(i["code"] in PAPER_DOUBTS for i in paper.get("issues", []))
    for fact, question in pair(facts["questions"], paper["questions"]):
        fields = ["missing"] if question is None else wrong_fields(fact, question)
        doubt = gaps if question is None else doubted(question)
        if fields:
            wrong += 1
            caught += doubt
            if not doubt:
                silent.append(f"  {fact['number']}: {', '.join(fields)}")
        else:
            right += 1
            alarmed += doubt
    return wrong, caught, right, alarmed, silent


def main() -> None:
    """Print a row a paper and the pooled shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--verbose", action="store_true", help="list the wrong questions that nothing doubts")
    arguments = parser.parse_args()
    if len(arguments.files) % 2:
        parser.error("give pairs: FACTS.json PAPER.json")
    total = [0, 0, 0, 0]
    print(f"{'':40s} {'wrong':>6s} {'doubted':>8s} {'right':>6s} {'doubted':>8s}")
    for facts_file, paper_file in zip(arguments.files[::2], arguments.files[1::2], strict=True):
        facts, paper = (json.loads(p.read_text(encoding="utf-8")) for p in (facts_file, paper_file))
        *counts, silent = measure(facts, paper)
        total = [a + b for a, b in zip(total, counts, strict=True)]
        print(f"{facts_file.name[:40]:40s} {counts[0]:6d} {counts[1]:8d} {counts[2]:6d} {counts[3]:8d}")
        if arguments.verbose and silent:
            print("\n".join(silent))
    share = total[1] / total[0] if total[0] else 1.0
    false = total[3] / total[2] if total[2] else 0.0
    print(f"doubted: {share:.3f} of the wrong questions, {false:.3f} of the right ones")


if __name__ == "__main__":
    main()
