r"""How close a parsed paper (paper.json) is to a sample's truth: counts that pool by addition.

Every share is of the true items, so a question that was not found counts as wrong in each of its fields; `extra`
counts questions that the paper does not have. Numbering may restart, so questions with one number are paired by
the similarity of their text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from wholepage.boxes import Box

Variant = Literal["digital", "scan", "photo"]
Json = dict[str, Any]

OPTION_SIMILARITY = 0.9  # an option's text counts as read from here on
FIGURE_IOU = 0.5

_RAISED = {c: f"^{d}" for c, d in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True)}
_LOWERED = {c: f"_{d}" for c, d in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)}
_PUNCTUATION = str.maketrans({"。": ".", "“": '"', "”": '"', "‘": "'", "’": "'", "、": ",", "−": "-", "–": "-"})
_COMMANDS = {
    r"\le": "≤ \\leq ⩽ \\leqslant",
    r"\ge": "≥ \\geq ⩾ \\geqslant",
    r"\ne": "≠ \\neq",
    r"\times": "×",
    r"\cdot": "·  ⋅ •",
    r"\in": "∈",
    r"\cap": "∩",
    r"\cup": "∪",
    r"\subseteq": "⊆",
    r"\infty": "∞",
    r"\triangle": "△ \\bigtriangleup",
    r"\to": "→ \\rightarrow \\longrightarrow",
    r"\rightleftharpoons": "⇌",
    r"\uparrow": "↑",
    r"\downarrow": "↓",
    r"\vec": "\\overrightarrow",
    r"\emptyset": "∅ \\varnothing",
    r"\sqrt": "√",
    r"\circ": "° ∘",
    r"\pi": "π",
    r"\alpha": "α",
    r"\theta": "θ",
    r"\mu": "μ µ",
    r"\Omega": "Ω Ω",
    r"\sim": "∼ ~ ～",
    "|": "\\mid \\vert ∣",
    "%": "\\%",
    "...": "… ⋯ \\cdots \\ldots \\dots",
}
_SYNONYMS = {alias: name for name, aliases in _COMMANDS.items() for alias in aliases.split()}
_DROPPED = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|quad|qquad|limits)(?![A-Za-z])"
    r"|\\(?:begin|end)\{[a-z]+\}|\\[,;!: \\]|[$&]"
)
_FONTS = re.compile(r"\\(?:mathrm|mathbf|mathit|mathbb|text|operatorname|boldsymbol|textbf|bm|rm)(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums over questions; two papers pool with `+`. `text` is a sum of similarities (0–1 each)."""

    questions: int = 0
    found: int = 0
    extra: int = 0
    type: int = 0
    points: int = 0
    text: float = 0.0
    with_options: int = 0
    options: int = 0
    with_answer: int = 0
    answers: int = 0
    figures: int = 0
    figures_given: int = 0
    figures_hit: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def rates(self) -> dict[str, float | None]:
        """Shares 0–1 by column name, `extra` as a count; None where there was nothing to get right.

        `figures` is F1 = 2·hit / (true + given).
        """

        def share(part: float, whole: int) -> float | None:
            return part / whole if whole else None

        return {
            "found": share(self.found, self.questions),
            "extra": float(self.extra),
            "type": share(self.type, self.questions),
            "points": share(self.points, self.questions),
            "text": share(self.text, self.questions),
            "options": share(self.options, self.with_options),
            "answers": share(self.answers, self.with_answer),
            "figures": share(2 * self.figures_hit, self.figures + self.figures_given),
        }


# Conditions over a sign of reaction: KaTeX's long signs and \overset say the same.
_CONDITION = re.compile(r"\\overset\{((?:[^{}]|\{[^{}]*\})*)\}\{(=|\\rightleftharpoons)\}")
_LONG = {"=": r"\xlongequal", r"\rightleftharpoons": r"\xrightleftharpoons"}


def normalise(text: str) -> str:
    r"""One spelling for what a reader would call the same text.

    Pictures, HTML tags, empty answer brackets, spacing, braces and font commands go; every blank becomes one `_`;
    Unicode signs and LaTeX commands meet in one name; `\frac{a}{b}` becomes `a/b`.
    """
    s = re.sub(r"!\[[^\]]*\]\([^)]*\)|</?[a-z][^>]*>", "", text)
    s = re.sub(r"[_＿]{2,}|\\underline\{\s*\}", "＿", s)
    s = "".join(_RAISED.get(c, _LOWERED.get(c, c)) for c in s)
    s = "".join(_SYNONYMS[c] + " " if c in _SYNONYMS else c for c in s)
    s = unicodedata.normalize("NFKC", s).translate(_PUNCTUATION)
    s = re.sub(r"\(\s*\)", "", s)
    s = _CONDITION.sub(lambda m: f"{_LONG[m.group(2)]}{{{m.group(1)}}}", s)
    s = _FONTS.sub("", _DROPPED.sub(" ", s))
    s = re.sub(r"\\(?:[A-Za-z]+|%)", lambda m: _SYNONYMS.get(m.group(), m.group()), s)
    s = re.sub(r"\\([{}])", lambda m: "⦃" if m.group(1) == "{" else "⦄", s)
    s = re.sub(r"\s+", "", s.replace(r"\dfrac", r"\frac").replace(r"\tfrac", r"\frac"))
    before = ""
    while s != before:
        before = s
        s = re.sub(r"([\^_])\{([^{}]*)\}", r"\1\2", s)
        s = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", s)
    return re.sub(r"[{}]", "", s).replace(r"^\circ", r"\circ")


def similarity(a: str, b: str) -> float:
    """1 − normalised edit distance of the normalised texts, 0–1."""
    return float(Levenshtein.normalized_similarity(normalise(a), normalise(b)))


def truth_text(question: Json) -> str:
    """Stem (with its parts) and options of a true question."""
    return str(question["stem"]) + "".join(str(text) for text in question["options"].values())


def parsed_text(question: Json) -> str:
    """Stem, parts and options of a parsed question, in the order of `truth_text`."""
    parts = "".join(_part_text(p) for p in question.get("parts", []))
    return str(question.get("stem", "")) + parts + "".join(str(o["text"]) for o in question.get("options", []))


def _part_text(part: Json) -> str:
    own = f"{part.get('label', '')}{part.get('text', '')}"
    return own + "".join(_part_text(p) for p in part.get("parts", []))


def pair_questions(true: Sequence[Json], parsed: Sequence[Json]) -> tuple[list[Json | None], int]:
    """For each true question its parsed one or None, and how many parsed ones are left over.

    Only equal numbers pair; among several of one number the most similar texts pair first.
    """
    candidates = [
        (-similarity(truth_text(t), parsed_text(p)), i, k)
        for i, t in enumerate(true)
        for k, p in enumerate(parsed)
        if _number(t) == _number(p)
    ]
    chosen: dict[int, int] = {}
    for _, i, k in sorted(candidates):
        if i not in chosen and k not in chosen.values():
            chosen[i] = k
    return [parsed[chosen[i]] if i in chosen else None for i in range(len(true))], len(parsed) - len(chosen)


def _number(question: Json) -> str:
    return unicodedata.normalize("NFKC", str(question["number"])).strip(" .")


def options_match(true: dict[str, str], parsed: Sequence[Json]) -> bool:
    """Whether labels are exactly the true ones and each text is at least `OPTION_SIMILARITY` similar."""
    given = {str(o["label"]): str(o["text"]) for o in parsed}
    same = list(true) == [str(o["label"]) for o in parsed]
    return same and all(similarity(given[k], v) >= OPTION_SIMILARITY for k, v in true.items())


def answers_match(true: Sequence[str], parsed: Sequence[str]) -> bool:
    """Whether the lists agree entry by entry after normalising."""
    return [normalise(a).rstrip(".;") for a in true] == [normalise(a).rstrip(".;") for a in parsed]


class Places:
    """Maps true figure boxes (points of the flat page) to pixels of the pages that were parsed.

    Args:
        truth: a sample's truth.
        pages: `pages` of the parsed paper.
        variant: what was parsed.
        photo_page: the page that the photo shows, for variant `photo`.
    """

    def __init__(self, truth: Json, pages: Sequence[Json], variant: Variant, photo_page: int | None = None) -> None:
        self.truth, self.variant, self.photo_page = truth, variant, photo_page
        self.pages = {int(p["number"]): p for p in pages}

    def box(self, page: int, bbox: Sequence[float]) -> tuple[int, Box] | None:
        """Page number in the parsed paper and box in its pixels; None when that page was not parsed."""
        if self.variant == "photo":
            entry = next(p for p in self.truth["photos"] if p["page"] == self.photo_page)
            return self._through(1, bbox, entry) if page == self.photo_page else None
        if self.variant == "scan":
            return self._through(page, bbox, self.truth["scan"]["pages"][page - 1])
        stored = self.pages.get(page)
        if stored is None:
            return None
        width, height = self.truth["page_sizes_pt"][page - 1]
        return page, Box.of(bbox).scale(stored["width"] / width, stored["height"] / height)

    def _through(self, page: int, bbox: Sequence[float], entry: Json) -> tuple[int, Box] | None:
        stored = self.pages.get(page)
        if stored is None:
            return None
        box = Box.of(bbox).through(entry["homography"])
        return page, box.scale(stored["width"] / entry["width"], stored["height"] / entry["height"])


def figure_hits(true: Sequence[tuple[int, Box]], given: Sequence[tuple[int, Box]]) -> int:
    """How many true boxes have a given box of their own on the same page with IoU of at least `FIGURE_IOU`."""
    ranked = sorted(
        ((box.iou(other), i, k) for i, (p, box) in enumerate(true) for k, (q, other) in enumerate(given) if p == q),
        key=lambda c: (-c[0], c[1], c[2]),
    )
    used: set[int] = set()
    done: set[int] = set()
    for value, i, k in ranked:
        if value >= FIGURE_IOU and i not in done and k not in used:
            done.add(i)
            used.add(k)
    return len(done)


def measure(truth: Json, paper: Json, variant: Variant = "digital", photo_page: int | None = None) -> Counts:
    """Compare `paper` with `truth`; for a photo only the questions that start on its page count."""
    asked = [q for q in truth["questions"] if variant != "photo" or q["page"] == photo_page]
    pairs, extra = pair_questions(asked, paper["questions"])
    places = Places(truth, paper["pages"], variant, photo_page)
    total = Counts(extra=extra)
    for question, parsed in zip(asked, pairs, strict=True):
        total += _one(question, parsed, places)
    return total


def _one(q: Json, p: Json | None, places: Places) -> Counts:
    printed = bool(q["answer"]) and places.variant != "photo"  # a photo does not show the key on another page
    boxes = [places.box(f["page"], f["bbox"]) for f in q["figures"]]
    true = [b for b in boxes if b is not None] if places.variant == "photo" else boxes
    base = Counts(questions=1, with_options=int(bool(q["options"])), with_answer=int(printed), figures=len(true))
    if p is None:
        return base
    figures = [f for f in p.get("figures", []) if f.get("placement") != "solution"]
    given = [(int(f["page"]), Box.of(f["bbox"])) for f in figures]
    return base + Counts(
        found=1,
        type=int(p.get("type") == q["type"]),
        points=int(p.get("points") == q["points"]),
        text=similarity(truth_text(q), parsed_text(p)),
        options=int(bool(q["options"]) and options_match(q["options"], p.get("options", []))),
        answers=int(printed and answers_match(q["answer"], p.get("answer", []))),
        figures_given=len(given),
        figures_hit=figure_hits([b for b in true if b is not None], given),
    )
