"""Answers that are taken back: `答案是 8。不对，重新算……`, `Answer: 8. Wait, it should be 9.`"""

from __future__ import annotations

import re

_RETRACTION = re.compile(
    r"(?:^|[\n。！!？?；;，,.…\s])(?:等等|等一下|慢着|不对|不，)[，,。！!：:…\s]"
    r"|算错|写错了|看错|搞错|弄错|漏掉了|前面(?:的)?(?:计算|结果|答案)(?:有误|错)"
    r"|重新(?:计算|算|考虑|审题|推导|检查|分析|看)|更正|(?:答案|结果)应(?:该|当)?(?:改|更正|修正)为|应(?:该|当)?改为|改为\s*[\d\\$A-H]"
    r"|\bon second thoughts?\b|\bscratch that\b|\bcorrection\b"
    r"|\b(?:wait|actually|hmm|no|oops|sorry)\b[,，.!… -]{1,4}"
    r"(?:no\b|wait\b|that|it|this|the answer|the correct|i\b|actually|let me|we)"
    r"|(?:^|[.!?\n]\s*|\b(?:hmm|wait|no),?\s+)that(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct)|a mistake)"
    r"|\bi (?:made|have made) an? (?:mistake|error|slip)|\bi (?:mis(?:read|counted|calculated|took))\b"
    r"|\b(?:let me|i(?:'| wi)ll|we should) (?:re-?do|re-?calculate|re-?compute|re-?consider|start over|try again)"
    r"|\bthe (?:right |correct )?answer should (?:actually |instead )?be\b|\bit should (?:actually|instead) be\b",
    re.IGNORECASE,
)
_SECOND_LOOK = re.compile(
    r"再(?:检查|看|想|核对)一?[下遍]|检查一下|\bdouble-?check|\bre-?check|\bhmm\b|\blet me (?:verify|check)\b",
    re.IGNORECASE,
)
TAKEN_BACK = "the response takes this answer back"


def retracts(rest: str) -> bool:
    """Whether the text after a stated answer takes it back."""
    return bool(_RETRACTION.search(rest[:4000]))


def looks_again(rest: str) -> str | None:
    """The text after a second look at the answer (`let me double-check …`); None without one."""
    found = _SECOND_LOOK.search(rest[:4000])
    return rest[found.end() :] if found else None
