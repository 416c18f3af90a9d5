"""The errors that users see, and the exit code of each.

Every message says which file, page or question is meant and what to do next; `hint` carries the latter so that
the terminal can set it apart and `--json` output keeps it as a field.
"""

from __future__ import annotations

from enum import IntEnum

from wholepage.extras import install_command


class ExitCode(IntEnum):
    """Exit codes of every `wholepage` command; documented in docs/cli.md."""

    OK = 0
    FAILURE = 1  # the command itself could not do its work
    USAGE = 2  # wrong options or arguments (Typer's own code)
    DOUBTS = 3  # the work is done, and some papers have errors listed
    UNREADABLE = 4  # none of the given files could be read
    INTERRUPTED = 130  # Ctrl-C; run the same command again to resume


class WholepageError(Exception):
    """Base of all errors that are shown without a traceback.

    Args:
        message: what went wrong, naming the file, page or question.
        hint: what the user can do next.
        code: stable machine-readable code, e.g. ``file.encrypted``.
    """

    exit_code: ExitCode = ExitCode.FAILURE
    default_code: str = "error"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code or self.default_code

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[object, ...]:
        """Keep `hint` and `code` when the error crosses a process boundary."""
        return (_rebuild, (type(self), self.message, self.hint, self.code))


def _rebuild(kind: type[WholepageError], message: str, hint: str, code: str) -> WholepageError:
    return kind(message, hint=hint, code=code)


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: libraries in C, and clean-up that it cuts short, answer it with errors."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


class SourceError(WholepageError):
    """A file that cannot become a paper: encrypted, damaged, empty, or of no known kind."""

    exit_code = ExitCode.UNREADABLE
    default_code = "file.unreadable"


class PageError(WholepageError):
    """One page of a readable file could not be read; the rest of the file goes on."""

    default_code = "page.unreadable"


class TemplateError(WholepageError):
    """A template that does not validate or does not exist."""

    exit_code = ExitCode.USAGE
    default_code = "template.invalid"


class WorkspaceError(WholepageError):
    """The workspace cannot be read or written (permissions, full disk, unknown paper)."""

    default_code = "workspace.error"


class MissingExtraError(WholepageError):
    """An optional dependency is not installed; the message carries the install line."""

    default_code = "extra.missing"

    @classmethod
    def for_extra(cls, extra: str, package: str) -> MissingExtraError:
        """Say that `package` is absent and which extra brings it."""
        return cls(
            f"This needs the package {package}, which is not installed.",
            hint=f"Install it with: {install_command(extra)}",
        )
