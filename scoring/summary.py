"""All figures of a run as one JSON-ready dictionary, `summary.json`.

Accuracy and points are taken over marked attempts. Undecided attempts and attempts in error are counted apart, never
as 0 or 1; `bounds` says how far the undecided could move the accuracy.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scoring import efficiency, process, stats, stats_epochs
from scoring.attempts import AttemptIssue
from scoring.profiles import Profile
from scoring.scores import SUMMARY_SCHEMA, Condition, Score, ScoredQuestion
from scoring.stats_items import chance_level
from scoring.summary_compare import budget_curves, comparisons, item_table

Summary = dict[str, Any]


def condition_label(condition: Condition) -> str:
    """`model · mode`, with the budget where there is one."""
    model, mode, budget = condition
    return f"{model} · {mode}" + (f" · ≤{budget}" if budget is not None else "")


def by_condition(scores: Sequence[Score]) -> dict[Condition, list[Score]]:
    """Scores grouped by model, mode and budget, sorted."""
    groups: dict[Condition, list[Score]] = defaultdict(list)
    for score in scores:
        groups[score.condition].append(score)
    return dict(sorted(groups.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or 0)))


def summarise(
    scores: Sequence[Score],
    questions: Mapping[str, ScoredQuestion],
    profile: Profile,
    issues: Sequence[AttemptIssue] = (),
) -> Summary:
    """Every figure of the report. `scores` may hold any number of models, modes, budgets and epochs."""
    groups = by_condition(scores)
    references = efficiency.mean_lengths((f"{s.mode}\0{s.question_id}", s.generated_tokens) for s in scores)
    conditions = [_condition(c, group, questions, profile, references) for c, group in groups.items()]
    return {
        "schema": SUMMARY_SCHEMA,
        "profile": profile.label,
        "attempts": len(scores),
        "status": dict(sorted(Counter(s.status for s in scores).items())),
        "papers": len({s.paper_id for s in scores}),
        "questions": len({s.question_id for s in scores}),
        "conditions": conditions,
        "chance": asdict(chance_level([(q.chance, q.points) for q in questions.values()])),
        "comparisons": comparisons(groups, questions),
        "budgets": budget_curves(scores),
        "items": item_table(scores),
        "judges": _judges(scores),
        "issues": dict(sorted(Counter(issue.code for issue in issues).items())),
    }


def question_values(scores: Sequence[Score], value: str) -> dict[str, float]:
    """One value a question, the mean over its marked epochs; `value` is `correct` or `fraction`."""
    groups: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        if score.status == "marked" and score.fraction is not None:
            groups[score.question_id].append(float(score.correct) if value == "correct" else score.fraction)
    return {question: math.fsum(v) / len(v) for question, v in groups.items()}


def _condition(
    condition: Condition,
    scores: Sequence[Score],
    questions: Mapping[str, ScoredQuestion],
    profile: Profile,
    references: Mapping[str, float],
) -> dict[str, Any]:
    model, mode, budget = condition
    marked = [s for s in scores if s.status == "marked"]
    correct = question_values(scores, "correct")
    fractions = question_values(scores, "fraction")
    total = len(scores)
    return {
        "label": condition_label(condition),
        "model": model,
        "mode": mode,
        "budget": budget,
        "budget_enforced": budget is not None and all(s.budget_enforced for s in scores),
        "profile": profile.label,
        "attempts": total,
        "marked": len(marked),
        "questions": len({s.question_id for s in scores}),
        "epochs": len({s.epoch for s in scores}),
        "accuracy": _estimate(correct, questions),
        "fraction": _estimate(fractions, questions),
        "bounds": _bounds(scores),
        "macro": {by: stats.macro_mean(_grouped(correct, questions, by)) for by in ("paper", "subject", "type")},
        "micro": stats.micro_mean({"all": list(correct.values())}),
        "by_subject": _by(correct, questions, "subject"),
        "by_type": _by(correct, questions, "type"),
        "by_paper": _by(correct, questions, "paper"),
        "exam": _exam(scores, questions, profile),
        "process": _process(scores),
        "direct_score": _direct(marked),
        "rates": _rates(scores),
        "efficiency": _efficiency(scores, profile, references),
        "epoch_figures": _epochs(marked),
        "verdicts": dict(sorted(Counter(s.verdict or s.status for s in scores).items())),
        "chance": asdict(chance_level([(questions[q].chance, questions[q].points) for q in sorted(correct)])),
    }


def group_of(question: ScoredQuestion, by: str) -> str:
    """Name of the group that a question falls in, by `paper`, `subject` or `type`."""
    if by == "paper":
        return question.paper_id
    return (question.subject if by == "subject" else question.type) or "unknown"


def _grouped(values: Mapping[str, float], questions: Mapping[str, ScoredQuestion], by: str) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for name in sorted(values):
        groups[group_of(questions[name], by)].append(values[name])
    return dict(sorted(groups.items()))


def _estimate(values: Mapping[str, float], questions: Mapping[str, ScoredQuestion]) -> dict[str, Any]:
    names = sorted(values)
    return asdict(stats.estimate([values[n] for n in names], [questions[n].paper_id for n in names]))


def _by(values: Mapping[str, float], questions: Mapping[str, ScoredQuestion], by: str) -> dict[str, Any]:
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for name, value in values.items():
        groups[group_of(questions[name], by)][name] = value
    return {group: _estimate(inner, questions) for group, inner in sorted(groups.items())}


def _bounds(scores: Sequence[Score]) -> dict[str, float | None]:
    """Accuracy over attempts if all undecided were wrong, and if all were right; errors stay out."""
    decided = [s for s in scores if s.status == "marked"]
    undecided = sum(s.status == "undecided" for s in scores)
    n = len(decided) + undecided
    right = sum(s.correct for s in decided)
    return {"low": right / n if n else None, "high": (right + undecided) / n if n else None}


def _exam(scores: Sequence[Score], questions: Mapping[str, ScoredQuestion], profile: Profile) -> dict[str, Any]:
    """OCS, PES, OES. Without any points all questions weigh 1; with some, those without points are left out."""
    marked = [s for s in scores if s.status == "marked" and s.fraction is not None]
    weighed = [s for s in marked if (questions[s.question_id].points or 0) > 0]
    equal = not weighed
    items = [
        process.ExamItem(1.0 if equal else questions[s.question_id].points or 1.0, s.fraction or 0.0, _vote(s))
        for s in (marked if equal else weighed)
    ]
    result = asdict(process.exam_scores(items, profile.process))
    return result | {
        "weights": "equal" if equal else "points",
        "without_points": 0 if equal else len(marked) - len(items),
    }


def _vote(score: Score) -> process.KindVote | None:
    record = score.process
    if record is None or record.kinds is None:
        return None
    present = tuple(kind for kind in process.ERROR_KINDS if kind in record.kinds)
    return process.KindVote(present, record.root_errors or 0, record.critics, record.votes)


def _process(scores: Sequence[Score]) -> dict[str, Any]:
    asked = [s.process for s in scores if s.process is not None]
    votes = [record for record in asked if record.kinds is not None]
    stepped = [record for record in asked if record.steps is not None]
    labels: dict[str, float | None] = {}
    if stepped:
        labels = {name: stats.mean([r.labels.get(name, 0.0) for r in stepped]) for name in process.STEP_LABELS}
    return {
        "asked": len(asked),
        "read": len(votes) + len(stepped),
        "kinds": {k: sum(k in (r.kinds or ()) for r in votes) / len(votes) for k in process.ERROR_KINDS}
        if votes
        else {},
        "step_score": stats.mean([record.steps or 0.0 for record in stepped]),
        "labels": labels,
    }


def _direct(marked: Sequence[Score]) -> float | None:
    """Mean over attempts of the mean over sub-answers (K12Vista)."""
    values = [process.direct_score([part.fraction or 0.0 for part in s.parts]) for s in marked]
    return stats.mean([value for value in values if value is not None])


def _rates(scores: Sequence[Score]) -> dict[str, float]:
    n = len(scores)
    answered = [s for s in scores if s.status != "error"]
    return {
        "refusal": sum(s.refused for s in answered) / n,
        "truncation": sum(s.truncated for s in answered) / n,
        "error": sum(s.status == "error" for s in scores) / n,
        "undecided": sum(s.status == "undecided" for s in scores) / n,
        "no_answer": sum(s.no_answer for s in answered) / n,
    }


def _efficiency(scores: Sequence[Score], profile: Profile, references: Mapping[str, float]) -> dict[str, Any]:
    marked = [s for s in scores if s.status == "marked"]
    rules = profile.length
    items = [
        efficiency.LengthItem(
            float(s.correct),
            s.generated_tokens,
            float(rules.tokens or 0) if rules.reference == "fixed" else references.get(f"{s.mode}\0{s.question_id}"),
        )
        for s in marked
    ]
    both = [
        (
            s.correct,
            None if s.input_tokens is None or s.generated_tokens is None else s.input_tokens + s.generated_tokens,
        )
        for s in marked
    ]
    currencies = sorted({s.currency for s in marked if s.currency})
    lengths = [s.generated_tokens for s in marked if s.generated_tokens is not None]
    return {
        "arl": asdict(efficiency.arl(items, rules.factor)),
        "mean_length": stats.mean([float(n) for n in lengths]),
        "generated_per_correct": asdict(efficiency.per_correct((s.correct, s.generated_tokens) for s in marked)),
        "tokens_per_correct": asdict(efficiency.per_correct(both)),
        "money_per_correct": {
            name: asdict(efficiency.per_correct((s.correct, s.cost if s.currency == name else None) for s in marked))
            for name in currencies
        },
        "seconds_mean": stats.mean([s.seconds for s in marked if s.seconds is not None]),
    }


def _epochs(marked: Sequence[Score]) -> dict[str, Any]:
    groups: dict[str, list[stats_epochs.EpochAnswer]] = defaultdict(list)
    for score in sorted(marked, key=lambda s: (s.question_id, s.epoch)):
        text = " | ".join(part.extracted or "" for part in score.parts).strip(" |")
        groups[score.question_id].append(stats_epochs.EpochAnswer(text or score.extracted, score.correct))
    most = max((len(answers) for answers in groups.values()), default=0)
    ks = [k for k in (1, 2, 4, 8, 16, 32, 64) if k <= most]
    return {
        "pass_at_1": stats.mean([v for a in groups.values() if (v := stats_epochs.pass_at_1(a)) is not None]),
        "pass_at_k": {str(k): _pass_at_k(list(groups.values()), k) for k in ks},
        "majority_vote": stats.mean([v for a in groups.values() if (v := stats_epochs.majority_vote(a)) is not None]),
        "self_consistency": stats.mean(
            [v for a in groups.values() if (v := stats_epochs.self_consistency(a)) is not None]
        ),
        "max_epochs": most,
    }


def _pass_at_k(groups: Sequence[Sequence[stats_epochs.EpochAnswer]], k: int) -> dict[str, Any]:
    values = [stats_epochs.pass_at_k(len(a), sum(x.correct for x in a), k) for a in groups]
    known = [v for v in values if v is not None]
    return {"value": stats.mean(known), "questions": len(known)}


def _judges(scores: Sequence[Score]) -> dict[str, Any]:
    judged = [s for s in scores if any(part.opinions for part in s.parts)]
    parts = [part for s in judged for part in s.parts if part.opinions]
    errors = [error for s in scores for error in s.judge_errors]
    by_judge: dict[str, Counter[str]] = defaultdict(Counter)
    for error in errors:
        by_judge[error.judge][error.kind] += 1
    return {
        "attempts_judged": len(judged),
        "parts_judged": len(parts),
        "disagreement_mean": stats.mean([part.disagreement for part in parts]),
        "parts_with_disagreement": sum(part.disagreement > 0 for part in parts),
        "errors": dict(sorted(Counter(error.kind for error in errors).items())),
        "errors_by_judge": {judge: dict(sorted(kinds.items())) for judge, kinds in sorted(by_judge.items())},
    }
