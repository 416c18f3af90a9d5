"""`wholepage score report`: a run folder → one HTML file that opens offline, with CSV, Parquet and JSON beside it."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

from scoring import report_charts as charts
from scoring import report_view as view
from scoring.report_crops import Cropper
from scoring.report_gallery import cards, choose
from scoring.report_glance import glance
from scoring.report_svg import percent
from scoring.report_tables import write_csv, write_parquet
from scoring.scores import (
    Manifest,
    Score,
    ScoredQuestion,
    check_complete,
    read_issues,
    read_manifest,
    read_questions,
    read_scores,
    read_summary,
)
from scoring.summary import Summary
from wholepage.workspace import Workspace, write_json, write_text


def write_report(run: Path, out: Path, workspace: Path | None = None, gallery: int = 60) -> dict[str, Path]:
    """Write report.html, scores.csv, scores.parquet and report.json into `out`.

    Args:
        run: folder written by `score_run`.
        out: folder for the files.
        workspace: where the page images are; default the workspace that the run used.
        gallery: answers that lost marks to show in full.

    Returns:
        File by kind: html, csv, parquet, json.

    Raises:
        RunError: the run folder is absent, unfinished or damaged.
    """
    manifest = read_manifest(run)
    scores, questions = read_scores(run), read_questions(run)
    summary, issues = read_summary(run), read_issues(run)
    check_complete(run, manifest, scores, questions)
    root = workspace or Path(manifest.workspace)
    cropper = Cropper(Workspace(root) if root.is_dir() else None)
    files = {
        "html": out / "report.html",
        "csv": out / "scores.csv",
        "parquet": out / "scores.parquet",
        "json": out / "report.json",
    }
    write_text(files["html"], render(manifest, summary, scores, questions, cropper, gallery, issues))
    write_csv(files["csv"], scores, questions)
    write_parquet(files["parquet"], scores, questions)
    write_json(files["json"], {"manifest": manifest.model_dump(mode="json", by_alias=True), "summary": summary})
    return files


def render(
    manifest: Manifest,
    summary: Summary,
    scores: list[Score],
    questions: dict[str, ScoredQuestion],
    cropper: Cropper,
    gallery: int,
    issues: list[dict[str, Any]],
) -> str:
    """The page as one HTML text without outside references, scripts or style attributes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    style = (resources.files("scoring") / "assets" / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        loader=PackageLoader("scoring", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    questions = view.told_apart(questions)
    rows = view.headline(summary)
    modes = view.paired(summary["comparisons"]["modes"], questions, "modes")
    chosen = choose(scores, summary, gallery)
    lost = sum(s.status == "marked" and s.verdict in {"wrong", "partial"} for s in scores)
    return environment.get_template("report.html.j2").render(
        style=Markup(style),
        csp=f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        manifest=manifest,
        profile=manifest.profile_content,
        summary=summary,
        rows=rows,
        free=[r for r in rows if r["budget"] is None] or rows,
        all_capped=all(r["budget"] is not None for r in rows),
        glance=glance(summary, rows, modes, scores, questions, issues),
        capped=[r for r in rows if r["budget"] is not None] if any(r["budget"] is None for r in rows) else [],
        has_unknown=any(r["unknown"] for r in rows),
        has_process=any(c["exam"]["pes"] is not None for c in summary["conditions"]),
        has_steps=any(c["process"]["step_score"] is not None for c in summary["conditions"]),
        has_money=any(c["efficiency"]["money_per_correct"] for c in summary["conditions"]),
        ladder=view.ladder(summary),
        tables=view.side_by_side(summary),
        modes=modes,
        models=view.paired(summary["comparisons"]["models"], questions, "models"),
        outcomes=view.outcome_bars(scores, summary),
        kinds=view.KINDS,
        kind_names=view.KIND_NAMES,
        budget=charts.budget_chart(summary),
        items=charts.item_map(summary, scores, questions),
        cards=cards(chosen, questions, cropper),
        anchors=set(chosen),
        shown=sum(len(answers) for answers in chosen.values()),
        lost=lost,
        issues=issues,
        percent=percent,
        ks=max((list(r["epoch_figures"]["pass_at_k"]) for r in rows), key=len, default=[]),
    )
