"""Reading position and the atoms of a formula: numbers, symbols, brackets, roots, functions.

`expr._Parser` adds the operators; `sum`, `power` and `postfix` are declared here for it to define.
"""

from __future__ import annotations

from fractions import Fraction

from scoring.rules.lexer import Token
from scoring.rules.tree import MAX_DEPTH, MAX_DIGITS, MAX_NODES, Node, Unreadable, num, times


class Atoms:
    """A cursor over tokens that reads one atom at a time."""

    def __init__(self, tokens: list[Token], *, tight: bool) -> None:
        self.tokens = tokens
        self.tight = tight  # whether a/bc means a/(bc)
        self.at = self.depth = self.count = self.bars = 0
        self.ambiguous = self.degrees = False

    def peek(self, ahead: int = 0) -> Token | None:
        """The token `ahead` of the cursor, if any."""
        index = self.at + ahead
        return self.tokens[index] if index < len(self.tokens) else None

    def is_op(self, *texts: str) -> bool:
        """Whether the next token is one of these operators."""
        token = self.peek()
        return token is not None and token.kind == "op" and token.text in texts

    def take(self) -> Token:
        """The next token, moving on. Raises Unreadable at the end."""
        token = self.peek()
        if token is None:
            raise Unreadable("the formula ends too soon")
        self.at += 1
        self.count += 1
        if self.count > MAX_NODES:
            raise Unreadable("too long a formula")
        return token

    def expect(self, text: str) -> None:
        """Move over the operator `text`. Raises Unreadable when it is not there."""
        if not self.is_op(text):
            raise Unreadable(f"{text!r} is missing")
        self.take()

    def sum(self) -> Node:
        """A sum of signed products."""
        raise NotImplementedError

    def power(self) -> Node:
        """A primary with its exponent."""
        raise NotImplementedError

    def exponent(self) -> Node:
        """What follows ^."""
        raise NotImplementedError

    def postfix(self, node: Node) -> Node:
        """`node` with the marks behind it: ! ° %."""
        raise NotImplementedError

    def starts_primary(self) -> bool:
        """Whether an atom begins here, so that side by side means times."""
        token = self.peek()
        if token is None:
            return False
        if token.kind == "num":
            before = self.tokens[self.at - 1] if self.at else None
            return not (before is not None and before.kind == "num")
        if token.kind != "op":
            return True
        return token.text in ("(", "[", "{", "√", "∛", "∜") or (token.text == "|" and self.bars == 0)

    def group(self, opening: str, closing: str) -> Node:
        """A sum between brackets."""
        self.expect(opening)
        bars, self.bars = self.bars, 0
        node = self.sum()
        self.bars = bars
        self.expect(closing)
        return node

    def primary(self) -> Node:
        """One atom, within the depth limit."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("too deeply nested")
        token = self.peek()
        if token is None:
            raise Unreadable("the formula ends too soon")
        node = self.bracketed(token) if token.kind == "op" else self.atom(self.take())
        self.depth -= 1
        return node

    def atom(self, token: Token) -> Node:  # noqa: PLR0911
        """The atom that begins with `token`, which was taken."""
        if token.kind == "num":
            return number_node(token.text)
        if token.kind == "const":
            return Node("const", name=token.text)
        if token.kind == "sym":
            return self.symbol(token)
        if token.kind == "frac":
            return Node("div", (self.argument(), self.argument()))
        if token.kind == "binom":
            return Node("fn", (self.argument(), self.argument()), name="binomial")
        if token.kind == "sqrt":
            return self.root()
        return self.function(token.text)

    def bracketed(self, token: Token) -> Node:
        """A bracket, an absolute value or a root sign."""
        for opening, closing in (("(", ")"), ("{", "}"), ("[", "]")):
            if token.text == opening:
                return self.group(opening, closing)
        if token.text == "|":
            self.take()
            self.bars += 1
            node = self.sum()
            self.bars -= 1
            self.expect("|")
            return Node("fn", (node,), name="abs")
        if token.text in ("√", "∛", "∜"):
            self.take()
            index = {"√": 2, "∛": 3, "∜": 4}[token.text]
            return Node("fn", (self.primary(), num(index)), name="root")
        raise Unreadable(f"{token.text!r} out of place")

    def symbol(self, token: Token) -> Node:
        """A symbol, or a number of combinations C_n^m, A_n^m."""
        if token.text in ("C", "A", "P") and self.is_op("_"):
            self.take()
            low = self.argument()
            self.expect("^")
            high = self.argument()
            return Node("fn", (low, high), name="binomial" if token.text == "C" else "permutation")
        return Node("sym", name=token.text)

    def argument(self) -> Node:
        """The argument of \\frac and its like: a braced group or one token, where \\frac23 means two thirds."""
        if self.is_op("{"):
            return self.group("{", "}")
        token = self.peek()
        if token is not None and token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            rest = Token("num", token.text[1:])
            self.tokens = [*self.tokens[: self.at], Token("num", token.text[0]), rest, *self.tokens[self.at + 1 :]]
        return self.primary()

    def root(self) -> Node:
        """What follows a root sign, with its index."""
        index = num(2)
        if self.is_op("["):
            index = self.group("[", "]")
        if self.is_op("("):
            return Node("fn", (self.group("(", ")"), index), name="root")
        return Node("fn", (self.argument(), index), name="root")

    def function(self, name: str) -> Node:
        """A function with its base, exponent and argument."""
        base: Node | None = None
        exponent: Node | None = None
        for _ in range(2):
            if self.is_op("_") and base is None:
                self.take()
                base = self.argument()
            elif self.is_op("^") and exponent is None:
                self.take()
                exponent = self.exponent()
        if name == "sqrt":
            return self.root()
        if name == "log" and base is None and self.peek() is not None and self.peek().kind == "num":  # type: ignore[union-attr]
            after = self.peek(1)
            if after is not None and after.kind == "op" and after.text == "(" and not after.space:
                base = self.primary()  # plain log2(8)
        argument = self.function_argument(opens=name in ("sin", "cos", "tan"))
        node = Node("fn", (argument, *((base,) if base else ())), name=name)
        if exponent is None:
            return node
        if name in ("sin", "cos", "tan") and exponent == Node("neg", (num(1),)):
            return Node("fn", node.args, name="arc" + name)
        return Node("pow", (node, exponent))

    def function_argument(self, opens: bool = False) -> Node:
        """A bracketed argument, or the factors up to the next operator: sin 2x cos x is a product.

        With `opens` a number may draw a bracket in: sin 2(x - π/8) is the sine of the whole.
        """
        for opening, closing in (("(", ")"), ("{", "}"), ("[", "]")):
            if self.is_op(opening):
                node = self.group(opening, closing)
                # \sin{2}x is rare; sin(x)^2 squares the sine, so nothing else joins the argument
                return self.postfix(node) if opening == "(" else node
        negative = False
        if self.is_op("-"):
            self.take()
            negative = True
        node = self.power()
        if opens and node.op == "num" and self.is_op("("):
            node = times(node, self.group("(", ")"))
        while self.starts_primary() and not self.is_op("(", "[", "|"):
            token = self.peek()
            if token is not None and token.kind == "fn":
                break
            node = times(node, self.power())
        return Node("neg", (node,)) if negative else node


def number_node(text: str) -> Node:
    """A decimal, also as 3e8. Raises Unreadable beyond the limits."""
    mantissa, _, power = text.partition("e")
    if len(mantissa) > MAX_DIGITS or len(power) > 5:
        raise Unreadable("a number of too many digits")
    value = Fraction(mantissa)
    if power:
        exponent = int(power)
        if abs(exponent) > 400:
            raise Unreadable("an exponent beyond the limits")
        value *= Fraction(10) ** exponent
    return num(value)
