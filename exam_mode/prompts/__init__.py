"""Prompts as files, `NAME_zh.txt` and `NAME_en.txt`; `$name` marks what is filled in."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from string import Template


def fill(name: str, language: str, /, **values: str) -> str:
    """The prompt `name` in `language` (`zh` or `en`) with its marks filled in; values are taken literally.

    Raises:
        KeyError: a mark has no value.
    """
    return Template(_text(name, language)).substitute(values)


@cache
def _text(name: str, language: str) -> str:
    return files("exam_mode.prompts").joinpath(f"{name}_{language}.txt").read_text(encoding="utf-8").strip()


@cache
def prompts_digest() -> str:
    """16 hex digits over all prompt files: runs with other prompts are not to be compared unawares."""
    folder = files("exam_mode.prompts")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".txt"))
    text = "\0".join(f"{name}\0{folder.joinpath(name).read_text(encoding='utf-8')}" for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
