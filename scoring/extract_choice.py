"""Which option letters a response chooses. A letter counts only where it stands alone: never the A of Answer or the
article A."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.extract_boxes import boxes, last_run
from scoring.extract_clean import Cleaned
from scoring.extract_retract import TAKEN_BACK, looks_again, retracts
from scoring.extract_text import BOLD, concluding, sentences, unbold
from scoring.rules.normalise import tidy

LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Letters found (sorted, without repeats), the text they stood in, and where; `rest` is what could name "
    "an option."""

    letters: str
    text: str
    where: str
    rest: str = ""
    conflict: str = ""


_FULL_WIDTH = {0xFF21 + n: LETTERS[n] for n in range(len(LETTERS))}  # Ａ … Ｈ
_JOIN = r"(?:\s*(?:[,，、;；/&+]|和|与|及|或者?|and|or)\s*|\s+|)"
_ONE = r"[(（\[【]?[A-H][)）\]】]?"
_RUN = rf"{_ONE}(?:{_JOIN}{_ONE}){{0,9}}(?![A-Za-z'’])"
_ONLY = re.compile(rf"^(?:选项|选|(?i:options?|choices?)|答案)?\s*({_RUN})\s*(?:项|选项)?[.。]?$")
_LEADING = re.compile(
    rf"^(?:选项|选|(?i:options?|choices?))?\s*({_RUN})(?:\s*(?:项|选项))?\s*(?:[.。．、:：,，)）;；\n]|$"
    rf"|\s+[-–—]|\s*(?:正确"
    rf"|符合|because\b|since\b|as\b|is\b|are\b|\(|（|[$\\=]))"
)
_ZH = re.compile(
    r"(?:故(?:本题)?(?:正确)?(?:答案)?(?:应?选(?:择)?(?!项)|为|是)|所以(?:本题)?(?:答案)?(?:应?选(?:择)?|为|是)"
    r"|因此(?:本题)?(?:答案)?(?:应?选(?:择)?(?!项)|为|是)|"
    r"(?:正确|错误|有误|符合(?:题意)?|成立)的(?:选项|说法|是)?有[:：]?|"
    r"【(?:正确|最终)?答案】|(?:本题)?(?:正确|最终)?(?:的)?答案(?:应该?|应当)?(?:选(?:择)?(?!项)|是|为|[:：\s])+|"
    r"(?:故|所以|因此)?(?:正确)?选项(?:应该?|应当)?(?:是|为|[:：])|(?:正确|错误|有误|符合(?:题意)?|成立|合适"
    r"|恰当|合理)的(?:一项|选项"
    r"|说法|是)?(?:是|为)|"
    r"(?:更正|修正|纠正|订正)\s*[:：]\s*(?:正确)?(?:答案)?(?:应(?:该|当)?)?(?:选(?:择)?|是|为)?|"
    r"应(?:该|当)?(?:选(?:择)?|改?为|是)|我选(?:择)?|(?:^|(?<=[\n。；;，,：:\s]))选(?:择)?(?!项|择题|修|取|用|出)|"
    r"(?:^|(?<=[\n。；;]))答[:：])"
    r"\s*[:：]?\s*(?:选项|第)?\s*"
)
_EN = re.compile(
    r"(?:\b(?:correct|right|true)\s+(?:statements?|ones?|items?)\s*(?:is|are|[:：])+\s*|"
    r"\b(?:(?:final|correct|right|best)\s+)*(?:answers?|choices?|options?)\s*(?:is|are|[:：=]|would be|must "
    r"be|should be)+\s*(?:the\s+)?|"
    r"\b(?:i\s+)?(?:choose|pick|select|would say|say)\s+|\bcorrection\s*:\s*"
    r"|\b(?:it|this) (?:is|must be|should be)\s+|\bso\s+"
    r"|\btherefore,?\s+|####\s*)"
    r"(?:(?:options?|choices?|letters?)\s+)?(?:only\s+)?",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?<!#)#{1,6}\s*(?:最终)?(?:答案|(?:final )?answer)\s*[:：]?\s*\n+\s*", re.IGNORECASE)
_NOT_BUT = re.compile(
    r"\bnot\s+(?:option\s+)?[A-H]\b(?:\s+(?:or|and|nor)\s+[A-H]\b)*\s*,?\s*but\s+(?:rather\s+|instead\s+)?"
    r"|(?:不是|不选|而非)\s*[A-H]\s*(?:项)?\s*[,，]?\s*(?:而是|而选|应选|但是)\s*|(?:rather than|instead of"
    r"|而非|而不是)\s+[A-H]\b",
    re.IGNORECASE,
)
_RIGHT_OPTION = re.compile(
    rf"(?:选项|option|choice)?\s*({_RUN})\s*[两二三四五]?(?:项|选项)?(?:的?(?:说法|分析|叙述|判断|结论))?\s*(?:均|都"
    rf"|是)?\s*(?:正确|符合题意|成立|是正确的"
    rf"|is (?:the )?(?:correct|right)|are correct|is right)",
)
_DENIED = re.compile(
    r"错|不正确|不对|不符合|不成立|不是|不选|不能选|有误|排除|除了|以外|之外|incorrect|wrong|eliminat|exclud|\bnot\b|n't\b"
    r"|\bexcept\b|\bbut\b|\bunlike\b",
    re.IGNORECASE,
)
_ISOLATED = re.compile(r"(?<![A-Za-z\\$_^{])[A-H](?![A-Za-z'’_^])")


def letters_of(text: str) -> str:
    """Distinct letters of a run such as `A、C` or `(B)`, sorted."""
    return "".join(sorted(set(re.findall(r"[A-H]", text))))


def letters_only(text: str) -> str | None:
    """The letters when `text` consists of nothing else, e.g. of a box; None otherwise. Lower case counts here."""
    bare = tidy(text).replace("{", "").replace("}", "").strip(" .。\"'")
    if re.fullmatch(r"[a-h]", bare) or re.fullmatch(r"\([a-h]\)", bare):
        return letters_of(bare.upper())
    found = _ONLY.match(bare)
    return letters_of(found.group(1)) if found else None


def _leading(text: str) -> str | None:
    """Letters with which a statement begins: `B`, `B. ½`, `C because …`; the article `A` before a word does "
    "not count."""
    text = text.lstrip(" *_`\"'：:").replace("\\text", "").replace("{", "").replace("}", "")
    text = re.sub(r"^\$?\s*\\(?:mathrm|mathbf)\s*", "", text).lstrip("$ ")
    found = _LEADING.match(text)
    if found is None:
        return None
    run = found.group(1)
    after = text[found.end(1) :]
    if run.endswith("A") and re.match(r"\s+(?!and|or|is|are|because|since|as|\()[a-z]", after):
        return None
    hedge = re.match(r"\s*[(（,，]?\s*(?:或者?|或许|or|/|可能)\s*(?:是|为|选)?\s*([A-H])(?![A-Za-z])", after)
    return letters_of(run + (hedge.group(1) if hedge else ""))


def _before_option(content: str) -> str | None:
    """The letter in a box that holds an option with its letter: `A 12`, `(B) \\frac{1}{2}`; no article, no word."""
    found = re.match(r"^[(\[]?([A-H])[)\]]?\s+(?=[^A-Za-z\s])", content)
    return found.group(1) if found else None


def beside_letter(text: str) -> str:
    """What stands after the one letter with which a statement begins: `½` of `B. ½`; '' when there is nothing."""
    found = re.match(r"^[\s*_$（(\[]*([A-H])[）)\]]?\s*(?:[.．、:：,，)）]\s*|\s+)(?=\S)(.{1,200})$", tidy(text))
    return found.group(2).strip(" )）]") if found else ""


def choose(cleaned: Cleaned, labels: str = LETTERS) -> Chosen:
    """The letters chosen, in the order: JSON, last box(es), last marker, bold or bare letter, right options named."""
    text = cleaned.text.translate(_FULL_WIDTH)
    if cleaned.answers:
        joined = ", ".join(cleaned.answers)
        return Chosen(letters_only(joined) or _leading(joined) or "", joined, "JSON answer", joined)
    found = boxes(text)
    marked = _marked(text)
    if found:
        run = [b for b in last_run(text, [b for b in found if b.content.strip()]) if b.content.strip()]
        if not run and marked is None:
            return Chosen("", "", "empty box")
        if run and (marked is None or marked[1] < len(unbold(text[: run[-1].start])) or not marked[0].letters):
            content = ", ".join(b.content.strip() for b in run)
            letters = letters_only(content)
            if letters is None:
                letters = _leading(tidy(content)) or _before_option(tidy(content)) or ""
            return Chosen(letters, content, "box", content, _conflict(letters, text[run[-1].end :]))
    if marked is not None:
        return marked[0]
    return _unmarked(text)


def _marked(text: str) -> tuple[Chosen, int] | None:
    """What follows the last marker that is followed by letters; otherwise the last marker's words."""
    bare = _NOT_BUT.sub("", unbold(text))
    places = sorted(
        [(m.start(), m.end(), m.group()) for p in (_ZH, _EN, _HEADING) for m in p.finditer(bare)],
        key=lambda place: place[1],
    )
    words: tuple[Chosen, int] | None = None
    for start, end, marker in reversed(places):
        line = bare[end : end + 300].lstrip("\n ").split("\n", 1)[0]
        letters = _leading(line)
        if letters:
            conflict = _conflict(letters, bare[end:])
            return Chosen(letters, line[:80].strip(), f"after {marker.strip()[:20]}", conflict=conflict), start
        weak = bool(re.match(r"\s*(?:so|therefore|it|this|选)", marker, re.IGNORECASE))
        if words is None and line.strip() and not weak:
            words = Chosen("", line.strip()[:200], f"after {marker.strip()[:20]}", sentences(line)[0]), start
    return words


def _conflict(letters: str, rest: str) -> str:
    """Why the letters do not stand: the text after them takes them back, or names others after a second look."""
    if retracts(rest):
        return TAKEN_BACK
    again = looks_again(rest)
    others = letters_of("".join(_RIGHT_OPTION.findall(again))) if again else ""
    return TAKEN_BACK if others and others != letters else ""


def _unmarked(text: str) -> Chosen:  # noqa: PLR0911
    bare = _NOT_BUT.sub("", unbold(text)).strip()
    first = bare.split("\n", 1)[0].strip()
    for candidate, where in ((bare, "whole response"), (first, "first line")):
        letters = letters_only(candidate) if len(candidate) <= 40 else None
        if letters:
            return Chosen(letters, candidate, where)
    if re.match(r"^[A-H]\s*[.．)）:：]\s*\S", first) and "\n" not in bare:
        return Chosen(first[0], first, "whole response", first)
    bolds = [b for b in BOLD.findall(text) if letters_only(b)]
    lines = [s for s in text.split("\n") if s.strip()]
    if bolds and lines and bolds[-1] in lines[-1]:
        return Chosen(letters_only(bolds[-1]) or "", bolds[-1], "bold at the end")
    weak = concluding(text)
    if weak is None:
        return Chosen("", "", "nowhere")
    sentence = _NOT_BUT.sub("", weak.text)[-400:]
    right = _RIGHT_OPTION.findall(sentence)
    if right:
        return Chosen(letters_of("".join(right)), sentence[:120], weak.where, sentence)
    alone = set(_ISOLATED.findall(_without_article(sentence)))
    if len(alone) == 1 and len(sentence) <= 200 and not _DENIED.search(sentence):
        return Chosen(alone.pop(), sentence[:120], weak.where, sentence)
    last_bold = BOLD.findall(lines[-1]) if lines else []
    rest = last_bold[-1].strip() if last_bold else sentence
    return Chosen("", rest[:200], weak.where, rest)


def _without_article(sentence: str) -> str:
    """Without `A` as an article or a sentence's first word."""
    return re.sub(r"\bA\s+(?=[a-z])(?!and\b|or\b|is\b|are\b)", "", sentence)
