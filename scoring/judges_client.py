"""The only calls that leave the machine: an OpenAI-compatible chat endpoint, with bounded retries.

Endpoint and key come from the environment (WHOLEPAGE_JUDGE_BASE_URL / OPENAI_BASE_URL and
WHOLEPAGE_JUDGE_API_KEY / OPENAI_API_KEY) or from a panel file. The key is sent to its own endpoint only: redirects
are not followed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml

from scoring.judges_cache import StoredReply
from wholepage.errors import ExitCode, MissingExtraError, WholepageError

if TYPE_CHECKING:
    import httpx

MAX_REPLY_BYTES = 2_000_000
RETRY_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
FATAL_STATUS = frozenset({401, 402, 403, 404, 405})
ITEM_STATUS = frozenset({400, 413, 422})  # mostly one text that is too long or that a filter refuses
REFUSALS_BEFORE_STOP = 5  # so many ITEM_STATUS in a row before any success mean that the set-up is wrong


class JudgeEndpointError(WholepageError):
    """The judge endpoint cannot be used at all (absent, refused, unknown model): the run stops and can continue."""

    default_code = "judges.endpoint"


class JudgePanelError(WholepageError):
    """A panel that breaks the rules: the same model twice, or a damaged panel file."""

    exit_code = ExitCode.USAGE
    default_code = "judges.panel"


class NoReplyError(Exception):
    """A request that got no usable HTTP reply within the retries. Counted, and asked again by the next run."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One judge: model name, base URL up to and including `/v1`, key (kept out of repr)."""

    model: str
    base_url: str
    api_key: str = field(default="", repr=False)


@dataclass(slots=True)
class _Dialect:
    """What one endpoint accepts, learnt from its refusals; `refused` is -1 once a request succeeded."""

    limit: str = "max_tokens"
    temperature: bool = True
    refused: int = 0

    def learn(self, message: str) -> bool:
        """Adapt to a refusal that names a parameter; whether something changed."""
        text = message.lower()
        if self.limit == "max_tokens" and "max_completion_tokens" in text:
            self.limit = "max_completion_tokens"
            return True
        if self.temperature and "temperature" in text:
            self.temperature = False
            return True
        return False


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Bounds of the calls: seconds a try, tries a request, first pause in seconds (doubled each time)."""

    timeout: float = 120.0
    tries: int = 4
    pause: float = 1.0
    longest_pause: float = 30.0
    max_tokens: int = 4096
    temperature: float | None = 0.0


def endpoint_for(model: str, environ: Mapping[str, str] | None = None) -> Endpoint:
    """Endpoint of a judge from the environment.

    Raises:
        JudgeEndpointError: no base URL is set.
    """
    env = os.environ if environ is None else environ
    base = env.get("WHOLEPAGE_JUDGE_BASE_URL") or env.get("OPENAI_BASE_URL")
    own = "WHOLEPAGE_JUDGE_BASE_URL" in env and bool(env["WHOLEPAGE_JUDGE_BASE_URL"])
    # A key for one service is not sent to another: OPENAI_API_KEY goes only where OPENAI_BASE_URL points.
    key = env.get("WHOLEPAGE_JUDGE_API_KEY") or ("" if own else env.get("OPENAI_API_KEY", ""))
    if not base:
        raise JudgeEndpointError(
            f"No endpoint is set for the judge {model}.",
            hint="Set WHOLEPAGE_JUDGE_BASE_URL (for example http://127.0.0.1:8000/v1) and WHOLEPAGE_JUDGE_API_KEY.",
        )
    return _checked(model, base, key)


def _checked(model: str, base: str, key: str) -> Endpoint:
    parts = urlsplit(base)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise JudgeEndpointError(
            f"The endpoint {base!r} of the judge {model} is not an http(s) address.",
            hint="Give a base URL such as https://host/v1.",
        )
    return Endpoint(model, base.rstrip("/"), key)


def read_panel(path: Path, environ: Mapping[str, str] | None = None) -> list[Endpoint]:
    """Judges from a YAML list of {model, base_url, api_key_env}, for panels over several providers.

    Raises:
        JudgePanelError: the file does not have that form or names an unset variable.
    """
    env = os.environ if environ is None else environ
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise JudgePanelError(f"Cannot read the panel {path}: {error}.", hint="Give a YAML list of judges.") from error
    if not isinstance(entries, list):
        raise JudgePanelError(f"The panel {path} is not a list.", hint="Write one `- model: …` entry a judge.")
    judges = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or not isinstance(entry.get("model"), str):
            raise JudgePanelError(f"Entry {number} of {path} names no model.", hint="Write `- model: NAME`.")
        if not entry.get("base_url"):
            judges.append(endpoint_for(entry["model"], env))
            continue
        variable = entry.get("api_key_env")
        if variable and variable not in env:
            raise JudgePanelError(
                f"Entry {number} of {path}: the variable {variable} is not set.", hint="Export the key under this name."
            )
        judges.append(_checked(entry["model"], str(entry["base_url"]), env.get(variable, "") if variable else ""))
    return judges


def import_httpx() -> Any:
    """httpx, or MissingExtraError with the install line."""
    try:
        import httpx
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "httpx") from error
    return httpx


class ChatClient:
    """Sends one prompt to one judge. Safe to use from several threads."""

    def __init__(self, options: ClientOptions | None = None, sleep: Callable[[float], None] = time.sleep) -> None:
        self.options = options or ClientOptions()
        self._sleep = sleep
        self._httpx = import_httpx()
        self._dialects: dict[tuple[str, str], _Dialect] = {}
        limits = self._httpx.Limits(max_connections=256, max_keepalive_connections=64)
        self._clients = {
            trust: self._httpx.Client(
                timeout=self.options.timeout, limits=limits, follow_redirects=False, trust_env=trust
            )
            for trust in (True, False)
        }

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            client.close()

    def __enter__(self) -> ChatClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, judge: Endpoint, system: str, user: str, nonce: str) -> StoredReply:
        """The judge's reply, whatever its text.

        Raises:
            NoReplyError: nothing but rate limits, server errors, time-outs or broken replies within the tries.
            JudgeEndpointError: the endpoint refuses in a way that no retry mends, or nothing listens there.
        """
        said = "no try was made"
        for attempt in range(1, self.options.tries + 1):
            try:
                response = self._post(judge, system, user)
            except self._httpx.ConnectError as error:
                if attempt == self.options.tries:
                    raise JudgeEndpointError(
                        f"Nothing answers at {judge.base_url} (judge {judge.model}): {error}.",
                        hint="Start the server or correct the base URL, then run the same command again.",
                    ) from error
                said, wait = f"no connection ({error})", None
            except (self._httpx.HTTPError, OversizeError) as error:
                said, wait = f"{type(error).__name__}: {error}", None
            else:
                reply = _reply(judge, response, nonce, attempt) if response.status_code == 200 else None
                if reply is not None:
                    self._dialect(judge).refused = -1
                    return reply
                said, wait = f"HTTP {response.status_code}", response.headers.get("retry-after")
                if self._give_up(judge, response):
                    break
            if attempt < self.options.tries:
                self._sleep(self._pause(attempt, wait))
        raise NoReplyError(f"{judge.model}: {said}")

    def _dialect(self, judge: Endpoint) -> _Dialect:
        return self._dialects.setdefault((judge.base_url, judge.model), _Dialect())

    def _give_up(self, judge: Endpoint, response: httpx.Response) -> bool:
        """Whether another try is pointless; raises JudgeEndpointError when the whole set-up is."""
        if response.status_code in FATAL_STATUS:
            raise _refused(judge, response)
        if response.status_code in ITEM_STATUS:
            dialect = self._dialect(judge)
            if dialect.learn(response.text):
                return False
            if dialect.refused >= 0:
                dialect.refused += 1
                if dialect.refused >= REFUSALS_BEFORE_STOP:
                    raise _refused(judge, response)
            return True
        return response.status_code != 200 and response.status_code not in RETRY_STATUS

    def _pause(self, attempt: int, retry_after: str | None) -> float:
        pause = self.options.pause * float(2 ** (attempt - 1))
        if retry_after is not None and retry_after.strip().isdigit():
            pause = max(pause, float(retry_after))
        return min(pause, self.options.longest_pause)

    def _post(self, judge: Endpoint, system: str, user: str) -> httpx.Response:
        dialect = self._dialect(judge)
        body: dict[str, Any] = {
            "model": judge.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            dialect.limit: self.options.max_tokens,
        }
        if self.options.temperature is not None and dialect.temperature:
            body["temperature"] = self.options.temperature
        headers = {"Authorization": f"Bearer {judge.api_key}"} if judge.api_key else {}
        local = urlsplit(judge.base_url).hostname in {"127.0.0.1", "localhost", "::1"}
        client = self._clients[not local]  # a proxy from the environment never sees requests to this machine
        with client.stream("POST", f"{judge.base_url}/chat/completions", json=body, headers=headers) as response:
            data = bytearray()
            for block in response.iter_bytes():
                data += block
                if len(data) > MAX_REPLY_BYTES:
                    raise OversizeError(f"the reply is longer than {MAX_REPLY_BYTES} bytes")
            clean = {
                k: v for k, v in response.headers.items() if k.lower() not in {"content-encoding", "content-length"}
            }
            result: httpx.Response = self._httpx.Response(response.status_code, headers=clean, content=bytes(data))
            return result


class OversizeError(Exception):
    """A reply beyond MAX_REPLY_BYTES."""


def _refused(judge: Endpoint, response: httpx.Response) -> JudgeEndpointError:
    return JudgeEndpointError(
        f"The endpoint {judge.base_url} refuses the judge {judge.model}: HTTP {response.status_code} "
        f"{response.text[:200]!r}.",
        hint="Check model name, key and credit, then run the same command again; replies so far are kept.",
    )


def _reply(judge: Endpoint, response: httpx.Response, nonce: str, tries: int) -> StoredReply | None:
    try:
        data = response.json()
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content") or message.get("refusal") or ""
        if not isinstance(content, str):
            return None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None
    served = data.get("model")
    usage = data.get("usage")
    finish = choice.get("finish_reason")
    return StoredReply(
        judge.model,
        served if isinstance(served, str) else None,
        content,
        nonce,
        finish if isinstance(finish, str) else None,
        usage if isinstance(usage, dict) else {},
        tries,
    )
