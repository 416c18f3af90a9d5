"""The report's charts that need more than the headline: budget curves and the item map."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from scoring.report_svg import Point, Series, heat_map, line_chart, percent, scatter
from scoring.report_view import question_label
from scoring.scores import Score, ScoredQuestion
from scoring.summary import Summary, by_condition, condition_label
from scoring.summary_compare import mode_rank

MAX_HEAT_COLUMNS = 240


def budget_chart(summary: Summary) -> dict[str, Any] | None:
    """Accuracy against token budget: solid for capped runs, dashed and hollow for post hoc estimates.

    When some models and input forms ran capped, only those are drawn; the others stay in report.json.
    """
    series: list[Series] = []
    budgets: set[int] = set()
    curves = [c for c in summary["budgets"] if any(not p["post_hoc"] for p in c["points"])] or summary["budgets"]
    for index, curve in enumerate(curves):
        for hoc in (False, True):
            points = [p for p in curve["points"] if p["post_hoc"] is hoc]
            if not points:
                continue
            budgets.update(p["tokens"] for p in points)
            name = f"{curve['model']} · {curve['mode']}" + (" (post hoc)" if hoc else "")
            tips = [f"{name}, ≤{p['tokens']} tokens: {percent(p['accuracy'])} % of {p['known']}" for p in points]
            dots = tuple(
                Point(math.log2(p["tokens"]), p["accuracy"], title=tip) for p, tip in zip(points, tips, strict=True)
            )
            series.append(Series(name, dots, index, hoc))
    if not series:
        return None
    ticks = [(math.log2(b), f"{b / 1024:g}k" if b >= 1024 and b % 1024 == 0 else str(b)) for b in sorted(budgets)]
    unknown = max((p["unknown"] for curve in curves for p in curve["points"]), default=0)
    chart = line_chart(series, _apart(ticks), "accuracy against token budget", "budget in generated tokens")
    return {"chart": chart, "legend": [(s.colour, s.name, s.dashed) for s in series], "unknown": unknown}


def _apart(ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    kept: list[tuple[float, str]] = []
    for tick in ticks:
        if not kept or tick[0] - kept[-1][0] > 0.45:
            kept.append(tick)
    return kept


def item_map(summary: Summary, scores: Sequence[Score], questions: Mapping[str, ScoredQuestion]) -> dict[str, Any]:
    """Scatter of difficulty and discrimination, a heat map, and the items with a flag."""
    items = summary["items"]
    dots = [
        (
            item["difficulty"],
            item["discrimination"],
            item["flag"] or "plain",
            f"{question_label(questions[item['question']])}: {percent(item['difficulty'], 0)} % right, "
            f"discrimination {item['discrimination']:.2f}, {item['takers']} takers",
        )
        for item in items
        if item["discrimination"] is not None
    ]
    flags: dict[str, list[dict[str, Any]]] = {"broken": [], "negative": [], "trivial": []}
    for item in items:
        if item["flag"]:
            label = question_label(questions[item["question"]])
            share = f"{percent(item['difficulty'], 0)} % of {item['takers']}"
            flags[item["flag"]].append({"label": label, "share": share})
    chart: Markup | None = None
    if dots:
        chart = scatter(dots, "item map", "difficulty: takers who are right, %", "discrimination")
    return {
        "chart": chart,
        "without": len(items) - len(dots),
        "flags": {name: {"shown": rows[:60], "more": max(0, len(rows) - 60)} for name, rows in flags.items()},
        "counts": {name: len(rows) for name, rows in flags.items()},
        "heat": _heat(scores, questions),
        "items": len(items),
    }


def _heat(scores: Sequence[Score], questions: Mapping[str, ScoredQuestion]) -> dict[str, Any]:
    groups = by_condition([s for s in scores if s.status == "marked"])
    rows = sorted(groups, key=lambda c: (c[0], mode_rank(c[1]), c[2] or 0))
    names = list(questions)
    shown = names[:MAX_HEAT_COLUMNS]
    index = {name: i for i, name in enumerate(shown)}
    sums: dict[tuple[int, int], list[float]] = defaultdict(list)
    for r, condition in enumerate(rows):
        for score in groups[condition]:
            if score.question_id in index:
                sums[r, index[score.question_id]].append(score.fraction or 0.0)
    values = {cell: sum(v) / len(v) for cell, v in sums.items()}
    labels = [condition_label(condition) for condition in rows]
    tips = [question_label(questions[name]) for name in shown]
    return {"chart": heat_map(labels, shown, values, tips), "rows": labels, "more": len(names) - len(shown)}
