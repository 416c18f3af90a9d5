"""What latex2mathml leaves to renderers with more than MathML Core, put into forms that browsers draw.

Widths relative to the content (`+0.833em`), stretched equals signs and overlines, spaces behind the names of functions
and around signs of charge are not in MathML Core, and a few symbols come as the wrong kind of element.
"""

from __future__ import annotations

import html
import unicodedata
from xml.etree.ElementTree import Element

FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log lg ln exp lim max min gcd det arg dim".split()  # noqa: SIM905
)
SCRIPTED = frozenset({"msub", "msup", "msubsup"})
OVER = frozenset({"mover", "munder", "munderover"})
# Accents that stretch in the fonts for mathematics.
STRETCHED = {"^": "\u0302", "⌢": "⏜"}
UPRIGHT_ARROWS = frozenset("↑↓")
LETTERS = frozenset("∅∁")  # symbols that have no space of their own
RELATIONS = {"~": "∼", "⟂": "⊥"}
THIN, SIDE = "0.167em", 0.4  # em: behind a function's name; beside the words over an arrow
SCRIPT = 0.71  # size of what stands over an arrow, in sizes of the line


def mend(element: Element) -> None:
    """Change the tree below `element` in place."""
    for index, child in enumerate(list(element)):
        mend(child)
        if child.tag == "mover" and _is_overline(child):
            line = _element("mrow", {"class": "overline"}, [child[0]])
            element[index] = line
    if element.tag in OVER:
        _accent(element)
        _arrow(element)
    elif element.tag in ("mo", "mi"):
        _symbol(element)
    elif element.tag in ("mrow", "math", "mtd", "mstyle"):
        _space_functions(element)
    if element.tag in SCRIPTED:
        for script in list(element)[1:]:
            _tighten(script)


def text_of(element: Element) -> str:
    """The element's own characters; the converter writes symbols as character references."""
    return html.unescape(element.text or "")


def _element(tag: str, attributes: dict[str, str], children: list[Element]) -> Element:
    made = Element(tag, attributes)
    made.extend(children)
    return made


def _only_text(element: Element) -> str:
    """The characters of an element that holds one token."""
    while len(element) == 1:
        element = element[0]
    return text_of(element) if len(element) == 0 else ""


def _is_overline(element: Element) -> bool:
    return len(element) == 2 and element[1].tag == "mo" and text_of(element[1]) == "―"


def _accent(element: Element) -> None:
    """Hats and arcs that span their letters."""
    if element.tag != "mover" or len(element) != 2:
        return
    char = STRETCHED.get(_only_text(element[1]))
    several = len(element[0]) > 1 or char == "⏜"
    if char is not None and several:
        mark = Element("mo", {"stretchy": "true", "accent": "true"})
        mark.text = char
        element[1] = mark


def _arrow(element: Element) -> None:
    """An arrow or an equals sign with words over it, which is as long as the words are wide."""
    labels = [child for child in element if child.tag == "mpadded"]
    if not labels:
        return
    for index, child in enumerate(element):
        if child.tag == "mpadded":
            sides = [Element("mspace", {"width": f"{SIDE}em"}) for _ in range(2)]
            element[index] = _element("mrow", {}, [sides[0], child[0], sides[1]] if len(child) else [])
    if _only_text(element[0]) == "=":
        width = SCRIPT * max(2 * SIDE + _width("".join(label.itertext())) for label in labels)
        size = {"class": "equals", "width": f"{max(width, 1.6):.2f}em", "height": "0.36em", "depth": "-0.14em"}
        element[0] = Element("mspace", size)


def _width(text: str) -> float:
    """Rough width in em."""
    bare = html.unescape(text).replace("\u00a0", " ")
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.55 for c in bare)


def _symbol(element: Element) -> None:
    char = text_of(element)
    if char in UPRIGHT_ARROWS:
        element.set("stretchy", "false")
    elif char == "|":  # of an absolute value; the bar of a set is another character
        element.set("lspace", "0")
        element.set("rspace", "0")
    elif char in LETTERS:
        element.tag = "mi"
    elif char in RELATIONS and element.tag == "mi":
        element.tag, element.text = "mo", RELATIONS[char]


def _space_functions(row: Element) -> None:
    """A thin space between a function's name and an argument without brackets."""
    children = list(row)
    for index in range(len(children) - 2, -1, -1):
        name = children[index][0] if children[index].tag in SCRIPTED and len(children[index]) else children[index]
        if name.tag == "mi" and text_of(name) in FUNCTIONS and children[index + 1].tag != "mo":
            row.insert(index + 1, Element("mspace", {"width": THIN}))


def _tighten(script: Element) -> None:
    """A sign at the end of a script, as of an ion's charge, without the space of an operator."""
    if script.tag == "mrow" and len(script) > 1 and script[-1].tag == "mo" and text_of(script[-1]) in ("+", "-", "−"):
        for name, value in (("form", "postfix"), ("lspace", "0"), ("rspace", "0")):
            script[-1].set(name, value)
