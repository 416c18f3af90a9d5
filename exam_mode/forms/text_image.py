"""`text_image`: the question's text with its cropped figures in place."""

from __future__ import annotations

from exam_mode.forms.base import Block, Context, Request, image_block, instruction
from exam_mode.forms.body import body
from exam_mode.items import Item
from wholepage.records import Figure


def build(item: Item, context: Context) -> Request:
    """Instructions, then text and figures in printed order."""

    def show(figure: Figure, _number: int) -> Block:
        return image_block(context.images.figure(item.source.folder / figure.file))

    return Request((instruction("text", item, context), *body(item, show)))
