r"""Runs of upright letters, their digits, scripts and brackets as one `\mathrm{…}`: units and chemical formulas.

A `\mathrm` holds no braces: a script of several tokens ends it (`\mathrm{Fe}^{3+}`, `\mathrm{g\cdot mol}^{-1}`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from layout.formulas.tree import Node, Script, Sym

PARTNER = {"(": ")", "[": "]"}
LINKS = {"/": "/", "·": r"\cdot "}  # between two units


@dataclass(frozen=True, slots=True)
class Piece:
    """A node's part of the run; `tail` are scripts that must stand outside of the `\\mathrm`."""

    text: str
    tail: str = ""


def upright_run(nodes: Sequence[Node], start: int, scripts: Callable[[Script], str]) -> tuple[int, str]:
    """How many nodes from `start` on make one upright run, and its LaTeX; (0, "") when none begins there."""
    if not (is_upright(nodes[start]) or _opens_complex(nodes, start)):
        return 0, ""
    text, index = "", start
    while index < len(nodes):
        stop, piece = _next(nodes, index, index == start, scripts)
        if piece is None:
            break
        text += piece.text
        index = stop
        if piece.tail:
            return index - start, rf"\mathrm{{{text}}}{piece.tail}"
    return index - start, rf"\mathrm{{{text}}}"


def is_upright(node: Node) -> bool:
    """Whether the node is an upright Latin letter, with or without scripts."""
    base = node.base if isinstance(node, Script) else node
    return isinstance(base, Sym) and base.style == "upright" and _is_latin(base.text)


def symbol_text(node: Node) -> str:
    """The character of a symbol or of a script's base, else an empty string."""
    base = node.base if isinstance(node, Script) else node
    return base.text if isinstance(base, Sym) else ""


def _is_latin(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text.isalpha()


def _next(nodes: Sequence[Node], index: int, first: bool, scripts: Callable[[Script], str]) -> tuple[int, Piece | None]:
    """The end of the part that begins at `index`, and the part; None when it belongs to no run."""
    node = nodes[index]
    if is_upright(node) or (_is_digit(node) and not first):
        return index + 1, _piece(node, scripts)
    if isinstance(node, Sym) and node.text in PARTNER:
        return _group(nodes, index, scripts)
    if isinstance(node, Sym) and node.text in LINKS and not first and _is_unit(nodes, index):
        return index + 1, Piece(LINKS[node.text])
    return index, None


def _is_digit(node: Node) -> bool:
    return isinstance(node, Sym) and node.text.isascii() and node.text.isdigit()


def _is_unit(nodes: Sequence[Node], link: int) -> bool:
    """Whether upright letters follow the link and no formula of a substance stands around it."""
    after = nodes[link + 1] if link + 1 < len(nodes) else None
    before = nodes[link - 1]
    digits = isinstance(before, Script) and before.sub is not None
    return after is not None and is_upright(after) and not digits and not _holds_subscript(nodes, link + 1)


def _holds_subscript(nodes: Sequence[Node], start: int) -> bool:
    for node in nodes[start:]:
        if not is_upright(node):
            break
        if isinstance(node, Script) and node.sub is not None:
            return True
    return False


def _piece(node: Node, scripts: Callable[[Script], str]) -> Piece:
    if isinstance(node, Script):
        text, inner = symbol_text(node), scripts(node)
        slanted = any(isinstance(s, Sym) and s.style == "italic" for s in (node.sub, node.sup))
        return Piece(text, inner) if slanted or "{" in inner or "\\" in inner else Piece(text + inner)
    return Piece(symbol_text(node))


def _group(nodes: Sequence[Node], start: int, scripts: Callable[[Script], str]) -> tuple[int, Piece | None]:
    """A pair of brackets with nothing but upright letters, digits and such groups in it: (OH)_2, (aq), [Al(OH)_4]^-."""
    text = symbol_text(nodes[start])
    close, index, letters = PARTNER[text], start + 1, False
    while index < len(nodes):
        node = nodes[index]
        if symbol_text(node) == close:
            piece = _piece(node, scripts)
            return (index + 1, Piece(text + piece.text, piece.tail)) if letters else (start, None)
        letters = letters or is_upright(node)
        stop, inner = _next(nodes, index, False, scripts)
        if inner is None or inner.tail:
            break
        text += inner.text
        index = stop
    return start, None


def _opens_complex(nodes: Sequence[Node], start: int) -> bool:
    """Whether a complex ion in square brackets begins at `start`."""
    if symbol_text(nodes[start]) != "[" or start + 1 == len(nodes) or not is_upright(nodes[start + 1]):
        return False
    closing = next((n for n in nodes[start + 1 :] if symbol_text(n) == "]"), None)
    return isinstance(closing, Script) and closing.sup is not None
