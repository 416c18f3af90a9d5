"""`text_only`: stem, options and parts as text; figures are named but not shown."""

from __future__ import annotations

from exam_mode.forms.base import Block, Context, Request, TextBlock, instruction
from exam_mode.forms.body import body
from exam_mode.items import Item
from exam_mode.prompts import fill
from wholepage.records import Figure


def build(item: Item, context: Context) -> Request:
    """Instructions, then the question's text."""
    language = context.speech(item.source)

    def show(figure: Figure, number: int) -> Block:
        name = figure.caption or str(number)
        return TextBlock(fill("figure_named", language, name=name) + "\n")

    return Request((instruction("text", item, context), *body(item, show)))
