"""Formulas on typst pages with a true text layer: one formula a page, or sheets with the place of each."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from samples.formulas.marks import Pages, link, take_marks
from samples.formulas.sheets import Block, Display, Options, Sentence, Sheet
from samples.formulas.tree import Node
from samples.formulas.typst import DEFINITIONS, quoted, to_typst
from samples.typeset import cjk_font
from wholepage.errors import MissingExtraError, WholepageError

FAMILIES: dict[str, str] = {
    "ncm": "New Computer Modern Math",  # embedded in typst
    "stix": "STIX Two Math",  # in the package ziamath
    "dejavu": "DejaVu Math TeX Gyre",  # Debian: fonts-dejavu-extra
    "termes": "TeX Gyre Termes Math",  # Debian: fonts-texgyre-math
    "pagella": "TeX Gyre Pagella Math",
    "latinmodern": "Latin Modern Math",  # Debian: fonts-lmodern
    "asana": "Asana Math",  # Debian: fonts-oflb-asana-math
}
TEXT_FONTS = {"ncm": "New Computer Modern", "latinmodern": "New Computer Modern"}
SNUG = "width: auto, height: auto, margin: 12pt"
A4 = "width: 210mm, height: 297mm, margin: (x: 20mm, y: 18mm)"


class FamilyMissingError(WholepageError):
    """The math font asked for is not on this machine."""

    default_code = "samples.math_font_missing"


@dataclass(frozen=True, slots=True)
class Style:
    """How a page prints formulas. `family` is a key of `FAMILIES`, `size` in points (Chinese papers: 10.5)."""

    family: str = "ncm"
    size: float = 10.5
    display: bool = True  # bounds above and below, full-size fractions also in sentences, as in Chinese papers
    slanted: bool = True  # ⩽ rather than ≤, as Chinese papers print


@lru_cache(1)
def font_folders() -> tuple[str, ...]:
    """Folders of packages that bring math fonts."""
    spec = importlib.util.find_spec("ziamath")
    return (str(Path(spec.origin).parent / "fonts"),) if spec is not None and spec.origin else ()


@lru_cache(1)
def families() -> tuple[str, ...]:
    """Keys of `FAMILIES` whose font this machine has, in that order."""
    have = set(_typst().Fonts(font_paths=list(font_folders())).families())
    return tuple(key for key, name in FAMILIES.items() if name in have)


@lru_cache(1)
def _compiler() -> Any:
    return _typst().Compiler(font_paths=list(font_folders()))


def _typst() -> Any:
    try:
        return importlib.import_module("typst")
    except ImportError as error:
        raise MissingExtraError.for_extra("samples", "typst") from error


def compile_typst(source: str) -> bytes:
    """PDF of a typst source."""
    return bytes(_compiler().compile(source.encode(), timestamp=0))


def preamble(style: Style, page: str) -> str:
    """Page and font settings; `page` are the arguments of typst's `page`.

    Raises:
        FamilyMissingError: the font of `style` is not on this machine.
    """
    if style.family not in families():
        raise FamilyMissingError(
            f"The math font {FAMILIES.get(style.family, style.family)} is not installed.",
            hint=f"Use one of {', '.join(families())}, or install it (the package ziamath brings STIX Two Math).",
        )
    cjk = cjk_font()
    chinese = "" if cjk is None else f', "{cjk}"'
    text = TEXT_FONTS.get(style.family, "Libertinus Serif")
    return DEFINITIONS + "\n".join(
        (
            f"#set page({page})",
            f'#set text(size: {style.size}pt, lang: "zh", font: ("{text}"{chinese}))',
            f'#show math.equation: set text(font: ("{FAMILIES[style.family]}"{chinese}))',
            "#set par(leading: 0.9em, spacing: 1.15em)",
            "",
        )
    )


def markup(formula: Node, style: Style) -> str:
    """Typst of `formula` in `style`, with dollar signs."""
    text = to_typst(formula)
    if style.slanted:
        text = text.replace("lt.eq", "lt.eq.slant").replace("gt.eq", "gt.eq.slant")
    return f"$display({text})$" if style.display else f"${text}$"


def formulas_pdf(formulas: Sequence[Node], style: Style | None = None) -> bytes:
    """Each formula alone on a page that fits it, in order."""
    style = style or Style()
    return compile_typst(preamble(style, SNUG) + "\n#pagebreak()\n".join(markup(f, style) for f in formulas))


def typst_pages(sheets: Sequence[Sheet], formulas: Sequence[Node], style: Style | None = None) -> Pages:
    """The sheets on A4 pages, with the place of each formula; a full sheet may run over to another page."""
    style = style or Style()
    # Without leading a box is as high as its formula; else typst lets tall formulas stick out of table cells.
    written = [
        f'#link("{link(i)}", box[#set par(leading: 0pt);{markup(formula, style)}])'
        for i, formula in enumerate(formulas)
    ]
    return _set(sheets, written, style)


def plain_pages(sheets: Sequence[Sheet], words: Sequence[str], style: Style | None = None) -> Pages:
    """The same sheets with plain words in the place of each formula: what a page costs without formulas."""
    return _set(sheets, [f"#{quoted(word)}" for word in words], style or Style())


def _set(sheets: Sequence[Sheet], written: Sequence[str], style: Style) -> Pages:
    bodies = []
    for sheet in sheets:
        parts = []
        for number, block in enumerate(sheet.blocks, 1):
            dot = "．" if sheet.language == "zh" else ". "
            parts.append(_block(block, f"{number}{dot}", written))
        bodies.append("\n\n".join(parts))
    return take_marks(compile_typst(preamble(style, A4) + "\n#pagebreak()\n".join(bodies)))


def _words(text: str) -> str:
    return f"#{quoted(text)}"


def _block(block: Block, number: str, written: Sequence[str]) -> str:
    if isinstance(block, Sentence):
        return _words(number) + "".join(_words(p) if isinstance(p, str) else written[p] for p in block.parts)
    if isinstance(block, Display):
        body = written[block.formula]
        return f"{_words(number + block.words)}\n#align(center)[{body}]"
    if isinstance(block, Options):
        labelled = ", ".join(f"[{_words(f'{c}．')}{written[i]}]" for c, i in zip("ABCD", block.formulas, strict=True))
        columns = 4 if all(len(written[i]) < 110 for i in block.formulas) else 2
        grid = f"#block(inset: (left: 1.5em))[#grid(columns: (1fr,) * {columns}, row-gutter: 1em, {labelled})]"
        return f"{_words(number + block.words)}\n{grid}"
    cells = ", ".join(f"[{c}]" for c in (*map(_words, block.heads), _words("1"), *(written[i] for i in block.formulas)))
    table = f"#table(columns: {len(block.heads)}, stroke: 0.5pt, inset: 6pt, align: center + horizon, {cells})"
    return f"{_words(number + block.words)}\n#align(center)[{table}]"
