"""Letters without a meaning in a text layer: told by readings of their places, by the order of their numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pymupdf
import pytest
from drawing import DPI

from ingest.nameless import ALPHABET, MARK, is_nameless, name_letters
from ingest.textlayer import read_text_layer
from ingest.trust import judge_text_layer
from layout.ocr import Image, Recognised, get_engine
from layout.types import Glyph, TextLayer

LINES = (
    "so 5m-4n=mn and 7n+6m=40n for all m>0 and n>1",
    "then AC=3BC+AB where ABC is such that 8AB=AC",
    "find c=6-Cm so that C+c+n is the least of all",
)
FIRST = 900  # number of the letter A in the font


def page_of() -> tuple[TextLayer, np.ndarray, str]:  # type: ignore[type-arg]
    """A printed page of which the letters in formulas mean nothing; also the text as it is printed."""
    page = pymupdf.open().new_page(width=595, height=300)
    for n, text in enumerate(LINES * 2):
        page.insert_text((60, 60 + 30 * n), text, fontname="tiit", fontsize=12)
    pixels = page.get_pixmap(dpi=int(DPI), alpha=False)
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.h, pixels.w, 3).copy()
    text = read_text_layer(page, DPI)
    printed = "".join(g.text for g in text.glyphs)
    formulas = [w for w in " ".join(LINES * 2).split() if not (w.isalpha() and w.islower() and len(w) > 1)]
    glyphs, left = list(text.glyphs), 0
    for word in formulas:
        start = printed.index(word, left)
        left = start + len(word)
        for at in range(start, left):
            if printed[at].isalpha():
                number = FIRST + ALPHABET.index(printed[at])
                glyphs[at] = replace(glyphs[at], text="\ufffd", font=f"CambriaMath{MARK}{number}")
    return replace(text, glyphs=tuple(glyphs)), image, printed


def test_nameless_letters_are_read_where_they_stand() -> None:
    text, image, printed = page_of()
    hidden = [n for n, g in enumerate(text.glyphs) if is_nameless(g.text)]
    assert len(hidden) > 50
    named = name_letters(text, image, get_engine())
    assert "".join(g.text for g in named.glyphs) == printed
    assert {named.glyphs[n].font for n in hidden} == {"CambriaMath#math-italic"}
    assert all(0.5 < named.glyphs[n].confidence <= 1.0 for n in hidden)
    assert judge_text_layer(text, image, get_engine()).trust == "trusted"


class Reads:
    """An engine that reads every crop alike."""

    name = "reads"

    def __init__(self, text: str, confidence: float) -> None:
        self.reading = Recognised(text, confidence)

    def detect(self, image: Image, scale: float) -> list[np.ndarray]:  # type: ignore[type-arg]
        raise AssertionError("nothing is to be detected")

    def recognise(self, crops: list[Image]) -> list[Recognised]:  # type: ignore[override]
        return [self.reading for _ in crops]


def layer(text: str, numbers: dict[str, int]) -> tuple[TextLayer, np.ndarray]:  # type: ignore[type-arg]
    """`text` in a line; letters that have a number mean nothing."""
    page = pymupdf.open().new_page(width=595, height=100)
    page.insert_text((60, 60), text, fontname="tiit", fontsize=12)
    pixels = page.get_pixmap(dpi=int(DPI), alpha=False)
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.h, pixels.w, 3).copy()

    def hide(glyph: Glyph) -> Glyph:
        number = numbers.get(glyph.text)
        return glyph if number is None else replace(glyph, text="\ue123", font=f"X{MARK}{number}")

    read = read_text_layer(page, DPI)
    return replace(read, glyphs=tuple(map(hide, read.glyphs))), image


def spelt(text: TextLayer) -> str:
    return "".join(g.text for g in text.glyphs if not g.text.isspace())


@pytest.mark.parametrize(
    ("reading", "confidence", "expected"),
    [
        ("so5p=7-k", 0.9, "so5p=7-k"),
        ("so5=7-", 0.9, "so5\ue123=7-\ue123"),  # nothing stands at their places
        ("so5p=7-k", 0.2, "so5\ue123=7-\ue123"),  # hardly a reading
        ("so5p=7-+", 0.9, "so5p=7-\ue123"),  # a sign is no letter
    ],
)
def test_a_letter_is_named_only_by_a_reading_that_fits(reading: str, confidence: float, expected: str) -> None:
    text, image = layer("so 5p=7-k", {"p": 3, "k": 9})
    assert spelt(name_letters(text, image, Reads(reading, confidence))) == expected


def test_numbers_in_alphabetical_order_mend_what_was_misread() -> None:
    """Four letters fix the order; the fifth is misread everywhere, and takes what its number says."""
    numbers = {c: 40 + ALPHABET.index(c) for c in "abdeg"}
    text, image = layer("4a+3b=2d-5e+7g+10+11+12", numbers)
    named = name_letters(text, image, Reads("4a+3b=2d-5e+7q+10+11+12", 0.9))
    assert spelt(named) == "4a+3b=2d-5e+7g+10+11+12"
    scattered, image = layer("4a+3b=2d-5e+7g+10+11+12", {"a": 9, "b": 3, "d": 71, "e": 20, "g": 66})
    assert spelt(name_letters(scattered, image, Reads("4a+3b=2d-5e+7q+10+11+12", 0.9))).endswith("7q+10+11+12")


def test_a_layer_that_lacks_most_letters_is_left_to_ocr() -> None:
    text, image = layer("abcde=1", dict.fromkeys("abcde", 5))
    assert name_letters(text, image, Reads("abcde=1", 0.9)) == text
    empty = replace(text, glyphs=())
    assert name_letters(empty, image, Reads("abcde=1", 0.9)) == empty


def test_case_of_letters_that_look_alike_is_told_by_height() -> None:
    text, image = layer("so x+3 and X+4 are", {"x": 3, "X": 4})
    assert "X+3" not in spelt(name_letters(text, image, Reads("soX+3andX+4are", 0.9)))
    assert spelt(name_letters(text, image, Reads("sox+3andx+4are", 0.9))) == "sox+3andX+4are"


def test_an_accent_without_a_meaning_is_no_letter() -> None:
    text, image = layer("so 4b-3=7 and b=0", {})
    glyphs = [*text.glyphs]
    for n in [n for n, g in enumerate(glyphs) if g.text == "b"][::-1]:
        box = glyphs[n].box
        on_top = replace(glyphs[n], text="\ufffd", box=replace(box, x1=box.x0 + 0.7 * box.width), font=f"X{MARK}7")
        glyphs.insert(n + 1, on_top)
    marked = replace(text, glyphs=tuple(glyphs))
    assert name_letters(marked, image, Reads("so4bb-3=7andbb=0", 0.9)) == marked


def test_a_letter_set_close_behind_a_full_width_comma_is_named() -> None:
    text, image = layer("so 4, b=7 and 1", {"b": 7})
    wide = [
        replace(g, text="，", box=replace(g.box, x1=g.box.x1 + 1.4 * g.size)) if g.text == "," else g
        for g in text.glyphs
    ]
    named = name_letters(replace(text, glyphs=tuple(wide)), image, Reads("so4，b=7and1", 0.9))
    assert "b=7" in spelt(named)


def test_digits_follow_an_order_of_their_own() -> None:
    text, image = layer("is 1+2=3-4-5", {c: 500 + int(c) for c in "12345"})
    named = name_letters(text, image, Reads("is1+2=3-8-5", 0.9))
    assert spelt(named) == "is1+2=3-4-5"
    assert all("italic" not in g.font for g in named.glyphs)


def test_one_reading_alone_is_doubted() -> None:
    text, image = layer("so 5p=7", {"p": 3})
    (letter,) = [g for g in name_letters(text, image, Reads("so5p=7", 0.9)).glyphs if g.text == "p"]
    assert letter.confidence <= 0.5


@pytest.mark.parametrize(("font", "named"), [("CMEX10#glyph-3", False), ("CambriaMath", True)])
def test_pieces_of_tall_brackets_are_no_letters(font: str, named: bool) -> None:
    text, image, _ = page_of()
    at = next(n for n, g in enumerate(text.glyphs) if is_nameless(g.text))
    glyphs = tuple(replace(g, font=font) if n == at else g for n, g in enumerate(text.glyphs))
    read = name_letters(replace(text, glyphs=glyphs), image, get_engine())
    assert is_nameless(read.glyphs[at].text) != named
