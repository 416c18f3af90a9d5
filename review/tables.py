"""Tables of a question: parsed, and written anew from a whitelist; what is no table structure stays as text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

MAX_SPAN = 60
MAX_ROWS, MAX_CELLS = 400, 60
_STRUCTURE = frozenset({"table", "thead", "tbody", "tfoot", "tr", "colgroup", "col"})
_INLINE = frozenset({"b", "strong", "i", "em", "u", "sub", "sup"})
_BREAKS = frozenset({"br", "p", "div", "li"})

_NO_TAG = re.compile(r"<(?!/?[A-Za-z])")  # a sign, a comment, a declaration: text, and html.parser raises on some


@dataclass
class _Cell:
    tag: str
    spans: dict[str, int]
    pieces: list[str] = field(default_factory=list)


class _TableParser(HTMLParser):
    """Collects rows of cells; a cell's pieces are either safe tags or text passed through `inline`."""

    def __init__(self, inline: Callable[[str], str]) -> None:
        super().__init__(convert_charrefs=True)
        self.inline = inline
        self.rows: list[list[_Cell]] = []
        self.caption: list[str] = []
        self.outside: list[str] = []
        self._cell: _Cell | None = None
        self._in_caption = False
        self._open: list[str] = []
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            self._cell = _Cell(tag, _spans(attrs))
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append(self._cell)
        elif tag == "caption":
            self._end_cell()
            self._in_caption = True
        elif tag in _INLINE and self._cell is not None:
            self._flush()
            self._open.append(tag)
            self._cell.pieces.append(f"<{tag}>")
        elif tag in _BREAKS:
            self._text.append("\n" if self._text or tag == "br" else "")
        elif tag not in _STRUCTURE:
            self._text.append(self.get_starttag_text() or f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()
        elif tag == "caption":
            self._flush()
            self._in_caption = False
        elif tag in self._open and self._cell is not None:
            self._flush()
            while self._open:
                last = self._open.pop()
                self._cell.pieces.append(f"</{last}>")
                if last == tag:
                    break
        elif tag not in _STRUCTURE | _BREAKS | _INLINE:
            self._text.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def close(self) -> None:
        super().close()
        self._end_cell()

    def _flush(self) -> None:
        text = "".join(self._text)
        self._text.clear()
        if self._cell is not None:
            if text.strip("\n"):
                self._cell.pieces.append(self.inline(text.strip("\n")))
        elif text.strip():
            (self.caption if self._in_caption else self.outside).append(self.inline(text.strip()))

    def _end_cell(self) -> None:
        self._flush()
        if self._cell is not None:
            self._cell.pieces.extend(f"</{tag}>" for tag in reversed(self._open))
        self._open.clear()
        self._cell = None
        self._in_caption = False


def _spans(attrs: list[tuple[str, str | None]]) -> dict[str, int]:
    """colspan and rowspan, 2 to MAX_SPAN; every other attribute is dropped."""
    spans = {}
    for name, value in attrs:
        if name in ("colspan", "rowspan") and value and value.isascii() and value.isdigit() and len(value) < 6:
            number = min(int(value), MAX_SPAN)
            if number > 1:
                spans[name] = number
    return spans


def clean_table(source: str, inline: Callable[[str], str]) -> str:
    """Safe HTML of one ``<table>…</table>``.

    Only rows, cells, spans, a caption and simple letter styles survive. Other tags are shown as text, since a page
    may print them. `inline` turns a cell's plain text into safe HTML (formulas, blanks).
    """
    parser = _TableParser(inline)
    parser.feed(_NO_TAG.sub("&lt;", source))
    parser.close()
    rows = [row[:MAX_CELLS] for row in parser.rows if row]
    parts = ["<table>"]
    if parser.caption:
        parts.append(f"<caption>{' '.join(parser.caption)}</caption>")
    parts.extend(f"<tr>{''.join(_cell(c) for c in row)}</tr>" for row in rows[:MAX_ROWS])
    parts.append("</table>")
    table = "".join(parts) if rows else ""
    cut = len(rows) > MAX_ROWS or any(len(row) > MAX_CELLS for row in parser.rows)
    note = f'<p class="cut">The table is cut at {MAX_ROWS} rows and {MAX_CELLS} cells a row.</p>' if cut else ""
    stray = f"<p>{' '.join(parser.outside)}</p>" if parser.outside else ""
    return f'<div class="table">{table}</div>{note}{stray}'


def _cell(cell: _Cell) -> str:
    spans = "".join(f' {html.escape(name)}="{value}"' for name, value in cell.spans.items())
    return f"<{cell.tag}{spans}>{''.join(cell.pieces)}</{cell.tag}>"
