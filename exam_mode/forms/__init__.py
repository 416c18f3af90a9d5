"""Input forms: what a taker is shown of a question. Each module builds one; `build` finds it by the mode's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from exam_mode.forms.base import Block, Context, ImageBlock, Request, TextBlock
from exam_mode.items import Item

__all__ = ["Block", "Context", "ImageBlock", "Request", "TextBlock", "build"]


def build(mode: str, item: Item, context: Context) -> Request:
    """The request for one question in one mode; the same input gives the same bytes.

    Args:
        mode: a form that asks single questions (every mode but `mock_exam`).
        item: a question that is fit for the mode.
        context: images, style and captions.

    Raises:
        ImageError: a page or figure cannot be made into an image for the model.
    """
    make: Callable[[Item, Context], Request] = import_module(f"exam_mode.forms.{mode}").build
    return make(item, context)


NO_CAPTIONS: Mapping[str, str] = {}
