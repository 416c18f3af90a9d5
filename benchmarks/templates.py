"""What the model parser catches: a stand-in model returns the samples' true structure with some fields corrupted.

usage: python benchmarks/templates.py [--workspace DIR] [--variant digital|scan] [--only NAME] [--json OUT] [--show N]

The samples are ingested by the rules into the workspace (default: a temporary one; a workspace that holds them is used
again). The stand-in answers window by window from the samples' truth, found in the lines that were read. A share of its
fields (0, 5, 20 %) is corrupted: other lines, spans too short or too long, options exchanged, dropped or merged,
answers of other questions, other figures. Columns: `caught`, of the corrupted fields those with an issue that the
uncorrupted run has not, or whose value was not taken over (target 0.95); `kept`, of the others those whose value is in
the paper (target 0.98); `quiet`, of the others those without an issue of the model parser.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accuracy import ingest
from spoiling import Json, Paper, Spot, corrupt, fields_of

from layout.types import PageLayout, load_layout
from parse_templates.draft import Draft
from parse_templates.model.asking import Answered
from parse_templates.model.client import ChatReply, ModelClient
from parse_templates.model.combine import Mode, field_values
from parse_templates.model.lines import Book
from parse_templates.model.options import ModelOptions
from parse_templates.model.ranges import check_ranges
from parse_templates.model.reader import ModelReader, Pages, read_answers
from parse_templates.model.readings import plain
from parse_templates.model.reply import Reply
from parse_templates.model.windows import Window
from parse_templates.parser import ParsedPaper, prepare
from samples import Sample, list_samples
from samples.measure import Places, Variant
from samples.spans import Shown, true_reply
from wholepage.boxes import Box
from wholepage.records import Part, Question
from wholepage.workspace import content_id, sha256_file, write_json

SHARES = {0.0: 1, 0.05: 12, 0.2: 5}  # corrupted share → rounds with other seeds
CAUGHT, KEPT = 0.95, 0.98  # targets
OURS = ("model.", "parser.", "correction.", "text.corrected")
IMAGE = re.compile(r"!\[\]\([^)]*\)")


@dataclass
class Count:
    """Fields of one share: how many were corrupted and caught, true and kept; `missed` for a look at them."""

    corrupted: int = 0
    caught: int = 0
    true: int = 0
    kept: int = 0
    quiet: int = 0
    missed: list[str] = field(default_factory=list)

    def note(self, what: str, paper: Paper, mode: Mode, draft: Draft, name: str, wanted: Any, got: Any) -> None:
        """Remember a field that was not caught or not kept."""
        where = f"{paper.name} {mode} {draft.label} {name}"
        self.missed.append(f"{what:6s} {where}: {wanted!r:.90} -> {got!r:.90}")

    def rates(self) -> dict[str, float | None]:
        """Shares 0–1; None where there was nothing."""
        return {
            "caught": self.caught / self.corrupted if self.corrupted else None,
            "kept": self.kept / self.true if self.true else None,
            "quiet": self.quiet / self.true if self.true else None,
        }


class StandinClient(ModelClient):
    """Answers every window with what of a given reply lies in it."""

    def __init__(self, reply: Json) -> None:
        super().__init__(ModelOptions(model="stand-in", base_url="http://127.0.0.1:1/v1", window=2500))
        self.reply = reply

    def ask(self, messages: Sequence[Json], schema: Json, model: str | None = None) -> ChatReply:
        """The part of the reply that lies on the lines that were shown."""
        data = json.loads(str(messages[1]["content"]).split("\n")[1])
        ids = {line["id"] for line in data["lines"]}
        return ChatReply(json.dumps(within(self.reply, ids), ensure_ascii=False), False, (0, 0))


def within(reply: Json, ids: set[int]) -> Json:
    """The part of a reply that lies on the given lines, as a model says it that sees no others."""

    def clip(value: Any) -> Any:
        if isinstance(value, list):
            return [c for c in map(clip, value) if c is not None]
        if not isinstance(value, dict):
            return value
        if "line" in value:
            return value if value["line"] in ids else None
        clipped = {k: clip(v) for k, v in value.items()}
        return None if "label" in clipped and clipped["label"] is None else clipped

    questions = [clip(q) for q in reply["questions"] if q["number"]["line"] in ids]
    key = [clip(k) for k in reply["key"] if k["number"]["line"] in ids]
    return {"questions": questions, "key": [k for k in key if k["answer"] or k["solution"]], "corrections": []}


def load(sample: Sample, file: Path, variant: Variant, workspace: Path) -> Paper:
    folder = workspace / "papers" / content_id([sha256_file(file)])
    if not (folder / "paper.json").is_file() and ingest(file, workspace) is None:
        raise SystemExit(f"{file.name} could not be ingested")
    layouts = [load_layout(p) for p in sorted((folder / "work" / "layout").glob("*.json"))]
    truth = json.loads(sample.truth.read_text(encoding="utf-8"))
    book = Book(prepare(layouts))
    pages = [{"number": p.number, "width": p.width, "height": p.height} for p in layouts]
    places = Places(truth, pages, variant)
    shown = [Shown(i, x.text, x.page, x.box, x.table) for i, x in enumerate(book.lines)]
    reply = true_reply(truth, shown, [places.box(q["page"], q["start_bbox"]) for q in truth["questions"]])
    by_start = {(q["page"], *q["start_bbox"]): q for q in truth["questions"]}
    for question in by_start.values():
        place = places.box(question["page"], question["start_bbox"])
        own = next((q for q in reply["questions"] if place and _on(shown[q["number"]["line"]], place)), None)
        if own is not None:
            own["figures"] = sorted(_figures(question, places, layouts))
    return Paper(f"{sample.name} {variant}", layouts, book, reply)


def _on(line: Shown, place: tuple[int, Box]) -> bool:
    page, box = place
    return line.page == page and line.box.y_overlap(box) > 0.3 * box.height and line.box.x0 < box.x1 < line.box.x1


def _figures(question: Json, places: Places, layouts: Sequence[PageLayout]) -> Iterator[str]:
    for figure in question["figures"]:
        place = places.box(figure["page"], figure["bbox"])
        for page in layouts if place else ():
            for n, region in enumerate(page.figures):
                if place and page.number == place[0] and region.box.iou(place[1]) >= 0.5:
                    yield f"p{page.number}-f{n + 1}"


def read(paper: Paper, reply: Json) -> dict[int, tuple[Json, Draft]]:
    """What a reply says, by the place of its questions: every field's value, before anything is verified."""
    lines = range(len(paper.book.lines))
    usable = check_ranges(Reply.model_validate(reply), paper.book, lines)
    answer = Answered(Window(lines), usable.questions, usable.key)
    pairs, _ = read_answers([answer], paper.book)
    by_begin = {r.begin: (r, d) for r, d in pairs}
    out: dict[int, tuple[Json, Draft]] = {}
    for n, question in enumerate(reply["questions"]):
        pair = by_begin.get((question["number"]["line"], question["number"]["start"]))
        if pair is not None:
            reading, draft = pair
            section = paper.book.text(reading.section) if reading.section else None
            more = {"number": draft.label, "section": section, "figures": tuple(sorted(reading.figures))}
            out[n] = ({**field_values(draft), **more}, draft)
    return out


def recorded(question: Question) -> Json:
    """The values of a record in the form of `read`."""

    def parts(items: Sequence[Part]) -> tuple[Any, ...]:
        return tuple((p.label, plain(IMAGE.sub("", p.text)), p.points, parts(p.parts)) for p in items)

    return {
        "number": question.number,
        "stem": plain(IMAGE.sub("", question.stem)),
        "options": tuple((o.label, plain(o.text)) for o in question.options),
        "parts": parts(question.parts),
        "answer": tuple(plain(a) for a in question.answer),
        "solution": plain(question.solution),
        "points": question.points,
        "figures": tuple(sorted(f.id for f in question.figures if "-f" in f.id)),
        "section": question.section,
    }


def parse(paper: Paper, reply: Json, mode: Mode) -> ParsedPaper:
    reader = ModelReader(StandinClient(reply), mode)
    try:
        return reader.parse(Pages(paper.layouts))
    finally:
        reader.client.close()


def issues_of(parsed: ParsedPaper) -> dict[tuple[str, str | None], set[str]]:
    """Messages by question and field."""
    out: dict[tuple[str, str | None], set[str]] = {}
    for question in parsed.questions:
        for issue in question.issues:
            out.setdefault((question.id, issue.field), set()).add(issue.message)
    return out


def run(paper: Paper, mode: Mode, share: float, seed: int, count: Count) -> None:
    rng = random.Random(f"{paper.name} {share} {seed}")
    true = read(paper, paper.reply)
    clean = issues_of(parse(paper, paper.reply, mode))
    reply = copy.deepcopy(paper.reply)
    spots = fields_of(reply)
    spoilt = {s for s in spots if rng.random() < share}
    for spot in sorted(spoilt):
        corrupt(paper, reply, spot, rng)
    parsed = parse(paper, reply, mode)
    found = issues_of(parsed)
    questions = {q.id.split("/", 1)[1]: q for q in parsed.questions}
    wrong = read(paper, reply) if spoilt else true
    keyed = {_asked(paper, reply, s, true): s for s in spoilt if s[0] < 0}
    for n, (values, draft) in true.items():
        question = questions.get(f"{draft.section.index}.{draft.label}")
        for name in values:
            if not values[name] or (name in ("answer", "solution") and not _states(paper, n, name, draft)):
                continue
            bad = (n, name) in spoilt or (draft.number, name) in keyed
            if bad:
                told = wrong[n][0][name] if n in wrong else None
                if name not in ("section", "number") and told == values[name]:
                    continue  # it was spoilt into the same reading
                count.corrupted += 1
                caught = _caught(question, name, values, told, found, clean, n in wrong)
                count.caught += caught
                if not caught:
                    count.note("taken", paper, mode, draft, name, values[name], told)
                continue
            count.true += 1
            kept = question is not None and _equal(recorded(question)[name], values[name], name)
            count.kept += kept
            if not kept and share == 0:
                got = recorded(question)[name] if question else None
                count.note("lost", paper, mode, draft, name, values[name], got)
            own = [i for i in question.issues if i.field == name and i.code.startswith(OURS)] if question else [0]
            count.quiet += not own


def _asked(paper: Paper, reply: Json, spot: Spot, true: dict[int, tuple[Json, Draft]]) -> tuple[int, str]:
    """Number and field that a key entry is for; of a range its first number, under which the whole range counts."""
    span = paper.reply["key"][-1 - spot[0]]["number"]
    text = paper.book.lines[span["line"]].text[span["start"] : span["end"]]
    return int(re.findall(r"\d+", text)[0]), spot[1]


def _states(paper: Paper, n: int, name: str, draft: Draft) -> bool:
    """Whether the stand-in states the field itself, so that it can be kept or spoilt."""
    return bool(paper.reply["questions"][n][name]) or any(
        entry[name] for entry in paper.reply["key"] if draft.label in _numbers(paper, entry)
    )


def _numbers(paper: Paper, entry: Json) -> list[str]:
    span = entry["number"]
    found = re.findall(r"\d+", paper.book.lines[span["line"]].text[span["start"] : span["end"]])
    return [str(k) for k in range(int(found[0]), int(found[-1]) + 1)]


def _equal(got: Any, wanted: Any, name: str) -> bool:
    if name == "section":
        return bool(got) and plain(got) in plain(wanted)
    return bool(got == wanted)


def _caught(
    question: Question | None,
    name: str,
    values: Json,
    told: Any,
    found: dict[tuple[str, str | None], set[str]],
    clean: dict[tuple[str, str | None], set[str]],
    read_at_all: bool,
) -> bool:
    if question is None:
        return True  # nothing was taken over, and the coverage says so
    if found.get((question.id, name), set()) - clean.get((question.id, name), set()):
        return True
    value = recorded(question)[name]
    if name in ("section", "number"):
        return _equal(value, values[name], name)
    return not read_at_all or value != told


def show(counts: dict[tuple[str, float], Count]) -> None:
    print(f"{'parser':8s} {'corrupted':>9s} {'fields':>7s} {'caught':>7s} {'true':>7s} {'kept':>7s} {'quiet':>7s}")
    for (mode, share), count in counts.items():
        cells = ["      -" if r is None else f"{r:7.4f}" for r in count.rates().values()]
        print(f"{mode:8s} {share:9.0%} {count.corrupted:7d} {cells[0]} {count.true:7d} {cells[1]} {cells[2]}")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--variant", choices=("digital", "scan"), default="digital")
    parser.add_argument("--only", help="measure this sample alone")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    parser.add_argument("--show", type=int, default=0, help="print so many fields that were not caught or not kept")
    args = parser.parse_args(argv)
    samples = [s for s in list_samples() if args.only in (None, s.name)]
    with tempfile.TemporaryDirectory(prefix="wholepage-templates-") as folder:
        workspace = args.workspace or Path(folder)
        files = [(s, s.pdf if args.variant == "digital" else s.scan) for s in samples]
        papers = [load(s, f, args.variant, workspace) for s, f in files]
    counts: dict[tuple[str, float], Count] = {}
    for mode in ("model", "both"):
        for share, rounds in SHARES.items():
            count = counts.setdefault((mode, share), Count())
            for paper in papers:
                for seed in range(rounds):
                    run(paper, mode, share, seed, count)  # type: ignore[arg-type]
    show(counts)
    for count in counts.values():
        for line in count.missed[: args.show]:
            print(line)
    if args.json:
        write_json(args.json, {f"{m} {s:g}": c.rates() for (m, s), c in counts.items()})
    rates = [c.rates() for c in counts.values()]
    low = [r for r in rates if (1.0 if r["caught"] is None else r["caught"]) < CAUGHT or (r["kept"] or 0.0) < KEPT]
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main())
