"""What can go wrong in an exam, as errors that users see."""

from __future__ import annotations

from wholepage.errors import ExitCode, WholepageError


class ExamError(WholepageError):
    """An exam cannot be set up or go on: nothing to ask, an unknown form, a damaged run."""

    default_code = "exam.error"


class ExamOptionError(ExamError):
    """An option of an exam has a value that is not usable."""

    exit_code = ExitCode.USAGE
    default_code = "exam.option"


class ImageError(ExamError):
    """A page image cannot be made for the model: unreadable, too small to read, of an impossible shape."""

    default_code = "exam.image"
