"""The structure analyser: atoms of one row to nodes, with scripts, limits and nested rows put in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_low

from layout.formulas.atoms import Atom
from layout.formulas.limits import ARROWS, SMALL, limits_of, operators
from layout.formulas.symbols import BIG_OPERATORS, BRACKETS
from layout.formulas.tree import Arrow, Frac, Grid, Node, Row, Script, Sym, row_of
from layout.segments import is_wide
from wholepage.boxes import Box

RAISED, LOWERED = 0.14, 0.05  # of the row's font size: shifts of the baseline that make a script
NEAR_EM = 0.5  # a script stands this close behind its base
PRIMES = frozenset("'′″’")
DEGREES = frozenset("°∘")
CARRIERS = frozenset("∁)]}|∣‖⟩′∞!∂∇ℓ△□°%")


@dataclass(frozen=True, slots=True)
class Item:
    """One node of a row with the atoms that it was made of."""

    node: Node
    atoms: tuple[Atom, ...]
    box: Box

    @property
    def text(self) -> str:
        """The character when the item is a plain one, else an empty string."""
        return self.node.text if isinstance(self.node, Sym) else ""


def node_of(atoms: Sequence[Atom]) -> Node:
    """One node for all atoms of a part of a formula (a numerator, a script, a radicand)."""
    return row_of([item.node for item in items_of(list(atoms))])


def items_of(atoms: Sequence[Atom], size: float | None = None, baseline: float | None = None) -> list[Item]:
    """The row's items from left to right.

    `size` and `baseline` are those of the row's main text; without them they are taken from the largest atoms.
    """
    visible = [a for a in with_limits(atoms) if not (a.text and a.text.isspace())]
    if not visible:
        return []
    if size is None or baseline is None:
        size, baseline = main_level(visible)
    ordered = sorted(visible, key=lambda a: a.ink.x0 + 0.15 * min(a.size, size))
    out: list[Item] = []
    pending: list[Atom] = []
    base: Atom | None = None
    for index, atom in enumerate(ordered):
        level = _level(atom, *_reference(base, atom, size, baseline))
        if level == 0 and atom.text in PRIMES and _is_prime(out, ordered[index + 1 : index + 2]):
            level = 1
        if level == 0:
            if pending:
                _attach(out, pending, atom, size, baseline)
                pending = []
            out.append(Item(atom.node, (atom,), atom.ink))
            base = atom
        else:
            if pending and atom.ink.x0 - max(p.ink.x1 for p in pending) > NEAR_EM * size:
                _attach(out, pending, None, size, baseline)
                pending = []
            pending.append(atom)
    if pending:
        _attach(out, pending, None, size, baseline)
    return out


def _is_prime(before: Sequence[Item], after: Sequence[Atom]) -> bool:
    """Whether a mark behind `before` is a prime: it stands at a lone letter; an apostrophe stands in a word."""

    def letter(text: str) -> bool:
        return len(text) == 1 and text.isascii() and text.isalpha()

    if not before or not (letter(before[-1].text) or isinstance(before[-1].node, Script)):
        return False
    word = (
        len(before) > 1 and letter(before[-2].text) and before[-1].box.x0 - before[-2].box.x1 < 0.2 * _last_size(before)
    )
    goes_on = bool(after) and letter(after[0].text) and after[0].ink.x0 - before[-1].box.x1 < 0.6 * after[0].size
    points = goes_on and all(_is_point(node) for node in (before[-1].node, after[0].node))
    return not (word or (goes_on and not points))


def _is_point(node: Node) -> bool:
    """Whether a letter may name a point: those of D'C' are capitals in italics, in I'm they are not."""
    return isinstance(node, Sym) and node.style == "italic" and node.text.isupper()


def _last_size(items: Sequence[Item]) -> float:
    return items[-1].atoms[0].size


COUNTS = frozenset("mnxyk")  # letters that stand for numbers of atoms
INDEX, ON_LINE = 0.65, 0.03  # font sizes: of an index that stands on the line, how far above it that may stand


def _reference(base: Atom | None, atom: Atom, size: float, baseline: float) -> tuple[float, float]:
    """Font size and baseline that an atom's level is judged by: those of the letter before it, else of the row.

    Letters of another font than the ideographs around them may stand a little higher or lower.
    """
    if base is None or not base.text.isalnum() or is_wide(base.text) or atom.size >= SMALL * base.size:
        return size, baseline
    near = atom.ink.x0 - base.ink.x1 < NEAR_EM * base.size and abs(base.baseline - baseline) < 0.22 * size
    return (base.size, base.baseline) if near and base.size >= SMALL * size else (size, baseline)


def main_level(atoms: Sequence[Atom]) -> tuple[float, float]:
    """Font size and baseline of a row's main text: those of its largest atoms, letters and digits before others."""
    size = max(a.size for a in atoms)
    wide = [a for a in atoms if a.text and is_wide(a.text) and a.text.isalnum()]
    if len(wide) >= 3:
        # In a sentence the ideographs are the line, also where formulas are set in larger type.
        usual = median_low([a.size for a in wide])  # a size that is there: two sizes may be as frequent
        line = median(a.baseline for a in wide if abs(a.size - usual) < 0.1 * usual)
        lowered = line - median(a.baseline for a in atoms if a.size >= SMALL * size) > 0.2 * size
        if usual >= 0.76 * size and not lowered:  # words as subscripts are no line
            return usual, line
    large = [a for a in atoms if a.size >= SMALL * size]
    firm = [a for a in large if isinstance(a.node, Sym) and a.text not in BRACKETS and a.text not in BIG_OPERATORS]
    letters = [a for a in firm if a.text.isalnum()] or firm or large
    return size, _common([a for a in letters if a.glyph.font not in ("", "italic")] or letters, size)


def _common(letters: Sequence[Atom], size: float) -> float:
    """The baseline that most letters stand on; the first letter's where as many stand on another one."""
    ordered = sorted(letters, key=lambda a: a.ink.x0)
    if ordered[0].glyph.font in ("", "italic"):
        return median(a.baseline for a in ordered)
    best: list[float] = []
    for atom in ordered:
        level = [o.baseline for o in ordered if abs(o.baseline - atom.baseline) < 0.1 * size]
        best = level if len(level) > len(best) else best
    return median(best)


def _level(atom: Atom, size: float, baseline: float) -> int:
    """0 on the line, 1 raised, -1 lowered."""
    if isinstance(atom.node, Frac | Grid):
        shift = (baseline - 0.25 * size - atom.axis) / size
        limit = 0.18
        small = True
    else:
        if atom.text in BIG_OPERATORS or (atom.text in BRACKETS and atom.size >= SMALL * size):
            return 0
        shift = (baseline - atom.baseline) / size
        small = atom.size < SMALL * size
        limit = RAISED
    if not small:
        # Letters of one size are scripts only when they clearly leave the line.
        limit = 0.22 if atom.glyph.font not in ("", "italic") else 0.35  # places in images are less exact
        return 0 if abs(shift) < limit else (1 if shift > 0 else -1)
    if shift > limit:
        return 1
    if shift < -(0.18 if isinstance(atom.node, Frac | Grid) else LOWERED):
        return -1
    if atom.text in ("′", "″", "'", "°", "∘"):
        return 1
    # Some writers make an index small and leave it on the line.
    printed = atom.glyph.font not in ("", "italic")
    counts = atom.text.isdigit() or atom.text in COUNTS
    return -1 if printed and counts and atom.size < INDEX * size and shift < ON_LINE else 0


def _attach(out: list[Item], pending: list[Atom], following: Atom | None, size: float, baseline: float) -> None:
    """Give raised and lowered atoms to the item before them, or as pre-scripts to the one that follows."""
    last = out[-1] if out else None
    base = last.atoms[0] if last is not None else None
    lowered = [a for a in pending if _level(a, *_reference(base, a, size, baseline)) < 0]
    raised = [a for a in pending if not any(a is low for low in lowered)]  # primes of full size among them
    degree = _degree(raised, following)
    if degree is not None:
        _attach(out, [a for a in pending if a is not degree], None, size, baseline)
        out.append(Item(Script(None, None, degree.node), (degree,), degree.ink))
        return
    hull = Box.hull(a.ink for a in pending)
    sup = node_of(raised) if raised else None
    sub = node_of(lowered) if lowered else None
    before = hull.x0 - last.box.x1 if last else 1e9
    behind = following.ink.x0 - hull.x1 if following else 1e9
    fits = last is not None and before <= NEAR_EM * size and _can_carry(last)
    ahead = following is not None and behind <= 0.3 * size and following.text.isalpha() and not is_wide(following.text)
    if fits and ahead and (before > behind + 0.1 * size or _is_nuclide(out, raised, lowered, following)):
        fits = False
    if fits and last is not None:
        out[-1] = _scripted(last, sub, sup, tuple(pending))
    elif ahead:
        out.append(Item(Script(None, sub, sup), tuple(pending), hull))
    else:
        # Small print that belongs to no base stays in the line as it is.
        out.extend(Item(a.node, (a,), a.ink) for a in sorted(pending, key=lambda a: a.ink.x0))


def _degree(raised: list[Atom], following: Atom | None) -> Atom | None:
    """The degree sign of ℃ behind an exponent."""
    last = max(raised, key=lambda a: a.ink.x0, default=None)
    celsius = following is not None and following.text == "C" and following.node == Sym("C", "upright")
    return last if celsius and last is not None and len(raised) > 1 and last.text in DEGREES else None


def _is_nuclide(out: list[Item], raised: list[Atom], lowered: list[Atom], following: Atom | None) -> bool:
    """Whether a number of one digit stands before an element that carries its mass number: 5 {}_{92}^{238}U."""
    texts = [i.text for i in out[-2:]]
    count = texts[-1].isdigit() and not (len(texts) > 1 and (texts[0].isdigit() or texts[0] == "."))
    element = following is not None and following.node == Sym(following.text, "upright") and following.text.isupper()
    digits = all(a.text.isdigit() for a in (*raised, *lowered))
    return count and element and digits and len(raised) >= (1 if lowered else 2)


def _can_carry(item: Item) -> bool:
    """Whether scripts can belong to the item: letters, digits, closing brackets, large operators, composites."""
    if not isinstance(item.node, Sym):
        return True
    text = item.node.text
    if is_wide(text):
        return False
    return text.isalnum() or text in BIG_OPERATORS or text in ARROWS or text in CARRIERS


def _scripted(item: Item, sub: Node | None, sup: Node | None, atoms: tuple[Atom, ...]) -> Item:
    base: Node | None = item.node
    if isinstance(item.node, Script):
        # A second script on the same base: what is free takes it, else it joins.
        base = item.node.base
        sub = _both(item.node.sub, sub)
        sup = _both(item.node.sup, sup)
    box = Box.hull([item.box, *(a.ink for a in atoms)])
    return Item(Script(base, sub, sup), (*item.atoms, *atoms), box)


def _both(first: Node | None, second: Node | None) -> Node | None:
    if first is None or second is None:
        return first or second
    return row_of([*(first.items if isinstance(first, Row) else [first]), second])


def with_limits(atoms: Sequence[Atom]) -> list[Atom]:
    """Atoms with what stands right above and below a large operator (∑ ∫ lim max) made its limits."""
    rest = list(atoms)
    for group in operators(atoms):
        rest = limited(group, rest)
    return rest


def limited(group: list[Atom], atoms: list[Atom]) -> list[Atom]:
    """`atoms` with the operator's limits folded into it, where it has any."""
    below, above = limits_of(group, atoms)
    if not below and not above:
        return atoms
    lower, upper = (node_of(part) if part else None for part in (below, above))
    base = row_of([a.node for a in group])
    if len(group) > 1:
        base = Row(tuple(Sym(a.text, "upright") for a in group))
    node: Node = Script(base, lower, upper)
    if group[0].text in ARROWS:
        node = Arrow(upper, lower, ARROWS[group[0].text])
    used = [*group, *below, *above]
    box = Box.hull(a.ink for a in used)
    lead, hull = group[0], Box.hull(a.ink for a in group)
    merged = Atom(node, Box(hull.x0, box.y0, hull.x1, box.y1), lead.baseline, lead.size, lead.glyph)
    return [*(a for a in atoms if not any(a is u for u in used)), merged]
