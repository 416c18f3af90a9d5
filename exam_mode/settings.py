"""From the command line's values to the options of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from exam_mode.budgets import amount
from exam_mode.errors import ExamOptionError
from exam_mode.guard import Caps
from exam_mode.runs import RunOptions
from exam_mode.selection import Choice

if TYPE_CHECKING:
    from exam_mode.engine import Pace

_MODEL = re.compile(r"^[\w.-]+/\S+$")


def names(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Names from options that may be repeated and may hold commas; each once, in order."""
    return tuple(dict.fromkeys(part.strip() for text in texts or () for part in text.split(",") if part.strip()))


def choice_of(given: Mapping[str, Any]) -> Choice:
    """Which questions are asked."""
    return Choice(
        modes=names([given["modes"]]),
        papers=names(given["papers"]),
        subjects=names(given["subject"]),
        tags=names(given["tags"]),
        limit=given["limit"],
        seed=given["seed"],
        unverified=given["unverified"],
        blind=given["blind"],
        without_key=given["without_key"],
        each_mode=given["each_mode"],
    )


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """How they are asked.

    Raises:
        ExamOptionError: a value is not usable.
    """
    models = names(given["model"])
    for model in models:
        if not _MODEL.match(model):
            raise ExamOptionError(
                f"{model!r} names no provider.", hint="For example openai/gpt-5, openai-api/vllm/MODEL or baseline/key."
            )
    if given["probe"] not in (None, "read"):
        raise ExamOptionError(f"There is no probe {given['probe']!r}.", hint="--probe read")
    if "captions" in names([given["modes"]]) and not given["captioner"]:
        raise ExamOptionError("The mode captions needs a captioning model.", hint="Name one with --captioner MODEL.")
    same = ("epochs", "window", "style", "pages", "language", "min_text", "tile", "captioner", "seed", "temperature")
    more = ("top_p", "reasoning_effort", "base_url", "cache")
    values = {name: given[name] for name in (*same, *more)}
    paths = {name: str(given[name]) if given[name] is not None else None for name in ("image_rules", "prices")}
    try:
        return RunOptions(
            models=list(models),
            modes=list(names([given["modes"]])),
            budgets=list(given["budget"] or ()),
            probe=given["probe"] == "read",
            model_args=_model_args(given["model_arg"] or ()),
            **values,
            **paths,
        )
    except ValidationError as error:
        first = error.errors()[0]
        option = "--" + str(first["loc"][0]).replace("_", "-")
        raise ExamOptionError(f"{option}: {first['msg']}.", hint="`wholepage exam run --help` lists them.") from error


def _model_args(texts: Sequence[str]) -> dict[str, Any]:
    result = {}
    for text in texts:
        key, found, value = text.partition("=")
        if not found or not key:
            raise ExamOptionError(f"-M {text!r} is not KEY=VALUE.", hint="For example -M device=cuda.")
        try:
            result[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            result[key] = value
    return result


def pace_of(given: Mapping[str, Any]) -> Pace:
    """How fast, and where the run stops."""
    from exam_mode.engine import Pace

    tokens = None if given["max_tokens"] is None else amount(given["max_tokens"], what="cap")
    caps = Caps(tokens, given["max_cost"])
    return Pace(given["connections"], given["tries"], given["timeout"], caps, given["logs"])
