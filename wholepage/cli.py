"""The command line: arguments in, calls out. Commands load what they need when they run, so that help is quick."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wholepage import __version__
from wholepage.guarding import JsonOption, WorkspaceOption, guarded

if TYPE_CHECKING:
    from ingest.pairing import Pair
    from wholepage.pipeline import IngestOptions
    from wholepage.settings import Settings
    from wholepage.workspace import Workspace

app = typer.Typer(
    name="wholepage",
    help="Exam papers and textbooks, as people have them, into question JSON one can trust.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

TemplateOption = Annotated[
    str | None, typer.Option(metavar="NAME|auto", help="Template, a path to one, or auto. (default: auto)")
]
ParserOption = Annotated[
    str | None,
    typer.Option(metavar="rules|model|both", help="What takes papers apart: docs/model-parser.md. (default: rules)"),
]
PasswordOption = Annotated[str | None, typer.Option(metavar="P", help="Password of encrypted PDFs and zips.")]
JobsOption = Annotated[int | None, typer.Option("--jobs", "-j", min=1, metavar="N", help="Worker processes for pages.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wholepage {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


@app.command()
@guarded
def ingest(  # noqa: PLR0917
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="PDFs, images, zips or folders of them.")],
    workspace: WorkspaceOption = None,
    answers: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Answer key of the one paper given; `none` forgets an earlier key."),
    ] = None,
    template: TemplateOption = None,
    parser: ParserOption = None,
    password: PasswordOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
    force: Annotated[bool, typer.Option("--force", help="Read everything anew.")] = False,
) -> None:
    """Turn papers into question JSON with a preview."""
    from ingest.discover import find_papers

    missing = next((p for p in paths if not p.exists()), None)
    if missing is not None:
        raise typer.BadParameter(f"there is no {str(missing)!r}", param_hint="PATH...")
    settings = _settings(workspace, jobs, template, parser)
    pairs = find_papers(paths)
    options = _ingest_options(settings, password, force)
    options, pairs = _with_answers(options, pairs, answers)
    raise typer.Exit(_ingest_all(pairs, settings, options, as_json))


def _with_answers(options: IngestOptions, pairs: list[Pair], answers: str | None) -> tuple[IngestOptions, list[Pair]]:
    from dataclasses import replace

    if answers is None:
        return options, pairs
    if answers == "none" and not Path(answers).exists():
        return replace(options, forget_answers=True), [replace(p, answers=None) for p in pairs]
    key = Path(answers)
    if not key.exists():
        raise typer.BadParameter(f"there is no {answers!r}", param_hint="--answers")
    pairs = [p for p in pairs if p.paper.resolve() != key.resolve()]
    if len(pairs) != 1:
        raise typer.BadParameter(f"a key goes with one paper, and {len(pairs)} are given", param_hint="--answers")
    return options, [replace(pairs[0], answers=key)]


def _ingest_all(pairs: list[Pair], settings: Settings, options: IngestOptions, as_json: bool) -> int:
    """Ingest, print the result, and return the exit code."""
    from wholepage.batch import Batch, exit_code
    from wholepage.console import ConsoleReporter, print_summary

    workspace = _workspace(settings)
    with ConsoleReporter(len(pairs), as_json) as reporter, Batch(workspace, options, reporter) as batch:
        for pair in pairs:
            batch.ingest(pair)
    if not as_json:
        print_summary(reporter.results, workspace.root)
    return int(exit_code(reporter.results))


@app.command()
@guarded
def watch(
    inbox: Annotated[Path | None, typer.Argument(metavar="INBOX", help="Folder to watch. (default: DIR/inbox)")] = None,
    once: Annotated[bool, typer.Option("--once", help="Take what is there, then end.")] = False,
    workspace: WorkspaceOption = None,
    template: TemplateOption = None,
    parser: ParserOption = None,
    password: PasswordOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ingest every paper that is dropped into a folder."""
    from wholepage.console import ConsoleReporter
    from wholepage.watching import watch_folder

    settings = _settings(workspace, jobs, template, parser)
    store = _workspace(settings).create()
    folder = inbox if inbox is not None else store.inbox
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {str(folder)!r}", param_hint="INBOX")
    options = _ingest_options(settings, password, False)
    with ConsoleReporter(None, as_json) as reporter:
        code = watch_folder(folder, store, options, reporter, once)
    raise typer.Exit(int(code))


@app.command()
@guarded
def preview(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Paper id, the start of one, or a file name.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Write a paper's preview.html anew and print its path."""
    from review.preview import write_preview

    store = _workspace(_settings(workspace))
    typer.echo(str(write_preview(store, store.load(store.find(paper)))))


@app.command(name="list")
@guarded
def list_command(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """List the papers of the workspace."""
    from wholepage.console import out, print_json
    from wholepage.show import list_papers, render_list

    store = _workspace(_settings(workspace))
    rows = list_papers(store)
    if as_json:
        for row in rows:
            print_json(row)
    elif rows:
        out().print(render_list(rows))
    else:
        typer.echo(f"No papers in {store.root}. Add some with: wholepage ingest PATH", err=True)


@app.command()
@guarded
def show(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Paper id, the start of one, or a file name.")],
    number: Annotated[str | None, typer.Argument(metavar="NUMBER", help="Question number or id.")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Print a paper's overview, or one question."""
    from wholepage.console import out
    from wholepage.show import show as print_paper

    print_paper(out(), _workspace(_settings(workspace)), paper, number)


@app.command()
@guarded
def schema() -> None:
    """Print the JSON Schema of paper.json."""
    import json

    from wholepage.records import Paper

    typer.echo(json.dumps(Paper.model_json_schema(by_alias=True), ensure_ascii=False, indent=2))


@app.command()
@guarded
def doctor(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Say what is installed and working."""
    from wholepage.console import out, print_json
    from wholepage.doctor import as_json as report
    from wholepage.doctor import is_healthy, render, run_checks
    from wholepage.errors import ExitCode

    checks = run_checks(_settings(workspace))
    if as_json:
        print_json(report(checks))
    else:
        out().print(render(checks))
    raise typer.Exit(int(ExitCode.OK if is_healthy(checks) else ExitCode.FAILURE))


@app.command()
@guarded
def demo(
    workspace: WorkspaceOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the report in a browser.")] = True,
) -> None:
    """Ingest the samples, let takers without a model sit them, and open the report."""
    from wholepage.demo import open_page, sample_papers, small_exam

    settings = _settings(workspace, jobs)
    code = _ingest_all(sample_papers(), settings, _ingest_options(settings, None, False), as_json)
    report = small_exam(_workspace(settings), as_json)
    if report is not None and show:
        open_page(report)
    raise typer.Exit(code)


def _settings(
    workspace: Path | None, jobs: int | None = None, template: str | None = None, parser: str | None = None
) -> Settings:
    """Settings of the environment, overridden by what the command line gives."""
    from wholepage.settings import load_settings

    settings = load_settings()
    if parser not in (None, "rules", "model", "both"):
        raise typer.BadParameter(f"{parser!r} is none of rules, model, both", param_hint="--parser")
    given: dict[str, Any] = {"workspace": workspace, "jobs": jobs, "template": template, "parser": parser}
    return settings.model_copy(update={k: v for k, v in given.items() if v is not None})


def _ingest_options(settings: Settings, password: str | None, force: bool) -> IngestOptions:
    from wholepage.pipeline import IngestOptions

    if settings.formula_engine != "embedded":
        from layout.formulas.recognizers import get_recognizer

        # What is missing is said before the first file is taken.
        get_recognizer(settings.formula_engine, settings.formula_model)
    reader = None
    if settings.parser != "rules":
        from parse_templates.model.reader import make_reader

        reader = make_reader(settings.parser)
    return IngestOptions(template=settings.template, password=password, force=force, settings=settings, reader=reader)


def _workspace(settings: Settings) -> Workspace:
    from wholepage.workspace import Workspace

    return Workspace(settings.workspace)


def workspace_at(folder: Path | None) -> Workspace:
    """The workspace in `folder`, else the one that the environment names."""
    return _workspace(_settings(folder))


def settings_at(folder: Path | None) -> Settings:
    """Settings of the environment with the workspace in `folder` where one is given."""
    return _settings(folder)


def _mount_checks() -> None:
    """Add the commands that work on papers which are there already."""
    from wholepage import cli_checks, cli_templates

    app.command()(cli_checks.check)
    app.command()(cli_checks.answers)
    app.command()(cli_checks.tag)
    app.add_typer(cli_templates.app, name="templates")


def _mount_scoring() -> None:
    """Add `wholepage score` where the scoring room is installed; it loads its own parts when it runs."""
    if importlib.util.find_spec("scoring") is None or importlib.util.find_spec("scoring.cli") is None:
        return
    from importlib import import_module

    app.add_typer(import_module("scoring.cli").app, name="score")


def _mount_exam() -> None:
    """Add `wholepage exam`; its commands load inspect-ai when they run."""
    if importlib.util.find_spec("exam_mode") is None or importlib.util.find_spec("exam_mode.cli") is None:
        return
    from importlib import import_module

    app.add_typer(import_module("exam_mode.cli").app, name="exam")


_mount_checks()
_mount_scoring()
_mount_exam()


def main() -> None:
    """Entry point of the `wholepage` script."""
    for stream in (sys.stdout, sys.stderr):  # page text holds what a terminal's encoding may lack
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()


if __name__ == "__main__":
    main()
