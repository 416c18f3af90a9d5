"""Control characters made visible: what could disguise text on a screen or speak to a terminal."""

from __future__ import annotations

import re

# Direction marks, embeddings, overrides and isolates; invisible separators; tag characters, which hide whole sentences.
_HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with every control character shown as a picture (␛), the rest of the unseen ones as ⟨U+202E⟩."""
    return _CONTROLS.sub(_picture, _HIDDEN.sub(_named, text))


def _named(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"
