"""`wholepage exam import` and `wholepage exam export` as plain functions with typed options.

They return what happened; the command line prints it and chooses the exit code (3 when something is listed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from exam_mode.interchange.from_paper import Exported, export_paper
from exam_mode.interchange.items import FormName, InterchangeError, Loss, gather_losses
from exam_mode.interchange.to_paper import ImportResult, import_items
from exam_mode.interchange.writing import column_losses, write_records
from wholepage.errors import ExitCode
from wholepage.workspace import Workspace


@dataclass(frozen=True)
class ImportOptions:
    """Options of `exam import`.

    Attributes:
        source: .json, .jsonl, .parquet, or a folder with Arrow or Parquet files.
        workspace: folder of the workspace.
        form: `livek12bench` or `k12vista`; None tells it from the fields.
        accept: mark the questions as verified.
    """

    source: Path
    workspace: Path
    form: FormName | None = None
    accept: bool = False


@dataclass(frozen=True)
class ExportOptions:
    """Options of `exam export`.

    Attributes:
        workspace: folder of the workspace.
        target: file or folder to write; its suffix chooses the container.
        form: the records' form.
        papers: ids, beginnings of ids or file names; none means all.
        verified: leave out questions that nobody verified.
    """

    workspace: Path
    target: Path
    form: FormName = "livek12bench"
    papers: Sequence[str] = ()
    verified: bool = False


@dataclass(frozen=True)
class ExportResult:
    """What was written, how many records, and what the form cannot hold."""

    files: tuple[Path, ...]
    records: int
    left_out: int
    losses: tuple[Loss, ...]


def import_records(options: ImportOptions) -> ImportResult:
    """Run `exam import`. Raises InterchangeError or WorkspaceError; problems of single records are in the result."""
    return import_items(options.source, Workspace(options.workspace), options.form, options.accept)


def export_records(options: ExportOptions) -> ExportResult:
    """Run `exam export`.

    Raises:
        InterchangeError: nothing to export, an unreadable figure, or a target of a wrong kind.
        WorkspaceError: no such paper, or the target cannot be written.
    """
    workspace = Workspace(options.workspace)
    ids = [workspace.find(name) for name in options.papers] or workspace.paper_ids()
    records: list[Exported] = []
    left_out = 0
    for paper_id in dict.fromkeys(ids):
        paper = workspace.load(paper_id)
        chosen = [q for q in paper.questions if q.status == "verified" or not options.verified]
        exported = list(export_paper(workspace, paper.model_copy(update={"questions": chosen}), options.form))
        left_out += len(paper.questions) - len(exported)
        records += exported
    if not records:
        raise InterchangeError(
            f"The workspace {workspace.root} holds no question to export.",
            hint="Ingest or import papers first, or leave out --verified.",
            code="interchange.nothing",
        )
    files = write_records(options.target, records, options.form)
    found = [loss for record in records for loss in record.losses]
    losses = gather_losses([*found, *column_losses(options.target, records)])
    return ExportResult(tuple(files), len(records), left_out, tuple(losses))


def import_lines(result: ImportResult) -> list[str]:
    """What the terminal shows after an import."""
    lines = [f"{result.questions} questions with {result.figures} figures in {len(result.papers)} new papers."]
    lines += [f"Paper {paper}: written." for paper in result.papers]
    lines += [f"Paper {paper}: already there, kept as it is." for paper in result.kept]
    return [*lines, *(f"Left out: {problem}" for problem in result.problems)]


def export_lines(result: ExportResult) -> list[str]:
    """What the terminal shows after an export."""
    lines = [f"{result.records} questions written to {result.files[0]}."]
    if result.left_out:
        lines.append(f"{result.left_out} questions left out (rejected, or not verified).")
    return [*lines, *(f"Not kept: {loss}" for loss in result.losses)]


def exit_code(result: ImportResult | ExportResult) -> ExitCode:
    """3 when records of an import could not be used, else 0; losses of an export lie in the form, not in the work."""
    return ExitCode.DOUBTS if isinstance(result, ImportResult) and result.problems else ExitCode.OK
