"""`captions`: text only, with a description of each figure by a captioning model."""

from __future__ import annotations

from exam_mode.errors import ExamError
from exam_mode.forms.base import Block, Context, Request, TextBlock, image_block, instruction
from exam_mode.forms.body import body
from exam_mode.items import ExamPaper, Item
from exam_mode.prompts import fill
from wholepage.records import Figure


def build(item: Item, context: Context) -> Request:
    """Instructions, then the question's text with captions in place of figures.

    Raises:
        ExamError: a caption is missing.
    """
    language = context.speech(item.source)

    def show(figure: Figure, number: int) -> Block:
        caption = context.captions.get(figure.id)
        if caption is None:
            raise ExamError(
                f"Question {item.id}: figure {figure.id} has no caption.", hint="Name a model with --captioner MODEL."
            )
        name = figure.caption or str(number)
        return TextBlock(fill("figure_caption", language, name=name, caption=caption) + "\n")

    return Request((instruction("text", item, context), *body(item, show)))


def caption_request(source: ExamPaper, figure: Figure, context: Context) -> Request:
    """What the captioning model is asked about one figure: the image first, then the instruction."""
    image = image_block(context.images.figure(source.folder / figure.file))
    return Request((image, TextBlock(fill("caption", context.speech(source)))))
