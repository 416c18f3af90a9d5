"""The folder of a scoring run: held by one process at a time, and replaced as a whole or not at all."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from wholepage.errors import WorkspaceError

LAST = "run.json"  # its presence says that the other files belong together


class RunFolderError(WorkspaceError):
    """A run folder that cannot be used: a file is in its place, it cannot be written, or another run holds it."""

    default_code = "run.folder"


@contextlib.contextmanager
def hold(run: Path) -> Iterator[None]:
    """Make the folder and keep it for this process.

    The advisory lock (flock) goes with the process, so a killed run never blocks the next. Where flock does not
    exist nothing is locked.

    Raises:
        RunFolderError: `run` is a file or cannot be written, or another process holds it.
    """
    if run.exists() and not run.is_dir():
        raise RunFolderError(
            f"{run} is a file, and the results need a folder.",
            hint="Name another folder with -o RUN, or move the file away.",
            code="run.is_a_file",
        )
    try:
        run.mkdir(parents=True, exist_ok=True)
        handle = (run / ".lock").open("w")
    except OSError as error:
        raise RunFolderError(
            f"Cannot write into the run folder {run}: {error.strerror or error}.",
            hint="Check free space and permissions, or name another folder with -o RUN.",
        ) from error
    with handle:
        _lock(handle.fileno(), run)
        yield


def _lock(descriptor: int, run: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise RunFolderError(
            f"Another `wholepage score run` is writing {run}.",
            hint="Wait for it to end, or name another folder with -o RUN.",
            code="run.busy",
        ) from error


@contextlib.contextmanager
def staged(run: Path) -> Iterator[Path]:
    """A folder beside the run's files to write new ones into; on success they take the old ones' places.

    `run.json` goes first and comes last, so a run that is killed here looks unfinished, not finished and mixed. After
    an error, such as a full disk, the earlier files are as they were.

    Raises:
        WorkspaceError: the disk is full or the folder cannot be written.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=".new-", dir=run))
    except OSError as error:
        raise _full(run, error) from error
    try:
        yield folder
        _move_all(folder, run)
    except OSError as error:
        raise _full(run, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move_all(folder: Path, run: Path) -> None:
    (run / LAST).unlink(missing_ok=True)
    for path in sorted(folder.iterdir(), key=lambda p: p.name == LAST):
        path.replace(run / path.name)


def clear_leftovers(run: Path) -> None:
    """Remove half-written folders of runs that were killed; call it while holding the folder."""
    for path in run.glob(".new-*"):
        shutil.rmtree(path, ignore_errors=True)


def _full(run: Path, error: OSError) -> RunFolderError:
    return RunFolderError(
        f"Cannot write the results into {run}: {error.strerror or error}.",
        hint="Check free space and permissions, then run the same command again; earlier results are as they were.",
    )
