"""What a model is told: the prompt of the template, and the page's lines as JSON data that no template engine sees."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parse_templates.model.lines import Book
from parse_templates.prompting import render_prompt

PROMPT_VERSION = 2
LONGEST_SIDE = 1600  # pixels of a page image that is sent
MAX_SHOWN_REPLY = 6000  # characters of an unusable reply that the model is shown again


def user_data(book: Book, lines: range) -> str:
    """The lines of a window as one JSON object between boundary lines.

    JSON writes line breaks as escapes, so no text can stand on a boundary line; the boundary depends on all the data.
    """
    pages = {(book.lines[i].page, i >= book.count) for i in lines}
    figures = [
        {"id": f"p{page.number}-f{index + 1}", "page": page.number, "column": f.column, "y": round(f.box.y0)}
        for page in book.prepared.pages
        if (page.number, False) in pages
        for index, f in enumerate(page.figures)
    ]
    data = json.dumps({"lines": [book.shown(i) for i in lines], "figures": figures}, ensure_ascii=False)
    boundary = hashlib.sha256(f"{PROMPT_VERSION}\n{data}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"<<<DATA {boundary}\n{data}\nDATA {boundary}>>>\nReply with the JSON object for these lines."


def messages_for(
    book: Book, lines: range, missing: Sequence[str] = (), images: Mapping[int, Path] | None = None
) -> list[dict[str, Any]]:
    """The messages that ask for one window; with `images` (page number → file) the pages are sent too."""
    text = user_data(book, lines)
    content: Any = text
    shown = sorted({book.lines[i].page for i in lines if i < book.count}) if images else []
    pictures = [images[n] for n in shown if images and n in images]
    if pictures:
        content = [{"type": "text", "text": text}, *(image_part(p) for p in pictures)]
    return [
        {"role": "system", "content": render_prompt(book.prepared.template, missing)},
        {"role": "user", "content": content},
    ]


def repair_messages(messages: Sequence[dict[str, Any]], reply: str, errors: Sequence[str]) -> list[dict[str, Any]]:
    """The messages with an unusable reply and what is wrong with it."""
    said = "\n".join(f"- {e}" for e in errors[:12])
    request = f"Your reply cannot be used:\n{said}\nGive the whole JSON object again, with this put right."
    return [
        *messages[:2],
        {"role": "assistant", "content": reply[:MAX_SHOWN_REPLY] or "(empty)"},
        {"role": "user", "content": request},
    ]


def image_part(path: Path) -> dict[str, Any]:
    """A stored page image as a part of a message, made smaller where it is large. Raises PageError if it is damaged."""
    import cv2

    from ingest.render import read_page_image

    image = read_page_image(path)
    scale = min(1.0, LONGEST_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    _, data = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR))
    url = "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": url}}
