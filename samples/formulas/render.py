"""Formulas on pages: typst pages with a true text layer, one formula a page or many in sentences."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from samples.formulas.tree import Node
from samples.formulas.typst import DEFINITIONS, to_typst
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
TEXT_FONT = {"ncm": "New Computer Modern", "latinmodern": "New Computer Modern"}
LEAST_SIZE, USUAL_SIZE = 9.0, 10.5  # points; Chinese papers are set in 10.5 (五号)


class FamilyMissingError(WholepageError):
    """The math font asked for is not on this machine."""

    default_code = "samples.math_font_missing"


@dataclass(frozen=True, slots=True)
class Style:
    """How a page prints formulas. `family` is a key of `FAMILIES`, `size` in points."""

    family: str = "ncm"
    size: float = USUAL_SIZE
    display: bool = False  # big operators with bounds above and below, full-size fractions
    slanted: bool = True  # ⩽ rather than ≤, as Chinese papers print


@lru_cache(1)
def font_folders() -> tuple[str, ...]:
    """Folders of packages that bring math fonts."""
    try:
        return (str(Path(str(importlib.import_module("ziamath").__file__)).parent / "fonts"),)
    except ImportError:
        return ()


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
    """Page and font settings; `page` are the arguments of typst's `page`."""
    if style.family not in families():
        raise FamilyMissingError(
            f"The math font {FAMILIES.get(style.family, style.family)} is not installed.",
            hint=f"Use one of {', '.join(families())}, or install it (ziamath brings STIX Two Math).",
        )
    cjk = cjk_font()
    chinese = "" if cjk is None else f', "{cjk}"'
    text = TEXT_FONT.get(style.family, "Libertinus Serif")
    lines = [
        f"#set page({page})",
        f'#set text(size: {style.size}pt, lang: "zh", font: ("{text}"{chinese}))',
        f'#show math.equation: set text(font: ("{FAMILIES[style.family]}"{chinese}))',
    ]
    return DEFINITIONS + "\n".join(lines) + "\n"


def markup(formula: Node, style: Style) -> str:
    """Typst math of `formula` in `style`, without dollar signs."""
    text = to_typst(formula)
    if style.slanted:
        text = text.replace("lt.eq", "lt.eq.slant").replace("gt.eq", "gt.eq.slant")
    return f"display({text})" if style.display else text


def formula_pdf(formula: Node, style: Style | None = None) -> bytes:
    """One formula alone on a page that fits it."""
    style = style or Style()
    return compile_typst(preamble(style, "width: auto, height: auto, margin: 12pt") + f"${markup(formula, style)}$\n")


def formulas_pdf(formulas: Sequence[Node], style: Style | None = None) -> bytes:
    """Each formula alone on its own page, in order."""
    style = style or Style()
    body = "\n#pagebreak()\n".join(f"${markup(f, style)}$" for f in formulas)
    return compile_typst(preamble(style, "width: auto, height: auto, margin: 12pt") + body)
