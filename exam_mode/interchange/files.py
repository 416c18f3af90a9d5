"""Containers of records: JSON, JSONL, Parquet, and folders that Hugging Face `datasets` wrote. Reading only."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exam_mode.interchange.items import InterchangeError

MAX_LINE_BYTES = 128_000_000  # one record with its images
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
_SUFFIXES = (".json", ".jsonl", ".ndjson", ".parquet", ".arrow")


@dataclass(frozen=True)
class Row:
    """One raw record and where it stands; `problem` says why there is none."""

    file: Path
    place: str
    index: int
    split: str
    record: dict[str, Any] | None = None
    problem: str = ""

    @property
    def where(self) -> str:
        """`FILE, line N` for messages."""
        return f"{self.file}, {self.place}"


def data_files(source: Path) -> list[Path]:
    """Files of records at `source`, a file or a folder (save_to_disk, or Parquet shards), in order of their names.

    Raises:
        InterchangeError: nothing there that can be read.
    """
    if source.is_file() and source.suffix.lower() in _SUFFIXES:
        return [source]
    if source.is_dir():
        shards = sorted(p for ending in (".arrow", ".parquet") for p in source.rglob(f"*{ending}"))
        shards = [p for p in shards if not p.name.startswith("cache-")]  # what datasets computed, not the data
        found = shards or sorted(p for e in (".jsonl", ".json") for p in source.glob(f"*{e}") if _is_data(p))
        if found:
            return found
    raise InterchangeError(
        f"{source} holds no records that can be read." if source.exists() else f"There is no {source}.",
        hint="Give a .json, .jsonl or .parquet file, or a folder written by save_to_disk or with Parquet files.",
    )


def _is_data(path: Path) -> bool:
    return path.name not in {"dataset_info.json", "state.json", "dataset_dict.json", "dataset_infos.json"}


def digest(files: list[Path]) -> str:
    """SHA-256 over the bytes of the files, in order."""
    total = hashlib.sha256()
    for path in files:
        with path.open("rb") as handle:
            total.update(hashlib.file_digest(handle, "sha256").digest())
    return total.hexdigest()


def read_rows(path: Path) -> Iterator[Row]:
    """Records of one file, one at a time; a bad line is a Row with a problem, a bad file an error.

    Raises:
        InterchangeError: the file cannot be opened, or is damaged as a whole.
    """
    split = split_name(path)
    readers = {".parquet": _parquet, ".arrow": _arrow, ".json": _json}
    reader = readers.get(path.suffix.lower(), _jsonl)
    try:
        yield from reader(path, split)
    except OSError as error:
        raise InterchangeError(f"Cannot read {path}: {error.strerror or error}.") from error


def split_name(path: Path) -> str:
    """Name of the split that a file belongs to: `zh_2603` for `data/zh_2603-00000-of-00001.parquet`."""
    stem = _SHARD.sub("", path.stem)
    return path.parent.name if stem in {"data", "dataset"} else stem


def _jsonl(path: Path, split: str) -> Iterator[Row]:
    with path.open("rb") as handle:
        number = index = 0
        while raw := handle.readline(MAX_LINE_BYTES + 1):
            number += 1
            place = f"line {number}"
            if len(raw) > MAX_LINE_BYTES:
                while raw and not raw.endswith(b"\n"):
                    raw = handle.readline(MAX_LINE_BYTES)
                yield Row(path, place, index, split, problem=f"the line has more than {MAX_LINE_BYTES} bytes")
                continue
            if not raw.strip():
                continue
            yield _parsed(path, place, index, split, raw)
            index += 1


def _parsed(path: Path, place: str, index: int, split: str, raw: bytes) -> Row:
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Row(path, place, index, split, problem="not UTF-8")
    except (ValueError, RecursionError) as error:
        cut = "" if raw.endswith(b"\n") else "; the line has no end: the file may be cut off"
        return Row(path, place, index, split, problem=f"not JSON ({error}){cut}")
    return _row(path, place, index, split, value)


def _row(path: Path, place: str, index: int, split: str, value: Any) -> Row:
    if not isinstance(value, dict):
        return Row(path, place, index, split, problem=f"not an object but {type(value).__name__}")
    return Row(path, place, index, split, value)


def _json(path: Path, split: str) -> Iterator[Row]:
    """An array of objects, each with the line on which it begins; also lines of objects under a .json name."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InterchangeError(f"{path} is not UTF-8.", hint="Save it as UTF-8.") from None
    position = _skip(text, 0)
    if not text.startswith("[", position):
        yield from _jsonl(path, split)
        return
    decoder = json.JSONDecoder()
    index, line, counted = 0, 1, 0
    position = _skip(text, position + 1)
    while not text.startswith("]", position):
        line, counted = line + text.count("\n", counted, position), position
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise InterchangeError(
                f"{path}, line {line}: not JSON ({error}).", hint="Repair or export the file again; nothing was read."
            ) from error
        yield _row(path, f"line {line}", index, split, value)
        index += 1
        position = _skip(text, end)
        if text.startswith(",", position):
            position = _skip(text, position + 1)
        elif not text.startswith("]", position):
            line += text.count("\n", counted, position)
            raise InterchangeError(f"{path}, line {line}: the array does not go on or end here.", hint="Is it cut off?")


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _parquet(path: Path, split: str) -> Iterator[Row]:
    import pyarrow as arrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            yield from _batches(path, split, file.iter_batches(batch_size=64))
    except (arrow.ArrowException, ValueError) as error:
        raise _damaged(path, error) from error


def _arrow(path: Path, split: str) -> Iterator[Row]:
    """The streaming form that datasets writes; the random-access form is read too."""
    import pyarrow as arrow

    try:
        with arrow.memory_map(str(path)) as source:
            try:
                reader = arrow.ipc.open_stream(source)
            except arrow.ArrowInvalid:
                source.seek(0)
                file = arrow.ipc.open_file(source)
                reader = (file.get_batch(i) for i in range(file.num_record_batches))
            yield from _batches(path, split, reader)
    except (arrow.ArrowException, ValueError) as error:
        raise _damaged(path, error) from error


def _batches(path: Path, split: str, batches: Any) -> Iterator[Row]:
    index = 0
    for batch in batches:
        for start in range(0, batch.num_rows, 16):  # a few at a time: images may be large
            for record in batch.slice(start, 16).to_pylist():
                yield _row(path, f"row {index + 1}", index, split, record)
                index += 1


def _damaged(path: Path, error: Exception) -> InterchangeError:
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return InterchangeError(f"{path} is damaged: {first}.", hint="Export or download it again.")
