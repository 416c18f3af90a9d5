"""A mock exam: the whole paper in one conversation under one total budget."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import anyio.to_thread
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser

from exam_mode.calls import Call
from exam_mode.forms.base import Context, Request
from exam_mode.forms.mock_exam import boxed, build_paper, read_sheet, sheet_key
from exam_mode.items import Item
from exam_mode.prompts import fill
from exam_mode.records import sheet_call
from exam_mode.replies import Reply, together
from exam_mode.units import Unit
from wholepage.errors import WholepageError

if TYPE_CHECKING:
    from exam_mode.asking import Asker

SHEET_TOKENS = 16  # less than this left of the budget buys no answer sheet


async def sit_paper(asker: Asker, unit: Unit, place: AsyncExitStack) -> tuple[Call, list[ChatMessage]]:
    """Let the taker sit one paper.

    When its reply holds no answer sheet and budget is left, it is asked once more for the sheet alone. A conversation
    that still ends without one is an attempt: every question has an empty response.
    """
    from exam_mode.asking import to_messages

    context = asker.session.context(unit.model)
    price = asker.session.price(unit.model)
    try:
        items, request = await anyio.to_thread.run_sync(_built, asker, unit, context)
    except WholepageError as error:
        return sheet_call(unit, Reply(error=str(error)), None, None, {}), []
    keys = {sheet_key(item): item.id for item in items}
    messages = to_messages(request)
    cap = unit.budget.tokens if unit.budget else None
    await asker.take_place(place, request, cap)
    replies = [await asker.generate(messages, unit, items, cap, sheet=True)]
    sheet = read_sheet(replies[0].text, list(keys))
    left = _left(cap, replies[0])
    if sheet is None and replies[0].error is None and (left is None or left >= SHEET_TOKENS):
        language = context.speech(items[0].source)
        messages = [
            *messages,
            ChatMessageAssistant(content=replies[0].text),
            ChatMessageUser(content=fill("mock_sheet", language)),
        ]
        replies.append(await asker.generate(messages, unit, items, left, sheet=True))
        sheet = read_sheet(replies[1].text, list(keys))
    whole = together(replies)
    answers = {keys[key]: boxed(entries) for key, entries in (sheet or {}).items()}
    return sheet_call(unit, whole, request, price, answers), messages


def _built(asker: Asker, unit: Unit, context: Context) -> tuple[tuple[Item, ...], Request]:
    items = tuple(asker.item(name) for name in unit.questions)
    return items, build_paper(items, context, unit.budget)


def _left(cap: int | None, reply: Reply) -> int | None:
    """Tokens left of the budget; None without one, 0 when the reply's length is not known."""
    if cap is None:
        return None
    return max(0, cap - reply.generated) if reply.generated is not None else 0
