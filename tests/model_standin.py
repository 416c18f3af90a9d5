"""A local OpenAI-compatible server for the model parser: it replies well, badly or with malice, and notes its requests.

`honest` reads simple pages as a good model would: "1．" begins a question, "A．" an option, "（1）" a part; answers and
solutions stand behind 【答案】 and 【解析】; behind 参考答案 a number with letters is an entry of the key.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from standin_server import Json, StandinServer

INVENTED = "发明的文字INVENTED"  # stands in every bad reply, and must never reach a paper
DATA = re.compile(r"^<<<DATA ([0-9a-f]{32})\n(.*)\nDATA \1>>>\n", re.DOTALL)
MARK = re.compile(r"(?P<o>(?<![A-Za-z])[A-H](?=[．.]))|(?P<p>（\d）)|(?P<a>【答案】)|(?P<s>【解析】)")


@dataclass
class Call:
    """One request; `said` are the turns behind the first two messages (repairs)."""

    system: str
    lines: list[Json]
    figures: list[Json]
    said: list[Json]
    body: Json
    headers: dict[str, str]
    images: int = 0
    tokens: int = 0  # that the server counts, set when it answers


@dataclass
class Answer:
    """What to send back; `raw` replaces the whole body, `chunks` sends it piece by piece without an end."""

    content: str = ""
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    raw: bytes | None = None
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    endless: bool = False


Script = Callable[[Call, int], Answer]


def span(line: Json, start: int, end: int) -> Json:
    return {"line": line["id"], "start": start, "end": end}


def honest(call: Call) -> Json:
    """The reply of a model that errs nowhere."""
    questions: list[Json] = []
    key: list[Json] = []
    in_key, target, heading = False, None, None
    for line in call.lines:
        text = line["text"]
        if re.fullmatch(r"\s*参考答案\s*", text):
            in_key, target = True, None
            continue
        if in_key:
            for m in re.finditer(r"(\d+)[．.]\s*([A-H]+)", text):
                key.append({"number": span(line, *m.span(1)), "answer": [span(line, *m.span(2))], "solution": []})
            continue
        if re.match(r"[一二三]、", text):
            heading, target = span(line, 0, len(text)), None
            continue
        at = 0
        number = re.match(r"(\d+)[．.]", text)
        if number:
            question = {
                "number": span(line, *number.span(1)), "section": heading, "points": None, "stem": [], "options": [],
                "parts": [], "answer": [], "solution": [], "figures": [],
            }  # fmt: skip
            questions.append(question)
            target, at = question["stem"], number.end()
        if target is None or not questions:
            continue
        question = questions[-1]
        for m in [*MARK.finditer(text, at), None]:
            stop = m.start() if m else len(text)
            if text[at:stop].strip():
                target.append(span(line, at, stop))
            if m is None:
                break
            at = m.end() + (m["o"] is not None)
            if m["o"]:
                question["options"].append({"label": span(line, *m.span()), "text": []})
                target = question["options"][-1]["text"]
            elif m["p"]:
                part = {"label": span(line, *m.span()), "text": [], "points": None, "parts": []}
                question["parts"].append(part)
                target = part["text"]
            else:
                target = question["answer" if m["a"] else "solution"]
    return {"questions": questions, "key": key, "corrections": []}


def well(call: Call, _n: int = 1) -> Answer:
    return Answer(json.dumps(honest(call), ensure_ascii=False))


def changed(change: Callable[[Json, Call], Any]) -> Script:
    """An honest reply with something changed in place."""

    def script(call: Call, _n: int) -> Answer:
        reply = honest(call)
        change(reply, call)
        return Answer(json.dumps(reply, ensure_ascii=False))

    return script


class Standin(StandinServer):
    """`calls` are the requests that arrived."""

    def __init__(self, script: Script = well) -> None:
        super().__init__()
        self.script = script
        self.calls: list[Call] = []

    def respond(self, handler: BaseHTTPRequestHandler, body: Json, headers: dict[str, str]) -> None:
        call = read_call(body, headers)
        with self.lock:
            self.calls.append(call)
            same = sum([x["id"] for x in c.lines] == [x["id"] for x in call.lines] for c in self.calls)
        answer = self.script(call, same)
        self.stopping.wait(answer.delay)
        message = {"role": "assistant", "content": answer.content or None, "refusal": answer.refusal}
        choice = {"index": 0, "message": message, "finish_reason": answer.finish}
        sent, received = len(json.dumps(call.body["messages"], ensure_ascii=False)) // 2, len(answer.content) // 3
        call.tokens = sent + received
        usage = {"prompt_tokens": sent, "completion_tokens": received}
        data = answer.raw if answer.raw is not None else json.dumps({"choices": [choice], "usage": usage}).encode()
        if answer.endless:
            self._pour(handler, data)
        else:
            self.send(handler, answer.status, answer.headers, data)

    def _pour(self, handler: BaseHTTPRequestHandler, data: bytes) -> None:
        """A response that does not end."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("connection", "close")
        handler.end_headers()
        handler.close_connection = True
        while not self.stopping.is_set():
            handler.wfile.write(data)
            time.sleep(0.01)


def read_call(body: Json, headers: dict[str, str]) -> Call:
    system, user, *said = body["messages"]
    content = user["content"]
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    match = DATA.match(parts[0]["text"])
    data = json.loads(match[2]) if match else {"lines": [], "figures": []}
    images = sum(p["type"] == "image_url" for p in parts)
    return Call(system["content"], data["lines"], data["figures"], said, body, headers, images)
