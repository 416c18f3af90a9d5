"""Tiny Qwen3-VL and Qwen2.5-VL models with random weights, made from their configurations and saved like real ones."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

_LIBRARIES: list[Any] = []
SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
    "<|video_pad|>",
)  # fmt: skip
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{{ OPENING }}{% endif %}"
)
TEXT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def import_torchvision() -> None:
    """Import torchvision, also PyPI's build beside a CPU-only torch.

    There its compiled operators are missing, and it wants to describe two of them; they are declared, none is called.
    """
    import torch

    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "does not exist" not in str(error):
            raise
        for name in [n for n in sys.modules if n.split(".")[0] == "torchvision"]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "FRAGMENT")
        for operator in ("nms", "qnms"):
            library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _LIBRARIES.append(library)  # declarations live as long as the object
        importlib.import_module("torchvision")


def tokenizer() -> Any:
    """A byte-level tokenizer: one token a byte, Qwen's special tokens, and the two thinking tags as plain tokens."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import AddedToken, Qwen2Tokenizer

    vocab = {char: i for i, char in enumerate(sorted(ByteLevel.alphabet()))}
    made = Qwen2Tokenizer(vocab=vocab, merges=[])
    made.add_special_tokens({"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"})
    made.add_tokens([AddedToken(name, special=True, normalized=False) for name in SPECIAL], special_tokens=True)
    made.add_tokens([AddedToken(tag, special=False, normalized=False) for tag in ("<think>", "</think>")])
    return made


def save_tiny(folder: Path, family: str, opening: str = "", seed: int = 7, window: int = 2048) -> Path:
    """Make, save and return a model folder.

    `family` is qwen3_vl or qwen2_5_vl, `opening` ends every prompt, `window` is the most tokens of prompt and reply.
    """
    import torch
    from transformers import GenerationConfig

    torch.manual_seed(seed)
    words = tokenizer()
    ids = {name: words.convert_tokens_to_ids(name) for name in SPECIAL}
    common = {
        "image_token_id": ids["<|image_pad|>"],
        "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
        "vision_end_token_id": ids["<|vision_end|>"],
    }
    build = _qwen3 if family == "qwen3_vl" else _qwen25
    model, processor = build(
        words,
        {**TEXT, "vocab_size": len(words), "max_position_embeddings": window},
        common,
        TEMPLATE.replace("{{ OPENING }}", opening),
    )
    ends = [ids["<|im_end|>"], ids["<|endoftext|>"]]
    model.generation_config = GenerationConfig(
        eos_token_id=ends, pad_token_id=ids["<|endoftext|>"], do_sample=True, temperature=0.7, repetition_penalty=1.3
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _qwen3(words: Any, text: dict[str, Any], common: dict[str, int], template: str) -> tuple[Any, Any]:
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1], "mrope_interleaved": True}
    vision = {
        "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 32,
        "patch_size": 16, "spatial_merge_size": 2, "num_position_embeddings": 64, "deepstack_visual_indexes": [0],
    }  # fmt: skip
    text = {**text, "head_dim": 8, "rope_parameters": rope}
    model = Qwen3VLForConditionalGeneration(Qwen3VLConfig(text_config=text, vision_config=vision, **common))
    sizes = {"patch_size": 16, "merge_size": 2, "temporal_patch_size": 2}
    return model, Qwen3VLProcessor(
        Qwen2VLImageProcessor(**sizes), words, Qwen3VLVideoProcessor(**sizes), chat_template=template
    )


def _qwen25(words: Any, text: dict[str, Any], common: dict[str, int], template: str) -> tuple[Any, Any]:
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1]}
    vision = {
        "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 32,
        "patch_size": 14, "spatial_merge_size": 2, "window_size": 56, "fullatt_block_indexes": [1],
    }  # fmt: skip
    text = {**text, "rope_parameters": rope}
    model = Qwen2_5_VLForConditionalGeneration(Qwen2_5_VLConfig(text_config=text, vision_config=vision, **common))
    sizes = {"patch_size": 14, "merge_size": 2, "temporal_patch_size": 2}
    return model, Qwen2_5_VLProcessor(
        Qwen2VLImageProcessor(**sizes), words, Qwen2VLVideoProcessor(**sizes), chat_template=template
    )
