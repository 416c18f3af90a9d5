"""The commands `wholepage templates …`: arguments in, calls out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wholepage.guarding import JsonOption, WorkspaceOption, guarded

app = typer.Typer(no_args_is_help=True, help="Templates: what a source's papers look like.")
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A template's name, or a path to a .yaml file.")]


@app.command(name="list")
@guarded
def list_templates(as_json: JsonOption = False) -> None:
    """List the templates that ship."""
    from parse_templates.template_files import load_template, template_names
    from wholepage.console import print_json

    for name in template_names():
        template = load_template(name)
        if as_json:
            print_json({"name": name, "language": template.language, "about": template.about})
        else:
            typer.echo(f"{name:14}{template.language:4}{template.about}")


@app.command()
@guarded
def show(
    name: NameArgument,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print what a language model is told instead.")] = False,
) -> None:
    """Print a template whole, with the fields that it inherits, as YAML."""
    from parse_templates.prompting import render_prompt
    from parse_templates.template_files import load_template, to_yaml

    template = load_template(name)
    typer.echo(render_prompt(template) + "\n" if prompt else to_yaml(template), nl=False)


@app.command()
@guarded
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The .yaml file to write.")],
    extends: Annotated[str, typer.Option("--extends", metavar="NAME", help="What it inherits from.")] = "zh_exam",
) -> None:
    """Write a template to start from; it inherits everything until you state it."""
    from parse_templates.template_files import load_template, starter
    from wholepage.errors import TemplateError
    from wholepage.workspace import write_text

    if file.suffix not in (".yaml", ".yml"):
        raise TemplateError(f"{file} is no .yaml file.", hint=f"Call it {file.with_suffix('.yaml').name}.")
    if file.exists():
        raise TemplateError(f"{file} is there already.", hint="Choose another name, or delete it first.")
    write_text(file, starter(file.stem, load_template(extends)))
    typer.echo(f"{file}\nTry it: wholepage templates check {file} PAPER")


@app.command()
@guarded
def check(
    name: NameArgument,
    paper: Annotated[
        str | None, typer.Argument(metavar="PAPER", help="Paper id, the start of one, or a file name.")
    ] = None,
    pages: Annotated[str, typer.Option("--pages", metavar="LIST", help="Only these pages of it, as 2-4,7.")] = "",
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a template on a paper that was ingested, and show what each of its rules caught; without one, validate it."""
    from parse_templates.template_files import load_template
    from wholepage.cli import workspace_at
    from wholepage.console import out, print_json
    from wholepage.errors import ExitCode
    from wholepage.template_check import check_template, page_numbers, render

    if paper is None:
        template = load_template(name)
        typer.echo(f"{template.name}: its fields, patterns, prompt and examples are valid. Give a paper to try it on.")
        return
    try:
        numbers = page_numbers(pages) if pages else None
    except ValueError as error:
        raise typer.BadParameter(f"{pages!r} is no list of pages such as 2-4,7.", param_hint="--pages") from error
    result = check_template(workspace_at(workspace), name, paper, numbers)
    if as_json:
        print_json(result.as_json())
    else:
        out().print(render(result))
    raise typer.Exit(int(ExitCode.OK if result.questions else ExitCode.DOUBTS))
