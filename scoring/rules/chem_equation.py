"""Chemical, ionic, half and thermochemical equations: balanced, with the same particles in the same proportions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from scoring.rules.chem import ELECTRON, Formula, looks_chemical, read_formula
from scoring.rules.equal import close, constant
from scoring.rules.normalise import tidy, trim
from scoring.rules.read import read
from scoring.rules.tree import Undefined, Unreadable
from scoring.rules.values import Formula as Plain
from scoring.rules.values import Quantity

MAX_TERMS = 24
_ARROW = re.compile(
    r"\\x(?:longequal|equal|rightarrow|longrightarrow)\s*(?:\[(?P<below>[^\]]*)\])?\s*\{(?P<above>[^{}]*)\}"
    r"|\\x(?P<both>rightleftharpoons|leftrightharpoons"
    r"|leftrightarrow)\s*(?:\[(?P<below2>[^\]]*)\])?\s*\{(?P<above2>[^{}]*)\}"
    r"|\\(?:stackrel|overset|underset)\s*\{(?P<over>[^{}]*)\}\s*\{?\s*(?P<under>=+|→|⇌)\s*\}?"
    r"|[=-]{1,4}\s*\((?P<words>[^()=+→]{1,20})\)\s*(?P<wordarrow>={1,4}|-{0,3}→|⇌)"
    r"|[=-]{1,4}\s*(?P<bare>[一-鿿、Δ]{1,12})\s*(?P<barearrow>={1,4}|-{0,3}→|⇌)"
    r"|(?P<reversible>⇌)|(?P<plain>={1,4}|-{0,2}→)"
)
_ENERGY = {"[mass]": 1, "[length]": 2, "[time]": -2}
_ENTHALPY = re.compile(r"[,，;；]?\s*Δ\s*H\s*(?:_\{?\w\}?)?\s*=?\s*(?P<value>[-+].*|0|\d.*)$")
_COEFFICIENT = re.compile(r"\\frac\{(\d+)\}\{(\d+)\}|\\frac(\d)(\d)|\(?(\d+)/(\d+)\)?|(\d+(?:\.\d+)?)")
_HEAT = {"Δ", "加热", "heat", "高热", "受热"}


@dataclass(frozen=True, slots=True)
class ChemicalEquation:
    """Both sides as particle → coefficient, with the particle's formula; enthalpy in kJ/mol where given."""

    left: tuple[tuple[tuple[str, int], Fraction], ...]
    right: tuple[tuple[tuple[str, int], Fraction], ...]
    particles: tuple[Formula, ...]
    reversible: bool
    conditions: frozenset[str]
    enthalpy: Fraction | None

    @property
    def balanced(self) -> bool:
        """Atoms and charge agree on both sides."""
        table = {p.key: p for p in self.particles}
        charge = Fraction(0)
        sums: dict[str, Fraction] = {}
        for side, sign in ((self.left, 1), (self.right, -1)):
            for key, count in side:
                charge += sign * count * key[1]
                for element, atoms in table[key].atoms:
                    sums[element] = sums.get(element, Fraction(0)) + sign * count * atoms
        return charge == 0 and all(v == 0 for v in sums.values())


@lru_cache(maxsize=2048)
def read_equation(text: str) -> ChemicalEquation:
    """The equation that `text` states. Raises Unreadable when it is none."""
    text = trim(tidy(text))
    if len(text) > 400:
        raise Unreadable("too long an equation")
    enthalpy: Fraction | None = None
    if found := _ENTHALPY.search(text):
        enthalpy = _kilojoules(found.group("value"))
        text = trim(text[: found.start()])
    arrow = _ARROW.search(text)
    if arrow is None or _ARROW.search(text, arrow.end()):
        raise Unreadable("not one chemical equation")
    reversible = bool(
        arrow["reversible"] or arrow["both"] or arrow["under"] == "⇌" or "⇌" in (arrow["wordarrow"], arrow["barearrow"])
    )
    conditions = _conditions(arrow)
    left, right = _side(text[: arrow.start()]), _side(text[arrow.end() :])
    sides = _settle(left, right)
    particles = {p.key: p for _, p in (*left, *right)}
    if not any(looks_chemical(p) for p in particles.values()):
        raise Unreadable("letters rather than formulas")
    for _, particle in (*left, *right):  # a mark or state anywhere counts for the particle
        if particle.mark or particle.state:
            particles[particle.key] = particle
    return ChemicalEquation(sides[0], sides[1], tuple(particles.values()), reversible, conditions, enthalpy)


def _kilojoules(text: str) -> Fraction:
    value = read(text)
    try:
        if isinstance(value, Quantity):
            amount = constant(value.parsed)
            names = dict(value.unit.dimensions)
            if names.pop("[substance]", -1) == -1 and names == _ENERGY and isinstance(amount, Fraction):
                return amount * value.unit.factor / 1000
        elif isinstance(value, Plain) and isinstance(amount := constant(value.parsed), Fraction):
            return amount
    except Undefined:
        pass
    raise Unreadable("an enthalpy change that cannot be read")


def _conditions(arrow: re.Match[str]) -> frozenset[str]:
    words = " ".join(arrow[n] or "" for n in ("below", "above", "below2", "above2", "over", "words", "bare"))
    found = {w for w in re.split(r"[\s、,，/]+", words.strip()) if w}
    return frozenset("加热" if w in _HEAT else w for w in found)


_Terms = list[tuple[Fraction, Formula]]


def _side(text: str) -> _Terms:
    terms: _Terms = []
    for sign, term in _split_terms(text):
        term = term.strip()  # noqa: PLW2901
        count = Fraction(1)
        lead = _COEFFICIENT.match(term)
        if lead and lead.end() < len(term):
            groups = [g for g in lead.groups() if g]
            if len(groups) == 2 and int(groups[1]) == 0:
                raise Unreadable("a coefficient over zero")
            count = Fraction(groups[0]) / (Fraction(groups[1]) if len(groups) == 2 else 1)
            term = term[lead.end() :].strip()  # noqa: PLW2901
        if len(str(count)) > 12 or count == 0:
            raise Unreadable("a coefficient beyond the limits")
        terms.append((sign * count, read_formula(term)))
    if not terms or len(terms) > MAX_TERMS:
        raise Unreadable("not a side of an equation")
    return terms


def _split_terms(text: str) -> list[tuple[int, str]]:
    """Terms with their sign; a + or - that belongs to a charge splits nothing."""
    terms: list[tuple[int, str]] = []
    depth = start = 0
    sign = 1
    for index, char in enumerate(text):
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
        elif char in "+-" and depth == 0 and index and text[start:index].strip() and not _is_charge(text, index):
            terms.append((sign, text[start:index]))
            sign, start = (1 if char == "+" else -1), index + 1
    terms.append((sign, text[start:]))
    return terms


def _is_charge(text: str, index: int) -> bool:
    before, rest = text[index - 1], text[index + 1 :]
    if before == "^" or re.search(r"\^\d$", text[:index]):
        return True
    after = rest.lstrip()
    if not after or after[0] in "↑↓(":
        return before != " "
    if text[index] == "-":
        return not re.match(r"\s*\d*\s*e", rest)  # Zn - 2e^-: electrons given off
    if after[0] == "+" and before not in " +":
        return True  # Fe3++2Cl-
    return before not in " +-" and rest[:1] == " " and bool(re.match(r"\s*\+", rest))


def _settle(left: _Terms, right: _Terms) -> tuple[tuple[tuple[tuple[str, int], Fraction], ...], ...]:
    """Sums per particle; a negative term moves to the other side, electrons on both sides cancel."""
    sides: list[dict[tuple[str, int], Fraction]] = [{}, {}]
    for index, terms in enumerate((left, right)):
        for count, particle in terms:
            place = sides[index] if count > 0 else sides[1 - index]
            place[particle.key] = place.get(particle.key, Fraction(0)) + abs(count)
    both = min(sides[0].get(ELECTRON.key, Fraction(0)), sides[1].get(ELECTRON.key, Fraction(0)))
    if both:
        for side in sides:
            side[ELECTRON.key] -= both
    return tuple(tuple(sorted((k, v) for k, v in side.items() if v)) for side in sides)


def same_equation(gold: ChemicalEquation, given: ChemicalEquation) -> tuple[bool | None, str]:  # noqa: PLR0911
    """Whether two equations say the same, with the reason; None where marking schemes differ."""
    if not given.balanced or not gold.balanced:
        same_text = (gold.left, gold.right) == (given.left, given.right)
        if gold.balanced != given.balanced:
            return False, "atoms or charge do not balance"
        return (None, "neither side of the comparison balances") if same_text else (False, "not balanced")
    if dict(gold.left).keys() != dict(given.left).keys() or dict(gold.right).keys() != dict(given.right).keys():
        if _compositions(gold) == _compositions(given):
            return None, "the same atoms written in other formulas"
        return False, "other particles"
    factor = given.left[0][1] / dict(gold.left)[given.left[0][0]]
    for ours, theirs in ((gold.left, given.left), (gold.right, given.right)):
        if any(count != dict(ours)[key] * factor for key, count in theirs):
            return False, "other coefficients"
    if gold.reversible != given.reversible:
        return False, "reversible against one-way"
    if (gold.enthalpy is None) != (given.enthalpy is None):
        return False, "the enthalpy change stands on one side only"
    if gold.enthalpy is not None and given.enthalpy is not None:
        if not close(gold.enthalpy * factor, given.enthalpy):
            return False, "the enthalpy change does not fit the coefficients"
    elif factor != 1:
        return None, "balanced, but not with the same coefficients"
    return _details(gold, given)


def _details(gold: ChemicalEquation, given: ChemicalEquation) -> tuple[bool | None, str]:  # noqa: PLR0911
    if gold.conditions != given.conditions:
        return None, "reaction conditions differ"
    ours, theirs = {p.key: p for p in gold.particles}, {p.key: p for p in given.particles}
    for key, particle in ours.items():
        other = theirs[key]
        if particle.state != other.state:
            if particle.state and other.state:
                return False, "another state of matter"
            if gold.enthalpy is not None:
                return None, "a state of matter is missing"
        if particle.mark != other.mark:
            if particle.mark and other.mark:
                return False, "↑ against ↓"
            if any(p.mark for p in ours.values()) and any(p.mark for p in theirs.values()):
                return None, "↑ or ↓ on other particles"
            return None, "↑ or ↓ stands on one side only"
    return True, "same particles and coefficients, balanced"


def _compositions(equation: ChemicalEquation) -> list[tuple[object, ...]]:
    table = {p.key: p for p in equation.particles}
    return sorted(
        (side, str(table[key].atoms), key[1], str(count))
        for side, terms in enumerate((equation.left, equation.right))
        for key, count in terms
    )
