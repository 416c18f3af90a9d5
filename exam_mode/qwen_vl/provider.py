"""The inspect-ai model provider `qwen-vl/PATH_OR_ID`.

`qwen_vl()` returns the class, the form that `@modelapi(name="qwen-vl")` wants. Weights are loaded at the first
request, in a worker thread, so that dry runs and listings stay light.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Hashable, Sequence
from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from exam_mode.qwen_vl.batching import Batcher
from exam_mode.qwen_vl.errors import QwenModelError, require_packages
from exam_mode.qwen_vl.images import fit, open_image
from exam_mode.qwen_vl.loader import Loaded, load
from exam_mode.qwen_vl.messages import to_chat
from exam_mode.qwen_vl.options import QwenOptions
from exam_mode.qwen_vl.predictor import Predictor, Reply, Request
from exam_mode.qwen_vl.sampling import Sampling

DEFAULT_NEW_TOKENS = 4096  # where neither the run nor -M max_new_tokens= says
IGNORED = (
    "frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs", "num_choices", "best_of",
    "reasoning_effort", "reasoning_tokens", "response_schema",
)  # fmt: skip


class QwenVLAPI(ModelAPI):
    """Qwen2.5-VL and Qwen3-VL with transformers.

    Temperature 0 is the default. `max_tokens` is a hard cap on everything generated. A seed belongs to the request:
    the same request with the same seed draws the same tokens alone and in any batch; give each epoch its own seed.

    `ModelOutput.metadata` holds `image_tokens`, `image_sizes` (as the model saw them), `revision`, `pinned`, `device`,
    `dtype`, `batch` and `ignored` (settings of the request that have no effect here).
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        require_packages()
        self.options = QwenOptions.of(model_args)
        self._loading = threading.Lock()
        self._predictor: Predictor | None = None
        self._batcher: Batcher[Request, Reply | QwenModelError] = Batcher(
            self._predict, _batch_key, self.options.batch_size, self.options.batch_wait
        )

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer one conversation.

        Raises:
            QwenModelError: tools, unreadable images, or a request that does not fit into memory.
        """
        if tools:
            raise QwenModelError(
                f"qwen-vl has no tools, and {len(tools)} were given.", hint="Run it without.", code="model.unsupported"
            )
        request = await anyio.to_thread.run_sync(self.prepare, input, config)
        future = self._batcher.submit(request)
        try:
            # A limiter of its own: the pool's common limit must not keep a batch from filling.
            reply = await anyio.to_thread.run_sync(
                future.result, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1)
            )
        except BaseException:
            future.cancel()
            raise
        if isinstance(reply, QwenModelError):
            raise reply
        return self._output(reply, request, config)

    def prepare(self, messages: Sequence[ChatMessage], config: GenerateConfig) -> Request:
        """The request that `messages` make: chat template applied, images opened and sized once."""
        loaded = self.loaded()
        tokenizer = loaded.processor.tokenizer
        special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
        chat, sources = to_chat(messages, special)
        extra = {} if self.options.thinking is None else {"enable_thinking": self.options.thinking}
        prompt = loaded.processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True, **extra)
        limits = (self.options.min_pixels, self.options.max_pixels)
        images = tuple(fit(open_image(source), loaded.patch, loaded.merge, *limits) for source in sources)
        sampling = Sampling(
            max_new_tokens=min(config.max_tokens or DEFAULT_NEW_TOKENS, self.options.max_new_tokens or sys.maxsize),
            temperature=config.temperature or 0.0,
            top_p=1.0 if config.top_p is None else config.top_p,
            top_k=config.top_k or 0,
            stop=tuple(config.stop_seqs or ()),
        )
        return Request(prompt, images, sampling, config.seed or 0)

    def loaded(self) -> Loaded:
        """The model, loaded when first asked for; several threads may ask."""
        with self._loading:
            if self._predictor is None:
                self._predictor = Predictor(load(self.model_name, self.options))
            return self._predictor.loaded

    def _predict(self, requests: Sequence[Request]) -> list[Reply | QwenModelError]:
        self.loaded()
        assert self._predictor is not None
        return self._predictor.predict(requests)

    def _output(self, reply: Reply, request: Request, config: GenerateConfig) -> ModelOutput:
        loaded = self.loaded()
        content: str | list[Any] = reply.text
        if reply.reasoning:
            content = [ContentReasoning(reasoning=reply.reasoning), ContentText(text=reply.text)]
        message = ChatMessageAssistant(content=content, model=self.model_name, source="generate")
        too_long = reply.stop == "model_length" and reply.output_tokens == 0
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason=reply.stop)],
            usage=ModelUsage(
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                total_tokens=reply.input_tokens + reply.output_tokens,
                reasoning_tokens=reply.reasoning_tokens,
            ),
            time=reply.seconds,
            error=f"The prompt has {reply.input_tokens} tokens, the model's window {loaded.window}."
            if too_long
            else None,
            metadata={
                "image_tokens": reply.image_tokens,
                "image_sizes": [[image.width, image.height] for image in request.images],
                "revision": loaded.revision,
                "pinned": loaded.pinned,
                "device": loaded.device,
                "dtype": loaded.dtype,
                "batch": reply.batch,
                "ignored": [name for name in IGNORED if getattr(config, name, None) is not None],
            },
        )

    async def count_text_tokens(self, text: str) -> int:
        """Exact number of tokens of a text."""

        def count() -> int:
            return len(self.loaded().processor.tokenizer(text)["input_ids"])

        return await anyio.to_thread.run_sync(count)

    def max_tokens(self) -> int | None:
        """Cap on new tokens where the run sets none."""
        return self.options.max_new_tokens or DEFAULT_NEW_TOKENS

    def max_connections(self) -> int:
        """Twice the batch size: while one batch runs, the next gathers."""
        return 2 * self.options.batch_size

    def connection_key(self) -> str:
        """Connections are counted for each model of its own."""
        return f"qwen-vl/{self.model_name}"

    def close(self) -> None:
        """End the worker thread and let the weights go."""
        self._batcher.close()
        self._predictor = None


def qwen_vl() -> type[ModelAPI]:
    """The class to register: `@modelapi(name="qwen-vl")` around a function that returns this call's result."""
    return QwenVLAPI


def _batch_key(request: Request) -> Hashable:
    return request.sampling
