"""From text to expression tree: a precedence-climbing parser for school mathematics, LaTeX and plain.

Nothing is evaluated and no other parser sees the text. `1/2x` has two readings; both are kept (`Parsed.other`) and
rules accept only what holds for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from scoring.rules.lexer import Token, tokenise
from scoring.rules.tree import MAX_DEPTH, MAX_DIGITS, MAX_NODES, Node, Unreadable, num

DEGREE = Node("div", (Node("const", name="pi"), num(180)))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree, its second reading if `a/bc` leaves one, and whether an angle in degrees occurs."""

    node: Node
    other: Node | None = None
    degrees: bool = False


@lru_cache(maxsize=4096)
def parse(text: str) -> Parsed:
    """The tree of `text` (in `tidy` spelling); ± is for the caller to expand.

    Raises:
        Unreadable: it is not a formula, or exceeds the limits.
    """
    tokens = tokenise(text)
    first = _Parser(tokens, tight=False)
    node = first.whole()
    other = _Parser(tokens, tight=True).whole() if first.ambiguous else None
    return Parsed(node, other, first.degrees)


class _Parser:
    def __init__(self, tokens: list[Token], *, tight: bool) -> None:
        self.tokens = tokens
        self.tight = tight  # whether a/bc means a/(bc)
        self.at = self.depth = self.count = self.bars = 0
        self.ambiguous = self.degrees = False

    def whole(self) -> Node:
        if not self.tokens:
            raise Unreadable("nothing to read")
        node = self.sum()
        if self.at < len(self.tokens):
            raise Unreadable(f"{self.tokens[self.at].text!r} out of place")
        return node

    def peek(self, ahead: int = 0) -> Token | None:
        index = self.at + ahead
        return self.tokens[index] if index < len(self.tokens) else None

    def is_op(self, *texts: str) -> bool:
        token = self.peek()
        return token is not None and token.kind == "op" and token.text in texts

    def take(self) -> Token:
        token = self.peek()
        if token is None:
            raise Unreadable("the formula ends too soon")
        self.at += 1
        self.count += 1
        if self.count > MAX_NODES:
            raise Unreadable("too long a formula")
        return token

    def expect(self, text: str) -> None:
        if not self.is_op(text):
            raise Unreadable(f"{text!r} is missing")
        self.take()

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("too deeply nested")
        terms = [self.signed()]
        while self.is_op("+", "-"):
            terms.append(self.signed())
        self.depth -= 1
        return terms[0] if len(terms) == 1 else Node("add", tuple(terms))

    def signed(self) -> Node:
        negative = False
        while self.is_op("+", "-"):
            negative ^= self.take().text == "-"
        node = self.product()
        return Node("neg", (node,)) if negative else node

    def product(self) -> Node:
        node = self.juxtaposed()
        slashes = 0
        while True:
            if self.is_op("*", "·", "×"):
                self.take()
                node = _times(node, self.factor_signed())
            elif self.is_op("/", "÷"):
                slash = self.take().text
                slashes += 1
                if slashes > MAX_DEPTH:
                    raise Unreadable("too many divisions")
                node = Node("div", (node, self.divisor(slash)))
            elif self.starts_primary():
                node = _times(node, self.juxtaposed())
            else:
                return node

    def factor_signed(self) -> Node:
        if self.is_op("-"):
            self.take()
            return Node("neg", (self.juxtaposed(),))
        if self.is_op("+"):
            self.take()
        return self.juxtaposed()

    def divisor(self, slash: str) -> Node:
        if self.is_op("-"):
            self.take()
            return Node("neg", (self.power(),))
        node = self.power()
        if slash == "÷" or not self.starts_primary():
            return node
        self.ambiguous = True
        while self.tight and self.starts_primary():
            node = _times(node, self.power())
        return node

    def juxtaposed(self) -> Node:
        """Factors side by side; a whole number before a proper numeric fraction is a mixed number."""
        node = self.power()
        mixed = self.mixed(node)
        if mixed is not None:
            node = mixed
        while self.starts_primary():
            node = _times(node, self.power())
        return node

    def mixed(self, node: Node) -> Node | None:
        token = self.peek()
        if node.op != "num" or node.value.denominator != 1 or token is None:
            return None
        start = self.at
        if token.kind == "frac":
            fraction = self.power()
            if self.proper(fraction):
                return Node("add", (node, fraction))
            self.at = start
        elif token.kind == "num" and token.space:
            slash, below = self.peek(1), self.peek(2)
            if slash and slash.text == "/" and below and below.kind == "num":
                self.at += 3
                fraction = Node("div", (_number(token.text), _number(below.text)))
                if self.proper(fraction):
                    return Node("add", (node, fraction))
                self.at = start
        return None

    @staticmethod
    def proper(node: Node) -> bool:
        if node.op != "div" or any(a.op != "num" or a.value.denominator != 1 for a in node.args):
            return False
        return 0 < node.args[0].value < node.args[1].value

    def starts_primary(self) -> bool:
        token = self.peek()
        if token is None:
            return False
        if token.kind == "num":
            before = self.tokens[self.at - 1] if self.at else None
            return not (before is not None and before.kind == "num")
        if token.kind != "op":
            return True
        return token.text in ("(", "[", "{", "√", "∛", "∜") or (token.text == "|" and self.bars == 0)

    def power(self) -> Node:
        node = self.postfix(self.primary())
        if self.is_op("^"):
            self.take()
            node = Node("pow", (node, self.exponent()))
            node = self.postfix(node)
        return node

    def exponent(self) -> Node:
        if self.is_op("{"):
            return self.group("{", "}")
        if self.is_op("("):
            return self.group("(", ")")
        if self.is_op("-", "+"):
            negative = self.take().text == "-"
            node = self.primary()
            return Node("neg", (node,)) if negative else node
        node = self.primary()  # 2^10 in plain text means 2^{10}
        if self.is_op("^"):
            self.take()
            node = Node("pow", (node, self.exponent()))
        return node

    def postfix(self, node: Node) -> Node:
        while True:
            if self.is_op("!"):
                self.take()
                node = Node("fn", (node,), name="factorial")
            elif self.is_op("°"):
                self.take()
                self.degrees = True
                node = Node("mul", (node, DEGREE))
            elif self.is_op("%"):
                self.take()
                node = Node("div", (node, num(100)))
            elif self.is_op("‰"):
                self.take()
                node = Node("div", (node, num(1000)))
            else:
                return node

    def group(self, opening: str, closing: str) -> Node:
        self.expect(opening)
        bars, self.bars = self.bars, 0
        node = self.sum()
        self.bars = bars
        self.expect(closing)
        return node

    def primary(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("too deeply nested")
        token = self.peek()
        if token is None:
            raise Unreadable("the formula ends too soon")
        node = self.bracketed(token) if token.kind == "op" else self.atom(self.take())
        self.depth -= 1
        return node

    def atom(self, token: Token) -> Node:
        if token.kind == "num":
            return _number(token.text)
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
        index = num(2)
        if self.is_op("["):
            index = self.group("[", "]")
        if self.is_op("("):
            return Node("fn", (self.group("(", ")"), index), name="root")
        return Node("fn", (self.argument(), index), name="root")

    def function(self, name: str) -> Node:
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
        node = Node("fn", (self.function_argument(), *((base,) if base else ())), name=name)
        if exponent is None:
            return node
        if name in ("sin", "cos", "tan") and exponent == Node("neg", (num(1),)):
            return Node("fn", node.args, name="arc" + name)
        return Node("pow", (node, exponent))

    def function_argument(self) -> Node:
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
        while self.starts_primary() and not self.is_op("(", "[", "|"):
            token = self.peek()
            if token is not None and token.kind == "fn":
                break
            node = _times(node, self.power())
        return Node("neg", (node,)) if negative else node


def _times(left: Node, right: Node) -> Node:
    """A flat product, so that long products stay shallow."""
    factors = left.args if left.op == "mul" else (left,)
    return Node("mul", (*factors, right))


def _number(text: str) -> Node:
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
