"""Genotypes: letters in pairs, where case carries the meaning (AaBb, X^BX^b, aaX^BY)."""

from __future__ import annotations

import re

from scoring.rules.normalise import tidy, trim

_AUTOSOMES = r"(?:([A-Za-z])(?i:\1)){1,4}"
_SEX = r"(?:X\^?[A-Za-z]?(?:X\^?[A-Za-z]?|Y\^?[A-Za-z]?)|[XZ]\^?[A-Za-z](?:[XZ]\^?[A-Za-z]|[YW]))"
_GENOTYPE = re.compile(rf"^(?:{_AUTOSOMES})?(?P<sex>{_SEX})?$")
_FLAT_SEX = re.compile(r"^(?:X[A-Va-z](?:X[A-Va-z]|Y)|Z[A-Va-z](?:Z[A-Va-z]|W))$")
_SEPARATOR = re.compile(r"\s*(?:[、,，;；]|或者?|和|与|\bor\b|\band\b)\s*")


def genotypes(text: str) -> tuple[str, ...] | None:
    """The genotypes that `text` lists, sorted; None when it is anything else."""
    compact = trim(tidy(text)).replace("{", "").replace("}", "")
    pieces = [p.replace(" ", "") for p in _SEPARATOR.split(compact)]
    if not pieces or any(len(p) < 2 or len(p) > 16 or not _is_genotype(p) for p in pieces):
        return None
    return tuple(sorted(_canonical(p) for p in pieces))


def _is_genotype(text: str) -> bool:
    if not _GENOTYPE.match(text):
        return False
    letters = text.replace("^", "")
    # aa or BB alone could be anything; two pairs, a mixed pair or sex chromosomes could not
    return (
        len(letters) >= 4
        or "^" in text
        or _FLAT_SEX.match(text) is not None
        or (len(letters) == 2 and letters[0] != letters[1])
    )


def _canonical(text: str) -> str:
    """Order inside a genotype carries nothing: X^bX^B is X^BX^b; neither do raised letters: XaY is X^aY."""
    found = _GENOTYPE.match(text)
    if found and found["sex"]:
        at = found.start("sex")
        text = text[:at] + re.sub(r"(?<=[XYZW])(?=[A-Va-z])", "^", text[at:])
    units = re.findall(r"[XYZW]\^[A-Za-z]|[A-Za-z]", text)
    return "".join(sorted(units))
