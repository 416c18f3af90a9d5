"""What of a response counts as its answer text: without thinking, without words to the grader, within a size."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from scoring.rules.normalise import matching_brace

HEAD, TAIL = 3_000, 16_000  # characters kept of an overlong response: answers stand at the end, sometimes at the start

_TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad")
_NAMES = "|".join(_TAGS)
_TAG = re.compile(
    rf"(<\s?/\s?(?:{_NAMES})\s?>|<\|end_of_thought\|>|◁/think▷|\[/THINK\])"
    rf"|<\s?(?:{_NAMES})\s?>|<\|begin_of_thought\|>|◁think▷|\[THINK\]",
    re.IGNORECASE,
)
_GRADER = re.compile(
    r"评分|阅卷|判分|批改|判为|判定?(?:为|成)?(?:正确|满分|对)|满分|系统提示|提示词|忽略.{0,12}(?:指令|要求"
    r"|答案)|标准答案|参考答案|"
    r"\bgrad(?:er|ing)\b|\bmark(?:er)?\b.{0,30}\b(?:correct|right)|full (?:marks|credit)|\bas correct\b|system prompt|"
    r"\bsystem\s*:|ignore (?:all|any|the|previous|prior)|\bverdict\b|\bscore\b\s*[\"':=]|evaluat(?:or|ion) "
    r"(?:note|instruction)|"
    r"(?:official|expected|reference|gold(?:en)?)[ _](?:answer|key|solution)|answer key|ground[ _]truth",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"(?:标准|参考|官方)答案|"
    r"(?:与|同|和|见)?(?:标准|参考|官方)?答案(?:相同|一致|一样)|同(?:标准|参考)答案|同上|same as (?:the "
    r")?(?:key|answer|reference"
    r"|official)|as in the key|"
    r"the (?:correct|right|official) answer\b(?! is)|正确答案$",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"无法(?:确定|判断|作答|回答|求解|计算|得出|看到|识别|给出)|不能(?:确定|作答|回答)|不知道|不确定|不会做"
    r"|看不到|没有(?:看到|提供)|不会[。.]?$|空着|未填|放弃|"
    r"条件不足|条件不够|数据不足|题目不完整|信息不足|缺少(?:条件|图)|请提供|抱歉|未作答|没有?算出|不清楚|"
    r"\b(?:cannot|can't|can not|unable to|not able to|could not|couldn't)\b.{0,40}\b(?:see|determine|answer"
    r"|solve|find|view|access|tell|provide|"
    r"help|assist|give|decide|work)\b|\bdon't know\b|\bdo not know\b|\bnot sure\b|\bsorry\b|insufficient|not "
    r"enough information|no idea\b|"
    r"need (?:more|the figure|the image)",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?:接下来.{0,12}|然后|继续|再代入|代入|解得|得到?|可得|由于|因为|所以|则|设|又|即|\b(?:then|next|so"
    r"|therefore|we get|hence|because"
    r"|since|let|now|"
    r"which gives|substituting)\b)\s*$|[,，、:：+\-=(（]\s*$",
    re.IGNORECASE,
)


_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_LONG_BLANK = re.compile(r"[^\S\n]{3,}")
_MANY_LINES = re.compile(r"\n\s{2,}")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """`text` to search; `answers` from a JSON reply; `unfinished` when the text stops in the middle."""

    text: str
    answers: tuple[str, ...] = ()
    unfinished: bool = False
    refused: bool = False


def without_thinking(response: str) -> str:
    """Drop thinking blocks: closed ones, one that never closes, and all before a closing tag without an opening."""
    kept: list[str] = []
    at = 0
    inside = False
    for tag in _TAG.finditer(response):
        closing = tag.group(1) is not None
        if inside and closing:
            inside, at = False, tag.end()
        elif not inside and closing:
            kept.clear()  # everything before a lone closing tag was thought
            at = tag.end()
        elif not inside:
            kept.append(response[at : tag.start()])
            inside = True
    if not inside:
        kept.append(response[at:])
    return "".join(kept)


def claims_to_match(text: str) -> bool:
    """Whether an 'answer' only says that it equals the key."""
    return bool(_CLAIM.search(text))


def refuses(text: str) -> bool:
    """Whether a text declines to answer."""
    return bool(_REFUSAL.search(text))


def clean(response: str) -> Cleaned:
    """The part of a response that can hold an answer. Linear in its length."""
    text = without_thinking(_COMMENT.sub("", response)).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + "\n" + text[-TAIL:]
    text = _LONG_BLANK.sub("  ", _MANY_LINES.sub("\n\n", text))  # no pattern below then meets long runs of blanks
    answers, text = _json_answers(text)
    lines = []
    for line in text.split("\n"):
        if not _GRADER.search(line):
            lines.append(line)
            continue
        kept = [s for s in re.split(r"(?<=[。！!；;])|(?<=\.)\s+", line) if not _GRADER.search(s) or "\\boxed" in s]
        lines.append("".join(kept))
    text = "\n".join(lines).strip()
    return Cleaned(text, answers, _is_unfinished(text), refuses(text[-400:]))


def _is_unfinished(text: str) -> bool:
    if not text:
        return False
    last = text.rstrip("*` \n")
    opened = last.rfind("boxed{")
    if opened >= 0 and matching_brace(last, opened + 5) < 0:
        return True
    return bool(_UNFINISHED.search(last[-60:])) or last.count("$") % 2 == 1


_KEYS = ("final_answer", "finalanswer", "answer", "answers", "答案", "最终答案", "result")
_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n\s*```\s*$", re.DOTALL)
_VERDICT_LINE = re.compile(r"^\s*\{.*\}\s*$", re.MULTILINE)
MAX_JSON = 20_000


def _json_answers(text: str) -> tuple[tuple[str, ...], str]:
    """Answers of a reply that is one JSON object, and the text without JSON lines that hold no answer."""
    body = text.strip()
    if fenced := _FENCE.match(body[: MAX_JSON + 100]):
        body = fenced.group(1).strip()
    if body.startswith("{") and body.endswith("}") and len(body) <= MAX_JSON:
        found = _answer_of(body)
        if found is not None:
            return found, ""
    lines = []
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith('{"') and stripped.endswith("}") and len(stripped) <= MAX_JSON:
            found = _answer_of(stripped)
            if found is not None:
                return found, ""
            if _is_json(stripped):
                continue
        lines.append(line)
    return (), "\n".join(lines)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _answer_of(text: str) -> tuple[str, ...] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    lowered = {str(k).lower(): v for k, v in value.items()}
    for key in _KEYS:
        answer = lowered.get(key)
        if isinstance(answer, bool):
            return ("True" if answer else "False",)
        if isinstance(answer, str | int | float):
            return (str(answer),)
        if isinstance(answer, list) and answer and all(isinstance(a, str | int | float) for a in answer):
            return tuple(str(a) for a in answer)
    return None
