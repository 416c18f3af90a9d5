"""Canonical LaTeX of a formula tree: one form for one meaning, braces only where they are needed."""

from __future__ import annotations

import re
from functools import lru_cache

from layout.formulas.symbols import COMMANDS, FUNCTIONS, ITALIC_NAMES, OWN_COMMAND
from layout.formulas.tree import Arrow, Frac, Grid, Node, Over, Root, Row, Script, Sym, is_tall, plain, row_of
from layout.formulas.upright import upright_run
from layout.segments import is_wide

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.S)
# What closes a bracket; half-open intervals mix two kinds.
CLOSINGS = {"(": (")", "]"), "[": ("]", ")"), r"\{": (r"\}",), "|": ("|",)}


def to_latex(node: Node) -> str:
    """LaTeX of `node` without dollar signs."""
    return _tidy(_write(node))


def _write(node: Node | None) -> str:
    match node:
        case None:
            return ""
        case Row(items):
            return _row(items)
        case Frac(num, den):
            text = rf"\frac{{{_write(num)}}}{{{_write(den)}}}"
        case Root(body, index):
            text = rf"\sqrt{f'[{_write(index)}]' if index is not None else ''}{{{_write(body)}}}"
        case Over(body, command):
            text = rf"\{command}{{{_write(body)}}}"
        case Grid(rows, kind):
            lines = r" \\ ".join(" & ".join(_write(cell) for cell in row) for row in rows)
            text = rf"\begin{{{kind}}} {lines} \end{{{kind}}}"
        case Arrow(above, below, command):
            text = rf"\{command}{f'[{_write(below)}]' if below is not None else ''}{{{_write(above)}}}"
        case _:
            text = _row((node,))
    return text


def _row(items: tuple[Node, ...]) -> str:
    """Items side by side: upright runs grouped, functions named, brackets grown where the content is tall."""
    pieces: list[tuple[str, Node]] = []
    index = 0
    flat = _rooted(_dotted(_flatten(items)))
    while index < len(flat):
        for reader in (_text_run, _function, _upright_run):
            taken, text = reader(flat, index)
            if taken:
                pieces.append((text, flat[index] if taken == 1 else Row(tuple(flat[index : index + taken]))))
                index += taken
                break
        else:
            pieces.append((_single(flat[index]), flat[index]))
            index += 1
    return _join(_grow(pieces))


# Large operators without bounds: some writers print ∩ with the sign of the big operator.
UNBOUNDED = {"⋂": r"\cap", "⋃": r"\cup"}


def _flatten(items: tuple[Node, ...]) -> list[Node]:
    out: list[Node] = []
    for item in items:
        if isinstance(item, Row):
            out.extend(_flatten(item.items))
        else:
            out.append(item)
    return out


def _dotted(flat: list[Node]) -> list[Node]:
    """Three centred dots are one sign."""
    out: list[Node] = []
    for node in flat:
        out.append(node)
        if out[-3:] == [node] * 3 and isinstance(node, Sym) and node.text in "·⋅":
            out[-3:] = [Sym("⋯", node.style)]
    return out


def _rooted(flat: list[Node]) -> list[Node]:
    """A radical sign whose line is not printed, or was not seen, stands over the number or letter behind it."""
    out: list[Node] = []
    index = 0
    while index < len(flat):
        node, start = flat[index], index + 1
        sign = isinstance(node, Sym) and node.text == "√"
        stop = start
        while sign and stop < len(flat) and _is_operand(flat[stop], stop == start):
            stop += 1
            sign = _is_digit(flat[stop - 1])
        out.append(node if stop == start else Root(row_of(flat[start:stop])))
        index = stop
    return out


def _is_digit(node: Node) -> bool:
    return isinstance(node, Sym) and node.text.isascii() and node.text.isdigit()


def _is_operand(node: Node, first: bool) -> bool:
    return _is_digit(node) or (first and isinstance(node, Sym) and len(node.text) == 1 and node.text.isalpha())


def _single(node: Node) -> str:
    if isinstance(node, Sym):
        return UNBOUNDED.get(node.text) or symbol(node)
    if isinstance(node, Script):
        return _base(node.base) + scripts(node)
    return _write(node)


def symbol(sym: Sym) -> str:
    """LaTeX of one character in its face."""
    text = COMMANDS.get(sym.text, sym.text)
    if sym.text.isascii() and sym.text.isalnum():
        if sym.style == "bold":
            return rf"\mathbf{{{text}}}"
        if sym.style == "double":
            return rf"\mathbb{{{text}}}"
        if sym.style == "calligraphic":
            return rf"\mathcal{{{text}}}"
        if sym.style == "upright" and sym.text.isalpha():
            return rf"\mathrm{{{text}}}"
    return text


def _base(node: Node | None) -> str:
    if node is None:
        return "{}"
    text = _write(node)
    if isinstance(node, Row | Script) and len(TOKEN.findall(text)) != 1:
        return f"{{{text}}}"
    return text


def scripts(node: Script) -> str:
    """The scripts of a node: sub before sup."""
    out = ""
    sub, sup = node.sub, node.sup
    if sub is not None:
        out += "_" + braced(_named(sub) or _write(sub))
    if sup is not None:
        text = _tidy(_write(sup))
        out += "^" + braced(text[1:] if text.startswith("^\\circ") else text)
    return out


def _named(node: Node) -> str:
    """A script that is a function's name alone only names something: v_max."""
    word = plain(node)
    return rf"\mathrm{{{word}}}" if word in OWN_COMMAND and isinstance(node, Row) else ""


def braced(text: str) -> str:
    """`text` in braces unless it is a single token."""
    text = _tidy(text)
    return text if len(TOKEN.findall(text)) == 1 and text not in "{}" else f"{{{text}}}"


def _text_run(flat: list[Node], start: int) -> tuple[int, str]:
    """Ideographs and full-width marks as `\\text{…}`."""
    stop = start
    while stop < len(flat) and _is_text(flat[stop]):
        stop += 1
    if stop == start:
        return 0, ""
    return stop - start, rf"\text{{{''.join(n.text for n in flat[start:stop] if isinstance(n, Sym))}}}"


def _is_text(node: Node) -> bool:
    return isinstance(node, Sym) and (is_wide(node.text) or node.text in "、。") and node.text not in COMMANDS


def _letters(flat: list[Node], start: int) -> tuple[str, bool]:
    """The letters from `start` on that are set alike, and whether they are italic."""
    out = ""
    slanted = _slanted(flat[start])
    for node in flat[start:]:
        base = node.base if isinstance(node, Script) else node
        if not (isinstance(base, Sym) and len(base.text) == 1 and base.text.isascii() and base.text.isalpha()):
            break
        if base.style == "bold" or _slanted(node) != slanted:
            break
        out += base.text
        if isinstance(node, Script):
            break
    return out, slanted


def _slanted(node: Node) -> bool:
    base = node.base if isinstance(node, Script) else node
    return isinstance(base, Sym) and base.style == "italic"


def _function(flat: list[Node], start: int) -> tuple[int, str]:
    """A function's name; scripts on its last letter are its own."""
    word, slanted = _letters(flat, start)
    name = next((f for f in FUNCTIONS if word.startswith(f) and (not slanted or f in ITALIC_NAMES)), None)
    if name is None or any(isinstance(n, Script) for n in flat[start : start + len(name) - 1]):
        return 0, ""
    last = flat[start + len(name) - 1]
    if name in ("min", "max") and start + len(name) == len(flat) and not isinstance(last, Script):
        return 0, ""  # minutes, or a name; the function has arguments
    command = rf"\{name}" if name in OWN_COMMAND else rf"\operatorname{{{name}}}"
    return len(name), command + (scripts(last) if isinstance(last, Script) else "")


def _upright_run(flat: list[Node], start: int) -> tuple[int, str]:
    """Units and chemical formulas as one `\\mathrm{…}`."""
    return upright_run(flat, start, scripts)


def _grow(pieces: list[tuple[str, Node]]) -> list[str]:
    """`\\left` and `\\right` at brackets that hold something tall, `\\mid` for a lone bar inside brackets."""
    out = [text for text, _ in pieces]
    stack: list[int] = []
    for index, (text, node) in enumerate(pieces):
        head = _head(text)
        begin = _partner(pieces, stack, head)
        if begin is not None:
            for bar in stack[stack.index(begin) + 1 :]:
                out[bar] = r"\mid"
            del stack[stack.index(begin) :]
            if any(is_tall(n) for _, n in pieces[begin + 1 : index]):
                out[begin] = r"\left" + out[begin]
                out[index] = r"\right" + out[index]
        elif text in CLOSINGS:
            stack.append(index)
        elif isinstance(node, Sym | Script) and head in (")", "]", r"\}"):
            stack.clear()
    return out


def _partner(pieces: list[tuple[str, Node]], stack: list[int], head: str) -> int | None:
    """The open bracket that `head` closes; a bar without a partner between them does not matter."""
    for index in reversed(stack):
        opening = pieces[index][0]
        if head in CLOSINGS[opening]:
            return index
        if opening != "|" or head == "|":
            break
    return None


def _head(text: str) -> str:
    match = TOKEN.match(text)
    return match.group() if match else ""


def _join(parts: list[str]) -> str:
    out = ""
    for part in parts:
        if out and part and re.search(r"\\[A-Za-z]+$", out) and part[0].isascii() and part[0].isalpha():
            out += " "
        out += part
    return out


def _tidy(text: str) -> str:
    return text.strip()


@lru_cache(maxsize=4096)
def parses(latex: str) -> bool:
    """Whether `latex` is well formed: braces and environments balance and the converter to MathML takes it."""
    if _unbalanced(latex):
        return False
    from latex2mathml.converter import convert

    try:
        convert(re.sub(r"\\x(?:longequal|rightleftharpoons)(?![a-z])", r"\\xrightarrow", latex))
    except Exception:  # the converter raises many kinds, each of which means the same here
        return False
    return True


def _unbalanced(latex: str) -> bool:
    depth = 0
    for token in TOKEN.findall(latex):
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return True
    return depth != 0 or latex.count(r"\begin{") != latex.count(r"\end{") or latex.count(r"\left") != (
        latex.count(r"\right") - latex.count(r"\rightarrow") - latex.count(r"\rightleftharpoons")
        + latex.count(r"\leftarrow") + latex.count(r"\leftrightarrow")
    )  # fmt: skip
