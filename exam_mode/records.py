"""From a reply to the record of a call, with its attempts in the form of docs/scoring.md."""

from __future__ import annotations

from typing import Any

from exam_mode.calls import Call
from exam_mode.forms.base import Request
from exam_mode.prices import Price
from exam_mode.replies import Reply
from exam_mode.units import Unit

SCHEMA_ID = "wholepage/attempt@1"


def answer_call(unit: Unit, reply: Reply, request: Request | None, price: Price | None) -> Call:
    """The call of a single question with its one attempt."""
    call = _call(unit, reply, request, price)
    call.attempts = [attempt_record(unit, unit.questions[0], reply, request, price)]
    return call


def probe_call(unit: Unit, reply: Reply, request: Request, price: Price | None) -> Call:
    """The call that asked for a transcription."""
    call = _call(unit, reply, request, price)
    call.transcription = None if reply.error else reply.text
    return call


def sheet_call(unit: Unit, reply: Reply, request: Request | None, price: Price | None, answers: dict[str, str]) -> Call:
    """The call of a whole paper. `answers` maps question ids to responses; the response of others is empty.

    The tokens belong to the conversation, not to single questions: they stand in the call and in each attempt's
    `conversation`, and each attempt's own usage is unknown.
    """
    call = _call(unit, reply, request, price)
    whole = {"questions": len(unit.questions), "usage": reply.usage(len(request.images) if request else 0)}
    if call.cost is not None:
        whole["cost"] = {"amount": call.cost, "currency": call.currency}
    for question_id in unit.questions:
        record = attempt_record(unit, question_id, reply, request, None)
        record |= {"response": answers.get(question_id, ""), "reasoning": "", "usage": {}, "conversation": whole}
        call.attempts.append(record | {"cost": None, "seconds": None})
    return call


def attempt_record(
    unit: Unit, question_id: str, reply: Reply, request: Request | None, price: Price | None
) -> dict[str, Any]:
    """One attempt, plain data."""
    budget = unit.budget
    cost = reply.cost(price)
    return {
        "schema": SCHEMA_ID,
        "paper_id": unit.paper_id,
        "question_id": question_id,
        "mode": unit.mode,
        "model": unit.model,
        "epoch": unit.epoch,
        "budget": budget and {"tokens": budget.tokens, "requested": budget.requested, "enforced": reply.within(budget)},
        "response": reply.text,
        "reasoning": reply.reasoning,
        "finish_reason": reply.finish_reason,
        "usage": reply.usage(len(request.images) if request else 0),
        "cost": None if cost is None or price is None else {"amount": cost, "currency": price.currency},
        "seconds": round(reply.seconds, 3),
        "error": reply.error,
        "needs_figure": unit.needs_figure,
    }


def _call(unit: Unit, reply: Reply, request: Request | None, price: Price | None) -> Call:
    return Call(
        unit=unit.key,
        kind=unit.kind,
        mode=unit.mode,
        model=unit.model,
        ok=reply.error is None,
        error=reply.error,
        input_tokens=reply.input_tokens,
        cached_tokens=reply.cached_tokens,
        output_tokens=reply.generated,
        cost=reply.cost(price),
        currency=price.currency if price else None,
        seconds=round(reply.seconds, 3),
        request=request.digest() if request else "",
        images=[image.sha256 for image in request.images] if request else [],
    )
