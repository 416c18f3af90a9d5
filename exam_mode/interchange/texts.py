"""Question text as one string, and as stem and options."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wholepage.records import Option, Part, Question

PLACEHOLDER = "<image>"
_OPTION = re.compile(r"(?:(?<=\s)|(?<=[)）。？?])|^)([A-H])\s?[.．、:：]\s*")
_REFERENCE = re.compile(r"!\[[^\]]*\]\((figures/[^)\s]+)\)")


def split_options(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Stem and options of a choice question; the whole text and no options when they cannot be told for certain.

    Options are the last run of labels A, B, C … in order, each at the beginning of a line or after a space.
    """
    marks = list(_OPTION.finditer(text))
    starts = [i for i, mark in enumerate(marks) if mark.group(1) == "A"]
    for start in reversed(starts):
        run: list[re.Match[str]] = []
        for mark in marks[start:]:
            if mark.group(1) == chr(ord("A") + len(run)):
                run.append(mark)
        if len(run) < 2 or run[-1] is not marks[-1]:
            continue
        ends = [mark.start() for mark in run[1:]] + [len(text)]
        options = [(m.group(1), text[m.end() : end].strip()) for m, end in zip(run, ends, strict=True)]
        if all(body for _, body in options):
            return text[: run[0].start()].rstrip(), options
    return text, []


def place_pictures(text: str, files: Sequence[str]) -> str:
    """Text with `![](file)` at each `<image>`; pictures without a place follow at the end."""
    rest = list(files)

    def put(_: re.Match[str]) -> str:
        return f"![]({rest.pop(0)})" if rest else PLACEHOLDER

    placed = re.sub(re.escape(PLACEHOLDER), put, text)
    tail = "\n\n".join(f"![]({name})" for name in rest)
    return f"{placed}\n\n{tail}" if tail else placed


def text_lines(question: Question) -> list[str]:
    """Stem, options and parts as the paper prints them, one line or paragraph each; figures as `![](file)`."""
    lines = [question.own_stem, *(f"{option.label}. {_option_text(question, option)}" for option in question.options)]
    lines += [line for part in question.parts for line in _part_lines(part)]
    return [line for line in lines if line.strip()]


def whole_text(question: Question) -> str:
    """Stem, options and parts as one text with `<image>` for each figure that the text shows."""
    return _REFERENCE.sub(PLACEHOLDER, "\n".join(text_lines(question)))


def shown_files(question: Question) -> list[str]:
    """Figure files in the order in which `whole_text` shows them, then those that no text refers to."""
    named = [name for line in text_lines(question) for name in _REFERENCE.findall(line)]
    own = [figure.file for figure in question.figures if figure.placement != "solution"]
    return [*named, *(name for name in own if name not in named)]


def _option_text(question: Question, option: Option) -> str:
    if option.figure is None:
        return option.text
    file = next((figure.file for figure in question.figures if figure.id == option.figure), None)
    if file is None or file in option.text:
        return option.text
    return f"{option.text} ![]({file})".strip()


def _part_lines(part: Part) -> list[str]:
    return [f"{part.label} {part.text}".strip(), *(line for inner in part.parts for line in _part_lines(inner))]
