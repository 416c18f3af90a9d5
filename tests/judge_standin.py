"""A local OpenAI-compatible endpoint for tests: answers from a script and remembers what it was asked."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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


class Standin:
    """Runs in a thread; `calls` are requests that arrived, `answered` those that got HTTP 200."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.calls: list[Call] = []
        self.answered: list[Call] = []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                return None

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                call = read_call(body, {k.lower(): v for k, v in self.headers.items()})
                with outer.lock:
                    outer.calls.append(call)
                    number = sum(c.key() == call.key() for c in outer.calls)
                reply = outer.script(call, number)
                time.sleep(reply.delay)
                outer.send(self, call, reply)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def send(self, handler: BaseHTTPRequestHandler, call: Call, reply: Reply) -> None:
        body = reply.raw
        if body is None:
            message = {"role": "assistant", "content": reply.content}
            body = json.dumps(
                {
                    "model": reply.model or call.model,
                    "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5},
                }
            ).encode()
        try:
            handler.send_response(reply.status)
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):  # the client was killed or gave up
            return
        if reply.status == 200:
            with self.lock:
                self.answered.append(call)

    def __enter__(self) -> Standin:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def read_call(body: dict[str, Any], headers: dict[str, str]) -> Call:
    system, user = (message["content"] for message in body["messages"])
    match = _DATA.match(user)
    assert match, user[:200]
    return Call(body["model"], system, user, match[1], json.loads(match[2]), headers, body)
