"""Checks of a stored question's texts: garbled, brackets, formulas, language, units, source on the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from layout.formulas.soundness import compiles
from parse_templates.checks_context import (
    DIGITS,
    IMAGE,
    MATH,
    Context,
    PageText,
    asked,
    fields_of,
    flat,
    issue,
    other_language,
    plain,
    window,
)
from parse_templates.checks_structure import printed_figures
from parse_templates.draft import CHOICE
from parse_templates.formulas import FORMULA, SHOWN
from wholepage.records import Issue, Question, Severity

DOLLAR = re.compile(r"(?<!\\)\$")
WORDS_IN_MATH = re.compile(r"\\text\{[^}]{6,}\}|[\u4e00-\u9fff]{4,}")
REPEATED = re.compile(r"([A-Za-z])\1{3,}")
ODD = re.compile(
    r"[\ufffd\ue000-\uf8ff\u0100-\u017f\x00-\x08\x0e-\x1f#]|[A-Za-z0-9]´|[A-Za-z0-9]“[A-Za-z0-9]|˝|_\{|\{\}_"
)
TORN = re.compile(r"[=+×÷<>]\s*$|^\s*[,;:，；：]")

OPENS, CLOSES = "([【《「{", ")]】》」}"
SIZED = re.compile(
    r"\\(?:left|right|big|Big|bigg|Bigg)[lr]?\s*(?:\\[{}|]|[.|])?|\\[{}]|\\begin\{[a-z*]+\}(?:\{[a-z|]*\})?"
)
ITEM = re.compile(r"(?:^|(?<=[\s;；,，。.、:：]))(?:\d{1,2}|[A-Za-z]|[ivx]{1,4}|[①-⑳])\)")

ENOUGH, HALF = 0.9, 0.6  # share of a field's characters with a source: below, a warning and an error
MIN_UNSEEN = 3
PIECE = re.compile(r"\d+|[^\d]+")
LONG_RUN = 10  # characters in a row without a source
NEIGHBOURS = 1  # pages before and behind a question's own whose text may be its

FOREIGN = re.compile(r"[\u0400-\u04ff\u3041-\u3093\u30a1-\u30f6\uac00-\ud7a3\u0600-\u06ff\u0e00-\u0e7f]")
MOST = 0.3  # share of other-language questions from which a paper is a language paper

NUMBER = r"(?<![\d.])(?P<n>[-−–]?\s*\d+(?:\.\d+)?)"
COLD = re.compile(NUMBER + r"\s*(?:℃|°\s*C\b)")
ACID = re.compile(r"\bpH\s*(?:=|＝|值?为|值?是|is|of)\s*(?P<n>[-−–]?\d+(?:\.\d+)?)")
GRAVITY = re.compile(r"\bg\s*(?:=|＝|取|is)\s*(?:10|9\.8\d?)\s*m\s*[/·]\s*s(?![²2^*\w])")
LIGHT = re.compile(r"\b3(?:\.0+)?\s*[×*]\s*10\^?8\s*(?P<u>[a-zA-Z]+(?:\s*[/·]\s*[a-zA-Z]+)?)")
FLAT_POWER = re.compile(r"(?<=\d)\s?(?:mm|cm|dm|km)[23](?![\d.\w])|(?<=\d)\s?(?:m|cm|km)/s[23](?![\d.\w])")
ABSOLUTE_ZERO, ACIDS = -273.16, (-2.0, 16.0)


def text_garbled(question: Question, context: Context) -> list[Issue]:
    """`text.garbled`: sentences inside formulas, letters four times over, signs of no language, torn ends."""
    for text in asked(question):
        bare = MATH.sub(" ", text)
        sign = next((m.group() for m in (WORDS_IN_MATH.search(x) for x in MATH.findall(text)) if m), None)
        sign = sign or next((m.group() for p in (REPEATED, ODD) if (m := p.search(bare))), None)
        if sign is None and text and len(DOLLAR.findall(text)) % 2:
            sign = "$"
        if sign is not None:
            shown = "".join(c if unicodedata.category(c)[0] != "C" else "?" for c in sign[:12])
            return [issue(question, "text.garbled", "warning", "stem", f": its text may be misread ({shown}).")]
    stem = IMAGE.sub("", question.stem).strip()
    if TORN.search(stem) and not printed_figures(question) and not stem.endswith("</table>"):
        return [issue(question, "text.garbled", "warning", "stem", ": its text is cut off.")]
    return []


def brackets_unbalanced(question: Question, context: Context) -> list[Issue]:
    """`brackets.unbalanced`, one a field. Half-open intervals count as closed, so do list marks such as a)."""
    found: dict[str, Issue] = {}
    for name, words, text in fields_of(question):
        rest = unbalanced(text)
        if rest and name not in found:
            said = f": in {words} the bracket {rest} has no partner."
            found[name] = issue(question, "brackets.unbalanced", "warning", name, said)
    return list(found.values())


def unbalanced(text: str) -> str:
    """The first bracket without a partner, empty when there is none."""
    bare = SIZED.sub(" ", unicodedata.normalize("NFKC", plain(text).replace("{,}", ",")))
    bare = re.sub(r"(?<!\\)[{}]", "", bare)  # braces of LaTeX: whether these fit, its compiler says
    stack: list[str] = []
    for at, char in enumerate(bare):
        if char in OPENS:
            stack.append(char)
        elif char in CLOSES:
            if stack and _fits(stack[-1], char):
                stack.pop()
            elif char != ")" or not any(m.end() == at + 1 for m in ITEM.finditer(bare)):
                return char
    return stack[0] if stack else ""


def _fits(opened: str, closed: str) -> bool:
    if opened in "([" and closed in ")]":
        return True
    return CLOSES.index(closed) == OPENS.index(opened)


def formula_broken(question: Question, context: Context) -> list[Issue]:
    """`formula.does_not_compile`, one a formula."""
    issues = []
    for name, words, text in fields_of(question):
        for latex in dict.fromkeys(m[1].strip() for m in FORMULA.finditer(plain(text))):
            if not compiles(latex):
                shown = latex if len(latex) <= SHOWN else latex[:SHOWN] + " …"
                said = f": a formula in {words} does not compile: {shown}"
                issues.append(issue(question, "formula.does_not_compile", "error", name, said))
    return issues


def language_mixed(question: Question, context: Context) -> list[Issue]:
    """`language.mixed`: the whole question, or single letters of a script that neither language has."""
    for name, words, text in fields_of(question):
        match = FOREIGN.search(MATH.sub(" ", plain(text)))
        if match:
            said = f": {words} holds {match.group()!r}, a letter of another script."
            return [issue(question, "language.mixed", "warning", name, said)]
    if context.others < MOST and other_language(question, context.language):
        said = f" is in another language than its paper ({context.language})."
        return [issue(question, "language.mixed", "warning", "stem", said)]
    return []


def units_implausible(question: Question, context: Context) -> list[Issue]:
    """`units.implausible`: quantities that no paper prints, which lost signs of units leave behind."""
    for name, words, text in fields_of(question):
        said = implausible(text)
        if said:
            return [issue(question, "units.implausible", "warning", name, f": {words} says {said}.")]
    return []


def implausible(text: str) -> str:
    """What is wrong with a quantity in `text`, empty when nothing is."""
    words = plain(text)
    bare = _typeset(words)
    for match in COLD.finditer(bare):
        if _value(match["n"]) < ABSOLUTE_ZERO:
            return f"{match.group().strip()!r}, colder than anything"
    for match in ACID.finditer(bare):
        if not ACIDS[0] <= _value(match["n"]) <= ACIDS[1]:
            return f"{match.group().strip()!r}, and no pH is that"
    if lost := GRAVITY.search(bare):
        return f"{lost.group().strip()!r}, where m/s² belongs"
    for match in LIGHT.finditer(bare):
        if re.fullmatch(r"m|s|m\s*[·]\s*s|m\s*/\s*S", match["u"]):
            return f"{match.group().strip()!r}, where m/s belongs"
    if low := FLAT_POWER.search(MATH.sub(" ", words)):
        return f"{low.group().strip()!r}, whose power stands on the line"
    return ""


def _typeset(text: str) -> str:
    """Formulas as plain text: what quantities look like on the page."""
    bare = re.sub(r"\\(?:mathrm|text|mathbf|operatorname)\s*\{([^{}]*)\}", r"\1", text)
    bare = re.sub(r"\\(?:times|cdot)\b", "×", bare.replace(r"\cdot", "·"))
    bare = re.sub(r"\^\s*\{?\s*\\circ\s*\}?", "°", bare)
    bare = re.sub(r"\\[,;:! ]|\\(?:quad|qquad)\b|[$]|~", " ", bare)
    return bare.replace("{", "").replace("}", "")


def _value(text: str) -> float:
    return float(re.sub(r"\s", "", text).replace("−", "-").replace("–", "-"))


def text_not_on_page(question: Question, context: Context) -> list[Issue]:
    """`text.not_on_page`, one a field: the share of its letters and digits that its pages' lines hold."""
    near = _near(question, context)
    everywhere = [*context.pages.values(), *context.keys]
    if not near:
        return []
    found: dict[str, Issue] = {}
    for name, words, text in fields_of(question):
        if name in found or (name == "answer" and question.type in (*CHOICE, "true_false")):
            continue
        if _origin(question, name) == "key_file":
            continue  # from data that no page shows
        moved = name in ("answer", "solution") or _origin(question, name) in ("shared", "key")
        said, severity = _unseen(text, everywhere if moved else near)
        if said:
            found[name] = issue(question, "text.not_on_page", severity, name, f": {words} {said}.")
    return list(found.values())


def _origin(question: Question, name: str) -> str:
    evidence = question.evidence.get(name)
    return evidence.origin if evidence else ""


def _near(question: Question, context: Context) -> list[PageText]:
    """Texts of the pages that the question stands on and of their neighbours; of all when no place is known. None when
    no line of these pages is known: then there is nothing to compare with."""
    own = {r.page for r in question.regions}
    own |= {e.page for e in question.evidence.values() if e.page is not None}
    known = {number: text for number, text in context.pages.items() if text.flat}
    if not own:
        return list(known.values())
    near = {n + d for n in own for d in range(-NEIGHBOURS, NEIGHBOURS + 1)}
    return [text for number, text in known.items() if number in near] if own & known.keys() else []


def _unseen(text: str, sources: Sequence[PageText]) -> tuple[str, Severity]:
    """What of `text` no source holds, in words, and how grave it is; empty when all of it is there."""
    share, run = seen_share(text, sources)
    letters = flat(text)
    unseen = round((1 - share) * len(letters))
    if (share < ENOUGH and unseen >= MIN_UNSEEN) or len(run) >= LONG_RUN:
        said = f"has {unseen} of {len(letters)} characters that stand nowhere on its pages ({run[:24]})"
        return said, "error" if share < HALF else "warning"
    numbers = frozenset().union(*(s.numbers for s in sources))
    for number in DIGITS.findall(unicodedata.normalize("NFKC", plain(text))):
        if not any(number in other for other in numbers):
            return f"holds the number {number}, which stands nowhere on its pages", "warning"
    return "", "warning"


def seen_share(text: str, sources: Sequence[PageText]) -> tuple[float, str]:
    """Share (0–1) of a text's letters and digits that lie in a window which a source holds, and the longest run that
    does not. Of texts shorter than a window every number and word must stand in a source."""
    letters = flat(text)
    size = window(letters)
    if not letters:
        return 1.0, ""
    if len(letters) <= size:
        # A short text may be put together from pieces of a fraction's lines: its numbers and words must be there.
        pieces = PIECE.findall(letters)
        there = any(letters in s.flat or all(piece in s.flat for piece in pieces) for s in sources)
        return (1.0, "") if there else (0.0, letters)
    covered = [False] * len(letters)
    for i in range(len(letters) - size + 1):
        piece = letters[i : i + size]
        if any(piece in s.windows[size] for s in sources):
            covered[i : i + size] = [True] * size
    runs, start = [], None
    for i, seen in enumerate([*covered, True]):
        if not seen and start is None:
            start = i
        elif seen and start is not None:
            runs.append(letters[start:i])
            start = None
    return sum(covered) / len(letters), max(runs, key=len, default="")


TEXT = (
    text_garbled, brackets_unbalanced, formula_broken, language_mixed, units_implausible, text_not_on_page,
)  # fmt: skip
__all__ = ["TEXT", "implausible", "seen_share", "text_garbled", "unbalanced"]
