"""True or false in the signs and words that keys and responses use."""

from __future__ import annotations

import re

_TRUE = {
    "√", "✓", "✔", "对", "正确", "是", "真", "true", "t", "yes", "y", "right", "correct", "成立", "说法正确",
    "并非错误", "不是错误", "没有错误", "无误", "not false", "not wrong",
}  # fmt: skip
_FALSE = {
    "×", "✗", "✘", "x", "错", "错误", "否", "假", "不正确", "不对", "不是正确", "不是对", "并非正确", "不真", "false",
    "f", "no", "n", "wrong", "incorrect", "not true", "not correct", "不成立", "非", "有误", "说法错误", "\\times",
}  # fmt: skip
_EDGES = re.compile(r"^[\s\"'“”（(\[【$*_.。，,:：；;！!]+|[\s\"'“”）)\]】$*_.。，,:：；;！!的]+$")
_LEAD = re.compile(
    r"^(?:这(?:个|句)?(?:说法|命题|判断)?|该?(?:说法|命题|判断|叙述|结论)|(?:the )?statement|it|this)\s*(?:是"
    r"|为|is)?\s*"
)
_INLINE = re.compile(
    r"不是正确|并非正确|不是错误|并非错误|没有错误|无误|不正确|不对|不成立|错误|有误|正确|\\times|[√✓✔×✗✘对错]"
    r"|\b(?:not (?:true|correct|false|wrong)|incorrect|true|false|correct|wrong)\b",
    re.IGNORECASE,
)


def verdict(text: str) -> bool | None:
    """The verdict that `text` spells in full, or None."""
    text = re.sub(r"\\(?:text|mathrm|checkmark)\b", lambda m: "√" if "check" in m.group() else "", text)
    text = _EDGES.sub("", text.replace("{", "").replace("}", "")).strip()
    text = _LEAD.sub("", text.lower()).removeprefix("是").strip() or text.lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return None


def verdict_in(sentence: str) -> bool | None:
    """The last verdict that a sentence states, None without one. `not true` counts as false."""
    whole = verdict(sentence)
    if whole is not None:
        return whole
    first = verdict(re.split("[,，]", sentence, maxsplit=1)[0])
    if first is not None:
        return first
    found = [verdict(word) for word in _INLINE.findall(sentence)]
    signs = set(re.findall("[√×✓✔✗✘]", sentence))
    if signs & set("√✓✔") and signs & set("×✗✘"):
        return None  # both are offered
    return found[-1] if found else None
