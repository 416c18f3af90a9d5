"""What a model may get wrong: one field of a reply spoilt, in a way that a real one might."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from layout.types import PageLayout
from parse_templates.model.lines import Book

Json = dict[str, Any]
Spot = tuple[int, str]  # a question (its place in the reply; -1 - n for key entry n) and a field


@dataclass
class Paper:
    """A sample as it was read: its lines, and the reply of a model that errs nowhere."""

    name: str
    layouts: list[PageLayout]
    book: Book
    reply: Json


def fields_of(reply: Json) -> list[Spot]:
    """All fields that a reply fills: those of its questions, and answers and solutions of its key entries."""
    names = ("number", "section", "stem", "options", "parts", "points", "answer", "solution", "figures")
    spots = [(n, name) for n, q in enumerate(reply["questions"]) for name in names if q.get(name)]
    for n in range(len(reply["key"])):
        spots += [(-1 - n, name) for name in ("answer", "solution") if reply["key"][n][name]]
    return spots


def corrupt(paper: Paper, reply: Json, spot: Spot, rng: random.Random) -> None:
    """Spoil one field in place."""
    n, name = spot
    owners = reply["questions"] if n >= 0 else reply["key"]
    own = owners[n] if n >= 0 else owners[-1 - n]
    others = [o for o in owners if o is not own and o.get(name)]
    if name in ("stem", "answer", "solution"):
        own[name] = _spoil_spans(paper, own[name], [o[name] for o in others], rng, len(own[name]) > 1 and n < 0)
    elif name in ("number", "section", "points"):
        own[name] = _other_place(paper, own[name], [o[name] for o in others], name, rng)
    elif name in ("options", "parts"):
        _spoil_items(paper, own[name], [o[name] for o in others], rng)
    else:
        every = [f"p{p.number}-f{i + 1}" for p in paper.layouts for i in range(len(p.figures))]
        wrong = [f for f in every if f not in own[name]]
        own[name] = rng.choice([[], *([w] for w in wrong), own[name][1:]])


def _spoil_spans(
    paper: Paper, spans: list[Json], others: list[list[Json]], rng: random.Random, keep_count: bool
) -> list[Json]:
    spans = copy.deepcopy(spans)
    last = spans[-1]
    length = len(paper.book.lines[last["line"]].text)
    kinds: list[Callable[[], list[Json]]] = [
        lambda: [*spans[:-1], {**last, "end": max(last["start"] + 1, last["end"] - rng.randint(1, 8))}],
        lambda: [{**spans[0], "start": min(spans[0]["end"] - 1, spans[0]["start"] + rng.randint(1, 8))}, *spans[1:]],
        lambda: [{**s, "line": min(s["line"] + 1, len(paper.book.lines) - 1), "start": 0, "end": None} for s in spans],
    ]
    if others:
        kinds.append(lambda: copy.deepcopy(rng.choice(others)))
        if keep_count:  # a range of a key: two of its letters exchanged
            kinds = [lambda: rng.sample(spans, len(spans))]
    if len(spans) > 1 and not keep_count:
        kinds += [lambda: spans[:-1], lambda: spans[1:]]
    if not keep_count:
        extra = {"line": min(last["line"] + 1, len(paper.book.lines) - 1), "start": 0, "end": None}
        kinds += [lambda: [*spans, extra], lambda: [*spans[:-1], {**last, "end": length}]]
    return rng.choice(kinds)()


def _other_place(paper: Paper, span: Json, others: list[Json], name: str, rng: random.Random) -> Json | None:
    near = range(max(0, span["line"] - 8), min(len(paper.book.lines), span["line"] + 9))
    pattern = r"\d{1,2}" if name != "section" else r".+"
    found = [
        {"line": i, "start": m.start(), "end": m.end()}
        for i in near
        if paper.book.lines[i].table is None
        for m in re.finditer(pattern, paper.book.lines[i].text)
    ]
    choices = [s for s in [*found, *others] if (s["line"], s["start"]) != (span["line"], span["start"])]
    return dict(rng.choice(choices)) if choices else None


def _spoil_items(paper: Paper, items: list[Json], others: list[list[Json]], rng: random.Random) -> None:
    a, b = rng.sample(range(len(items)), 2) if len(items) > 1 else (0, 0)
    kind = rng.choice(["exchange", "labels", "drop", "merge", "cut", "other", "lead"])
    if kind == "exchange":
        items[a]["text"], items[b]["text"] = items[b]["text"], items[a]["text"]
    elif kind == "labels":
        items[a]["label"], items[b]["label"] = items[b]["label"], items[a]["label"]
    elif kind == "drop":
        items.pop(a)
    elif kind == "merge" and len(items) > 1:
        gone = items.pop()
        items[-1]["text"] = [*items[-1]["text"], gone["label"], *gone["text"]]
    elif kind == "other" and others:
        items[:] = copy.deepcopy(rng.choice(others))
    elif items[a]["text"]:
        text = items[a]["text"]
        text[:] = _spoil_spans(paper, text, [], rng, False)
    else:
        items.pop(a)
