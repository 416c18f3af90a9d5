"""Statements of an answer in running text: after a marker, in bold at the end, in the concluding sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ZH_MARK = (
    r"【(?:正确|最终)?答案】[:：]?|(?:最终|最后)?(?:的)?(?:答案|结果)(?:应该?|应当)?(?:是|为|[:：])+"
    r"|故(?:答案)?应?填[:：]?|所以应?填[:：]?"
    r"|因此应?填[:：]?|应填[:：]?|(?:更正|修正|纠正|订正)\s*[:：]\s*(?:正确)?(?:答案|结果)?(?:应(?:该|当)?)?(?:改?为|是)?|(?:^|(?<=[\n。；;]))\s*答[:：]|"
    r"(?:最终|最后)?答案[:：\s]*(?=\n)|(?<!#)#{1,6}\s*(?:最终)?答案\s*[:：]?\s*\n|判断(?:为|[:：])|(?:离子"
    r"|化学|热化学|电极反应"
    r"|反应的)?[^\n。]{0,12}方程式(?:为|是)?[:：]"
)
_EN_MARK = (
    r"\b(?:final\s+|correct\s+)?answers?\s*(?:is|are|[:：=])+|\b(?:final\s+)?answer\s*\n|(?<!#)####\s*"
    r"|(?<!#)#{1,6}\s*(?:final\s+)?answer\s*[:：]?\s*\n|"
    r"\bresult\s*(?:is|[:：])|\bcorrection\s*:\s*(?:the answer (?:is|should be))?"
)
MARK = re.compile(f"(?:{_ZH_MARK}|{_EN_MARK})", re.IGNORECASE)
BOLD = re.compile(r"\*\*([^*\n]{1,200}?)\*\*")
_CHECK = re.compile(
    r"^\s*[#*【\[]*\s*(?:检验|验证|验算|经检验|经验证|检查|说明|解析|注|分析|点评|理由|备注|check|verif"
    r"|explanation|explain|note|reason"
    r"|proof|remark|solution)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^[\s*#>-]*(?:所以|因此|故|∴|综上(?:所述)?|于是|从而|则|即|可知|可得|解得|得|\$?\\therefore|so\b|thus\b"
    r"|therefore\b|hence\b|in "
    r"conclusion\b|"
    r"we (?:get|have|find)\b|finally\b|this gives\b)",
    re.IGNORECASE,
)
_INNER_LEAD = re.compile(
    r"([，,；;]\s*)(?:所以|因此|故|∴|从而|于是|即(?=[\s$\\A-Za-z\d(-])|解得|可得|(?:一|总)?共(?=[\s$\d])|合计"
    r"|therefore\b|thus\b|so\b|hence\b)",
    re.IGNORECASE,
)
_FORMULA_LINE = re.compile(
    r"^\s*(?:\$[^$]+\$|\$\$[^$]+\$\$|\\\[.+\\\]|[^一-鿿a-z$]{0,40}=[^一-鿿$]{1,60})[.。]?\s*$", re.DOTALL
)
_SENTENCE = re.compile(r"(?<=[。！？!?；;])|(?<=\.)\s+(?=[A-Z\u4e00-\u9fff\"'*])|\n+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of text that states the answer, where it stood, and whether it stood in a place meant for answers."""

    text: str
    where: str
    strong: bool
    position: int = 0


def _is_check(sentence: str) -> bool:
    """A check or an explanation, unless it also draws the conclusion."""
    return bool(_CHECK.match(sentence)) and not re.search("所以|因此|故|解[为是]|原方程|therefore|hence", sentence)


def unbold(text: str) -> str:
    """Without Markdown emphasis."""
    return re.sub(r"\*\*|__(?!_)|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", text)


def sentences(text: str) -> list[str]:
    """Sentences and lines; formulas between dollars and environments stay whole."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"\x00{len(kept) - 1}\x00"

    masked = re.sub(
        r"\$\$.{1,2000}?\$\$|\$[^$\n]{1,800}\$|\\\[.{1,2000}?\\\]|\\\(.{1,800}?\\\)", hide, text, flags=re.DOTALL
    )
    pieces = [p for p in _SENTENCE.split(masked) if p and p.strip()]
    return [re.sub("\x00(\\d+)\x00", lambda m: kept[int(m.group(1))], p).strip() for p in pieces]


def marked(text: str) -> Statement | None:
    """What follows the last marker (答案, 答：, Answer:, The answer is …) up to the end of its line."""
    bare = unbold(text)
    for found in reversed(list(MARK.finditer(bare))):
        rest = bare[found.end() :].lstrip(" :：\t")
        rest = rest.lstrip("\n ") if not rest.split("\n", 1)[0].strip() else rest
        rest = _environment_whole(rest)
        if rest.strip(" .。,，:：$"):
            return Statement(rest.strip(), "after " + found.group().strip()[:24], True, found.start())
    return None


def _environment_whole(rest: str) -> str:
    """The first line, or the lines up to the end of a display or environment that begins there."""
    line = rest.split("\n", 1)[0]
    for opening, closing in (("$$", "$$"), ("\\[", "\\]")):
        if line.strip().startswith(opening):
            end = rest.find(closing, rest.find(opening) + 2)
            if 0 < end < 2000:
                return rest[: end + 2]
    if "\\begin" in line and "\\end" not in line:
        end = rest.find("\\end")
        return rest[: rest.find("}", end) + 2] if 0 < end < 2000 else line
    first = sentences(line)
    return first[0] if first else ""


def bold(text: str) -> Statement | None:
    """Bold words in the last paragraph line, or the whole first line in bold."""
    spans = [(m.start(), m.group(1).strip(" :：")) for m in BOLD.finditer(text)]
    spans = [
        (s, b)
        for s, b in spans
        if b and not re.fullmatch(r"[(（][\d①-⑳a-z][)）]|解|答|答案|解析|分析|Answer|Solution|Explanation", b)
    ]
    if not spans:
        return None
    lines = [line for line in text.split("\n") if line.strip() and not _is_check(line)]
    if lines and spans[-1][0] >= text.rfind(lines[-1]):
        return Statement(spans[-1][1], "bold at the end", True, spans[-1][0])
    first = text.lstrip().split("\n", 1)[0].strip()
    if re.fullmatch(r"\*\*[^*]{1,60}\*\*[.。]?", first):
        return Statement(spans[0][1], "bold first line", True, 0)
    return None


def concluding(text: str) -> Statement | None:
    """The last sentence that draws a conclusion (所以, 故, ∴, so …), else the last sentence; checks are passed over."""
    kept = [s for s in sentences(unbold(text)) if not _is_check(s)]
    if not kept:
        return None
    if _FORMULA_LINE.match(kept[-1]):
        return Statement(kept[-1], "last line, a formula", False, len(text))
    for sentence in reversed(kept[-4:]):
        if _LEAD.match(sentence) and len(sentence) > 3:
            return Statement(_from_last_lead(sentence), "concluding sentence", False, len(text))
    return Statement(_from_last_lead(kept[-1]), "last sentence", False, len(text))


def _from_last_lead(sentence: str) -> str:
    """From the last 所以, 故, so … within a sentence: `cos B = ½，所以 B = 60°`."""
    found = list(_INNER_LEAD.finditer(sentence))
    return sentence[found[-1].end(1) :] if found else sentence
