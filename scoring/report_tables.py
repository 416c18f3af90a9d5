"""Scores as CSV (for spreadsheets) and Parquet (for data frames), one row an attempt."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.scores import Score, ScoredQuestion
from wholepage.errors import MissingExtraError
from wholepage.workspace import write_atomic, write_text

TEXT = "text"
COLUMNS: tuple[tuple[str, str], ...] = (
    ("profile", TEXT),
    ("paper_id", TEXT),
    ("question_id", TEXT),
    ("number", TEXT),
    ("section", TEXT),
    ("subject", TEXT),
    ("type", TEXT),
    ("points", "float"),
    ("mode", TEXT),
    ("model", TEXT),
    ("epoch", "int"),
    ("budget", "int"),
    ("budget_enforced", "bool"),
    ("status", TEXT),
    ("verdict", TEXT),
    ("fraction", "float"),
    ("marks", "float"),
    ("by", TEXT),
    ("rule", TEXT),
    ("reason", TEXT),
    ("official", TEXT),
    ("extracted", TEXT),
    ("refused", "bool"),
    ("truncated", "bool"),
    ("no_answer", "bool"),
    ("finish_reason", TEXT),
    ("error", TEXT),
    ("input_tokens", "int"),
    ("generated_tokens", "int"),
    ("reasoning_tokens", "int"),
    ("cached_tokens", "int"),
    ("images", "int"),
    ("seconds", "float"),
    ("cost", "float"),
    ("currency", TEXT),
    ("judges_asked", "int"),
    ("judge_errors", "int"),
    ("disagreement", "float"),
    ("process_kinds", TEXT),
    ("process_root_errors", "int"),
    ("process_step_score", "float"),
    ("response", TEXT),
    ("source_file", TEXT),
    ("source_line", "int"),
)


def row(score: Score, question: ScoredQuestion) -> dict[str, Any]:
    """One flat row; None stays None."""
    record = score.process
    derived: dict[str, Any] = {
        "number": question.number,
        "section": question.section,
        "subject": question.subject,
        "type": question.type,
        "points": question.points,
        "official": " | ".join(question.answer),
        "extracted": " | ".join(p.extracted or "" for p in score.parts).strip(" |") or score.extracted,
        "judge_errors": len(score.judge_errors),
        "disagreement": max((p.disagreement for p in score.parts if p.opinions), default=None),
        "process_kinds": None if record is None or record.kinds is None else ",".join(record.kinds),
        "process_root_errors": record.root_errors if record is not None else None,
        "process_step_score": record.steps if record is not None else None,
    }
    return {name: derived[name] if name in derived else getattr(score, name) for name, _ in COLUMNS}


def spreadsheet_safe(value: object) -> object:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        return "'" + value
    return value


def write_csv(path: Path, scores: Sequence[Score], questions: Mapping[str, ScoredQuestion]) -> None:
    """UTF-8 with a byte order mark, which spreadsheets need to read Chinese text."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [name for name, _ in COLUMNS], lineterminator="\n")
    writer.writeheader()
    for score in scores:
        writer.writerow({k: spreadsheet_safe(v) for k, v in row(score, questions[score.question_id]).items()})
    write_text(path, "\ufeff" + out.getvalue())


def write_parquet(path: Path, scores: Sequence[Score], questions: Mapping[str, ScoredQuestion]) -> None:
    """Typed columns; text is kept word for word (no apostrophes). Raises MissingExtraError without pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError.for_extra("score", "pyarrow") from error
    kinds = {TEXT: pa.string(), "float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS])
    rows = [row(score, questions[score.question_id]) for score in scores]
    columns = {name: [r[name] for r in rows] for name, _ in COLUMNS}
    for name, kind in COLUMNS:
        if kind == TEXT:  # lone surrogates have no UTF-8 form
            columns[name] = [None if v is None else v.encode("utf-8", "replace").decode() for v in columns[name]]
    table = pa.table({f.name: pa.array(columns[f.name], f.type) for f in schema}, schema=schema)

    def write(temporary: Path) -> None:
        pq.write_table(table, temporary, compression="zstd")

    write_atomic(path, write)
