"""Doubt: which share of the questions that have a wrong field say so themselves.

usage: doubt.py FACTS.json PAPER.json [FACTS.json PAPER.json ...]

FACTS.json lists a paper's questions as a person counted them: `number`, and where known `starts_with`, `type` (or
`type_any`, a list), `points`, `options` (labels), `answer`, `figures` (and `figures_alt`, another number that is
right too), `parts` (numbers of them) and `page`; a field that is absent or null is not checked. `spot` lists formulas
as {number, latex} that must stand in the question of that number. PAPER.json is what was parsed. A question is
doubted when it carries an issue or a confidence below 0.8; one that is missing, when the paper lists a gap or states
that nothing was found. Beside the share of wrong questions that are doubted the share of right ones that are is
printed: doubting everything would be easy.
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

SURE = 0.8  # confidence from which a question without issues is not doubted
SIMILAR = 80.0  # of 100: how alike the first words must be
PAPER_DOUBTS = ("number.gap", "questions.none", "page.unreadable", "number.too_many")

# Commands that say how something is set, not what it is.
SETTING = re.compile(
    r"\\(?:mathrm|mathbf|mathit|text|left|right|dfrac|tfrac|displaystyle|quad|qquad|[,;:! ])(?![a-zA-Z])"
)
SYNONYMS = (
    ("leqslant", "le"),
    ("geqslant", "ge"),
    ("leq", "le"),
    ("geq", "ge"),
    ("neq", "ne"),
    ("longrightarrow", "to"),
)

Record = dict[str, Any]


def plain(text: str) -> str:
    """Letters and digits only, in one width and case, without figures, LaTeX commands (△ or its command) and Greek."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|</?[a-z][^<>]*>|\\(?!sin|cos|tan|cot|lo?g|ln|lim)[a-zA-Z]+", "", text)
    letters = (c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())
    return "".join(c for c in letters if not unicodedata.name(c, "").startswith("GREEK"))


def formula(latex: str) -> str:
    """LaTeX without braces, blanks, dollars and type setting, one name for one sign."""
    text = unicodedata.normalize("NFKC", latex).replace("\\\\", "\n")  # a new row is no command with a blank
    text = re.sub(r"[{}$~ \n]", lambda m: ";" if m[0] == "\n" else "", SETTING.sub("", text))
    for name, other in SYNONYMS:
        text = text.replace("\\" + name, "\\" + other)
    return text


def likeness(fact: Record, question: Record) -> float:
    """0 for another number; 1 to 2 for the same one, the more alike the beginnings are."""
    if str(fact["number"]) != question["number"]:
        return 0.0
    start = plain(fact.get("starts_with") or "")
    return 1.0 + fuzz.partial_ratio(start, plain(question["stem"])[: len(start) + 10]) / 100


def pair(facts: Sequence[Record], found: Sequence[Record]) -> list[tuple[Record, Record | None]]:
    """Each listed question with the parsed one of its number, in printed order; most pairs, most alike, count."""
    alike = [[likeness(f, q) for q in found] for f in facts]
    best = [[0.0] * (len(found) + 1) for _ in range(len(facts) + 1)]
    for i in reversed(range(len(facts))):
        for j in reversed(range(len(found))):
            both = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], both)
    out: list[tuple[Record, Record | None]] = []
    j = 0
    for i, fact in enumerate(facts):
        k = next(
            (k for k in range(j, len(found)) if alike[i][k] and best[i][j] == alike[i][k] + best[i + 1][k + 1]), None
        )
        out.append((fact, None if k is None else found[k]))
        j = j if k is None else k + 1
    return out


def whole_text(question: Record) -> str:
    """All the words and formulas that a question shows."""
    parts = question.get("parts") or []
    inner = "".join(p.get("text", "") + whole_text({"parts": p.get("parts")}) for p in parts)
    options = "".join(o.get("text", "") for o in question.get("options") or [])
    return str(question.get("stem") or "") + options + inner + str(question.get("solution") or "")


def same_answer(fact: Record, question: Record) -> bool:
    """Whether the printed answer was read; of a question with options its letters count."""
    want, got = fact["answer"], question["answer"]
    if fact.get("options") and len(want) == 1:
        return sorted(re.findall("[A-G]", want[0])) == sorted(re.findall("[A-G]", "".join(got)))
    return [plain(a) for a in got] == [plain(a) for a in want]


def wrong_fields(fact: Record, question: Record, formulas: Sequence[str]) -> list[str]:
    """Names of the fields in which a question differs from what is printed; `formulas` must stand in it."""
    start = plain(fact.get("starts_with") or "")
    shown = sum(f.get("placement") != "solution" for f in question.get("figures", []))
    regions = question.get("regions") or []
    types = [fact["type"]] if fact.get("type") else fact.get("type_any") or [question["type"]]
    text = formula(whole_text(question))
    checks = {
        "stem": not start or fuzz.partial_ratio(start, plain(question["stem"])[: len(start) + 10]) >= SIMILAR,
        "type": question["type"] in types,
        "points": fact.get("points") is None or question.get("points") == fact["points"],
        "options": fact.get("options") is None or [o["label"] for o in question["options"]] == fact["options"],
        "answer": not fact.get("answer") or same_answer(fact, question),
        "figures": fact.get("figures") is None or shown in (fact["figures"], fact.get("figures_alt")),
        "parts": fact.get("parts") is None or len(question.get("parts", [])) == fact["parts"],
        "page": fact.get("page") is None or not regions or regions[0]["page"] == fact["page"],
        "formula": all(formula(latex) in text for latex in formulas),
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
    pairs = pair(facts["questions"], paper["questions"])
    numbers = Counter(str(fact["number"]) for fact, _ in pairs)
    for fact, question in pairs:
        spots = [
            s["latex"] for s in facts.get("spot", []) if s.get("latex") and str(s["number"]) == str(fact["number"])
        ]
        # A number that the paper prints twice does not say which of the two holds the formula.
        formulas = spots if numbers[str(fact["number"])] == 1 else []
        fields = ["missing"] if question is None else wrong_fields(fact, question, formulas)
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
