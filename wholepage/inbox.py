"""What `watch` does with complete files: duplicates told apart, keys joined with their papers, the rest ingested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.names import is_junk
from ingest.pairing import Pair, find_paper, key_stem, pair_files
from ingest.sources import open_source
from ingest.watch import Inbox
from wholepage.batch import Batch
from wholepage.errors import SourceError
from wholepage.ledger import SeenFile
from wholepage.pipeline import PaperResult, Status
from wholepage.workspace import content_id, sha256_file


class InboxWorker:
    """Feeds the entries of an inbox to a batch. Files stay where they are; the ledger knows what was done."""

    def __init__(self, inbox: Inbox, batch: Batch) -> None:
        self._inbox = inbox
        self._batch = batch
        self._lone_keys: set[Path] = set()

    def handle(self, ready: Sequence[Path]) -> Iterator[PaperResult]:
        """Deal with entries that have become complete. Yields what is worth reporting.

        Raises:
            WorkspaceError: the workspace cannot be written.
        """
        fresh = [p for p in ready if not self._is_settled(p)]
        waiting = [k for k in self._lone_keys if k.exists() and k not in fresh]
        for pair in pair_files([*fresh, *sorted(waiting)]):
            if pair.answers is not None:
                self._lone_keys.discard(pair.answers)
                yield self._ingest(pair)
            elif key_stem(pair.paper.name) is None:
                yield self._duplicate(pair.paper) or self._ingest(pair)
            elif pair.paper in fresh:
                yield from self._key_alone(pair.paper)

    def _key_alone(self, key: Path) -> Iterator[PaperResult]:
        """A key whose paper came earlier, or has not come yet."""
        duplicate = self._duplicate(key)
        if duplicate is not None:
            yield duplicate
            return
        paper = self._earlier_paper(key)
        if paper is not None:
            other = self._other_key(paper, key)
            if other is not None:
                yield self._second_key(key, paper, other)
                return
            self._lone_keys.discard(key)
            yield self._ingest(Pair(paper, key))
            return
        self._lone_keys.add(key)
        self._note(key, "waiting", None)
        yield self._told(key, "waiting", None)

    def _earlier_paper(self, key: Path) -> Path | None:
        """The paper of this key among the inbox's entries, or the stored copy of one that left the inbox."""
        present = find_paper(key, [p for p in self._inbox.entries() if p != key])
        if present is not None:
            return present
        seen = [f for f in self._batch.ledger.files() if f.state == "done" and f.paper_id and self._is_here(f)]
        names = {self._inbox.folder / f.name: f for f in seen}
        gone = find_paper(key, list(names))
        if gone is None:
            return None
        folder = self._batch.workspace.paper_dir(str(names[gone].paper_id)) / "source"
        stored = [p for p in folder.glob("*") if p.is_file() and sha256_file(p) == names[gone].sha256]
        return stored[0] if stored else None

    def _other_key(self, paper: Path, key: Path) -> Path | None:
        """The key that the paper was joined with, when that is another file and still in the inbox."""
        digest = self._digests(paper)
        known = [f.paper_id for f in self._batch.ledger.files(digest[0])] if digest else []
        for file in self._batch.ledger.files():
            path = Path(file.path)
            is_key = file.state == "done" and file.paper_id in known and key_stem(file.name) is not None
            if is_key and file.sha256 not in digest and path != key and self._is_here(file) and path.exists():
                return path
        return None

    def _second_key(self, key: Path, paper: Path, other: Path) -> PaperResult:
        self._note(key, "waiting", None)
        error = {
            "code": "answers.second_key",
            "message": f"{key.name} was not used: {paper.name} has the key {other.name} already.",
            "hint": f"Remove one of the two, or choose with: wholepage ingest {paper.name} --answers FILE",
        }
        return self._told(key, "waiting", None, error)

    def _is_here(self, file: SeenFile) -> bool:
        return Path(file.path).parent == self._inbox.folder

    def _ingest(self, pair: Pair) -> PaperResult:
        return self._batch.ingest(pair)

    def _is_settled(self, path: Path) -> bool:
        """Whether an earlier run has dealt with these bytes under this name, and the paper is still there."""
        digests = self._digests(path)
        states = {
            f.state
            for digest in digests
            for f in self._batch.ledger.files(digest)
            if Path(f.path) in (path, *self._members(path)) and (f.state == "duplicate" or self._has_paper(f.paper_id))
        }
        return bool(digests) and states in ({"done"}, {"duplicate"})

    def _duplicate(self, path: Path) -> PaperResult | None:
        """A result when the same bytes were ingested under another name."""
        digests = self._digests(path)
        if not digests:
            return None
        own = {str(path), *map(str, self._members(path))}
        others = [f for f in self._batch.ledger.files(digests[0]) if f.state == "done" and f.path not in own]
        known = content_id(digests)
        for other in others:
            # a key belongs to a paper of another id; a paper's id follows from its bytes
            if self._has_paper(other.paper_id) and (other.paper_id == known or len(digests) == 1):
                self._note(path, "duplicate", other.paper_id)
                return self._told(path, "duplicate", other.paper_id)
        return None

    def _has_paper(self, paper_id: str | None) -> bool:
        return paper_id is not None and (self._batch.workspace.paper_dir(paper_id) / "paper.json").exists()

    def _members(self, path: Path) -> list[Path]:
        return [p for p in path.iterdir() if p.is_file() and not is_junk(p.name)] if path.is_dir() else []

    def _digests(self, path: Path) -> list[str]:
        """Digests of a file or of a folder's pages in order; none when it cannot be read (ingesting will say why)."""
        try:
            if path.is_dir():
                return list(open_source(path, settings=self._batch.options.settings).sha256s)
            return [sha256_file(path)]
        except (OSError, SourceError):
            return []

    def _note(self, path: Path, state: str, paper_id: str | None) -> None:
        for digest, file in zip(self._digests(path), self._members(path) or [path], strict=False):
            self._batch.ledger.see_file(digest, file, state, paper_id)  # type: ignore[arg-type]

    def _told(
        self, path: Path, status: Status, paper_id: str | None, error: dict[str, str] | None = None
    ) -> PaperResult:
        result = PaperResult(paper_id, path, status, error=error)
        self._batch.reporter.start(path)
        self._batch.reporter.finish(result)
        return result
