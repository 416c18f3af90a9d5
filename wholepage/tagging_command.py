"""`wholepage tag`: subject, level, language by rules, knowledge tags by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wholepage.console import clean
from wholepage.workspace import Workspace

if TYPE_CHECKING:
    from parse_templates.knowledge import Ask, TagCounts
    from parse_templates.tagging import Found


@dataclass(frozen=True)
class Tagger:
    """A knowledge tree with the model that chooses from it."""

    labels: Sequence[str]
    ask: Ask
    model: str


@dataclass(frozen=True)
class Tagged:
    """What was found for one paper; `values` are those that the record now has."""

    paper_id: str
    file: str
    values: dict[str, str | None]
    found: dict[str, Found] = field(default_factory=dict)
    counts: TagCounts | None = None

    def as_json(self) -> dict[str, Any]:
        """The line that `--json` prints."""
        line: dict[str, Any] = {"paper_id": self.paper_id, "file": self.file, **self.values}
        line["reasons"] = {name: f.reasons for name, f in self.found.items()}
        if self.counts is not None:
            c = self.counts
            line["knowledge"] = {"tagged": c.tagged, "asked": c.asked, "cached": c.cached, "failed": c.failed}
            line["knowledge"]["refused"] = dict(c.refused)
        return line


def tag_workspace(
    workspace: Workspace, ids: Sequence[str], tagger: Tagger | None, replace: bool = False
) -> list[Tagged]:
    """Tag papers and write those that changed. With `replace` the rules' values go over those that are there.

    Raises:
        WorkspaceError: a paper cannot be read or written.
    """
    from parse_templates.knowledge import tag_questions
    from parse_templates.tagging import tag_paper
    from wholepage.checking import save_paper
    from wholepage.pipeline import hold

    results = []
    for paper_id in ids:
        with hold(workspace, paper_id):
            paper = workspace.load(paper_id)
            before = paper.model_dump_json(by_alias=True)
            found = tag_paper(paper, replace)
            counts = None
            if tagger is not None:
                cache = workspace.root / "cache" / "tags"
                counts = tag_questions(paper, tagger.labels, tagger.ask, tagger.model, cache)
            if paper.model_dump_json(by_alias=True) != before:
                save_paper(workspace, paper)
            values = {"subject": paper.subject, "level": paper.level, "language": paper.language}
            results.append(Tagged(paper_id, paper.source.file, values, found, counts))
    return results


def make_tagger(tree: Path | None, model: str | None) -> Tagger | None:
    """The tagger for a tree, None without one.

    Raises:
        TreeError, ModelSetupError, MissingExtraError: the tree or the model cannot be used.
    """
    if tree is None:
        return None
    from parse_templates.knowledge import read_tree
    from parse_templates.knowledge_client import model_client

    labels = read_tree(tree)
    return Tagger(labels, *model_client(model))


def render_tags(results: Sequence[Tagged]) -> RenderableType:
    """A row a paper, then the reasons, then what of the model's was refused."""
    table = Table(box=None, pad_edge=False)
    for name in ("paper", "file", "subject", "level", "language", "tagged"):
        table.add_column(name, no_wrap=name != "file")
    lines: list[Text] = []
    for r in results:
        tagged = "" if r.counts is None else str(r.counts.tagged)
        shown = [Text(clean(v or "–")) for v in r.values.values()]
        table.add_row(r.paper_id, Text(clean(r.file).replace("\n", "\\n")), *shown, tagged)
        for name, found in r.found.items():
            for reason in found.reasons[: 2 if len(results) > 1 else None]:
                differs = "" if found.value in (None, r.values[name]) else f", the record says {r.values[name]}"
                value = (found.value or "unclear") + differs
                said = f"  {r.paper_id} {name} {value}: {reason['text']} ({reason['where']})"
                lines.append(Text(clean(said), "dim"))
        if r.counts is not None and (r.counts.failed or r.counts.refused):
            refused = ", ".join(f"{n} for their {why}" for why, n in r.counts.refused.items()) or "none"
            lines.append(Text(f"  {r.paper_id}: {r.counts.failed} requests failed; tags refused: {refused}", "yellow"))
    return Group(table, *lines)
