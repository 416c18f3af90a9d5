"""Sheets of formulas set by KaTeX in headless Chromium: another typesetter, other fonts, another PDF writer (Skia).

KaTeX is looked for in the folder that WHOLEPAGE_KATEX names, in `node_modules/katex/dist` (npm install katex) and in
Debian's libjs-katex; Chromium on the PATH. Nothing of either is downloaded.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from samples.formulas.latex import to_latex
from samples.formulas.marks import Pages, link, take_marks
from samples.formulas.sheets import Block, Display, Options, Sentence, Sheet
from samples.formulas.tree import Node
from wholepage.errors import WholepageError

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--allow-file-access-from-files",
    "--no-pdf-header-footer", "--virtual-time-budget=20000",
)  # fmt: skip
LIMIT_S = 120
CSS = """
@page { size: 210mm 297mm; margin: 18mm 20mm }
body { font: 10.5pt/1.7 "Times New Roman", "Liberation Serif", "Noto Serif CJK SC", serif; margin: 0 }
section { break-after: page } a { color: inherit; text-decoration: none; display: inline-block }
p { margin: 0.35em 0 } .d { text-align: center } .katex { font-size: 1.08em }
table { border-collapse: collapse; margin: 0.4em auto } td { border: 0.5pt solid; padding: 4pt 8pt; text-align: center }
.o { display: grid; padding-left: 1.5em; align-items: center }
"""
SCRIPT = """
for (const a of document.querySelectorAll("a"))
  katex.render(a.dataset.tex, a, {strict: "ignore", throwOnError: true, output: "html"});
"""
SLANTED = {r"\le": r"\leqslant", r"\ge": r"\geqslant"}


class KatexMissingError(WholepageError):
    """KaTeX or Chromium is not at hand."""

    default_code = "samples.katex_missing"


@lru_cache(1)
def katex_folder() -> Path | None:
    """The folder with katex.min.js and katex.min.css, None when there is none."""
    named = os.environ.get("WHOLEPAGE_KATEX")
    places = ([Path(named)] if named else []) + [
        Path("node_modules/katex/dist"),
        Path("/usr/share/javascript/katex"),
        Path("/usr/share/nodejs/katex/dist"),
    ]
    return next((p.resolve() for p in places if (p / "katex.min.js").is_file()), None)


@lru_cache(1)
def browser() -> str | None:
    """The Chromium on the PATH, None when there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def katex_at_hand() -> bool:
    """Whether `katex_pages` can work here."""
    return katex_folder() is not None and browser() is not None


def katex_pages(sheets: Sequence[Sheet], formulas: Sequence[Node]) -> Pages:
    """The sheets on A4 pages, with the place of each formula.

    Raises:
        KatexMissingError: KaTeX or Chromium is not at hand, or Chromium failed.
    """
    folder, program = katex_folder(), browser()
    if folder is None or program is None:
        raise KatexMissingError("KaTeX or Chromium is not installed.", hint="npm install katex; apt install chromium")
    with tempfile.TemporaryDirectory(prefix="wholepage-katex-") as name:
        page, pdf = Path(name) / "page.html", Path(name) / "page.pdf"
        page.write_text(_document(sheets, formulas, folder), encoding="utf-8")
        command = [program, *FLAGS, f"--user-data-dir={name}/profile", f"--print-to-pdf={pdf}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if not pdf.is_file():
            raise KatexMissingError(f"Chromium wrote no PDF: {done.stderr[-500:]}", hint="Run it by hand to see why.")
        return take_marks(pdf.read_bytes())


def printed(formula: Node) -> str:
    r"""LaTeX as KaTeX shall print it: display style, and `\leqslant` as Chinese papers have it."""
    return r"\displaystyle " + re.sub(r"\\[lg]e(?![a-z])", lambda m: SLANTED[m.group()], to_latex(formula))


def _document(sheets: Sequence[Sheet], formulas: Sequence[Node], folder: Path) -> str:
    written = [f'<a href="{link(i)}" data-tex="{html.escape(printed(f))}"></a>' for i, f in enumerate(formulas)]
    body = "".join(_sheet(sheet, written) for sheet in sheets)
    head = f'<meta charset="utf-8"><link rel="stylesheet" href="{(folder / "katex.min.css").as_uri()}">'
    library = f'<script src="{(folder / "katex.min.js").as_uri()}"></script>'
    return f"<!doctype html><html><head>{head}<style>{CSS}</style></head><body>{body}{library}<script>{SCRIPT}</script>"


def _sheet(sheet: Sheet, written: Sequence[str]) -> str:
    dot = "．" if sheet.language == "zh" else ". "
    blocks = "".join(_block(block, f"{n}{dot}", written) for n, block in enumerate(sheet.blocks, 1))
    return f'<section lang="{sheet.language}">{blocks}</section>'


def _block(block: Block, number: str, written: Sequence[str]) -> str:
    if isinstance(block, Sentence):
        return f"<p>{number}{''.join(html.escape(p) if isinstance(p, str) else written[p] for p in block.parts)}</p>"
    if isinstance(block, Display):
        return f'<p>{number}{html.escape(block.words)}</p><p class="d">{written[block.formula]}</p>'
    if isinstance(block, Options):
        cells = "".join(f"<div>{c}．{written[i]}</div>" for c, i in zip("ABCD", block.formulas, strict=True))
        columns = 4 if all(len(written[i]) < 90 for i in block.formulas) else 2
        grid = f'<div class="o" style="grid-template-columns: repeat({columns}, 1fr)">{cells}</div>'
        return f"<p>{number}{html.escape(block.words)}</p>{grid}"
    heads = "".join(f"<td>{html.escape(head)}</td>" for head in block.heads)
    cells = "".join(f"<td>{written[i]}</td>" for i in block.formulas)
    return f"<p>{number}{html.escape(block.words)}</p><table><tr>{heads}</tr><tr><td>1</td>{cells}</tr></table>"
