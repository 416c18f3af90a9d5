"""A local OpenAI-compatible endpoint for tests: answers from a script and remembers what it was asked."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from standin_server import Json, StandinServer

_DATA = re.compile(r"^<<<DATA ([0-9a-f]{32})\n(.*)\nDATA \1>>>\n", re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One request as it arrived."""

    model: str
    system: str
    user: str
    nonce: str
    data: dict[str, Any]
    headers: dict[str, str]
    body: dict[str, Any]

    def key(self) -> str:
        """What is asked, without the random boundary."""
        return json.dumps([self.model, self.system, self.data], ensure_ascii=False, sort_keys=True)


@dataclass
class Reply:
    """What to send back. `raw` replaces the whole body."""

    content: str = ""
    status: int = 200
    finish_reason: str = "stop"
    model: str | None = None
    raw: bytes | None = None
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)


Script = Callable[[Call, int], Reply]


def verdicts(call: Call, verdict: str = "correct", fraction: float | None = None, reason: str = "as the key") -> Reply:
    """A well-formed reply with one verdict for all parts."""
    parts = []
    for part in call.data["parts"]:
        entry = {"id": part["id"], "verdict": verdict, "reason": reason}
        if fraction is not None:
            entry["fraction"] = fraction
        parts.append(entry)
    return Reply(json.dumps({"receipt": call.nonce, "parts": parts}, ensure_ascii=False))


class Standin(StandinServer):
    """`calls` are requests that arrived, `answered` those that got HTTP 200."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script
        self.calls: list[Call] = []
        self.answered: list[Call] = []

    def respond(self, handler: BaseHTTPRequestHandler, body: Json, headers: dict[str, str]) -> None:
        call = read_call(body, headers)
        with self.lock:
            self.calls.append(call)
            number = sum(c.key() == call.key() for c in self.calls)
        reply = self.script(call, number)
        time.sleep(reply.delay)
        message = {"role": "assistant", "content": reply.content}
        choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        whole = json.dumps({"model": reply.model or call.model, "choices": [choice], "usage": usage}).encode()
        self.send(handler, reply.status, reply.headers, whole if reply.raw is None else reply.raw)
        if reply.status == 200:
            with self.lock:
                self.answered.append(call)


def read_call(body: dict[str, Any], headers: dict[str, str]) -> Call:
    system, user = (message["content"] for message in body["messages"])
    match = _DATA.match(user)
    assert match, user[:200]
    return Call(body["model"], system, user, match[1], json.loads(match[2]), headers, body)
