"""Finding the answers in a response, in a fixed order; docs/scoring-rules.md describes it.

1. thinking and words to the grader are dropped (extract_clean);
2. a JSON reply's `answer`;
3. the last N boxes for N answers; one box may hold all N, separated or labelled;
4. after the last marker (答案, 答：, Answer:, The answer is …), if it stands after the last box or there is none;
5. labelled parts: (1) … (2) …, 第一空 …, A：…;
6. bold words at the end; 7. the concluding sentence; 8. the last sentence.
The last statement counts. Nothing here looks at the key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from scoring.extract_boxes import Box, boxes, last_run, with_unit
from scoring.extract_clean import Cleaned, clean, refuses
from scoring.extract_retract import TAKEN_BACK, retracts
from scoring.extract_text import Statement, bold, concluding, marked, unbold
from scoring.rules.normalise import split_top, tidy
from scoring.rules.statement import readings

MAX_PARTS = 60
MAX_SPLIT = 3000  # characters of a text that is split into answers


@dataclass(frozen=True, slots=True)
class Found:
    """The text found for one answer; `strong` when it stood where answers are stated (box, marker, label, bold).

    `text` is empty where the response gives no answer. `conflict` says why what was found cannot be one answer.
    """

    text: str
    where: str
    strong: bool = True
    conflict: str = ""


NOTHING = Found("", "nowhere")


def extract(response: str, count: int) -> list[Found]:
    """One `Found` for each of `count` expected answers."""
    return extract_cleaned(clean(response), count)


def extract_cleaned(cleaned: Cleaned, count: int) -> list[Found]:
    """`extract` for a response that was cleaned already."""
    if count > MAX_PARTS or count < 1:
        return [NOTHING] * count
    if cleaned.answers:
        return _spread(list(cleaned.answers), "JSON answer", count)
    if not cleaned.text:
        return [NOTHING] * count
    return [_single(cleaned)] if count == 1 else _several(cleaned, count)


def _spread(answers: list[str], where: str, count: int) -> list[Found]:
    if len(answers) == count:
        return [Found(a.strip(), where) for a in answers]
    if len(answers) == 1:
        pieces = split_answers(answers[0], count)
        if pieces:
            return [Found(p, where) for p in pieces]
    if count == 1:
        return [Found(", ".join(answers), where)]
    return [Found("", where, conflict=f"{len(answers)} answers for {count} blanks")] * count


def _single(cleaned: Cleaned) -> Found:  # noqa: PLR0911
    text = cleaned.text
    found = [b for b in boxes(text) if b.content.strip()]
    mark = marked(text)
    if found:
        run = last_run(text, found)
        if mark is not None and mark.position > _bare_position(text, found[-1]):
            return _standing(_of(mark), _rest_of(text, mark))
        if len(run) > 1 and len({tidy(b.content) for b in run}) > 1:
            return Found(", ".join(b.content.strip() for b in run), "boxes side by side")
        return _standing(Found(with_unit(text, run[-1]).strip(), "box"), text[run[-1].end :])
    if mark is not None:
        return _standing(_of(mark), _rest_of(text, mark))
    if "\\boxed" in text and not cleaned.unfinished and not text.replace("\\boxed", "").strip("{} .$"):
        return NOTHING
    if cleaned.unfinished:
        return Found("", "the response stops before an answer")
    strong = bold(text)
    if strong is not None:
        return _standing(_of(strong), text[strong.position + len(strong.text) :])
    weak = concluding(text)
    if weak is not None and _is_bare(text):
        return Found(weak.text, "whole response")
    return _of(weak) if weak is not None else NOTHING


def _rest_of(text: str, mark: Statement) -> str:
    bare = unbold(text)
    start = bare.find(mark.text[:40], mark.position)
    return bare[start + len(mark.text) :] if start >= 0 else ""


def _standing(found: Found, rest: str) -> Found:
    """`found`, or in conflict where the text after it takes it back without another marked answer."""
    return replace(found, conflict=TAKEN_BACK) if retracts(rest) else found


def _is_bare(text: str) -> bool:
    """Whether the whole response is one short line without prose: it is meant as the answer."""
    return len(text) <= 60 and "\n" not in text and not re.search(r"[一-鿿]|[A-Za-z]{4,} [A-Za-z]", text)


def _bare_position(text: str, box: Box) -> int:
    """The box's place in the text without emphasis, on which markers are counted."""
    return len(unbold(text[: box.end])) - 1


def _of(statement: Statement) -> Found:
    return Found(statement.text, statement.where, statement.strong)


def _several(cleaned: Cleaned, count: int) -> list[Found]:  # noqa: PLR0911, PLR0912
    text = cleaned.text
    found = [b for b in boxes(text) if b.content.strip()]
    if len(found) >= count:
        run = last_run(text, found)
        if len(run) > count and len({tidy(b.content) for b in run}) > 1:
            return [
                Found(
                    ", ".join(b.content for b in run)[:400], "boxes", conflict=f"{len(run)} boxes for {count} answers"
                )
            ] * count
        rest = text[found[-1].end :]
        return [_standing(Found(with_unit(text, b).strip(), "box"), rest) for b in found[-count:]]
    if len(found) == 1:
        pieces = split_answers(found[0].content, count)
        if pieces:
            return [Found(p, "box") for p in pieces]
    mark = marked(text)
    bare = unbold(text)
    sources: list[tuple[str, str]] = []
    if mark is not None:
        sources.append(
            (bare[mark.position :].split("\n", 1)[0] if len(mark.text) < 3 else _after(bare, mark), mark.where)
        )
    strong = bold(text)
    if strong is not None:
        sources.append((strong.text, strong.where))
    for source, where in sources:
        pieces = split_answers(source, count)
        if pieces:
            return [Found(p, where) for p in pieces]
    whole = split_labels(bare, count)
    if whole:
        return [Found(p, "labelled part") if p else NOTHING for p in whole]
    if found:
        filled = [Found(with_unit(text, b).strip(), "box") for b in found]
        return [*filled, *[NOTHING] * (count - len(filled))]
    weak = concluding(text)
    last_line = bare.rstrip().rsplit("\n", 1)[-1]
    lines = [line.strip() for line in bare.split("\n") if line.strip()]
    if len(lines) == count and all(len(line) <= 60 for line in lines):
        return [Found(line, "lines") for line in lines]
    for source in (weak.text if weak else "", last_line):
        for reading in readings(source):
            pieces = split_answers(reading, count)
            if pieces:
                return [Found(p, "last sentence", False) for p in pieces]
    if cleaned.refused or len(text) < 3:
        return [NOTHING] * count
    return [Found("", "nowhere", conflict=f"no {count} answers can be told apart")] * count


def _after(bare: str, mark: Statement) -> str:
    """The marker's whole line (several sentences), or several labelled lines below it."""
    start = bare.find(mark.text[:40], mark.position)
    rest = bare[start:] if start >= 0 else mark.text
    line = rest.split("\n", 1)[0]
    return rest[:3000] if re.match(r"\s*[(（]?\s*(?:1|a|A|①|一)\s*[)）.、：:]", rest) and "\n" in rest else line


_LABEL = re.compile(
    r"(?P<paren>[(（]\s*(?P<n1>\d{1,2}|[a-jⅰⅱⅲⅳ]|[一二三四五六七八九十])\s*[)）])|(?P<circle>[①-⑳])"
    r"|第\s*[(（]?\s*(?P<n2>\d{1,2}"
    r"|[一二三四五六七八九十①-⑳])\s*[)）]?\s*(?:个)?(?:空|问|题)(?:应?填)?|"
    r"(?:(?<=\s)|^)(?P<n3>\d{1,2})\s*[.、．)）](?!\d)|(?:(?<=[\s,，;；。])|^)(?P<n4>[A-Ja-j])\s*[:：]",
    re.MULTILINE,
)
_HAN_DIGITS = {c: i + 1 for i, c in enumerate("一二三四五六七八九十")}


def _label_number(match: re.Match[str]) -> tuple[str, int]:
    """(kind of label, its number from 1)."""
    for kind in ("n1", "n2", "n3", "n4"):
        value = match[kind]
        if value is None:
            continue
        if value.isdigit() and value.isascii():
            return kind, int(value)
        if value in _HAN_DIGITS:
            return kind, _HAN_DIGITS[value]
        if "①" <= value <= "⑳":
            return kind, ord(value) - 0x2460 + 1
        if value in "ⅰⅱⅲⅳ":
            return kind, "ⅰⅱⅲⅳ".index(value) + 1
        return kind + ("u" if value.isupper() else "l"), ord(value.lower()) - 96
    return "circle", ord(match["circle"]) - 0x2460 + 1


def split_labels(text: str, count: int) -> list[str] | None:
    """Contents of labels 1…count, from the last run that begins with the first label; '' for a label not there."""
    runs: dict[str, list[tuple[int, int, int]]] = {}
    masked = re.sub(r"\$[^$\n]*\$", lambda m: "\x01" * len(m.group()), text)
    for match in _LABEL.finditer(masked):
        before = masked[match.start() - 1 : match.start()] if match.start() else ""
        if match["paren"] and before and ((before.isalnum() and before.isascii()) or before == "\x01"):
            continue  # f(1)
        kind, number = _label_number(match)
        runs.setdefault(kind, []).append((number, match.start(), match.end()))
    best: list[str] | None = None
    best_start = -1
    named = runs.get("n2", [])
    if count > 1 and sorted(n for n, _, _ in named) == list(range(1, count + 1)):  # 第二空填 4，第一空填 3
        ends = [start for _, start, _ in named[1:]] + [len(text)]
        by_number = {number: _item(text[end:stop]) for (number, _, end), stop in zip(named, ends, strict=True)}
        return [by_number[number] for number in range(1, count + 1)]
    for places in runs.values():
        start = max((i for i, (n, _, _) in enumerate(places) if n == 1), default=-1)
        if start < 0:
            continue
        contents = [""] * count
        wanted = seen = 0
        for index in range(start, len(places)):
            number, _, end = places[index]
            if not wanted < number <= count:
                break
            stop = places[index + 1][1] if index + 1 < len(places) else len(text)
            contents[number - 1] = _item(text[end:stop])
            wanted = number
            seen += 1
        if seen >= 2 and any(contents) and (best is None or places[start][1] > best_start):
            best, best_start = contents, places[start][1]
    return best


def _item(text: str) -> str:
    """One labelled part: its marker or concluding sentence where it has several, without edge punctuation."""
    text = text.strip().strip("\\ ").rstrip("；;，,。、 \n\\").lstrip(":：. 、").strip()
    if refuses(text) or re.fullmatch(r"(?:空|未填|没有?填|略|不会|/|—+)", text):
        return ""
    if "\n" not in text and "。" not in text:
        return re.sub(r"[。；;]?\s*(?:所以|故)?(?:答案|答)\s*$", "", text)
    mark = marked(text)
    if mark is not None:
        return mark.text
    weak = concluding(text)
    return weak.text if weak else text


def split_answers(text: str, count: int) -> list[str] | None:  # noqa: PLR0911
    """`text` as exactly `count` answers: labelled, or separated by the strongest separator that gives that number."""
    if len(text) > MAX_SPLIT:
        return None
    text = text.strip().rstrip("。.")
    labelled = split_labels(text, count)
    if labelled and all(labelled):
        return labelled
    if labelled and len(_LABEL.findall(text)) == count:
        return labelled
    for separator in (
        r"\s*[;；]\s*",
        r"\s*(?:\\q?quad|\\qquad|&|\\\\|\n|\t)\s*",
        r"\s*、\s*",
        r"\s*[,，]\s*",
        r"\s*(?:和|与|以及|(?<![A-Za-z])and(?![A-Za-z]))\s*",
        r"\s+",
    ):
        pieces = [p.strip() for p in split_top(_strip_dollars(text), re.compile(separator)) if p.strip()]
        if len(pieces) == count:
            return pieces
        if len(pieces) > 1 and separator in (r"\s*[;；]\s*",):
            return None  # a clear separator gives another number
    inner = text.strip("$ ")
    if re.fullmatch(r"[(（][^()（）]*[)）]", inner):  # (3, 4) for two blanks
        return split_answers(inner[1:-1], count)
    return None


_JOINING_TEXT = re.compile(r"\\(?:text|mathrm|mbox)\s*\{\s*(and|和|与|以及|[,，;；、])\s*\}")


def _strip_dollars(text: str) -> str:
    return _JOINING_TEXT.sub(r" \1 ", text.replace("$", " "))
