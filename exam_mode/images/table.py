"""The table of image rules: the shipped one, and the user's own before it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from exam_mode.errors import ExamOptionError
from exam_mode.images.sizes import ImageRule


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    match: list[str] = Field(min_length=1)
    resize: Literal["smart", "fit"] = "fit"
    factor: int = Field(28, ge=1)
    min_pixels: int = Field(3136, ge=1)
    max_pixels: int | None = Field(None, ge=1)
    long_side: int | None = Field(None, ge=1)
    short_side: int | None = Field(None, ge=1)
    tokens: Literal["patch", "area", "tiles"] = "area"
    per: float = Field(784, gt=0)
    base: int = Field(0, ge=0)
    each: int = Field(0, ge=0)
    tile: int = Field(512, ge=1)
    boxes: Literal["grid", "pixels"] = "grid"
    window: int | None = Field(None, ge=1)


_ENTRIES = TypeAdapter(list[_Entry])


def image_rule(model: str, own: Path | None = None) -> ImageRule:
    """The rule for a model's name: the first entry that matches, the user's file before the shipped table.

    Raises:
        ExamOptionError: the user's file cannot be read or does not follow the form.
    """
    entries = [*_own(own), *_shipped()]
    name = model.lower()
    for entry in entries:
        if any(fnmatchcase(name, pattern.lower()) for pattern in entry.match):
            return ImageRule(**entry.model_dump(exclude={"match"}))
    return ImageRule()


def _own(path: Path | None) -> list[_Entry]:
    if path is None:
        return []
    try:
        return _load(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ExamOptionError(f"Cannot read {path}: {error}.", hint="--image-rules takes a YAML file.") from error


def _shipped() -> list[_Entry]:
    return _load(files("exam_mode.images").joinpath("rules.yaml").read_text(encoding="utf-8"), "rules.yaml")


def _load(text: str, name: str) -> list[_Entry]:
    try:
        return _ENTRIES.validate_python(yaml.safe_load(text) or [])
    except (yaml.YAMLError, ValidationError) as error:
        said = error.errors()[0] if isinstance(error, ValidationError) else None
        reason = f"{'.'.join(str(p) for p in said['loc'])}: {said['msg']}" if said else str(error)
        raise ExamOptionError(
            f"The image rules {name} are not usable: {reason}.", hint="docs/exam.md shows the form."
        ) from error
