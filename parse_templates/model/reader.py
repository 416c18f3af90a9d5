"""The model parser from layouts to a parsed paper: ask, verify, combine with the rules, finish as the rules do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layout.types import PageLayout
from parse_templates.draft import Draft
from parse_templates.matching import apply_key
from parse_templates.model.asking import Answered, Asker
from parse_templates.model.cache import ReplyFiles
from parse_templates.model.client import ModelClient
from parse_templates.model.combine import Combined, Mode, combine
from parse_templates.model.corrections import Correction, SecondSource, judge_corrections, mend
from parse_templates.model.drafting import draft_of, model_sections
from parse_templates.model.keyed import apply_entries, key_readings
from parse_templates.model.lines import Book
from parse_templates.model.marking import correction_issues, mark_agreement, mark_corrections, mark_figures
from parse_templates.model.options import load_options
from parse_templates.model.prompt import PROMPT_VERSION
from parse_templates.model.readings import Reading, join_key, join_questions, set_stops
from parse_templates.model.second import SecondModel, Source, agreeing
from parse_templates.model.second_look import SecondLook
from parse_templates.model.verify import Page, verify
from parse_templates.model.windows import Window, plan_windows
from parse_templates.parser import (
    ParsedPaper,
    Prepared,
    find_resources,
    finish,
    key_entries,
    parse_paper,
    prepare,
    rule_drafts,
    sections_of,
)
from wholepage.records import Issue

if TYPE_CHECKING:
    from layout.ocr import OcrEngine

MAX_GAP = 60  # lines of a gap that is asked about again
MAX_GAPS = 40


@dataclass(frozen=True)
class Pages:
    """What is parsed: page layouts, those of a separate key, where replies are kept, the page images by number."""

    layouts: Sequence[PageLayout]
    answers: Sequence[PageLayout] = ()
    template: str = "auto"
    paper_id: str = "paper"
    replies: Path | None = None
    images: Mapping[int, Path] | None = None


class ModelReader:
    """Parses papers with one model; budget and connections are shared by all papers of a run. `engine` gives the OCR
    engine for second readings, by default the one that reads pages.

    Raises:
        MissingExtraError: the openai package is not installed.
    """

    def __init__(self, client: ModelClient, mode: Mode, engine: Callable[[], OcrEngine] | None = None) -> None:
        self.client, self.mode, self.engine = client, mode, engine

    def close(self) -> None:
        """Close all connections."""
        self.client.close()

    def describe(self) -> dict[str, Any]:
        """What decides the result beside pages and template: part of the parse stage's fingerprint."""
        options = self.client.options
        kept = ("model", "base_url", "second", "vision", "window")
        return {"parser": self.mode, "prompt": PROMPT_VERSION, **{k: getattr(options, k) for k in kept}}

    def parse(self, pages: Pages) -> ParsedPaper:
        """The parsed paper. `produced_by` counts windows that got no usable reply: there the rules' reading stays.

        Raises:
            TemplateError: the template does not exist or does not validate.
            WorkspaceError: a reply cannot be stored.
        """
        prepared = prepare(pages.layouts, pages.template, pages.answers)
        resources = find_resources(prepared, pages.paper_id)
        if resources or not prepared.flow:  # a textbook chapter has no questions to look for
            return parse_paper(pages.layouts, pages.template, pages.answers, pages.paper_id)
        rules = rule_drafts(prepared)
        entries = key_entries(prepared)
        issues = apply_key(rules, entries, prepared.template) if entries else []
        book = Book(prepared)
        starts = [c.line for c in prepared.structure.chain]
        files = ReplyFiles(pages.replies)
        asker = Asker(self.client, book, starts, files, pages.images)
        answers = _ask(asker, book, starts, self.client.options.window)
        pairs, key_issues = read_answers(answers, book)
        usable = [a.window.lines for a in answers if not a.failed]
        combined = combine(
            self.mode, rules, pairs, prepared.template, lambda line: any(line in lines for lines in usable)
        )
        corrections = judge_corrections(
            [c for a in answers for c in a.corrections], book, self._second(files, pages.images)
        )
        found = [*issues, *(i for i in key_issues if not entries), *combined.issues, *failures(answers, book)]
        parsed = self._finish(prepared, combined, corrections, found, pages.paper_id, book)
        failed = sum(bool(a.failed) for a in answers)
        model = {"name": self.client.options.model, "prompt": PROMPT_VERSION, "windows": len(answers), "failed": failed}
        produced = {**parsed.produced_by, "parser": self.mode, "model": model}
        return replace(parsed, produced_by=produced)

    def _second(self, files: ReplyFiles, images: Mapping[int, Path] | None) -> SecondSource:
        """Another model where one is set, and the OCR engine where the pages are at hand."""
        sources: list[Source] = [SecondLook(files, images, self.engine)]
        if self.client.options.second:
            sources.append(SecondModel(self.client, files, images))
        return agreeing(sources)

    def _finish(
        self,
        prepared: Prepared,
        combined: Combined,
        corrections: Sequence[Correction],
        issues: Sequence[Issue],
        paper_id: str,
        book: Book,
    ) -> ParsedPaper:
        mended = [mend(draft, corrections, book) for draft in combined.drafts]
        for draft, fields in zip(combined.drafts, mended, strict=True):
            draft.issues += [i for name, m in fields.items() for i in correction_issues(draft, name, m, book)]
        loose = [c for c in corrections if not c.applied]
        refused = [i for c in loose for i in correction_issues(None, "stem", c, book)]
        parsed = finish(prepared, combined.drafts, [*issues, *refused], [], paper_id)
        known = {f.id for q in parsed.questions for f in q.figures} | {f.id for f in parsed.unused_figures}
        for draft, question, fields in zip(combined.drafts, parsed.questions, mended, strict=True):
            mark_corrections(question, fields)
            reading = combined.readings.get(id(draft))
            agreed = combined.agreed.get(id(draft), set())
            if reading is not None:
                mark_figures(question, reading, known, agreed)
            if self.mode == "both":
                mark_agreement(question, agreed)
        return parsed


def make_reader(mode: Mode) -> ModelReader:
    """A reader with the model that the environment names.

    Raises:
        ModelSetupError: none is named, or a setting is not usable.
        MissingExtraError: the openai package is not installed.
    """
    return ModelReader(ModelClient(load_options()), mode)


def _ask(asker: Asker, book: Book, starts: Sequence[int], size: int) -> list[Answered]:
    """All windows, then once more what seems to be missing."""
    answers = asker.ask_all(plan_windows(book, starts, size))
    gaps = find_gaps(answers, book, starts)
    again = asker.ask_all(gaps) if gaps and any(not a.failed for a in answers) else []
    return [*answers, *(a for a in again if not a.failed)]


def find_gaps(answers: Sequence[Answered], book: Book, starts: Sequence[int]) -> list[Window]:
    """Windows around numbers that a usable reply should have held: missing in its sequence, or seen by the rules."""
    readings = join_questions(answers, book)
    found = sorted(r.number.line for r in readings)
    usable = [a.window.lines for a in answers if not a.failed]
    missing: dict[int, set[str]] = {}  # line behind which to look → numbers
    chain = {c.line: c.label for c in book.prepared.structure.chain}
    for line, label in chain.items():
        if line not in found and any(line in lines for lines in usable):
            missing.setdefault(max((f for f in found if f < line), default=0), set()).add(label)
    for before, behind in pairwise(readings):
        if 1 < behind.value - before.value <= 10:
            numbers = {str(n) for n in range(before.value + 1, behind.value)}
            missing.setdefault(before.number.line, set()).update(numbers)
    windows = []
    for line in sorted(missing)[:MAX_GAPS]:
        stop = min((f for f in found if f > line), default=book.key_start)
        behind_line = min((f for f in found if f > stop), default=max(stop, line + 1))
        stop = min(max(behind_line, line + 1), line + MAX_GAP, len(book.lines))
        windows.append(Window(range(line, stop), tuple(sorted(missing[line], key=lambda n: (len(n), n))), True))
    return windows


def read_answers(answers: Sequence[Answered], book: Book) -> tuple[list[tuple[Reading, Draft]], list[Issue]]:
    """Verified readings with their drafts, the key's answers in place; and entries of the key that fit no question."""
    prepared = book.prepared
    readings = join_questions(answers, book)
    sections = sections_of(prepared) or model_sections(readings, book)
    chain = [c.line for c in prepared.structure.chain]
    page = Page(book, prepared.template, sections, frozenset(chain))
    taken = {r.number.line for r in readings}
    headings = [line for line, _ in sections] + [h.line for h in prepared.structure.headings]
    closings = [c + 1 for c in prepared.structure.closings]
    others = [*headings, *closings, *(line for line in chain if line not in taken), *_direction_lines(prepared)]
    set_stops(readings, others, book.key_start)
    for reading in readings:
        if reading.number.line >= book.key_start:
            reading.refuse("number", "it stands in the answer key")
    verify(readings, page)
    pairs = [(r, draft_of(r, page)) for r in readings]
    asking = [(r, d) for r, d in pairs if "number" not in r.refused]
    known = key_entries(prepared)
    entries = key_readings(join_key(answers, book), page, known)
    issues = apply_entries(asking, entries, page, known)
    return pairs, issues


def _direction_lines(prepared: Prepared) -> Iterable[int]:
    from parse_templates.shared import find_directions

    return [d.line for d in find_directions(prepared.flow, prepared.structure.chain, prepared.template)]


def failures(answers: Sequence[Answered], book: Book) -> list[Issue]:
    """Issues for windows that got no usable reply, or only a partly usable one."""
    out = []
    for answer in answers:
        where = _pages(answer.window.lines, book)
        own = answer.window.lines.start < book.count
        page = book.lines[answer.window.lines.start].page if own else None
        if answer.failed:
            code = "model.cap_reached" if answer.capped else "model.failed"
            message = f"{where}: the model was of no use ({answer.failed}); the rules' reading stays."
            out.append(Issue(code=code, severity="error", message=message, page=page))
        elif answer.partly:
            message = (
                f"{where}: {answer.partly} statements of the model point to nothing that is printed, and were left out."
            )
            out.append(Issue(code="model.refused", message=message, page=page))
    return out


def _pages(lines: range, book: Book) -> str:
    names = [("key page " if i >= book.count else "page ") + str(book.lines[i].page) for i in lines]
    first, last = names[0], names[-1]
    said = first if first == last else f"{first} to {last}"
    return said[0].upper() + said[1:]
