"""Papers of a workspace as records of a benchmark's form, with a list of what that form cannot hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exam_mode.interchange import k12vista, livek12
from exam_mode.interchange.items import FormName, InterchangeError, RecordError
from exam_mode.interchange.pictures import check_picture
from exam_mode.interchange.texts import shown_files, whole_text
from exam_mode.interchange.to_paper import ORIGIN, rendering
from scoring.bank import official_answers, official_solution
from wholepage.records import Paper as PaperRecord
from wholepage.records import Part, Question
from wholepage.workspace import Workspace

Found = tuple[str, str, str]  # field, reason, question id


@dataclass(frozen=True)
class Exported:
    """One record; `files` are its images in the record's order, `losses` what was left behind."""

    question_id: str
    record: dict[str, Any]
    files: tuple[Path, ...]
    losses: tuple[Found, ...]

    def image(self, index: int) -> bytes:
        """Encoded bytes of one image, read when asked for: a large set does not fit into memory.

        Raises:
            InterchangeError: the file is absent or damaged; the message names the question.
        """
        path = self.files[index]
        try:
            data = path.read_bytes()
            check_picture(data, path.name)
        except (OSError, RecordError) as error:
            raise _unreadable(self.question_id, f"{path.parent.name}/{path.name}", error) from error
        return data

    @property
    def images(self) -> list[bytes]:
        """All images of the record."""
        return [self.image(index) for index in range(len(self.files))]


def _unreadable(question_id: str, name: str, error: Exception) -> InterchangeError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return InterchangeError(
        f"Question {question_id}: cannot read the figure {name}: {reason}.",
        hint="Ingest or import the paper again, then export.",
        code="interchange.figure",
    )


def export_paper(workspace: Workspace, paper: PaperRecord, form: FormName) -> Iterator[Exported]:
    """Records of a paper's questions, without those that were rejected in review.

    A question that came from the same form and was not changed since is given back word for word.

    Raises:
        InterchangeError: a figure lies outside the paper's folder; the message names the question.
    """
    folder = workspace.paper_dir(paper.id)
    build = _livek12 if form == "livek12bench" else _k12vista
    for question in paper.questions:
        if question.status == "rejected":
            continue
        files = shown_files(question)
        origin = _origin(paper, question, form)
        if origin is not None:
            files = [figure.file for figure in question.figures]
        paths = tuple(_file(folder, name, question) for name in files)
        record = dict(origin) if origin is not None else build(paper, question)
        losses = tuple(_losses(paper, question, form, origin is not None, len(files)))
        yield Exported(question.id, record, paths, losses)


def _origin(paper: PaperRecord, question: Question, form: FormName) -> dict[str, Any] | None:
    """The record that the question came from, if the form is the same and nothing was changed since."""
    origin = (question.model_extra or {}).get(ORIGIN)
    stated = paper.produced_by.get(ORIGIN)
    if not isinstance(origin, dict) or not isinstance(stated, dict) or stated.get("form") != form:
        return None
    record = origin.get("record")
    return record if isinstance(record, dict) and origin.get("rendering") == rendering(question) else None


def _file(folder: Path, name: str, question: Question) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise _unreadable(question.id, name, RecordError("it lies outside the paper's folder"))
    return path


def _livek12(paper: PaperRecord, question: Question) -> dict[str, Any]:
    stated = paper.produced_by.get(ORIGIN)
    group = stated.get("set") if isinstance(stated, dict) else None
    points = question.points
    record: dict[str, Any] = {
        "id": _record_id(question, "id") or question.id.replace("/", "_").replace(".", "_"),
        "set": group or (paper.released.strftime("%y%m") if paper.released else paper.id),
        "subject": paper.subject or "",
        "question_type": livek12.type_name(question.type, paper.language),
        "point_value": int(points) if points is not None and points == int(points) else points,
        "question": whole_text(question),
        "answer": official_answers(question),
        "solution": official_solution(question),
        "knowledge_points": "; ".join(question.knowledge_points),
    }
    if question.tags:
        record["subset"] = list(question.tags)
    return record


def _k12vista(paper: PaperRecord, question: Question) -> dict[str, Any]:
    captions = [figure.caption for figure in question.figures if figure.caption]
    solution = official_solution(question)
    return {
        "hash_id": _record_id(question, "id") or question.id.replace("/", "_").replace(".", "_"),
        "type": k12vista.NAMES.get(question.type, "问答题"),
        "subject": "-".join(part for part in (paper.subject, paper.level) if part),
        "difficulty": next((tag for tag in question.tags if tag in {"易", "中", "难"}), ""),
        "knowledge_point": list(question.knowledge_points),
        "question": whole_text(question),
        "img_caption": captions[0] if captions else "",
        "format_answer": {
            "ground_truth": official_answers(question),
            "format_solution": solution.split("\n") if solution else [],
        },
    }


def _record_id(question: Question, name: str) -> str:
    origin = (question.model_extra or {}).get(ORIGIN)
    return str(origin.get(name) or "") if isinstance(origin, dict) else ""


def _losses(paper: PaperRecord, question: Question, form: FormName, verbatim: bool, images: int) -> Iterator[Found]:
    """What the record does not say of the question."""
    name = question.id
    if question.regions:
        yield ("regions", "the form has no pages, so no place on one", name)
    if question.status == "verified":
        yield ("status", "the form does not say that a person checked a question", name)
    if question.evidence or question.issues:
        yield ("evidence, issues", "the form has no place for doubts and where a field was read", name)
    if question.material:
        yield ("material", "the form has no shared passages; the figures are repeated, the link is not", name)
    if question.difficulty is not None:
        yield ("difficulty", "the form has no difficulty as a number", name)
    if any(figure.placement == "solution" for figure in question.figures):
        yield ("figures", "figures of the solution are left out", name)
    if verbatim:
        return
    if question.section:
        yield ("section, number", "the form has no sections and printed numbers", name)
    if question.options:
        yield ("options", "options become part of the question's text", name)
    if question.parts:
        yield ("parts", "parts become part of the text, their answers one list", name)
        if any(points is not None for points in _part_points(question.parts)):
            yield ("parts.points", "the form has points for whole questions only", name)
    yield from _form_losses(paper, question, form, images)


def _form_losses(paper: PaperRecord, question: Question, form: FormName, images: int) -> Iterator[Found]:
    name = question.id
    if form == "livek12bench":
        if question.type in {"multi_select", "true_false"}:
            yield ("type", f"the form does not name {question.type}", name)
        if question.points is not None and question.points != int(question.points):
            yield ("points", "the form's readers take whole points only", name)
        if any(figure.caption for figure in question.figures):
            yield ("figures.caption", "the form has no captions", name)
        if paper.level:
            yield ("level", "the form has no level", name)
        return
    if question.type not in {"multiple_choice", "fill_in_blank", "open_ended"}:
        yield ("type", f"the form does not name {question.type}", name)
    if question.points is not None:
        yield ("points", "the form has no points", name)
    if images > 1:
        yield ("figures", "the form holds one image a question; the first is written", name)
    if any(tag not in {"易", "中", "难"} for tag in question.tags):
        yield ("tags", "the form has no tags", name)


def _part_points(parts: list[Part]) -> Iterator[float | None]:
    for part in parts:
        yield part.points
        yield from _part_points(part.parts)
