"""The request of `wholepage tag`, through the model parser's client: same address, key, caps and retries."""

from __future__ import annotations

from typing import Any

from parse_templates.knowledge import Ask
from parse_templates.model.client import ModelClient
from parse_templates.model.options import load_options

TEXT = {"type": "string"}
FIELDS = {"question": TEXT, "label": TEXT, "quote": TEXT}
TAG = {"type": "object", "properties": FIELDS, "required": list(FIELDS), "additionalProperties": False}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"tags": {"type": "array", "items": TAG}},
    "required": ["tags"],
    "additionalProperties": False,
}


def model_client(model: str | None = None) -> tuple[Ask, str]:
    """A function that asks the model, and the model's name; `model` goes before the environment's.

    Raises:
        ModelSetupError: no model or no address is set.
        MissingExtraError: the openai package is not installed.
    """
    options = load_options(model=model)
    client = ModelClient(options)

    def ask(system: str, user: str) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return client.ask(messages, SCHEMA).text

    return ask, options.model
