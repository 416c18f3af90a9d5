"""Fonts of this machine that glyphs are drawn from, each with the characters of the table that it has."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from samples.formulas.katex import katex_folder
from samples.glyphs.classes import Form, mathematical_forms, text_forms

FOLDERS = ("/usr/share/fonts", "/usr/share/texmf/fonts/opentype", "/usr/local/share/fonts")
PACKAGES = {"matplotlib": "mpl-data/fonts/ttf", "ziamath": "fonts"}
# Families by the beginning of their files' names. One design that several files hold counts once.
TEXT = (
    "lmroman10", "lmroman12", "lmroman7", "NimbusRoman", "C059", "P052", "URWBookman", "NimbusSans-", "LiberationSerif",
    "LiberationSans-", "DejaVuSerif", "DejaVuSans", "STIXGeneral", "KaTeX_Main", "KaTeX_Math", "KaTeX_AMS",
)  # fmt: skip
MATH = ("latinmodern-math", "Asana-Math", "texgyre", "STIXTwoMath", "DejaVuMathTeXGyre")
LEFT_OUT = ("Mono", "Condensed", "Display", "caps", "unsl", "demi", "dunh", "ExtraLight")
LAST_ASCII = 127
IDEOGRAPHS = ("NotoSansCJK-Regular", "NotoSerifCJK-Regular", "DroidSansFallback")


@dataclass(frozen=True)
class Font:
    """A font file, the family that its name begins with, and the forms that it has."""

    path: Path
    family: str
    forms: tuple[Form, ...]


def _files() -> Iterator[Path]:
    folders = [Path(f) for f in FOLDERS]
    for package, inner in PACKAGES.items():
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin:
            folders.append(Path(spec.origin).parent / inner)
    if (katex := katex_folder()) is not None:
        folders.append(katex / "fonts")
    for folder in folders:
        if folder.is_dir():
            yield from sorted(p for p in folder.rglob("*") if p.suffix in {".otf", ".ttf", ".ttc"})


@lru_cache(1)
def fonts() -> tuple[Font, ...]:
    """All fonts at hand that hold letters, digits or signs of mathematics; each file name once."""
    out: dict[str, Font] = {}
    for path in _files():
        family = next((f for f in (*MATH, *TEXT) if path.name.startswith(f)), None)
        if family is None or path.name in out or any(word in path.name for word in LEFT_OUT):
            continue
        forms = (*text_forms(), *mathematical_forms()) if family in MATH else text_forms()
        have = _characters(path)
        if family == "KaTeX_AMS":  # its letters are those of number sets
            have = frozenset(c for c in have if c > LAST_ASCII)
        out[path.name] = Font(path, family, tuple(f for f in forms if ord(f.char) in have))
    return tuple(out.values())


@lru_cache(1)
def ideograph_fonts() -> tuple[Path, ...]:
    """Fonts of Chinese type at hand."""
    return tuple(p for p in _files() if p.name.startswith(IDEOGRAPHS))


def _characters(path: Path) -> frozenset[int]:
    from fontTools.ttLib import TTFont

    with TTFont(path, fontNumber=0, lazy=True) as font:
        return frozenset(font.getBestCmap() or {})
