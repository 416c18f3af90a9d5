"""What a key says beside the answer: alternatives, remarks, and keys that name no answer at all."""

from __future__ import annotations

import re

from scoring.rules.normalise import has_han

_NO_ANSWER = re.compile(
    r"^[\s(（【]*(?:证明)?(?:见|详见|略|参考).{0,6}(?:解析|详解|解答|答案|图)?[\s)）】。.]*$|^略[。.]?$"
    r"|^证明(?:略|见.*)$|"
    r"言之有理|合理即可|酌情给分|^(?:see|refer to)\b.*(?:solution|explanation)|^proof\b|answers? (?:may|will) vary",
    re.IGNORECASE,
)
_NOT_UNIQUE = re.compile(
    r"[\s,，;；]*[(（\[【]?\s*(?:答案不唯一|不唯一|写出一个即可|任写一个|合理即可|等)[^)）\]】]*[)）\]】]?\s*$"
)
_EXAMPLE = re.compile(r"^\s*[(（【]?\s*(?:答案)?不唯一\s*[)）】]?\s*[,，。;；:：]?\s*(?:例?如)?\s*[,，:：]?\s*")
_BRACKET_OR = re.compile(
    r"[(（]\s*(?:或者?|或写成|or)\s*[:：]?\s*([^()（）]+(?:[(（][^()（）]*[)）])?[^()（）]*)[)）]", re.IGNORECASE
)
_BRACKET = re.compile(r"^([^()（）]{2,})[(（]([^()（）]{2,})[)）]$")
_SLASH = re.compile(r"\s+/\s+|(?<=[a-z]{4})/(?=[a-z]{4})|(?<=[一-鿿]{2})/(?=[一-鿿]{2})")
_MATH = re.compile(r"[\d$\\=<>^_{}]")
_WORD = re.compile(r"[A-Za-z一-鿿]{2,}")
_ONE_ENOUGH = re.compile(
    r"(?:写出|填|任写|举出|任选)(?:其中)?(?:的)?一[个种条]|一[个种条]即可|only one|any one of", re.IGNORECASE
)
_LABEL = re.compile(r"^\s*(?:[(（]\s*\d{1,2}\s*[)）]|[①-⑳])\s*(?=\S)")
_LABELS_ONLY = re.compile(r"(?:[\s,，、和]*(?:[(（]\s*\d{1,2}\s*[)）]|[①-⑳]))+\s*")
# A sign that needs something before it: what looks like a label is the first operand.
_GOES_ON = re.compile(r"[+*/^_=<>≤≥×÷·∪∩%!°]|\\(?:times|div|cdot|cup|cap|leq?|geq?|neq?|lt|gt|circ)(?![a-z])")

_EITHER = re.compile(r"[-−±(（\[]|\\(?:pm|left)(?![a-z])")


def names_no_answer(gold: str) -> bool:
    """Keys such as 见解析, 略, proof: there is nothing to compare with."""
    return bool(_NO_ANSWER.search(gold.strip()))


def split_not_unique(gold: str) -> tuple[str, bool]:
    """The key without 答案不唯一, and whether it said so."""
    example = _EXAMPLE.match(gold)
    if example and example.end() < len(gold):
        return gold[example.end() :], True
    found = _NOT_UNIQUE.search(gold)
    if found and found.start() > 0 and found.group().strip() != "等":
        return gold[: found.start()], True
    return gold, False


def one_is_enough(question: str) -> bool:
    """Whether the question asks for one of several answers."""
    return bool(_ONE_ENOUGH.search(question))


def alternatives(gold: str) -> tuple[list[str], list[str]]:
    """(texts of which any one is right, texts that may be right but need a judge).

    The whole key is compared for identity elsewhere. A list that 或 joins is no choice: x=2或x=3 asks for
    both. In words (升高或变大) it is one.
    """
    text = gold.strip()
    if "##" in text or "\\#" in text:
        pieces = re.split(r"(?:\\?#\s*){2,}", text)
        dollars = text.count("$") and any(p.count("$") % 2 for p in pieces)
        return [p.strip().strip("$").strip() if dollars else p.strip() for p in pieces if p.strip(" $")], []
    found = _BRACKET_OR.search(text)
    if found:
        head = (text[: found.start()] + text[found.end() :]).strip()
        if head:
            return [head, found.group(1).strip()], []
    if not _MATH.search(text):
        pieces = _SLASH.split(text)
        if len(pieces) > 1 and all(_WORD.search(p) for p in pieces):
            return [p.strip() for p in pieces], []
        if has_han(text) and "或" in text and not re.search("或[者许然]?[高低多少大小]?于", text):
            pieces = [p.strip() for p in re.split("或者|或", text)]
            if all(1 < len(p) <= 12 for p in pieces):
                return pieces, []
    bracket = _BRACKET.match(text)
    if bracket and has_han(text) and not _MATH.search(bracket.group(2)):
        return [bracket.group(1).strip()], [bracket.group(2).strip()]
    return [text], []


def without_label(gold: str) -> list[str]:
    """The readings of a key that may begin with a label (1) or ①, the likeliest first; one or two texts.

    (2)(3) are answers, not labels. `(1)+x` goes on as a sum: no label. `(1)-3` and `(2)(x+1)` may be either, so that
    both readings are given; with a blank behind it, (1) is a label.
    """
    label = _LABEL.match(gold)
    if label is None:
        return [gold]
    rest = gold[label.end() :]
    if _LABELS_ONLY.fullmatch(rest) or _GOES_ON.match(rest):
        return [gold]
    either = not label.group()[-1].isspace() and label.group().strip()[-1] in ")）" and _EITHER.match(rest) is not None
    return [rest, gold] if either else [rest]
