"""`exam report`: attempts, marks by scoring, its report page, and where marks were lost when the probe was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from exam_mode.attempts import Written, transcriptions, write_attempts
from exam_mode.errors import ExamError
from exam_mode.forms.naming import printed_name
from exam_mode.runs import RunFolder
from exam_mode.selection import Papers
from wholepage.errors import MissingExtraError
from wholepage.workspace import Workspace, write_text

if TYPE_CHECKING:
    from exam_mode.probe import AttributionRow
    from scoring.run import Progress, RunOptions
    from scoring.scores import Score


def write_run_report(
    run: RunFolder, workspace: Workspace, options: RunOptions, progress: Progress | None = None, gallery: int = 60
) -> tuple[dict[str, Path], Written]:
    """Mark the run's attempts and write its report into RUN/report.

    Raises:
        ExamError: nothing was answered yet.
        MissingExtraError: a package of the extra `score` is absent.
    """
    written = write_attempts(run.calls, run.attempts)
    if not written.answered + written.failed:
        raise ExamError(f"{run.path} has no answers yet.", hint=f"Go on with: wholepage exam continue {run.path}")
    try:
        from scoring.report import write_report
        from scoring.run import score_run

        scores = run.path / "scores"
        given = () if progress is None else (progress,)
        score_run([run.attempts], workspace, scores, options, *given)
        files = write_report(scores, run.path / "report", workspace.root, gallery)
    except ModuleNotFoundError as error:
        raise MissingExtraError.for_extra("score", error.name or "scipy") from error
    rows = list(attribution_rows(run, workspace, scores))
    if rows:
        files["attribution"] = run.path / "report" / "attribution.jsonl"
        lines = (json.dumps(asdict(row), ensure_ascii=False) for row in rows)
        write_text(files["attribution"], "\n".join(lines) + "\n")
        _add_section(files["html"], rows)
    return files, written


def attribution_rows(run: RunFolder, workspace: Workspace, scores: Path) -> Iterator[AttributionRow]:
    """Each marked answer of `image_only` with its loss under one heading; needs transcriptions of the probe.

    The same taker's answer in `text_image`, same epoch and budget, tells a lost figure from failed reasoning.
    """
    from exam_mode.probe import AttributionRow, attribute
    from exam_mode.probe_text import printed_text
    from scoring.scores import read_scores

    copies = transcriptions(run.calls)
    if not copies:
        return
    papers = Papers(workspace)
    marked = read_scores(scores)
    cut = {_pair(s): s for s in marked if s.mode == "text_image"}
    for score in marked:
        copy = copies.get((score.model, score.question_id))
        if score.mode != "image_only" or copy is None:
            continue
        item = papers.item(score.question_id)
        label = f"{printed_name(item, item.source.language)} ({item.paper.title or item.paper.source.file})"
        result = attribute(copy, item.question, score, cut.get(_pair(score)))
        yield AttributionRow(
            score.model, score.question_id, label, item.question.points, result, printed_text(item.question), copy
        )


def _pair(score: Score) -> tuple[str, str, int, int | None]:
    return (score.model, score.question_id, score.epoch, score.budget)


def _add_section(page: Path, rows: list[AttributionRow]) -> None:
    """Put the section at the end of the report's main part, with a link in its navigation."""
    from exam_mode.probe_report import render_attribution

    text = page.read_text(encoding="utf-8")
    head, found, tail = text.rpartition("</main>")
    if not found:
        raise ExamError(f"{page} has no main part.", hint="Write the report again.")
    head = head.replace("</nav>", '<a href="#attribution">Lost marks</a></nav>', 1)
    write_text(page, f"{head}{render_attribution(rows)}</main>{tail}")
