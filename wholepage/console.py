"""What the commands print: progress and messages on stderr, results on stdout, untrusted text made harmless."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wholepage.errors import WholepageError

if TYPE_CHECKING:
    from rich.progress import Progress

    from wholepage.pipeline import PaperResult

STATUS_STYLE = {
    "ok": "green",
    "cached": "green",
    "doubts": "yellow",
    "failed": "red",
    "duplicate": "cyan",
    "waiting": "cyan",
}
PIPE_WIDTH = 200
_INVISIBLE = {"Cc", "Cf", "Cs", "Co"}


def clean(text: object) -> str:
    """Text without terminal control: control and format characters (ESC, bidi overrides …) become visible escapes.

    Line breaks and tabs stay.
    """
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in _INVISIBLE else c.encode("unicode_escape").decode()
        for c in str(text)
    )


def markup_safe(text: object) -> str:
    """`clean` text on one line that Rich takes literally."""
    return escape(clean(text).replace("\n", "\\n"))


def out() -> Console:
    """Console on stdout; wide when it is no terminal, so that a pipe gets one row a line."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def err() -> Console:
    """Console on stderr."""
    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """One line of JSON on stdout, flushed, so that a reader sees it at once."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_error(error: WholepageError, as_json: bool) -> None:
    """A message with its hint, without a traceback."""
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
        return
    console = err()
    console.print(Text("Error: ", "bold red") + Text(clean(error.message)))
    if error.hint:
        console.print(Text("What to do: ", "bold") + Text(clean(error.hint)))


class ConsoleReporter:
    """Shows a batch: a progress bar on stderr, and with `as_json` one line a paper on stdout. Use as a context."""

    def __init__(self, total: int | None, as_json: bool) -> None:
        self._as_json = as_json
        self._total = total
        self._count = 0
        self._progress: Progress | None = None
        self._task: Any = None
        self.results: list[PaperResult] = []

    def __enter__(self) -> ConsoleReporter:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        console = err()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("pages"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.stop()

    def start(self, path: Path) -> None:
        """A paper begins."""
        self._count += 1
        if self._progress:
            of = f"/{self._total}" if self._total else ""
            self._task = self._progress.add_task(f"{self._count}{of} {markup_safe(path.name)[:60]}", total=None)

    def page(self, done: int, total: int) -> None:
        """Pages of the current paper are done."""
        if self._progress and self._task is not None:
            self._progress.update(self._task, completed=done, total=total)

    def finish(self, result: PaperResult) -> None:
        """A paper is done or has failed."""
        self.results.append(result)
        if self._progress and self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        if self._as_json:
            print_json(result.as_json())
        elif self._total is None:
            err().print(_line(result))


def _line(result: PaperResult) -> Text:
    text = Text(f"{result.status:9}", STATUS_STYLE.get(result.status, "")) + Text(f" {clean(result.path.name)}")
    if result.error:
        return text + Text(f": {clean(result.error['message'])} {clean(result.error['hint'])}")
    if result.status in ("ok", "doubts", "cached"):
        text += Text(f": {result.questions} questions, {result.issues} issues, {result.seconds:.1f} s")
    return text


def print_summary(results: Sequence[PaperResult], root: Path) -> None:
    """Table of a batch on stdout, then what failed and why, then what to open next."""
    console = out()
    table = Table(box=None, pad_edge=False)
    for title, side in (("paper", "left"), ("file", "left"), ("status", "left"), ("pages", "right")):
        table.add_column(title, justify=side, no_wrap=title == "paper")  # type: ignore[arg-type]
    for title in ("questions", "issues", "seconds"):
        table.add_column(title, justify="right")
    for r in results:
        status = Text(r.status, STATUS_STYLE.get(r.status, ""))
        numbers = (str(r.pages), str(r.questions), str(r.issues), f"{r.seconds:.1f}")
        table.add_row(r.paper_id or "–", Text(clean(r.path.name).replace("\n", "\\n")), status, *numbers)
    console.print(table)
    for r in results:
        if r.error:
            console.print(Text(f"\n{clean(r.path.name)}: ", "red") + Text(clean(r.error["message"])))
            console.print(Text(f"  What to do: {clean(r.error['hint'])}"))
    done = [r for r in results if r.paper_id]
    if done:
        console.print("\nOpen next:")
        for r in done[:10]:
            console.print(Text(f"  {root / 'papers' / str(r.paper_id) / 'preview.html'}"), soft_wrap=True)
        if len(done) > 10:
            console.print(f"  … and {len(done) - 10} more; `wholepage list` shows all.")
    if any(r.errors and r.paper_id for r in results):
        console.print("Papers with status doubts have errors listed; the preview shows each where it is.")
