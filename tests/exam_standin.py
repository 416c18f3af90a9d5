"""An OpenAI-compatible stand-in: notes what it is sent, checks it, and answers from a script.

In a test: `with Standin(script) as server: server.url`. As a process: `python exam_standin.py --latency 2`,
which prints its address.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import json
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Picture:
    """An image as it arrived."""

    sha256: str
    width: int
    height: int
    data: bytes = b""


@dataclass(frozen=True)
class Seen:
    """One request. `blocks` are texts and pictures of the last user message in order."""

    model: str
    max_tokens: int | None
    seed: int | None
    blocks: tuple[str | Picture, ...]
    messages: int
    digest: str

    @property
    def text(self) -> str:
        return "\n".join(b for b in self.blocks if isinstance(b, str))

    @property
    def pictures(self) -> list[Picture]:
        return [b for b in self.blocks if isinstance(b, Picture)]


@dataclass(frozen=True)
class Action:
    """What the server does: reply, or an HTTP status, garbage, a dropped connection, no choices."""

    text: str = "\\boxed{A}"
    kind: str = "reply"  # reply, status, garbage, drop, empty
    status: int = 200
    delay: float = 0.0
    finish: str = "stop"
    output_tokens: int = 10
    reasoning_tokens: int | None = None
    reasoning: str | None = None
    usage: bool = True


Script = Callable[[Seen, int], Action]  # the request and how often it came before


def always(action: Action) -> Script:
    return lambda _seen, _n: action


@dataclass
class Standin:
    """Serves on a free port of this machine in a thread of its own."""

    script: Script = field(default_factory=lambda: always(Action()))
    keep_data: bool = False
    seen: list[Seen] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    most: int = 0
    first: float = 0.0  # arrival of the first request and end of the last reply, by the monotonic clock
    last: float = 0.0
    url: str = ""

    def __enter__(self) -> Standin:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop, self._active = asyncio.get_running_loop(), asyncio.Event(), 0
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=2**26, backlog=512)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:  # clients keep connections open
            task.cancel()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        body = await reader.readexactly(length)
        self._active += 1
        self.first = self.first or time.monotonic()
        self.most = max(self.most, self._active)
        try:
            seen = self._read(body)
            action = self.script(seen, self.asked[seen.digest])
            self.asked[seen.digest] += 1
            await asyncio.sleep(action.delay)
            return await self._answer(writer, seen, action)
        finally:
            self.last = time.monotonic()
            self._active -= 1

    def _read(self, body: bytes) -> Seen:
        data = json.loads(body)
        content = data["messages"][-1]["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = tuple(self._block(p) for p in parts)
        key = [b if isinstance(b, str) else b.sha256 for b in blocks]
        digest = hashlib.sha256(json.dumps([data.get("seed"), data.get("max_tokens"), key]).encode()).hexdigest()
        cap = data.get("max_tokens") or data.get("max_completion_tokens")
        seen = Seen(data["model"], cap, data.get("seed"), blocks, len(data["messages"]), digest)
        self.seen.append(seen)
        return seen

    def _block(self, part: dict[str, Any]) -> str | Picture:
        if part["type"] == "text":
            return str(part["text"])
        head, _, payload = part["image_url"]["url"].partition(",")
        data = base64.b64decode(payload, validate=True)
        if head != "data:image/png;base64" or data[:8] != b"\x89PNG\r\n\x1a\n":
            self.problems.append(f"an image came as {head[:60]!r}")
            return Picture("", 0, 0)
        width, height = struct.unpack(">II", data[16:24])
        return Picture(hashlib.sha256(data).hexdigest(), width, height, data if self.keep_data else b"")

    async def _answer(self, writer: asyncio.StreamWriter, seen: Seen, action: Action) -> bool:
        if action.kind == "drop":
            writer.transport.abort()
            return False
        status, body = action.status, json.dumps(self._body(seen, action))
        if action.kind == "garbage":
            body = "<html>not what you asked for"
        if action.kind == "status":
            body = json.dumps({"error": {"message": f"status {status}", "type": "test", "code": None}})
        data = body.encode()
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        await writer.drain()
        if action.kind == "reply":
            self.answered[seen.digest] += 1
        return True

    def _body(self, seen: Seen, action: Action) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": action.text}
        if action.reasoning is not None:
            message["reasoning_content"] = action.reasoning
        choice = {"index": 0, "message": message, "finish_reason": action.finish}
        body: dict[str, Any] = {
            "id": "x", "object": "chat.completion", "created": 1, "model": seen.model,
            "choices": [] if action.kind == "empty" else [choice],
        }  # fmt: skip
        if action.usage:
            prompt = len(seen.text) // 4 + sum(p.width * p.height // 784 for p in seen.pictures)
            cached = sum(p.width * p.height // 784 for p in seen.pictures) if self.answered else 0
            body["usage"] = {
                "prompt_tokens": prompt, "completion_tokens": action.output_tokens,
                "total_tokens": prompt + action.output_tokens, "prompt_tokens_details": {"cached_tokens": cached},
            }  # fmt: skip
            if action.reasoning_tokens is not None:
                body["usage"]["completion_tokens_details"] = {"reasoning_tokens": action.reasoning_tokens}
        return body


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    arguments = parser.parse_args()
    with Standin(always(Action(delay=arguments.latency))) as server:
        print(server.url, flush=True)
        try:
            while input():  # each line asks for the counts and forgets them; an empty one ends
                counts = {"seen": len(server.seen), "most": server.most, "problems": server.problems}
                print(json.dumps(counts | {"seconds": server.last - server.first}), flush=True)
                server.seen.clear()
                server.most, server.first = 0, 0.0
        except EOFError:
            pass


if __name__ == "__main__":
    main()
