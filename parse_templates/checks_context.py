"""What the checks of a stored paper look at beside the record: its template, its pages' text, its folder."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from layout.types import PageLayout, load_layout
from parse_templates.template import Template
from parse_templates.template_files import load_template
from parse_templates.unfold import unfold_tables
from wholepage.errors import TemplateError, WorkspaceError
from wholepage.records import Issue, Paper, Part, Question, Severity

IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
TAG = re.compile(r"<[^<>]{1,80}>")
COMMAND = re.compile(r"\\(?:begin|end)\{[a-z*]+\}|\\[A-Za-z]+")
CJK_SHARE = 0.3
OWN_TEMPLATE = "work/template.yaml"  # in the paper's folder: the template of its own that it was parsed with
WINDOWS = (4, 7)  # characters of a window in ideographic and in alphabetic text
DIGITS = re.compile(r"\d{2,}")


def plain(text: str) -> str:
    """Text without pictures and without the tags of tables; formulas stay."""
    return html.unescape(TAG.sub(" ", IMAGE.sub(" ", text)))


def flat(text: str) -> str:
    """The printed letters and digits of a text, in one width and case: no markup, no space, no punctuation."""
    bare = COMMAND.sub("", plain(text))
    return "".join(c for c in unicodedata.normalize("NFKC", bare).casefold() if c.isalnum())


def window(text: str) -> int:
    """Length of the windows in which a flat text is looked for."""
    wide = sum("\u3400" <= c <= "\u9fff" for c in text)
    return WINDOWS[0] if wide >= CJK_SHARE * len(text) else WINDOWS[1]


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page: flat, its windows by their length, and its numbers of two digits and more."""

    flat: str
    windows: dict[int, frozenset[str]]
    numbers: frozenset[str]

    @classmethod
    def of(cls, layout: PageLayout) -> PageText:
        """All text of a page: lines of every role and tables."""
        raw = [line.text for line in layout.lines] + [t.html for t in layout.tables]
        raw += [line.text for line in unfold_tables(layout).lines]  # tables that are no data were read as lines
        raw += [cell for t in layout.tables for row in t.rows for cell in row]
        whole = "".join(flat(text) for text in raw)
        windows = {n: frozenset(whole[i : i + n] for i in range(len(whole) - n + 1)) for n in WINDOWS}
        digits = frozenset(m for text in raw for m in DIGITS.findall(unicodedata.normalize("NFKC", text)))
        return cls(whole, windows, digits)


@dataclass(frozen=True)
class Context:
    """What question checks need to know. `pages` and `keys` are empty when no layouts are stored; `others` is the
    share of the paper's questions that are in another language than the paper."""

    template: Template
    language: str | None = None
    pages: dict[int, PageText] = field(default_factory=dict)
    keys: tuple[PageText, ...] = ()
    folder: Path | None = None
    others: float = 0.0


def context_of(paper: Paper, folder: Path | None = None) -> Context:
    """The context of a stored paper; `folder` is the paper's, None for a record without one.

    Raises:
        WorkspaceError: a stored layout is damaged.
    """
    pages: dict[int, PageText] = {}
    keys: list[PageText] = []
    if folder is not None:
        for file in sorted((folder / "work" / "layout").glob("*.json")):
            layout = load_layout(file)
            pages[layout.number] = PageText.of(layout)
        for file in sorted((folder / "work").glob("*/layout/*.json")):
            keys.append(PageText.of(load_layout(file)))
    others = sum(other_language(q, paper.language) for q in paper.questions) / max(1, len(paper.questions))
    return Context(template_of(paper, folder), paper.language, pages, tuple(keys), folder, others)


def template_of(paper: Paper, folder: Path | None = None) -> Template:
    """The template that the paper was parsed with, else the one of its language. `folder` is the paper's, where a
    template that does not ship is kept."""
    kept = str(folder / OWN_TEMPLATE) if folder is not None and (folder / OWN_TEMPLATE).is_file() else None
    for name in (kept, paper.produced_by.get("template"), f"{paper.language}_exam", "zh_exam"):
        if isinstance(name, str):
            try:
                return load_template(name)
            except (TemplateError, WorkspaceError):
                continue
    raise TemplateError("The template zh_exam is missing.", hint="Install the program again.")


def issue(question: Question, code: str, severity: Severity, name: str, said: str) -> Issue:
    """An issue of a question whose message names it."""
    return Issue(code=code, severity=severity, field=name, message=f"Question {question.number}{said}")


def walk(parts: Sequence[Part]) -> Iterator[Part]:
    """All parts, the inner ones behind their own."""
    for part in parts:
        yield part
        yield from walk(part.parts)


def fields_of(question: Question) -> Iterator[tuple[str, str, str]]:
    """Texts of a question as (field, what messages call it, text); empty ones are left out."""
    rows = [("stem", "the stem", question.own_stem)]
    rows += [("options", f"option {o.label}", o.text) for o in question.options]
    for part in walk(question.parts):
        rows.append(("parts", f"part {part.label}", part.text))
        rows += [("answer", f"the answer of part {part.label}", text) for text in part.answer]
        rows.append(("solution", f"the solution of part {part.label}", part.solution))
    inner = [text for part in walk(question.parts) for text in part.answer]
    rows += [("answer", "the answer", text) for text in question.answer if text not in inner]
    rows.append(("solution", "the solution", question.solution))
    return (row for row in rows if row[2].strip())


def asked(question: Question) -> list[str]:
    """The texts that the question asks with: stem, parts, options, without pictures."""
    texts = [question.own_stem, *(p.text for p in walk(question.parts)), *(o.text for o in question.options)]
    return [IMAGE.sub("", text).strip() for text in texts]


MATH = re.compile(r"(?<!\\)\$((?:\\.|[^$\\])*)\$", re.S)
MIN_LETTERS = 40


def other_language(question: Question, language: str | None) -> bool:
    """Whether a question is written in another language than its paper: hardly any ideograph in a Chinese one, or
    mostly ideographs in an English one."""
    text = MATH.sub(" ", plain(" ".join(asked(question))))
    wide = sum("\u3400" <= c <= "\u9fff" for c in text)
    latin = sum(c.isascii() and c.isalpha() for c in text)
    if language == "zh":
        return latin >= MIN_LETTERS and wide < 0.05 * latin
    return language == "en" and wide >= MIN_LETTERS // 2 and wide > latin
