"""Where the fields of a sample's truth stand in the lines that were read from it: what a model that errs nowhere says.

Places are found by the printed labels and by the similarity to the true text, without the rule parser. A question whose
text was read too badly to be found is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

from layout.types import TableRegion
from samples.measure import similarity
from wholepage.boxes import Box

Json = dict[str, Any]
CLOSE = 0.55  # similarity (0-1) below which a place is not believed
KEY_HEADING = re.compile(r"^\s*(?:参考答案|Answer key)\s*$")
TAIL_MARKS = re.compile(r"\s*[\[（(]\s*(?:Total:\s*)?(\d{1,2})\s*(?:marks?)?\s*[\])）]\s*$")
HEAD_MARKS = re.compile(r"\s*[（(]\s*(\d{1,2})\s*分\s*[)）]")
CELL = re.compile(r"<td>([^<]*)</td>")
ANSWER, SOLUTION = "【答案】", "【解析】"


@dataclass(frozen=True, slots=True)
class Shown:
    """One line as a model is shown it."""

    id: int
    text: str
    page: int
    box: Box
    table: TableRegion | None = None


class _Stretch:
    """Text of successive lines with the way back from offsets to spans."""

    def __init__(self, lines: Sequence[Shown]) -> None:
        self.lines = lines
        self.starts: list[int] = []
        at = 0
        for line in lines:
            self.starts.append(at)
            at += len(line.text) + 1
        self.text = "\n".join(line.text for line in lines)

    def spans(self, start: int, end: int) -> list[Json]:
        """Spans of the lines between two offsets; white space alone makes none."""
        out = []
        for line, at in zip(self.lines, self.starts, strict=True):
            a, b = max(start - at, 0), min(end - at, len(line.text))
            if a < b and line.text[a:b].strip():
                out.append({"line": line.id, "start": a, "end": b})
        return out

    def ends(self, start: int) -> Iterator[int]:
        """Offsets at which a field from `start` on may end: ends of lines, before marks printed there."""
        for line, at in zip(self.lines, self.starts, strict=True):
            if at + len(line.text) <= start:
                continue
            marks = TAIL_MARKS.search(line.text)
            yield at + (marks.start() if marks and at + marks.start() > start else len(line.text))

    def best_end(self, start: int, true: str, ends: Sequence[int]) -> int | None:
        """The offset of `ends` at which the text is most like the true one, if it is like it at all."""
        if not true.strip():
            return start
        # Of ends that read the same the last counts: an empty pair of brackets belongs to the text.
        scored = [(round(similarity(self.text[start:end], true), 6), end) for end in ends if end >= start]
        if not scored:
            return None
        score, end = max(scored)
        return end if score >= CLOSE else None


def true_reply(truth: Json, lines: Sequence[Shown], starts: Sequence[tuple[int, Box] | None]) -> Json:
    """Questions and key entries of a sample as a reply of the model parser.

    Args:
        truth: a sample's truth file.
        lines: all lines that were read, in reading order.
        starts: for each true question the page and box of its number.
    """
    key_at = next((n for n, line in enumerate(lines) if KEY_HEADING.match(line.text)), len(lines))
    first = [_line_at(lines[:key_at], place) for place in starts]
    known = sorted(n for n in first if n is not None)
    questions: list[Json] = []
    for n, question in zip(first, truth["questions"], strict=True):
        if n is None:
            continue
        stop = next((k for k in known if k > n), key_at)
        found = _question(question, _Stretch(lines[n:stop]))
        if found is not None:
            found["section"] = _section(question["section"], lines[:n])
            questions.append(found)
    return {"questions": questions, "key": _key(truth, lines[key_at:]), "corrections": []}


def _line_at(lines: Sequence[Shown], place: tuple[int, Box] | None) -> int | None:
    if place is None:
        return None
    page, box = place
    near = [
        (line.box.y_overlap(box), -abs(line.box.x0 - box.x0), n)
        for n, line in enumerate(lines)
        if line.page == page and line.table is None and line.box.x0 - 2 * box.height < box.x0 < line.box.x1
    ]
    overlap, _, n = max(near, default=(0.0, 0.0, -1))
    return n if overlap > 0.3 * box.height else None


def _section(name: str | None, lines: Sequence[Shown]) -> Json | None:
    """The heading: the last line above that begins with the section's name, behind its ordinal."""
    for line in reversed(lines):
        if name and re.match(rf"\s*(?:[一二三四五]\s*、\s*)?{re.escape(name)}", line.text):
            return {"line": line.id, "start": 0, "end": len(line.text)}
    return None


def _question(question: Json, stretch: _Stretch) -> Json | None:
    number = re.match(rf"\D{{0,4}}({question['number']})\s*[.．]?\s*", stretch.text)
    if number is None:
        return None
    at = number.end()
    reply: Json = {"number": _span(stretch, *number.span(1)), "points": None, "figures": []}
    marks = HEAD_MARKS.match(stretch.text, at)
    if marks and float(marks[1]) == question["points"]:
        reply["points"], at = _span(stretch, *marks.span(1)), marks.end()
    stem = question["stem"] if not question["parts"] else question["stem"].split("\n" + _label(question["parts"][0]))[0]
    labels = [_option_pattern(label) for label in question["options"]] or [_part_pattern(p) for p in _flat(question)]
    texts = list(question["options"].values()) or [p["text"] for p in _flat(question)]
    fields = _fields(stretch, at, [stem, *texts], labels)
    if fields is None:
        return None
    reply["stem"] = stretch.spans(*fields[0][1])
    reply["options"], reply["parts"] = [], []
    if question["options"]:
        reply["options"] = [{"label": _span(stretch, *a), "text": stretch.spans(*b)} for a, b in fields[1:] if a]
    else:
        left = iter(fields[1:])
        reply["parts"] = [_part(part, left, stretch) for part in question["parts"]]
    if reply["points"] is None:
        reply["points"] = _total(question, stretch, fields[-1][1][1])
    _inline(question, stretch, reply)
    return reply


def _label(part: Json) -> str:
    return str(part["label"]).translate(str.maketrans("()", "（）")) if part["label"][1].isdigit() else part["label"]


def _flat(question: Json) -> list[Json]:
    return [p for part in question["parts"] for p in (part, *_flat(part))]


def _option_pattern(label: str) -> re.Pattern[str]:
    return re.compile(rf"(?:[(（](?P<l>{label})[)）]|(?<![A-Za-z])(?P<m>{label})\s*[.．])\s*")


def _part_pattern(part: Json) -> re.Pattern[str]:
    return re.compile(rf"(?P<l>[(（]\s*{part['label'].strip('()')}\s*[)）])\s*")


def _fields(
    stretch: _Stretch, at: int, texts: Sequence[str], labels: Sequence[re.Pattern[str]]
) -> list[tuple[tuple[int, int] | None, tuple[int, int]]] | None:
    """For stem and labelled texts in order the label's offsets and the text's; None when one is not found."""
    out: list[tuple[tuple[int, int] | None, tuple[int, int]]] = []
    label: tuple[int, int] | None = None
    for index, text in enumerate(texts):
        following = list(labels[index].finditer(stretch.text, at)) if index < len(labels) else []
        if index < len(labels):
            ends = [m.start() for m in following]
            ends += [e for e in stretch.ends(at) if any(m.start() >= e for m in following)]
        else:
            stop = stretch.text.find(ANSWER, at)
            ends = [stop] if stop >= 0 else list(stretch.ends(at))
        end = stretch.best_end(at, text, ends)
        if end is None:
            return None
        out.append((label, (at, end)))
        if index < len(labels):
            match = next(m for m in following if m.start() >= end)
            group = "l" if match["l"] else "m"
            label, at = match.span(group), match.end()
    return out


def _part(part: Json, left: Iterator[tuple[tuple[int, int] | None, tuple[int, int]]], stretch: _Stretch) -> Json:
    label, text = next(left)
    points = TAIL_MARKS.match(stretch.text[text[1] :].split("\n")[0]) if part["points"] is not None else None
    spot = (text[1] + points.start(1), text[1] + points.end(1)) if points else None
    return {
        "label": _span(stretch, *(label or text)),
        "text": stretch.spans(*text),
        "points": _span(stretch, *spot) if spot else None,
        "parts": [_part(inner, left, stretch) for inner in part["parts"]],
    }


def _total(question: Json, stretch: _Stretch, end: int) -> Json | None:
    """[Total: 4], or the marks at the end of a question without parts."""
    for match in re.finditer(r"[\[(]\s*(?:Total:\s*)?(\d{1,2})(?:\s*marks?)?\s*[\])]", stretch.text):
        total = "Total" in match.group() or not question["parts"]
        if total and match.start() >= end and float(match[1]) == question["points"]:
            return _span(stretch, *match.span(1))
    return None


def _inline(question: Json, stretch: _Stretch, reply: Json) -> None:
    answer, solution = stretch.text.find(ANSWER), stretch.text.find(SOLUTION)
    reply["answer"] = reply["solution"] = []
    if answer >= 0 and solution > answer:
        reply["answer"] = stretch.spans(answer + len(ANSWER), solution)
        start = solution + len(SOLUTION)
        end = stretch.best_end(start, question["solution"], list(stretch.ends(start)))
        reply["solution"] = stretch.spans(start, end) if end is not None else []


def _span(stretch: _Stretch, start: int, end: int) -> Json:
    spans: list[Json] = stretch.spans(start, end)
    return spans[0]


def _key(truth: Json, lines: Sequence[Shown]) -> list[Json]:
    out: list[Json] = []
    sections = list(dict.fromkeys(q["section"] for q in truth["questions"]))
    marks = {s: next((n for n, x in enumerate(lines) if s and x.text.strip().startswith(s)), 0) for s in sections}
    for section in sections:
        later = [n for n in marks.values() if n > marks[section]]
        part = lines[marks[section] : min(later, default=len(lines))]
        asked = {q["number"]: q for q in truth["questions"] if q["section"] == section}
        compact = [*_tables(part, asked), *_ranges(part, asked)]
        done = {str(n) for entry in compact for n in entry.pop("numbers")}
        rest = {number: question for number, question in asked.items() if number not in done}
        out += [*compact, *_listed(_Stretch([x for x in part if x.table is None]), rest)]
    return out


def _tables(lines: Sequence[Shown], asked: dict[str, Json]) -> list[Json]:
    """Entries of tables with numbers in one row and answers in the next."""
    out = []
    for line in lines:
        rows = [
            [(row.start() + m.start(1), row.start() + m.end(1), m[1].strip()) for m in re.finditer(CELL, row.group())]
            for row in re.finditer(r"<tr>.*?</tr>", line.text)
        ]
        for upper, lower in pairwise(rows):
            for number, answer in zip(upper, lower, strict=False):
                if number[2] in asked:
                    spans = [{"line": line.id, "start": c[0], "end": c[1]} for c in (number, answer)]
                    out.append({"number": spans[0], "answer": [spans[1]], "solution": [], "numbers": [number[2]]})
    return out


def _ranges(lines: Sequence[Shown], asked: dict[str, Json]) -> list[Json]:
    out = []
    for line in lines:
        for match in re.finditer(r"(\d{1,2}-\d{1,2})\s+([A-D]+)", line.text):
            first, last = (int(n) for n in match[1].split("-"))
            if len(match[2]) == last - first + 1 and str(first) in asked:
                at = match.start(2)
                letters = [{"line": line.id, "start": at + i, "end": at + i + 1} for i in range(len(match[2]))]
                number = {"line": line.id, "start": match.start(1), "end": match.end(1)}
                numbers = list(range(first, last + 1))
                out.append({"number": number, "answer": letters, "solution": [], "numbers": numbers})
    return out


def _listed(stretch: _Stretch, asked: dict[str, Json]) -> list[Json]:
    """Entries that begin with their number; the text of one runs to the next number in order."""
    found: list[tuple[re.Match[str], Json]] = []
    at = 0
    for number, question in asked.items():
        match = re.compile(rf"(?:^|(?<=[\s\n]))({number})\s*[.．]\s*(解[:：])?", re.M).search(stretch.text, at)
        if match and (question["answer"] or question["solution"]):
            found.append((match, question))
            at = match.end()
    out = []
    for (match, question), following in zip_longest(found, found[1:]):
        behind = re.compile(r"^\d{1,2}\s*[.．]", re.M).search(stretch.text, match.end())
        end = following[0].start() if following else behind.start() if behind else len(stretch.text)
        spans = stretch.spans(match.end(), end)
        name = "solution" if question["solution"] and not question["answer"] else "answer"
        entry = {"number": _span(stretch, *match.span(1)), "answer": [], "solution": []}
        out.append({**entry, name: spans})
    return out
