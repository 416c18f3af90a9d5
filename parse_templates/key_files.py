"""Answer keys as data: a JSON or CSV file of number → answer, written by a person or another program."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wholepage.errors import SourceError

COLUMNS = {
    "number": ("number", "no", "question", "q", "题号", "序号"),
    "answer": ("answer", "key", "答案"),
    "section": ("section", "部分", "大题"),
    "solution": ("solution", "explanation", "解析"),
}
LABEL = re.compile(r"\s*(?:Q|第)?\s*(\d{1,3}[a-zA-Z]?)\s*题?[.．、]?\s*", re.I)
MAX_BYTES = 20_000_000
HINT = 'Write {"1": "B", "2": ["x", "y"]}, a list of {"number", "answer"}, or a CSV with columns number and answer.'


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row: the printed number without punctuation, its answers, and where given section and solution."""

    number: str
    answers: tuple[str, ...]
    section: str | None = None
    solution: str = ""


def is_key_file(path: Path) -> bool:
    """Whether the file is a key as data, by its name."""
    return path.suffix.casefold() in (".json", ".csv", ".tsv")


def read_key_file(path: Path) -> list[KeyRow]:
    """The rows of a key file, in order.

    Raises:
        SourceError: the file cannot be read or a row is no number with an answer.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(f"The key {path.name} is larger than {MAX_BYTES} bytes.", hint=HINT, code="key.invalid")
        text = path.read_text(encoding="utf-8-sig")
        rows = _from_json(path, json.loads(text)) if path.suffix.casefold() == ".json" else _from_csv(path, text)
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise SourceError(f"Cannot read the key {path.name}: {error}.", hint=HINT, code="key.invalid") from error
    if not rows:
        raise SourceError(f"The key {path.name} holds no answers.", hint=HINT, code="key.invalid")
    return rows


def _from_json(path: Path, data: Any) -> list[KeyRow]:
    if isinstance(data, dict) and isinstance(data.get("answers"), dict | list):
        data = data["answers"]
    if isinstance(data, dict):
        return [_row(path, n, {"number": key, "answer": value}) for n, (key, value) in enumerate(data.items(), 1)]
    if isinstance(data, list):
        return [_row(path, n, entry) for n, entry in enumerate(data, 1)]
    raise _bad(path, 1, "neither an object nor a list")


def _from_csv(path: Path, text: str) -> list[KeyRow]:
    sample = text[:4000]
    delimiter = "\t" if "\t" in sample else ";" if ";" in sample and "," not in sample else ","
    lines = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(cell.strip() for cell in row)]
    if not lines:
        return []
    names = [_column(cell) for cell in lines[0]]
    headed = "number" in names and "answer" in names
    rows = lines[1:] if headed else lines
    columns = names if headed else ["number", "answer", "section", "solution"]
    return [_row(path, n, dict(zip(columns, row, strict=False))) for n, row in enumerate(rows, 2 if headed else 1)]


def _column(cell: str) -> str:
    plain = cell.strip().casefold()
    return next((name for name, words in COLUMNS.items() if plain in words), plain)


def _row(path: Path, place: int, entry: Any) -> KeyRow:
    if not isinstance(entry, Mapping):
        raise _bad(path, place, "no object")
    values = {_column(str(k)): v for k, v in entry.items()}
    inner = values.get("answer")
    if isinstance(inner, Mapping):  # {"1": {"answer": …, "solution": …}}
        values |= {_column(str(k)): v for k, v in inner.items()}
    label = LABEL.fullmatch(str(values.get("number", "")))
    if label is None:
        raise _bad(path, place, f"{values.get('number')!r} is no question's number")
    answers = _answers(values.get("answer"))
    solution = values.get("solution") or ""
    if answers is None or not isinstance(solution, str):
        raise _bad(path, place, "an answer is a text or a list of texts")
    section = values.get("section")
    return KeyRow(label[1], answers, str(section).strip() if section not in (None, "") else None, solution.strip())


def _answers(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return ()
    items: Sequence[Any] = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str | int | float | bool) for item in items):
        return None
    return tuple(text for item in items if (text := str(item).strip()))


def _bad(path: Path, place: int, said: str) -> SourceError:
    return SourceError(f"The key {path.name}, entry {place}: {said}.", hint=HINT, code="key.invalid")
