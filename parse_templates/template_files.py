"""Template files: reading one with all that it inherits, and writing one to start from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from parse_templates.prompting import PromptText, check_prompt, render_texts
from parse_templates.template import Template
from wholepage.errors import TemplateError

FOLDER = Path(__file__).parent / "templates"
MAX_BYTES = 1_000_000


def template_names(folder: Path = FOLDER) -> list[str]:
    """Names of the templates that ship, sorted."""
    return sorted(p.stem for p in folder.glob("*.yaml"))


def load_template(name: str, folder: Path = FOLDER) -> Template:
    """The template called `name`, or the one in the file `name` if that is a path to a YAML file.

    Raises:
        TemplateError: there is no such template, it does not validate, or its prompt cannot be filled in.
    """
    if name.endswith((".yaml", ".yml")):
        return _load(Path(name), folder)  # a file of one's own may change from one call to the next
    return _shipped(name, folder)


@lru_cache(maxsize=64)
def _shipped(name: str, folder: Path) -> Template:
    return _load(folder / f"{name}.yaml", folder)


def _load(path: Path, folder: Path) -> Template:
    data, prompts = _merged(path, folder, ())
    try:
        template = Template.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TemplateError(f"Template {path.name}: {where}: {first['msg']}.", hint="Mend that field.") from error
    if prompts:
        render_texts(template, prompts)
    return template


def _merged(path: Path, folder: Path, seen: tuple[str, ...]) -> tuple[dict[str, Any], list[PromptText]]:
    """What a file states over what it inherits, and the prompts of all files, the first inherited one first."""
    if path.stem in seen:
        raise TemplateError(
            f"Template {path.stem} extends itself through {' → '.join(seen)}.", hint="Break the circle."
        )
    data, prompts = _read(path, folder)
    for prompt in prompts:
        check_prompt(prompt)
    if base := data.get("extends"):
        inherited, before = _merged(folder / f"{base}.yaml", folder, (*seen, path.stem))
        data, prompts = _over(inherited, data), [*before, *prompts]
    return {**data, "prompt": [p.text for p in prompts]}, prompts


def _over(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """`own` over `base`: groups key by key, everything else as a whole."""
    out = {**base, **own}
    for name, value in own.items():
        inherited = base.get(name)
        if isinstance(value, dict) and isinstance(inherited, dict):
            out[name] = {**inherited, **value}
    return out


def _read(path: Path, folder: Path) -> tuple[dict[str, Any], list[PromptText]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        data = yaml.safe_load(text)
        prompts = _prompts(text, path) if isinstance(data, dict) and data.get("prompt") else []
    except FileNotFoundError as error:
        known = ", ".join(template_names(folder))
        raise TemplateError(
            f"There is no template {path.stem!r}.", hint=f"Choose one of {known}, auto, or give a .yaml file."
        ) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise TemplateError(f"Cannot read template {path}: {error}", hint="It must be UTF-8 YAML.") from error
    if not isinstance(data, dict):
        raise TemplateError(f"Template {path} holds no fields.", hint="See docs/templates.md for an example.")
    return data, prompts


def _prompts(text: str, path: Path) -> list[PromptText]:
    """The texts under `prompt`, one or a list, each with the line that it begins on in the file."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    value = next(v for k, v in pairs if k.value == "prompt")
    found = []
    for node in value.value if isinstance(value, yaml.SequenceNode) else [value]:
        if not isinstance(node, yaml.ScalarNode):
            raise ValueError("prompt: it is one text or a list of texts")
        block = node.style in ("|", ">")  # the text begins on the line behind the sign
        found.append(PromptText(node.value, path.name, node.start_mark.line + 1 + block))
    return found


def to_yaml(template: Template) -> str:
    """The template with all inherited fields, without empty ones."""
    data = {k: _filled(v) for k, v in template.model_dump(exclude={"extends"}).items()}
    data = {k: v for k, v in data.items() if v not in ("", [], {}, None)}
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)


def _filled(value: Any) -> Any:
    """Without what is empty, in groups and lists too; False and 0 are statements."""
    if isinstance(value, dict):
        return {k: f for k, v in value.items() if (f := _filled(v)) not in ("", [], {}, None)}
    return [_filled(v) for v in value] if isinstance(value, list) else value


class _Dumper(yaml.SafeDumper):
    """Texts of several lines stand as they are, so that people can read them."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


STARTER = """\
name: {name}
about: Say in a line which papers this is for.
extends: {base}
# numbers: how a question's number is printed (group n, from the start of a line) and how sure it is (3: very).
# numbers:
#   - {{pattern: '^\\s*第\\s*(?P<n>\\d{{1,2}})\\s*题', weight: 3}}
# headings: lines that begin a section (groups ord and rest).
# options, parts: their marks (group l).
# solutions: marks before printed answers and solutions.
# solutions:
#   answer: ['^\\s*答[:：]']
#   solution: ['^\\s*解[:：]']
# key: where the answer key begins.
# key: {{headings: ['^\\s*参考答案']}}
# fields: what else the source prints (group v).
# fields: {{knowledge_points: ['【考点】(?P<v>[^【]+)']}}
# examples: a few printed lines and what is to be said of them, in quotes (docs/templates.md).
# prompt: what a language model is told beside that (blocks types, fields, layout, examples).
# prompt: |
#   {{% block layout %}}
#   {{{{ super() }}}}
#   The number stands between two stars.
#   {{% endblock %}}
"""


def starter(name: str, base: Template) -> str:
    """A template to start from: it inherits from `base`; what it may state stands there as comments."""
    return STARTER.format(name=name, base=base.name)
