"""`wholepage score judges`: how far judges agree with human labels.

One JSON line an item: `id`, `label` (correct, partial or wrong, by a person), and either `verdicts` (judge → verdict,
recorded earlier) or the material to ask judges now: `question`, `official_answer`, `official_solution`, `response`, and
`model` (the author of the response, who may not judge it).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scoring.judges import Panel
from scoring.judges_agreement import (
    fleiss_kappa,
    interval_distance,
    krippendorff_alpha,
    majority_label,
    rate,
)
from scoring.judges_prompt import Material
from wholepage.errors import ExitCode, WholepageError

PANEL = "panel (majority)"
_VALUE = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}
Label = Literal["correct", "partial", "wrong"]


class LabelsError(WholepageError):
    """A labels file that cannot be used."""

    exit_code = ExitCode.UNREADABLE
    default_code = "labels.unreadable"


class LabelledItem(BaseModel):
    """One line of the labels file."""

    model_config = ConfigDict(extra="allow")
    id: str
    label: Label
    verdicts: dict[str, Label | None] = Field(default_factory=dict, description="null: that judge failed here.")
    question: str = ""
    official_answer: str = ""
    official_solution: str = ""
    response: str = ""
    model: str = ""


def read_labels(path: Path) -> tuple[list[LabelledItem], list[dict[str, Any]]]:
    """Items, and an issue for each line that cannot be used or repeats an id.

    Raises:
        LabelsError: the file cannot be read or has no usable line.
    """
    items: list[LabelledItem] = []
    issues: list[dict[str, Any]] = []
    seen: set[str] = set()
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise LabelsError(f"Cannot read {path}: {error.strerror or error}.", hint="Give a JSONL file.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            item = LabelledItem.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"]) or "line"
            issues.append(_issue("label.invalid", path, number, f"{name}: {first['msg']}"))
            continue
        if item.id in seen:
            issues.append(_issue("label.duplicate", path, number, f"the id {item.id!r} came before"))
            continue
        seen.add(item.id)
        items.append(item)
    if not items:
        raise LabelsError(f"{path} has no usable line.", hint="docs/scoring.md shows the form.")
    return items, issues


def _issue(code: str, path: Path, line: int, message: str) -> dict[str, Any]:
    text = f"{path}, line {line}: {message}"
    return {"code": code, "severity": "error", "file": str(path), "line": line, "message": text}


def ask_panel(items: Sequence[LabelledItem], panel: Panel, concurrency: int) -> list[dict[str, str | None]]:
    """Verdicts of all judges on all items; None where a judge failed or may not judge the response's author."""

    def one(item: LabelledItem) -> dict[str, str | None]:
        material = Material(item.question, (("1", item.official_answer),), item.official_solution, item.response)
        result = panel.outcome(material, item.model, "majority")
        verdicts: dict[str, str | None] = {judge.model: None for judge in panel.judges}
        verdicts.update({opinion.judge: opinion.verdict for part in result.parts for opinion in part.opinions})
        return verdicts

    pool = ThreadPoolExecutor(max(1, concurrency))
    try:
        return list(pool.map(one, items))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def agreement(items: Sequence[LabelledItem], verdicts: Sequence[Mapping[str, str | None]]) -> dict[str, Any]:
    """Accuracy, kappas and alpha of every judge and of the panel's majority against the human labels.

    Fleiss' kappa covers the items on which all judges gave a verdict; alpha covers all. Both are among judges only;
    `alpha_with_human` adds the human label as one more rater.
    """
    judges = sorted({judge for row in verdicts for judge in row})
    labels = [item.label for item in items]
    reports = [
        asdict(rate(judge, [(label, row.get(judge)) for label, row in zip(labels, verdicts, strict=True)]))
        for judge in judges
    ]
    known = [[v for judge in judges if (v := row.get(judge)) is not None] for row in verdicts]
    if len(judges) > 1:
        pairs = [(label, majority_label(row)) for label, row in zip(labels, known, strict=True)]
        reports.append(asdict(rate(PANEL, pairs)))
    complete = [row for row in known if len(row) == len(judges)]
    with_human = [[label, *row] for label, row in zip(labels, known, strict=True)]
    return {
        "items": len(items),
        "judges": reports,
        "fleiss_kappa": fleiss_kappa(complete) if len(judges) > 1 else None,
        "fleiss_items": len(complete) if len(judges) > 1 else 0,
        "krippendorff_alpha": krippendorff_alpha(known),
        "krippendorff_alpha_interval": krippendorff_alpha(
            [[_VALUE[v] for v in row] for row in known], interval_distance
        ),
        "alpha_with_human": krippendorff_alpha(with_human),
    }


def write_agreement(result: Mapping[str, Any]) -> str:
    """JSON text of the result."""
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"
