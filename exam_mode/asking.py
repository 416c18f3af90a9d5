"""Ask one unit: build the request, wait for a place under the caps, call the model, record what came of it."""

from __future__ import annotations

import base64
import contextlib
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    Model,
)

from exam_mode.calls import Call
from exam_mode.current import ASKED, Asked
from exam_mode.errors import ExamError
from exam_mode.estimate import input_tokens
from exam_mode.forms import Context, Request, TextBlock, build
from exam_mode.forms.image_only import probe_request
from exam_mode.guard import UNCAPPED_OUTPUT
from exam_mode.items import Item
from exam_mode.logging_images import images_by_name, no_events
from exam_mode.records import answer_call, probe_call
from exam_mode.replies import Reply, read_output
from exam_mode.session import Session
from exam_mode.units import Unit
from wholepage.errors import WholepageError

FATAL_STATUS = (401, 403, 404)  # wrong key, no right, no such model: every further call would meet it


class Asker:
    """Asks units of one model in one session. `conversation` holds the messages of the unit asked last."""

    def __init__(self, session: Session, model: Model) -> None:
        self.session = session
        self.model = model
        self.name = str(model)

    async def ask(self, unit: Unit) -> tuple[Call, list[ChatMessage]]:
        """Ask the unit and append the outcome to the run's call log. Errors become calls that are not ok.

        Returns:
            the call, and the messages that were exchanged (images by file name).

        Raises:
            RunStopped: nothing more is asked in this session.
        """
        async with contextlib.AsyncExitStack() as place:  # given back once the call is on record
            if unit.mode == "mock_exam":
                from exam_mode.sitting import sit_paper

                call, messages = await sit_paper(self, unit, place)
            else:
                call, messages = await self._single(unit, place)
            if self.session.calls is not None:
                await anyio.to_thread.run_sync(self.session.calls.append, call)
        if self.session.guard is not None:
            self.session.guard.note(call.error)
        return call, messages

    async def _single(self, unit: Unit, place: contextlib.AsyncExitStack) -> tuple[Call, list[ChatMessage]]:
        try:
            item, request = await self._prepared(unit)
        except WholepageError as error:
            return answer_call(unit, Reply(error=str(error)), None, None), []
        messages = to_messages(request)
        cap = unit.budget.tokens if unit.budget else None
        cap = self.session.manner.probe_tokens if unit.kind == "probe" else cap
        await self.take_place(place, request, cap)
        reply = await self.generate(messages, unit, (item,), cap)
        record = probe_call if unit.kind == "probe" else answer_call
        return record(unit, reply, request, self.session.price(unit.model)), messages

    async def _prepared(self, unit: Unit) -> tuple[Item, Request]:
        """Question and request, made in a thread; one change of threads a call, since each may wait for the others."""
        context = self.session.context(unit.model)
        if unit.mode == "captions":
            from exam_mode.captioning import captions_for

            item = await anyio.to_thread.run_sync(self.item, unit.questions[0])
            if item.figures:
                context = replace(context, captions=await captions_for(self.session, item))
        return await anyio.to_thread.run_sync(self._built, unit, context)

    def _built(self, unit: Unit, context: Context) -> tuple[Item, Request]:
        item = self.item(unit.questions[0])
        return item, probe_request(item, context) if unit.kind == "probe" else build(unit.mode, item, context)

    def item(self, question_id: str) -> Item:
        """The question, checked to be the one that the run chose. Reads the paper when it is not in memory.

        Raises:
            ExamError: it is gone or was changed.
        """
        item = self.session.papers.item(question_id)
        known = self.session.manner.digests.get(question_id)
        if known is not None and known != item.digest():
            raise ExamError(
                f"Question {question_id} was changed since the exam began.", hint="Start a new exam.",
                code="exam.question_changed",
            )  # fmt: skip
        return item

    async def take_place(self, place: contextlib.AsyncExitStack, request: Request, cap: int | None) -> None:
        """Wait until the run's caps allow the call; the place is held until the stack is closed.

        Raises:
            RunStopped: a cap is reached or the run was stopped.
        """
        guard = self.session.guard
        if guard is None:
            return
        rule = self.session.context(self.name).images.limits.rule
        tokens, output = input_tokens(request, rule), cap or UNCAPPED_OUTPUT
        price = self.session.price(self.name)
        await place.enter_async_context(guard.call(tokens + output, price.of(tokens, output) if price else 0.0))

    async def generate(
        self, messages: list[ChatMessage], unit: Unit, items: tuple[Item, ...], cap: int | None, sheet: bool = False
    ) -> Reply:
        """One call of the model; every failure of it becomes the reply's error."""
        config = self._config(unit, cap)
        token = ASKED.set(Asked(items, unit.epoch, sheet))
        start = time.monotonic()
        try:
            sent = inlined(messages)  # pages are mostly in memory; reading one takes less than a change of threads
            with images_by_name(messages) if self.session.logged else no_events():
                output = await self.model.generate(sent, config=config, cache=self._cache(unit))
            return read_output(output, time.monotonic() - start)
        except Exception as error:
            return self._failed(error, time.monotonic() - start)
        finally:
            ASKED.reset(token)

    def _config(self, unit: Unit, cap: int | None) -> GenerateConfig:
        seed = self.session.manner.seed
        seed = None if seed is None else seed + unit.epoch - 1
        return GenerateConfig(max_tokens=cap, seed=seed, **self.session.delivery)

    def _cache(self, unit: Unit) -> CachePolicy | bool:
        """inspect-ai's cache of replies, apart for each epoch, where the user wants it."""
        return CachePolicy(expiry=None, scopes={"epoch": str(unit.epoch)}) if self.session.manner.cache else False

    def _failed(self, error: Exception, seconds: float) -> Reply:
        cause: BaseException | None = error
        while cause is not None:
            if getattr(cause, "status_code", None) in FATAL_STATUS and self.session.guard is not None:
                self.session.guard.note(describe(error), fatal=True)
                break
            cause = cause.__cause__
        return Reply(error=describe(error), seconds=seconds)


def describe(error: BaseException) -> str:
    """Type and message of an error on one line, short enough for a record."""
    text = " ".join(str(error).split()) or "no message"
    return f"{type(error).__name__}: {text[:500]}"


def to_messages(request: Request) -> list[ChatMessage]:
    """One user message; images are named by file, which is what stays of them in messages and logs."""
    content: list[Any] = [
        ContentText(text=b.text) if isinstance(b, TextBlock) else ContentImage(image=str(b.path), detail="high")
        for b in request.blocks
    ]
    return [ChatMessageUser(content=content)]


def inlined(messages: list[ChatMessage]) -> list[ChatMessage]:
    """The messages with image files as data URLs, the only form in which inspect-ai hands images to providers."""
    return [
        m
        if isinstance(m.content, str)
        else m.model_copy(update={"content": [_inline(c) if isinstance(c, ContentImage) else c for c in m.content]})
        for m in messages
    ]


def _inline(content: ContentImage) -> ContentImage:
    return content.model_copy(update={"image": _data_url(Path(content.image))})


@lru_cache(maxsize=32)  # questions of a paper follow each other: its pages are read once and shared by all requests
def _data_url(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
