"""Page images enter a request when it leaves for the server; until then it names their files.

A request with four pages is a megabyte of base64. As data URLs it would be copied by every layer on its way: messages,
their snapshot for the log, JSON, the body. Instead the messages carry short stand-ins, which are valid data URLs, and a
hook of the HTTP client puts the files' contents into the body while it is sent. The server gets the same bytes.

This works where the provider hands images through as they are: with servers that speak OpenAI's protocol. Other
providers get data URLs (`exam_mode.asking.inlined`).
"""

from __future__ import annotations

import base64
import re
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exam_mode.errors import ImageError

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request

URL = "data:image/png;base64,"
# Letters of base64 in a multiple of four. In a body it stands before the quotation mark that ends a JSON text, which
# no text of a question can hold (it is escaped there), so only a text that ends with a stand-in could be taken for one.
_STAND_IN = re.compile(rb'(?<=;base64,)wholepage/page/([0-9a-f]{16})/(?=")')
CACHE_FILES, CACHE_BYTES = 40, 32 * 2**20  # papers under way at the usual number of connections
PIECE = 2**18  # bytes written at once


def stand_in(image: Path) -> str:
    """The data URL that stands for a file of the image store (`<16 hex digits>.png`)."""
    return f"{URL}wholepage/page/{image.stem}/"


class Encoded:
    """Files as base64, the last used in memory, for questions of a paper send the same pages.

    Args:
        files: how many are kept.
        most: how many bytes they may have together.
    """

    def __init__(self, files: int = CACHE_FILES, most: int = CACHE_BYTES) -> None:
        self._files = files
        self._most = most
        self._bytes = 0
        self._kept: OrderedDict[Path, bytes] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, image: Path) -> bytes:
        """The file in base64.

        Raises:
            ImageError: it cannot be read.
        """
        with self._guard:
            known = self._kept.get(image)
            if known is not None:
                self._kept.move_to_end(image)
                return known
            try:
                data = base64.b64encode(image.read_bytes())
            except OSError as error:
                raise ImageError(
                    f"Cannot read {image}: {error.strerror or error}.",
                    hint="Files of a run's folder `pages` are needed until it ends; go on to make them anew.",
                ) from error
            self._kept[image] = data
            self._bytes += len(data)
            while len(self._kept) > max(1, self._files) or (self._bytes > self._most and len(self._kept) > 1):
                self._bytes -= len(self._kept.popitem(last=False)[1])
            return data

    @property
    def held(self) -> int:
        """Bytes in memory."""
        return self._bytes


ENCODED = Encoded()


def names_pages(model: Any, folder: Path) -> bool:
    """Whether requests of this model may name pages; the hook is put on its HTTP client where it is not there yet."""
    client = _client(model.api)
    if client is None:
        return False
    hooks = client.event_hooks["request"]
    if not any(isinstance(hook, _Hook) and hook.folder == folder for hook in hooks):
        hooks[:] = [hook for hook in hooks if not isinstance(hook, _Hook)] + [_Hook(folder)]
    return True


def _client(api: Any) -> AsyncClient | None:
    """The HTTP client of a provider that hands images through; None for all others."""
    try:
        from httpx2 import AsyncClient
        from inspect_ai.model._providers.openai import OpenAIAPI
        from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
        from openai import AsyncOpenAI
    except ImportError:  # not installed, or an inspect-ai on another HTTP library
        return None
    sdk = getattr(api, "client", None)
    # not its subclasses: some sign the body before the hook sees it
    if not isinstance(api, OpenAICompatibleAPI | OpenAIAPI) or type(sdk) is not AsyncOpenAI:
        return None
    client = getattr(sdk, "_client", None)
    return client if isinstance(client, AsyncClient) else None


class _Hook:
    """A request hook of httpx: replaces the body by one that reads the pages while it is sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def __call__(self, request: Request) -> None:
        body = getattr(request, "_content", None)  # set by httpx where the body is in memory
        if not isinstance(body, bytes) or not _STAND_IN.search(body):
            return
        parts: list[bytes | Path] = []
        end = 0
        for match in _STAND_IN.finditer(body):
            parts += [body[end : match.start()], self.folder / f"{match.group(1).decode()}.png"]
            end = match.end()
        parts.append(body[end:])
        request.stream = _body(parts)
        request.headers["content-length"] = str(sum(len(_bytes(part)) for part in parts))


def _bytes(part: bytes | Path) -> bytes:
    return part if isinstance(part, bytes) else ENCODED.get(part)


def _body(parts: list[bytes | Path]) -> Any:
    """A stream over the parts; it can be read again when a request is repeated."""
    from httpx2 import AsyncByteStream

    class Body(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in _pieces(parts):
                yield piece

    return Body()


def _pieces(parts: list[bytes | Path]) -> Iterator[bytes]:
    """The parts in pieces of `PIECE` bytes: every piece is a call of the whole stack below, so few are better."""
    held: list[bytes] = []
    room = PIECE
    for part in parts:
        data = _bytes(part)
        start = 0
        while len(data) - start >= room:
            held.append(data[start : start + room])
            yield b"".join(held)
            start, room, held = start + room, PIECE, []
        held.append(data[start:])
        room -= len(data) - start
    if any(held):
        yield b"".join(held)
