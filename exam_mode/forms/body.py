"""The text of a question, with its figures in place as images, as captions, or only named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from exam_mode.forms.base import Block, TextBlock
from exam_mode.items import Item, walk_parts
from wholepage.records import Figure

_LINK = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")

ShowFigure = Callable[[Figure, int], Block]  # the figure and its 1-based number in this question


def body(item: Item, show: ShowFigure) -> list[Block]:
    """Stem, options and parts in printed order; `show` gives the block that stands for a figure.

    A figure stands where the text links it, else after the piece of the question to which it belongs.
    """
    return _joined(list(_pieces(item, show)))


def _pieces(item: Item, show: ShowFigure) -> Iterator[Block]:
    writer = _Writer(item, show)
    question = item.question
    yield from writer.text(question.own_stem)
    yield from writer.placed("stem", "shared", "")
    for option in question.options:
        yield from writer.text(f"{option.label}. {option.text}".rstrip())
        yield from writer.by_id(option.figure)
        yield from writer.placed(f"option:{option.label}")
    for part, depth in walk_parts(question.parts):
        points = f" [{part.points:g}]" if part.points is not None else ""
        yield from writer.text("  " * depth + f"{part.label} {part.text}{points}".strip())
        yield from writer.placed(f"part:{part.label}")
    yield from writer.rest()


class _Writer:
    """Remembers which figures were shown, so that each is shown once."""

    def __init__(self, item: Item, show: ShowFigure) -> None:
        self._figures = item.figures
        self._show = show
        self._shown: set[str] = set()
        self._hidden = {f.file for f in item.question.figures if f not in item.figures}

    def text(self, text: str) -> Iterator[Block]:
        """Text with its links replaced by figures; links to figures of the solution vanish."""
        start = 0
        for link in _LINK.finditer(text):
            yield TextBlock(text[start : link.start()])
            start = link.end()
            figure = next((f for f in self._figures if f.file == link.group(1)), None)
            if figure is not None:
                yield from self._once(figure)
        yield TextBlock(text[start:] + "\n")

    def by_id(self, figure_id: str | None) -> Iterator[Block]:
        """The figure with that id."""
        yield from (b for f in self._figures if f.id == figure_id for b in self._once(f))

    def placed(self, *placements: str) -> Iterator[Block]:
        """Figures with one of the placements."""
        yield from (b for f in self._figures if f.placement in placements for b in self._once(f))

    def rest(self) -> Iterator[Block]:
        """Figures that no text, option or part claimed."""
        yield from (b for f in self._figures for b in self._once(f))

    def _once(self, figure: Figure) -> Iterator[Block]:
        if figure.id not in self._shown:
            self._shown.add(figure.id)
            yield self._show(figure, len(self._shown))


def _joined(blocks: list[Block]) -> list[Block]:
    """Neighbouring texts become one block; empty ones vanish."""
    result: list[Block] = []
    for block in blocks:
        if isinstance(block, TextBlock) and result and isinstance(result[-1], TextBlock):
            result[-1] = TextBlock(result[-1].text + block.text)
        else:
            result.append(block)
    stripped = [TextBlock(b.text.strip("\n")) if isinstance(b, TextBlock) else b for b in result]
    return [b for b in stripped if not isinstance(b, TextBlock) or b.text.strip()]
