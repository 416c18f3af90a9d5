"""The questions that attempts refer to, read from a workspace once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wholepage.errors import WorkspaceError
from wholepage.records import Paper, Part, Question
from wholepage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BankItem:
    """A question with the paper it comes from."""

    paper: Paper
    question: Question


@dataclass(slots=True)
class Bank:
    """Questions by contract id; `problems` names papers that could not be read."""

    items: dict[str, BankItem] = field(default_factory=dict)
    rejected: frozenset[str] = frozenset()
    problems: list[str] = field(default_factory=list)
    papers: set[str] = field(default_factory=set)
    root: Path | None = None

    def __contains__(self, question_id: object) -> bool:
        return question_id in self.items

    def knows_paper(self, paper_id: str) -> bool:
        """Whether a paper of this id could be read."""
        return paper_id in self.papers


def load_bank(workspace: Workspace, paper_ids: Iterable[str] | None = None) -> Bank:
    """Read papers of a workspace (all, or only `paper_ids`); unreadable papers are listed, not fatal.

    Raises:
        WorkspaceError: the workspace holds no paper at all.
    """
    bank = Bank(root=workspace.root)
    known = workspace.paper_ids()
    if not known:
        raise WorkspaceError(
            f"The workspace {workspace.root} holds no papers.",
            hint="Ingest the papers first, or name the workspace with --workspace DIR.",
        )
    for paper_id in known if paper_ids is None else sorted(set(paper_ids) & set(known)):
        try:
            paper = workspace.load(paper_id)
        except WorkspaceError as error:
            bank.problems.append(str(error))
            continue
        bank.papers.add(paper.id)
        for question in paper.questions:
            bank.items[question.id] = BankItem(paper, question)
    bank.rejected = frozenset(name for name, item in bank.items.items() if item.question.status == "rejected")
    return bank


def official_answers(question: Question) -> list[str]:
    """The key, one entry a blank or part: the question's own list, else its parts' answers in printed order."""
    return list(question.answer) if question.answer else [a for part in question.parts for a in _part_answers(part)]


def _part_answers(part: Part) -> list[str]:
    return list(part.answer) if part.answer else [a for inner in part.parts for a in _part_answers(inner)]


def question_text(question: Question) -> str:
    """Stem, options and parts as plain text for a judge."""
    lines = [question.own_stem]
    lines += [f"{option.label}. {option.text}" for option in question.options]
    lines += [line for part in question.parts for line in _part_lines(part, 0)]
    return "\n".join(line for line in lines if line.strip())


def _part_lines(part: Part, depth: int) -> list[str]:
    points = f" [{part.points:g}]" if part.points is not None else ""
    own = f"{'  ' * depth}{part.label} {part.text}{points}"
    return [own, *(line for inner in part.parts for line in _part_lines(inner, depth + 1))]


def official_solution(question: Question) -> str:
    """The printed worked solution: the question's own, else its parts' joined."""
    if question.solution.strip():
        return question.solution
    return "\n".join(text for part in question.parts for text in _part_solutions(part))


def _part_solutions(part: Part) -> list[str]:
    own = [f"{part.label} {part.solution}"] if part.solution.strip() else []
    return own + [text for inner in part.parts for text in _part_solutions(inner)]
