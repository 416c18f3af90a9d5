r"""LaTeX of other programs in the canonical form: `\dfrac{a}{b}^{2}` and `\frac ab ^2` are one formula.

Recognisers write what they were trained on: blanks between all tokens, size and spacing commands, `array` for case
lists, `\left` around everything. The form is the one of `layout.formulas.latex`; what cannot be read gives None.
"""

from __future__ import annotations

import re

from layout.formulas.foreign_parts import SINGLE, Part, after_command, arrow, faced, joined, with_scripts
from layout.formulas.foreign_tables import (
    ALIGNED,
    ARROWS,
    DROPPED,
    FACES,
    FRACTIONS,
    GRIDS,
    NOT,
    OVER,
    PLAIN_FACES,
    STOPS,
    SWITCHES,
    SYNONYMS,
    TEXTS,
    UNDER_ARROW,
)
from layout.formulas.soundness import MAX_LATEX
from layout.formulas.symbols import COMMANDS, OWN_COMMAND
from layout.segments import is_wide

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.S)
MAX_DEPTH = 60


class _UnreadableError(ValueError):
    """The LaTeX is none."""


def canonical(latex: str) -> str | None:
    """`latex` in the canonical form, or None when it is no LaTeX of one formula.

    Dollar signs and `\\[…\\]` around it are taken off; anything longer than 3000 characters is refused.
    """
    bare = re.sub(r"^(?:\$\$?|\\\[|\\\()|(?:(?<!\\)\$\$?|\\\]|\\\))$", "", latex.strip()).strip()
    if not bare or len(bare) > MAX_LATEX or re.search(r"(?<!\\)\$", bare):
        return None
    reader = _Reader(TOKEN.findall(bare))
    try:
        row = reader.row(0)
    except (_UnreadableError, IndexError):
        return None
    return row.text.strip() if reader.at_end() and row.text.strip() else None


class _Reader:
    """Tokens of a formula, read from left to right."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def at_end(self) -> bool:
        return self._peek() == ""

    def _peek(self) -> str:
        while self.at < len(self.tokens) and (self.tokens[self.at].isspace() or self.tokens[self.at] in DROPPED):
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise _UnreadableError("the formula ends too early")
        self.at += 1
        return token

    def row(self, depth: int, stops: frozenset[str] = STOPS - {"]"}) -> Part:
        """Everything up to a stop, which is left."""
        if depth > MAX_DEPTH:
            raise _UnreadableError("nested too deeply")
        parts: list[Part] = []
        while (token := self._peek()) and token not in stops:
            if token in SWITCHES:
                self._next()
                rest = self.row(depth + 1, stops)
                parts.append(Part(faced(SWITCHES[token], rest.text), rest.tall))
            else:
                parts.append(self._scripted(depth))
        grid = parts[0].grid if len(parts) == 1 else ""
        return Part(joined(parts), any(p.tall for p in parts), grid)

    def _scripted(self, depth: int) -> Part:
        """One item with its scripts: the subscript before the superscript."""
        grouped = self._peek() == "{"
        base = Part("") if self._peek() in ("_", "^", "'") else self._item(depth)
        sub = sup = ""
        while (token := self._peek()) in ("_", "^", "'"):
            self._next()
            if token == "'":
                sup += r"\prime"
            elif (token == "_" and sub) or (token == "^" and sup.replace(r"\prime", "")):
                raise _UnreadableError("two scripts at one place")
            elif token == "_":
                sub = self._argument(depth).text
            else:
                sup = joined([Part(sup), self._argument(depth)])
        if not sub and not sup:
            return base
        return Part(with_scripts(base.text, grouped, sub, sup), base.tall)

    def _argument(self, depth: int) -> Part:
        if self._peek() != "{":
            return self._item(depth)
        self._next()
        row = self.row(depth + 1)
        if self._next() != "}":
            raise _UnreadableError("a brace is not closed")
        return row

    def _option(self, depth: int) -> str:
        """What stands in square brackets behind a command."""
        if self._peek() != "[":
            return ""
        self._next()
        row = self.row(depth + 1, STOPS)
        if self._next() != "]":
            raise _UnreadableError("a bracket is not closed")
        return row.text

    def _item(self, depth: int) -> Part:
        token = self._peek()
        if token == "{":
            return self._argument(depth)
        if token in STOPS - {"]"}:
            raise _UnreadableError(f"{token} out of place")
        self._next()
        for reader in (self._built, self._faced, self._marked, self._named):
            part = reader(token, depth + 1)
            if part is not None:
                return part
        return self._symbol(token)

    def _built(self, token: str, depth: int) -> Part | None:
        """Fractions, roots, words, tables, growing brackets."""
        if token in FRACTIONS:
            above, below = self._argument(depth), self._argument(depth)
            return Part(rf"\frac{{{above.text}}}{{{below.text}}}", True)
        if token == r"\sqrt":
            index, body = self._option(depth), self._argument(depth)
            return Part(rf"\sqrt{f'[{index}]' if index else ''}{{{body.text}}}", body.tall)
        if token == r"\begin":
            return self._grid(depth)
        if token == r"\left":
            return self._fenced(depth)
        return Part(self._text()) if token in TEXTS else None

    def _faced(self, token: str, depth: int) -> Part | None:
        """Letters in a face of their own, and faces that say nothing."""
        if token in PLAIN_FACES:
            return self._argument(depth)
        return Part(faced(FACES[token], self._argument(depth).text)) if token in FACES else None

    def _marked(self, token: str, depth: int) -> Part | None:
        """What stands over or under something else, and arrows with conditions."""
        if token in OVER:
            body = self._argument(depth)
            return Part(rf"\{OVER[token][not SINGLE.fullmatch(body.text)]}{{{body.text}}}", body.tall)
        if token in ARROWS:
            below = self._option(depth)
            return Part(arrow(ARROWS[token], self._argument(depth).text, below))
        if token in (r"\overset", r"\stackrel", r"\underset"):
            mark, body = self._argument(depth).text, self._argument(depth)
            under = token == r"\underset"
            if body.text in UNDER_ARROW:
                return Part(arrow(UNDER_ARROW[body.text], "" if under else mark, mark if under else ""))
            command = "underset" if under else "overset"
            return Part(rf"\{command}{{{mark}}}{{{body.text}}}", body.tall)
        if token in (r"\underline", r"\boxed"):
            return Part(rf"{token}{{{self._argument(depth).text}}}")
        return None

    def _named(self, token: str, depth: int) -> Part | None:
        """Names of functions, numbers of equations, crossed relations."""
        if token in (r"\operatorname", r"\operatorname*"):
            name = self._argument(depth).text.replace(" ", "")
            return Part(rf"\{name}" if name in OWN_COMMAND else rf"\operatorname{{{name}}}")
        if token == r"\tag":
            self._argument(depth)
            return Part("")
        if token == r"\not":
            crossed = self._item(depth).text
            return Part(NOT.get(crossed, rf"\not{crossed}"))
        return None

    def _symbol(self, token: str) -> Part:
        """A character or a command for one; ideographs in a row become text."""
        if is_wide(token) and token not in COMMANDS:
            while self.at < len(self.tokens) and is_wide(self.tokens[self.at]) and self.tokens[self.at] not in COMMANDS:
                token += self.tokens[self.at]
                self.at += 1
            return Part(rf"\text{{{token}}}")
        return Part(SYNONYMS.get(token, COMMANDS.get(token, token)))

    def _text(self) -> str:
        """The words of a `\\text`; Latin letters alone are upright."""
        if self._next() != "{":
            raise _UnreadableError("text without braces")
        start = self.at
        while self.tokens[self.at] != "}":
            if self.tokens[self.at] in ("{", "\\"):
                raise _UnreadableError("text with markup")
            self.at += 1
        words = "".join(self.tokens[start : self.at]).replace("~", " ").strip()
        self.at += 1
        if not words:
            return ""
        return rf"\mathrm{{{words}}}" if words.isascii() and words.isalpha() else rf"\text{{{words}}}"

    def _grid(self, depth: int) -> Part:
        name = self._name()
        if name in ("array", "alignedat"):
            self._argument(depth + 1)
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row(depth + 1).text.strip())
            token = self._next()
            if token == r"\\":
                self._option(depth)
                rows.append([])
            elif token == r"\end":
                break
            elif token != "&":
                raise _UnreadableError(f"{token} in a table")
        if self._name() != name:
            raise _UnreadableError("environments cross")
        body = r" \\ ".join(" & ".join(row) for row in rows if any(row))
        kind = "aligned" if name in ALIGNED else name
        return Part(rf"\begin{{{kind}}} {body} \end{{{kind}}}", True, body if name in ALIGNED | {"matrix"} else "")

    def _name(self) -> str:
        if self._next() != "{":
            raise _UnreadableError("an environment without a name")
        name = ""
        while (token := self._next()) != "}":
            name += token
        return name

    def _fenced(self, depth: int) -> Part:
        """Brackets that grow only around what is tall; around the rows of an `array` they say what it is."""
        opening = self._delimiter()
        row = self.row(depth + 1)
        if self._next() != r"\right":
            raise _UnreadableError("\\left without \\right")
        closing = self._delimiter()
        kind = GRIDS.get((opening, closing)) if row.grid else None
        if kind is not None:
            return Part(rf"\begin{{{kind}}} {row.grid} \end{{{kind}}}", True)
        if row.tall:
            return Part(rf"\left{opening or '.'}{after_command(opening, row.text)}\right{closing or '.'}", True)
        return Part(joined([Part(opening), Part(row.text), Part(closing)]))

    def _delimiter(self) -> str:
        token = self._next()
        return "" if token == "." else SYNONYMS.get(token, token)
