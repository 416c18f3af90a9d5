"""What the report page shows, ready for the template: numbers as text, charts as SVG, untrusted text as safe HTML."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.process import ERROR_KIND_NAMES
from scoring.report_svg import Point, Series, interval_bar, line_chart, percent, stacked_bar
from scoring.scores import Score, ScoredQuestion
from scoring.summary import Summary, by_condition, condition_label
from scoring.summary_compare import mode_rank

TYPE_NAMES = {
    "multiple_choice": "single choice",
    "multi_select": "multi-select",
    "true_false": "true / false",
    "fill_in_blank": "fill in the blank",
    "open_ended": "open-ended",
    "proof": "proof",
    "unknown": "unknown type",
}
KINDS = (
    "correct",
    "partial",
    "wrong",
    "no_answer",
    "refused",
    "truncated",
    "undecided",
    "error",
)
KIND_NAMES = {"no_answer": "no answer found", "truncated": "cut off", "error": "failed"}
MAX_FLIPS = 24
MAX_TITLE = 28


def number(value: float | None, digits: int = 1) -> str:
    """A number with fixed digits, a dash for None."""
    return "–" if value is None else f"{value:,.{digits}f}"


def signed(value: float) -> str:
    """A change with its sign; the minus is the typographic one, so that it does not break at line ends."""
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}".replace("-", "−")


def p_value(value: float | None) -> str:
    """A p-value; very small ones as a bound."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def interval_text(estimate: Mapping[str, Any], scale: float = 100.0) -> str:
    """`low–high`, a dash without an interval."""
    interval = estimate["interval"]
    return "–" if interval is None else f"{scale * interval['low']:.1f}–{scale * interval['high']:.1f}"


def headline(summary: Summary) -> list[dict[str, Any]]:
    """Rows of the headline table, modes in the order of the ladder."""
    rows = []
    for c in sorted(summary["conditions"], key=lambda c: (c["model"], mode_rank(c["mode"]), c["budget"] or 0)):
        accuracy, exam, used = c["accuracy"], c["exam"], c["efficiency"]
        interval = accuracy["interval"] or {}
        money = [f"{number(f['value'], 4)}\u00a0{name}" for name, f in used["money_per_correct"].items() if f["value"]]
        rows.append(
            {
                "model": c["model"],
                "mode": c["mode"],
                "budget": c["budget"],
                "cap": _cap(c),
                "bar": interval_bar(
                    accuracy["mean"], interval.get("low"), interval.get("high"), c["chance"]["questions"]
                ),
                "accuracy": percent(accuracy["mean"]),
                "interval": interval_text(accuracy),
                "se": percent(accuracy["se"]),
                "cluster_se": percent(accuracy["cluster_se"]),
                "macro": {by: percent(value) for by, value in c["macro"].items()},
                "micro": percent(c["micro"]),
                "chance": percent(c["chance"]["points"]),
                "ocs": number(exam["ocs"]),
                "pes": number(exam["pes"]),
                "oes": number(exam["oes"]),
                "steps": percent(c["process"]["step_score"]),
                "direct": percent(c["direct_score"]),
                "arl": percent(used["arl"]["value"]),
                "unknown": used["arl"]["unknown"],
                "tokens": number(used["generated_per_correct"]["value"], 0),
                "money": ", ".join(money) or "–",
                "questions": c["questions"],
                "epochs": c["epochs"],
                "marked": c["marked"],
                "undecided": c["attempts"] - c["marked"] - c["verdicts"].get("error", 0),
                "errors": c["verdicts"].get("error", 0),
                "bounds": f"{percent(c['bounds']['low'])}–{percent(c['bounds']['high'])}",
                "rates": {name: percent(value) for name, value in c["rates"].items()},
                "epoch_figures": c["epoch_figures"],
            }
        )
    return rows


def _cap(condition: Mapping[str, Any]) -> str:
    if condition["budget"] is None:
        return ""
    return f"≤ {condition['budget']} tokens" + ("" if condition["budget_enforced"] else ", not enforced")


def ladder(summary: Summary) -> dict[str, Any] | None:
    """Accuracy along the input forms, one line for each model and budget that sat at least two of them."""
    taken: dict[tuple[str, int | None], set[str]] = defaultdict(set)
    for c in summary["conditions"]:
        taken[c["model"], c["budget"]].add(c["mode"])
    names = sorted((n for n, modes in taken.items() if len(modes) > 1), key=lambda n: (n[0], n[1] or 0))
    names = [n for n in names if n[1] is None] or names  # runs under a budget have a chart of their own
    if not names:
        return None
    modes = sorted({mode for name in names for mode in taken[name]}, key=mode_rank)
    groups: dict[tuple[str, int | None], list[Point]] = defaultdict(list)
    for c in sorted(summary["conditions"], key=lambda c: mode_rank(c["mode"])):
        if (c["model"], c["budget"]) not in names:
            continue
        if c["accuracy"]["mean"] is None:
            continue
        interval = c["accuracy"]["interval"] or {}
        shift = (names.index((c["model"], c["budget"])) - (len(names) - 1) / 2) * 0.04
        groups[c["model"], c["budget"]].append(
            Point(
                modes.index(c["mode"]) + shift,
                c["accuracy"]["mean"],
                interval.get("low"),
                interval.get("high"),
                f"{c['label']}: {percent(c['accuracy']['mean'])} % ({interval_text(c['accuracy'])})",
            )
        )
    series = [
        Series(model + (f" ≤{budget}" if budget else ""), tuple(groups[model, budget]), index)
        for index, (model, budget) in enumerate(names)
        if (model, budget) in groups
    ]
    ticks = [(float(i), mode.replace("_", " ")) for i, mode in enumerate(modes)]
    chart = line_chart(series, ticks, "accuracy by input form", "input form", summary["chance"]["questions"])
    return {"chart": chart, "legend": [(s.colour, s.name, s.dashed) for s in series]}


def side_by_side(summary: Summary) -> list[dict[str, Any]]:
    """Per model and budget: a table subject and type × mode."""
    models: dict[tuple[str, int | None], dict[str, Any]] = defaultdict(dict)
    for c in summary["conditions"]:
        models[c["model"], c["budget"]][c["mode"]] = c
    tables = []
    for (model, budget), conditions in sorted(models.items(), key=lambda m: (m[0][0], m[0][1] or 0)):
        modes = sorted(conditions, key=mode_rank)
        groups = []
        for by, title in (("by_subject", "Subject"), ("by_type", "Type")):
            names = sorted({name for c in conditions.values() for name in c[by]})
            rows = [
                {"name": TYPE_NAMES.get(name, name), "cells": [_cell(conditions[mode][by].get(name)) for mode in modes]}
                for name in names
            ]
            groups.append({"title": title, "rows": rows})
        tables.append({"model": model, "budget": budget, "modes": modes, "groups": groups})
    return tables


def _cell(estimate: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if estimate is None or estimate["mean"] is None:
        return None
    interval = estimate["interval"] or {}
    return {
        "bar": interval_bar(estimate["mean"], interval.get("low"), interval.get("high")),
        "text": percent(estimate["mean"]),
        "interval": interval_text(estimate),
        "n": estimate["questions"],
    }


def paired(
    rows: Sequence[Mapping[str, Any]], questions: Mapping[str, ScoredQuestion], what: str
) -> list[dict[str, Any]]:
    """Paired comparisons as text; `what` is `modes` or `models` (what differs)."""
    shown = []
    for row in rows:
        first, second = row["first"], row["second"]
        key = "mode" if what == "modes" else "model"
        difference = row["difference"] or 0.0
        interval = row["interval"]
        shown.append(
            {
                "where": first["model"] if what == "modes" else first["mode"],
                "budget": first["budget"],
                "first": first[key],
                "second": second[key],
                "main": what == "modes" and (first["mode"], second["mode"]) == ("text_image", "image_only"),
                "questions": row["questions"],
                "difference": signed(100 * difference),
                "sign": "up" if difference > 0 else "down" if difference < 0 else "same",
                "interval": "–"
                if interval is None
                else f"{signed(100 * interval['low'])} to {signed(100 * interval['high'])}",
                "lost": _flips(row["lost"], questions),
                "gained": _flips(row["gained"], questions),
                "lost_n": len(row["lost"]),
                "gained_n": len(row["gained"]),
                "mcnemar": p_value(row["mcnemar"]),
                "adjusted": p_value(row["adjusted"]),
                "wilcoxon": p_value(row["wilcoxon"]),
                "significant": row["adjusted"] is not None and row["adjusted"] < 0.05,
            }
        )
    return sorted(shown, key=lambda r: not r["main"])


def _flips(names: Sequence[str], questions: Mapping[str, ScoredQuestion]) -> dict[str, Any]:
    ordered = sorted(names, key=natural)
    return {
        "shown": [{"id": name, "label": question_label(questions[name])} for name in ordered[:MAX_FLIPS]],
        "more": max(0, len(names) - MAX_FLIPS),
    }


def natural(name: str) -> list[tuple[int, str]]:
    """Sort key that puts question 2 before question 10."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"([0-9]+)", name)]


def _short_title(question: ScoredQuestion) -> str:
    title = (question.paper_title or question.paper_id).strip()
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "…"


def told_apart(questions: Mapping[str, ScoredQuestion]) -> dict[str, ScoredQuestion]:
    """Questions whose papers bear the same (shortened) title get the first digits of the paper's id behind it."""
    papers: dict[str, set[str]] = defaultdict(set)
    for question in questions.values():
        papers[_short_title(question)].add(question.paper_id)
    result = {}
    for name, question in questions.items():
        title = _short_title(question)
        if len(papers[title]) > 1:
            title = f"{title.removesuffix('…')[: MAX_TITLE - 6]} #{question.paper_id[:4]}"
            question = question.model_copy(update={"paper_title": title})  # noqa: PLW2901
        result[name] = question
    return result


def question_label(question: ScoredQuestion) -> str:
    """Paper title, section and printed number."""
    title = _short_title(question)
    section = f" {question.section}" if question.section else ""
    return f"{title} ·{section} {question.number}"


def kind_of(score: Score) -> str:
    """The one class of an attempt in the chart of outcomes."""
    if score.status in {"error", "undecided"}:
        return score.status
    if score.verdict == "correct":
        return "correct"
    if score.refused:
        return "refused"
    if score.truncated and score.no_answer:
        return "truncated"
    if score.no_answer:
        return "no_answer"
    return score.verdict or "wrong"


def outcome_bars(scores: Sequence[Score], summary: Summary) -> list[dict[str, Any]]:
    """Stacked outcome counts and process errors per condition."""
    conditions = {c["label"]: c for c in summary["conditions"]}
    rows = []
    ordered = sorted(by_condition(scores).items(), key=lambda g: (g[0][0], mode_rank(g[0][1]), g[0][2] or 0))
    for condition, group in ordered:
        counts = dict.fromkeys(KINDS, 0)
        for score in group:
            counts[kind_of(score)] += 1
        label = condition_label(condition)
        process = conditions[label]["process"]
        rows.append(
            {
                "label": label,
                "budget": condition[2],
                "bar": stacked_bar(list(counts.items())),
                "kinds": [(name, ERROR_KIND_NAMES[name], percent(share)) for name, share in process["kinds"].items()],
                "labels": [
                    (name.replace("_", " "), percent(share))
                    for name, share in process["labels"].items()
                    if share and name != "correct"
                ],
                "process_n": process["read"],
                "process_asked": process["asked"],
            }
        )
    return rows
