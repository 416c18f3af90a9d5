"""From a run's calls to `attempts.jsonl`, the file that scoring reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exam_mode.calls import read_calls
from wholepage.workspace import write_atomic


@dataclass(slots=True)
class Written:
    """What was written: attempts with an answer, and attempts that only say why there is none."""

    path: Path
    answered: int = 0
    failed: int = 0


def write_attempts(calls: Path, target: Path) -> Written:
    """Write one JSON line an attempt, in the order in which they ended.

    A unit that failed and was asked again counts with its answer; one that never succeeded counts once, with its last
    error. Two passes over the calls, so that memory does not grow with the length of answers.
    """
    chosen = _chosen(calls)
    result = Written(target)

    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", errors="backslashreplace") as handle:
            for record, ok in _attempts(calls, chosen):
                handle.write(json.dumps(record, ensure_ascii=False) + "\n")
                result.answered += ok
                result.failed += not ok

    write_atomic(target, write)
    return result


def transcriptions(calls: Path) -> dict[tuple[str, str], str]:
    """Transcriptions of the probe by (model, question id)."""
    found: dict[tuple[str, str], str] = {}
    for call in read_calls(calls):
        if call.kind == "probe" and call.ok:
            model, question = call.unit.split("|")[2:4]
            found.setdefault((model, question), call.transcription or "")
    return found


def _chosen(calls: Path) -> dict[str, int]:
    """For each unit the index of the call that counts: the first that succeeded, else the last."""
    chosen: dict[str, tuple[bool, int]] = {}
    for index, call in enumerate(read_calls(calls)):
        if call.kind == "answer" and not chosen.get(call.unit, (False, 0))[0]:
            chosen[call.unit] = (call.ok, index)
    return {unit: index for unit, (_, index) in chosen.items()}


def _attempts(calls: Path, chosen: dict[str, int]) -> Iterator[tuple[dict[str, Any], bool]]:
    for index, call in enumerate(read_calls(calls)):
        if call.kind == "answer" and chosen.get(call.unit) == index:
            for record in call.attempts:
                yield record, call.ok
