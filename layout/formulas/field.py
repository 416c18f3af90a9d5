"""A page's atoms in bands, so that what is near a place is found quickly, and atoms can be replaced by composites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from layout.formulas.atoms import AXIS, Atom
from layout.formulas.symbols import BIG_OPERATORS, BRACKETS
from layout.formulas.tree import Frac, Grid, Sym
from wholepage.boxes import Box

BAND = 48.0  # px


class Field:
    """Atoms by horizontal band."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._bands: dict[int, dict[int, Atom]] = {}
        self._all: dict[int, Atom] = {}
        self._composites: set[int] = set()
        for atom in atoms:
            self._add(atom)

    def _add(self, atom: Atom) -> None:
        self._all[id(atom)] = atom
        for band in self._range(atom.ink):
            self._bands.setdefault(band, {})[id(atom)] = atom

    @staticmethod
    def _range(box: Box) -> range:
        return range(int(box.y0 // BAND), int(box.y1 // BAND) + 1)

    def all(self) -> list[Atom]:
        """Every atom of the page."""
        return list(self._all.values())

    def near(self, box: Box) -> list[Atom]:
        """Atoms whose ink meets `box`."""
        found: dict[int, Atom] = {}
        for band in self._range(box):
            for key, atom in self._bands.get(band, {}).items():
                ink = atom.ink
                if ink.x0 <= box.x1 and ink.x1 >= box.x0 and ink.y0 <= box.y1 and ink.y1 >= box.y0:
                    found[key] = atom
        return list(found.values())

    def replace(self, gone: Sequence[Atom], new: Atom) -> Atom:
        """Put `new` in the place of `gone`."""
        for atom in gone:
            self._all.pop(id(atom), None)
            for band in self._range(atom.ink):
                self._bands.get(band, {}).pop(id(atom), None)
        self._add(new)
        self._composites.add(id(new))
        return new

    def is_composite(self, atom: Atom) -> bool:
        """Whether the atom was made here out of others."""
        return id(atom) in self._composites

    def line_of(self, atom: Atom) -> tuple[float, float]:
        """Font size and baseline of the line that a composite stands in, from its neighbours left and right.

        A neighbour counts when its axis runs through the composite's; else the composite is a line of its own, or a
        script, whose size is its own text's.
        """
        reach = Box(atom.ink.x0 - 2.2 * atom.size, atom.ink.y0, atom.ink.x1 + 2.2 * atom.size, atom.ink.y1)
        best: list[tuple[float, Atom]] = []
        for other in self.near(reach):
            if other is atom or not isinstance(other.node, Sym) or other.size < 0.95 * atom.size:
                continue
            gap = max(atom.ink.x0 - other.ink.x1, other.ink.x0 - atom.ink.x1)
            off = abs(other.axis - atom.axis) if not self._on_line(atom) else abs(other.baseline - atom.baseline)
            limit = 0.22 if not self._on_line(atom) else 0.1
            if gap >= -0.2 * atom.size and off < limit * max(other.size, atom.size) and other.size < 1.7 * atom.size:
                best.append((gap, other))
        if not best:
            return atom.size, atom.baseline
        best.sort(key=lambda pair: pair[0])
        nearest = [o for _, o in best[:3]]
        size = max(o.size for o in nearest)
        return size, median(o.baseline for o in nearest if o.size > 0.9 * size)

    @staticmethod
    def _on_line(atom: Atom) -> bool:
        """Whether the composite's own baseline is known (a radical's, an overline's), not only its axis."""
        return abs(atom.axis - (atom.glyph.baseline or 0.0) + AXIS * atom.size) < 0.01 and not _by_axis(atom)


def _by_axis(atom: Atom) -> bool:
    return isinstance(atom.node, Frac | Grid) or atom.text in BRACKETS or atom.text in BIG_OPERATORS
