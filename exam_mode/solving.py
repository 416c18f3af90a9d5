"""The solver and the scorer of exam tasks, and the samples they take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio.to_thread
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from exam_mode.asking import Asker
from exam_mode.budgets import Budget
from exam_mode.guard import RunStopped
from exam_mode.session import Session
from exam_mode.units import Unit


def samples(units: Iterable[Unit]) -> MemoryDataset:
    """One sample a unit. A sample names its question; what the taker is shown is built when it is asked."""
    return MemoryDataset([_sample(unit) for unit in units], name="wholepage")


def _sample(unit: Unit) -> Sample:
    about = unit.paper_id if unit.mode == "mock_exam" else unit.questions[0]
    budget = unit.budget and {"tokens": unit.budget.tokens, "requested": unit.budget.requested}
    metadata = {
        "kind": unit.kind,
        "mode": unit.mode,
        "paper_id": unit.paper_id,
        "questions": list(unit.questions),
        "epoch": unit.epoch,
        "budget": budget,
        "needs_figure": unit.needs_figure,
    }
    return Sample(input=f"{unit.mode} {about}", id=f"{about} e{unit.epoch}", metadata=metadata)


def unit_of(state: TaskState, model: str) -> Unit:
    """The unit that a sample stands for. inspect-ai's own epochs are used where the task leaves them to it."""
    data = state.metadata
    budget = Budget(**data["budget"]) if data["budget"] else None
    epoch = data["epoch"] or state.epoch
    questions = tuple(data["questions"])
    return Unit(data["kind"], data["mode"], model, data["paper_id"], questions, epoch, budget, data["needs_figure"])


def exam_solver(session: Session, model: str | None = None) -> Solver:
    """A solver that asks one unit a sample. `model` is the name under which attempts are recorded."""

    @solver(name="sit_exam")
    def sit_exam() -> Solver:
        askers: dict[str, Asker] = {}

        async def solve(state: TaskState, generate: Generate) -> TaskState:
            taker = get_model()
            asker = askers.setdefault(str(taker), Asker(session, taker))
            try:
                call, messages = await asker.ask(unit_of(state, model or str(taker)))
            except RunStopped as stop:
                state.metadata["stopped"] = str(stop)
                state.completed = True
                return state
            text = "\n\n".join(str(a["response"]) for a in call.attempts) or call.transcription or ""
            state.messages = messages or [ChatMessageUser(content=state.input_text)]
            state.output = ModelOutput.from_content(str(taker), text, error=call.error)
            state.messages.append(state.output.message)
            state.metadata["attempts"] = call.attempts
            state.metadata["error"] = call.error
            return state

        return solve

    return sit_exam()


def rules_scorer(session: Session) -> Scorer:
    """Marks by the rules of scoring alone; what they cannot decide is left unscored, never a zero."""

    @scorer(metrics=[mean(), stderr()], name="exam_rules")
    def exam_rules() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            attempts = state.metadata.get("attempts") or []
            if state.metadata.get("error") or not attempts:
                return Score.unscored(reason=str(state.metadata.get("error") or "not asked"))
            return await anyio.to_thread.run_sync(_mark, session, attempts)

        return score

    return exam_rules()


def _mark(session: Session, attempts: list[dict[str, Any]]) -> Score:
    """Mean fraction over the attempts that rules decide."""
    from scoring.bank import BankItem
    from scoring.marking import gold_of
    from scoring.outcome import mark
    from scoring.profiles import DEFAULT_PROFILE, load_profile

    profile = load_profile(DEFAULT_PROFILE)
    fractions, reasons = [], []
    for attempt in attempts:
        item = session.papers.item(attempt["question_id"])
        gold = gold_of(BankItem(item.paper, item.question), profile)
        if gold is None:
            reasons.append("no answer is known")
            continue
        outcome = mark(gold, attempt["response"])
        reasons.append(outcome.reason)
        if outcome.fraction is not None:
            fractions.append(outcome.fraction)
    if not fractions:
        return Score.unscored(reason="; ".join(reasons)[:500])
    return Score(value=sum(fractions) / len(fractions), explanation="; ".join(reasons)[:2000])
