"""Ask one unit: build the request, wait for a place under the caps, call the model, record what came of it."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
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
from exam_mode.wire import ENCODED, URL, names_pages, stand_in
from wholepage.errors import WholepageError

FATAL_STATUS = (401, 403, 404)  # wrong key, no right, no such model: every further call would meet it


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is needed to ask a single question, or why it cannot be asked."""

    item: Item | None = None
    request: Request | None = None
    error: WholepageError | None = None


class Asker:
    """Asks units of one model in one session."""

    def __init__(self, session: Session, model: Model) -> None:
        self.session = session
        self.model = model
        self.name = str(model)

    async def ask(self, unit: Unit, prepared: Prepared | None = None) -> tuple[Call, list[ChatMessage]]:
        """Ask the unit and append the outcome to the run's call log. Errors become calls that are not ok.

        Args:
            unit: what to ask.
            prepared: what `prepare` gave for it; None to prepare it now.

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
                call, messages = await self._single(unit, prepared or await self._prepared(unit), place)
            if self.session.calls is not None:
                await anyio.to_thread.run_sync(self.session.calls.append, call)
        if self.session.guard is not None:
            self.session.guard.note(call.error)
        return call, messages

    async def _single(
        self, unit: Unit, prepared: Prepared, place: contextlib.AsyncExitStack
    ) -> tuple[Call, list[ChatMessage]]:
        item, request = prepared.item, prepared.request
        if item is None or request is None:
            return answer_call(unit, Reply(error=str(prepared.error)), None, None), []
        messages = to_messages(request)
        cap = unit.budget.tokens if unit.budget else None
        cap = self.session.manner.probe_tokens if unit.kind == "probe" else cap
        await self.take_place(place, request, cap)
        reply = await self.generate(messages, unit, (item,), cap)
        record = probe_call if unit.kind == "probe" else answer_call
        return record(unit, reply, request, self.session.price(unit.model)), messages

    def prepare(self, unit: Unit) -> Prepared | None:
        """Question and request of a unit, made before its turn; None where that takes calls of a model.

        It reads and writes files, so it is for a thread.
        """
        if unit.mode in ("mock_exam", "captions"):
            return None
        return self._built(unit, self.session.context(unit.model))

    async def _prepared(self, unit: Unit) -> Prepared:
        context = self.session.context(unit.model)
        if unit.mode == "captions":
            from exam_mode.captioning import captions_for

            try:
                item = await anyio.to_thread.run_sync(self.item, unit.questions[0])
                if item.figures:
                    context = replace(context, captions=await captions_for(self.session, item))
            except WholepageError as error:
                return Prepared(error=error)
        return await anyio.to_thread.run_sync(self._built, unit, context)

    def _built(self, unit: Unit, context: Context) -> Prepared:
        try:
            item = self.item(unit.questions[0])
            request = probe_request(item, context) if unit.kind == "probe" else build(unit.mode, item, context)
        except WholepageError as error:
            return Prepared(error=error)
        return Prepared(item, request)

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
            # pages are mostly in memory; reading one takes less than a change of threads
            sent = with_images(messages, names_pages(self.model, self.session.images))
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


def with_images(messages: list[ChatMessage], named: bool) -> list[ChatMessage]:
    """The messages with image files as data URLs, the only form in which inspect-ai hands images to providers.

    Args:
        messages: images by file.
        named: the URLs are stand-ins, which the HTTP client resolves (`exam_mode.wire`).

    Raises:
        ImageError: a file cannot be read.
    """
    return [
        m
        if isinstance(m.content, str)
        else m.model_copy(
            update={"content": [_inline(c, named) if isinstance(c, ContentImage) else c for c in m.content]}
        )
        for m in messages
    ]


def _inline(content: ContentImage, named: bool) -> ContentImage:
    path = Path(content.image)
    data = ENCODED.get(path)  # read in both cases, so that a missing file is said here and not by the HTTP client
    return content.model_copy(update={"image": stand_in(path) if named else URL + data.decode("ascii")})
