r"""How close formulas that a reader found are to the true ones: normal forms, similarity, and pairing by place.

The normal form drops what prints alike: blanks, braces, the caret of a prime, `\mathrm` and other style commands,
`\left` and `\right`; synonyms (`\leqslant`, `\vec` for `\overrightarrow`) and Unicode signs become one command.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from layout.types import Line, PageLayout
from wholepage.boxes import Box

SPAN = re.compile(r"\$\$?([^$]+)\$?\$")
DROPPED = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|limits|nolimits|quad|qquad|mathrm|mathbf|mathit|text|operatorname"
    r"|textrm|boldsymbol|bm)(?![A-Za-z])|(?<!\\)\\[,;:!]"
)
SYNONYMS = {
    r"\leqslant": r"\le",
    r"\leq": r"\le",
    r"\geqslant": r"\ge",
    r"\geq": r"\ge",
    r"\neq": r"\ne",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\mid": "|",
    r"\vert": "|",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\rightarrow": r"\to",
    r"\ast": "*",
    r"\cdots": "...",
    r"\ldots": "...",
    r"\dots": "...",
    r"\overrightarrow": r"\vec",
    r"\bar": r"\overline",
    r"\varnothing": r"\emptyset",
    r"\prime": "'",
    r"\degree": r"^\circ",
    r"\complement": r"\partial",
    r"\widehat": r"\hat",
}
_SIGNS = r"""
≤ \le ≥ \ge ⩽ \le ⩾ \ge ≠ \ne × \times ÷ \div ± \pm ∓ \mp ∈ \in ∉ \notin ∩ \cap ∪ \cup ⊂ \subset ⊆ \subseteq
∞ \infty ∠ \angle ⊥ \perp ∥ \parallel △ \triangle ° ^\circ → \to · \cdot ∑ \sum ∫ \int √ \sqrt ∅ \emptyset
⇌ \rightleftharpoons ≈ \approx ∵ \because ∴ \therefore − - ⋯ ... … ... ′ '
π \pi α \alpha β \beta γ \gamma δ \delta θ \theta λ \lambda μ \mu ω \omega φ \varphi ϕ \phi ρ \rho σ \sigma Δ \Delta
Ω \Omega η \eta τ \tau ν \nu ε \varepsilon
"""
UNICODE = dict(zip(_SIGNS.split()[::2], _SIGNS.split()[1::2], strict=True))
FULL_WIDTH = str.maketrans("（），。：；！？【】“”‘’．、－—～", "(),.:;!?[]\"\"''.,--~")
NEAR = 0.3  # share of the narrower extent that a found formula must share with the true one's place


def normal(latex: str) -> str:
    """The normal form of a formula (see the module); two formulas that print alike have the same."""
    text = unicodedata.normalize("NFKC", latex)
    for sign, command in UNICODE.items():
        text = text.replace(sign, command + " " if "\\" in command else command)
    text = DROPPED.sub(" ", text)
    text = re.sub(r"\\[A-Za-z]+", lambda m: SYNONYMS.get(m.group(), m.group()), text)
    return re.sub(r"[\s{}~]+", "", text.translate(FULL_WIDTH)).replace("^'", "'").strip(".,;:")


def similarity(found: str, true: str) -> float:
    """1 − normalised edit distance of the normal forms."""
    return float(Levenshtein.normalized_similarity(normal(found), normal(true)))


@dataclass(frozen=True, slots=True)
class Found:
    """A formula that a reader gave, and the box (pixels) that it stands in."""

    latex: str
    box: Box


@dataclass(frozen=True, slots=True)
class Wanted:
    """A true formula in canonical LaTeX and its place in pixels."""

    latex: str
    box: Box


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of one true formula: "" with `found` false when no formula was given at its place."""

    latex: str
    found: bool
    exact: bool
    canonical: bool  # the very string, blanks aside
    similarity: float


def found_formulas(page: PageLayout) -> list[Found]:
    """Everything between dollar signs on the page: in lines, and in table cells whose table has no line with any."""
    out = [found for line in page.lines for found in _of_line(line)]
    for number, table in enumerate(page.tables):
        if any(line.table == number and "$" in line.text for line in page.lines):
            continue
        out += [Found(latex, table.box) for row in table.rows for cell in row for latex in SPAN.findall(cell)]
    return out


def _of_line(line: Line) -> Iterable[Found]:
    ends: list[int] = []
    for glyph in line.glyphs:
        ends.append((ends[-1] if ends else 0) + len(glyph.text))
    whole = not ends or ends[-1] != len(line.text)
    for match in SPAN.finditer(line.text):
        inside = [
            glyph.box
            for glyph, end in zip(line.glyphs, ends, strict=True)
            if end > match.start() and end - len(glyph.text) < match.end()
        ]
        yield Found(match.group(1), line.box if whole or not inside else Box.hull(inside))


def is_near(found: Box, true: Box) -> bool:
    """Whether the boxes share a good part of the narrower extent both ways."""
    wide = found.x_overlap(true) >= NEAR * min(found.width, true.width)
    across = min(found.y1, true.y1) - max(found.y0, true.y0)
    return wide and across >= NEAR * min(found.height, true.height)


def pair(wanted: Sequence[Wanted], found: Sequence[Found]) -> tuple[list[Outcome], int]:
    """The outcome of each true formula, and how many found formulas belong to none.

    The most similar pairs are made first; each found formula serves once.
    """
    scored = sorted(
        (
            (similarity(f.latex, w.latex), -i, -j)
            for i, w in enumerate(wanted)
            for j, f in enumerate(found)
            if is_near(f.box, w.box)
        ),
        reverse=True,
    )
    chosen: dict[int, int] = {}
    for _, i, j in scored:
        if -i not in chosen and -j not in chosen.values():
            chosen[-i] = -j
    outcomes = [
        judge(found[chosen[i]].latex, w.latex) if i in chosen else Outcome("", False, False, False, 0.0)
        for i, w in enumerate(wanted)
    ]
    return outcomes, len(found) - len(chosen)


def judge(found: str, true: str) -> Outcome:
    """The outcome of a formula read as `found` that is `true`."""
    close = similarity(found, true)
    exact = normal(found) == normal(true)
    return Outcome(found, True, exact, re.sub(r"\s", "", found) == re.sub(r"\s", "", true), close)
