"""Paper source → typst document → PDF and marks (where typst put each number and figure)."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samples.latex import to_typst
from samples.source import Figure, Key, PaperSource, Part, Question, Section
from wholepage.errors import MissingExtraError, WholepageError

TYPST = Path(__file__).parent / "typst"
LATIN_FONT = "Libertinus Serif"  # embedded in the typst wheel
CJK_FONTS = (
    "Noto Serif CJK SC",
    "Source Han Serif SC",
    "Noto Serif SC",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Noto Sans SC",
)
RASTER_PPI = 170.0
MM = 72 / 25.4


class FontMissingError(WholepageError):
    """A Chinese paper was asked for and no CJK font is installed."""

    default_code = "samples.font_missing"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that typst reports: 1-based page, box in points."""

    id: str
    page: int
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Typeset:
    """The PDF of a paper and its marks by id: `start:Q`, `figure:Q:K` with Q, K counted from 0 through the paper."""

    pdf: bytes
    marks: dict[str, Mark]


def _typst() -> Any:
    """The package typst; its stubs do not know that a document may be given as a dict of files."""
    try:
        return importlib.import_module("typst")
    except ImportError as error:
        raise MissingExtraError.for_extra("samples", "typst") from error


def cjk_font() -> str | None:
    """The first known Chinese font that this machine has, or None."""
    families = set(_typst().Fonts().families())
    return next((name for name in CJK_FONTS if name in families), None)


def fonts_for(paper: PaperSource) -> list[str]:
    """Font families in order of preference.

    Raises:
        FontMissingError: a Chinese paper without a Chinese font; the hint says what to install.
    """
    if paper.language != "zh":
        cjk_font()  # the same complaint when typst is absent
        return [LATIN_FONT]
    font = cjk_font()
    if font is None:
        raise FontMissingError(
            f"The paper {paper.name} is Chinese and no Chinese font was found (looked for {', '.join(CJK_FONTS)}).",
            hint="Install one, e.g. apt install fonts-noto-cjk; the papers in samples/papers need no font.",
        )
    return [LATIN_FONT, font]


def typeset(paper: PaperSource) -> Typeset:
    """Set a paper with typst.

    Raises:
        FontMissingError: see `fonts_for`.
        FormulaError: a formula outside the known LaTeX subset.
    """
    fonts = fonts_for(paper)
    typst = _typst()
    with tempfile.TemporaryDirectory(prefix="wholepage-samples-") as name:
        folder = Path(name)
        for source in TYPST.glob("*.typ"):
            shutil.copy(source, folder)
        for drawing in raster_names(paper):
            _raster(drawing, fonts, folder)
        main = folder / "main.typ"
        main.write_text(document(paper, fonts), encoding="utf-8")
        pdf = typst.compile(str(main), timestamp=0)
        marks = [Mark(**m) for m in json.loads(typst.query(str(main), "<mark>", field="value"))]
    return Typeset(pdf, {m.id: m for m in marks})


def raster_names(paper: PaperSource) -> list[str]:
    """Names of the drawings that the paper places as pictures."""
    questions = [q for s in paper.sections for q in s.questions]
    return sorted({f.draw for q in questions for f in q.figures if f.raster})


def _raster(name: str, fonts: list[str], folder: Path) -> None:
    """Draw `name` alone and leave it as NAME.png in `folder`."""
    main = folder / f"raster-{name}.typ"
    main.write_text(
        f'#import "figures.typ": drawings\n#set page(width: auto, height: auto, margin: 1mm)\n'
        f'#set text({_fonts(fonts)}, lang: "zh")\n#(drawings.at({_string(name)}))()',
        encoding="utf-8",
    )
    _typst().compile(str(main), str(folder / f"{name}.png"), format="png", ppi=RASTER_PPI)


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _fonts(fonts: list[str]) -> str:
    latin = f'(name: "{fonts[0]}", covers: "latin-in-cjk")' if len(fonts) > 1 else f'"{fonts[0]}"'
    return f"font: ({latin}, " + "".join(f'"{f}", ' for f in fonts[1:]) + ")"


def rich(text: str, paper: PaperSource) -> str:
    """Markdown with `$LaTeX$` and `____` → typst content in brackets; a newline starts a new line."""
    out = []
    for piece in re.split(r"(\$[^$]+\$|_{4,}|\n)", text.strip()):
        if piece.startswith("$"):
            out.append(f"${to_typst(piece[1:-1])}$")
        elif piece == "\n":
            out.append(" \\ ")
        elif piece.startswith("____"):
            out.append("#rule-blank()" if paper.blank_style == "rule" else '#"________"')
        elif piece:
            out.append(f"#{_string(piece)}")
    return "[" + "".join(out) + "]"


def document(paper: PaperSource, fonts: list[str]) -> str:
    """The whole typst document."""
    writer = _Writer(paper)
    body = [*writer.opening()]
    for section in paper.sections:
        body += writer.section(section)
    if paper.key:
        body += writer.key(paper.key)
    p = paper.page
    inside = 34 if p.seal else p.margin_x
    page_args = (
        f"(width: {p.width}mm, height: {p.height}mm, columns: {p.columns}, margin: (left: {inside}mm, "
        f"right: {p.margin_x}mm, top: {p.margin_y}mm, bottom: {p.margin_y}mm))"
    )
    text_args = f'({_fonts(fonts)}, size: {p.size}pt, lang: "{paper.language}")'
    footer = _string(paper.footer)
    head = f"[#{_string(paper.header)}]" if paper.header else "none"
    counted = (
        f'context {{ let t = {footer}; t.replace("PAGES", str(counter(page).final().first()))'
        f'.replace("PAGE", str(counter(page).get().first())) }}'
    )
    return (
        '#import "paper.typ": *\n#import "figures.typ": drawings\n'
        f"#set columns(gutter: {p.gutter}mm)\n"
        f"#show: paper.with({page_args}, {text_args}, {p.leading}, {head}, {counted}, {str(p.seal).lower()})\n"
        + "\n\n".join(body)
    )


class _Writer:
    """Emits typst markup; `index` counts questions through the paper, as the marks do."""

    def __init__(self, paper: PaperSource) -> None:
        self.paper, self.index = paper, 0

    def rich(self, text: str) -> str:
        return rich(text, self.paper)

    def opening(self) -> list[str]:
        paper, out = self.paper, []
        sizes = [14.5, 17.0] if len(paper.title) > 1 else [17.0]
        for line, size in zip(paper.title, [*sizes, *[13.0] * len(paper.title)], strict=False):
            out.append(f'#align(center, text({size}pt, weight: "bold", {self.rich(line)}))')
        if paper.subtitle:
            out.append(f"#align(center, {self.rich(paper.subtitle)})")
        if paper.fields:
            out.append(f"#align(center, {self.rich(paper.fields)})")
        if paper.instructions_title:
            out.append(f'#text(weight: "bold", {self.rich(paper.instructions_title)})')
        out += [f"#par(hanging-indent: 1.6em, {self.rich(line)})" for line in paper.instructions]
        if paper.break_after_instructions:
            out.append("#pagebreak()")
        return out

    def section(self, section: Section) -> list[str]:
        out = [f'#block(above: 1.4em, below: 1em, sticky: true, text(weight: "bold", {self.rich(section.heading)}))']
        if section.note:
            out.append(f"#block(sticky: true, {self.rich(section.note)})")
        for question in section.questions:
            out.append(self.question(question))
            self.index += 1
        return out

    def question(self, q: Question) -> str:
        start = f'#mark("start:{self.index}", [#{_string(q.number + self.paper.number_suffix)}])'
        points = self._points(q)
        marks = f'#h(1fr)#box[#"({q.points:g} marks)"]' if points == "" and q.points and not q.parts else ""
        first = f"#par(hanging-indent: 1.6em)[{start}#h(0.45em){points}#{self.rich(q.stem)}{marks}]"
        placed = {place: self._figures(q, place) for place in ("right", "below", "option", "solution")}
        lines = [first]
        if q.table:
            lines.append(self._table(q))
        if placed["below"]:
            lines.append(f"#below(({', '.join(placed['below'])},))")
        if q.after:
            lines.append(f"#par(hanging-indent: 1.6em, {self.rich(q.after)})")
        lines += [line for part in q.parts for line in self._part(part, 1)]
        if q.options:
            lines.append(self._options(q, placed["option"]))
        body = "\n".join(lines)
        if placed["right"]:
            body = f"#beside([{body}], ({', '.join(placed['right'])},))"
        tail = [f"#answer-space({q.space}mm, {str(self.paper.language == 'en').lower()})"] if q.space else []
        if q.points and q.parts and self.paper.language == "en":
            tail.append(f'#align(right, [#"[Total: {q.points:g}]"])')
        if q.inline_key:
            tail += [f"#v(0.35em)\n#par({self.rich('【答案】' + '；'.join(q.answer))})"]
            tail += [f"#par({self.rich(line)})" for line in ("【解析】" + q.solution.strip()).split("\n")]
        whole = (q.options and not q.inline_key) or self.paper.language == "en"
        unbreakable = "breakable: false, " if whole else ""
        inner = body + "\n" + "\n".join(tail)
        return f"#block({unbreakable}width: 100%, above: 1.05em, below: 1.05em)[{inner}]"

    def _points(self, q: Question) -> str:
        if q.points is None or self.paper.language == "en":
            return ""
        return f'#"（{q.points:g} 分）"'

    def _options(self, q: Question, figures: list[str]) -> str:
        cells = []
        drawn = [f.option for f in q.figures if f.place == "option"]
        for label, text in q.options.items():
            shown = f"({label})" if self.paper.option_style == "(A)" else label + self.paper.option_style[1]
            inside = figures[drawn.index(label)] if label in drawn else self.rich(text)
            if label in drawn:
                cells.append(f"grid(columns: 2, column-gutter: 0.4em, [#{_string(shown)}], {inside})")
            else:
                cells.append(f"par(hanging-indent: 1.4em)[#{_string(shown)}#h(0.3em)#{inside}]")
        return f"#options-grid({q.columns}, ({', '.join(cells)},))"

    def _figures(self, q: Question, place: str) -> list[str]:
        return [self._figure(f, k) for k, f in enumerate(q.figures) if f.place == place]

    def _figure(self, f: Figure, k: int) -> str:
        body = f'image("{f.draw}.png", height: auto)' if f.raster else f"(drawings.at({_string(f.draw)}))()"
        if f.raster:
            body = f'context {{ let m = measure({body}); image("{f.draw}.png", width: m.width * 72 / {RASTER_PPI}) }}'
        marked = f'mark("figure:{self.index}:{k}", {{ {body} }})'
        return f"with-caption({marked}, {self.rich(f.caption) if f.caption else 'none'})"

    def _table(self, q: Question) -> str:
        assert q.table is not None
        cells = ", ".join(self.rich(c) if c else "[]" for row in q.table.rows for c in row)
        caption = self.rich(q.table.caption) if q.table.caption else "none"
        return f"#exam-table(({cells},), {caption}, {len(q.table.rows[0])})"

    def _part(self, part: Part, depth: int) -> list[str]:
        points = ""
        if part.points is not None:
            points = (
                f'#h(1fr)#box[#"[{part.points:g}]"]' if self.paper.language == "en" else f'#"（{part.points:g} 分）"'
            )
        line = f"#{_string(part.label)}#h(0.35em)#{self.rich(part.text)}{points}"
        out = [f"#pad(left: {1.6 * depth}em, par(hanging-indent: 1.8em)[{line}])"]
        if part.space:
            out.append(f"#pad(left: {1.6 * depth}em, answer-space({part.space}mm, {str(part.ruled).lower()}))")
        return out + [line for inner in part.parts for line in self._part(inner, depth + 1)]

    def key(self, key: Key) -> list[str]:
        out = ["#pagebreak(weak: true)", f'#align(center, text(14pt, weight: "bold", {self.rich(key.title)}))']
        sections = {s.name: s for s in self.paper.sections}
        for table in key.tables:
            out.append(self._key_table(sections[table.section], table.per_row))
        for name in key.blanks:
            for q in sections[name].questions:
                out.append(f"#par({self.rich(f'{q.number}{self.paper.number_suffix} ' + '；'.join(q.answer))})")
        for name in key.solutions:
            for q in sections[name].questions:
                lines = f"{q.number}{self.paper.number_suffix} {q.solution.strip()}".split("\n")
                out += [f"#par({self.rich(line)})" for line in lines]
        return out + [f"#par({self.rich(line)})" for line in key.lines]

    def _key_table(self, section: Section, per_row: int) -> str:
        cells = []
        for start in range(0, len(section.questions), per_row):
            group = section.questions[start : start + per_row]
            pad = ["[]"] * (per_row - len(group))
            cells += ["[题号]", *(self.rich(q.number) for q in group), *pad]
            cells += ["[答案]", *(self.rich("".join(q.answer)) for q in group), *pad]
        return f"#exam-table(({', '.join(cells)},), none, {per_row + 1})"
