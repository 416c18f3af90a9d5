"""Comparisons between conditions, budget curves and item statistics for the summary."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scoring import efficiency
from scoring.scores import Condition, Score, ScoredQuestion
from scoring.stats_items import item_statistics
from scoring.stats_paired import Answer, Paired, compare, with_holm

MODE_ORDER = ("text_only", "captions", "text_image", "crop", "page_box", "image_only", "mock_exam")
CURVE = (1024, 2048, 4096, 8192, 16384, 32768, 65536)


def mode_rank(mode: str) -> tuple[int, str]:
    """Order of input forms: from text alone to whole pages, then unknown ones by name."""
    return (MODE_ORDER.index(mode) if mode in MODE_ORDER else len(MODE_ORDER), mode)


def comparisons(
    groups: Mapping[Condition, Sequence[Score]], questions: Mapping[str, ScoredQuestion]
) -> dict[str, list[dict[str, Any]]]:
    """Paired differences: modes of one model and budget (`modes`), models in one mode and budget (`models`).

    Each list is one family for Holm's correction.
    """
    answers = {condition: _answers(scores) for condition, scores in groups.items()}
    papers = {name: question.paper_id for name, question in questions.items()}
    modes, models = [], []
    ordered = sorted(answers, key=lambda c: (c[0], c[2] or 0, mode_rank(c[1])))
    for left, right in itertools.combinations(ordered, 2):
        if left[0] == right[0] and left[2] == right[2]:
            modes.append((left, right))
        elif left[1] == right[1] and left[2] == right[2]:
            models.append((left, right))
    return {"modes": _family(modes, answers, papers), "models": _family(models, answers, papers)}


def _family(
    pairs: Sequence[tuple[Condition, Condition]],
    answers: Mapping[Condition, Mapping[str, Answer]],
    papers: Mapping[str, str],
) -> list[dict[str, Any]]:
    compared: list[Paired] = []
    kept = []
    for left, right in pairs:
        result = compare(left[1], right[1], answers[left], answers[right], papers)
        if result.questions:
            compared.append(result)
            kept.append((left, right))
    rows = []
    for (left, right), result in zip(kept, with_holm(compared), strict=True):
        row = asdict(result)
        row["first"] = {"model": left[0], "mode": left[1], "budget": left[2]}
        row["second"] = {"model": right[0], "mode": right[1], "budget": right[2]}
        row["lost"], row["gained"] = list(result.lost), list(result.gained)
        rows.append(row)
    return rows


def _answers(scores: Sequence[Score]) -> dict[str, Answer]:
    """Per question the mean fraction over marked epochs, and whether the first marked epoch is right."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        if score.status == "marked" and score.fraction is not None:
            groups[score.question_id].append(score)
    result = {}
    for name, marked in groups.items():
        first = min(marked, key=lambda s: s.epoch)
        result[name] = Answer(math.fsum(s.fraction or 0.0 for s in marked) / len(marked), first.correct)
    return result


def budget_curves(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Accuracy against token budget per model and mode: points from capped runs, and post hoc ones from uncapped."""
    groups: dict[tuple[str, str], list[Score]] = defaultdict(list)
    for score in scores:
        if score.status != "error":
            groups[score.model, score.mode].append(score)
    curves = []
    for (model, mode), answered in sorted(groups.items()):
        marked = [s for s in answered if s.status == "marked"]
        capped = [
            (float(s.correct) if s.status == "marked" else None, s.budget)
            for s in answered
            if s.budget is not None and s.budget_enforced
        ]
        free = [(float(s.correct), s.generated_tokens) for s in marked if s.budget is None]
        longest = max((length for _, length in free if length is not None), default=0)
        # beyond the first budget that holds every answer the curve is flat
        steps = [b for i, b in enumerate(CURVE) if i == 0 or CURVE[i - 1] < longest]
        budgets = sorted({*steps, *(budget for _, budget in capped)})
        points = efficiency.capped_accuracy(capped)
        hoc = efficiency.post_hoc_accuracy(free, budgets) if free else []
        points += [point for point in hoc if point.accuracy is not None]
        if points:
            curves.append({"model": model, "mode": mode, "points": [asdict(point) for point in points]})
    return curves


def item_table(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Item statistics over all takers (model, mode, budget, epoch)."""
    takers: dict[str, dict[str, bool]] = defaultdict(dict)
    for score in scores:
        if score.status == "marked":
            taker = f"{score.model}\0{score.mode}\0{score.budget}\0{score.epoch}"
            takers[taker][score.question_id] = score.correct
    return [asdict(item) for item in item_statistics(takers)]
