"""A question as an exam sees it: where it stands, what it needs, and in which forms it can be asked."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wholepage.boxes import Box
from wholepage.records import Evidence, Figure, Page, Paper, Part, Question

_LINK = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_KEY_FIELDS = re.compile(r"^(?:answer|solution)\b|[./:](?:answer|solution)\b")
UNSEEN = frozenset({"solution"})  # placements that a taker must not see


@dataclass(frozen=True)
class ExamPaper:
    """A paper with what exams derive from it. `folder` holds its pages and figures."""

    paper: Paper
    folder: Path

    @cached_property
    def key_pages(self) -> frozenset[int]:
        """1-based pages of the paper itself that show answers or solutions, so that no taker may see them.

        A page counts when an answer or a solution was read there, and after the first such page also when no question
        stands on it (a solution that runs on). Where the key is a file of its own, evidence names that file's pages.
        """
        if getattr(self.paper.source, "answers", None):
            return frozenset()
        shown = {e.page for q in self.paper.questions for e in key_evidence(q) if e.page is not None}
        if not shown:
            return frozenset()
        asked = {region.page for q in self.paper.questions for region in q.regions}
        later = {p.number for p in self.paper.pages if p.number > min(shown) and p.number not in asked}
        return frozenset(shown | later)

    @cached_property
    def question_pages(self) -> list[Page]:
        """Pages with an image that a taker may see, in order."""
        return [p for p in self.paper.pages if p.image and p.number not in self.key_pages]

    @cached_property
    def names(self) -> Counter[tuple[str, str]]:
        """How often each pair (section index, number) occurs: a question is only named by a pair that is unique."""
        return Counter((section_index(q), q.number) for q in self.paper.questions)

    @property
    def language(self) -> str:
        """`zh` or `en`: the language in which the taker is spoken to."""
        return "zh" if (self.paper.language or "zh").lower().startswith("zh") else "en"

    def question(self, question_id: str) -> Question | None:
        """The question with that id."""
        return next((q for q in self.paper.questions if q.id == question_id), None)


@dataclass(frozen=True)
class Item:
    """One question of one paper."""

    source: ExamPaper
    question: Question

    @property
    def paper(self) -> Paper:
        """The paper's record."""
        return self.source.paper

    @property
    def id(self) -> str:
        """Contract id of the question."""
        return self.question.id

    @cached_property
    def figures(self) -> list[Figure]:
        """Figures that belong to the question as asked; those of the solution are left out."""
        return [f for f in self.question.figures if f.placement not in UNSEEN]

    @property
    def needs_figure(self) -> bool:
        """Whether text alone leaves something out: a figure of stem, options, parts or shared material."""
        return bool(self.figures) or any(option.figure for option in self.question.options)

    @property
    def own_pages(self) -> list[int]:
        """Pages on which the question stands, ascending."""
        return sorted({region.page for region in self.question.regions})

    def digest(self) -> str:
        """16 hex digits over all that is asked, so that a run notices a question that was changed meanwhile."""
        kept = {"stem", "options", "parts", "answer", "solution", "figures", "regions", "type", "number", "section"}
        data = self.question.model_dump(mode="json", include=kept)
        text = json.dumps(data, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def section_index(question: Question) -> str:
    """The section's index as in the id: `2` of `<paper>/2.13`; empty when the id has no such part."""
    return question.id.rpartition("/")[2].partition(".")[0]


def key_evidence(question: Question) -> Iterator[Evidence]:
    """Where the question's answer and solution were read."""
    for name, evidence in question.evidence.items():
        if _KEY_FIELDS.search(name):
            yield evidence


def walk_parts(parts: list[Part], depth: int = 0) -> Iterator[tuple[Part, int]]:
    """Parts with their depth, in printed order."""
    for part in parts:
        yield part, depth
        yield from walk_parts(part.parts, depth + 1)


def question_texts(question: Question) -> list[str]:
    """Every text that the taker is shown in a text form."""
    parts = [part.text for part, _ in walk_parts(question.parts)]
    return [question.own_stem, *(option.text for option in question.options), *parts]


def linked_files(text: str) -> list[str]:
    """Files of `![](…)` links, in order."""
    return _LINK.findall(text)


def has_key(question: Question) -> bool:
    """Whether an answer or a solution is known for the question or one of its parts."""
    texts = [*question.answer, question.solution]
    for part, _ in walk_parts(question.parts):
        texts += [*part.answer, part.solution]
    return any(text.strip() for text in texts)


def shows_key(item: Item) -> bool:
    """Whether the question's own regions hold a printed answer or solution (papers with answers inline)."""
    if getattr(item.paper.source, "answers", None):
        return False
    for other in item.paper.questions:
        for evidence in key_evidence(other):
            if evidence.page is None or evidence.bbox is None:
                continue
            box = Box.of(evidence.bbox)
            for region in item.question.regions:
                if region.page == evidence.page and Box.of(region.bbox).overlap(box) > 0:
                    return True
    return False
