"""Asking about a window until its reply can be used, or it is clear that none will be."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parse_templates.model.cache import ReplyFiles, request_key
from parse_templates.model.client import CapReachedError, ChatReply, ModelClient, NoReplyError
from parse_templates.model.lines import Book
from parse_templates.model.prompt import messages_for, repair_messages
from parse_templates.model.ranges import Claimed, Usable, check_ranges
from parse_templates.model.reply import CorrectionReply, KeyReply, UnusableReplyError, read_reply, reply_schema
from parse_templates.model.windows import Window, halves


@dataclass(frozen=True)
class Answered:
    """What came of one window. `failed` says why nothing did; `partly` why some of it could not be used."""

    window: Window
    questions: list[Claimed] = field(default_factory=list)
    key: list[KeyReply] = field(default_factory=list)
    corrections: list[CorrectionReply] = field(default_factory=list)
    failed: str = ""
    capped: bool = False
    partly: int = 0


@dataclass
class Tally:
    """Requests of one paper: sent, taken from the cache, failed, unusable replies that were shown to the model."""

    asked: int = 0
    cached: int = 0
    failed: int = 0
    repaired: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, name: str) -> None:
        """Count one."""
        with self.lock:
            setattr(self, name, getattr(self, name) + 1)

    def as_dict(self) -> dict[str, int]:
        """For `produced_by`."""
        return {"asked": self.asked, "cached": self.cached, "failed": self.failed, "repaired": self.repaired}


class Asker:
    """Asks about the windows of one paper."""

    def __init__(
        self,
        client: ModelClient,
        book: Book,
        starts: Sequence[int],
        files: ReplyFiles,
        images: Mapping[int, Path] | None = None,
    ) -> None:
        self.client, self.book, self.starts, self.files = client, book, starts, files
        self.images = images if client.options.vision else None
        self.tally = Tally()
        self._schema = reply_schema()

    def ask_all(self, windows: Sequence[Window]) -> list[Answered]:
        """Answers to all windows, in their order; a window whose reply was cut off comes back as its halves."""
        with ThreadPoolExecutor(max_workers=self.client.options.concurrency) as pool:
            return [answer for answers in pool.map(self._ask, windows) for answer in answers]

    def _ask(self, window: Window, split: bool = True) -> list[Answered]:
        messages = messages_for(self.book, window.lines, window.missing, self.images)
        keys: list[str] = []
        usable, failed, cut_off = None, "", False
        try:
            usable, failed, cut_off = self._until_usable(messages, window, keys)
        except NoReplyError as error:
            failed = str(error)
            self.tally.add("failed")
            return [Answered(window, failed=failed, capped=isinstance(error, CapReachedError))]
        if usable is not None:
            return [
                Answered(window, usable.questions, usable.key, usable.corrections, partly=len(usable.errors)),
            ]
        parts = halves(window, self.starts) if cut_off and split else []
        if parts:
            return [answer for part in parts for answer in self._ask(part, split=False)]
        self.files.drop(keys)
        self.tally.add("failed")
        return [Answered(window, failed=failed)]

    def _until_usable(
        self, messages: list[dict[str, Any]], window: Window, keys: list[str]
    ) -> tuple[Usable | None, str, bool]:
        """A usable reply, or why there is none and whether the last one was cut off."""
        request, best, failed = messages, None, ""
        for attempt in range(self.client.options.repairs + 1):
            try:
                reply = self._reply(request, keys)
            except NoReplyError:
                if best is None:
                    raise
                return best, "", False
            if reply.cut_off:
                return best, "the reply was cut off at its longest length", best is None
            try:
                usable = check_ranges(read_reply(reply.text), self.book, window.lines)
            except UnusableReplyError as error:
                # The model is told what is wrong; the paper is told that something was, in words of our own.
                failed, errors = "no reply followed the schema", [str(error)]
            else:
                if best is None or len(usable.errors) < len(best.errors):
                    best = usable
                errors = usable.errors
                if not errors:
                    return usable, "", False
            if attempt < self.client.options.repairs:
                self.tally.add("repaired")
            request = repair_messages(messages, reply.text, errors)
        # Only what is in range is left in a reply that stays partly wrong.
        return best, failed, False

    def _reply(self, request: list[dict[str, Any]], keys: list[str]) -> ChatReply:
        options = self.client.options
        key = request_key(options.model, options.base_url, request)
        keys.append(key)
        known = self.files.get(key)
        if known is not None:
            self.tally.add("cached")
            return known
        self.tally.add("asked")
        reply = self.client.ask(request, self._schema)
        self.files.put(key, reply)
        return reply
