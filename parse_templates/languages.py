"""Pages of a paper that is printed in two languages: those in the paper's language are read, the others listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from layout.types import PageLayout
from wholepage.records import Issue

OTHER = re.compile(r"[\u0370-\u1fff\u0900-\u0dff\u3040-\u30ff\uac00-\ud7af]")  # scripts other than Latin and Han
WORD = re.compile(r"[A-Za-z]{3,}")
MIN_LETTERS = 60
FOREIGN_SHARE = 0.5  # of the letters in another script
NO_WORDS, WORDS = 0.4, 0.55  # share of a page's characters that make words of three letters and more
SURE = 0.85  # mean confidence of OCR on a page in a script that it can read


def keep_language(pages: Sequence[PageLayout], language: str | None) -> tuple[list[PageLayout], list[Issue]]:
    """The pages with those in another language emptied, and an issue for each of these.

    A text layer shows its script; OCR reads a script that it does not know as a salad of signs, without certainty.
    Pages are left out only where others of the paper can be read.
    """
    shares = {p.number: _words(p) for p in pages if _length(p) >= MIN_LETTERS}
    readable = sum(share >= WORDS for share in shares.values())
    out, issues = [], []
    for page in pages:
        foreign = _other_script(page) > FOREIGN_SHARE
        salad = language == "en" and readable >= 2 and page.number in shares and _is_salad(page, shares[page.number])
        if not (foreign or salad):
            out.append(_without_foreign_lines(page))
            continue
        out.append(replace(page, lines=(), figures=(), tables=()))
        message = f"Page {page.number} is not in the paper's language ({language or 'unknown'}) and was left out."
        issues.append(Issue(code="page.other_language", message=message, page=page.number))
    return out, issues


def _length(page: PageLayout) -> int:
    return sum(len(re.sub(r"\s", "", line.text)) for line in page.lines if line.role == "body")


def _words(page: PageLayout) -> float:
    text = " ".join(line.text for line in page.lines if line.role == "body")
    return sum(len(w) for w in WORD.findall(text)) / max(1, len(re.sub(r"\s", "", text)))


def _is_salad(page: PageLayout, words: float) -> bool:
    read = [line.confidence for line in page.lines if line.origin == "ocr" and len(line.text) >= 8]
    return words < NO_WORDS and len(read) >= 5 and fmean(read) < SURE


def _other_script(page: PageLayout) -> float:
    text = "".join(line.text for line in page.lines if line.role == "body")
    letters = sum(c.isalpha() for c in text)
    return len(OTHER.findall(text)) / letters if letters >= MIN_LETTERS else 0.0


def _without_foreign_lines(page: PageLayout) -> PageLayout:
    """The page without lines that are mostly in another script: the other language above or beside its own."""
    kept = []
    for line in page.lines:
        letters = sum(c.isalpha() for c in line.text)
        foreign = len([c for c in OTHER.findall(line.text) if not "\u0370" <= c <= "\u03ff"])
        if letters < 4 or foreign < FOREIGN_SHARE * letters:
            kept.append(line)
    return page if len(kept) == len(page.lines) else page.with_lines(tuple(kept))
