"""Papers and questions in the terminal. All text comes from pages and is printed literally."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from wholepage.console import clean
from wholepage.errors import WorkspaceError
from wholepage.records import Issue, Paper, Part, Question
from wholepage.workspace import Workspace


def find_questions(paper: Paper, number: str) -> list[Question]:
    """Questions with this printed number or id; several when numbering restarts in each section.

    Raises:
        WorkspaceError: there is none.
    """
    wanted = number.strip().rstrip(".．、")
    hits = [q for q in paper.questions if wanted in (q.number, q.id, q.id.rpartition("/")[2])]
    if not hits:
        known = ", ".join(clean(q.number) for q in paper.questions) or "none"
        raise WorkspaceError(
            f"Paper {paper.id} has no question {number!r}.", hint=f"It has: {known}.", code="question.unknown"
        )
    return hits


def render_paper(paper: Paper) -> RenderableType:
    """Overview: one row a question, then the paper's own issues."""
    table = Table(box=None, pad_edge=False)
    for title in ("id", "number", "type", "points", "answer", "issues", "text"):
        table.add_column(title, no_wrap=title != "text", overflow="ellipsis")
    for q in paper.questions:
        first = clean(q.stem).replace("\n", " ")[:60]
        cells = (q.id.rpartition("/")[2], q.number, q.type, _points(q.points), " ".join(q.answer)[:16])
        table.add_row(*(Text(clean(c)) for c in cells), Text(str(len(q.issues) or "")), Text(first))
    head = Text(clean(paper.title or paper.source.file), "bold")
    facts = f"{paper.id} · {len(paper.pages)} pages, {paper.source.kind} · {len(paper.questions)} questions"
    return Group(head, Text(facts), table, *_issues(paper.issues))


def render_question(question: Question) -> RenderableType:
    """Everything that was read of one question."""
    head = Text(f"{clean(question.section or '')} {clean(question.number)}".strip(), "bold")
    facts = [question.type, *([f"{_points(question.points)} points"] if question.points is not None else [])]
    facts += [question.status, f"confidence {question.confidence:.2f}", clean(question.id)]
    parts: list[RenderableType] = [head + Text("  " + " · ".join(facts), "dim"), Text(clean(question.own_stem))]
    for option in question.options:
        stands_for = f"  [{option.figure}]" if option.figure else ""
        parts.append(Text(f"  {clean(option.label)}. {clean(option.text)}{clean(stands_for)}"))
    parts.extend(_parts(question.parts, 1))
    if question.answer:
        parts.append(Text("Answer: ", "bold") + Text(clean("; ".join(question.answer))))
    if question.solution:
        parts.append(Text("Solution: ", "bold") + Text(clean(question.solution)))
    for figure in question.figures:
        caption = f" ({figure.caption})" if figure.caption else ""
        parts.append(Text(clean(f"Figure {figure.file}{caption}, page {figure.page}, {figure.placement}"), "dim"))
    where = "; ".join(f"page {r.page} {[round(v) for v in r.bbox]}" for r in question.regions)
    parts.append(Text(f"Where: {where or 'unknown'}", "dim"))
    return Group(*parts, *_issues(question.issues))


def _parts(parts: Sequence[Part], depth: int) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for part in parts:
        points = f" [{_points(part.points)}]" if part.points is not None else ""
        lines.append(Padding(Text(f"{clean(part.label)} {clean(part.text)}{points}"), (0, 0, 0, 2 * depth)))
        if part.answer:
            answer = Text("Answer: ", "bold") + Text(clean("; ".join(part.answer)))
            lines.append(Padding(answer, (0, 0, 0, 2 * depth + 2)))
        lines.extend(_parts(part.parts, depth + 1))
    return lines


def _issues(issues: Sequence[Issue]) -> list[Text]:
    style = {"error": "red", "warning": "yellow"}
    return [
        Text(f"{i.severity}: ", style[i.severity])
        + Text(
            clean(f"{i.code}{f' ({i.field})' if i.field else ''}{f', page {i.page}' if i.page else ''}: {i.message}")
        )
        for i in issues
    ]


def _points(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def show(console: Console, workspace: Workspace, reference: str, number: str | None) -> None:
    """Print a paper's overview, or the questions of one number."""
    paper = workspace.load(workspace.find(reference))
    if number is None:
        console.print(render_paper(paper))
        return
    for question in find_questions(paper, number):
        console.print(render_question(question))


def list_papers(workspace: Workspace) -> list[dict[str, object]]:
    """One entry a paper; a damaged paper.json is an entry with `error`."""
    rows: list[dict[str, object]] = []
    for paper_id in workspace.paper_ids():
        try:
            paper = workspace.load(paper_id)
        except WorkspaceError as error:
            rows.append({"paper_id": paper_id, "error": error.message})
            continue
        issues = paper.all_issues()
        rows.append(
            {
                "paper_id": paper_id,
                "file": paper.source.file,
                "title": paper.title,
                "subject": paper.subject,
                "kind": paper.source.kind,
                "pages": len(paper.pages),
                "questions": len(paper.questions),
                "errors": sum(i.severity == "error" for i in issues),
                "warnings": sum(i.severity == "warning" for i in issues),
            }
        )
    return rows


def render_list(rows: Sequence[dict[str, object]]) -> RenderableType:
    """Table of `list_papers`."""
    table = Table(box=None, pad_edge=False)
    for title in ("paper", "title", "file", "kind", "pages", "questions", "errors", "warnings"):
        number = title in ("pages", "questions", "errors", "warnings")
        # The id is what other commands take: on a narrow terminal it stays whole.
        table.add_column(
            title, justify="right" if number else "left", no_wrap=number or title == "paper", overflow="fold"
        )
    for row in rows:
        if "error" in row:
            table.add_row(str(row["paper_id"]), Text(clean(row["error"]), "red"), *[""] * 6)
            continue
        names = [Text(clean(row[k] or "–").replace("\n", "\\n")) for k in ("title", "file", "kind")]
        table.add_row(
            str(row["paper_id"]), *names, *(str(row[k]) for k in ("pages", "questions", "errors", "warnings"))
        )
    return table
