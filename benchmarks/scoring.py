"""Speed of scoring: 10,000 generated attempts marked by rules, and the report made from them.

Run: `python benchmarks/scoring.py [--attempts N] [--jobs N] [--keep DIR]`. Prints seconds for marking and report,
and the time an answer takes relative to a named reference in the same run: math-verify's `parse` and `verify` on the
same fill-in answers.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

# This file is called like the package that it measures: keep its own folder off the import path.
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

from wholepage.records import Option, Page, Paper, Part, Question, Region, Source  # noqa: E402
from wholepage.workspace import Workspace, sha256_file  # noqa: E402

SUBJECTS = ("math", "physics", "chemistry", "biology")
MODELS = ("alpha-vl-72b", "beta-vision", "gamma-8b", "delta-mini")
MODES = ("text_only", "text_image", "image_only")
BUDGETS = (1024, 2048, 4096, 8192)
PAPERS, PER_PAPER = 10, 25
PAGE = (1240, 1754)
SKILL = {"alpha-vl-72b": 0.84, "beta-vision": 0.74, "gamma-8b": 0.55, "delta-mini": 0.41}
MODE_COST = {"text_only": 0.09, "text_image": 0.0, "image_only": 0.13}


@dataclass(frozen=True)
class Item:
    """A question with wrong answers to draw from; `ease` shifts the chance of a right one."""

    question: Question
    wrong: tuple[str, ...]
    ease: float


def make_question(paper_id: str, number: int, rng: random.Random) -> Item:
    a, b, c = rng.randint(2, 19), rng.randint(2, 19), rng.randint(2, 9)
    kind = (
        ("multiple_choice",) * 9
        + ("multi_select",) * 4
        + ("true_false",)
        + ("fill_in_blank",) * 8
        + ("open_ended",) * 3
    )
    chosen = kind[(number - 1) % len(kind)]
    question = Question(id=f"{paper_id}/1.{number}", number=str(number), type=chosen, status="verified", confidence=1.0)  # type: ignore[arg-type]
    question.points = {"multiple_choice": 5.0, "multi_select": 6.0, "true_false": 2.0, "fill_in_blank": 5.0}.get(
        chosen, 12.0
    )
    wrong: tuple[str, ...]
    if chosen == "multiple_choice":
        question.stem = f"A body moves {a * b} m in {b} s at constant speed. Its speed in m/s is"
        key = "ABCD"[number % 4]
        values = rng.sample([a + 1, a + 2, a + 3, a * 2 + 5], 4)
        question.options = [Option(label=x, text=str(v)) for x, v in zip("ABCD", values, strict=True)]
        question.options["ABCD".index(key)] = Option(label=key, text=str(a))
        question.answer, wrong = [key], tuple(x for x in "ABCD" if x != key)
    elif chosen == "multi_select":
        question.stem = f"Which of these are true of f(x) = {a}x^2 - {b}? (several may be)"
        texts = ("it is even", f"f(0) = -{b}", "it has two real zeros", "it is bounded above")
        question.options = [Option(label=x, text=t) for x, t in zip("ABCD", texts, strict=True)]
        question.answer, wrong = ["ABC"], ("AB", "ABD", "CD", "A")
    elif chosen == "true_false":
        question.stem, question.answer, wrong = f"{a} + {b} = {a + b}.", ["正确"], ("错误",)
    elif chosen == "fill_in_blank" and number % 2:
        question.stem = f"若 $f(x)=\\frac{{x}}{{{a + b}}}$，则 $f({a})=$ ____。"
        question.answer, wrong = [f"$\\frac{{{a}}}{{{a + b}}}$"], (f"\\frac{{{b}}}{{{a + b}}}", str(a))
    elif chosen == "fill_in_blank":
        question.stem = f"The solutions of (x - {a})(x + {b}) = 0 are ____, and their sum is ____."
        question.answer = [f"x = {a} or x = -{b}", str(a - b)]
        wrong = (f"x = {a}", str(a + b))
    else:
        question.stem = f"A spring of constant {c * 10} N/m is stretched by 0.{a} m."
        question.parts = [Part(label="(1)", text="Find the force."), Part(label="(2)", text="Find the energy stored.")]
        force, energy = c * 10 * a / 10 ** len(str(a)), c * 5 * (a / 10 ** len(str(a))) ** 2
        question.answer = [f"{force:g} N", f"{energy:.6g} J"]
        wrong = (f"{force * 2:g} N", f"{energy / 2:.6g} J")
    question.solution = "From the definition, step by step, the stated result follows."
    return Item(question, wrong, rng.uniform(-0.35, 0.3))


def make_workspace(root: Path, pages: bool = True) -> dict[str, Item]:
    """Papers with page images and a region for every question."""
    workspace = Workspace(root).create()
    items: dict[str, Item] = {}
    for index in range(PAPERS):
        paper_id, rng = f"{index:016x}", random.Random(index)
        folder = workspace.paper_dir(paper_id)
        (folder / "pages").mkdir(parents=True, exist_ok=True)
        made = [make_question(paper_id, n, rng) for n in range(1, PER_PAPER + 1)]
        for number, item in enumerate(made):
            y = 60 + (number % 13) * 125
            item.question.regions = [Region(page=1 + number // 13, bbox=(70, y, 1170, y + 112))]
            items[item.question.id] = item
        records = [
            Page(number=n, image=f"pages/{n:03d}.png", width=PAGE[0], height=PAGE[1], dpi=150, kind="scanned")
            for n in (1, 2)
        ]
        if pages:
            draw_pages(folder, made)
        source = Source(file="made.pdf", sha256="0" * 64, bytes=1, pages=2, kind="scanned")
        workspace.save(
            Paper(
                id=paper_id,
                title=f"Sample paper {index + 1}",
                subject=SUBJECTS[index % 4],
                language="en",
                source=source,
                pages=records,
                questions=[item.question for item in made],
            )
        )
    return items


def draw_pages(folder: Path, items: list[Item]) -> None:
    for page in (1, 2):
        image = Image.new("L", PAGE, 252)
        pen = ImageDraw.Draw(image)
        for item in items:
            region = item.question.regions[0]
            if region.page != page:
                continue
            x, y = region.bbox[0], region.bbox[1]
            text = item.question.stem.encode("ascii", "replace").decode()
            pen.text(
                (x, y), f"{item.question.number}.  {text}  ({item.question.points:g} points)", fill=20, font_size=24
            )
            options = "      ".join(f"{o.label}. {o.text}" for o in item.question.options)
            pen.text((x + 30, y + 42), options, fill=20, font_size=24)
        image.save(folder / "pages" / f"{page:03d}.png")


def respond(item: Item, right: bool, serial: int, rng: random.Random) -> str:
    """A worked answer with its own wording, so that no two attempts are the same text."""
    count = len(item.question.answer)
    said = [
        a.strip("$") if right or (count > 1 and rng.random() < 0.4) else rng.choice(item.wrong)
        for a in item.question.answer
    ]
    if not right and said == [a.strip("$") for a in item.question.answer]:
        said[-1] = item.wrong[-1]
    steps = f"Attempt {serial}. First list what is given, then use the definition. " * rng.randint(1, 4)
    boxed = " and ".join(f"\\boxed{{{text}}}" for text in said)
    style = rng.random()
    if count == 1 and style < 0.15:
        return f"{steps}\n故选 {said[0]}。" if item.question.options else f"{steps}\n答案：{said[0]}"
    if style < 0.25:
        return f"<think>{steps} maybe \\boxed{{7}}?</think>\n{steps}\nThe answer is {boxed}."
    return f"{steps}\nSo the result is {boxed}."


def attempt(
    item: Item, model: str, mode: str, epoch: int, budget: int | None, serial: int, rng: random.Random
) -> dict[str, Any]:
    chance = SKILL[model] - MODE_COST[mode] + item.ease
    length = int(rng.lognormvariate(7.6, 0.6))
    record: dict[str, Any] = {
        "schema": "wholepage/attempt@1",
        "paper_id": item.question.id.split("/")[0],
        "question_id": item.question.id,
        "mode": mode,
        "model": model,
        "epoch": epoch,
        "budget": None if budget is None else {"tokens": budget},
        "finish_reason": "stop",
        "seconds": round(length / 90, 2),
    }
    if rng.random() < 0.004:
        return record | {"error": "503 from the server after 5 tries", "usage": {}}
    usage = {
        "input_tokens": 900 if mode == "text_only" else 3100,
        "output_tokens": length,
        "reasoning_tokens": length // 2,
    }
    if budget is not None and length > budget:
        usage |= {"output_tokens": budget, "reasoning_tokens": budget // 2}
        return record | {"response": f"Attempt {serial}. Let me think about", "finish_reason": "length", "usage": usage}
    if rng.random() < 0.006:
        return record | {"response": f"I'm sorry, but I can't help with that. ({serial})", "usage": usage}
    return record | {
        "response": respond(item, rng.random() < chance, serial, rng),
        "usage": usage if rng.random() > 0.01 else {},
    }


def conditions() -> Iterator[tuple[str, str, int, int | None]]:
    for model in MODELS:
        for mode in MODES:
            for epoch in (1, 2):
                yield model, mode, epoch, None
        for budget in BUDGETS:
            yield model, "image_only", 1, budget


def make_attempts(path: Path, items: dict[str, Item], count: int) -> int:
    """Write up to `count` attempts; 250 questions × 40 conditions = 10,000."""
    rng, written = random.Random(7), 0
    with path.open("w", encoding="utf-8") as handle:
        for model, mode, epoch, budget in conditions():
            for item in items.values():
                if written == count:
                    return written
                written += 1
                handle.write(
                    json.dumps(attempt(item, model, mode, epoch, budget, written, rng), ensure_ascii=False) + "\n"
                )
    return written


def reference(items: dict[str, Item], path: Path, sample: int = 400) -> tuple[float, float]:
    """Milliseconds an answer of math-verify and of this program, both in one process, on the same fill-in answers."""
    from math_verify import parse, verify

    from scoring.outcome import Gold, mark

    pairs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        question = items[record["question_id"]].question
        if question.type == "fill_in_blank" and record.get("response"):
            pairs.append((question, record["response"]))
        if len(pairs) == sample:
            break
    start = time.perf_counter()
    for question, response in pairs:
        verify(
            parse(question.answer[-1], parsing_timeout=None),
            parse(response, parsing_timeout=None),
            timeout_seconds=None,
        )
    theirs = time.perf_counter() - start
    start = time.perf_counter()
    for question, response in pairs:
        mark(Gold(type=question.type, answer=tuple(question.answer), question=question.stem), response)
    ours = time.perf_counter() - start
    return 1000 * theirs / len(pairs), 1000 * ours / len(pairs)


def cpu_seconds() -> float:
    """CPU time of this process and its finished workers: comparable on a machine that others use as well."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="Folder to work in and keep.")
    parser.add_argument("--no-reference", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        measure(args.keep or Path(temporary), args)


def measure(root: Path, args: argparse.Namespace) -> None:
    from scoring.profiles import load_profile
    from scoring.report import write_report
    from scoring.run import RunOptions, score_run

    items = make_workspace(root / "workspace")
    path = root / "attempts.jsonl"
    count = make_attempts(path, items, args.attempts)
    print(f"{count} attempts, {sha256_file(path)[:12]}, {args.jobs} processes")
    start, cpu = time.perf_counter(), cpu_seconds()
    result = score_run([path], Workspace(root / "workspace"), root / "run", RunOptions(load_profile(), jobs=args.jobs))
    marking, cpu = time.perf_counter() - start, cpu_seconds() - cpu
    start = time.perf_counter()
    files = write_report(root / "run", root / "run")
    reporting = time.perf_counter() - start
    print(f"marked by rules in {marking:.1f} s (limit 60 s for 10,000), {cpu:.1f} s of CPU: {result.summary['status']}")
    print(f"report in {reporting:.1f} s (limit 20 s), {files['html'].stat().st_size / 1e6:.1f} MB")
    if not args.no_reference:
        theirs, ours = reference(items, path)
        print(f"fill-in answers: {ours:.2f} ms here, {theirs:.2f} ms with math-verify alone: ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
