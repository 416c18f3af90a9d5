"""Small worked examples of a template: a few printed lines, and what is to be said of them.

An example quotes the texts of its fields; the program finds them on its lines and makes of them the reply, in line ids
and character spans, that a model is shown. A quote that does not stand there is an error of the template.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

MAX_LINES = 24  # of one example's page; longer ones are no small examples
Span = dict[str, int]


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _texts(value: Any) -> Any:
    return [_text(v) for v in value] if isinstance(value, list) else [_text(value)]


def _page(value: Any) -> Any:
    return value.rstrip("\n").split("\n") if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WorkedQuestion(_Model):
    """One question. Texts are quoted as printed, one entry a line; options and parts by their printed label."""

    number: Text
    section: Text | None = None
    points: Text | None = None
    stem: Texts = Field(default_factory=list)
    options: dict[Text, Texts] = Field(default_factory=dict)
    parts: dict[Text, Texts] = Field(default_factory=dict)
    answer: Texts = Field(default_factory=list)
    solution: Texts = Field(default_factory=list)


class WorkedEntry(_Model):
    """One entry of an answer key: its printed number or range, its answers (of a range one a number)."""

    number: Text
    answer: Texts = Field(default_factory=list)
    solution: Texts = Field(default_factory=list)


class Example(_Model):
    """The lines of a page (one text with line breaks, or a list), and the questions and key entries on it."""

    page: Annotated[list[str], BeforeValidator(_page)] = Field(min_length=1, max_length=MAX_LINES)
    questions: list[WorkedQuestion] = Field(default_factory=list)
    key: list[WorkedEntry] = Field(default_factory=list)

    @model_validator(mode="after")
    def _all_quotes_stand_there(self) -> Example:
        self.reply()
        return self

    def lines(self) -> list[dict[str, Any]]:
        """The lines as a model is shown them, shortened to id and text."""
        return [{"id": number, "text": text} for number, text in enumerate(self.page)]

    def reply(self) -> dict[str, Any]:
        """The reply to these lines, as `model.reply.Reply` has it. Raises ValueError for a quote that is not found."""
        finder = _Finder(self.page)
        questions = [_question(finder, q) for q in self.questions]
        key = [
            {"number": finder.next(e.number), "answer": finder.all(e.answer), "solution": finder.all(e.solution)}
            for e in self.key
        ]
        return {"questions": questions, "key": key, "corrections": []}


def _question(finder: _Finder, worked: WorkedQuestion) -> dict[str, Any]:
    section = finder.anywhere(worked.section) if worked.section is not None else None
    number = finder.next(worked.number)
    finder.taken = [number]
    found: dict[str, Any] = {"number": number, "section": section, "points": None, "stem": finder.all(worked.stem)}
    found["options"] = [{"label": finder.next(k), "text": finder.all(v)} for k, v in worked.options.items()]
    found["parts"] = [
        {"label": finder.next(k), "text": finder.all(v), "points": None, "parts": []} for k, v in worked.parts.items()
    ]
    found |= {"answer": finder.all(worked.answer), "solution": finder.all(worked.solution), "figures": []}
    if worked.points is not None:
        found["points"] = finder.free(worked.points, number)
    return found


class _Finder:
    """Finds quotes one behind the other."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = (0, 0)  # line and character behind the last quote
        self.taken: list[Span] = []  # of the question under way

    def next(self, quote: str) -> Span:
        """The quote's first place behind the last one."""
        for span in self._places(quote, self.at):
            self.at = (span["line"], span["end"])
            self.taken.append(span)
            return span
        where = f"line {self.at[0] + 1}, character {self.at[1]}"
        raise ValueError(f"the page of the example does not hold {quote!r} behind {where}")

    def all(self, quotes: list[str]) -> list[Span]:
        """Places of several quotes in a row."""
        return [self.next(quote) for quote in quotes]

    def anywhere(self, quote: str) -> Span:
        """The quote's last place up to here or, failing that, its first place."""
        places = list(self._places(quote, (0, 0)))
        before = [s for s in places if (s["line"], s["end"]) <= self.at]
        if not places:
            raise ValueError(f"the page of the example does not hold {quote!r}")
        return before[-1] if before else places[0]

    def free(self, quote: str, behind: Span) -> Span:
        """The quote's first place behind a number that no field of its question takes."""
        for span in self._places(quote, (behind["line"], behind["end"])):
            if not any(
                t["line"] == span["line"] and t["start"] < span["end"] and span["start"] < t["end"] for t in self.taken
            ):
                return span
        raise ValueError(f"the page of the example does not hold {quote!r} outside its question's other fields")

    def _places(self, quote: str, start: tuple[int, int]) -> Iterator[Span]:
        for number in range(start[0], len(self.lines) if quote else 0):
            at = self.lines[number].find(quote, start[1] if number == start[0] else 0)
            while at >= 0:
                yield {"line": number, "start": at, "end": at + len(quote)}
                at = self.lines[number].find(quote, at + 1)
