"""Entry point of inspect-ai (`inspect_ai` group in pyproject.toml): the model providers that come with exams."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="baseline")
def baseline() -> type[ModelAPI]:
    """`baseline/key`, `baseline/chance`, `baseline/first-option`."""
    from exam_mode.baselines import BaselineAPI

    return BaselineAPI


@modelapi(name="qwen-vl")
def qwen_vl() -> type[ModelAPI]:
    """`qwen-vl/PATH_OR_ID`: Qwen2.5-VL and Qwen3-VL in this process. torch is loaded only when it is used."""
    from exam_mode.qwen_vl.provider import qwen_vl as provider

    return provider()
