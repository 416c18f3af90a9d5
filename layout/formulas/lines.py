"""A line of print with its formulas written out: plain glyphs stay, each formula becomes one glyph `$…$`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layout.formulas.atoms import FormulaGlyph, atom_of
from layout.formulas.chemistry import with_substances
from layout.formulas.latex import to_latex
from layout.formulas.spans import find_spans
from layout.formulas.structure import Item, items_of
from layout.formulas.symbols import RELATIONS
from layout.formulas.tree import plain, row_of
from layout.segments import is_wide
from layout.types import Glyph
from wholepage.boxes import Box

WIDE_GAP = "\u2003"  # em space: a gap that separates options, not words
WIDE_GAP_EM = 1.6
SPACE_EM = 0.25
CLOSING = ",.;:，。；：、）)】”"
FORMULA_FONT = "#formula"
LONGEST_GROUP = 9  # characters in the brackets of a formula of a substance


def write_glyphs(groups: Sequence[Sequence[Glyph]], blanks: Sequence[Glyph], em: float) -> list[Glyph]:
    """The line's glyphs from left to right with white space and formulas.

    Args:
        groups: visible glyphs of one row, composites of `containers.assemble` among them, by writing line.
        blanks: white space that the source itself holds.
        em: font size of the row in px.
    """
    atoms = [[atom_of(glyph) for glyph in narrowed(group)] for group in groups]
    items = sorted((item for group in atoms for item in items_of(group)), key=lambda i: i.box.x0)
    gaps = [_gap(items[n - 1] if n else None, item, em, blanks) for n, item in enumerate(items)]
    out: list[Glyph] = []
    position = 0
    for start, stop in [*find_spans(items, gaps), (len(items), len(items))]:
        for n in range(position, start):
            _append(out, [g for a in items[n].atoms for g in (_flat(a.glyph),)], gaps[n], em)
        if start < stop:
            _append(out, [formula_glyph(items[start:stop])], gaps[start], em)
        position = stop
    return out


def narrowed(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Full-width brackets inside the name of a substance as plain ones: Cr（OH）₃, Fe₂（SO₄）₃."""
    out = sorted(glyphs, key=lambda g: g.box.x0)
    for n, glyph in enumerate(out):
        if glyph.text != "（" or not n or not _letter_or_digit(out[n - 1]):
            continue
        stop = next((k for k in range(n + 1, min(n + LONGEST_GROUP, len(out))) if not _letter_or_digit(out[k])), n)
        if out[stop].text != "）" or stop < n + 2 or stop + 1 == len(out):
            continue
        behind = out[stop + 1]
        if behind.size < 0.75 * glyph.size and behind.text.isdigit() and out[n + 1].text.isupper():
            out[n], out[stop] = replace(glyph, text="("), replace(out[stop], text=")")
    return out


def _letter_or_digit(glyph: Glyph) -> bool:
    return not isinstance(glyph, FormulaGlyph) and glyph.text.isascii() and glyph.text.isalnum()


def formula_glyph(items: Sequence[Item]) -> FormulaGlyph:
    """One glyph for a formula: its LaTeX between dollar signs."""
    node = row_of([item.node for item in items])
    first = items[0].atoms[0]
    if first.glyph.font in ("", "italic"):
        node = with_substances(node)
    confidences = [a.glyph.confidence for item in items for a in item.atoms]
    box = Box.hull(item.box for item in items)
    anchor = next((i.box.x0 for i in items if i.text and i.text in RELATIONS), 0.0)
    # One character misread spoils a formula: of those from page images that hold one below 0.7 half are wrong, of the
    # others one in eight; the mean over the characters tells them apart far less.
    certainty = min(confidences)
    return FormulaGlyph(f"${to_latex(node)}$", box, first.size, FORMULA_FONT, certainty, first.baseline, node, anchor)


def _flat(glyph: Glyph) -> Glyph:
    r"""What stays outside of formulas: a composite as its plain characters, a dollar sign as `\$`."""
    if glyph.text != "$" and not isinstance(glyph, FormulaGlyph):
        return glyph
    text = plain(glyph.node) if isinstance(glyph, FormulaGlyph) else glyph.text
    text = text.replace("$", r"\$")
    return Glyph(text, glyph.box, glyph.size, glyph.font, glyph.confidence, glyph.baseline)


def _append(out: list[Glyph], glyphs: list[Glyph], gap: str, em: float) -> None:
    if gap and out and glyphs:
        left = out[-1].box.x1
        box = Box.of((left, out[-1].box.y0, max(left, glyphs[0].box.x0), out[-1].box.y1))
        out.append(Glyph(gap, box, em, "", 1.0, out[-1].baseline))
    out.extend(glyphs)


def _gap(last: Item | None, item: Item, em: float, blanks: Sequence[Glyph]) -> str:
    """White space printed before an item: none, a space or a wide gap."""
    if last is None:
        return ""
    left, x0 = last.box.x1, item.box.x0
    last_text = last.text or "x"
    text = item.text or "x"
    width = x0 - left
    if width > WIDE_GAP_EM * em:
        return WIDE_GAP
    if any(left - 0.1 * em <= b.box.cx <= x0 + 0.1 * em for b in blanks):
        return " "
    if is_wide(last_text) or is_wide(text) or text in CLOSING or width <= SPACE_EM * em:
        return ""
    return " "
