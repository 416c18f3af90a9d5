"""Records into a workspace: each group of records becomes one paper, images become its figures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exam_mode.interchange import k12vista, livek12
from exam_mode.interchange.files import Row, data_files, digest, read_rows
from exam_mode.interchange.items import FormName, InterchangeError, Item, RecordError
from exam_mode.interchange.texts import PLACEHOLDER, place_pictures, split_options, whole_text
from wholepage import __version__
from wholepage.errors import WorkspaceError
from wholepage.records import Figure, Issue, Option, Paper, Question, Source
from wholepage.workspace import Workspace, content_id, write_bytes

ORIGIN = "interchange"  # extra field of papers and questions that came from a record
NO_PAGE = 0  # page of figures that were never on one
_CHOICES = ("multiple_choice", "multi_select")
_PARSERS: dict[str, Callable[[dict[str, Any], Path, str, int], Item]] = {
    "livek12bench": livek12.parse,
    "k12vista": k12vista.parse,
}


@dataclass
class ImportResult:
    """What came of an import: papers written, questions in them, and records that could not be used."""

    papers: list[str] = field(default_factory=list)
    questions: int = 0
    figures: int = 0
    problems: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def guess_form(record: dict[str, Any]) -> FormName:
    """Which form a record has, by its field names."""
    return "k12vista" if {"hash_id", "format_answer"} & set(record) else "livek12bench"


def import_items(
    source: Path, workspace: Workspace, form: FormName | None = None, accept: bool = False
) -> ImportResult:
    """Read all records at `source` into `workspace`.

    Args:
        form: the records' form; None tells it from the first record's fields.
        accept: mark the questions as verified, for sets that their authors checked.

    A record that cannot be used is listed in `problems` with file and line, the others go on. A paper that is already
    there is kept as it is, with its reviews, and listed in `kept`.

    Raises:
        InterchangeError: nothing to read, a damaged file, or no usable record at all.
        WorkspaceError: the workspace cannot be written.
    """
    files = data_files(source)
    whole = digest(files)
    workspace.create()
    result = ImportResult()
    papers: dict[str, _Builder] = {}
    seen: dict[str, str] = {}
    for path in files:
        for row in read_rows(path):
            if row.record is None:
                result.problems.append(f"{row.where}: {row.problem}.")
                continue
            form = form or guess_form(row.record)
            try:
                item = _PARSERS[form](row.record, path.parent, row.split, row.index)
                _once(seen, item, row)
            except RecordError as error:
                result.problems.append(f"{row.where}: {error}.")
                continue
            if item.group not in papers:
                papers[item.group] = _Builder(workspace, source, whole, form, item)
            papers[item.group].add(item, row, accept)
    _finish(papers, workspace, result, source)
    return result


def _once(seen: dict[str, str], item: Item, row: Row) -> None:
    if item.key in seen:
        raise RecordError(f"the id {item.key!r:.80} stands already in {seen[item.key]}")
    seen[item.key] = row.where


def _finish(papers: dict[str, _Builder], workspace: Workspace, result: ImportResult, source: Path) -> None:
    if not papers:
        first = result.problems[0] if result.problems else "It is empty."
        raise InterchangeError(f"No usable record in {source}. {first}", hint="Is it a LiveK12Bench or K12Vista file?")
    for builder in papers.values():
        result.questions += len(builder.paper.questions)
        result.figures += sum(len(question.figures) for question in builder.paper.questions)
        if builder.exists:
            result.kept.append(builder.paper.id)
        else:
            workspace.save(builder.paper)
            result.papers.append(builder.paper.id)


class _Builder:
    """A paper in the making; figures are written at once, so that no images pile up in memory."""

    def __init__(self, workspace: Workspace, source: Path, whole: str, form: FormName, first: Item) -> None:
        group = hashlib.sha256(first.group.encode()).hexdigest()
        paper_id = content_id([whole, group])
        self.folder = workspace.paper_dir(paper_id)
        self.exists = (self.folder / "paper.json").exists()
        self.paper = Paper(
            id=paper_id,
            title=f"{_TITLES[form]} {first.group}",
            subject=first.subject,
            language=first.language,
            level=first.level,
            source=Source(file=source.name, sha256=whole, bytes=_size(source), pages=0, kind="digital"),
            produced_by={"wholepage": __version__, ORIGIN: {"form": form, "group": first.group, "set": first.set_name}},
        )

    def add(self, item: Item, row: Row, accept: bool) -> None:
        """Append a question and write its figures."""
        number = str(len(self.paper.questions) + 1)
        figures = [self._figure(item, number, i) for i in range(len(item.images))]
        stem, options = split_options(item.question) if item.type in _CHOICES else (item.question, [])
        choices, used = _with_figures(options, figures, stem)
        rest = [figure.file for figure in figures if figure.file not in used]
        question = Question(
            id=f"{self.paper.id}/1.{number}",
            number=number,
            type=item.type,
            points=item.points,
            stem=place_pictures(stem, rest),
            options=choices,
            answer=list(item.answer),
            solution=item.solution,
            figures=figures,
            knowledge_points=list(item.knowledge_points),
            tags=list(item.tags),
            status="verified" if accept else "unverified",
            confidence=1.0,
            issues=_doubts(item, choices),
        )
        origin = {"id": item.key, "place": row.place, "file": row.file.name, "record": item.raw}
        origin["rendering"] = rendering(question)
        self.paper.questions.append(question.model_copy(update={ORIGIN: origin}))

    def _figure(self, item: Item, number: str, index: int) -> Figure:
        picture = item.images[index]
        name = f"figures/q{number}-{index + 1}{picture.suffix}"
        target = self.folder / name
        if not self.exists or not target.exists():
            write_bytes(target, picture.data)
        return Figure(
            id=f"q{number}-{index + 1}",
            file=name,
            page=NO_PAGE,
            bbox=(0, 0, picture.width, picture.height),
            caption=picture.caption,
        )


_TITLES = {"livek12bench": "LiveK12Bench", "k12vista": "K12Vista"}


def _with_figures(options: list[tuple[str, str]], figures: list[Figure], stem: str) -> tuple[list[Option], set[str]]:
    """Options; where `<image>` stands in one, it takes the next picture after those of the stem."""
    rest = figures[stem.count(PLACEHOLDER) :]
    made, used = [], set()
    for label, text in options:
        figure = rest.pop(0) if PLACEHOLDER in text and rest else None
        if figure is not None:
            figure.placement = f"option:{label}"
            used.add(figure.file)
        shown = text.replace(PLACEHOLDER, f"![]({figure.file})", 1) if figure else text
        made.append(Option(label=label, text=shown, figure=figure.id if figure else None))
    return made, used


def rendering(question: Question) -> str:
    """16 hex digits of what a question says; equal to the stored one as long as nobody changed it since the import."""
    shown = [
        whole_text(question), question.type, question.points, question.answer, question.solution,
        question.knowledge_points, question.tags, [figure.file for figure in question.figures],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(shown, ensure_ascii=False).encode()).hexdigest()[:16]


def _doubts(item: Item, options: list[Option]) -> list[Issue]:
    issues = []
    if item.type in _CHOICES and not options:
        text = "The options could not be told from the stem; they are left in its text."
        issues.append(Issue(code="options.not_split", field="options", message=text))
    if not item.answer:
        issues.append(Issue(code="answer.missing", field="answer", message="The record gives no answer."))
    return issues


def _size(source: Path) -> int:
    try:
        return sum(p.stat().st_size for p in data_files(source))
    except OSError as error:
        raise WorkspaceError(f"Cannot read {source}: {error}.") from error
