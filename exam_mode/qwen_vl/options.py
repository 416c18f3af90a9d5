"""Options of the provider, given as `-M NAME=VALUE` on the command line."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exam_mode.qwen_vl.errors import QwenModelError


class QwenOptions(BaseModel):
    """How to load a model and how to batch requests."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    revision: str | None = Field(None, description="Commit, tag or branch of a hub id, instead of the pinned one.")
    device: str = Field("auto", description="auto (GPU where there is one), cpu, cuda, cuda:1, mps.")
    device_map: str | None = Field(None, description="auto spreads a model over several GPUs; needs accelerate.")
    dtype: str = Field(
        "auto", pattern="^(auto|bfloat16|float16|float32)$", description="auto: bfloat16, on CPU float32."
    )
    attention: str | None = Field(None, description="attn_implementation of transformers, e.g. flash_attention_2.")
    batch_size: int = Field(8, ge=1, le=1024, description="Most requests generated together.")
    batch_wait: float = Field(0.1, ge=0, le=60, description="Seconds that a request waits for company.")
    max_new_tokens: int | None = Field(None, ge=1, description="Cap on new tokens that no request may exceed.")
    min_pixels: int | None = Field(None, ge=1, description="Smaller images are enlarged to this many pixels.")
    max_pixels: int | None = Field(None, ge=1, description="Larger images are reduced to this many pixels.")
    thinking: bool | None = Field(None, description="Passed to chat templates that know `enable_thinking`.")

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> QwenOptions:
        """Options from `-M` arguments. Raises QwenModelError naming the argument that does not fit."""
        try:
            options = cls.model_validate(arguments)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            known = ", ".join(cls.model_fields)
            raise QwenModelError(
                f"qwen-vl does not take -M {name}={arguments.get(name)!r}: {first['msg']}.",
                hint=f"It knows: {known}.",
                code="model.options",
            ) from error
        if options.min_pixels and options.max_pixels and options.min_pixels > options.max_pixels:
            raise QwenModelError(
                f"-M min_pixels={options.min_pixels} is more than max_pixels={options.max_pixels}.",
                hint="Swap the two.",
                code="model.options",
            )
        return options
