"""The parse stage: layouts of all pages to questions, figure crops and the `Paper` record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wholepage import __version__
from wholepage.boxes import Box
from wholepage.errors import PageError, WorkspaceError
from wholepage.fingerprints import PAGE_PACKAGES, PARSE_PACKAGES, code_digest, engine_versions
from wholepage.reading import PageOutcome, PagePaths
from wholepage.records import Figure, Issue, Paper, SourceKind
from wholepage.records import Source as SourceRecord
from wholepage.settings import Settings

if TYPE_CHECKING:
    from ingest.sources import Source
    from layout.types import PageLayout
    from parse_templates.model.reader import ModelReader
    from parse_templates.parser import ParsedPaper


@dataclass(frozen=True)
class Reading:
    """A source whose pages were read: where its files lie and what became of each page."""

    source: Source
    base: Path
    outcomes: tuple[PageOutcome, ...]

    @property
    def readable(self) -> list[PageOutcome]:
        """Pages that have a layout."""
        return [o for o in self.outcomes if o.layout]

    def layouts(self) -> list[PageLayout]:
        """Layouts of the readable pages in order."""
        from layout.types import load_layout

        return [load_layout(PagePaths(self.base, o.page.number).layout) for o in self.readable]


def assemble(
    paper: Reading, answers: Reading | None, template: str, settings: Settings, reader: ModelReader | None = None
) -> Paper:
    """Parse, crop and build the record. Writes the crops; the record itself is left to the caller.

    With a `reader` a model takes part in the parsing.

    Raises:
        TemplateError: the template does not exist or does not validate.
        WorkspaceError: a layout is damaged or a crop cannot be written.
    """
    layouts = paper.layouts()
    key = answers.layouts() if answers else []
    paper_id = paper.source.paper_id
    parsed = _parse(paper, layouts, key, template, reader)
    _keep_template(template, paper.base)
    figures = _all_figures(parsed)
    crop_issues = crop_figures(figures, paper.base)
    issues = [
        *paper.source.issues,
        *(issue for outcome in paper.outcomes for issue in outcome.issues),
        *_doubts(layouts),
        *_blank_paper(layouts),
        *_answer_issues(answers),
        *parsed.issues,
        *crop_issues,
    ]
    return Paper(
        id=paper_id,
        title=parsed.title,
        subject=parsed.subject,
        language=parsed.language,
        level=parsed.level,
        source=_source_record(paper, answers),
        pages=[o.page for o in paper.outcomes],
        questions=list(parsed.questions),
        resources=list(parsed.resources),
        coverage=parsed.coverage,
        issues=issues,
        produced_by=_produced_by(paper, parsed, template, settings),
        **({"unused_figures": parsed.unused_figures} if parsed.unused_figures else {}),
    )


def _parse(
    paper: Reading, layouts: list[PageLayout], key: list[PageLayout], template: str, reader: ModelReader | None
) -> ParsedPaper:
    paper_id = paper.source.paper_id
    if reader is None:
        from parse_templates.parser import parse_paper

        return parse_paper(layouts, template=template, answers=key, paper_id=paper_id)
    from parse_templates.model.reader import Pages

    images = {o.page.number: PagePaths(paper.base, o.page.number).image for o in paper.readable}
    return reader.parse(Pages(layouts, key, template, paper_id, paper.base / "work" / "model", images))


def _keep_template(name: str, folder: Path) -> None:
    """Keep a copy of a template that does not ship with the paper: later checks and keys are read with it."""
    from parse_templates.checks_context import OWN_TEMPLATE

    kept = folder / OWN_TEMPLATE
    if not name.endswith((".yaml", ".yml")):
        kept.unlink(missing_ok=True)
        return
    from parse_templates.template_files import load_template, to_yaml
    from wholepage.workspace import write_text

    write_text(kept, to_yaml(load_template(name)))


def crop_figures(figures: Iterable[Figure], folder: Path) -> list[Issue]:
    """Write each figure's crop below `folder`, reading every page image once. Returns what could not be cropped.

    Raises:
        WorkspaceError: a crop cannot be written, or a figure names a file outside `figures/`.
    """
    from ingest.render import read_page_image, write_page

    by_page: defaultdict[int, dict[str, Figure]] = defaultdict(dict)
    for figure in figures:
        parts = Path(figure.file).parts
        if len(parts) != 2 or parts[0] != "figures" or parts[1] in (".", ".."):
            raise WorkspaceError(f"Figure {figure.id} names the file {figure.file!r}, which is not in figures/.")
        by_page[figure.page][figure.file] = figure
    issues: list[Issue] = []
    for number in sorted(by_page):
        try:
            image = read_page_image(PagePaths(folder, number).image)
        except PageError as error:
            issues.extend(_not_cropped(f, error.message) for f in by_page[number].values())
            continue
        height, width = image.shape[:2]
        for figure in by_page[number].values():
            box = Box.of(figure.bbox).clip(width, height)
            crop = image[int(box.y0) : int(-(-box.y1 // 1)), int(box.x0) : int(-(-box.x1 // 1))]
            if crop.size == 0:
                issues.append(_not_cropped(figure, "its box is empty"))
                continue
            write_page(crop.copy(), folder / figure.file)
    return issues


def _not_cropped(figure: Figure, reason: str) -> Issue:
    return Issue(
        code="figure.not_cropped",
        severity="error",
        field="figures",
        message=f"Figure {figure.id} of page {figure.page} could not be cut out: {reason}",
        page=figure.page,
        bbox=figure.bbox,
    )


def _all_figures(parsed: ParsedPaper) -> list[Figure]:
    return [*(f for q in parsed.questions for f in q.figures), *parsed.unused_figures]


def referenced_files(paper: Paper) -> set[str]:
    """Files below the paper's folder that its record names: page images, figure crops, resources."""
    unused: list[Any] = (paper.model_extra or {}).get("unused_figures", [])
    return {
        *(p.image for p in paper.pages if p.image),
        *(f.file for q in paper.questions for f in q.figures),
        *(f.file if isinstance(f, Figure) else f["file"] for f in unused),
        *(r.file for r in paper.resources if r.file),
    }


def _doubts(layouts: Sequence[PageLayout]) -> list[Issue]:
    return [
        Issue(
            code=doubt.code,
            severity=doubt.severity,
            message=doubt.message,
            page=layout.number,
            bbox=tuple(doubt.box.as_list()) if doubt.box else None,
        )
        for layout in layouts
        for doubt in layout.doubts
    ]


def _blank_paper(layouts: Sequence[PageLayout]) -> list[Issue]:
    if layouts and all(layout.kind == "blank" for layout in layouts):
        message = "All pages are blank. If they show something in a viewer, print the file to a new PDF."
        return [Issue(code="pages.blank", severity="error", message=message)]
    return []


def _answer_issues(answers: Reading | None) -> list[Issue]:
    """Issues of the key file; their page numbers are the key's own, so they are said in words."""
    if answers is None:
        return []
    found = [*answers.source.issues, *(i for o in answers.outcomes for i in o.issues)]
    return [
        Issue(code="answers." + i.code, severity=i.severity, message=f"Key {answers.source.name}: {i.message}")
        for i in found
    ]


def source_kind(paper: Reading) -> SourceKind:
    """Digital, scanned or photo when all pages are; blank pages do not count."""
    kinds = {o.page.kind for o in paper.readable if o.page.kind != "blank"}
    if not kinds:
        return "digital" if paper.source.kind == "pdf" else "scanned"
    if len(kinds) > 1:
        return "mixed"
    return kinds.pop()


def _source_record(paper: Reading, answers: Reading | None) -> SourceRecord:
    source = paper.source
    extra: dict[str, Any] = {}
    if len(source.files) > 1:
        extra["files"] = [{"file": f.path.name, "sha256": f.sha256, "bytes": f.bytes} for f in source.files]
    if answers is not None:
        key = answers.source
        extra["answers"] = {
            "file": key.name,
            "stored": [f.path.name for f in key.files],
            "sha256": _combined(key),
            "bytes": key.bytes,
            "pages": key.page_count,
        }
    return SourceRecord(
        file=source.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        sha256=_combined(source),
        bytes=source.bytes,
        pages=source.page_count,
        kind=source_kind(paper),
        **extra,
    )


def _combined(source: Source) -> str:
    """The file's digest; of several files the digest of their digests, whose beginning is the paper's id."""
    import hashlib

    digests = source.sha256s
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _produced_by(paper: Reading, parsed: ParsedPaper, template: str, settings: Settings) -> dict[str, Any]:
    engines: dict[str, str] = {}
    for outcome in paper.readable:
        engines.update(outcome.engine)
    return {
        "wholepage": __version__,
        "code": {"pages": code_digest(*PAGE_PACKAGES)[:12], "parse": code_digest(*PARSE_PACKAGES)[:12]},
        "libraries": engine_versions(),
        "ocr": engines.get("ocr"),
        "text": sorted({o.engine["text"] for o in paper.readable if "text" in o.engine}),
        "formulas": sorted({o.engine.get("formulas", "embedded") for o in paper.readable}),
        "settings": {"dpi": settings.dpi, "max_page_pixels": settings.max_page_pixels, "template": template},
        **parsed.produced_by,
    }
