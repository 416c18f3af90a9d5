"""A PDF page's text layer, drawn rules and placed pictures, in pixels of the stored page image."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from ingest.drawings import read_drawings
from ingest.mathfonts import decode_math
from ingest.nameless import MARK, is_nameless
from layout.types import Glyph, TextLayer
from wholepage.boxes import POINTS_PER_INCH, Box

# Extent of a glyph box above and below the baseline, in font sizes. Fonts state wildly different ascenders;
# one value for all makes rows comparable.
ASCENT, DESCENT = 0.88, 0.22
INVISIBLE_ALPHA = 13  # of 255: below this, text was never meant to be seen

# Glyph variants of one sign: one code point for one meaning.
VARIANTS = {"⩽": "≤", "⩾": "≥", "∣": "|", "⋅": "·", "∕": "/", "⁄": "/", "Ω": "Ω", "Å": "Å", "µ": "μ", "∆": "Δ"}

REPLACEMENT = "\ufffd"
SIGN_FONT = re.compile(r"symbol|dingbat|wingding|webding|mt ?extra|math", re.I)
MIN_DISTINCT = 3  # letters that a font spells
LETTERLIKE = {"ℝ": "R", "ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℂ": "C", "ℙ": "P", "ℎ": "h"}

Matrix = NDArray[np.float64]


def page_matrix(page: pymupdf.Page, dpi: float, turn: int) -> Matrix:
    """3×3 affine from the page's own (unrotated) points to pixels of the page image turned `turn` quarters."""
    r = page.rotation_matrix
    zoom = dpi / POINTS_PER_INCH
    to_pixels = np.diag([zoom, zoom, 1.0]) @ np.array([[r.a, r.c, r.e], [r.b, r.d, r.f], [0.0, 0.0, 1.0]])
    width, height = page.rect.width * zoom, page.rect.height * zoom
    result: Matrix = quarter_turns(turn, width, height) @ to_pixels
    return result


def quarter_turns(turn: int, width: float, height: float) -> Matrix:
    """3×3 matrix that turns a `width` × `height` image clockwise by `turn` quarters, the origin staying top left."""
    matrix = np.eye(3)
    for _ in range(turn % 4):
        matrix = np.array([[0.0, -1.0, height], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) @ matrix
        width, height = height, width
    return matrix


def read_text_layer(page: pymupdf.Page, dpi: float, turn: int = 0) -> TextLayer:
    """Glyphs, rules and pictures of `page` in pixels of its image at `dpi` after `turn` clockwise quarter turns.

    Invisible text (transparent, painted over, or outside the page) is left out. A page without text gives no glyphs.
    """
    matrix = page_matrix(page, dpi, turn)
    bounds = Box(0, 0, *(page.rect.width * dpi / POINTS_PER_INCH, page.rect.height * dpi / POINTS_PER_INCH))
    if turn % 2:
        bounds = Box(0, 0, bounds.y1, bounds.x1)
    hidden = _painted_over(page)
    upright: list[Glyph] = []
    turned: list[Glyph] = []
    for char, span, direction in _chars(page):
        if hidden and _place(char["c"], char["origin"]) in hidden:
            continue
        glyph = _glyph(char, span, direction, matrix)
        if glyph is None or not bounds.holds(glyph.box.cx, glyph.box.cy):
            continue
        dx, dy = matrix[:2, :2] @ np.array(direction)
        (upright if dx > 0 and abs(dy) < 0.02 * dx else turned).append(glyph)
    pictures = [Box.of(info["bbox"]).through(matrix) for info in page.get_image_info()]
    visible = tuple(p.clip(bounds.x1, bounds.y1) for p in pictures)
    rules, paths = read_drawings(page, matrix, bounds)
    return TextLayer(tuple(_undouble(upright)), tuple(turned), rules, visible, paths)


def _place(char: str, origin: tuple[float, float]) -> tuple[str, int, int]:
    """What tells one printed character from another: tenths of a point are finer than any two lie apart."""
    return char, round(origin[0] * 10), round(origin[1] * 10)


def _painted_over(page: pymupdf.Page) -> set[tuple[str, int, int]]:
    """Characters that a filled rectangle drawn later hides."""
    fills = [
        (drawing["seqno"], item[1])
        for drawing in page.get_drawings()
        if drawing.get("fill") and (drawing.get("fill_opacity") or 0.0) > 0.99 and len(drawing["items"]) == 1
        for item in drawing["items"]
        if item[0] == "re"
    ]
    if not fills:
        return set()
    hidden = set()
    for span in page.get_texttrace():
        over = [rect for order, rect in fills if order > span["seqno"]]
        for code, _, origin, bbox in span["chars"] if over else ():
            middle = pymupdf.Point((bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2)
            if any(middle in rect for rect in over):
                hidden.add(_place(chr(code), origin))
    return hidden


def _chars(page: pymupdf.Page) -> Iterator[tuple[dict[str, Any], dict[str, Any], tuple[float, float]]]:
    raw = page.get_text("rawdict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES)
    shifted, mapped = _shifted_fonts(raw), _mapped_fonts(page)
    numbers = _numbers_of_nameless(page, raw)
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                if span.get("alpha", 255) < INVISIBLE_ALPHA:
                    continue
                span["mapped"] = span["font"] in mapped
                for char in _shared_widths(span["chars"]):
                    if not char.get("synthetic"):
                        number = numbers.get(_place("", char["origin"])) if numbers else None
                        char["number"] = "" if number is None else f"{MARK}{number}"
                        yield _plain(char) if span["font"] in shifted else char, span, line["dir"]


def _numbers_of_nameless(page: pymupdf.Page, raw: dict[str, Any]) -> dict[tuple[str, int, int], int]:
    """Numbers in their font of the glyphs without a meaning, by place; nothing is looked up where all have one."""
    chars = (c for b in raw["blocks"] for line in b.get("lines", ()) for s in line["spans"] for c in s["chars"])
    if not any(is_nameless(c["c"]) for c in chars):
        return {}
    traced = (c for span in page.get_texttrace() for c in span["chars"])
    return {_place("", origin): number for code, number, origin, _ in traced if is_nameless(chr(code))}


_MAPPING = re.compile(rb"<([0-9A-Fa-f]{2})>\s*(?:<[0-9A-Fa-f]{2}>\s*)?\[?\s*<([0-9A-Fa-f]{4,})>")


def _mapped_fonts(page: pymupdf.Page) -> set[str]:
    """Names of the page's fonts that all bring a map to Unicode: one that says more than that a code is itself.

    Only fonts with codes of one byte: the codes of others are numbers of glyphs, of which any map says more.
    """
    known: dict[str, bool] = {}
    for xref, _, sort, name, *_ in page.get_fonts():
        # The maps of composite fonts are long, and say nothing here. A font written into the page's resources has no
        # object of its own: its number is 0.
        kind, value = ("null", "") if sort == "Type0" or xref <= 0 else page.parent.xref_get_key(xref, "ToUnicode")
        pairs = _MAPPING.findall(page.parent.xref_stream(int(value.split()[0])) or b"") if kind == "xref" else []
        plain = name.split("+", 1)[-1]
        known[plain] = known.get(plain, True) and any(int(code, 16) != int(point, 16) for code, point in pairs)
    return {name for name, has in known.items() if has}


def _shared_widths(chars: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Letters that a font holds as one glyph ("ft") get equal shares of its width: as read, the first has it all.

    Mathematical letters lie beyond the 16-bit codes; some writers name both halves of such a code, so that the letter
    comes twice, the second time without width. That one is dropped.
    """
    groups: list[list[dict[str, Any]]] = []
    for char in chars:
        x0, _, x1, _ = char["bbox"]
        inside = x1 - x0 < 0.01 and _is_latin(char["c"]) and groups and _is_latin(groups[-1][0]["c"])
        if inside and abs(groups[-1][0]["bbox"][2] - x0) < 0.01:
            groups[-1].append(char)
        elif x1 - x0 < 0.01 and ord(char["c"]) > 0xFFFF and groups and groups[-1][-1]["c"] == char["c"]:
            continue
        else:
            groups.append([char])
    for group in groups:
        x0, y0, x1, y1 = group[0]["bbox"]
        step = (x1 - x0) / len(group)
        for i, char in enumerate(group):
            yield {**char, "bbox": (x0 + i * step, y0, x0 + (i + 1) * step, y1)} if len(group) > 1 else char


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u0250"


def _plain(char: dict[str, Any]) -> dict[str, Any]:
    code = ord(char["c"])
    return {**char, "c": chr(code - 0xF000)} if 0xF020 <= code <= 0xF07E else char


def _shifted_fonts(raw: dict[str, Any]) -> set[str]:
    """Fonts whose private-use codes are plain characters moved up by 0xF000, as "symbol" TrueType fonts have them.

    They are when what the page sets in the font is letters that way, and several; a font of signs (Symbol, Wingdings)
    means others by the same codes, and a bullet is always the same one.
    """
    spelt: dict[str, str] = {}
    for block in raw["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                codes = [ord(c["c"]) - 0xF000 for c in span["chars"] if 0xF021 <= ord(c["c"]) <= 0xF07E]
                spelt[span["font"]] = spelt.get(span["font"], "") + "".join(map(chr, codes))
    return {
        font
        for font, text in spelt.items()
        if not SIGN_FONT.search(font)
        and len({c for c in text if c.isalnum()}) >= MIN_DISTINCT
        and sum(c.isalnum() for c in text) >= 0.7 * len(text)
    }


def _glyph(char: dict[str, Any], span: dict[str, Any], direction: tuple[float, float], matrix: Matrix) -> Glyph | None:
    size = float(span["size"])
    text = clean(decode_math(char["c"], span["font"], span.get("mapped", False)))
    if not text or not size > 0 or not all(math.isfinite(v) for v in (*char["bbox"], *char["origin"])):
        return None
    scale = math.sqrt(abs(float(np.linalg.det(matrix[:2, :2]))))
    y = float((matrix @ np.array([*char["origin"], 1.0]))[1])
    box = Box.of(char["bbox"]).through(matrix)
    dx, dy = matrix[:2, :2] @ np.array(direction)
    if dx > 0 and abs(dy) < 0.02 * dx:
        box = Box.of((box.x0, y - ASCENT * size * scale, box.x1, y + DESCENT * size * scale))
    mark = char["number"] if is_nameless(text) else ""
    return Glyph(text, box, size * scale, span["font"] + _face(char["c"]) + mark, 1.0, y)


def _face(char: str) -> str:
    """A suffix for the font's name that keeps the face which a mathematical alphanumeric code states."""
    code = ord(char[0])
    if 0x1D400 <= code <= 0x1D7FF:
        name = unicodedata.name(char[0], "")
        if "ITALIC" in name or "GREEK" in name:
            return "#math-italic"
        face = next((f for f in ("DOUBLE-STRUCK", "SCRIPT", "BOLD") if f in name), "upright")
        return "#math-" + {"DOUBLE-STRUCK": "double"}.get(face, face.lower())
    if char in LETTERLIKE:
        return "#math-double" if char in "ℝℕℤℚℂℙ" else "#math-italic"
    return ""


def clean(text: str) -> str:
    """NFKC for the forms that only look like another character (Kangxi radicals, ligatures, mathematical letters).

    Full-width punctuation and circled numbers are kept as printed, and so are super- and subscript digits.
    """
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        return REPLACEMENT  # half a surrogate pair: the font's map to Unicode is broken
    if text in VARIANTS:
        return VARIANTS[text]
    if text in LETTERLIKE:
        return LETTERLIKE[text]
    if len(text) == 1 and _is_lookalike(ord(text)):
        return unicodedata.normalize("NFKC", text)
    return "" if text in {"\x00", "\ufeff", "\u200b", "\u200c", "\u200d", "\xad"} else text


def _is_lookalike(code: int) -> bool:
    return (
        0x2E80 <= code <= 0x2FDF  # CJK radicals supplement, Kangxi radicals
        or 0xF900 <= code <= 0xFAFF  # compatibility ideographs
        or 0xFB00 <= code <= 0xFB06  # Latin ligatures
        or 0x1D400 <= code <= 0x1D7FF  # mathematical alphanumerics
        or code in (0xA0, 0x2002, 0x2003, 0x2009, 0x202F)  # spaces of other widths
    )


def _undouble(glyphs: list[Glyph]) -> Iterator[Glyph]:
    """Drop a glyph printed a second time almost on top of itself: that is how some writers make bold."""
    seen: dict[tuple[str, int, int], list[Glyph]] = {}
    for glyph in glyphs:
        step = max(glyph.size, 1.0)
        cell = (int(glyph.box.cx // step), int(glyph.box.cy // step))
        near = [
            other
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            for other in seen.get((glyph.text, cell[0] + i, cell[1] + j), ())
        ]
        if any(abs(o.box.cx - glyph.box.cx) < 0.15 * step and abs(o.box.cy - glyph.box.cy) < 0.15 * step for o in near):
            continue
        seen.setdefault((glyph.text, *cell), []).append(glyph)
        yield glyph
