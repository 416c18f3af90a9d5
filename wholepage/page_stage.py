"""Reading all pages of a source, whatever it is the source of: finished pages are taken over, every try is noted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingest.sources import Source
from wholepage.assemble import Reading
from wholepage.fingerprints import page_fingerprint
from wholepage.ledger import Ledger
from wholepage.pool import PagePool
from wholepage.reading import PageOutcome, PagePaths, PageTask, load_outcome, ocr_threads
from wholepage.settings import Settings

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PageStage:
    """With what pages are read: `paper_id` is the paper that the ledger counts them under."""

    paper_id: str
    settings: Settings
    ledger: Ledger
    pool: PagePool
    progress: Progress
    force: bool = False


def read_source(run: PageStage, source: Source, base: Path, stage: str, before: int, total: int) -> Reading:
    """Read the pages that no earlier run finished; the ledger keeps account of every try.

    Args:
        source: the stored source.
        base: the folder of the pages' files.
        stage: name of the stage in the ledger, to which the page's number is added.
        before: pages of other sources that are done already, for the progress.
        total: pages in all.
    """
    known = run.ledger.stages(run.paper_id)
    outcomes: dict[int, PageOutcome] = {}
    crashed: set[int] = set()
    tasks: list[tuple[PagePaths, str]] = []
    for number in range(1, source.page_count + 1):
        paths = PagePaths(base, number)
        ref = source.page(number)
        digest = next(f.sha256 for f in source.files if f.path == ref.path)
        fingerprint = page_fingerprint(digest, ref, number, run.settings)
        earlier = None if run.force else load_outcome(paths, fingerprint)
        if earlier is not None:
            outcomes[number] = earlier
            continue
        past = known.get(f"{stage}:{number}")
        if past and past.state == "running" and past.fingerprint == fingerprint:
            crashed.add(number)
        tasks.append((paths, fingerprint))
    run.progress(before + len(outcomes), total)
    threads = ocr_threads(run.settings, run.pool.jobs)
    queue = (PageTask(source.page(p.number), p, run.settings, threads, f) for p, f in tasks)

    def begin(task: PageTask) -> None:
        run.ledger.begin(run.paper_id, f"{stage}:{task.paths.number}", task.fingerprint)

    for outcome in run.pool.run(queue, begin, frozenset(crashed)):
        number = outcome.page.number
        outcomes[number] = outcome
        error = outcome.error
        run.ledger.finish(
            run.paper_id, f"{stage}:{number}", outcome.seconds, (error.code, error.message) if error else None
        )
        run.progress(before + len(outcomes), total)
    return Reading(source, base, tuple(outcomes[n] for n in sorted(outcomes)))
