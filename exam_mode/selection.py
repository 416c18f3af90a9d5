"""Which questions an exam asks: the same set in every mode, with a table of what was left out and why."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from exam_mode.errors import ExamError, ExamOptionError
from exam_mode.fitness import MODES, REASONS, unfit
from exam_mode.items import ExamPaper, Item, has_key
from wholepage.errors import WorkspaceError
from wholepage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user asked for. Empty tuples mean no restriction."""

    modes: tuple[str, ...] = ("text_only", "text_image", "image_only")
    papers: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    seed: int | None = None
    unverified: bool = False
    blind: bool = False
    without_key: bool = False
    each_mode: bool = False


@dataclass(frozen=True, slots=True)
class Picked:
    """One question of the exam; nothing of its paper is held in memory."""

    paper_id: str
    question_id: str
    digest: str
    needs_figure: bool
    modes: tuple[str, ...]


@dataclass(slots=True)
class Selection:
    """The questions in the order in which they are asked, and the account of all others."""

    picked: list[Picked] = field(default_factory=list)
    seen: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    unfit: dict[str, Counter[str]] = field(default_factory=dict)
    fit: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def asked(self, mode: str) -> list[Picked]:
        """Questions asked in `mode`."""
        return [p for p in self.picked if mode in p.modes]


class Papers:
    """Papers of a workspace, loaded when needed; only the last few stay in memory."""

    def __init__(self, workspace: Workspace, keep: int = 8) -> None:
        self.workspace = workspace
        self._load = lru_cache(maxsize=keep)(self._read)

    def _read(self, paper_id: str) -> ExamPaper:
        return ExamPaper(self.workspace.load(paper_id), self.workspace.paper_dir(paper_id))

    def get(self, paper_id: str) -> ExamPaper:
        """The paper. Raises WorkspaceError when it cannot be read."""
        return self._load(paper_id)

    def item(self, question_id: str) -> Item:
        """The question with that id. Raises ExamError when it is not there (any more)."""
        source = self.get(question_id.rpartition("/")[0])
        question = source.question(question_id)
        if question is None:
            raise ExamError(
                f"Question {question_id} is not in {source.folder / 'paper.json'} any more.",
                hint="The paper was read anew since the exam began; start a new exam.",
                code="exam.question_gone",
            )
        return Item(source, question)


def select(papers: Papers, choice: Choice) -> Selection:
    """Choose the questions.

    Raises:
        ExamOptionError: an unknown mode or paper.
        ExamError: nothing is left to ask; the message says why.
    """
    unknown = [m for m in choice.modes if m not in MODES]
    if unknown or not choice.modes:
        raise ExamOptionError(
            f"There is no mode {', '.join(unknown) or '(none given)'}.", hint=f"Modes: {', '.join(MODES)}."
        )
    result = Selection(unfit={mode: Counter() for mode in choice.modes})
    found = [picked for item in _items(papers, choice, result) for picked in _judge(item, choice, result)]
    result.picked = _limited(found, choice)
    if not result.picked:
        raise _nothing(result, papers.workspace)
    return result


def _items(papers: Papers, choice: Choice, result: Selection) -> Iterator[Item]:
    store = papers.workspace
    ids = sorted({store.find(name) for name in choice.papers}) if choice.papers else store.paper_ids()
    for paper_id in ids:
        try:
            source = papers.get(paper_id)
        except WorkspaceError as error:
            result.problems.append(str(error))
            continue
        for question in source.paper.questions:
            yield Item(source, question)


def _judge(item: Item, choice: Choice, result: Selection) -> Iterator[Picked]:
    result.seen += 1
    reason = _excluded(item, choice)
    if reason is not None:
        result.left_out[reason] += 1
        return
    fit = []
    for mode in choice.modes:
        problem = unfit(item, mode, choice.blind)
        if problem is None:
            fit.append(mode)
            result.fit[mode] += 1
        else:
            result.unfit[mode][problem] += 1
    if not fit or (len(fit) < len(choice.modes) and not choice.each_mode):
        result.left_out["not fit for every mode"] += 1
        return
    yield Picked(item.paper.id, item.id, item.digest(), item.needs_figure, tuple(fit))


def _excluded(item: Item, choice: Choice) -> str | None:
    question = item.question
    if choice.subjects and (item.paper.subject or "other") not in choice.subjects:
        return "another subject"
    if choice.tags and not set(choice.tags) & set(question.tags):
        return "none of the tags"
    if question.status == "rejected":
        return "rejected in review"
    if question.status != "verified" and not choice.unverified:
        return "not verified"
    if not choice.without_key and not has_key(question):
        return "no answer or solution known"
    return None


def _limited(found: Sequence[Picked], choice: Choice) -> list[Picked]:
    """At most `limit` questions, drawn at random with the seed or else the first; the order of papers stays."""
    if choice.limit is None or choice.limit >= len(found):
        return list(found)
    if choice.seed is None:
        return list(found[: choice.limit])
    chosen = sorted(random.Random(choice.seed).sample(range(len(found)), choice.limit))
    return [found[i] for i in chosen]


def _nothing(result: Selection, workspace: Workspace) -> ExamError:
    if not result.seen:
        problems = f" {result.problems[0]}" if result.problems else ""
        return ExamError(f"There are no questions in {workspace.root}.{problems}", hint="Ingest papers first.")
    reasons = ", ".join(f"{n} {reason}" for reason, n in result.left_out.most_common())
    details = "; ".join(
        f"{mode}: " + ", ".join(f"{n} {REASONS[r]}" for r, n in why.most_common())
        for mode, why in result.unfit.items()
        if why
    )
    hint = "Accept the questions in review first, or ask them as they are with --unverified."
    if not result.left_out["not verified"]:
        hint = "Choose other modes or papers; --each-mode asks in each mode what fits it."
    return ExamError(
        f"None of the {result.seen} questions can be asked: {reasons}." + (f" ({details})" if details else ""),
        hint=hint,
        code="exam.nothing_to_ask",
    )
