"""Whether a question can be asked in an input form, and why not."""

from __future__ import annotations

from collections.abc import Callable

from exam_mode.items import Item, section_index, shows_key

TEXT_FORMS = ("text_only", "captions", "text_image")
PAGE_FORMS = ("page_box", "image_only")
MODES = ("text_only", "captions", "text_image", "crop", "page_box", "image_only", "mock_exam")

REASONS = {
    "needs_figure": "needs a figure that a text form does not show",
    "no_text": "has no stem",
    "figure_missing": "a figure's file is missing",
    "no_region": "has no region on a page",
    "page_missing": "a page has no image",
    "answer_on_page": "stands on a page that shows answers",
    "not_nameable": "its section and number are not unique in the paper",
}


def unfit(item: Item, mode: str, blind: bool = False) -> str | None:
    """Why the question cannot be asked in `mode` (a key of `REASONS`), or None when it can.

    Args:
        item: the question.
        mode: one of `MODES`.
        blind: ask `text_only` also where a figure is needed; the figure is named, not shown.
    """
    return _CHECKS[mode](item, blind)


def _text(item: Item) -> str | None:
    question = item.question
    if not question.stem.strip() and not question.parts:
        return "no_text"
    return None


def _text_only(item: Item, blind: bool) -> str | None:
    return _text(item) or ("needs_figure" if item.needs_figure and not blind else None)


def _with_figures(item: Item, _blind: bool) -> str | None:
    known = {f.id for f in item.question.figures}
    if any(option.figure and option.figure not in known for option in item.question.options):
        return "figure_missing"
    if not all((item.source.folder / f.file).is_file() for f in item.figures):
        return "figure_missing"
    return _text(item)


def _regions(item: Item) -> str | None:
    if not item.question.regions:
        return "no_region"
    return None if set(item.own_pages) <= {p.number for p in item.paper.pages if p.image} else "page_missing"


def _crop(item: Item, _blind: bool) -> str | None:
    return _regions(item) or ("answer_on_page" if shows_key(item) else None)


def _named(item: Item) -> str | None:
    unique = item.source.names[(section_index(item.question), item.question.number)] == 1
    return None if unique and item.question.number.strip() else "not_nameable"


def _page_box(item: Item, _blind: bool) -> str | None:
    problem = _regions(item)
    if problem is None and not set(item.own_pages).isdisjoint(item.source.key_pages):
        return "answer_on_page"
    return problem


def _image_only(item: Item, blind: bool) -> str | None:
    return _page_box(item, blind) or _named(item)


_CHECKS: dict[str, Callable[[Item, bool], str | None]] = {
    "text_only": _text_only,
    "captions": _with_figures,
    "text_image": _with_figures,
    "crop": _crop,
    "page_box": _page_box,
    "image_only": _image_only,
    "mock_exam": _image_only,
}
