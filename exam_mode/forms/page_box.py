"""`page_box`: whole pages and the box of the question, in the unit in which the model reads boxes."""

from __future__ import annotations

from exam_mode.forms.base import Context, Request, instruction, page_blocks, shown_pages
from exam_mode.images.store import Sent
from exam_mode.items import Item
from exam_mode.prompts import fill
from wholepage.boxes import Box


def build(item: Item, context: Context) -> Request:
    """Pages in order, then the instruction with one line a region: which image, which box."""
    pages = shown_pages(item, context)
    blocks, sent = page_blocks(item.source, pages, context)
    order = [(number, file) for number, files in sent.items() for file in files]
    grid = context.images.limits.rule.boxes == "grid"
    language = context.speech(item.source)
    lines = []
    for region in item.question.regions:
        for index, (number, file) in enumerate(order, start=1):
            box = _on(file, Box.of(region.bbox)) if number == region.page else None
            if box is not None:
                shown = box.to_grid(file.width, file.height) if grid else box
                values = ", ".join(str(round(v)) for v in shown.as_list())
                lines.append(fill("box_line", language, image=str(index), box=f"[{values}]"))
    unit = fill("box_grid" if grid else "box_pixels", language)
    prompt = instruction("page_box", item, context, boxes="\n".join(lines), unit=unit)
    return Request((*blocks, prompt), tuple(p.number for p in pages))


def _on(file: Sent, box: Box) -> Box | None:
    """The box in pixels of the sent file; None when the file (a tile) does not hold any of it."""
    moved = box.shift(-file.left, -file.top).scale(file.scale_x, file.scale_y)
    return moved.intersection(Box(0, 0, file.width, file.height))
