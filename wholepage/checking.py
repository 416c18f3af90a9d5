"""Checks over papers of a workspace: duplicates among all of them, then each paper's own checks and the policy."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wholepage.console import clean
from wholepage.errors import WholepageError, WorkspaceError
from wholepage.records import Issue, Paper
from wholepage.workspace import Workspace

if TYPE_CHECKING:
    from parse_templates.policy import Policy

POLICY_FILE = "policy.yaml"  # in the workspace: used when no other is named
MAX_LISTED = 200  # issues printed


@dataclass(frozen=True)
class Checked:
    """What became of one paper. `added` and `gone` count issues against the last check; `error` when it failed."""

    paper_id: str
    file: str = ""
    questions: int = 0
    verified: int = 0
    added: int = 0
    gone: int = 0
    issues: list[Issue] = field(default_factory=list)
    error: WholepageError | None = None

    def count(self, severity: str) -> int:
        """Issues of one severity."""
        return sum(i.severity == severity for i in self.issues)

    def as_json(self) -> dict[str, Any]:
        """The line that `--json` prints."""
        line: dict[str, Any] = {"paper_id": self.paper_id, "file": self.file, "questions": self.questions}
        line |= {"errors": self.count("error"), "warnings": self.count("warning"), "verified": self.verified}
        line |= {"added": self.added, "gone": self.gone}
        line["issues"] = [i.model_dump(mode="json", exclude_none=True) for i in self.issues]
        if self.error is not None:
            line["error"] = {"code": self.error.code, "message": self.error.message, "hint": self.error.hint}
        return line


def policy_for(workspace: Workspace, path: Path | None) -> Policy | None:
    """The policy of a file, else the workspace's own, else None.

    Raises:
        PolicyError: the file cannot be used.
    """
    from parse_templates.policy import load_policy

    own = workspace.root / POLICY_FILE
    if path is None and not own.is_file():
        return None
    return load_policy(path or own)


def check_workspace(workspace: Workspace, ids: Sequence[str], policy: Policy | None) -> list[Checked]:
    """Check the papers `ids`; duplicates are looked for among all papers of the workspace.

    A paper that cannot be read is a result with `error` and costs the others nothing.

    Raises:
        WorkspaceError: a result cannot be written.
    """
    papers = list(_readable(workspace))
    doubles = duplicate_issues(papers)
    return [_check(workspace, paper_id, doubles, policy) for paper_id in ids]


def _readable(workspace: Workspace) -> list[Paper]:
    papers = []
    for paper_id in workspace.paper_ids():
        try:
            papers.append(workspace.load(paper_id))
        except WorkspaceError:
            continue  # said where the paper itself is checked
    return papers


def duplicate_issues(papers: Sequence[Paper]) -> dict[str, list[Issue]]:
    """Issues by question id: each question that is alike an earlier one, by order of paper ids and in the paper."""
    from parse_templates.duplicates import entries_of, find_matches

    questions = [(paper, q) for paper in sorted(papers, key=lambda p: p.id) for q in paper.questions]
    found: defaultdict[str, list[Issue]] = defaultdict(list)
    told: set[tuple[str, str]] = set()
    matches = find_matches(entries_of((q.id, q) for _, q in questions))
    for match in sorted(matches, key=lambda m: (m.kind, -m.score, m.first, m.second)):
        (paper, earlier), (own, later) = questions[match.first], questions[match.second]
        code = "duplicate.of" if match.kind == "duplicate" else "duplicate.variant"
        if (later.id, "any") in told or earlier.id == later.id:  # the nearest one is named, and a duplicate first
            continue
        told.add((later.id, "any"))
        where = f"question {earlier.number}" + ("" if paper.id == own.id else f" of {paper.source.file} ({paper.id})")
        said = "is the same as" if match.kind == "duplicate" else "has the words of, with other numbers or signs,"
        message = f"Question {later.number} {said} {where}; similarity {match.score:g}."
        found[later.id].append(Issue(code=code, field="stem", message=message, of=earlier.id))
    return dict(found)


def _check(workspace: Workspace, paper_id: str, doubles: dict[str, list[Issue]], policy: Policy | None) -> Checked:
    from parse_templates.checks_run import check_paper
    from parse_templates.policy import apply_policy
    from wholepage.pipeline import hold

    try:
        with hold(workspace, paper_id):
            paper = workspace.load(paper_id)
            before = paper.model_dump_json(by_alias=True)
            old = Counter(_key(i) for i in paper.all_issues())
            check_paper(paper, workspace.paper_dir(paper_id), doubles)
            apply_policy(paper, policy)
            new = Counter(_key(i) for i in paper.all_issues())
            if paper.model_dump_json(by_alias=True) != before:
                save_paper(workspace, paper)
    except WorkspaceError as error:
        if error.code == "workspace.write_failed":
            raise
        return Checked(paper_id, error=error)
    verified = sum(q.status == "verified" for q in paper.questions)
    added, gone = (new - old).total(), (old - new).total()
    return Checked(paper_id, paper.source.file, len(paper.questions), verified, added, gone, paper.all_issues())


def save_paper(workspace: Workspace, paper: Paper) -> None:
    """Write paper.json and then the preview that shows it."""
    from review.preview import write_preview

    workspace.save(paper)
    write_preview(workspace, paper)


def _key(issue: Issue) -> tuple[str, str | None, str]:
    return issue.code, issue.field, issue.message


def render_checks(results: Sequence[Checked], policy: Policy | None) -> RenderableType:
    """A row a paper; the issues of one paper, or counts by code of several; which policy verified."""
    table = Table(box=None, pad_edge=False)
    names = ("paper", "file", "questions", "errors", "warnings", "new", "gone", "verified")
    for name in names:
        table.add_column(name, justify="left" if name in ("paper", "file") else "right", no_wrap=name != "file")
    for r in results:
        if r.error is not None:
            table.add_row(r.paper_id, Text(clean(r.error.message), "red"), *[""] * 6)
            continue
        counts = (r.questions, r.count("error"), r.count("warning"), r.added, r.gone, r.verified)
        table.add_row(r.paper_id, Text(clean(r.file).replace("\n", "\\n")), *map(str, counts))
    said = f"Policy: {policy.name}" if policy is not None else "No policy: nothing is verified without a person."
    return Group(table, *_details(results), Text(said))


def _details(results: Sequence[Checked]) -> list[RenderableType]:
    style = {"error": "red", "warning": "yellow"}
    issues = [i for r in results for i in r.issues]
    if len(results) == 1:
        lines = [Text(f"{i.severity:8}", style[i.severity]) + Text(clean(f"{i.code}: {i.message}")) for i in issues]
        rest = [Text(f"… and {len(lines) - MAX_LISTED} more")] if len(lines) > MAX_LISTED else []
        return [*lines[:MAX_LISTED], *rest]
    counts = Counter((i.severity, i.code) for i in issues)
    return [
        Text(f"{severity:8}", style[severity]) + Text(f"{count:5d}  {clean(code)}")
        for (severity, code), count in sorted(counts.items())
    ]
