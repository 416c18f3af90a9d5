"""Replies by content hash, one file each: a run that was interrupted goes on without asking again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from parse_templates.model.client import ChatReply
from wholepage.workspace import write_json


class _Stored(BaseModel):
    text: str
    cut_off: bool


def request_key(model: str, base_url: str, messages: Sequence[dict[str, Any]]) -> str:
    """SHA-256 of everything that decides a reply."""
    text = json.dumps([model, base_url, list(messages)], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class ReplyFiles:
    """Replies in a folder; with None nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: str) -> ChatReply | None:
        """The stored reply, or None when there is none that can be read."""
        if self.folder is None:
            return None
        try:
            stored = _Stored.model_validate_json((self.folder / f"{key}.json").read_bytes())
        except (OSError, ValidationError):
            return None
        return ChatReply(stored.text, stored.cut_off)

    def put(self, key: str, reply: ChatReply) -> None:
        """Store a reply. Raises WorkspaceError when that fails."""
        if self.folder is not None:
            write_json(self.folder / f"{key}.json", {"text": reply.text, "cut_off": reply.cut_off})

    def drop(self, keys: Sequence[str]) -> None:
        """Forget replies that led to nothing, so that the next run asks again."""
        for key in keys if self.folder is not None else ():
            (self.folder / f"{key}.json").unlink(missing_ok=True)  # type: ignore[operator]
