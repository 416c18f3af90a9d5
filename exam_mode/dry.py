"""`--dry-run`: calls, image and text tokens and price, before anything is sent. No image is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from exam_mode.errors import ExamError
from exam_mode.estimate import image_tokens, text_tokens
from exam_mode.forms import Context, Request, build
from exam_mode.forms.captions import caption_request
from exam_mode.forms.image_only import probe_request
from exam_mode.forms.mock_exam import build_paper
from exam_mode.images.store import ImageStore, Sent
from exam_mode.session import Session
from exam_mode.units import Unit
from wholepage.boxes import Box


@dataclass(slots=True)
class DryRow:
    """Estimate for one model, mode and budget. `output_tokens`: the most that budgets allow, None without one."""

    model: str
    mode: str
    budget: int | None
    calls: int = 0
    images: int = 0
    image_tokens: int = 0
    text_tokens: int = 0
    output_tokens: int | None = 0
    price: float | None = 0.0
    currency: str | None = None
    problems: int = 0
    problem: str = ""


class SizeStore(ImageStore):
    """Knows the size of every image that a run would make, and checks legibility, but writes nothing."""

    def __init__(self, store: ImageStore) -> None:
        super().__init__(store.folder, store.limits)
        self._sizes: dict[tuple[Path, str, bool], list[Sent]] = {}

    def _made(self, image: Path, paper: Path, number: int, box: Box | None, check: bool) -> list[Sent]:
        key = (image, str(box), check)
        if key not in self._sizes:
            self._sizes[key] = self._measured(image, paper, number, box, check)
        return self._sizes[key]


def estimate(session: Session, units: Iterable[Unit]) -> list[DryRow]:
    """One row for each model, mode and budget, in the order of the run."""
    rows: dict[tuple[str, str, int | None], DryRow] = {}
    contexts: dict[str, Context] = {}
    described: set[str] = set()
    for unit in units:
        if unit.model not in contexts:
            contexts[unit.model] = _dry_context(session, unit.model)
        mode = "probe" if unit.kind == "probe" else unit.mode
        cap = unit.budget.tokens if unit.budget else None
        if unit.kind == "probe":
            cap = session.manner.probe_tokens
        row = rows.setdefault((unit.model, mode, cap), DryRow(unit.model, mode, cap))
        try:
            if unit.mode == "captions":
                _captions(session, unit, rows, contexts, described)
            _count(session, row, _request(session, unit, contexts[unit.model]), unit.model, cap)
        except ExamError as error:
            row.problems += 1
            row.problem = row.problem or str(error)
    return list(rows.values())


def _dry_context(session: Session, model: str) -> Context:
    from dataclasses import replace

    context = session.context(model)
    return replace(context, images=SizeStore(context.images))


def _request(session: Session, unit: Unit, context: Context) -> Request:
    items = [session.papers.item(name) for name in unit.questions]
    if unit.mode == "mock_exam":
        return build_paper(items, context, unit.budget)
    if unit.kind == "probe":
        return probe_request(items[0], context)
    if unit.mode == "captions":
        from dataclasses import replace

        context = replace(context, captions={f.id: "□" * 300 for f in items[0].figures})
    return build(unit.mode, items[0], context)


def _captions(
    session: Session,
    unit: Unit,
    rows: dict[tuple[str, str, int | None], DryRow],
    contexts: dict[str, Context],
    described: set[str],
) -> None:
    """Calls of the captioning model, one a figure."""
    from exam_mode.captioning_limits import CAPTION_TOKENS

    name = session.manner.captioner
    if name is None:
        return
    item = session.papers.item(unit.questions[0])
    context = contexts.setdefault(name, _dry_context(session, name))
    for figure in item.figures:
        key = f"{item.paper.id}/{figure.id}"
        if key not in described:
            described.add(key)
            row = rows.setdefault((name, "caption", CAPTION_TOKENS), DryRow(name, "caption", CAPTION_TOKENS))
            _count(session, row, caption_request(item.source, figure, context), name, CAPTION_TOKENS)


def _count(session: Session, row: DryRow, request: Request, model: str, cap: int | None) -> None:
    rule = session.context(model).images.limits.rule
    price = session.price(model)
    pictures, words = image_tokens(request, rule), text_tokens(request.text)
    row.calls += 1
    row.images += len(request.images)
    row.image_tokens += pictures
    row.text_tokens += words
    row.output_tokens = None if cap is None or row.output_tokens is None else row.output_tokens + cap
    if price is None or row.price is None:
        row.price = None
    else:
        row.price += price.of(pictures + words, cap or 0)
        row.currency = price.currency
