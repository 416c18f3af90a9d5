"""`wholepage exam …`: arguments in, calls out. Heavy parts are loaded when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wholepage.guarding import JsonOption, WorkspaceOption, guarded

if TYPE_CHECKING:
    from wholepage.workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Let vision-language models sit the papers of a workspace.")

ListOption = Annotated[list[str] | None, typer.Option(metavar="NAME,…", help="Comma-separated or repeated.")]
RunArgument = Annotated[str | None, typer.Argument(metavar="RUN", help="Folder or name. (default: the newest)")]
ConnectionsOption = Annotated[int, typer.Option(min=1, max=1024, help="Calls at the same time.")]
TriesOption = Annotated[int, typer.Option(min=1, max=20, help="Tries of a call before it counts as failed.")]
TimeoutOption = Annotated[int, typer.Option(min=1, metavar="SECONDS", help="Time for one try of a call.")]
LogsOption = Annotated[bool, typer.Option("--logs", help="Write inspect-ai's logs too; slower, and takes memory.")]
MaxTokensOption = Annotated[str | None, typer.Option(metavar="N", help="Cap on all tokens of the run, e.g. 5m.")]
MaxCostOption = Annotated[float | None, typer.Option(min=0, metavar="MONEY", help="Cap on the money of the run.")]


@app.command()
@guarded
def run(
    *,
    model: Annotated[list[str], typer.Option("--model", "-m", metavar="MODEL", help="Taker; repeatable.")],
    modes: Annotated[str, typer.Option(metavar="MODE,…", help="Input forms.")] = "text_only,text_image,image_only",
    workspace: WorkspaceOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="RUN", help="Folder of the run.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often each question is asked.")] = 1,
    papers: ListOption = None,
    subject: ListOption = None,
    tags: ListOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draw --limit at random; sent to models that take a seed.")] = None,
    unverified: Annotated[bool, typer.Option("--unverified", help="Ask questions that nobody verified too.")] = False,
    each_mode: Annotated[
        bool, typer.Option("--each-mode", help="Ask in each mode all that fits it, not the common set.")
    ] = False,
    blind: Annotated[
        bool, typer.Option("--blind", help="text_only also for questions that need a figure, which is only named.")
    ] = False,
    without_key: Annotated[bool, typer.Option("--without-key", help="Ask questions without answer too.")] = False,
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", "--budgets", metavar="N|N%|N,…", help="Cap on generated tokens, reasoning included."),
    ] = None,
    window: Annotated[int | None, typer.Option(min=1, help="Context window in tokens, for budgets in %.")] = None,
    style: Annotated[str, typer.Option(metavar="cot|direct", help="Step by step, or the answer alone.")] = "cot",
    pages: Annotated[str, typer.Option(metavar="all|own", help="Pages that whole-page forms send.")] = "all",
    language: Annotated[str | None, typer.Option(metavar="zh|en", help="Of the prompts. (default: paper's)")] = None,
    min_text: Annotated[float, typer.Option(min=0, help="Least height of text in sent images, pixels.")] = 10.0,
    tile: Annotated[bool, typer.Option("--tile", help="Send pages in tiles where text would be too small.")] = False,
    image_rules: Annotated[Path | None, typer.Option(metavar="FILE", help="Own image rules (YAML).")] = None,
    prices: Annotated[Path | None, typer.Option(metavar="FILE", help="Own prices (YAML).")] = None,
    captioner: Annotated[str | None, typer.Option(metavar="MODEL", help="Describes figures for captions.")] = None,
    probe: Annotated[str | None, typer.Option(metavar="read", help="Also ask for a transcription.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0)] = None,
    top_p: Annotated[float | None, typer.Option(min=0.0001, max=1)] = None,
    reasoning_effort: Annotated[str | None, typer.Option(metavar="LEVEL", help="As inspect-ai names it.")] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Server of the models.")] = None,
    model_arg: Annotated[list[str] | None, typer.Option("-M", metavar="KEY=VALUE", help="For the provider.")] = None,
    cache: Annotated[bool, typer.Option("--cache", help="Use inspect-ai's cache of replies.")] = False,
    connections: ConnectionsOption = 16,
    tries: TriesOption = 5,
    timeout: TimeoutOption = 600,
    logs: LogsOption = False,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print calls, tokens and price; ask nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask every chosen question in every mode and record the answers."""
    from exam_mode.commands import begin
    from exam_mode.settings import choice_of, pace_of, run_options

    given = dict(locals())
    choice = choice_of(given)
    begin(_store(workspace), choice, run_options(given), pace_of(given), out, dry_run, as_json)


@app.command(name="continue")
@guarded
def continue_command(
    *,
    reference: RunArgument = None,
    workspace: WorkspaceOption = None,
    connections: ConnectionsOption = 16,
    tries: TriesOption = 5,
    timeout: TimeoutOption = 600,
    logs: LogsOption = False,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go on with a run: only what has no answer yet is asked."""
    from exam_mode.commands import go_on
    from exam_mode.settings import pace_of

    go_on(_store(workspace), reference, pace_of(dict(locals())), as_json)


@app.command()
@guarded
def status(
    reference: RunArgument = None,
    workspace: WorkspaceOption = None,
    every: Annotated[bool, typer.Option("--all", help="All runs of the workspace.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say how far a run is and what it used."""
    from exam_mode.commands import show_status

    show_status(_store(workspace), reference, every, as_json)


@app.command()
@guarded
def attempts(
    reference: RunArgument = None,
    workspace: WorkspaceOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File. (default: RUN/attempts.jsonl)")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the answers as JSONL for `wholepage score`."""
    from exam_mode.commands import export_attempts

    export_attempts(_store(workspace), reference, out, as_json)


@app.command()
@guarded
def report(
    reference: RunArgument = None,
    workspace: WorkspaceOption = None,
    profile: Annotated[str | None, typer.Option(metavar="NAME", help="Profile of scoring.")] = None,
    gallery: Annotated[int, typer.Option(min=0, help="Wrong answers to show in full.")] = 60,
    as_json: JsonOption = False,
) -> None:
    """Mark the answers by rules and write the report; judges come in with `wholepage score run`."""
    from exam_mode.commands import make_report

    make_report(_store(workspace), reference, profile, gallery, as_json)


@app.command(name="import")
@guarded
def import_command(
    source: Annotated[Path, typer.Argument(metavar="PATH", help="JSON, JSONL, Parquet, or a datasets folder.")],
    workspace: WorkspaceOption = None,
    form: Annotated[str | None, typer.Option(metavar="livek12bench|k12vista", help="(default: by the fields)")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Mark the questions as verified.")] = False,
) -> None:
    """Read questions in the form of LiveK12Bench or K12Vista into the workspace."""
    from exam_mode.interchange.commands import ImportOptions, exit_code, import_lines, import_records

    result = import_records(ImportOptions(source, _store(workspace).root, _form(form), accept))
    for line in import_lines(result):
        typer.echo(line)
    raise typer.Exit(int(exit_code(result)))


@app.command()
@guarded
def export(
    target: Annotated[Path, typer.Argument(metavar="PATH", help="File or folder; the suffix chooses the container.")],
    workspace: WorkspaceOption = None,
    form: Annotated[str, typer.Option(metavar="livek12bench|k12vista")] = "livek12bench",
    papers: ListOption = None,
    verified: Annotated[bool, typer.Option("--verified", help="Leave out what nobody verified.")] = False,
) -> None:
    """Write questions in the form of LiveK12Bench or K12Vista."""
    from exam_mode.interchange.commands import ExportOptions, exit_code, export_lines, export_records
    from exam_mode.settings import names

    options = ExportOptions(_store(workspace).root, target, _form(form) or "livek12bench", names(papers), verified)
    result = export_records(options)
    for line in export_lines(result):
        typer.echo(line)
    raise typer.Exit(int(exit_code(result)))


def _form(name: str | None) -> Any:
    if name not in (None, "livek12bench", "k12vista"):
        raise typer.BadParameter("livek12bench or k12vista", param_hint="--form")
    return name


def _store(workspace: Path | None) -> Workspace:
    from wholepage.settings import load_settings
    from wholepage.workspace import Workspace

    return Workspace(workspace if workspace is not None else load_settings().workspace)
