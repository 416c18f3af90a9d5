"""Takers without a model, as a provider of inspect-ai: `baseline/key`, `baseline/chance`, `baseline/first-option`."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from exam_mode.answers import first_option, key_answers, key_text, random_answer
from exam_mode.current import ASKED, Asked
from exam_mode.errors import ExamOptionError
from exam_mode.forms.mock_exam import sheet_key
from exam_mode.items import Item

NAMES = ("key", "chance", "first-option")
CONNECTIONS = 64


class BaselineAPI(ModelAPI):
    """Answers from the record of the question that is being asked; what it is sent does not matter."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - signature of the base class
        **_model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in NAMES:
            raise ExamOptionError(
                f"There is no baseline {model_name!r}.", hint=", ".join(f"baseline/{name}" for name in NAMES)
            )

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The answer, with zero tokens of usage: nothing was generated."""
        asked = ASKED.get()
        if asked is None:
            text = ""
        elif asked.sheet:
            sheet = {sheet_key(item): self._entries(item, asked) for item in asked.items}
            text = json.dumps({"answers": sheet}, ensure_ascii=False)
        else:
            text = self._text(asked.items[0], asked)
        output = ModelOutput.from_content(f"baseline/{self.model_name}", text)
        output.usage = ModelUsage()
        return output

    def _text(self, item: Item, asked: Asked) -> str:
        if self.model_name == "key":
            return key_text(item.question)
        return "\n".join(f"\\boxed{{{entry}}}" for entry in self._entries(item, asked)) or "I do not know."

    def _entries(self, item: Item, asked: Asked) -> list[str]:
        if self.model_name == "key":
            return key_answers(item.question)
        if self.model_name == "chance":
            return random_answer(item, asked.epoch)
        return first_option(item.question)

    def max_connections(self) -> int:
        """Calls at once; nothing is slow here."""
        return CONNECTIONS

    def connection_key(self) -> str:
        """One pool for all baselines."""
        return "baseline"
