"""Replies of judges by content hash, in one SQLite file: what a judge has said is never asked for again.

A reply is committed before the next question goes out, so a killed run loses at most the requests that were still
under way. Replies that could not be used are kept as well; only requests that got no reply at all are not.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wholepage.errors import WorkspaceError

_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    served_by TEXT,
    content TEXT NOT NULL,
    nonce TEXT NOT NULL,
    finish_reason TEXT,
    usage TEXT NOT NULL,
    tries INTEGER NOT NULL
)
"""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One reply as it came: text, the nonce it had to echo, the model that the server named, token usage."""

    model: str
    served_by: str | None
    content: str
    nonce: str
    finish_reason: str | None
    usage: Mapping[str, Any]
    tries: int = 1


def content_key(parts: Mapping[str, Any]) -> str:
    """SHA-256 of everything that decides a reply (model, endpoint, prompt version, data), key order ignored."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


class ReplyCache:
    """Thread-safe store of replies. `path` None keeps them in memory.

    Raises:
        WorkspaceError: the file cannot be opened or is not such a store.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        self._path = path
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False, timeout=30)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute(_TABLE)
            self._db.commit()
        except (sqlite3.Error, OSError) as error:
            raise WorkspaceError(
                f"Cannot open the judges' replies {path}: {error}.",
                hint="Move the file away to start afresh (judges will be asked again).",
                code="judges.cache",
            ) from error

    def get(self, key: str) -> StoredReply | None:
        """The stored reply, or None."""
        with self._lock:
            row = self._db.execute(
                "SELECT model, served_by, content, nonce, finish_reason, usage, tries FROM replies WHERE key = ?",
                (key,),
            ).fetchone()
        if row is None:
            return None
        return StoredReply(row[0], row[1], row[2], row[3], row[4], json.loads(row[5]), row[6])

    def put(self, key: str, reply: StoredReply) -> None:
        """Store a reply durably, replacing an earlier one of the same key.

        Raises:
            WorkspaceError: the disk is full or the store cannot be written.
        """
        row = (
            key,
            reply.model,
            reply.served_by,
            reply.content,
            reply.nonce,
            reply.finish_reason,
            json.dumps(dict(reply.usage), ensure_ascii=False),
            reply.tries,
        )
        try:
            self.insert(row)
        except sqlite3.Error as error:
            raise WorkspaceError(
                f"Cannot store the reply of {reply.model} in {self._path}: {error}.",
                hint="Check free space and permissions, then run the same command again; earlier replies are kept.",
                code="judges.cache",
            ) from error

    def insert(self, row: tuple[str | int | None, ...]) -> None:
        """Write one row and commit it. Raises sqlite3.Error."""
        with self._lock, self._db:
            self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
