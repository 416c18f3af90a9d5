"""Loading a model and its processor; nothing here generates."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exam_mode.qwen_vl.errors import QwenModelError, require_packages
from exam_mode.qwen_vl.options import QwenOptions
from exam_mode.qwen_vl.revisions import Weights, folder_fingerprint, resolve

logger = logging.getLogger(__name__)
FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe")


@dataclass(frozen=True)
class Loaded:
    """A model ready to generate.

    Attributes:
        model, processor: of transformers; the tokenizer pads on the left.
        device, dtype: as used, e.g. `cuda:0`, `bfloat16`.
        patch, merge: pixels of a vision patch, patches of a side merged into a token; images are multiples of both.
        window: most tokens of prompt and answer together, None when the configuration does not say.
        revision: commit that was loaded, or `folder:` and the fingerprint of a folder; None when unknown.
        pinned: whether the same name loads the same weights later.
        ends: tokens that end a reply.
    """

    model: Any
    processor: Any
    device: str
    dtype: str
    patch: int
    merge: int
    window: int | None
    revision: str | None
    pinned: bool
    ends: tuple[int, ...]


def load(name: str, options: QwenOptions) -> Loaded:
    """Load a folder or hub id.

    Raises:
        MissingExtraError: the extra `vlm` is not installed.
        QwenModelError: no such model, a model of another family, or one that cannot be loaded or does not fit.
    """
    require_packages()
    weights = resolve(name, options.revision)
    if not weights.pinned:
        logger.warning(
            "%s is not pinned to a commit: a later run may load other weights. Add -M revision=COMMIT.", weights.name
        )
    device, dtype = _place(options)
    try:
        config, processor, model = _from_pretrained(weights, options, device, dtype)
    except QwenModelError:
        raise
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise _load_failed(weights, error) from error
    processor.tokenizer.padding_side = "left"
    ends = _take_generation_config(model, processor.tokenizer)
    text_config = config.get_text_config()
    return Loaded(
        model=model,
        processor=processor,
        device=str(model.device),
        dtype=str(model.dtype).removeprefix("torch."),
        patch=int(config.vision_config.patch_size),
        merge=int(config.vision_config.spatial_merge_size),
        window=getattr(text_config, "max_position_embeddings", None),
        revision=_revision(weights, config),
        pinned=weights.pinned,
        ends=ends,
    )


def _from_pretrained(weights: Weights, options: QwenOptions, device: str, dtype: Any) -> tuple[Any, Any, Any]:
    from transformers import AutoConfig, AutoModelForImageTextToText, AutoProcessor

    config = AutoConfig.from_pretrained(weights.name, revision=weights.revision)
    if config.model_type not in FAMILIES:
        raise QwenModelError(
            f"{weights.name} is a {config.model_type} model.",
            hint="qwen-vl runs Qwen2.5-VL and Qwen3-VL; serve others with vLLM and take them as openai-api/….",
            code="model.wrong_family",
        )
    processor = AutoProcessor.from_pretrained(weights.name, revision=weights.revision)
    extra: dict[str, Any] = {"attn_implementation": options.attention} if options.attention else {}
    if options.device_map:
        extra["device_map"] = options.device_map
    model = AutoModelForImageTextToText.from_pretrained(weights.name, revision=weights.revision, dtype=dtype, **extra)
    if not options.device_map:
        model = model.to(device)
    return config, processor, model.eval()


def _take_generation_config(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """End tokens, taken from the generation settings that came with the weights; the rest of those is dropped.

    They would slip in wherever a request leaves a setting open: temperature, top_k, repetition penalty.
    """
    from transformers import GenerationConfig

    stated = model.generation_config.eos_token_id
    ends = stated if isinstance(stated, (list, tuple)) else [stated]
    model.generation_config = GenerationConfig()
    return tuple(dict.fromkeys(int(e) for e in [*ends, tokenizer.eos_token_id] if e is not None))


def _place(options: QwenOptions) -> tuple[str, Any]:
    """Device and number type: bfloat16 on a GPU, float32 on the CPU, unless the user says otherwise."""
    import torch

    device = options.device
    if device == "auto":
        device = "cuda:0" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    name = options.dtype
    if name == "auto":
        name = "float32" if device == "cpu" and not options.device_map else "bfloat16"
    return device, getattr(torch, name)


def _revision(weights: Weights, config: Any) -> str | None:
    if weights.local:
        return f"folder:{folder_fingerprint(Path(weights.name))}"
    commit = getattr(config, "_commit_hash", None)
    return str(commit) if commit else weights.revision


def _load_failed(weights: Weights, error: Exception) -> QwenModelError:
    at = f" at {weights.revision}" if weights.revision else ""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if "out of memory" in str(error).lower():
        hint, code = "Take a smaller model, free the GPU, or spread it with -M device_map=auto.", "model.out_of_memory"
    elif weights.local:
        hint, code = "The folder needs config.json, weights, tokenizer and processor files.", "model.load_failed"
    else:
        hint = "Check the name and the network, or download it first and give the folder."
        code = "model.load_failed"
    return QwenModelError(f"Cannot load {weights.name}{at}: {first}", hint=hint, code=code)
