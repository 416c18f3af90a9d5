"""Parts whose key is an electron configuration, a chemical equation or chemical formulas."""

from __future__ import annotations

import re
from functools import lru_cache

from scoring.extract import Found
from scoring.rules.chem import Formula, electron_configuration, looks_chemical, read_formula, same_formula
from scoring.rules.chem_equation import ChemicalEquation, read_equation, same_equation
from scoring.rules.judged import Judged, Surroundings
from scoring.rules.normalise import tidy, trim
from scoring.rules.statement import readings
from scoring.rules.tree import Unreadable


def by_configuration(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """Electron configurations, compared subshell by subshell."""
    ours = electron_configuration(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = electron_configuration(text)
        if theirs is not None:
            if ours[0] != theirs[0]:
                return Judged(None, "electron_configuration", "full against noble-gas form", text)
            return Judged(ours[1] == theirs[1], "electron_configuration", "subshells compared", text)
    return Judged(None, "electron_configuration", "no electron configuration found", found.text)


def _try_equation(text: str) -> ChemicalEquation | None:
    try:
        return read_equation(text)
    except Unreadable:
        return None


def by_equation(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """Chemical equations; a key that is one leaves prose undecided."""
    ours = _try_equation(gold)
    if ours is None:
        return None
    for text in readings(found.text):
        theirs = _try_equation(text)
        if theirs is not None:
            equal, reason = same_equation(ours, theirs)
            return Judged(equal, "chemical_equation", reason, text)
    return Judged(None, "chemical_equation", "no chemical equation could be read", found.text)


_FORMULA_LIST = re.compile(r"\s*(?:[、;；]|,(?!\d)|，|和|与|及|\band\b)\s*")


@lru_cache(maxsize=2048)
def _formulas(text: str) -> tuple[Formula, ...] | None:
    pieces = [p for p in _FORMULA_LIST.split(trim(tidy(text))) if p.strip()]
    if not pieces or len(pieces) > 12:
        return None
    try:
        return tuple(read_formula(p) for p in pieces)
    except Unreadable:
        return None


def by_formula(gold: str, found: Found, around: Surroundings) -> Judged | None:
    """One formula or a list of formulas, in any order."""
    ours = _formulas(gold)
    if ours is None or not any(looks_chemical(f) or len(f.atoms) > 1 for f in ours):
        return None
    for text in readings(found.text):
        theirs = _formulas(text)
        if theirs is None:
            continue
        if len(ours) != len(theirs):
            return Judged(False, "chemical_formula", "another number of formulas", text)
        table = [[same_formula(a, b) for b in theirs] for a in ours]
        if all(any(row[j] for row in table) for j in range(len(theirs))) and all(any(row) for row in table):
            return Judged(True, "chemical_formula", "the same formulas", text)
        maybe = all(any(e is not False for e in row) for row in table)
        return Judged(None if maybe else False, "chemical_formula",
                      "the same atoms written otherwise" if maybe else "another formula", text)  # fmt: skip
    return None
