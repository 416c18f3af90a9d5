"""From text to expression tree: a precedence-climbing parser for school mathematics, LaTeX and plain.

Nothing is evaluated and no other parser sees the text. `1/2x` has two readings; both are kept (`Parsed.other`) and
rules accept only what holds for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from scoring.rules.expr_atoms import Atoms, number_node
from scoring.rules.lexer import tokenise
from scoring.rules.tree import MAX_DEPTH, Node, Unreadable, num, times

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


class _Parser(Atoms):
    """Operators over atoms, by precedence."""

    def whole(self) -> Node:
        if not self.tokens:
            raise Unreadable("nothing to read")
        node = self.sum()
        if self.at < len(self.tokens):
            raise Unreadable(f"{self.tokens[self.at].text!r} out of place")
        return node

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
                node = times(node, self.factor_signed())
            elif self.is_op("/", "÷"):
                slash = self.take().text
                slashes += 1
                if slashes > MAX_DEPTH:
                    raise Unreadable("too many divisions")
                node = Node("div", (node, self.divisor(slash)))
            elif self.starts_primary():
                node = times(node, self.juxtaposed())
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
            node = times(node, self.power())
        return node

    def juxtaposed(self) -> Node:
        """Factors side by side; a whole number before a proper numeric fraction is a mixed number."""
        node = self.power()
        mixed = self.mixed(node)
        if mixed is not None:
            node = mixed
        while self.starts_primary():
            node = times(node, self.power())
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
                fraction = Node("div", (number_node(token.text), number_node(below.text)))
                if self.proper(fraction):
                    return Node("add", (node, fraction))
                self.at = start
        return None

    @staticmethod
    def proper(node: Node) -> bool:
        if node.op != "div" or any(a.op != "num" or a.value.denominator != 1 for a in node.args):
            return False
        return 0 < node.args[0].value < node.args[1].value

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
