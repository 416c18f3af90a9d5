"""Readings of a statement: from the whole text down to what follows its verb, in a fixed order.

`最大速度为 20 m/s（即 72 km/h）` → itself, `20 m/s`, … The first reading that a rule can read is the one it
uses; none is chosen because it fits the key.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scoring.rules.normalise import MAX_ANSWER

_LEADS = re.compile(
    r"^(?:[\s,，。;；:：#*]|>(?!\s*[-+−\d.\\$])|所以|因此|故而?|∴|\$\s*\\therefore\s*|\\therefore|综上(?:所述|可得)?|于是|从而"
    r"|可知|可得|解得|解[:：]|答[:：]|即"
    r"|则|得(?!到)|"
    r"共(?:有)?|一共|总共|至少|最多|原式|(?:so|thus|therefore|hence|then|finally|we (?:get|have|find)|that"
    r"|the answer is"
    r"|answer)\b|(?:答案|结果)(?:是|为|[:：])?)+",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"约为|应该?是|等于|得到|可得|解得|变为|写作|记作|填写?|选|为|是|得|有|在|属于|发生"
    r"|(?<=[一-鿿）)])\s?[:：]|(?<=[A-Za-z]{3})[:：]|\bis\b|\bare\b"
    r"|\bequals\b|\bwas\b|\bbe\b|\bof\b"
    r"|\btakes?\b|\bgives\b|\bget\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s*(?:[(（](?!\s*(?:或|or\b|也))(?:[^()（）]|[(（][^()（）]*[)）])*?(?:[一-鿿]|i\.e\.|about|approx"
    r"|since|because|as\b|from\b|using|see\b|which|that is)(?:[^()（）]"
    r"|[(（][^()（）]*[)）])*[)）]|[,，。;；]?\s*(?:符合题意|即为所求|满足题意|即可|成立))\s*[。.]?\s*$"
)
_JOINS = r"(?!\s*(?:或|和|与|及|以及|且|and\b|or\b))"
_CLAUSE = re.compile(rf"[，,；;]{_JOINS}(?=\s*[一-鿿A-Za-z]{{2}})|[。；;]\s*$|。|\.\s")
_DISCARDED = re.compile(
    r"(?:[,，、或]|或者)?\s*[^,，、或。；;]{1,40}?\s*[(（]?\s*(?:舍去|不合题意|舍|不符合题意|增根|rejected"
    r"|discarded?|extraneous)\s*[)）]?"
)
_ROOT = re.compile(r"[A-Za-z](?:_\{?\w\}?)?\s*=\s*[-−]?[\w.\\{}/^]+")
_FORMULA = re.compile(r"\$\$?([^$]{1,400})\$\$?|\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]")
_NEGATED = re.compile(r"(?:[不没非未无][含会能再该应存]?|\bnot )$")
_NUMBER = re.compile(r"(?<![\w.±∓{^_(])[-−－]?\d+(?:\.\d+)?(?![\w.])")
_PROSE = re.compile(r"[一-鿿]|(?<![\\A-Za-z])[A-Z]?[a-z]{3,}(?![A-Za-z0-9])")
MAX_READINGS = 24


def without_discarded(text: str) -> str:
    """Without what is said to be discarded, also where it was listed before: `m=3 或 m=-1，经检验 m=-1 舍去`."""
    if not re.search("舍|不合题意|不符合题意|增根|reject|discard|extran", text):
        return text
    kept = _DISCARDED.sub("", text)
    for match in _DISCARDED.finditer(text):
        named = _ROOT.search(match.group())
        if named is not None:
            root = re.escape(named.group().strip())
            kept = re.sub(rf"\s*(?:或者?|or\b|[,，、])\s*\$?\s*{root}(?![\w.])\$?", "", kept)
    return kept.strip() or text


def without_tail(text: str) -> str:
    """Without a closing remark: `20 m/s（即 72 km/h）`, `3，符合题意`."""
    return _TAIL.sub("", text)


@lru_cache(maxsize=2048)
def readings(text: str) -> tuple[str, ...]:
    """Readings of `text`, longest first, without repeats."""
    text = text.strip()[:MAX_ANSWER]
    found: list[str] = []

    def add(candidate: str) -> None:
        candidate = candidate.strip().strip("。；;")
        if candidate and candidate not in found and len(found) < MAX_READINGS:
            found.append(candidate)

    text = without_discarded(text)
    base = _TAIL.sub("", text)
    for whole in (text, base):
        lead = _LEADS.match(whole)
        add(whole)
        add(whole[lead.end() :] if lead else whole)
    ends = _verbs(base)
    for verb in ends:
        add(base[verb:])
        add(_TAIL.sub("", base[verb:]))
    lead = _LEADS.match(base)
    for start in (*reversed(ends), lead.end() if lead else 0):
        add(_CLAUSE.split(base[start:], maxsplit=1)[0])
    return tuple(found)


def _verbs(text: str) -> list[int]:
    """Ends of the verbs outside formulas; not after 不 (不是 states what is not)."""
    ends: list[int] = []
    masked = _FORMULA.sub(lambda m: "\x01" * len(m.group()), text)
    for match in list(_VERB.finditer(masked))[:12]:
        if _NEGATED.search(masked[max(0, match.start() - 4) : match.start()]):
            continue
        if re.match(r"\s*not\b", masked[match.end() :]):
            continue
        ends.append(match.end())
    return ends


def last_formula(text: str) -> str | None:
    """The last formula between dollars, for concluding sentences."""
    found = list(_FORMULA.finditer(text))
    return next((g for g in found[-1].groups() if g), None) if found else None


def only_number(text: str) -> str | None:
    """The number in a sentence that holds just one; a formula that could not be read is no sentence."""
    if not _PROSE.search(text):
        return None
    found = _NUMBER.findall(text)
    return found[0] if len(found) == 1 else None


def from_number(text: str) -> str | None:
    """The only number of a sentence with what follows it in its clause, which may be a unit."""
    found = list(_NUMBER.finditer(text))
    if len(found) != 1 or not _PROSE.search(text):
        return None
    return re.split(r"[,，。;；]|\.(?:\s|$)", text[found[0].start() :].strip(), maxsplit=1)[0] if found else None
