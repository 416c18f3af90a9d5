"""Tokens of a formula in `tidy` spelling (LaTeX or plain)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.rules.normalise import matching_brace
from scoring.rules.tree import MAX_DIGITS, Unreadable

MAX_TOKENS = 600
FUNCTIONS = ("arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "sqrt", "sin", "cos", "tan", "cot", "sec", "csc",
             "exp", "log", "ln", "lg", "tg", "abs", "pi", "max", "min")  # fmt: skip
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_E_NOTATION = re.compile(r"[eE]([+-]?\d{1,4})(?![\d.])")
_WORD = re.compile(r"[A-Za-z]+")
_LATEX = re.compile(r"\\([A-Za-z]+)")
_PROSE_WORDS = "is are the of so we that than then for from with was has not when where if this there"
_PROSE = frozenset(_PROSE_WORDS.split())
_VOWELS = re.compile(r"[aeiou]")
_ACCENTS = {"vec", "overrightarrow", "bar", "overline", "hat", "widehat", "tilde", "dot", "boldsymbol"}
_GREEK = "αβγδεζηθικλμνξρστυφχψωΓΔΘΛΞΠΣΦΨΩℏ"
_OPERATORS = {"+", "-", "*", "/", "^", "_", "(", ")", "[", "]", "{", "}", "|", "!", "°", "%", "'", "·", "×", "÷",
              "√", "∛", "∜", "‰"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: num, sym, fn, const, frac, sqrt, binom, op. `space` says whether a blank stands before it."""

    kind: str
    text: str
    space: bool = False


def tokenise(text: str) -> list[Token]:
    """Tokens of `text`. Raises Unreadable at the first thing that is not mathematics."""
    tokens: list[Token] = []
    index, space = 0, False
    while index < len(text):
        char = text[index]
        if char.isspace():
            index, space = index + 1, True
            continue
        found, index = _next(text, index, space)
        tokens.extend(found)
        space = False
        if len(tokens) > MAX_TOKENS:
            raise Unreadable("too long a formula")
    return tokens


def _next(text: str, index: int, space: bool) -> tuple[list[Token], int]:
    char = text[index]
    if (char.isdigit() and char.isascii()) or (char == "." and text[index + 1 : index + 2].isdigit()):
        return _number(text, index, space)
    if char == "\\":
        return _command(text, index, space)
    if char.isascii() and char.isalpha():
        return _letters(text, index, space)
    if char in _GREEK:
        return _symbol(text, index + 1, char, space)
    if char == "π":
        return [Token("const", "pi", space)], index + 1
    if char in _OPERATORS:
        return [Token("op", char, space)], index + 1
    raise Unreadable(f"{char!r} is not part of a formula")


def _number(text: str, index: int, space: bool) -> tuple[list[Token], int]:
    found = _NUMBER.match(text, index)
    if found is None or len(found.group()) > MAX_DIGITS:
        raise Unreadable("a number of too many digits")
    end = found.end()
    power = _E_NOTATION.match(text, end)
    if power and not text[power.end() : power.end() + 1].isalpha():
        return [Token("num", found.group() + "e" + power.group(1), space)], power.end()
    return [Token("num", found.group(), space)], end


def _command(text: str, index: int, space: bool) -> tuple[list[Token], int]:
    found = _LATEX.match(text, index)
    if found is None:
        raise Unreadable("a stray backslash")
    name, end = found.group(1), found.end()
    if name in ("frac", "sqrt", "binom", "tbinom", "dbinom"):
        return [Token("binom" if "binom" in name else name, name, space)], end
    if name in FUNCTIONS:
        return [Token("fn", name, space)], end
    if name in _ACCENTS:
        return _accent(text, end, name, space)
    raise Unreadable(f"\\{name} is not known")


def _accent(text: str, index: int, name: str, space: bool) -> tuple[list[Token], int]:
    """`\\vec{a}` is the symbol a, `\\overrightarrow{AB}` the symbol AB⃗; a bar or hat stays part of the name."""
    while index < len(text) and text[index] == " ":
        index += 1
    if text[index : index + 1] == "{":
        end = matching_brace(text, index)
        inner, after = text[index + 1 : end].replace(" ", ""), end + 1
        if end < 0:
            raise Unreadable("an unclosed brace")
    else:
        inner, after = text[index : index + 1], index + 1
    if not inner or len(inner) > 6 or not inner.replace("_", "").replace("'", "").isalnum():
        raise Unreadable(f"\\{name} over more than a name")
    is_vector = name in ("vec", "overrightarrow", "boldsymbol")
    mark = ("" if len(inner) == 1 else "⃗") if is_vector else f"^{name}"
    return _symbol(text, after, inner + mark, space)


def _letters(text: str, index: int, space: bool) -> tuple[list[Token], int]:
    """A run of letters: known function names, else one symbol a letter; long lower-case runs are words."""
    found = _WORD.match(text, index)
    assert found is not None
    run, end = found.group(), found.end()
    if run.lower() in _PROSE:
        raise Unreadable(f"{run!r} is a word")
    tokens: list[Token] = []
    position, plain = 0, ""
    while position < len(run):
        name = next((f for f in FUNCTIONS if run.startswith(f, position)), None)
        if name is not None:
            tokens.append(Token("const" if name == "pi" else "fn", name, space and not tokens))
            position += len(name)
            continue
        letter = run[position]
        plain += letter
        position += 1
        if position < len(run):
            tokens.append(_one(letter, space and not tokens))
        else:
            last, end = _symbol(text, end, letter, space and not tokens)
            tokens.extend(last)
    if len(plain) >= 5 or (len(plain) == 4 and len(_VOWELS.findall(plain)) >= 2):
        raise Unreadable(f"{run!r} is a word")
    return tokens, end


def _one(letter: str, space: bool) -> Token:
    if letter in "ei":
        return Token("const", letter, space)
    return Token("sym", letter, space)


_SUBSCRIPT = re.compile(r"\s*_\s*(?:([A-Za-z0-9α-ωΑ-Ω])|\{)")
_DIGITS = re.compile(r"\d{1,2}(?![\d.])")


def _symbol(text: str, index: int, name: str, space: bool) -> tuple[list[Token], int]:
    """A symbol with its subscript and primes: v_{0}, v0 (plain), E_k, f', \\bar{x}."""
    found = _SUBSCRIPT.match(text, index)
    if found and not (name in ("C", "A", "P") and _combination(text, index)):
        if found.group(1):
            name, index = f"{name}_{found.group(1)}", found.end()
        else:
            end = matching_brace(text, found.end() - 1)
            if end < 0 or end - found.end() > 40:
                raise Unreadable("an unclosed or overlong subscript")
            sub = text[found.end() : end].replace(" ", "").replace("{", "").replace("}", "")
            name, index = f"{name}_{sub}", end + 1
    elif not found and len(name) == 1 and name not in "ei" and (digits := _DIGITS.match(text, index)):
        name, index = f"{name}_{digits.group()}", digits.end()
    while text[index : index + 1] == "'":
        name, index = name + "'", index + 1
    if name in ("e", "i"):
        return [Token("const", name, space)], index
    return [Token("sym", name, space)], index


_COMBINATION = re.compile(r"\s*_\s*(?:\{\s*(\w{1,3})\s*\}|(\w))\s*\^\s*(?:\{\s*(\w{1,3})\s*\}|(\w))")


def _combination(text: str, index: int) -> bool:
    """Whether `_n^m` that reads as a number of combinations follows: both numbers with n ≥ m, or n a letter."""
    found = _COMBINATION.match(text, index)
    if found is None:
        return False
    low, high = found.group(1) or found.group(2), found.group(3) or found.group(4)
    if low.isdigit() and high.isdigit():
        return int(low) >= int(high)
    return low in ("n", "m") and (high.isdigit() or high in ("n", "m", "k", "r"))
