"""math-verify as a second reader for expressions that the own parser does not know.

It runs in a child process, which is ended when an answer takes too long: inside the process nothing can stop sympy,
and math-verify's own limits use signals, which fail in threads. Preconditions that it lacks: expressions only (no
sets, pairs, relations, lists, units or words), short, and with no free hand for numbers written as words.
Postcondition: equal in both directions.
"""

from __future__ import annotations

import contextlib
import json
import queue
import re
import subprocess
import sys
import threading
from functools import lru_cache
from importlib.util import find_spec

from scoring.rules.normalise import has_han, tidy

MAX_LENGTH = 160
START_SECONDS = 30.0  # importing sympy and math-verify on a busy machine
ANSWER_SECONDS = 3.0
_UNKNOWN = re.compile(r"\\(?:i?int(?=\s*_)|sum|prod|lim|lfloor|lceil|max|min)(?![A-Za-z])")
_FORBIDDEN = re.compile(r"[,，;；=<>≤≥≠|∪∩∈⦃⦄]|\\(?:in|cup|cap|le|ge|ne|text|begin)(?![A-Za-z])|\\\{")
_BOUNDS = re.compile(r"_\s*\{[^{}]{1,20}\}")
_HUGE = re.compile(r"\d{7,}|\^\s*\{?\s*\d{3,}|\^[^^]{0,6}\^|!{1,}")


def worth_trying(text: str) -> bool:
    """Whether a text is one expression in notation that only math-verify knows, within its limits."""
    spelled = tidy(text)
    return (
        len(text) <= MAX_LENGTH
        and bool(_UNKNOWN.search(spelled))
        and not has_han(spelled)
        and _is_expression(spelled)
        and not _HUGE.search(spelled)
    )


def _is_expression(spelled: str) -> bool:
    """No relation, list or set outside the bounds of sums and limits."""
    return not _FORBIDDEN.search(_BOUNDS.sub("", spelled))


@lru_cache(maxsize=1024)
def expressions_equal(gold: str, given: str) -> bool | None:
    """True or False by math-verify; None when the key does not need it, or it is absent, fails or takes too long."""
    if not worth_trying(gold):
        return None  # an integral left standing in the response alone is not evaluated: a judge's matter
    for text in (gold, given):
        spelled = tidy(text)
        if len(text) > MAX_LENGTH or has_han(spelled) or not _is_expression(spelled) or _HUGE.search(spelled):
            return None
    return _ask(gold, given)


class _Worker:
    """One child process that reads pairs and answers, a line each."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scoring.rules.fallback_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def ask(self, request: str, seconds: float) -> str:
        """The reply; '' when the process ended or the time ran out."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
            return self.lines.get(timeout=seconds)
        except (OSError, ValueError, queue.Empty):
            return ""

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.process.wait(timeout=10)


_lock = threading.Lock()
_worker: _Worker | None = None


def _ask(gold: str, given: str) -> bool | None:
    global _worker  # noqa: PLW0603 - one child a process, shared by its threads
    if find_spec("math_verify") is None:
        return None
    with _lock:
        if _worker is None:
            _worker = _Worker()
            if not _worker.ask(json.dumps(["1", "1"]), START_SECONDS):
                close()
                return None
        reply = _worker.ask(json.dumps([_bare(gold), _bare(given)]), ANSWER_SECONDS)
        if not reply:
            close()
            return None
    with contextlib.suppress(ValueError):
        value = json.loads(reply)
        return value if isinstance(value, bool) else None
    return None


def _bare(text: str) -> str:
    """The LaTeX without dollars and spacing commands."""
    return re.sub(r"\$|\\[,;:! ]", " ", text).strip(" .。")


def close() -> None:
    """End the child process, if there is one."""
    global _worker  # noqa: PLW0603
    if _worker is not None:
        _worker.close()
        _worker = None
