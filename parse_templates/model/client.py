"""Requests to an OpenAI-compatible server: bounded in tries, time, bytes, tokens and money.

The key goes to its own address only: redirects are not followed.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from parse_templates.model.budget import Budget, most_tokens
from parse_templates.model.options import ModelOptions
from wholepage.errors import MissingExtraError

if TYPE_CHECKING:
    from openai import OpenAI

MAX_REPLY_BYTES = 4_000_000
LONGEST_PAUSE = 30.0
FATAL_STATUS = frozenset({401, 402, 403, 404, 405})
FORMAT_STATUS = frozenset({400, 404, 415, 422, 501})  # what servers say to a form of output that they lack
RETRY_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
Message = dict[str, Any]


class NoReplyError(Exception):
    """A request that got no usable reply; counted, and asked again by the next run."""


class EndpointError(NoReplyError):
    """The server cannot be used at all: nobody listens, or it refuses key or model. No further request is made."""


class CapReachedError(NoReplyError):
    """The run's cap on tokens or money leaves too little for this request."""


class _LongReplyError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The text of a reply, and whether it was cut off at the longest length."""

    text: str
    cut_off: bool
    usage: tuple[int, int] | None = None


def import_openai() -> Any:
    """The openai package, or MissingExtraError with the install line."""
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError.for_extra("model", "openai") from error
    return openai


class ModelClient:
    """Sends messages to one server. Safe to use from several threads.

    Raises:
        MissingExtraError: the openai package is not installed.
    """

    def __init__(
        self, options: ModelOptions, budget: Budget | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.options = options
        self.budget = budget or Budget(options)
        self._sleep = sleep
        self._openai = import_openai()
        self._lock = threading.Lock()
        self._formats = ["json_schema", "json_object", "text"]
        self._limit = "max_tokens"
        self._temperature = True
        self._dead = ""
        self._client = self._connect()

    def _connect(self) -> OpenAI:
        local = urlsplit(self.options.base_url).hostname in {"127.0.0.1", "localhost", "::1"}
        # A proxy from the environment never sees requests to this machine.
        http = self._openai.DefaultHttpxClient(follow_redirects=False, trust_env=not local)
        client: OpenAI = self._openai.OpenAI(
            base_url=self.options.base_url,
            api_key=self.options.api_key.get_secret_value() or "none",
            max_retries=0,
            timeout=self.options.timeout,
            http_client=http,
        )
        return client

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def ask(self, messages: Sequence[Message], schema: dict[str, Any], model: str | None = None) -> ChatReply:
        """The reply to `messages`, whatever its text; `schema` is asked for in the strictest form the server takes.

        Raises:
            NoReplyError: rate limits, server errors, time-outs or broken replies in all tries.
            EndpointError: the server cannot be used.
            CapReachedError: a cap would be passed.
        """
        if self._dead:
            raise EndpointError(self._dead)
        images = sum(p["type"] == "image_url" for m in messages if isinstance(m["content"], list) for p in m["content"])
        held = (sum(most_tokens(_text(m)) for m in messages) + most_tokens("", images), self.options.reply_tokens)
        if not self.budget.hold(*held):
            raise CapReachedError("the cap on tokens or money leaves too little for this request")
        used: tuple[int, int] | None = None
        try:
            reply = self._tries(messages, schema, model or self.options.model)
            used = reply.usage or held
            return reply
        finally:
            self.budget.settle(held, used)

    def _tries(self, messages: Sequence[Message], schema: dict[str, Any], model: str) -> ChatReply:
        said, attempt, adapted = "no try was made", 0, 0
        while attempt < self.options.tries:
            attempt += 1
            wait: str | None = None
            try:
                return self._post(messages, schema, model)
            except self._openai.APIStatusError as error:
                said, wait = f"HTTP {error.status_code}", error.response.headers.get("retry-after")
                if adapted < 4 and self._adapt(error.status_code, str(error.message)):
                    adapted, attempt = adapted + 1, attempt - 1  # the server said what it lacks: no failed try
                    continue
                if error.status_code in FATAL_STATUS:
                    raise self._give_up(f"{self.options.base_url} refuses {model}: {said}") from error
                if error.status_code not in RETRY_STATUS:
                    break
            except Exception as error:
                said = self._said(error)
                unreached = said.startswith("no connection")
                if unreached and attempt == self.options.tries:
                    raise self._give_up(f"nothing answers at {self.options.base_url}") from error
            if attempt < self.options.tries:
                self._sleep(self._pause(attempt, wait))
        raise NoReplyError(f"{model}: {said}")

    def _said(self, error: Exception) -> str:
        """What kept a request from a reply. Errors that are none of the server's are raised on."""
        if isinstance(error, self._openai.APITimeoutError):
            return "no reply in time"
        if isinstance(error, self._openai.APIConnectionError):
            return "no connection"
        if isinstance(error, _LongReplyError):
            return "a reply without end"
        if isinstance(error, (ValueError, KeyError, IndexError, TypeError, AttributeError)):
            return "a reply that is no chat completion"
        # What the HTTP library raises while a body arrives is not wrapped by openai.
        if type(error).__module__.split(".")[0] in {"openai", "httpx", "httpx2", "httpcore", "httpcore2"}:
            return f"a broken reply ({type(error).__name__})"
        raise error

    def _give_up(self, message: str) -> EndpointError:
        with self._lock:
            self._dead = message
        return EndpointError(message)

    def _adapt(self, status: int, message: str) -> bool:
        """Learn from a refusal that names a parameter; whether the request changes by it."""
        said = message.lower()
        with self._lock:
            if status == 400 and self._limit == "max_tokens" and "max_completion_tokens" in said:
                self._limit = "max_completion_tokens"
            elif status == 400 and self._temperature and "temperature" in said:
                self._temperature = False
            elif (
                status in FORMAT_STATUS
                and len(self._formats) > 1
                and any(word in said for word in ("response_format", "json_schema", "json_object", "schema", "grammar"))
            ):
                self._formats = self._formats[1:]
            else:
                return False
            return True

    def _pause(self, attempt: int, retry_after: str | None) -> float:
        pause = self.options.pause * float(2 ** (attempt - 1))
        if retry_after is not None and retry_after.strip().isdigit():
            pause = max(pause, float(retry_after))
        return min(pause, LONGEST_PAUSE)

    def _post(self, messages: Sequence[Message], schema: dict[str, Any], model: str) -> ChatReply:
        body: dict[str, Any] = {"model": model, "messages": list(messages), self._limit: self.options.reply_tokens}
        if self._temperature:
            body["temperature"] = 0
        form = self._formats[0]
        if form == "json_schema":
            described = {"name": "structure", "strict": True, "schema": schema}
            body["response_format"] = {"type": form, "json_schema": described}
        elif form == "json_object":
            body["response_format"] = {"type": form}
        deadline = time.monotonic() + self.options.timeout
        data = bytearray()
        with self._client.chat.completions.with_streaming_response.create(**body) as response:
            for block in response.iter_bytes():
                data += block
                if len(data) > MAX_REPLY_BYTES or time.monotonic() > deadline:
                    raise _LongReplyError
        return _reply(bytes(data))


def _reply(data: bytes) -> ChatReply:
    """The first choice of a response body. Raises ValueError, KeyError, … when it is none."""
    try:
        body = json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    choice = body["choices"][0]
    message = choice["message"]
    text = message.get("content") or message.get("refusal") or ""
    if not isinstance(text, str):
        raise TypeError("content is no text")
    usage = body.get("usage") or {}
    sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
    counted = (sent, received) if isinstance(sent, int) and isinstance(received, int) else None
    return ChatReply(text, choice.get("finish_reason") == "length", counted)


def _text(message: Message) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)
