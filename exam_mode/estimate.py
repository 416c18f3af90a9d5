"""Tokens of a request before it is sent: images by the provider's formula, text by a rule of thumb."""

from __future__ import annotations

import unicodedata

from exam_mode.forms.base import Request
from exam_mode.images.sizes import ImageRule

CHARACTERS_PER_TOKEN = 4.0  # of text in Latin script, numbers and formulas
_WIDE = frozenset({"W", "F"})


def text_tokens(text: str) -> int:
    """About how many tokens a text has: one a Chinese character, one for four others. True counts come with replies."""
    wide = 0 if text.isascii() else sum(unicodedata.east_asian_width(c) in _WIDE for c in text)
    return wide + round((len(text) - wide) / CHARACTERS_PER_TOKEN)


def image_tokens(request: Request, rule: ImageRule) -> int:
    """Tokens of all images of the request."""
    return sum(rule.cost(block.width, block.height) for block in request.images)


def input_tokens(request: Request, rule: ImageRule) -> int:
    """Estimated input tokens of the request."""
    return text_tokens(request.text) + image_tokens(request, rule)
