"""Throughput and memory of an exam against a bare asyncio client.

    python benchmarks/exam.py [--questions 1000] [--latency 2] [--connections 64] [--mode image_only]

A stand-in server (tests/exam_standin.py, a process of its own) answers every request after the latency. A bare client
of asyncio and httpx sends requests of the same size with the same number of connections; then the exam asks the same
number of questions. Papers have four pages of A4 at 150 dpi and ten questions each. Memory is the peak of the exam's
process above what it had when everything was imported; it is measured for a tenth of the questions and for all.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS_A_PAPER = 10
PAGES = 4
SIZE = (1240, 1754)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=2.0)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--mode", default="image_only")
    parser.add_argument("--child", nargs=3, metavar=("WORKSPACE", "RUN", "URL"))
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return compare(arguments, Path(folder))


def compare(arguments: argparse.Namespace, folder: Path) -> int:
    workspace = folder / "workspace"
    pages = make_papers(workspace, arguments.questions)
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "exam_standin.py"), "--latency", str(arguments.latency)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        url = server.stdout.readline().strip()
        few = run_child(arguments, workspace, folder / "few", url, arguments.questions // 10)
        counts(server)
        begun = time.process_time()
        bare = asyncio.run(bare_client(url, pages if arguments.mode == "image_only" else [], arguments))
        bare_counts = counts(server)
        bare_cpu = time.process_time() - begun
        many = run_child(arguments, workspace, folder / "many", url, arguments.questions)
        exam_counts = counts(server)
    finally:
        server.stdin.close()
        server.wait(20)
    n = arguments.questions
    share = bare_counts["seconds"] / exam_counts["seconds"]
    print(f"{n} questions, latency {arguments.latency:g} s, {arguments.connections} connections, {arguments.mode}")
    print(f"ideal: {n / arguments.connections * arguments.latency:.1f} s")
    for name, seen, whole in (("bare client", bare_counts, bare), ("exam", exam_counts, many["seconds"])):
        rate = n / seen["seconds"]
        print(
            f"{name:12} {seen['seconds']:6.1f} s from first request to last reply, {rate:5.1f} questions/s, at most "
            f"{seen['most']} at once, {seen['seen']} requests; {whole:.1f} s with start and end"
        )
    print(f"throughput of the exam: {share:.1%} of the bare client's")
    print(f"processor time a question: {1000 * bare_cpu / n:.1f} ms bare, {1000 * many['cpu'] / n:.1f} ms exam")
    print(f"memory above start: {few['memory']:.0f} MB for {n // 10} questions, {many['memory']:.0f} MB for {n}")
    print(f"load of this machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"problems seen by the server: {exam_counts['problems']}")
    return 0 if share >= 0.85 and exam_counts["seen"] == n else 1


def counts(server: Any) -> dict[str, Any]:
    server.stdin.write("counts\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def run_child(arguments: argparse.Namespace, workspace: Path, run: Path, url: str, questions: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--questions", str(questions), "--connections", str(arguments.connections),
               "--mode", arguments.mode, "--child", str(workspace), str(run), url]  # fmt: skip
    environment = os.environ | {"BENCH_API_KEY": "none"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def child(arguments: argparse.Namespace) -> None:
    """One exam. Time runs from the first call of the engine to its end; imports and the choice come before."""
    import resource

    import inspect_ai.model._providers.openai_compatible  # noqa: F401 - loaded before the clock starts

    import exam_mode.registry
    import exam_mode.solving  # noqa: F401
    from exam_mode.engine import Pace, run_exam
    from exam_mode.runs import RunFolder, RunOptions
    from exam_mode.selection import Choice, Papers, select
    from wholepage.workspace import Workspace

    workspace, url = Workspace(Path(arguments.child[0])), arguments.child[2]
    choice = Choice(modes=(arguments.mode,), limit=arguments.questions)
    run = RunFolder(Path(arguments.child[1]))
    options = RunOptions(models=["openai-api/bench/standin"], modes=[arguments.mode], base_url=url, budgets=["512"])
    run.create(workspace, options, choice, select(Papers(workspace), choice))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, begun = time.monotonic(), time.process_time()
    ended = run_exam(run, workspace, Pace(connections=arguments.connections))
    seconds, cpu = time.monotonic() - start, time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert ended.complete, ended
    print(json.dumps({"seconds": seconds, "cpu": cpu, "memory": (peak - before) / 1024}))


async def bare_client(url: str, pages: list[bytes], arguments: argparse.Namespace) -> float:
    """Seconds for the same number of requests by asyncio and httpx, nothing else."""
    import httpx

    limits = httpx.Limits(max_connections=arguments.connections, max_keepalive_connections=arguments.connections)
    async with httpx.AsyncClient(timeout=600, limits=limits) as client:
        gate = asyncio.Semaphore(arguments.connections)
        start = time.monotonic()

        async def ask(number: int) -> None:
            async with gate:
                urls = [f"data:image/png;base64,{base64.b64encode(p).decode()}" for p in pages]
                content = [{"type": "image_url", "image_url": {"url": u, "detail": "high"}} for u in urls]
                content.append({"type": "text", "text": f"Question {number}. " + "x" * 300})
                body = {"model": "standin", "max_tokens": 512, "messages": [{"role": "user", "content": content}]}
                reply = await client.post(f"{url}/chat/completions", json=body)
                assert reply.json()["choices"]

        await asyncio.gather(*(ask(n) for n in range(arguments.questions)))
        return time.monotonic() - start


def make_papers(root: Path, questions: int) -> list[bytes]:
    """Papers with pages of printed-looking noise; returns the page images of one paper as bytes."""
    from wholepage.records import Option, Page, Paper, Question, Region, Source
    from wholepage.workspace import Workspace

    workspace = Workspace(root).create()
    pages = [page_image(n) for n in range(PAGES)]
    options = [Option(label=x, text=f"value {x}") for x in "ABCD"]
    for number in range(-(-questions // QUESTIONS_A_PAPER)):
        name = f"paper{number:05d}"
        folder = workspace.paper_dir(name)
        (folder / "pages").mkdir(parents=True)
        for index, data in enumerate(pages, start=1):
            (folder / "pages" / f"{index:03d}.png").write_bytes(marked(data, name))
        items = [
            Question(
                id=f"{name}/1.{n}", number=str(n), section="Section A", type="multiple_choice", points=4,
                stem=f"Item {n}?",
                options=options, answer=["A"], status="verified",
                regions=[Region(page=1 + n % PAGES, bbox=(50, 50, 900, 400))],
            )
            for n in range(1, QUESTIONS_A_PAPER + 1)
        ]  # fmt: skip
        records = [
            Page(number=i, image=f"pages/{i:03d}.png", width=SIZE[0], height=SIZE[1], dpi=150, kind="scanned")
            for i in range(1, PAGES + 1)
        ]
        source = Source(file="x.pdf", sha256="0" * 64, bytes=1, pages=PAGES, kind="scanned")
        workspace.save(Paper(id=name, language="en", source=source, pages=records, questions=items))
    return pages


def marked(data: bytes, text: str) -> bytes:
    """The PNG with a text chunk after its header, so that every paper has page files of its own."""
    body = b"tEXtpaper\0" + text.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return data[:33] + chunk + data[33:]


def page_image(seed: int) -> bytes:
    """A page of rows of bars, about 150 kB as PNG, as a scanned page of text is."""
    import io

    from PIL import Image, ImageDraw

    draw_from = random.Random(seed)
    image = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(image)
    for y in range(80, SIZE[1] - 80, 40):
        for x in range(80, SIZE[0] - 80, 22):
            draw.line((x, y, x, y + 24), fill=20, width=2)  # the height of a letter
            for _ in range(5):
                b = y + draw_from.randrange(20)
                draw.line((x, b, x + draw_from.randrange(14), b + draw_from.randrange(5)), fill=20, width=2)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


if __name__ == "__main__":
    sys.exit(main())
