"""Does the page bear out what a model said of a question? Each check gives (field, reason) for what it does not.

The checks know nothing of what the question means: they look at what is printed around the spans, at text that no
field took or two took, and at where one question's space ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from parse_templates.model.extent import TEXT, Page, left_over, whole_texts
from parse_templates.model.lines import PUNCTUATION, Place
from parse_templates.model.readings import PartPlaces, Reading, all_parts
from parse_templates.options import FULL_LETTERS, split_options
from parse_templates.parts import SENTENCE_END, part_rank, plain_label, split_parts

LETTER = re.compile(r"[A-Ha-eＡ-Ｈ]")
WORDS_OF_NUMBERS = r"第|例|典例|例题|变式|练习|训练|题|Q\.?|Question|Problem|Ex(?:ercise)?\.?|No\.?"
SIGNS = r"[^\w$+−=<>±\\^-]{0,4}"  # what a source may print before a number, but no part of a formula
BEFORE_NUMBER = re.compile(rf"^{SIGNS}(?:{WORDS_OF_NUMBERS})?{SIGNS}$", re.I)
BEFORE_LABEL = re.compile(r"(?:^|[\s。；;.:：?？!！)）\]】,，、_]|____)[(（\[]?\s*$")


Check = Callable[[Reading, Page], Iterator[tuple[str, str]]]


def verify(readings: Sequence[Reading], page: Page, checks: Sequence[Check] | None = None) -> None:
    """Run the checks, by default all of a question; what they find is noted as `refused` in the readings."""
    for reading in readings:
        for check in CHECKS if checks is None else checks:
            for name, reason in check(reading, page):
                reading.refuse(name, reason)
    _doubly_claimed(readings)


def _number(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """A number begins its line, but for 第 or Question before it, and is all of the printed number."""
    line = page.book.lines[reading.number.line]
    after = line.text[reading.number.end :]
    if line.table is not None or not BEFORE_NUMBER.match(page.book.before(reading.number)):
        yield "number", "no question begins there"
    elif re.match(r"\d|[.．]\d|\s*[-+×÷=<>]\s*\d", after) and reading.number.line not in page.starts:
        yield "number", "it is part of another number"


def _section(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """The heading that was named is the last one above the question."""
    if reading.section is None:
        return
    above = [line for line, _ in page.sections if line <= reading.number.line]
    if page.sections and (not above or not above[-1] <= reading.section.line < reading.number.line):
        yield "section", "another heading stands nearer above it"
    elif reading.section.line >= reading.number.line:
        yield "section", "the heading stands below it"


def _inside(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """All places lie between the number and what begins behind the question."""
    for name, place in reading.claims():
        inside = reading.begin <= (place.line, place.start) < reading.stop
        if not inside or (place.line == reading.stop[0] and place.end > reading.stop[1]):
            yield name, "it lies outside the question's space"


def _options(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """Letters A, B, C … as printed, each with the text that follows it."""
    letters = []
    for label, text in reading.options:
        printed = page.book.text(label)
        if not LETTER.fullmatch(printed):
            yield "options", "a label is no printed letter"
            continue
        letters.append(printed.translate(FULL_LETTERS).upper())
        yield from _labelled("options", label, text, page)
    if letters != [chr(ord("A") + i) for i in range(len(letters))] or len(letters) == 1:
        yield "options", "the letters are not A, B, C … in order"
    for _, text in reading.options:
        pieces = page.book.pieces(text)
        if len(split_options(pieces, page.template, lower_case=False)[1]) > 1 or _holds_next(letters, pieces, page):
            yield "options", "an option holds the letters of others"


def _holds_next(letters: Sequence[str], pieces: Sequence[object], page: Page) -> bool:
    """Whether the letter behind the last one stands as a mark inside an option."""
    following = chr(ord("A") + len(letters))
    pattern = re.compile(r"(?:^|\s)[(（]?" + following + r"[)）.．、](?=\s|[^\x00-\x7f]|\$|$)")
    return any(pattern.search(getattr(p, "text", "")) for p in pieces)


def _labelled(name: str, label: Place, text: Sequence[Place], page: Page) -> Iterator[tuple[str, str]]:
    """A label stands where a field may begin, and its text right behind it."""
    if not BEFORE_LABEL.search(page.book.before(label)):
        yield name, "a label stands inside a word or formula"
    if text:
        first = min(text)
        if first < label or not PUNCTUATION.fullmatch(page.book.between(label, first)):
            yield name, "a text does not follow its label"


def _parts(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    yield from _part_level(reading.parts, page)
    if not reading.options and not reading.parts:
        if len(split_parts(page.book.pieces(reading.stem), page.template)[1]) > 1:
            yield "parts", "the stem holds labels of parts"
            yield "stem", "it holds labels of parts"
        if len(split_options(page.book.pieces(reading.stem), page.template, lower_case=False)[1]) > 2:
            yield "options", "the stem holds options"
            yield "stem", "it holds options"


def _part_level(parts: Sequence[PartPlaces], page: Page) -> Iterator[tuple[str, str]]:
    """Parts of one level: labels that count up, each text behind its label, none hidden in another."""
    labels = [plain_label(page.book.text(p.label)) for p in parts]
    if len(set(labels)) < len(labels) or any(not 0 < len(label) <= 6 for label in labels):
        yield "parts", "labels repeat or are no labels"
    if [_rank(label) for label in labels] != list(range(1, len(labels) + 1)):
        yield "parts", "labels do not count up from the first"
    if [p.label for p in parts] != sorted(p.label for p in parts):
        yield "parts", "labels are not in printed order"
    for part in parts:
        yield from _labelled("parts", part.label, part.text, page)
        found = len(split_parts(page.book.pieces(part.text), page.template)[1])
        if found > 1 or _hidden(part.text, len(parts) + 1, page):
            yield "parts", "a part holds the labels of others"
        yield from _part_level(part.parts, page)


def _hidden(places: Sequence[Place], rank: int, page: Page) -> bool:
    """Whether the label that would come next begins a line or sentence inside a text."""
    patterns = [re.compile(p) for p in page.template.parts]
    for place in places:
        text = page.book.text(place)
        for pattern in patterns:
            for match in pattern.finditer(text):
                begins = not text[: match.start()].strip() or text[: match.start()].rstrip()[-1] in SENTENCE_END
                if begins and part_rank(match["l"]) == rank:
                    return True
    return False


def _rank(label: str) -> int:
    return part_rank(label.strip("()[].、．"))


def _stem(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """A choice that says nothing before its letters is no question; text must be there."""
    if not reading.stem and not reading.parts and not reading.options:
        yield "stem", "it is empty"


def _points(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """Marks stand where the template finds marks, and the number is that one."""
    head = page.book.text(reading.stem[0]) if reading.stem else ""
    if any((m := re.search(p, head)) and m.start() <= 2 for p in page.template.points.question):
        yield "stem", "marks are in it"
    places = [("points", reading.points)] if reading.points else []
    places += [("parts", p.points) for p in all_parts(reading.parts) if p.points is not None]
    for name, place in places:
        if place is not None and not _is_marks(place, page):
            yield name, "no marks are printed there"


def _is_marks(place: Place, page: Page) -> bool:
    rules = page.template.points
    text = page.book.lines[place.line].text
    patterns = [*rules.question, *rules.end, page.template.closes]
    for pattern in filter(None, patterns):
        for match in re.finditer(pattern, text):
            inner = re.search(r"\d+(?:\.5)?", match.group())
            spot = match.span("p") if "p" in match.re.groupindex else None
            if spot is None and inner:
                spot = (match.start() + inner.start(), match.start() + inner.end())
            if spot is not None and spot[0] >= place.start and spot[1] <= place.end:
                return True
    # A source that the template does not know: a number, with a word for marks behind it or brackets around it.
    before, after = text[: place.start].rstrip(), text[place.end :].lstrip()
    bracketed = before[-1:] in ("(", "（", "[", "【") and after[:1] in (")", "）", "]", "】")
    return bool(re.fullmatch(r"\d{1,3}(?:\.5)?", page.book.text(place))) and (
        bracketed or bool(re.match(r"分|marks?\b|points?\b|pts?\b", after, re.I))
    )


def _inline_answers(reading: Reading, page: Page) -> Iterator[tuple[str, str]]:
    """An answer or solution inside a question stands behind a mark that says so."""
    marks = page.template.solutions
    for name, places, patterns, others, marks_within in (
        ("answer", reading.answer, marks.answer, marks.solution, [*marks.answer, *marks.solution]),
        ("solution", reading.solution, [*marks.solution, *marks.answer], [], marks.answer),
    ):
        if not places or page.book.in_key(reading.number.line):
            continue
        mark = _last_mark(reading, min(places), page, patterns)
        other = _last_mark(reading, min(places), page, others)
        if mark is None and not (name == "answer" and _is_verdict(places, page)):
            yield name, "no printed mark of an answer stands before it"
        elif other is not None and mark is not None and other > mark:
            yield name, "it stands behind the mark of a solution"
        elif any(re.search(p, page.book.text(place)) for p in marks_within for place in places):
            yield name, "it runs into the next mark"
        elif mark is not None and name == "answer" and TEXT.search(page.book.between(mark, min(places))):
            yield name, "it does not follow the mark of the answer"


def _last_mark(reading: Reading, place: Place, page: Page, patterns: Sequence[str]) -> Place | None:
    found = None
    for index in range(reading.number.line, place.line + 1):
        line = page.book.lines[index]
        stop = place.start if index == place.line else len(line.text)
        for pattern in patterns if line.table is None else ():
            for match in re.finditer(pattern, line.text[:stop]):
                spot = Place(index, match.start(), match.end())
                found = spot if found is None or spot > found else found
    return found


def _is_verdict(places: Sequence[Place], page: Page) -> bool:
    """故选 C and its kin."""
    (place, *more) = places
    text = page.book.lines[place.line].text
    found = [m.span("a") for p in page.template.solutions.verdict for m in re.finditer(p, text)]
    return not more and (place.start, place.end) in found


def _doubly_claimed(readings: Sequence[Reading]) -> None:
    """No character belongs to two fields, of one question or of two."""
    taken: dict[int, list[tuple[Place, str, Reading]]] = {}
    for reading in readings:
        for name, place in reading.claims():
            for other, field_name, owner in taken.get(place.line, []):
                if place.start < other.end and other.start < place.end:
                    reading.refuse(name, "two fields took the same text")
                    owner.refuse(field_name, "two fields took the same text")
            taken.setdefault(place.line, []).append((place, name, reading))


CHECKS: tuple[Check, ...] = (
    _number, _section, _inside, _stem, _options, _parts, _points, _inline_answers, whole_texts, left_over,
)  # fmt: skip
KEY_CHECKS: tuple[Check, ...] = (_inside, left_over)

__all__ = ["CHECKS", "KEY_CHECKS", "Page", "verify"]
