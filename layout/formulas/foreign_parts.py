"""Pieces of canonical LaTeX and how they are put together."""

from __future__ import annotations

import re
from dataclasses import dataclass

SINGLE = re.compile(r"\\[A-Za-z]+|\\.|[^\\]", re.S)
LEADING = re.compile(r"\d+(?=[A-Z(\[])")  # a number before a formula of chemistry
PLAIN = re.compile(r"[A-Za-z0-9+\-]")
UPRIGHT = re.compile(r"\\mathrm\{[^{}]*\}")
# Scripts of which one has braces or is a command.
OUTSIDE = re.compile(r"((?:[_^][^{}\\])?[_^](?:\{[^{}]*\}|\\[A-Za-z]+)(?:[_^][^{}\\])?) ?")
ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")
TWO_UPRIGHT = re.compile(r"(\\mathrm\{[^{}]*)\}\\mathrm\{(?=[^{}]*\})")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of canonical LaTeX; `tall` ones make brackets grow, `grid` is the body of an `array`."""

    text: str
    tall: bool = False
    grid: str = ""


def after_command(opening: str, text: str) -> str:
    """A blank where an opening that is a command would swallow a letter."""
    return joined([Part(opening), Part(text)])[len(opening) :]


def arrow(command: str, above: str, below: str) -> str:
    """An arrow with what stands above and below it."""
    return rf"\{command}{f'[{below}]' if below else ''}{{{above}}}"


def with_scripts(base: str, grouped: bool, sub: str, sup: str) -> str:
    r"""`base` with its scripts; upright letters take plain ones into their `\\mathrm`.

    `grouped`: the base stood in braces, which it keeps when it is more than one thing.
    """
    sup = sup.removeprefix("^") if sup.startswith(r"^\circ") else sup
    if UPRIGHT.fullmatch(base):
        if all(PLAIN.fullmatch(text) for text in (sub, sup) if text):
            return base[:-1] + script("_", sub) + script("^", sup) + "}"
    elif grouped and not SINGLE.fullmatch(base):
        base = f"{{{base}}}"
    start = "{}" if not base and sub else ""
    return f"{base or start}{script('_', sub)}{script('^', sup)}"


def script(sign: str, text: str) -> str:
    """A script in braces unless it is a single token."""
    if not text:
        return ""
    return f"{sign}{text}" if SINGLE.fullmatch(text) else f"{sign}{{{text}}}"


def faced(face: str, text: str) -> str:
    """Letters in a face; scripts with braces stand outside of it."""
    if not face or not text:
        return text
    if face != "mathrm":
        return rf"\{face}{{{text}}}"
    lead = LEADING.match(text.strip())
    number = lead.group() if lead else ""
    pieces = OUTSIDE.split(text.strip()[len(number) :])
    return number + "".join(p if n % 2 else rf"\mathrm{{{p}}}" if p else "" for n, p in enumerate(pieces))


def joined(parts: list[Part]) -> str:
    """Parts in a row: upright neighbours are one, a blank stands where a command would swallow a letter."""
    out = ""
    for text in (p.text for p in parts if p.text):
        if ENDS_IN_COMMAND.search(out) and text[0].isascii() and text[0].isalpha():
            out += " "
        out += text
    return TWO_UPRIGHT.sub(r"\1", out)
