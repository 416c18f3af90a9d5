"""A template's prompt for the model: Jinja blocks laid over the common prompt, with slots that the program fills.

Each text of the chain `extends` states blocks; `{{ super() }}` keeps what the block held before. Only what templates
say is filled in here: the text of pages goes to the model as data of its own and never passes this engine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from jinja2 import FunctionLoader, StrictUndefined, TemplateSyntaxError, meta, nodes
from jinja2.sandbox import SandboxedEnvironment

from wholepage.errors import TemplateError

if TYPE_CHECKING:
    from parse_templates.template import Template

COMMON = Path(__file__).parent / "model" / "prompt.j2"
BLOCKS = ("types", "fields", "layout", "examples")
SLOTS = ("about", "examples", "language", "missing", "name", "types")
GLOBALS = ("cycler", "dict", "joiner", "lipsum", "namespace", "range", "self")
NUMBER = re.compile(r"\d{1,3}[A-Za-z]?")
MAX_TEXT = 20_000  # characters of one template's own prompt
MAX_PROMPT = 40_000  # characters of the prompt that comes of it
MEANINGS = {
    "multiple_choice": "options under letters, one of them right",
    "multi_select": "options under letters, one or more of them right",
    "true_false": "a statement to be judged",
    "fill_in_blank": "blanks in the stem or its parts, each with a short answer",
    "proof": "something is to be proved; no answer but a solution",
    "open_ended": "worked answers, often in parts",
}


@dataclass(frozen=True, slots=True)
class PromptText:
    """A template's own prompt and where it stands: its file, and the line there of the text's first line."""

    text: str
    file: str
    line: int

    def error(self, line: int, said: str) -> TemplateError:
        """An error at a line of the text, counted from 1."""
        where = f"Template {self.file}, line {self.line + line - 1}"
        return TemplateError(f"{where}: prompt: {said}.", hint=f"It states Jinja blocks: {', '.join(BLOCKS)}.")


def check_prompt(prompt: PromptText) -> None:
    """Look over one text without running it.

    Raises:
        TemplateError: it is no Jinja, uses a slot or block that there is not, or has text outside of blocks.
    """
    if len(prompt.text) > MAX_TEXT:
        raise prompt.error(1, f"{len(prompt.text)} characters are more than {MAX_TEXT}")
    environment = _environment(lambda _: None)
    try:
        tree = environment.parse(prompt.text)
        environment.compile(prompt.text)
    except TemplateSyntaxError as error:
        raise prompt.error(error.lineno, (error.message or "it is no Jinja text").rstrip(".")) from error
    for node in tree.body:
        _check_top(node, prompt)
    for kind in (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends):
        for found in tree.find_all(kind):
            raise prompt.error(found.lineno, "other files cannot be drawn in; `extends:` of the template does that")
    blocks = {b.name: b for b in tree.find_all(nodes.Block)}
    for name in blocks.keys() - set(BLOCKS):
        raise prompt.error(blocks[name].lineno, f"there is no block {name!r}")
    unknown = meta.find_undeclared_variables(tree) - {*SLOTS, *GLOBALS}
    if unknown:
        first = min((n for n in tree.find_all(nodes.Name) if n.name in unknown), key=lambda n: n.lineno)
        raise prompt.error(first.lineno, f"there is no slot {first.name!r}; there are {', '.join(SLOTS)}")


def _check_top(node: nodes.Node, prompt: PromptText) -> None:
    """At the top a text holds blocks and nothing else: what stands outside of them would be lost."""
    if isinstance(node, nodes.Block):
        return
    inner = node.nodes if isinstance(node, nodes.Output) else []
    for part in inner:
        if not isinstance(part, nodes.TemplateData) or part.data.strip():
            lead = len(part.data) - len(part.data.lstrip()) if isinstance(part, nodes.TemplateData) else 0
            line = part.lineno + (part.data[:lead].count("\n") if isinstance(part, nodes.TemplateData) else 0)
            raise prompt.error(line, "text outside of a block would be lost")
    if not isinstance(node, nodes.Output):
        raise prompt.error(node.lineno, "statements outside of a block would be lost")


def render_prompt(template: Template, missing: Sequence[str] = ()) -> str:
    """What a model is told of one kind of paper; `missing` are numbers to be looked for again.

    Raises:
        TemplateError: the prompt cannot be filled in.
    """
    return render_texts(template, _placed(template), missing)


def _placed(template: Template) -> list[PromptText]:
    return [PromptText(text, template.name, 1) for text in template.prompt]


def render_texts(template: Template, texts: Sequence[PromptText], missing: Sequence[str] = ()) -> str:
    """`render_prompt` with the places of the template's texts, which its errors name."""
    by_name = {str(number + 1): prompt for number, prompt in enumerate(texts)}

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        if name == "0":
            return _common(), str(COMMON), lambda: True
        return f'{{% extends "{int(name) - 1}" %}}{by_name[name].text}', f"prompt {name}", lambda: True

    last = by_name.get(str(len(texts)), PromptText("", template.name, 1))
    try:
        said = _environment(load).get_template(str(len(texts))).render(_slots(template, missing)).strip()
    except Exception as error:  # whatever a filter or an expression may raise is an error of the template's text
        number, line = _raised_at(error, by_name)
        raise by_name.get(number, last).error(line, str(error).rstrip(".") or type(error).__name__) from error
    if len(said) > MAX_PROMPT:
        raise last.error(1, f"it comes to {len(said)} characters, more than {MAX_PROMPT}")
    return said


def _raised_at(error: BaseException, known: dict[str, PromptText]) -> tuple[str, int]:
    """Which text, and which of its lines, an error of rendering comes from."""
    found = ("", 1)
    for frame, line in walk_tb(error.__traceback__):
        name = frame.f_code.co_filename.removeprefix("prompt ")
        if name in known:
            found = (name, line)
    if isinstance(error, TemplateSyntaxError) and error.filename:
        found = (error.filename.removeprefix("prompt "), error.lineno)
    return found


def _slots(template: Template, missing: Sequence[str]) -> dict[str, Any]:
    types = {rule.type: rule.means or MEANINGS.get(rule.type, "") for rule in reversed(template.types)}
    examples = [
        {"lines": json.dumps({"lines": e.lines()}, ensure_ascii=False), "reply": json.dumps(e.reply())}
        for e in template.examples
    ]
    return {
        "name": template.name,
        "about": template.about,
        "language": {"zh": "Chinese", "en": "English"}.get(template.language, template.language),
        "types": [{"name": name, "means": means} for name, means in reversed(types.items())],
        "examples": examples,
        # Numbers come from the page: nothing but a number passes.
        "missing": ", ".join(n for n in missing if NUMBER.fullmatch(n)),
    }


@lru_cache(maxsize=1)
def _common() -> str:
    return COMMON.read_text(encoding="utf-8")


def _environment(load: Callable[[str], Any]) -> SandboxedEnvironment:
    # Prompts are plain text for a model: escaping for HTML would only spoil them.
    return SandboxedEnvironment(
        loader=FunctionLoader(load), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
