"""The job ledger: which files were seen, which stages of which paper are done, how often they were tried.

SQLite through SQLAlchemy 2, one file a workspace. Only the main process of a command writes to it; several commands
may run at once (write-ahead log, a busy timeout).
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Engine, PrimaryKeyConstraint, create_engine, event, select, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from wholepage.errors import WorkspaceError

SCHEMA_VERSION = 1  # PRAGMA user_version of the file
BUSY_SECONDS = 30.0

FileState = Literal["seen", "waiting", "done", "failed", "duplicate"]
StageState = Literal["running", "done", "failed"]


class Base(DeclarativeBase):
    """Base of the ledger's tables."""


class FileRow(Base):
    """A file that was given to the program: the same bytes under another name are another row."""

    __tablename__ = "files"
    __table_args__ = (PrimaryKeyConstraint("sha256", "path"),)

    sha256: Mapped[str]
    path: Mapped[str]
    name: Mapped[str]
    paper_id: Mapped[str | None] = mapped_column(index=True)
    state: Mapped[str]
    first_seen: Mapped[datetime]
    last_seen: Mapped[datetime]


class StageRow(Base):
    """One stage of one paper, e.g. `page:3`, `answers:page:1`, `parse`."""

    __tablename__ = "stages"
    __table_args__ = (PrimaryKeyConstraint("paper_id", "stage"),)

    paper_id: Mapped[str]
    stage: Mapped[str]
    fingerprint: Mapped[str]
    state: Mapped[str]
    attempts: Mapped[int] = mapped_column(default=0)
    seconds: Mapped[float] = mapped_column(default=0.0)
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    updated: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage as the ledger knows it. `attempts` counts the times it was begun with this fingerprint."""

    stage: str
    fingerprint: str
    state: StageState
    attempts: int
    seconds: float
    error_code: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file as the ledger knows it."""

    sha256: str
    path: str
    name: str
    paper_id: str | None
    state: FileState


class Ledger:
    """Opens (and, where it does not exist, creates) the ledger file.

    Raises:
        WorkspaceError: the file is damaged, of a newer version, locked for long, or cannot be written. It is never
            overwritten.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = _engine(path)
        try:
            with self._guard():
                _prepare(self._engine, path)
        except WorkspaceError:
            self.close()
            raise

    def close(self) -> None:
        """Release the file."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def see_file(self, sha256: str, path: Path, state: FileState, paper_id: str | None = None) -> None:
        """Note that a file was given, or what became of it."""
        now = _now()
        where = str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        name = path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        with self._session() as session:
            row = session.get(FileRow, (sha256, where))
            if row is None:
                row = FileRow(sha256=sha256, path=where, name=name, state=state, first_seen=now, last_seen=now)
                session.add(row)
            row.state, row.last_seen = state, now
            row.paper_id = paper_id or row.paper_id

    def files(self, sha256: str | None = None, name: str | None = None) -> list[SeenFile]:
        """Files seen, oldest first, those of one digest or one name where given."""
        query = select(FileRow).order_by(FileRow.first_seen, FileRow.path)
        if sha256 is not None:
            query = query.where(FileRow.sha256 == sha256)
        if name is not None:
            query = query.where(FileRow.name == name)
        with self._session() as session:
            return [
                SeenFile(r.sha256, r.path, r.name, r.paper_id, r.state)  # type: ignore[arg-type]
                for r in session.scalars(query)
            ]

    def begin(self, paper_id: str, stage: str, fingerprint: str) -> int:
        """Note that a stage starts; returns how often it has been started with this fingerprint, 1 the first time."""
        now = _now()
        with self._session() as session:
            row = session.get(StageRow, (paper_id, stage))
            if row is None:
                row = StageRow(paper_id=paper_id, stage=stage, fingerprint=fingerprint, attempts=0, updated=now)
                row.state, row.seconds = "running", 0.0
                session.add(row)
            if row.fingerprint != fingerprint:
                row.fingerprint, row.attempts = fingerprint, 0
            row.state, row.updated = "running", now
            row.error_code = row.error_message = None
            row.attempts += 1
            return row.attempts

    def finish(self, paper_id: str, stage: str, seconds: float, error: tuple[str, str] | None = None) -> None:
        """Note that a stage ended, with (code, message) when it failed."""
        with self._session() as session:
            row = session.get(StageRow, (paper_id, stage))
            if row is None:
                raise WorkspaceError(f"The ledger has no stage {stage!r} of paper {paper_id} to finish.")
            row.state, row.seconds, row.updated = "failed" if error else "done", round(seconds, 3), _now()
            row.error_code, row.error_message = error or (None, None)

    def stages(self, paper_id: str) -> dict[str, Stage]:
        """All stages of a paper by name."""
        with self._session() as session:
            rows = session.scalars(select(StageRow).where(StageRow.paper_id == paper_id).order_by(StageRow.stage))
            return {
                r.stage: Stage(
                    r.stage,
                    r.fingerprint,
                    r.state,  # type: ignore[arg-type]
                    r.attempts,
                    r.seconds,
                    r.error_code,
                    r.error_message,
                )
                for r in rows
            }

    def is_done(self, paper_id: str, stage: str, fingerprint: str) -> bool:
        """Whether a stage was finished from the same inputs."""
        with self._session() as session:
            row = session.get(StageRow, (paper_id, stage))
            return row is not None and row.state == "done" and row.fingerprint == fingerprint

    def forget(self, paper_id: str, stages: list[str] | None = None) -> None:
        """Drop the given stages of a paper, or all of them."""
        with self._session() as session:
            for row in session.scalars(select(StageRow).where(StageRow.paper_id == paper_id)):
                if stages is None or row.stage in stages:
                    session.delete(row)

    @contextlib.contextmanager
    def _session(self) -> Iterator[Session]:
        with self._guard(), Session(self._engine) as session, session.begin():
            yield session

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (DatabaseError, sqlite3.DatabaseError) as error:
            raise _trouble(self.path, error) from error


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_SECONDS})

    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute("PRAGMA synchronous=NORMAL")

    event.listen(engine, "connect", connect)
    # IMMEDIATE: a transaction that reads and then writes would fail at once, without waiting, if another one wrote
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _prepare(engine: Engine, path: Path) -> None:
    """Check the version before anything is written, then create what is missing."""
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        version = int(cursor.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise WorkspaceError(
                f"The ledger {path} has version {version}; this program knows versions up to {SCHEMA_VERSION}.",
                hint="Update the program (pip install -U wholepage), or use another --workspace.",
                code="ledger.newer",
            )
        cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        cursor.execute("PRAGMA journal_mode=WAL").fetchone()
    finally:
        raw.close()
    with engine.begin() as connection:
        Base.metadata.create_all(connection)
        connection.execute(text(f"PRAGMA user_version={SCHEMA_VERSION}"))


def _trouble(path: Path, error: Exception) -> WorkspaceError:
    reason = str(getattr(error, "orig", None) or error)
    if "locked" in reason or "busy" in reason:
        hint, code = "Another command holds it; wait for that to end and try again.", "ledger.locked"
    elif isinstance(error, (OperationalError, sqlite3.OperationalError)):
        hint, code = "Check permissions and free space, then run the same command again.", "ledger.unwritable"
    else:
        hint = "Move the file away to keep it; a new ledger is then made and finished pages are recognised."
        code = "ledger.damaged"
    return WorkspaceError(f"The ledger {path} cannot be used: {reason}.", hint=hint, code=code)


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
