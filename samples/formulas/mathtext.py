"""Sheets of formulas set by matplotlib's mathtext: Computer Modern, STIX or DejaVu glyphs, as Type 3 or Type 42.

Mathtext knows no matrices, cases, aligned lines, conditions over arrows and Chinese words: `can_set` says which
formulas it takes. Sheets must be English.
"""

from __future__ import annotations

import importlib
import io
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from samples.formulas.latex import to_latex
from samples.formulas.marks import Mark, Pages
from samples.formulas.sheets import Block, Display, Options, Sentence, Sheet
from samples.formulas.tree import Accent, Arrow, Grid, Node, Text, walk
from wholepage.errors import MissingExtraError

FontSet = Literal["cm", "stix", "dejavuserif"]
WORD_FONTS: dict[FontSet, str] = {"cm": "cmr10", "stix": "STIXGeneral", "dejavuserif": "DejaVu Serif"}
WIDTH, HEIGHT, LEFT, TOP = 595.0, 842.0, 57.0, 55.0  # A4 and its margins, points
SIZE = 11.0
GAP = 7.0  # between lines of blocks, points


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words, or a formula when `index` is not None; sizes in points above and below the baseline."""

    text: str
    index: int | None
    width: float
    ascent: float
    descent: float


def mathtext_at_hand() -> bool:
    """Whether matplotlib is installed."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        return False
    return True


def printed(formula: Node) -> str:
    """The formula for mathtext, between dollar signs, its outermost fractions in full size."""
    latex, out, depth = to_latex(formula), "", 0
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", latex):
        depth += {"{": 1, "}": -1}.get(token, 0)
        out += r"\dfrac" if token == r"\frac" and depth == 0 else token
    return f"${out}$"


def can_set(formula: Node, fonts: FontSet) -> bool:
    """Whether mathtext has the constructs and glyphs of `formula`."""
    if any(isinstance(n, Grid | Arrow | Text) or _is_long_accent(n) for n in walk(formula)):
        return False
    watcher = _Watcher()
    logger = logging.getLogger("matplotlib.mathtext")
    logger.addHandler(watcher)
    try:
        _measure(printed(formula), None, fonts)
    except ValueError:
        return False
    finally:
        logger.removeHandler(watcher)
    return not watcher.heard


def _is_long_accent(node: Node) -> bool:
    r"""Mathtext sets `\overrightarrow` no wider than one letter."""
    return isinstance(node, Accent) and node.sign == r"\overrightarrow"


class _Watcher(logging.Handler):
    """Hears the warnings about glyphs that a font lacks."""

    heard = False

    def emit(self, record: logging.LogRecord) -> None:
        self.heard = self.heard or record.levelno >= logging.WARNING


@lru_cache(1)
def _matplotlib() -> Any:
    try:
        return importlib.import_module("matplotlib")
    except ImportError as error:
        raise MissingExtraError.for_extra("samples", "matplotlib") from error


def _settings(fonts: FontSet) -> dict[str, object]:
    return {
        "mathtext.fontset": fonts,
        "font.family": WORD_FONTS[fonts],
        "pdf.fonttype": 42 if fonts == "stix" else 3,
        "axes.unicode_minus": False,
    }


def _measure(text: str, index: int | None, fonts: FontSet) -> Piece:
    _matplotlib()
    path = importlib.import_module("matplotlib.textpath").TextToPath()
    properties = importlib.import_module("matplotlib.font_manager").FontProperties(
        family=WORD_FONTS[fonts], size=SIZE, math_fontfamily=fonts
    )
    width, height, descent = path.get_text_width_height_descent(
        text.strip(" "), properties, ismath=text.startswith("$")
    )
    # Measured without its outer blanks, each of which is a third of the size.
    blanks = len(text) - len(text.strip(" "))
    return Piece(text, index, float(width) + blanks * SIZE / 3, float(height - descent), float(descent))


def mathtext_pages(sheets: Sequence[Sheet], formulas: Sequence[Node], fonts: FontSet = "cm") -> Pages:
    """English sheets on A4 pages, with the place of each formula; what does not fit goes to the next page."""
    pages: list[list[tuple[float, float, Piece]]] = []
    for sheet in sheets:
        y = HEIGHT
        for number, block in enumerate(sheet.blocks, 1):
            for line in _lines(block, f"{number}. ", formulas, fonts):
                above, below = (max(getattr(p, name) for _, p in line) for name in ("ascent", "descent"))
                if y + above + below + TOP > HEIGHT:
                    pages.append([])
                    y = TOP
                pages[-1] += [(x, y + above, piece) for x, piece in line]
                y += above + below + GAP
            y += GAP if y < HEIGHT else 0
    return _draw(pages, fonts)


def _lines(block: Block, number: str, formulas: Sequence[Node], fonts: FontSet) -> Iterator[list[tuple[float, Piece]]]:
    """Lines of a block: pieces with their left edges."""

    def piece(part: str | int) -> Piece:
        return _measure(part, None, fonts) if isinstance(part, str) else _measure(printed(formulas[part]), part, fonts)

    if isinstance(block, Sentence):
        pieces = [piece(p) for p in _split((number + str(block.parts[0]), *block.parts[1:]))]
        yield from _wrap(pieces)
        return
    yield [(LEFT, piece(number + block.words))]
    if isinstance(block, Display):
        made = piece(block.formula)
        yield [((WIDTH - made.width) / 2, made)]
        return
    labels = [f"{c}. " for c in "ABCD"] if isinstance(block, Options) else [f"({i}) " for i in range(1, 9)]
    pairs = [(piece(label), piece(i)) for label, i in zip(labels, block.formulas, strict=False)]
    step = (WIDTH - 2 * LEFT) / 2
    for start in range(0, len(pairs), 2):
        line: list[tuple[float, Piece]] = []
        for column, (label, formula) in enumerate(pairs[start : start + 2]):
            x = LEFT + 16 + column * step
            line += [(x, label), (x + label.width, formula)]
        yield line


def _split(parts: Sequence[str | int]) -> Iterator[str | int]:
    """Words one by one with their blanks, so that lines can break between them."""
    for part in parts:
        if isinstance(part, int):
            yield part
        else:
            yield from re.findall(r"\s*\S+\s*$|\s*\S+(?=\s)", part)


def _wrap(pieces: Sequence[Piece]) -> Iterator[list[tuple[float, Piece]]]:
    x, line = LEFT, list[tuple[float, Piece]]()
    for made in pieces:
        if line and x + made.width > WIDTH - LEFT:
            yield line
            x, line = LEFT, []
        line.append((x, made))
        x += made.width
    yield line


def _draw(pages: Sequence[Sequence[tuple[float, float, Piece]]], fonts: FontSet) -> Pages:
    matplotlib = _matplotlib()
    backend = importlib.import_module("matplotlib.backends.backend_pdf")
    figures = importlib.import_module("matplotlib.figure")
    out, marks = io.BytesIO(), []
    with matplotlib.rc_context(_settings(fonts)), backend.PdfPages(out, metadata={"CreationDate": None}) as pdf:
        for number, items in enumerate(pages):
            figure = figures.Figure(figsize=(WIDTH / 72, HEIGHT / 72))
            for x, y, made in items:
                # Leading blanks would not be drawn, so they move the text.
                shift = (len(made.text) - len(made.text.lstrip(" "))) * SIZE / 3
                text = made.text.strip(" ")
                figure.text((x + shift) / WIDTH, 1 - y / HEIGHT, text, size=SIZE, va="baseline", ha="left")
                if made.index is not None:
                    box = (x, y - made.ascent, x + made.width, y + made.descent)
                    marks.append(Mark(made.index, number, box))
            pdf.savefig(figure)
    return Pages(out.getvalue(), tuple(sorted(marks, key=lambda m: m.index)))
