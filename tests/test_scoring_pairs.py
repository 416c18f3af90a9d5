"""Pairs written by a second reader of docs/scoring-rules.md; a fault that they showed is a row of its kind.

`expect` is a verdict, or `reject` (anything but credit), or `not_wrong` (right; leaving it to a judge will do).
"""

import json
from pathlib import Path

import pytest

from scoring.outcome import Gold, mark

PAIRS = [json.loads(line) for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", sorted({pair["kind"] for pair in PAIRS}))
def test_pairs_of_a_kind(kind):
    off = []
    for pair in (p for p in PAIRS if p["kind"] == kind):
        gold = Gold(pair["type"], tuple(pair["gold"]), pair.get("options"), question=pair.get("question", ""))
        got = mark(gold, pair["response"])
        if not fits(pair, got.verdict, got.fraction):
            off.append((pair["id"], pair["gold"], pair["response"], pair["expect"], got.verdict, got.reason))
    assert off == []


def fits(pair, verdict, fraction):
    if pair["expect"] == "reject":
        return verdict in {"wrong", "undecided"}
    if pair["expect"] == "not_wrong":
        return verdict in {"correct", "undecided"}
    return verdict == pair["expect"] and (verdict == "undecided" or fraction == pytest.approx(pair["fraction"]))


def test_the_table_is_large_and_mixed():
    assert len(PAIRS) > 600
    assert {pair["expect"] for pair in PAIRS} == {"correct", "partial", "wrong", "reject", "not_wrong"}
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)
