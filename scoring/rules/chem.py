"""Chemical formulas: composition, charge and state, with LaTeX, Unicode and plain spellings made one.

Two formulas are equal when they are written alike. The same atoms written otherwise (CH3CH2OH, C2H6O) may be isomers
or another kind of formula than was asked: that stays open. Other atoms or another charge is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from scoring.rules.normalise import tidy, trim
from scoring.rules.tree import Unreadable

_SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts "
    "Og D T"
)
_ELEMENTS = frozenset(_SYMBOLS.split())
MAX_FORMULA = 120
MAX_COUNT = 1000
_STATE = re.compile(r"\((g|l|s|aq|稀|浓|气|液|固)\)$")
_CHARGE = re.compile(r"\^(?:\{\s*(\d*)\s*([+-])\s*\}|\{\s*([+-])\s*(\d*)\s*\}|(\d*)([+-]))$")
_PLAIN_CHARGE = re.compile(r"(\d*)([+-])$")
_TOKEN = re.compile(r"([A-Z][a-z]?)|(\d+)|([(\[])|([)\]])|(·)|([-≡=])")


@dataclass(frozen=True, slots=True)
class Formula:
    """One particle: `written` is its formula without charge, `atoms` its composition, `charge` in e."""

    written: str
    atoms: tuple[tuple[str, int], ...]
    charge: int = 0
    state: str = ""
    mark: str = ""  # ↑ or ↓

    @property
    def key(self) -> tuple[str, int]:
        """Identity in an equation."""
        return (self.written, self.charge)


ELECTRON = Formula("e", (), -1)


@dataclass(slots=True)
class _Level:
    atoms: Counter[str] = field(default_factory=Counter)


@lru_cache(maxsize=4096)
def read_formula(text: str) -> Formula:
    """The particle that `text` names. Raises Unreadable."""
    text = trim(tidy(text)).replace(" ", "")
    if not text or len(text) > MAX_FORMULA:
        raise Unreadable("not a chemical formula")
    mark = ""
    while text[-1:] in ("↑", "↓"):
        mark, text = text[-1], text[:-1]
    state = ""
    if found := _STATE.search(text):
        state, text = found.group(1), text[: found.start()]
    if text in ("e^{-}", "e^-", "e-", "e"):
        return ELECTRON
    body, charge = _split_charge(text)
    if "^" in body:
        raise Unreadable("a superscript that is no charge")
    body = re.sub(r"[_{}\\]", "", body).replace("*", "·").replace(".", "·")
    if not body:
        raise Unreadable("not a chemical formula")
    atoms = _composition(body)
    return Formula(body.replace("[", "(").replace("]", ")"), tuple(sorted(atoms.items())), charge, state, mark)


def _split_charge(text: str) -> tuple[str, int]:  # noqa: PLR0911
    if found := _CHARGE.search(text):
        groups = found.groups()
        size = groups[0] or groups[3] or groups[4] or "1"
        sign = groups[1] or groups[2] or groups[5]
        return text[: found.start()], int(size) * (1 if sign == "+" else -1)
    found = _PLAIN_CHARGE.search(text)
    if found is None:
        return text, 0
    digits, sign = found.group(1), 1 if found.group(2) == "+" else -1
    head = text[: found.start()]
    if not digits:
        return head, sign
    if head.endswith("}") or (head.endswith("]") and len(digits) == 1):  # SO_{4}2-, [Cu(NH3)4]2+
        return head, int(digits) * sign
    elements = re.findall(r"[A-Z][a-z]?", head)
    if head.endswith("_") or (len(digits) == 1 and len(elements) != 1):
        return head + digits, sign  # NH4+: the digit counts atoms
    if len(digits) == 1:
        return head, int(digits) * sign  # Fe3+
    return head + digits[:-1], int(digits[-1]) * sign  # SO42-


def _composition(body: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for index, piece in enumerate(body.split("·")):
        times = 1
        if index and (lead := re.match(r"\d+", piece)):
            times, piece = int(lead.group()), piece[lead.end() :]  # noqa: PLW2901
        for element, count in _piece(piece).items():
            total[element] += times * count
    if any(count > MAX_COUNT * 100 for count in total.values()):
        raise Unreadable("too many atoms")
    return total


def _piece(text: str) -> Counter[str]:  # noqa: PLR0912
    stack = [_Level()]
    last: Counter[str] | None = None
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Unreadable("not a chemical formula")
        at = found.end()
        element, digits, opening, closing, dot, bond = found.groups()
        if element:
            if element not in _ELEMENTS:
                if element[0] not in _ELEMENTS or len(element) == 1:
                    raise Unreadable("not a chemical formula")
                raise Unreadable("a lower-case letter that belongs to no element")
            last = Counter({element: 1})
            stack[-1].atoms += last
        elif digits:
            if last is None or int(digits) > MAX_COUNT or digits.startswith("0"):
                raise Unreadable("not a chemical formula")
            for name, count in last.items():
                stack[-1].atoms[name] += count * (int(digits) - 1)
            last = None
        elif opening:
            stack.append(_Level())
            last = None
            if len(stack) > 6:
                raise Unreadable("too deeply nested")
        elif closing:
            if len(stack) == 1:
                raise Unreadable("not a chemical formula")
            last = stack.pop().atoms
            stack[-1].atoms += last
        elif bond or dot:
            last = None
    if len(stack) != 1 or not stack[0].atoms:
        raise Unreadable("not a chemical formula")
    return stack[0].atoms


def same_formula(a: Formula, b: Formula) -> bool | None:
    """Whether two particles are the same; None for the same atoms written otherwise or another state."""
    if a.atoms != b.atoms or a.charge != b.charge:
        return False
    if a.written != b.written or (a.state and b.state and a.state != b.state):
        return None
    return True


def looks_chemical(formula: Formula) -> bool:
    """Whether the spelling is that of a formula rather than of letters: digits, a charge or a two-letter element."""
    return bool(formula.charge or any(c.isdigit() or c.islower() for c in formula.written))


_SHELL = re.compile(r"(\d)([spdf])\^?\{?(\d{1,2}?)\}?(?=\d[spdf]|$)")
_CORE = re.compile(r"^\[(He|Ne|Ar|Kr|Xe)\]")


def electron_configuration(text: str) -> tuple[str, tuple[tuple[str, int], ...]] | None:
    """(noble-gas core, filled subshells sorted), or None when `text` is no electron configuration."""
    compact = trim(tidy(text)).replace(" ", "")
    core = _CORE.match(compact)
    rest = compact[core.end() :] if core else compact
    shells = [(f"{m.group(1)}{m.group(2)}", int(m.group(3))) for m in _SHELL.finditer(rest)]
    if not shells or _SHELL.sub("", rest) or (len(shells) < 2 and "^" not in rest and not core):
        return None
    return (core.group(1) if core else "", tuple(sorted(shells)))
