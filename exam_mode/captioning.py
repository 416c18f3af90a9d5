"""Captions by a named model, one call a figure and run (questions may share figures), kept in the call log."""

from __future__ import annotations

from contextlib import AsyncExitStack

import anyio
import anyio.to_thread
from inspect_ai.model import Model, get_model

from exam_mode.calls import Call
from exam_mode.captioning_limits import CAPTION_TOKENS
from exam_mode.errors import ExamError
from exam_mode.forms.base import Request
from exam_mode.forms.captions import caption_request
from exam_mode.items import Item
from exam_mode.replies import Reply
from exam_mode.session import Session
from exam_mode.units import Unit
from wholepage.records import Figure


def caption_key(captioner: str, item: Item, figure: Figure) -> str:
    """The key of a caption's unit."""
    return f"caption|{captioner}|{item.paper.id}/{figure.id}|1|{CAPTION_TOKENS}"


async def captions_for(session: Session, item: Item) -> dict[str, str]:
    """Captions of the question's figures by figure id; those not made yet are asked for.

    Raises:
        ExamError: no captioner is named, or it failed.
        RunStopped: the run's cap is reached.
    """
    name = session.manner.captioner
    if name is None:
        raise ExamError("The form captions needs a captioning model.", hint="Name one with --captioner MODEL.")
    if name not in session.helpers:
        session.helpers[name] = get_model(name, memoize=False)
    model = session.helpers[name]
    for figure in item.figures:
        key = caption_key(name, item, figure)
        async with session.locks.setdefault(key, anyio.Lock()):
            if key not in session.captions:
                await _ask(session, model, name, item, figure)
    return {f.id: session.captions[caption_key(name, item, f)] for f in item.figures}


async def _ask(session: Session, model: Model, name: str, item: Item, figure: Figure) -> None:
    from exam_mode.asking import Asker, to_messages

    key = caption_key(name, item, figure)
    request = await anyio.to_thread.run_sync(caption_request, item.source, figure, session.context(name))
    unit = Unit("answer", "captions", name, item.paper.id, (item.id,), 1, None)
    asker = Asker(session, model)
    async with AsyncExitStack() as place:
        await asker.take_place(place, request, CAPTION_TOKENS)
        reply = await asker.generate(to_messages(request), unit, (item,), CAPTION_TOKENS)
        await _record(session, name, key, request, reply)
    if reply.error is not None:
        raise ExamError(f"Question {item.id}: no caption for figure {figure.id}: {reply.error}", code="exam.caption")
    session.captions[key] = reply.text.strip()


async def _record(session: Session, name: str, key: str, request: Request, reply: Reply) -> None:
    price = session.price(name)
    call = Call(
        unit=key,
        kind="caption",
        mode="captions",
        model=name,
        ok=reply.error is None,
        caption=None if reply.error else reply.text.strip(),
        error=reply.error,
        input_tokens=reply.input_tokens,
        cached_tokens=reply.cached_tokens,
        output_tokens=reply.generated,
        cost=reply.cost(price),
        currency=price.currency if price else None,
        seconds=round(reply.seconds, 3),
        request=request.digest(),
        images=[image.sha256 for image in request.images],
    )
    if session.calls is not None:
        await anyio.to_thread.run_sync(session.calls.append, call)
