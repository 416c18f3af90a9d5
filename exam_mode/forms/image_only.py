"""`image_only`: whole uncropped pages, then the section and number of the question as printed, nothing else."""

from __future__ import annotations

from exam_mode.forms.base import Context, Request, TextBlock, instruction, page_blocks, shown_pages
from exam_mode.forms.naming import printed_name
from exam_mode.items import Item
from exam_mode.prompts import fill


def build(item: Item, context: Context) -> Request:
    """Pages in order, then the instruction that names the question."""
    pages = shown_pages(item, context)
    blocks, _ = page_blocks(item.source, pages, context)
    name = printed_name(item, context.speech(item.source))
    return Request((*blocks, instruction("image_only", item, context, target=name)), tuple(p.number for p in pages))


def probe_request(item: Item, context: Context) -> Request:
    """The separate call that asks for a transcription of the same question on the same pages."""
    pages = shown_pages(item, context)
    blocks, _ = page_blocks(item.source, pages, context)
    language = context.speech(item.source)
    text = fill("probe", language, target=printed_name(item, language))
    return Request((*blocks, TextBlock(text)), tuple(p.number for p in pages))
