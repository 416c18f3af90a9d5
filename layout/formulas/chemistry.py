"""Formulas of substances on page images: the pixels tell slanted letters, not that upright ones are meant.

Where all letters of a formula spell elements and something says that they are, they are set upright.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from layout.formulas.symbols import ELEMENTS
from layout.formulas.tree import Arrow, Node, Row, Script, Sym, plain

SUBSTANCE = re.compile(rf"(?:{ELEMENTS})+")
TWO_LETTERS = re.compile(r"[A-Z][a-z]")
STATES = frozenset({"g", "s", "l", "aq"})
CHARGE = re.compile(r"\d?[+\-−]")
COUNT = re.compile(r"[2-9]|\d{2}")
SIGNS = frozenset("↑↓⇌→")


def with_substances(node: Node) -> Node:
    """The formula with upright letters when it is one of substances; any other as it is."""
    runs = list(_runs(node))
    if not runs or any(not (SUBSTANCE.fullmatch(run) or run in STATES) for run in runs):
        return node
    if any(TWO_LETTERS.search(run) for run in runs) or (_charged(node) and not _slanted(node)):
        return _upright(node)
    return node


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Row) else (node,)


def _runs(node: Node) -> Iterator[str]:
    """Runs of letters on the line; a letter of unknown meaning in a script ends the search with a run of its own."""
    run = ""
    for item in _items(node):
        base = item.base if isinstance(item, Script) else item
        letter = base.text if isinstance(base, Sym) else ""
        if len(letter) == 1 and letter.isascii() and letter.isalpha():
            run += letter
            continue
        if run:
            yield run
        run = ""
        if letter == "" and not isinstance(item, Arrow):
            yield "?"  # a fraction, a radical: no substance
        elif letter.isalpha():
            yield "?"  # Greek
    if run:
        yield run


def _charged(node: Node) -> bool:
    """Whether a letter carries a charge, or several elements stand together with a count and a sign of a reaction."""
    items = _items(node)
    for item in items:
        if isinstance(item, Script) and item.sup is not None and CHARGE.fullmatch(plain(item.sup)):
            return True
    counted = any(isinstance(i, Script) and i.sup is None and COUNT.fullmatch(plain(i.sub)) for i in items)
    reacts = any(isinstance(i, Arrow) or (isinstance(i, Sym) and i.text in SIGNS) for i in items)
    return counted and (reacts or any(len(run) > 1 and run not in STATES for run in _runs(node)))


def _slanted(node: Node) -> bool:
    """Whether a letter was seen to slant."""
    bases = [i.base if isinstance(i, Script) else i for i in _items(node)]
    return any(isinstance(b, Sym) and b.style == "italic" for b in bases)


def _upright(node: Node) -> Node:
    if isinstance(node, Row):
        return Row(tuple(_upright(item) for item in node.items))
    if isinstance(node, Script) and node.base is not None:
        return replace(node, base=_upright(node.base))
    if isinstance(node, Sym) and node.text.isascii() and node.text.isalpha():
        return replace(node, style="upright")
    return node
