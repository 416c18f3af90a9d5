"""inspect-ai's messages to what chat templates of Qwen-VL take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from exam_mode.qwen_vl.errors import QwenModelError

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

_INVISIBLE = "\u2060"  # word joiner


def to_chat(messages: Sequence[ChatMessage], special: Iterable[str] = ()) -> tuple[list[dict[str, Any]], list[str]]:
    """Messages as role and content parts, and the sources of their images in order.

    Text is data: a special token written in it (`<|im_end|>`, `<|image_pad|>`) is broken by an invisible word
    joiner, so that no page or reply can end its own message or claim an image. Reasoning of earlier turns is left
    out, as Qwen's own templates do.

    Raises:
        QwenModelError: tool messages, audio, video or documents.
    """
    marks = sorted(special, key=len, reverse=True)
    chat: list[dict[str, Any]] = []
    images: list[str] = []
    for message in messages:
        if message.role == "tool":
            raise _unsupported("a tool message")
        parts: list[dict[str, str]] = []
        content = message.content
        for part in [content] if isinstance(content, str) else content:
            if isinstance(part, str) or part.type == "text":
                text = part if isinstance(part, str) else part.text
                parts.append({"type": "text", "text": harmless(text, marks)})
            elif part.type == "image":
                parts.append({"type": "image"})
                images.append(part.image)
            elif part.type != "reasoning":
                raise _unsupported(f"content of type {part.type}")
        chat.append({"role": message.role, "content": parts})
    return chat, images


def harmless(text: str, special: Iterable[str]) -> str:
    """`text` with special tokens broken after their first character."""
    for token in special:
        if token in text:
            text = text.replace(token, token[0] + _INVISIBLE + token[1:])
    return text


def _unsupported(what: str) -> QwenModelError:
    return QwenModelError(f"qwen-vl cannot take {what}.", hint="Send text and images only.", code="model.unsupported")
