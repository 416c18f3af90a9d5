"""Left sides that name what the right side gives: v, a_n, f(x), ∠A, 质量 m."""

from __future__ import annotations

import re

from scoring.rules.normalise import has_han

_CALL = re.compile(r"^[A-Za-zα-ω](?:_\{?\w{1,3}\}?)?'*\s*\(\s*[^()=]{1,12}\)$")
_PLAIN_NAME = re.compile(
    r"^(?:[A-Za-zα-ωΔΦΩηρΨ](?:_(?:\{[^{}]{1,20}\}|[\w]))?'*|[A-Z]{2,3}|∠\s*[A-Z]{1,3}|"
    r"Δ\s*[A-Za-z](?:_\{?\w{1,2}\}?)?|\|\s*[^|=]{1,24}\s*\||[SVPCEDkn]_\{[^{}]{1,16}\}|"
    r"\\(?:vec|overrightarrow|bar|overline|hat|dot)\s*(?:\{[^{}]{1,6}\}|[A-Za-z])(?:_\{?\w\}?)?|"
    r"\\?(?:sin|cos|tan)\s*(?:∠\s*)?[A-Zα-ω]{1,3}|[a-zA-Z]\s*_\{?\w{1,3}\}?|"
    r"\(?(?:∁\s*_?\{?[A-Z]\}?\s*)?\(?[A-Z]\)?(?:\s*[∩∪]\s*\(?(?:∁\s*_?\{?[A-Z]\}?\s*)?\(?[A-Z]\)*){0,3}\)?)$"
)


_HAN_NAME = re.compile(r"^(?:(?![为是得])[一-鿿]){1,10}\s*(?P<symbol>[^一-鿿]*)$")


def symbol_of(name: str) -> str:
    """The symbol in `质量 m`, or the whole name."""
    found = _HAN_NAME.match(name)
    return (found["symbol"] or name).replace(" ", "") if found else name.replace(" ", "")


def is_name(text: str) -> bool:
    """Whether the left side names what the right side gives, rather than being one side of an equation."""
    text = text.strip()
    if has_han(text):
        found = _HAN_NAME.match(text)
        return bool(found) and (not found["symbol"] or is_name(found["symbol"]))  # type: ignore[index]
    if re.fullmatch(r"[A-Za-z]{3,}(?: [A-Za-z]{2,}){0,4}", text):
        return True  # Surface area = …
    return bool(_PLAIN_NAME.match(text) or _CALL.match(text))
