"""What forms are made of: blocks of text and images, and the context in which they are built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from exam_mode.images.store import ImageStore, Sent
from exam_mode.items import ExamPaper, Item
from exam_mode.prompts import fill
from wholepage.records import Page


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """An image file, named by the hash of its bytes."""

    path: Path
    sha256: str
    width: int
    height: int


Block = TextBlock | ImageBlock


@dataclass(frozen=True, slots=True)
class Request:
    """One user message. `pages` are the 1-based pages whose images it holds."""

    blocks: tuple[Block, ...]
    pages: tuple[int, ...] = ()

    @property
    def images(self) -> list[ImageBlock]:
        """The images in order."""
        return [b for b in self.blocks if isinstance(b, ImageBlock)]

    @property
    def text(self) -> str:
        """All text, blocks separated by blank lines."""
        return "\n\n".join(b.text for b in self.blocks if isinstance(b, TextBlock))

    def digest(self) -> str:
        """SHA-256 over texts and image hashes: two requests with this digest send the same."""
        parts = [b.text if isinstance(b, TextBlock) else ["image", b.sha256] for b in self.blocks]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Context:
    """How requests are built.

    `style` is `cot` (think step by step) or `direct`; `pages` says whether whole-page forms send all pages or only the
    question's own; `captions` maps figure id to caption for the form `captions`; `blind` allows text without figures.
    """

    images: ImageStore
    style: Literal["cot", "direct"] = "cot"
    pages: Literal["all", "own"] = "all"
    language: Literal["zh", "en"] | None = None
    captions: Mapping[str, str] = field(default_factory=dict)

    def speech(self, source: ExamPaper) -> str:
        """Language of the prompts: the user's choice, else the paper's."""
        return self.language or source.language


def image_block(sent: Sent) -> ImageBlock:
    """A block for an image of the store."""
    return ImageBlock(sent.path, sent.sha256, sent.width, sent.height)


def instruction(name: str, item: Item, context: Context, **values: str) -> TextBlock:
    """The prompt file `name` for this item, with the answering rules of the style in `$rules`."""
    language = context.speech(item.source)
    rules = fill(f"rules_{context.style}", language)
    return TextBlock(fill(name, language, rules=rules, **values))


def page_blocks(source: ExamPaper, pages: list[Page], context: Context) -> tuple[list[Block], dict[int, list[Sent]]]:
    """Images of whole pages in page order, each tile under a line that says which piece it is."""
    blocks: list[Block] = []
    sent: dict[int, list[Sent]] = {}
    language = context.speech(source)
    for page in pages:
        if page.image is None:
            continue
        files = context.images.page(source.folder, page.number, source.folder / page.image)
        sent[page.number] = files
        for file in files:
            if file.tile is not None:
                place = {"page": str(page.number), "index": str(file.tile[0]), "count": str(file.tile[1])}
                blocks.append(TextBlock(fill("tile", language, **place)))
            blocks.append(image_block(file))
    return blocks, sent


def shown_pages(item: Item, context: Context) -> list[Page]:
    """Pages that a whole-page form sends: all that show no answers, or only the question's own."""
    pages = item.source.question_pages
    if context.pages == "own":
        return [p for p in pages if p.number in set(item.own_pages)]
    return pages
