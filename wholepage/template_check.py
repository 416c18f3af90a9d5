"""A template tried on a stored paper: what its rules caught and which questions come of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from parse_templates.caught import Caught, try_template
from wholepage.console import clean
from wholepage.errors import SourceError
from wholepage.records import Issue, Question
from wholepage.workspace import Workspace


@dataclass(frozen=True)
class TemplateCheck:
    """What a template makes of a paper."""

    template: str
    paper: str
    caught: list[Caught]
    questions: list[Question]
    issues: list[Issue]

    def as_json(self) -> dict[str, Any]:
        """As one object of `--json`."""
        numbers = [
            {"section": q.section, "number": q.number, "type": q.type, "points": q.points} for q in self.questions
        ]
        return {
            "template": self.template,
            "paper": self.paper,
            "rules": [c.as_json() for c in self.caught],
            "questions": numbers,
            "issues": [i.model_dump() for i in self.issues],
        }


def page_numbers(text: str) -> frozenset[int]:
    """The numbers in "2-4,7". Raises ValueError when it is no such list."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def check_template(store: Workspace, name: str, paper: str, pages: frozenset[int] | None = None) -> TemplateCheck:
    """Run the template `name` on a stored paper, or on some of its pages, and its key file; nothing is written.

    Raises:
        TemplateError: there is no such template, or it does not validate.
        SourceError: the paper's pages are not stored any more, or it does not have those pages.
    """
    from layout.types import load_layout
    from parse_templates.template_files import load_template

    if name != "auto":
        load_template(name)  # what is wrong with the template is said before anything of the paper
    paper_id = store.find(paper)
    work = store.paper_dir(paper_id) / "work"
    files = sorted((work / "layout").glob("*.json"))
    if not files:
        raise SourceError(f"The pages of {paper_id} are not stored.", hint="Ingest the paper again with --force.")
    layouts = [load_layout(file) for file in files]
    chosen = [layout for layout in layouts if pages is None or layout.number in pages]
    if not chosen:
        raise SourceError(f"{paper_id} does not have those pages.", hint=f"It has 1 to {layouts[-1].number}.")
    key = [load_layout(file) for file in sorted((work / "answers" / "layout").glob("*.json"))]
    template, caught, parsed = try_template(chosen, name, key)
    issues = [*parsed.issues, *(issue for q in parsed.questions for issue in q.issues)]
    return TemplateCheck(template.name, paper_id, caught, parsed.questions, issues)


def render(result: TemplateCheck) -> RenderableType:
    """A row a rule with the first line that it caught, then the questions by section and the issues by code."""
    rules = Table(box=None, pad_edge=False)
    for name, justify in (("rule", "left"), ("lines", "right"), ("pattern", "left"), ("first line caught", "left")):
        rules.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for c in result.caught:
        if c.lines:
            rules.add_row(c.field, str(c.lines), Text(clean(c.pattern)[:40]), Text(clean(c.examples[0])))
    idle = Counter(c.field for c in result.caught if not c.lines)
    lines = [Text("Caught nothing: " + ", ".join(f"{field} ({n})" for field, n in idle.items()))] if idle else []
    lines += [Text(f"{result.template} on {result.paper}: {len(result.questions)} questions", "bold")]
    for section in dict.fromkeys(q.section for q in result.questions):
        own = [q for q in result.questions if q.section == section]
        kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(q.type for q in own).items())
        lines.append(Text(clean(f"  {section or 'no section'}: {own[0].number}–{own[-1].number} ({kinds})")))
    counts = Counter((i.severity, i.code) for i in result.issues)
    lines += [Text(f"  {severity} {code}: {n}") for (severity, code), n in counts.items()]
    return Group(rules, *lines)
