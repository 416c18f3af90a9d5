"""Records to JSON, JSONL, Parquet, or a folder as `datasets.save_to_disk` writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from exam_mode.interchange.from_paper import Exported
from exam_mode.interchange.items import FormName, InterchangeError
from exam_mode.interchange.livek12 import FIELDS
from exam_mode.interchange.pictures import base64_text, check_picture
from wholepage.workspace import write_atomic, write_bytes, write_json

BATCH = 64  # records
_TEXT = {"dtype": "string", "_type": "Value"}


def write_records(target: Path, records: Sequence[Exported], form: FormName) -> list[Path]:
    """Write records to `target`; its suffix says how: .json, .jsonl, .parquet, none for a datasets folder.

    JSON forms of LiveK12Bench refer to images below `NAME_images/` beside the file; K12Vista holds its one image in
    the line. Returns every file written.

    Raises:
        InterchangeError: another suffix, a columnar file of K12Vista, which has none, or an unreadable figure.
    """
    suffix = target.suffix.lower()
    if suffix not in {".json", ".jsonl", ".parquet", ""}:
        raise InterchangeError(
            f"{target} has a suffix that is not known.", hint="Use .json, .jsonl, .parquet or a folder's name."
        )
    if form == "k12vista":
        if suffix != ".jsonl":
            raise InterchangeError(f"{target}: K12Vista is a .jsonl form.", hint="Name the file NAME.jsonl.")
        lines = ({**r.record, "img": base64_text(r.image(0)) if r.files else ""} for r in records)
        return [_lines(target, lines)]
    if suffix in {".json", ".jsonl"}:
        return _with_image_files(target, records)
    schema = _schema(records)
    return [_parquet(target, schema, records)] if suffix == ".parquet" else _save_to_disk(target, schema, records)


def _lines(target: Path, records: Iterable[dict[str, Any]]) -> Path:
    def write(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", errors="replace") as handle:
            for record in records:
                handle.write(json.dumps(record, ensure_ascii=False) + "\n")

    write_atomic(target, write)
    return target


def _with_image_files(target: Path, records: Sequence[Exported]) -> list[Path]:
    written: list[Path] = []
    plain: list[dict[str, Any]] = []
    for number, exported in enumerate(records, 1):
        names = []
        for index, data in enumerate(exported.images, 1):
            path = target.parent / f"{target.stem}_images" / f"{number:05d}-{index}{_suffix(data)}"
            write_bytes(path, data)
            written.append(path)
            names.append(path.relative_to(target.parent).as_posix())
        plain.append({**exported.record, "images": names})
    if target.suffix.lower() == ".jsonl":
        return [_lines(target, plain), *written]
    write_json(target, plain)
    return [target, *written]


def _suffix(data: bytes) -> str:
    return check_picture(data, "image").suffix


def _schema(records: Sequence[Exported]) -> Any:
    """An Arrow schema whose metadata tell `datasets` that `images` holds images."""
    import pyarrow as arrow

    whole = all(isinstance(r.record.get("point_value"), (int, type(None))) for r in records)
    points = (arrow.int64(), "int64") if whole else (arrow.float64(), "float64")
    texts = ["id", "set", "subject", "question_type", "question", "solution", "knowledge_points"]
    image = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    fields: dict[str, tuple[Any, Any]] = {name: (arrow.string(), _TEXT) for name in texts}
    fields["point_value"] = (points[0], {"dtype": points[1], "_type": "Value"})
    fields["answer"] = (arrow.list_(arrow.string()), {"feature": _TEXT, "_type": "List"})
    fields["images"] = (arrow.list_(image), {"feature": {"_type": "Image"}, "_type": "List"})
    if any("subset" in r.record for r in records):
        fields["subset"] = (arrow.list_(arrow.string()), {"feature": _TEXT, "_type": "List"})
    features = {name: feature for name, (_, feature) in fields.items()}
    return arrow.schema(
        [(name, kind) for name, (kind, _) in fields.items()],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )


def _batches(schema: Any, records: Sequence[Exported]) -> Iterator[Any]:
    """Arrow batches of a few records, since their images may be large."""
    import pyarrow as arrow

    for start in range(0, len(records), BATCH):
        rows = [_columns(record, schema.names) for record in records[start : start + BATCH]]
        yield arrow.RecordBatch.from_pylist(rows, schema=schema)


def column_losses(target: Path, records: Sequence[Exported]) -> list[tuple[str, str, str]]:
    """Fields of records that a columnar target does not take, as (field, reason, question id)."""
    if target.suffix.lower() not in {".parquet", ""}:
        return []
    reason = "Parquet and Arrow files hold the fields of the form only; JSON keeps further ones"
    known = {*FIELDS, "subset"}
    return [(name, reason, r.question_id) for r in records for name in r.record if name not in known]


def _columns(exported: Exported, fields: Sequence[str]) -> dict[str, Any]:
    row = {name: exported.record.get(name) for name in fields}
    for name, value in row.items():
        if name in {"answer", "subset"}:
            row[name] = [str(v) for v in ([value] if isinstance(value, str) else value or [])]
        elif name not in {"point_value", "images"} and value is not None:
            row[name] = "; ".join(value) if isinstance(value, list) else str(value)
    row["images"] = [{"bytes": data, "path": None} for data in exported.images]
    return row


def _parquet(target: Path, schema: Any, records: Sequence[Exported]) -> Path:
    from pyarrow import parquet

    def write(temporary: Path) -> None:
        with parquet.ParquetWriter(temporary, schema) as writer:
            for batch in _batches(schema, records):
                writer.write_batch(batch)

    write_atomic(target, write)
    return target


def _save_to_disk(folder: Path, schema: Any, records: Sequence[Exported]) -> list[Path]:
    """One shard in Arrow's streaming form, with the two JSON files that `load_from_disk` reads."""
    import pyarrow as arrow

    name = "data-00000-of-00001.arrow"

    def write(temporary: Path) -> None:
        with arrow.OSFile(str(temporary), "wb") as sink, arrow.ipc.new_stream(sink, schema) as writer:
            for batch in _batches(schema, records):
                writer.write_batch(batch)

    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    state: dict[str, Any] = {
        "_data_files": [{"filename": name}], "_fingerprint": "wholepage", "_format_columns": None,
        "_format_kwargs": {}, "_format_type": None, "_output_all_columns": False, "_split": None,
    }  # fmt: skip
    write_atomic(folder / name, write)
    write_json(folder / "dataset_info.json", {"citation": "", "description": "", "features": features, "license": ""})
    write_json(folder / "state.json", state)
    return [folder / n for n in (name, "dataset_info.json", "state.json")]
