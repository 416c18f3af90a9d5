"""`crop`: the question's regions cut out of their pages, in reading order, then the instruction."""

from __future__ import annotations

from exam_mode.forms.base import Block, Context, Request, image_block, instruction
from exam_mode.items import Item
from wholepage.boxes import Box

MARGIN = 8.0  # pixels of paper around a region, so that no stroke is cut


def build(item: Item, context: Context) -> Request:
    """One image a region (or its tiles)."""
    images = {p.number: p.image for p in item.paper.pages if p.image}
    blocks: list[Block] = []
    for region in item.question.regions:
        box = Box.of(region.bbox).grow(MARGIN)
        path = item.source.folder / str(images[region.page])
        blocks += [image_block(s) for s in context.images.page(item.source.folder, region.page, path, box)]
    return Request((*blocks, instruction("crop", item, context)), tuple(item.own_pages))
