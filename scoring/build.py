"""One attempt, its outcome by rules, the panel's verdict and the critics' findings → one `Score`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from scoring.attempts import Attempt, Source
from scoring.bank import BankItem, official_answers, official_solution, question_text
from scoring.efficiency import Price, price_of
from scoring.judges import JudgeError, PanelVerdict, PartPanel
from scoring.judges_prompt import Material
from scoring.outcome import Outcome
from scoring.process_critics import ProcessFinding
from scoring.profiles import Profile
from scoring.scores import JudgeErrorRecord, OpinionRecord, PartScore, ProcessRecord, Score, ScoredQuestion, Verdict

By = Literal["rules", "judges", "rules+judges", "nobody"]
# Where rules look when nothing is marked as the answer: in a cut-off text that is the middle of a thought.
_UNSTATED = frozenset({"", "nowhere", "last sentence", "last line", "first line", "whole response"})


def rule_parts(item: BankItem, outcome: Outcome | None) -> list[PartScore]:
    """The parts as rules left them; without a key, one undecided part for a judge to hold against the solution."""
    answers = official_answers(item.question)
    if outcome is None or not outcome.parts:
        reason = "the paper prints no official answer" if not answers else outcome.reason if outcome else ""
        official = "\n".join(answers)
        verdict: Verdict = outcome.verdict if outcome is not None else "undecided"
        by: Literal["rules", "nobody"] = "nobody" if verdict == "undecided" else "rules"
        fraction = outcome.fraction if outcome is not None else None
        return [PartScore(id="1", official=official, verdict=verdict, fraction=fraction, by=by, reason=reason)]
    parts = []
    for number, part in enumerate(outcome.parts, start=1):
        official = answers[number - 1] if len(outcome.parts) == len(answers) else " | ".join(answers)
        parts.append(
            PartScore(
                id=str(number),
                official=official,
                verdict=part.verdict,
                fraction=None if part.verdict == "undecided" else part.fraction,
                extracted=part.extracted or None,
                where=part.where,
                by="nobody" if part.verdict == "undecided" else "rules",
                rule=part.rule,
                reason=part.reason,
            )
        )
    return parts


def cut_off(parts: list[PartScore], attempt: Attempt, kind: str) -> list[PartScore]:
    """Parts that generation never reached are wrong, not undecided; otherwise a hard budget would flatter the model.

    Applies to a response that stopped at its length limit, to parts for which rules found no stated answer. Proofs and
    open questions are left alone: what is written of them may be worth marks, which is a judge's matter.
    """
    if not attempt.truncated or kind in {"proof", "open_ended", "unknown"}:
        return parts
    reason = "the response was cut off before an answer"
    lost = {"verdict": "wrong", "fraction": 0.0, "extracted": None, "by": "rules", "rule": "cut_off", "reason": reason}
    return [
        p.model_copy(update=lost) if p.verdict == "undecided" and (not p.extracted or p.where in _UNSTATED) else p
        for p in parts
    ]


def material_for(item: BankItem, response: str, parts: Sequence[PartScore] | None) -> Material | None:
    """What a judge sees of the undecided `parts`; what a critic sees with `parts` None.

    None when neither a key nor a solution exists: there is nothing to judge by.
    """
    question = item.question
    solution = official_solution(question)
    if parts is None:
        answers = official_answers(question)
        shown = tuple((str(number), answer) for number, answer in enumerate(answers, start=1))
    else:
        shown = tuple((part.id, part.official) for part in parts if part.verdict == "undecided")
    if not solution.strip() and not any(answer.strip() for _, answer in shown):
        return None
    return Material(question_text(question), shown, solution, response)


def judged(part: PartScore, panel: PartPanel) -> PartScore:
    """An undecided part with the panel's verdict."""
    return part.model_copy(
        update={
            "verdict": panel.verdict,
            "fraction": panel.fraction,
            "by": "nobody" if panel.verdict == "undecided" else "judges",
            "rule": "judges",
            "reason": panel.reason,
            "opinions": [
                OpinionRecord(judge=o.judge, verdict=o.verdict, fraction=o.fraction, reason=o.reason)
                for o in panel.opinions
            ],
            "mean": panel.mean,
            "majority": panel.majority,
            "disagreement": panel.disagreement,
        }
    )


def process_record(finding: ProcessFinding) -> ProcessRecord:
    """Findings as stored."""
    record = ProcessRecord(
        protocol=finding.protocol,
        critics=len(finding.found),
        asked=finding.asked,
        steps=finding.steps,
        labels=finding.labels,
        found=finding.found,
    )
    if finding.vote is not None:
        record.kinds = list(finding.vote.present)
        record.root_errors = finding.vote.errors
        record.votes = dict(finding.vote.votes)
    return record


def _error_records(errors: Sequence[JudgeError], role: Literal["judge", "critic"]) -> list[JudgeErrorRecord]:
    return [JudgeErrorRecord(judge=e.judge, kind=e.kind, message=e.message, role=role) for e in errors]


def base_score(attempt: Attempt, source: Source, item: BankItem, profile: Profile, price: Price | None) -> Score:
    """A score with everything but the marking."""
    usage = attempt.usage
    cost, currency = None, None
    if attempt.cost is not None:
        cost, currency = attempt.cost.amount, attempt.cost.currency
    elif price is not None:
        cost = price_of(price, usage.input_tokens, usage.generated, usage.cached_tokens)
        currency = price.currency
    return Score(
        profile=profile.label,
        paper_id=item.paper.id,
        question_id=item.question.id,
        mode=attempt.mode,
        model=attempt.model,
        epoch=attempt.epoch,
        budget=attempt.budget.tokens if attempt.budget else None,
        budget_enforced=bool(attempt.budget and attempt.budget.enforced),
        status="undecided",
        refused=attempt.refused,
        truncated=attempt.truncated,
        finish_reason=attempt.finish_reason,
        error=attempt.error,
        input_tokens=usage.input_tokens,
        generated_tokens=usage.generated,
        reasoning_tokens=usage.reasoning_tokens,
        cached_tokens=usage.cached_tokens,
        images=usage.images,
        seconds=attempt.seconds,
        cost=cost,
        currency=currency,
        response=attempt.response,
        source_file=source.file,
        source_line=source.line,
        source_sha256=source.sha256,
    )


def finish(
    score: Score,
    parts: list[PartScore],
    outcome: Outcome | None,
    panel: PanelVerdict | None,
    finding: ProcessFinding | None,
    points: float | None,
) -> Score:
    """Fill in the marking: parts by rules, replaced by the panel's verdict where rules left them undecided."""
    if panel is not None:
        by_id = {part.id: part for part in panel.parts}
        parts = [judged(p, by_id[p.id]) if p.id in by_id else p for p in parts]
        score.judges_asked = panel.asked
        score.judge_errors = _error_records(panel.errors, "judge")
    score.parts = parts
    score.verdict, score.fraction = total(parts, outcome)
    score.by = _by(parts)
    score.status = "undecided" if score.verdict == "undecided" else "marked"
    score.rule = outcome.rule if outcome is not None else ""
    score.extracted = " | ".join(text for text in outcome.extracted if text) or None if outcome is not None else None
    cut = bool(parts) and all(p.rule == "cut_off" for p in parts)
    if cut:
        score.extracted, score.rule = None, "cut_off"
    score.no_answer = score.by == "rules" and not score.extracted and not any(p.extracted for p in parts)
    open_reasons = [p.reason for p in parts if p.verdict == "undecided"]
    score.reason = "; ".join(dict.fromkeys(open_reasons)) if open_reasons else outcome.reason if outcome else ""
    if cut:
        score.reason = parts[0].reason
    elif score.by == "judges" or (score.by == "rules+judges" and not open_reasons):
        score.reason = "; ".join(dict.fromkeys(p.reason for p in parts if p.by == "judges"))
    if finding is not None:
        score.process = process_record(finding)
        score.judge_errors = [*score.judge_errors, *_error_records(finding.errors, "critic")]
    score.marks = score.fraction * points if score.fraction is not None and points is not None else None
    return score


def total(parts: Sequence[PartScore], outcome: Outcome | None) -> tuple[Verdict, float | None]:
    """Verdict and fraction of the whole: the rules' own when they decided everything, else the mean over parts."""
    if any(part.verdict == "undecided" for part in parts):
        return "undecided", None
    if outcome is not None and outcome.verdict != "undecided":
        return outcome.verdict, outcome.fraction
    fraction = sum(part.fraction or 0.0 for part in parts) / len(parts)
    return ("correct" if fraction == 1 else "wrong" if fraction == 0 else "partial"), fraction


def _by(parts: Sequence[PartScore]) -> By:
    used = {part.by for part in parts}
    if "judges" in used:
        return "rules+judges" if "rules" in used else "judges"
    return "rules" if "rules" in used and "nobody" not in used else "nobody"


def nothing_to_mark(score: Score, parts: list[PartScore], rule: str, reason: str, points: float | None) -> Score:
    """An attempt that holds no answer (empty or refused): wrong, without asking anybody."""
    score.parts = [
        p.model_copy(update={"verdict": "wrong", "fraction": 0.0, "by": "rules", "rule": rule, "reason": reason})
        for p in parts
    ]
    score.status, score.verdict, score.fraction, score.by = "marked", "wrong", 0.0, "rules"
    score.rule, score.reason, score.no_answer = rule, reason, True
    score.marks = 0.0 if points is not None else None
    return score


def left_open(score: Score, parts: list[PartScore], rule: str, reason: str) -> Score:
    """An attempt without an answer to a question that nobody can mark: undecided like every other answer to it."""
    open_part = {"verdict": "undecided", "fraction": None, "by": "nobody", "rule": rule, "reason": reason}
    score.parts = [p.model_copy(update=open_part) for p in parts]
    score.status, score.verdict, score.fraction, score.by = "undecided", "undecided", None, "nobody"
    score.rule, score.reason, score.no_answer = rule, reason, True
    return score


def scored_question(item: BankItem, chance: float | None) -> ScoredQuestion:
    """What the report needs of a question."""
    question, paper = item.question, item.paper
    return ScoredQuestion(
        id=question.id,
        paper_id=paper.id,
        paper_title=paper.title,
        number=question.number,
        section=question.section,
        subject=paper.subject,
        type=question.type,
        points=question.points,
        text=question_text(question),
        labels=[option.label for option in question.options],
        answer=official_answers(question),
        solution=official_solution(question),
        regions=list(question.regions),
        tags=list(question.tags),
        status=question.status,
        chance=chance,
    )


def price_table(entries: Mapping[str, Mapping[str, float | str | None]]) -> dict[str, Price]:
    """Prices by model from a parsed price file.

    Raises:
        ValueError: no mapping, or an entry without a known input and output price. None is not free of charge.
    """
    if not isinstance(entries, Mapping):
        raise ValueError("write one `model: {input: …, output: …}` entry a model")
    table = {}
    for model, entry in entries.items():
        if not isinstance(entry, Mapping):
            raise ValueError(f"{model}: write {{input: …, output: …}}, money per million tokens")
        cached = entry.get("cached_input")
        table[str(model)] = Price(
            _money(model, entry, "input"),
            _money(model, entry, "output"),
            None if cached is None else _money(model, entry, "cached_input"),
            str(entry.get("currency") or "USD"),
        )
    return table


def _money(model: object, entry: Mapping[str, float | str | None], name: str) -> float:
    value = entry.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"{model}: {name} must be a number of 0 or more per million tokens, not {value!r}")
    return float(value)
