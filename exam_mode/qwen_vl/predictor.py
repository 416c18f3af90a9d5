"""`Predictor.predict(requests) -> replies`: one batch through the model, halved when memory runs out."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from exam_mode.qwen_vl.errors import QwenModelError
from exam_mode.qwen_vl.loader import Loaded
from exam_mode.qwen_vl.reasoning import OPEN, split_reasoning
from exam_mode.qwen_vl.sampling import Sampling, logits_processors

if TYPE_CHECKING:
    from PIL.Image import Image

StopReason = Literal["stop", "max_tokens", "model_length"]


@dataclass(frozen=True)
class Request:
    """A prompt after the chat template, its images in the order of their places, and how to generate."""

    prompt: str
    images: tuple[Image, ...]
    sampling: Sampling
    seed: int = 0


@dataclass(frozen=True)
class Reply:
    """What came back, with exact counts.

    Attributes:
        stop: `max_tokens` when the cap cut the reply off, `model_length` when the model's window did.
        input_tokens: text and image tokens of the prompt, without padding; `image_tokens` of them stand for images.
        output_tokens: everything generated, reasoning and end token included; `reasoning_tokens` of them lie
            between the tags.
        batch: requests that were generated together.
        seconds: wall time of that batch.
    """

    text: str
    reasoning: str
    stop: StopReason
    input_tokens: int
    image_tokens: int
    output_tokens: int
    reasoning_tokens: int
    batch: int
    seconds: float


class Predictor:
    """Generates with a loaded model; not for use from several threads at once."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.largest: int | None = None  # batch size that is known to fit after memory ran out once

    def predict(self, requests: Sequence[Request]) -> list[Reply | QwenModelError]:
        """Replies in the order of `requests`, which share one `Sampling`.

        A request that does not fit into memory even alone has an error (code model.out_of_memory) in its place, so
        that the others keep their replies. The batch size that fitted is kept for later batches.
        """
        size = min(len(requests), self.largest or len(requests))
        results: list[Reply | QwenModelError] = []
        while len(results) < len(requests):
            part = requests[len(results) : len(results) + size]
            replies = self._try(part)
            if replies is not None:
                results.extend(replies)
            elif len(part) == 1:
                results.append(self._too_large(part[0]))
            else:
                size = self.largest = len(part) // 2
        return results

    def _try(self, requests: Sequence[Request]) -> list[Reply] | None:
        """Replies, or None when memory ran out."""
        try:
            return self._batch(requests)
        except (RuntimeError, MemoryError) as error:
            if not _out_of_memory(error):
                raise
        _free()  # after `except`: until then the traceback holds the tensors of the failed try
        return None

    def _batch(self, requests: Sequence[Request]) -> list[Reply]:
        started = time.monotonic()
        inputs = self._encode(requests)
        lengths = [int(n) for n in inputs["attention_mask"].sum(dim=1)]
        sampling = requests[0].sampling
        allowed = [self._allowed(sampling, n) for n in lengths]
        if len(requests) > 1 and min(allowed) < sampling.max_new_tokens:
            # Near the end of the window the cap differs by row; alone, each row gets its own.
            return [reply for request in requests for reply in self._batch([request])]
        images = [int(n) for n in (inputs["input_ids"] == self.loaded.processor.image_token_id).sum(dim=1)]
        if allowed[0] <= 0:
            return [Reply("", "", "model_length", lengths[0], images[0], 0, 0, 1, time.monotonic() - started)]
        cap = replace(sampling, max_new_tokens=allowed[0])
        rows = self._generate(inputs, cap, [r.seed for r in requests])
        spent = time.monotonic() - started
        cut: StopReason = "max_tokens" if allowed[0] == sampling.max_new_tokens else "model_length"
        return [
            self._reply(request, ids, cap, cut, length, pictures, len(requests), spent)
            for request, ids, length, pictures in zip(requests, rows, lengths, images, strict=True)
        ]

    def _allowed(self, sampling: Sampling, length: int) -> int:
        window = self.loaded.window
        return sampling.max_new_tokens if window is None else min(sampling.max_new_tokens, window - length)

    def _encode(self, requests: Sequence[Request]) -> Any:
        images = [image for request in requests for image in request.images]
        inputs = self.loaded.processor(
            text=[request.prompt for request in requests],
            images=images or None,
            padding=True,
            return_tensors="pt",
            do_resize=False,  # sizes were settled by `images.fit`
        )
        return inputs.to(self.loaded.model.device)

    def _generate(self, inputs: Any, sampling: Sampling, seeds: Sequence[int]) -> list[list[int]]:
        """Generated tokens of each row, padding included."""
        import torch
        from transformers import GenerationConfig, StoppingCriteriaList, StopStringCriteria

        tokenizer = self.loaded.processor.tokenizer
        config = GenerationConfig(
            max_new_tokens=sampling.max_new_tokens,
            do_sample=False,
            num_beams=1,
            eos_token_id=list(self.loaded.ends),
            pad_token_id=tokenizer.pad_token_id,
        )
        stopping = StoppingCriteriaList()
        if sampling.stop:
            stopping.append(StopStringCriteria(tokenizer, list(sampling.stop)))
        with torch.inference_mode():
            output = self.loaded.model.generate(
                **inputs,
                generation_config=config,
                logits_processor=logits_processors(sampling, seeds),
                stopping_criteria=stopping,
            )
        rows: list[list[int]] = output[:, inputs["input_ids"].shape[1] :].tolist()
        return rows

    def _reply(
        self,
        request: Request,
        row: list[int],
        sampling: Sampling,
        cut: StopReason,
        length: int,
        images: int,
        batch: int,
        seconds: float,
    ) -> Reply:
        ends = self.loaded.ends
        tokenizer = self.loaded.processor.tokenizer
        used = next((i for i, token in enumerate(row) if token in ends), len(row))
        ended, text_ids = used < len(row), row[:used]

        def decode(ids: Sequence[int]) -> str:
            text: str = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            return text

        stopped = ""
        if sampling.stop:
            text_ids, stopped = self._at_stop_text(text_ids, sampling.stop, decode)
        split = split_reasoning(text_ids, decode, request.prompt.rstrip().endswith(OPEN))
        counted = len(text_ids) if stopped else used + int(ended)
        reason: StopReason = "stop" if ended or stopped else cut
        answer = split.answer.split(stopped)[0] if stopped else split.answer
        return Reply(answer, split.reasoning, reason, length, images, counted, split.tokens, batch, seconds)

    def _at_stop_text(self, ids: list[int], stop: Sequence[str], decode: Any) -> tuple[list[int], str]:
        """Tokens up to the one that completes a stop text, and that text; rows that stop early are padded behind."""
        whole = decode(ids)
        found = [s for s in stop if s in whole]
        if not found:
            return ids, ""
        first = min(found, key=whole.find)
        count = bisect_left(range(len(ids) + 1), True, key=lambda n: first in decode(ids[:n]))
        return ids[:count], first

    def _too_large(self, request: Request) -> QwenModelError:
        sizes = ", ".join(f"{i.width}×{i.height}" for i in request.images) or "none"
        return QwenModelError(
            f"One request alone does not fit into the memory of {self.loaded.device}: images {sizes}, "
            f"up to {request.sampling.max_new_tokens} new tokens.",
            hint="Send fewer pages, set -M max_pixels=, lower the budget, or take a smaller model.",
            code="model.out_of_memory",
        )


def _out_of_memory(error: BaseException) -> bool:
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


def _free() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
